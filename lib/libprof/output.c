/* Outputs: items to the bytes of a format. */
#include "libprof/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/output.h"
#include "io/scratch.h"
#include "model/releases.h"

struct prof_output {
	struct prof *p;
	struct prof_target target;
	prof_sink *sink;
	void *arg;
	char *path;			/* or NULL */
	struct output *file;		/* or NULL */
	struct prof_writer *writer;	/* NULL before the first item */
	struct scratch_files files;
	struct prof_scratch scratch;	/* of the target, or unused */
	struct item_order order;
	struct prof_error failure;	/* of an item that was lost */
	bool taken;			/* a sum is being put, or was */
	bool ended;			/* the writer is finished */
	bool finished;
};

struct prof_output *
prof_output_new(struct prof *p, const char *format, prof_sink *sink, void *arg)
{
	const char *name = prof_format_name(format);
	struct prof_output *out = NULL;

	problem_begin(p);
	if (name == NULL)
		err_set(&p->problem.error, PROF_E_USE,
		    "there is no format of that name");
	else if ((out = calloc(1, sizeof(*out))) == NULL)
		err_memory(&p->problem.error);
	if (out == NULL) {
		problem_fail(p);
		return NULL;
	}
	out->p = p;
	out->target.format = name;
	out->sink = sink;
	out->arg = arg;
	return out;
}

void
output_begin(const struct prof_output *out)
{
	problem_begin(out->p);
	out->p->file = out->path;
}

struct prof_output *
prof_output_open(struct prof *p, const char *format, const char *path)
{
	struct prof_output *out = prof_output_new(p, format, output_write,
	    NULL);
	bool binary = out != NULL && strcmp(format, "stream") != 0 &&
	    strcmp(format, "text") != 0;

	if (out == NULL)
		return NULL;
	out->path = strdup(path);
	output_begin(out);
	if (out->path == NULL)
		err_memory(&p->problem.error);
	else
		out->arg = out->file = output_open(path, binary,
		    &p->problem.error);
	if (out->file != NULL)
		return out;
	problem_fail(p);
	prof_output_free(out);
	return NULL;
}

static int
output_set_version(struct prof_output *out, uint64_t value)
{
	struct prof_versions versions;

	prof_writable(out->target.format, &versions);
	if (value != 0 && (value < versions.oldest || value > versions.newest))
		return problem_use(out->p,
		    "that version of the format cannot be written");
	out->target.version = (unsigned)value;
	return 0;
}

int
prof_output_set(struct prof_output *out, enum prof_output_option option,
    uint64_t value)
{
	struct prof_target *t = &out->target;

	output_begin(out);
	if (out->writer != NULL)
		return problem_use(out->p, "an item has already been put");
	if (option == PROF_OUT_VERSION)
		return output_set_version(out, value);
	if (option == PROF_OUT_BIG_ENDIAN)
		t->big_endian = value != 0;
	else if (option == PROF_OUT_POINTER_BITS && (value == 32 ||
	    value == 64))
		t->pointer_bits = (uint8_t)value;
	else if (option == PROF_OUT_MEMPROF_VERSION &&
	    value <= llvm_release_newest()->memprof_last + 1u)
		t->memprof_version = (unsigned)value;
	else if (option == PROF_OUT_FULL_SCHEMA)
		t->memprof_full_schema = value != 0;
	else if (option == PROF_OUT_SOURCES)
		t->with_sources = value != 0;
	else if (option == PROF_OUT_NO_VTABLE_NAMES)
		t->no_vtable_names = value != 0;
	else if (option == PROF_OUT_PLAIN)
		t->plain = value != 0;
	else
		return problem_use(out->p, "there is no such option, or the "
		    "option has no such value");
	return 0;
}

struct prof_writer *
output_writer(struct prof_output *out, struct prof_error *err)
{
	struct prof_versions versions;

	if (out->writer != NULL)
		return out->writer;
	if (out->target.version == 0) {
		prof_writable(out->target.format, &versions);
		out->target.version = versions.usual;
	}
	out->writer = prof_writer_new(out->p->context, &out->target, out->sink,
	    out->arg, err);
	return out->writer;
}

