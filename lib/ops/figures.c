#include "ops/figures.h"

#include <string.h>

#include "model/record.h"
#include "model/value_sites.h"

bool
name_hashes_add(struct name_hashes *n, enum prof_level level,
    const struct prof_function *f)
{
	const struct prof_span name = f->symbol.name;
	bool cs = record_context_sensitive(level, f->hash);

	n->next = !(n->any[0] || n->any[1]) || !prof_span_equal(name,
	    buf_span(&n->name)) || (name.data == NULL &&
	    f->symbol.guid != n->guid);
	if (n->next) {
		memset(n->any, 0, sizeof(n->any));
		memset(n->several, 0, sizeof(n->several));
		n->name.size = 0;
		buf_put(&n->name, name.data, name.size);
		n->guid = f->symbol.guid;
	}
	if (!n->any[cs])
		n->first[cs] = f->hash;
	else if (n->first[cs] != f->hash && !n->several[cs]) {
		n->names += !n->several[!cs];
		n->several[cs] = true;
	}
	n->any[cs] = true;
	return n->several[cs];
}

void
name_hashes_free(struct name_hashes *n)
{
	buf_free(&n->name);
	*n = (struct name_hashes){ .names = 0 };
}

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
	g->context_sensitive += record_context_sensitive(h->level, f->hash);
	name_hashes_add(&g->hashes, h->level, f);
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
	return !g->summary.failed && !g->hashes.name.failed;
}

void
figures_free(struct figures *g)
{
	summary_free(&g->summary);
	name_hashes_free(&g->hashes);
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
