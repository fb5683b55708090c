/* The files of llvm-profdata: inputs, their records, remapping files. */
#include "config.h"

#include "cmd/profdata/profdata.h"

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
#include "io/lines.h"

/* WEIGHT,FILE */
static void
inputs_add_weighted(struct cli *c, const char *s)
{
	struct cli_input in = { .weight.parts = 1 };

	in.path = cli_parse_number(s, 1, UINT64_MAX, &in.weight.times);
	if (in.path == NULL || (*in.path != ',' && *in.path != '\0'))
		llvm_fail(NULL,
		    "input weight must be a positive integer");
	in.path += *in.path == ',';
	cli_add_input(c, &in);
}

void
profdata_inputs_find(struct profdata *p)
{
	const struct profdata_options *o = &p->options;

	for (size_t i = 0; i < o->operand_count; i++)
		cli_add_input(&p->cli, &(struct cli_input){
		    .path = o->operands[i], .weight = { 1, 1 } });
	for (size_t i = 0; i < o->weighted.size; i++)
		inputs_add_weighted(&p->cli, o->weighted.items[i]);
	if (o->input_files != NULL)
		cli_add_input(&p->cli, &(struct cli_input){
		    .kind = CLI_LIST, .path = o->input_files });
	if (p->cli.inputs.size == 0)
		llvm_fail(NULL, "no input files specified. See %s merge "
		    "-help", p->cli.name);
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
		llvm_fail(where, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		llvm_fail(where, "%s", strerror(EISDIR));
}

void
profdata_copy_header(struct prof_header *to, const struct prof_header *from)
{
	const struct prof_span none = { NULL, 0 };

	*to = *from;
	to->extra = to->source.file = to->source.member = none;
	to->source.format = prof_format_name(from->source.format);
}

enum prof_status
profdata_read(struct profdata *p, const char *path, cli_record *fn, void *arg,
    struct prof_error *err)
{
	struct cli *c = &p->cli;
	enum prof_status status;

	cli_rewind_inputs(c);
	c->inputs.size = 0;
	c->report.damage.used = 0;
	cli_add_input(c, &(struct cli_input){ .path = path,
	    .weight = { 1, 1 } });
	status = cli_read(c, fn, arg);
	if (status == PROF_OK && c->report.damage.used == 0)
		status = err_set(&c->err, PROF_E_FORMAT,
		    "no member is a profile");
	*err = c->err;
	return status;
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
		llvm_fail(path, "%s", strerror(errno));
	if (r == NULL)
		profdata_out_of_memory();
	while (lines_next(&l)) {
		l.size -= l.size != 0 && l.text[l.size - 1] == '\r';
		remap_add_line(r, path, ++number, l.text, l.size);
	}
	if (lines_error(&l) != NULL)
		llvm_fail(path, "%s", lines_error(&l));
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
