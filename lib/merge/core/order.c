#include "merge/core/order.h"

#include "base/bytes.h"

/* Compares by name, or by guid if both symbols are without name. */
static int
merge_compare_symbols(const struct prof_symbol *a, const struct prof_symbol *b)
{
	int order = prof_span_compare(a->name, b->name);

	if (order != 0 || a->name.size != 0)
		return order;
	return compare_u64(prof_symbol_guid(a), prof_symbol_guid(b));
}

int
merge_compare_traces(const void *a, const void *b)
{
	const struct prof_trace *x = a, *y = b;

	for (size_t i = 0; i < x->size && i < y->size; i++) {
		int order = merge_compare_symbols(&x->functions[i],
		    &y->functions[i]);

		if (order != 0)
			return order;
	}
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return compare_u64(x->weight, y->weight);
}

int
merge_compare_records(const struct prof_record *a, const struct prof_record *b)
{
	const struct prof_function *f = &a->u.function, *g = &b->u.function;
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	if (order == 0 && a->kind == PROF_REC_FUNCTION)
		order = merge_compare_symbols(&f->symbol, &g->symbol);
	if (order == 0 && a->kind == PROF_REC_FUNCTION)
		order = compare_u64(f->hash, g->hash);
	if (order == 0 && a->kind == PROF_REC_TRACE)
		order = merge_compare_traces(&a->u.trace, &b->u.trace);
	return order;
}
