#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/messages.h"
#include "io/output.h"
#include "io/rewrite.h"
#include "io/suffix.h"
#include "model/releases.h"

/* Formats that a terminal would suffer from. */
static bool
output_is_binary(const struct cli *c)
{
	return strcmp(c->output.target.format, "stream") != 0 &&
	    strcmp(c->output.target.format, "text") != 0;
}

static bool
output_is_indexed(const struct cli *c)
{
	return strcmp(c->output.target.format, "indexed") == 0;
}

/* --for asks for a version, --to may overrule it. */
void
cli_set_target(struct cli *c)
{
	struct prof_target *t = &c->output.target;
	struct prof_versions versions;

	if (c->output.compiler != NULL) {
		c->output.release = c->output.compiler;
		retarget_release(compiler_named(c->output.compiler),
		    &c->output.retarget);
	}
	if (t->version > c->output.retarget.version &&
	    c->output.retarget.version != 0 && c->output.release != NULL)
		cli_usage_error(c, "--to indexed:%u contradicts --for %s, "
		    "which reads versions up to %u", t->version,
		    c->output.release, c->output.retarget.version);
	if (t->version == 0)
		t->version = c->output.retarget.version;
	if (!prof_writable(t->format, &versions))
		cli_usage_error(c, "format %s is only read, not written",
		    t->format);
	if (t->version == 0) {
		t->version = versions.usual;
		c->output.newest = true;
	}
	if (t->version < versions.oldest || t->version > versions.newest)
		cli_usage_error(c, "%s version %u cannot be written: versions "
		    "%u to %u can", t->format, t->version, versions.oldest,
		    versions.newest);
	c->output.retarget.version = t->version;
}

void
cli_note_writers(struct cli_output *o, struct llvm_release_range r)
{
	struct llvm_release_range *w = &o->writers;

	/* All are rows of one table, in their order. */
	if (r.first != NULL && r.first->indexed != 0 && (w->first == NULL ||
	    r.first < w->first || (r.first == w->first && r.last > w->last)))
		*w = r;
}

/* Of a profile that a compiler of the inputs may refuse. */
static void
output_warn_of_writers(const struct cli *c)
{
	const struct llvm_release_range r = c->output.writers;
	const char *own = c->program->format;
	bool one = r.first == r.last;

	if (r.first != NULL && output_is_indexed(c) && c->output.newest &&
	    r.first->indexed < c->output.target.version && !c->options.quiet)
		message_print("%s: warning: LLVM %s%s%s wrote an input; LLVM "
		    "%s does not read version %u: name your compiler, as in %s"
		    "clang-%s\n", c->name, r.first->name, one ? "" : " to ",
		    one ? "" : r.last->name, r.first->name,
		    c->output.target.version, own != NULL &&
		    strcmp(own, "indexed") == 0 ? "--for " : "--to indexed:",
		    r.first->name);
}

void
cli_prepare_output(struct cli *c)
{
	cli_set_target(c);
	if (output_is_indexed(c)) {
		c->output.retargeter = retarget_new(&c->output.retarget);
		if (c->output.retargeter == NULL)
			cli_out_of_memory(c);
	}
}

enum prof_status
cli_open_bytes(struct cli *c, bool binary)
{
	struct output *out = output_open(c->output.path, binary ||
	    c->output.packing != PACKING_NONE, &c->err);

	if (out != NULL && c->output.packing != PACKING_NONE &&
	    output_compress(out, c->output.packing, &c->err) != PROF_OK) {
		output_discard(out);
		out = NULL;
	}
	c->output.file = out;
	c->output.failed = out == NULL;
	return out == NULL ? PROF_FAIL : PROF_OK;
}

/* A sink for whole lines. */
static int
output_write_inserting(void *insertion, const void *data, size_t size)
{
	struct cli_insertion *in = insertion;
	const char *newline = in->put == NULL ? NULL :
	    memchr(data, '\n', size);
	size_t head = newline == NULL ? 0 :
	    (size_t)(newline - (const char *)data) + 1;
	struct buf b = { 0 };
	int e;

	if (head == 0)
		return output_write(in->file, data, size);
	buf_put(&b, data, head);
	if (in->put(in->arg, &b, in->err) != PROF_OK)
		e = in->err->code == PROF_E_MEMORY ? ENOMEM : EIO;
	else if (b.failed)
		e = ENOMEM;
	else
		e = output_write(in->file, b.data, b.size);
	in->put = NULL;
	buf_free(&b);
	return e != 0 ? e : output_write(in->file, (const char *)data + head,
	    size - head);
}

enum prof_status
cli_write_insertion(const struct cli_insertion *in, struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status = in->put(in->arg, &b, err);
	int e;

	if (status == PROF_OK && b.failed)
		status = err_memory(err);
	if (status == PROF_OK) {
		e = output_write(in->file, b.data, b.size);
		if (e != 0)
			status = err_system(err, e, "write");
	}
	buf_free(&b);
	return status;
}

