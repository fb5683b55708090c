#include "ops/figures.h"

#include "model/value_sites.h"

static void
figures_add_function(struct figures *g, const struct prof_header *h,
    const struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_site *site;
	uint64_t zeros = 0;

	g->functions++;
	g->pseudo_functions += prof_is_pseudo(f);
	for (size_t i = 0; i < f->counts_size && !prof_is_pseudo(f); i++)
		zeros += f->counts[i] == 0;
	g->zero_counters += zeros;
	g->zero_functions += zeros == f->counts_size && zeros != 0;
	/* InstrProf.h, NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH. */
	if (h->level == PROF_LEVEL_IR && f->hash >> 60 & 1)
		g->context_sensitive++;
	if (f->symbol.name.data == NULL)
		g->nameless++;
	g->bitmap_bytes += f->bitmap.size;
	while ((site = value_next_site(&walk, f->values)) != NULL) {
		g->sites[walk.kind]++;
		g->values[walk.kind] += site->size;
	}
	summary_add(&g->summary, f->counts, f->counts_size,
	    SUMMARY_SKIP_RECORD);
}

bool
figures_add(struct figures *g, const struct prof_header *h,
    const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_FUNCTION:
		figures_add_function(g, h, &r->u.function);
		break;
	case PROF_REC_RAW_COUNTERS:
		g->raw_counters += r->u.raw_counters.counts_size;
		break;
	case PROF_REC_BINARY:
		g->binary_ids++;
		break;
	case PROF_REC_VTABLE:
		g->vtables++;
		break;
	case PROF_REC_TRACE:
		g->traces++;
		break;
	case PROF_REC_DATA_ACCESS:
		g->data_accesses++;
		break;
	case PROF_REC_COLD_SYMBOL:
		if (r->u.cold_symbol.symbol.data != NULL)
			g->cold_symbols++;
		else
			g->cold_literals++;
		break;
	default:
		break;
	}
	return !g->summary.failed;
}

void
figures_free(struct figures *g)
{
	summary_free(&g->summary);
	*g = (struct figures){ .functions = 0 };
}

uint64_t
figures_max_count(const struct prof_function *f)
{
	uint64_t max = 0;

	for (size_t i = 0; i < f->counts_size; i++) {
		if (f->counts[i] > max)
			max = f->counts[i];
	}
	return max;
}