static bool
output_holds_one(const struct prof_output *out)
{
	return strcmp(out->target.format, "stream") != 0;
}

void
output_use_scratch(struct prof_output *out)
{
	out->scratch = (struct prof_scratch){ .arg = &out->files,
	    .write = scratch_write, .read = scratch_read };
	out->target.scratch = &out->scratch;
}

bool
output_scratch_failed(const struct prof_output *out)
{
	return out->files.failed;
}

void
output_take_sum(struct prof_output *out, bool stays)
{
	out->target.in_order = true;
	out->target.borrows = stays && output_holds_one(out);
}

static enum prof_status
output_end_writer(struct prof_output *out, struct prof_error *err)
{
	struct prof_writer *w = output_writer(out, err);

	if (w == NULL || (!out->ended && prof_finish(w, err) != PROF_OK))
		return PROF_FAIL;
	out->ended = true;
	return PROF_OK;
}

enum prof_status
output_end_profile(struct prof_output *out, struct prof_error *err)
{
	if (output_holds_one(out) && output_end_writer(out, err) != PROF_OK)
		return PROF_FAIL;
	out->taken = false;
	return PROF_OK;
}

struct prof *
output_owner(const struct prof_output *out)
{
	return out->p;
}

const char *
output_format(const struct prof_output *out)
{
	return out->target.format;
}

static const char *
output_misuse(const struct prof_output *out)
{
	if (out->finished)
		return "the output has already been finished";
	if (out->taken)
		return "the sum was not written";
	if (output_holds_one(out) && out->order.ended)
		return "the format holds one profile: several are summed first";
	return NULL;
}

const char *
output_take_profile(struct prof_output *out)
{
	const char *misuse = out->order.inside ?
	    "the last profile has not ended" : output_misuse(out);

	out->order.ended = true;
	out->taken = misuse == NULL;
	return misuse;
}

static enum prof_status
output_put_item(struct prof_output *out, const struct prof_item *item,
    struct prof_error *err)
{
	const char *misuse = output_misuse(out);
	struct prof_writer *w;

	if (misuse != NULL)
		return err_set(err, PROF_E_USE, "%s", misuse);
	if (item_check(&out->order, item, err) != PROF_OK)
		return PROF_FAIL;
	w = output_writer(out, err);
	return w == NULL ? PROF_FAIL : prof_put(w, item_record(item), err);
}

int
prof_output_put(struct prof_output *out, const struct prof_item *item)
{
	struct prof_error *err = &out->p->problem.error;
	enum prof_status status;

	output_begin(out);
	status = output_put_item(out, item, err);
	/* Without an item that was refused, an output may be as wanted. */
	if (status != PROF_OK && err->code != PROF_E_USE &&
	    err->code != PROF_E_UNSUPPORTED &&
	    out->failure.code == PROF_E_NONE)
		out->failure = *err;
	return problem_result(out->p, status);
}

static enum prof_status
output_end(struct prof_output *out, struct prof_error *err)
{
	struct output *file = out->file;

	if (out->failure.code != PROF_E_NONE)
		*err = out->failure;
	if (out->failure.code != PROF_E_NONE ||
	    output_end_writer(out, err) != PROF_OK)
		return PROF_FAIL;
	out->file = NULL;
	return file == NULL ? PROF_OK : output_commit(file, err);
}

int
prof_output_finish(struct prof_output *out)
{
	output_begin(out);
	if (out->finished || out->taken || out->order.inside)
		return problem_use(out->p, out->finished ? "the output has "
		    "already been finished" : out->taken ? "the sum was not "
		    "written" : "the last profile has not ended");
	out->finished = true;
	return problem_result(out->p, output_end(out,
	    &out->p->problem.error));
}

void
prof_output_free(struct prof_output *out)
{
	if (out == NULL)
		return;
	problem_forget(out->p, out->path);
	prof_writer_free(out->writer);
	scratch_finish(&out->files);
	output_discard(out->file);
	free(out->path);
	free(out);
}
