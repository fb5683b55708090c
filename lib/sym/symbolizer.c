#include "config.h"

#include "sym/symbolizer.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"

enum prof_status
symbolizer_add(struct symbolizer *s, const char *path, struct prof_error *err)
{
	struct binary *b;

	s->search.work = &s->work;
	b = binary_open(path, &s->search, err);
	if (b == NULL)
		return PROF_FAIL;
	if (ARRAY_ADD(s->binaries, s->size, s->room, b))
		return PROF_OK;
	binary_close(b);
	return err_memory(err);
}

/* Makes the stages, for what was added. */
static enum prof_status
symbolizer_begin(struct symbolizer *s, struct prof_error *err)
{
	struct symbolize_options *o = &s->options;

	s->libraries = (struct libraries){ .programs = s->binaries,
	    .program_count = s->size, .work = &s->work };
	/* llvm-profdata reads only the binaries that it is given. */
	s->search.libraries = o->drop ? NULL : &s->libraries;
	s->search.work = &s->work;
	o->binaries = s->binaries;
	o->binary_count = s->size;
	o->maps = s->maps;
	o->map_count = s->map_count;
	o->search = &s->search;
	s->correlate = correlate_new(s->binaries, s->size, &s->search,
	    o->warn, o->warn_arg);
	if (s->correlate == NULL)
		return err_memory(err);
	s->symbolize = symbolize_new(o, err);
	return s->symbolize == NULL ? PROF_FAIL : PROF_OK;
}

/* Where the first stage emits its records. */
struct symbolizer_emit {
	struct symbolizer *s;
	correlate_emit *emit;
	void *arg;
};

static enum prof_status
symbolizer_symbolize(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	const struct symbolizer_emit *e = arg;
	struct prof_record out;
	enum prof_status status = symbolize_record(e->s->symbolize, in, &out,
	    err);

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return e->emit(e->arg, &out, err);
}

enum prof_status
symbolizer_put(void *symbolizer, const struct prof_record *in,
    correlate_emit *emit, void *arg, struct prof_error *err)
{
	struct symbolizer *s = symbolizer;
	struct symbolizer_emit e = { s, emit, arg };

	if (s->symbolize == NULL && symbolizer_begin(s, err) != PROF_OK)
		return PROF_FAIL;
	s->needed |= in->kind == PROF_REC_RAW_COUNTERS ||
	    in->kind == PROF_REC_STACK || in->kind == PROF_REC_SEGMENT ||
	    in->kind == PROF_REC_MEMPROF_FUNCTION;
	return correlate_put(s->correlate, in, symbolizer_symbolize, &e, err);
}

enum prof_status
symbolizer_finish(struct symbolizer *s, struct prof_error *err)
{
	struct prof_error unused = { 0 };

	if (s->symbolize == NULL)
		return PROF_OK;
	if (s->size != 0 && !s->needed && s->options.warn != NULL) {
		err_set(&unused, PROF_E_NONE, "nothing in the profile needs "
		    "functions of a binary");
		s->options.warn(s->options.warn_arg, &unused);
	}
	return symbolize_finish(s->symbolize, err);
}

void
symbolizer_free(struct symbolizer *s)
{
	symbolize_free(s->symbolize);
	correlate_free(s->correlate);
	libraries_free(&s->libraries);
	for (size_t i = 0; i < s->size; i++)
		binary_close(s->binaries[i]);
	free(s->binaries);
	free(s->maps);
}
