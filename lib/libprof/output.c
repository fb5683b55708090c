/* Outputs: items to the bytes of a format; filters in front of them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/output.h"
#include "io/scratch.h"
#include "libprof/private.h"
#include "model/releases.h"
#include "ops/retarget.h"
#include "sym/symbolizer.h"

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
	struct prof_versions versions;

	problem_begin(p);
	if (name == NULL || !prof_writable(name, &versions))
		err_set(&p->problem.error, PROF_E_USE,
		    "no format of that name can be written");
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

int
prof_output_set(struct prof_output *out, enum prof_output_option option,
    uint64_t value)
{
	struct prof_target *t = &out->target;
	struct prof_versions versions;

	output_begin(out);
	if (out->writer != NULL)
		return problem_use(out->p, "an item has already been put");
	if (option == PROF_OUT_VERSION) {
		prof_writable(t->format, &versions);
		if (value != 0 && (value < versions.oldest ||
		    value > versions.newest))
			return problem_use(out->p,
			    "that version of the format cannot be written");
		t->version = (unsigned)value;
	} else if (option == PROF_OUT_MEMPROF_VERSION &&
	    value <= llvm_release_newest()->memprof_last + 1u)
		t->memprof_version = (unsigned)value;
	else if (option == PROF_OUT_FULL_SCHEMA)
		t->memprof_full_schema = value != 0;
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

int
prof_output_put(struct prof_output *out, const struct prof_item *item)
{
	struct prof_error *err = &out->p->problem.error;
	const char *misuse = output_misuse(out);
	enum prof_status status = PROF_FAIL;
	struct prof_writer *w;

	output_begin(out);
	if (misuse != NULL)
		err_set(err, PROF_E_USE, "%s", misuse);
	else if (item_check(&out->order, item, err) == PROF_OK &&
	    (w = output_writer(out, err)) != NULL)
		status = prof_put(w, item_record(item), err);
	/* Without an item that was refused, an output may be as wanted. */
	if (status != PROF_OK && err->code != PROF_E_USE &&
	    err->code != PROF_E_UNSUPPORTED &&
	    out->failure.code == PROF_E_NONE)
		out->failure = *err;
	return problem_result(out->p, status);
}

