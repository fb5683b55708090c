#include "model/record_names.h"

static inline uint64_t
record_names_of_sites(const struct prof_sites *sites)
{
	uint64_t size = 0;

	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		for (size_t k = 0; k < s->size; k++)
			size += s->values[k].name.size;
	}
	return size;
}

uint64_t
record_names_of_targets(const struct prof_function *f)
{
	return record_names_of_sites(&f->values[PROF_INDIRECT_CALL_TARGET]) +
	    record_names_of_sites(&f->values[PROF_VTABLE_TARGET]);
}

static uint64_t
record_names_of_trace(const struct prof_trace *t)
{
	uint64_t size = 0;

	for (size_t i = 0; i < t->size; i++)
		size += t->functions[i].name.size;
	return size;
}

/* The bytes of the names of so many frames beyond the average that is free. */
static inline uint64_t
record_names_excess(uint64_t size, size_t frames)
{
	uint64_t free = (uint64_t)frames * RECORD_FRAME_NAME;

	return size > free ? size - free : 0;
}

static uint64_t
record_names_of_stack(const struct prof_stack *s)
{
	uint64_t functions = 0, files = 0;

	for (size_t i = 0; i < s->frames_size; i++) {
		functions += s->frames[i].function.name.size;
		files += s->frames[i].file.size;
	}
	return record_names_excess(functions, s->frames_size) +
	    record_names_excess(files, s->frames_size);
}

static uint64_t
record_names_of_data(const struct prof_data_access *d)
{
	uint64_t size = 0;

	for (size_t i = 0; i < d->size; i++)
		size += d->locations[i].file.size;
	return size;
}

uint64_t
record_names_size(const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_FUNCTION:
		return record_names_of_targets(&r->u.function);
	case PROF_REC_BLOCK:
		return r->u.block.repeated_names;
	case PROF_REC_VTABLE:
		return r->u.vtable.symbol.name.size;
	case PROF_REC_TRACE:
		return record_names_of_trace(&r->u.trace);
	case PROF_REC_STACK:
		return record_names_of_stack(&r->u.stack);
	case PROF_REC_DATA_ACCESS:
		return record_names_of_data(&r->u.data_access);
	default:
		return 0;
	}
}
