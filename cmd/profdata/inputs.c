/* The files of llvm-profdata: inputs, their records, remapping files. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "cmd/common/messages.h"
#include "cmd/common/pipeline.h"
#include "io/input.h"
#include "io/lines.h"

static const char *
inputs_copy_path(struct profdata_inputs *in, const void *s, size_t size)
{
	struct prof_span copy = arena_text(&in->arena,
	    (struct prof_span){ s, size });

	if (copy.data == NULL)
		profdata_out_of_memory();
	return (const char *)copy.data;
}

static void
inputs_add_file(struct profdata_inputs *in, uint64_t weight, const char *path)
{
	if (!ARRAY_ADD(in->items, in->size, in->room,
	    (struct cli_input){ .path = path, .weight = { weight, 1 } }))
		profdata_out_of_memory();
}

static void inputs_add_path(struct profdata_inputs *, uint64_t weight,
    const char *path, bool below);

/* In the order in which the system gives them, as LLVM has it. */
static void
inputs_add_folder(struct profdata_inputs *in, uint64_t weight, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct buf name = { 0 };

	if (dir == NULL)
		profdata_fail(path, "%s", strerror(errno));
	while (errno = 0, (e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		name.size = 0;
		buf_text(&name, path);
		if (name.size != 0 && name.data[name.size - 1] != '/')
			buf_text(&name, "/");
		buf_text(&name, e->d_name);
		if (name.failed)
			profdata_out_of_memory();
		inputs_add_path(in, weight, inputs_copy_path(in, name.data,
		    name.size), true);
	}
	if (errno != 0)
		profdata_fail(path, "%s", strerror(errno));
	closedir(dir);
	buf_free(&name);
}

static void
inputs_add_path(struct profdata_inputs *in, uint64_t weight, const char *path,
    bool below)
{
	struct stat st;

	if (strcmp(path, "-") == 0 && !below) {
		inputs_add_file(in, weight, path);
		return;
	}
	/* A link below a folder is not followed to another folder. */
	if ((below ? lstat : stat)(path, &st) == -1 || (below &&
	    S_ISLNK(st.st_mode) && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))) {
		if (below)
			return;
		profdata_fail(*path == '\0' ? NULL : path, "%s",
		    strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		inputs_add_folder(in, weight, path);
	else if (!below || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		inputs_add_file(in, weight, path);
}

/* WEIGHT,FILE */
static void
inputs_add_weighted(struct profdata_inputs *in, const char *s)
{
	uint64_t weight;
	const char *path = cli_parse_number(s, 1, UINT64_MAX, &weight);

	if (path == NULL || (*path != ',' && *path != '\0'))
		profdata_fail(NULL,
		    "input weight must be a positive integer");
	path += *path == ',';
	inputs_add_path(in, weight, inputs_copy_path(in, path, strlen(path)),
	    false);
}

static void
inputs_add_line(struct profdata_inputs *in, char *s)
{
	static const char blanks[] = " \t\v\f\r";
	size_t size;

	s += strspn(s, blanks);
	size = strlen(s);
	while (size != 0 && strchr(blanks, s[size - 1]) != NULL)
		s[--size] = '\0';
	if (size == 0 || *s == '#')
		return;
	if (strchr(s, ',') != NULL)
		inputs_add_weighted(in, s);
	else
		inputs_add_path(in, 1, inputs_copy_path(in, s, size), false);
}

static void
inputs_add_list(struct profdata_inputs *in, const char *path)
{
	struct lines l = { 0 };

	if (!lines_open(&l, path, '\n'))
		profdata_fail(path, "%s", strerror(errno));
	while (lines_next(&l))
		inputs_add_line(in, l.text);
	if (lines_error(&l) != NULL)
		profdata_fail(path, "%s", lines_error(&l));
	lines_free(&l);
}

void
profdata_inputs_find(struct profdata *p, struct profdata_inputs *in)
{
	const struct profdata_options *o = &p->options;

	for (size_t i = 0; i < o->operand_count; i++)
		inputs_add_path(in, 1, o->operands[i], false);
	for (size_t i = 0; i < o->weighted.size; i++)
		inputs_add_weighted(in, o->weighted.items[i]);
	if (o->input_files != NULL)
		inputs_add_list(in, o->input_files);
	if (in->size == 0)
		profdata_fail(NULL, "no input files specified. See %s merge "
		    "-help", p->cli.name);
}

void
profdata_inputs_free(struct profdata_inputs *in)
{
	free(in->items);
	arena_free(&in->arena);
}

void
profdata_require(const char *where, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return;
	if (where == NULL && *path != '\0')
		where = path;
	if (stat(path, &st) == -1)
		profdata_fail(where, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		profdata_fail(where, "%s", strerror(EISDIR));
}

static enum prof_status
profdata_read_image(struct profdata *p, struct prof_span image,
    profdata_record *fn, void *arg, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(p->cli.context, image, err);
	enum prof_status status = PROF_FAIL;
	bool empty = false;		/* a YAML profile without records */
	struct prof_record r;

	if (reader == NULL)
		return PROF_FAIL;
	while ((status = prof_next(reader, &r, err)) == PROF_OK) {
		if (r.kind == PROF_REC_PROFILE &&
		    r.u.profile.source.file.data == NULL)
			r.u.profile.source.file = (struct prof_span){
			    (const uint8_t *)p->file, strlen(p->file) };
		if (r.kind == PROF_REC_END && empty)
			err_set(err, PROF_E_UNSUPPORTED,
			    "The profile is empty.");
		else if (fn(arg, &r, err) == PROF_OK) {
			empty = r.kind == PROF_REC_PROFILE &&
			    profdata_is_format(&r.u.profile, "yaml");
			continue;
		}
		status = PROF_FAIL;
		break;
	}
	prof_close(reader);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

void
profdata_copy_header(struct prof_header *to, const struct prof_header *from)
{
	const struct prof_span none = { NULL, 0 };

	*to = *from;
	to->extra = to->source.file = to->source.member = none;
	to->source.format = prof_format_name(from->source.format);
}

static void
read_checked_image(const struct profdata_reading *to, struct prof_span image,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (to->precheck != NULL) {
		to->p->muted = true;
		status = profdata_read_image(to->p, image, to->precheck,
		    to->precheck_arg, err);
		to->p->muted = false;
	}
	if (status == PROF_OK && to->fn != NULL)
		profdata_read_image(to->p, image, to->fn, to->arg, err);
}

/*
 * Members of an archive that are no profiles are skipped.  With begin, each of
 * the others is an input of its own; else nothing behind a bad one is read.
 */
static enum cli_action
read_classify_member(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct profdata_reading *to = arg;

	if (ordinal == 1) {
		to->p->file = to->p->last_file = c->inputs.file;
		to->any = false;
	}
	if (ordinal == 1 || to->begin != NULL) {
		to->err = (struct prof_error){ 0 };
		to->empty = to->raw_heap = false;
	}
	if (to->begin != NULL)
		to->begin(to, c->inputs.current);
	if (to->err.code != PROF_E_NONE)
		return CLI_SKIP_FILE;
	return item->status == PROF_OK && prof_is_foreign(m->name, m->start) ?
	    CLI_SKIP_MEMBER : CLI_READ_MEMBER;
}

static void *
read_process_member(void *arg, struct cli_item *item,
    struct prof_error *err)
{
	struct profdata_reading *to = arg;
	const char *format = prof_sniff(item->image);

	to->any = true;
	to->empty = item->image.size == 0;
	to->raw_heap = format != NULL && strcmp(format, "memprof-raw") == 0;
	if (to->empty)
		err_set(err, PROF_E_UNSUPPORTED, "empty raw profile file");
	else
		read_checked_image(to, item->image, err);
	return NULL;
}

static void
read_end_input(struct profdata_reading *to, const struct cli_item *e)
{
	struct buf name = { 0 };

	buf_print(&name, "%s%s%s", e->file, e->member == NULL ? "" : ": ",
	    e->member == NULL ? "" : e->member);
	buf_u8(&name, '\0');
	if (name.failed)
		profdata_out_of_memory();
	to->end(to, (const char *)name.data);
	buf_free(&name);
}

static enum prof_status
read_commit_member(void *arg, struct cli *c, struct cli_item *e)
{
	struct profdata_reading *to = arg;

	if (to->err.code == PROF_E_NONE)
		to->err = c->err;
	/* Only a file may be empty; an empty member of an archive is bad. */
	to->empty = to->empty && e->member == NULL;
	/* That is no fault of the input, of which a run may have some. */
	if (to->err.code == PROF_E_MEMORY)
		profdata_out_of_memory();
	if (e->end_only && to->err.code == PROF_E_NONE && !to->any)
		err_set(&to->err, PROF_E_FORMAT, "no member is a profile");
	if (e->last)
		to->p->file = NULL;
	if (to->end != NULL &&
	    (!e->end_only || to->err.code != PROF_E_NONE))
		read_end_input(to, e);
	return PROF_OK;
}

/*
 * The pipeline is serial, as --num-threads changes no output.  LLVM's program
 * knows neither bad inputs that are counted nor a progress line.
 */
void
profdata_read_inputs(struct profdata_reading *to, struct cli_input *inputs,
    size_t size)
{
	const struct cli_pipeline work = { .arg = to, .serial = true,
	    .classify = read_classify_member, .process = read_process_member,
	    .commit = read_commit_member };
	struct cli_progress progress = { .silent = true };
	struct cli c = { .name = to->p->cli.name, .context = to->p->cli.context,
	    .inputs = { .items = inputs, .size = size },
	    .report = { .progress = &progress, .damage.keep_going = true } };

	if (cli_pipeline_run(&c, &work) != PROF_OK)
		profdata_fail(NULL, "%s", c.err.reason);
	cli_names_free(c.inputs.names);
}

enum prof_status
profdata_read(struct profdata *p, const char *path, profdata_record *fn,
    void *arg, struct prof_error *err)
{
	struct profdata_reading to = { .p = p, .fn = fn, .arg = arg };

	profdata_read_inputs(&to, &(struct cli_input){ .path = path }, 1);
	*err = to.err;
	return err->code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
}

/* LLVM 14 to 16 refuse; 19 and 22 do not. */
bool
profdata_refuses_correlated(const struct profdata *p, struct prof_error *err)
{
	if (profdata_since(p, 19))
		return false;
	err_set(err, PROF_E_UNSUPPORTED,
	    "debug info for correlation is required");
	return true;
}

struct profdata_remap {
	struct intern names;		/* old ones */
	struct prof_span *others;	/* the new one of each */
	size_t room;
};

static void __attribute__((noreturn))
remap_refuse_line(const char *path, size_t line)
{
	message_print("error: %s:%zu: unexpected line in remapping file\n",
	    path, line);
	message_print("note: expected 'old_symbol new_symbol'\n");
	exit(1);
}

/* The first line of a name counts. */
static bool
remap_add_name(struct profdata_remap *r, const char *old, size_t old_size,
    const char *other, size_t size)
{
	size_t before = r->names.size;
	uint32_t n = intern_add(&r->names, old, old_size);

	if (n == INDEX_NONE || !ARRAY_ROOM(r->others, before, r->room))
		return false;
	if (n < before)
		return true;
	r->others[n] = arena_copy(&r->names.arena, (struct prof_span){
	    (const uint8_t *)other, size });
	return r->others[n].data != NULL;
}

/* llvm::line_iterator leaves out empty lines and comments. */
static void
remap_add_line(struct profdata_remap *r, const char *path, size_t number,
    const char *line, size_t size)
{
	const char *space = memchr(line, ' ', size), *other;
	size_t left;

	if (size == 0 || *line == '#')
		return;
	if (space == NULL)
		remap_refuse_line(path, number);
	other = space + 1;
	left = size - (size_t)(other - line);
	if (space == line || left == 0 || memchr(other, ' ', left) != NULL)
		remap_refuse_line(path, number);
	if (!remap_add_name(r, line, (size_t)(space - line), other, left))
		profdata_out_of_memory();
}

struct profdata_remap *
profdata_remap_open(const char *path)
{
	struct profdata_remap *r = calloc(1, sizeof(*r));
	struct lines l = { 0 };
	size_t number = 0;

	if (!lines_open(&l, path, '\n'))
		profdata_fail(path, "%s", strerror(errno));
	if (r == NULL)
		profdata_out_of_memory();
	while (lines_next(&l)) {
		l.size -= l.size != 0 && l.text[l.size - 1] == '\r';
		remap_add_line(r, path, ++number, l.text, l.size);
	}
	if (lines_error(&l) != NULL)
		profdata_fail(path, "%s", lines_error(&l));
	lines_free(&l);
	return r;
}

void
profdata_remap(const struct profdata_remap *r, struct prof_symbol *s)
{
	uint32_t n = s->name.size == 0 ? INDEX_NONE :
	    intern_find(&r->names, s->name.data, s->name.size);

	if (n != INDEX_NONE)
		*s = (struct prof_symbol){ .name = r->others[n] };
}

void
profdata_remap_free(struct profdata_remap *r)
{
	if (r == NULL)
		return;
	intern_free(&r->names);
	free(r->others);
	free(r);
}
