/* tests/support/heap_records.h - compares records of heap profiles */
#ifndef HEAP_RECORDS_H
#define HEAP_RECORDS_H

#include <string.h>

#include "prof.h"

static inline bool
same_segment(const struct prof_segment *a, const struct prof_segment *b)
{
	return a->id == b->id && a->has_range == b->has_range &&
	    a->file_addresses == b->file_addresses && a->start == b->start &&
	    a->end == b->end && a->offset == b->offset &&
	    prof_span_equal(a->build_id, b->build_id);
}

static inline bool
same_frame(const struct prof_frame *a, const struct prof_frame *b)
{
	return prof_span_equal(a->function.name, b->function.name) &&
	    a->function.guid == b->function.guid &&
	    prof_span_equal(a->file, b->file) && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags;
}

static inline uint64_t
segment_of(const struct prof_stack *s, size_t i)
{
	return s->segments == NULL ? PROF_NO_SEGMENT : s->segments[i];
}

static inline bool
same_stack(const struct prof_stack *a, const struct prof_stack *b)
{
	bool same = a->id == b->id && a->pcs_size == b->pcs_size &&
	    a->frames_size == b->frames_size;

	for (size_t i = 0; same && i < a->pcs_size; i++)
		same = a->pcs[i] == b->pcs[i] &&
		    segment_of(a, i) == segment_of(b, i);
	for (size_t i = 0; same && i < a->frames_size; i++)
		same = same_frame(&a->frames[i], &b->frames[i]);
	return same;
}

static inline bool
same_allocation(const struct prof_allocation *a,
    const struct prof_allocation *b)
{
	const struct prof_mib *x = &a->info, *y = &b->info;

	return a->stack == b->stack && x->fields == y->fields &&
	    memcmp(x->value, y->value, sizeof(x->value)) == 0 &&
	    (x->histogram == NULL) == (y->histogram == NULL) &&
	    (x->histogram == NULL || memcmp(x->histogram, y->histogram,
	    (size_t)x->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] *
	    sizeof(*x->histogram)) == 0);
}

static inline bool
same_call_site(const struct prof_call_site *a, const struct prof_call_site *b)
{
	return a->stack == b->stack && a->callees_size == b->callees_size &&
	    (a->callees_size == 0 || memcmp(a->callee_guids, b->callee_guids,
	    a->callees_size * sizeof(*a->callee_guids)) == 0);
}

static inline bool
same_memprof_function(const struct prof_memprof_function *a,
    const struct prof_memprof_function *b)
{
	bool same = prof_span_equal(a->symbol.name, b->symbol.name) &&
	    prof_symbol_guid(&a->symbol) == prof_symbol_guid(&b->symbol) &&
	    a->allocs_size == b->allocs_size && a->calls_size == b->calls_size;

	for (size_t i = 0; same && i < a->allocs_size; i++)
		same = same_allocation(&a->alloc_sites[i],
		    &b->alloc_sites[i]);
	for (size_t i = 0; same && i < a->calls_size; i++)
		same = same_call_site(&a->call_sites[i], &b->call_sites[i]);
	return same;
}

static inline bool
same_data(const struct prof_data *a, const struct prof_data *b)
{
	return (a->symbol.data == NULL) == (b->symbol.data == NULL) &&
	    prof_span_equal(a->symbol, b->symbol) && a->hash == b->hash;
}

static inline bool
same_data_access(const struct prof_data_access *a,
    const struct prof_data_access *b)
{
	bool same = same_data(&a->data, &b->data) && a->count == b->count &&
	    a->size == b->size;

	for (size_t i = 0; same && i < a->size; i++)
		same = prof_span_equal(a->locations[i].file,
		    b->locations[i].file) &&
		    a->locations[i].line == b->locations[i].line;
	return same;
}

#endif
