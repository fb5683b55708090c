#include "ops/heap/view.h"

#include "model/mib.h"

/*
 * Defaults of the options -memprof-lifetime-access-density-cold-threshold,
 * -memprof-ave-lifetime-cold-threshold (200 s, here in ms) and
 * -memprof-min-ave-lifetime-access-density-hot-threshold in MemProfCommon.cpp.
 */
static const float cold_density = 0.05f, cold_lifetime = 200 * 1000,
    hot_density = 1000;

/*
 * Densities are stored times 100.  LLVM computes in single precision; the casts
 * round so on hosts that compute with more bits.
 */
enum heap_class
heap_classify(const struct prof_mib *m, bool hot)
{
	float allocs = (float)m->value[PROF_MIB_ALLOC_COUNT];
	float density, lifetime;

	if (!mib_has(m, PROF_MIB_ALLOC_COUNT) ||
	    !mib_has(m, PROF_MIB_TOTAL_LIFETIME) ||
	    !mib_has(m, PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY))
		return HEAP_UNKNOWN;
	if (m->value[PROF_MIB_ALLOC_COUNT] == 0)
		return HEAP_WARM;
	density = (float)
	    ((float)m->value[PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY] / allocs);
	density = (float)(density / 100);
	lifetime = (float)((float)m->value[PROF_MIB_TOTAL_LIFETIME] / allocs);
	if (density < cold_density && lifetime >= cold_lifetime)
		return HEAP_COLD;
	return hot && density > hot_density ? HEAP_HOT : HEAP_WARM;
}

static void
heap_figures_sum(uint64_t *sum, uint64_t n)
{
	if (!add_u64(*sum, n, sum))
		*sum = UINT64_MAX;
}

void
heap_figures_add(struct heap_figures *g, const struct heap_context *c,
    bool hot)
{
	enum heap_class class = heap_classify(&c->info, hot);
	uint64_t bytes = c->info.value[PROF_MIB_TOTAL_SIZE];

	g->contexts++;
	for (int i = 0; i < HEAP_VALUES; i++) {
		heap_figures_sum(&g->values[i], c->info.value[heap_fields[i]]);
		g->known[i] = g->known[i] || mib_has(&c->info, heap_fields[i]);
	}
	g->class_contexts[class]++;
	heap_figures_sum(&g->class_bytes[class], bytes);
	if (bytes > g->class_max[class])
		g->class_max[class] = bytes;
}

struct heap_figures
heap_figures_of(const struct heap *h, bool hot)
{
	struct heap_figures g = { .contexts = 0 };

	for (size_t i = 0; i < h->contexts_size; i++)
		heap_figures_add(&g, &h->contexts[i], hot);
	return g;
}

double
heap_average_lifetime(const struct heap_figures *g)
{
	if (g->values[HEAP_COUNT] == 0)
		return 0;
	return (double)g->values[HEAP_LIFETIME] /
	    (double)g->values[HEAP_COUNT];
}
