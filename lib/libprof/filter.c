/* Filters: symbolizing, and what another release of LLVM needs. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "libprof/private.h"
#include "model/releases.h"
#include "ops/retarget.h"
#include "sym/correlate/correlate.h"
#include "sym/symbolize.h"

struct prof_filter {
	struct prof *p;
	struct item_order order;
	bool begun, finished;
	struct retarget *retarget;	/* or NULL: a symbolizer */
	struct binary **binaries;
	size_t binaries_size, binaries_room;
	struct module_map *maps;
	size_t maps_size, maps_room;
	char **folders;
	size_t folders_size, folders_room;
	struct binary_search search;
	bool drop;
	struct correlate *correlate;
	struct symbolize *symbolize;
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
symbolizer_add(struct prof_filter *f, const char *path, const uint64_t *start)
{
	const char *misuse = symbolizer_misuse(f);
	struct prof_error *err = &f->p->problem.error;
	struct binary *b;

	problem_begin(f->p);
	if (misuse != NULL)
		return problem_use(f->p, misuse);
	b = binary_open(path, &f->search, err);
	if (b == NULL)
		return problem_fail(f->p);
	if (!ARRAY_ADD(f->binaries, f->binaries_size, f->binaries_room, b)) {
		binary_close(b);
		return problem_memory(f->p);
	}
	if (start != NULL && !ARRAY_ADD(f->maps, f->maps_size, f->maps_room,
	    (struct module_map){ .start = *start,
	    .binary = f->binaries_size - 1 })) {
		return problem_memory(f->p);
	}
	return 0;
}

int
prof_symbolizer_add(struct prof_filter *f, const char *path)
{
	return symbolizer_add(f, path, NULL);
}

int
prof_symbolizer_add_at(struct prof_filter *f, const char *path, uint64_t start)
{
	return symbolizer_add(f, path, &start);
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
	f->search.debug_dirs = (const char *const *)f->folders;
	f->search.debug_dir_count = f->folders_size;
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
		f->search.debuginfod = value != 0;
		return 0;
	case PROF_SYM_DROP:
		f->drop = value != 0;
		return 0;
	default:
		return problem_use(f->p, "there is no such option");
	}
}

/* Makes the stages of a symbolizer, for what was added. */
static enum prof_status
symbolizer_begin(struct prof_filter *f, struct prof_error *err)
{
	const struct binary_search *search = f->folders_size == 0 &&
	    !f->search.debuginfod ? NULL : &f->search;
	const struct symbolize_options options = { .binaries = f->binaries,
	    .binary_count = f->binaries_size, .maps = f->maps,
	    .map_count = f->maps_size, .search = search, .drop = f->drop,
	    .warn = problem_warn, .warn_arg = f->p };

	f->correlate = correlate_new(f->binaries, f->binaries_size, search,
	    problem_warn, f->p);
	if (f->correlate == NULL)
		return err_memory(err);
	f->symbolize = symbolize_new(&options, err);
	return f->symbolize == NULL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
filter_emit(struct prof_filter *f, const struct prof_record *r)
{
	f->shown.record = *r;
	return problem_visit(f->p, &f->shown, f->visitor, f->arg);
}

/* Takes what the correlation emits. */
static enum prof_status
symbolizer_put(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct prof_filter *f = arg;
	struct prof_record out;
	enum prof_status status = symbolize_record(f->symbolize, in, &out,
	    err);

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return filter_emit(f, &out);
}

static enum prof_status
filter_put_record(struct prof_filter *f, const struct prof_record *in,
    struct prof_error *err)
{
	struct prof_record out;

	if (f->retarget != NULL)
		return retarget_record(f->retarget, in, &out, err) == PROF_OK ?
		    filter_emit(f, &out) : PROF_FAIL;
	if (f->symbolize == NULL && symbolizer_begin(f, err) != PROF_OK)
		return PROF_FAIL;
	return correlate_put(f->correlate, in, symbolizer_put, f, err);
}

int
prof_filter_put(struct prof_filter *f, const struct prof_item *item,
    prof_visitor *visitor, void *arg)
{
	struct prof *p = f->p;

	problem_begin(p);
	if (f->finished)
		return problem_use(p, "the filter has already been finished");
	if (item_check(&f->order, item, &p->problem.error) != PROF_OK)
		return problem_fail(p);
	f->begun = true;
	f->visitor = visitor;
	f->arg = arg;
	return problem_result(p, filter_put_record(f, item_record(item),
	    &p->problem.error));
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
	return f->symbolize == NULL ? 0 : problem_result(p,
	    symbolize_finish(f->symbolize, &p->problem.error));
}

void
prof_filter_free(struct prof_filter *f)
{
	if (f == NULL)
		return;
	retarget_free(f->retarget);
	symbolize_free(f->symbolize);
	correlate_free(f->correlate);
	for (size_t i = 0; i < f->binaries_size; i++)
		binary_close(f->binaries[i]);
	for (size_t i = 0; i < f->folders_size; i++)
		free(f->folders[i]);
	free(f->binaries);
	free(f->maps);
	free(f->folders);
	free(f);
}