enum prof_status
cli_open_file(struct cli *c)
{
	struct cli_insertion *in = &c->output.insertion;
	bool inserts = in->put != NULL;

	if (cli_open_bytes(c, output_is_binary(c)) != PROF_OK)
		return PROF_FAIL;
	in->file = c->output.file;
	in->err = &c->err;
	c->output.writer = prof_writer_new(c->context, &c->output.target,
	    inserts ? output_write_inserting : output_write,
	    inserts ? (void *)in : c->output.file, &c->err);
	return c->output.writer == NULL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_open_output(struct cli *c)
{
	cli_prepare_output(c);
	return cli_open_file(c);
}

enum prof_status
cli_commit_output(struct cli *c, const struct rewrite *w)
{
	static const struct rewrite_options plain;
	struct output *out = c->output.file;
	enum prof_status status;

	/* That of groups is not complete before the last of them. */
	if (c->output.group_path == NULL && cli_damage_flush(c) != PROF_OK)
		return PROF_FAIL;
	c->output.file = NULL;
	status = w == NULL ? output_commit(out, &c->err) :
	    rewrite_commit(w, out, &plain, &c->err);
	c->output.failed = status != PROF_OK;
	return status;
}

enum prof_status
cli_write_text(struct cli *c, const struct buf *text)
{
	struct output *out = c->output.file;
	int e = output_write(out, text->data, text->size);

	c->output.failed = true;
	if (e != 0)
		return err_system(&c->err, e, "write");
	c->output.file = NULL;
	return output_commit(out, &c->err);
}

static enum prof_status
output_note_failure(struct cli *c, enum prof_status status,
    const struct prof_error *err)
{
	if (status == PROF_FAIL && err->code == PROF_E_SYSTEM)
		c->output.failed = true;
	return status;
}

enum prof_status
cli_put(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct cli *c = arg;

	return output_note_failure(c, prof_put(c->output.writer, r, err), err);
}

enum prof_status
cli_put_sum(struct cli *c, struct merge *sum, const struct merge_output *o)
{
	struct merge_losses losses;

	if (merge_write(sum, o, c->output.writer, &c->err) != PROF_OK) {
		/* Or a temporary file, which the message names itself. */
		c->output.failed = c->output.file != NULL &&
		    output_error(c->output.file) != 0;
		return PROF_FAIL;
	}
	losses = merge_losses(sum);
	return cli_damage_sum(c, &losses);
}

/* Whether functions were read, or selected from, and none is left. */
static bool
output_is_empty(const struct cli *c)
{
	const struct prof_written *w = &c->output.written;

	return c->output.unselected != 0 ||
	    (c->report.progress->functions != 0 &&
	    w->functions == w->nameless && w->heap == 0);
}

enum prof_status
cli_finish(struct cli *c)
{
	enum prof_status status = output_note_failure(c,
	    prof_finish(c->output.writer, &c->err), &c->err);
	struct prof_written w;

	if (status != PROF_OK)
		return PROF_FAIL;
	w = prof_writer_written(c->output.writer);
	c->output.finished = true;
	c->output.written.functions += w.functions;
	c->output.written.heap += w.heap;
	c->output.written.nameless += w.nameless;
	/* cli_end discards the file. */
	if (c->output.unselected == 0 || c->output.allow_empty ||
	    c->output.path == NULL)
		status = cli_commit_output(c, NULL);
	/* There is nobody left to tell that the stream is cut. */
	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	return status;
}

bool
cli_output_is_whole(const struct cli *c)
{
	uint64_t functions = c->report.progress->functions;
	bool empty = output_is_empty(c);

	if (c->output.finished)
		output_warn_of_writers(c);
	if (!c->output.finished || c->output.allow_empty)
		return true;
	if (empty && !c->options.quiet)
		message_print("%s: no function is left, of %llu: "
		    "--allow-empty accepts that\n", c->name,
		    (unsigned long long)(c->output.unselected != 0 ?
		    c->output.unselected : functions));
	return !empty && c->output.written.nameless == 0;
}

/* A program that writes indexed profiles only would make a file misnamed. */
static void
output_check_indexed(const struct cli *c)
{
	const char *path = c->output.path, *asked = c->output.target.format;
	const char *format = path == NULL ? NULL : suffix_format(path);

	if (asked != NULL && strcmp(asked, "indexed") != 0)
		cli_usage_error(c, "--to accepts only indexed: use prof-merge "
		    "for other formats");
	if (format != NULL && strcmp(format, "indexed") != 0)
		cli_usage_error(c, "%s has the suffix of format %s, but %s "
		    "writes indexed profiles: use prof-merge -o for other "
		    "formats", path, format, c->name);
}

void
cli_choose_format(struct cli *c)
{
	const char *own = c->program->format;
	const char *path = c->output.path;
	const char *named = path == NULL ? NULL : suffix_format(path);
	struct prof_versions versions;

	if (path != NULL)
		c->output.packing = suffix_packing(path);
	/* A report in place of a profile is a mistake. */
	if (own == NULL && named != NULL && !prof_writable(named, &versions))
		cli_usage_error(c, "%s has the suffix of format %s, which is "
		    "only read, not written", path, named);
	if (own != NULL && strcmp(own, "indexed") == 0)
		output_check_indexed(c);
	if (c->output.target.format != NULL || own == NULL)
		return;
	if (strcmp(own, "stream") == 0)
		c->output.target.format = named;
	if (c->output.target.format == NULL)
		c->output.target.format = own;
}
