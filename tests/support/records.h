/* tests/support/records.h - compares records, for tests and fuzz targets */
#ifndef RECORDS_H
#define RECORDS_H

#include <string.h>

#include "tests/support/heap_records.h"
#include "prof.h"

static inline bool
same_numbers(const uint64_t *a, size_t a_size, const uint64_t *b,
    size_t b_size)
{
	return a_size == b_size &&
	    (a_size == 0 || memcmp(a, b, a_size * sizeof(*a)) == 0);
}

static inline bool
same_symbol(const struct prof_symbol *a, const struct prof_symbol *b)
{
	return (a->name.data == NULL) == (b->name.data == NULL) &&
	    prof_span_equal(a->name, b->name) &&
	    prof_symbol_guid(a) == prof_symbol_guid(b);
}

static inline bool
same_site(const struct prof_site *a, const struct prof_site *b)
{
	bool same = a->size == b->size;

	for (size_t i = 0; same && i < a->size; i++) {
		const struct prof_value *x = &a->values[i], *y = &b->values[i];

		same = x->value == y->value && x->count == y->count &&
		    prof_span_equal(x->name, y->name);
	}
	return same;
}

static inline bool
same_function(const struct prof_function *a, const struct prof_function *b)
{
	bool same = same_symbol(&a->symbol, &b->symbol) &&
	    a->hash == b->hash &&
	    same_numbers(a->counts, a->counts_size, b->counts,
	    b->counts_size) && prof_span_equal(a->bitmap, b->bitmap) &&
	    same_numbers(a->uniform_counts, a->uniform_size,
	    b->uniform_counts, b->uniform_size) &&
	    prof_span_equal(a->extra, b->extra);

	for (unsigned kind = 0; same && kind < PROF_VALUE_KINDS; kind++) {
		const struct prof_sites *x = &a->values[kind];
		const struct prof_sites *y = &b->values[kind];

		same = x->size == y->size;
		for (size_t i = 0; same && i < x->size; i++)
			same = same_site(&x->sites[i], &y->sites[i]);
	}
	return same;
}

static inline bool
same_trace(const struct prof_trace *a, const struct prof_trace *b)
{
	bool same = a->weight == b->weight && a->size == b->size;

	for (size_t i = 0; same && i < a->size; i++)
		same = same_symbol(&a->functions[i], &b->functions[i]);
	return same;
}

static inline bool
same_source(const struct prof_source *a, const struct prof_source *b)
{
	return prof_span_equal(a->file, b->file) &&
	    prof_span_equal(a->member, b->member) &&
	    (a->format == NULL ? b->format == NULL : b->format != NULL &&
	    strcmp(a->format, b->format) == 0) &&
	    a->version == b->version && a->endian == b->endian &&
	    a->pointer_bits == b->pointer_bits && a->offset == b->offset;
}

static inline bool
same_profile(const struct prof_header *a, const struct prof_header *b)
{
	return a->kind == b->kind && a->level == b->level &&
	    a->flags == b->flags && a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last &&
	    a->wave_size == b->wave_size &&
	    a->has_trace_stream_size == b->has_trace_stream_size &&
	    a->trace_stream_size == b->trace_stream_size &&
	    (a->inputs == 0 ? 1 : a->inputs) ==
	    (b->inputs == 0 ? 1 : b->inputs) &&
	    same_source(&a->source, &b->source) &&
	    prof_span_equal(a->extra, b->extra);
}

static inline bool
same_vtable(const struct prof_vtable *a, const struct prof_vtable *b)
{
	return same_symbol(&a->symbol, &b->symbol) &&
	    a->has_range == b->has_range && a->start == b->start &&
	    a->size == b->size;
}

static inline bool
same_raw_counters(const struct prof_raw_counters *a,
    const struct prof_raw_counters *b)
{
	return same_numbers(a->counts, a->counts_size, b->counts,
	    b->counts_size) && prof_span_equal(a->bitmap, b->bitmap);
}

static inline bool
same_record(const struct prof_record *a, const struct prof_record *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case PROF_REC_PROFILE:
		return same_profile(&a->u.profile, &b->u.profile);
	case PROF_REC_BINARY:
		return prof_span_equal(a->u.build_id, b->u.build_id);
	case PROF_REC_VTABLE:
		return same_vtable(&a->u.vtable, &b->u.vtable);
	case PROF_REC_FUNCTION:
		return same_function(&a->u.function, &b->u.function);
	case PROF_REC_RAW_COUNTERS:
		return same_raw_counters(&a->u.raw_counters,
		    &b->u.raw_counters);
	case PROF_REC_TRACE:
		return same_trace(&a->u.trace, &b->u.trace);
	case PROF_REC_SEGMENT:
		return same_segment(&a->u.segment, &b->u.segment);
	case PROF_REC_STACK:
		return same_stack(&a->u.stack, &b->u.stack);
	case PROF_REC_ALLOCATION:
		return same_allocation(&a->u.allocation, &b->u.allocation);
	case PROF_REC_MEMPROF_FUNCTION:
		return same_memprof_function(&a->u.memprof_function,
		    &b->u.memprof_function);
	case PROF_REC_DATA_ACCESS:
		return same_data_access(&a->u.data_access,
		    &b->u.data_access);
	case PROF_REC_COLD_SYMBOL:
		return same_data(&a->u.cold_symbol, &b->u.cold_symbol);
	case PROF_REC_NAME:
		return prof_span_equal(a->u.name, b->u.name);
	case PROF_REC_OTHER:
		return prof_span_equal(a->u.other, b->u.other);
	case PROF_REC_BLOCK:
		return false;
	case PROF_REC_END:
		break;
	}
	return true;
}

#endif