int
prof_output_finish(struct prof_output *out)
{
	struct prof_error *err = &out->p->problem.error;
	struct output *file = out->file;

	output_begin(out);
	if (out->finished || out->taken || out->order.inside)
		return problem_use(out->p, out->finished ? "the output has "
		    "already been finished" : out->taken ? "the sum was not "
		    "written" : "the last profile has not ended");
	out->finished = true;
	if (out->failure.code != PROF_E_NONE) {
		*err = out->failure;
		return problem_fail(out->p);
	}
	if (output_end_writer(out, err) != PROF_OK)
		return problem_fail(out->p);
	out->file = NULL;
	return problem_result(out->p, file == NULL ? PROF_OK :
	    output_commit(file, err));
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

struct prof_filter {
	struct prof *p;
	struct item_order order;
	bool begun, finished;
	struct retarget *retarget;	/* or NULL: a symbolizer */
	struct symbolizer symbolizer;
	char **folders;
	size_t folders_size, folders_room;
	/* While an item is put. */
	struct item_record shown;
	prof_visitor *visitor;
	void *arg;
};

/* NULL if there is no memory, as the error says then. */
static struct prof_filter *
filter_new(struct prof *p)
{
	struct prof_filter *f = calloc(1, sizeof(*f));

	problem_begin(p);
	if (f == NULL) {
		problem_memory(p);
		return NULL;
	}
	f->p = p;
	f->symbolizer.options.warn = problem_warn;
	f->symbolizer.options.warn_arg = p;
	return f;
}

struct prof_filter *
prof_symbolizer_new(struct prof *p)
{
	return filter_new(p);
}

struct prof_filter *
prof_upgrade_new(struct prof *p, unsigned major, unsigned minor)
{
	const struct llvm_release *r = llvm_release_numbered(major, minor);
	struct retarget_options options = { 0 };
	struct prof_filter *f;

	problem_begin(p);
	if (r == NULL || r->indexed == 0) {
		problem_use(p, "the release is not known");
		return NULL;
	}
	f = filter_new(p);
	if (f == NULL)
		return NULL;
	retarget_release(r, &options);
	f->retarget = retarget_new(&options);
	if (f->retarget != NULL)
		return f;
	problem_memory(p);
	prof_filter_free(f);
	return NULL;
}

unsigned
prof_release_version(unsigned major, unsigned minor)
{
	const struct llvm_release *r = llvm_release_numbered(major, minor);

	return r == NULL ? 0 : r->indexed;
}

/* Why a symbolizer takes no more binaries, folders or options; or NULL. */
static const char *
symbolizer_misuse(const struct prof_filter *f)
{
	if (f->retarget != NULL)
		return "the filter is not a symbolizer";
	return f->begun ? "an item has already been put" : NULL;
}

/* Opens a binary, and says of which segment: 0 or -1. */
static int
filter_add_binary(struct prof_filter *f, const char *path,
    const uint64_t *start)
{
	const char *misuse = symbolizer_misuse(f);
	struct symbolizer *s = &f->symbolizer;

	problem_begin(f->p);
	if (misuse != NULL)
		return problem_use(f->p, misuse);
	if (symbolizer_add(s, path, &f->p->problem.error) != PROF_OK)
		return problem_fail(f->p);
	if (start != NULL && !ARRAY_ADD(s->maps, s->map_count, s->map_room,
	    (struct module_map){ .start = *start, .binary = s->size - 1 }))
		return problem_memory(f->p);
	return 0;
}

int
prof_symbolizer_add(struct prof_filter *f, const char *path)
{
	return filter_add_binary(f, path, NULL);
}

int
prof_symbolizer_add_at(struct prof_filter *f, const char *path, uint64_t start)
{
	return filter_add_binary(f, path, &start);
}

int
prof_symbolizer_search(struct prof_filter *f, const char *folder)
{
	const char *misuse = symbolizer_misuse(f);
	char *copy;

	problem_begin(f->p);
	if (misuse != NULL)
		return problem_use(f->p, misuse);
	copy = strdup(folder);
	if (copy == NULL || !ARRAY_ADD(f->folders, f->folders_size,
	    f->folders_room, copy)) {
		free(copy);
		return problem_memory(f->p);
	}
	f->symbolizer.search.debug_dirs = (const char *const *)f->folders;
	f->symbolizer.search.debug_dir_count = f->folders_size;
	return 0;
}

int
prof_symbolizer_set(struct prof_filter *f, enum prof_symbolizer_option option,
    uint64_t value)
{
	const char *misuse = symbolizer_misuse(f);

	problem_begin(f->p);
	if (misuse != NULL)
		return problem_use(f->p, misuse);
	switch (option) {
	case PROF_SYM_DEBUGINFOD:
		f->symbolizer.search.debuginfod = value != 0;
		return 0;
	case PROF_SYM_DROP:
		f->symbolizer.options.drop = value != 0;
		return 0;
	default:
		return problem_use(f->p, "there is no such option");
	}
}

static enum prof_status
filter_emit(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct prof_filter *f = arg;

	(void)err;
	f->shown.record = *r;
	return problem_visit(f->p, &f->shown, f->visitor, f->arg);
}

int
prof_filter_put(struct prof_filter *f, const struct prof_item *item,
    prof_visitor *visitor, void *arg)
{
	struct prof *p = f->p;
	struct prof_error *err = &p->problem.error;
	const struct prof_record *in = item_record(item);
	struct prof_record out;
	enum prof_status status;

	problem_begin(p);
	if (f->finished)
		return problem_use(p, "the filter has already been finished");
	if (item_check(&f->order, item, err) != PROF_OK)
		return problem_fail(p);
	f->begun = true;
	f->visitor = visitor;
	f->arg = arg;
	if (f->retarget != NULL) {
		status = retarget_record(f->retarget, in, &out, err);
		return problem_result(p, status != PROF_OK ? PROF_FAIL :
		    filter_emit(f, &out, err));
	}
	return problem_result(p, symbolizer_put(&f->symbolizer, in,
	    filter_emit, f, err));
}

int
prof_filter_finish(struct prof_filter *f)
{
	struct prof *p = f->p;

	problem_begin(p);
	if (f->finished || f->order.inside)
		return problem_use(p, f->finished ? "the filter has already "
		    "been finished" : "the last profile has not ended");
	f->finished = true;
	return problem_result(p, symbolizer_finish(&f->symbolizer,
	    &p->problem.error));
}

void
prof_filter_free(struct prof_filter *f)
{
	if (f == NULL)
		return;
	retarget_free(f->retarget);
	symbolizer_free(&f->symbolizer);
	for (size_t i = 0; i < f->folders_size; i++)
		free(f->folders[i]);
	free(f->folders);
	free(f);
}
