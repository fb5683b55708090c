#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/profdata/profdata.h"
#include "io/input.h"

void
profdata_require(const char *where, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return;
	if (stat(path, &st) == -1)
		profdata_fail(where, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		profdata_fail(where, "%s", strerror(EISDIR));
}

void
profdata_require_file(const char *path)
{
	profdata_require(*path == '\0' ? NULL : path, path);
}

static bool
is_yaml_header(const struct prof_record *r)
{
	return r->kind == PROF_REC_PROFILE && r->u.profile.source.format !=
	    NULL && strcmp(r->u.profile.source.format, "yaml") == 0;
}

static enum prof_status
profdata_read_image(struct profdata *p, struct prof_span image,
    profdata_record *fn, void *arg, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(p->context, image, err);
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
			empty = is_yaml_header(&r);
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

static bool
is_raw_heap_profile(struct prof_span image)
{
	const char *format = prof_sniff(image);

	return format != NULL && strcmp(format, "memprof-raw") == 0;
}

static void *
read_process_member(void *arg, struct cli_item *item,
    struct prof_error *err)
{
	struct profdata_reading *to = arg;

	to->any = true;
	to->empty = item->image.size == 0;
	to->raw_heap = is_raw_heap_profile(item->image);
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
	struct cli c = { .name = to->p->name, .context = to->p->context,
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
