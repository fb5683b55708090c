#include "ops/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "model/heap.h"
#include "model/mib.h"

static enum prof_status
check_refs_add(struct check_refs *c, const struct prof_record *r,
    struct prof_error *err)
{
	bool late = c->has_counted;

	c->has_counted = r->kind != PROF_REC_PROFILE &&
	    (late || r->kind != PROF_REC_BINARY);
	switch (r->kind) {
	case PROF_REC_PROFILE:
		c->heap.strict = true;
		heap_refs_begin(&c->heap, r->u.profile.inputs);
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		return !late ? PROF_OK : err_set(err, PROF_E_CORRUPT,
		    "raw_counters after records that must follow them");
	default:
		return heap_refs_check(&c->heap, r, err);
	}
}

/* Each minimum with its maximum (MIBEntryDef.inc). */
static const uint8_t check_min_max[][2] = {
	{ PROF_MIB_MIN_ACCESS_COUNT, PROF_MIB_MAX_ACCESS_COUNT },
	{ PROF_MIB_MIN_SIZE, PROF_MIB_MAX_SIZE },
	{ PROF_MIB_MIN_LIFETIME, PROF_MIB_MAX_LIFETIME },
	{ PROF_MIB_MIN_ACCESS_DENSITY, PROF_MIB_MAX_ACCESS_DENSITY },
	{ PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY,
	    PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY },
};

/* The product, or UINT64_MAX if it is larger. */
static uint64_t
check_product(uint64_t a, uint64_t b)
{
	uint64_t p;

	return mul_u64(a, b, &p) ? p : UINT64_MAX;
}

/*
 * Whether TotalSize fits AllocCount, MinSize and MaxSize: one allocation has
 * the smallest size, and one the largest.  Totals of lifetimes and accesses are
 * not checked: they wrap in real runs (MemProfData.inc, MemInfoBlock::Merge).
 */
static bool
check_total_possible(const struct prof_mib *m)
{
	uint64_t count = m->value[PROF_MIB_ALLOC_COUNT];
	uint64_t total = m->value[PROF_MIB_TOTAL_SIZE];
	bool has_min = mib_has(m, PROF_MIB_MIN_SIZE);
	bool has_max = mib_has(m, PROF_MIB_MAX_SIZE);
	uint64_t min = has_min ? m->value[PROF_MIB_MIN_SIZE] : 0;
	uint64_t max = has_max ? m->value[PROF_MIB_MAX_SIZE] : UINT64_MAX;

	if (!mib_has(m, PROF_MIB_ALLOC_COUNT) ||
	    !mib_has(m, PROF_MIB_TOTAL_SIZE) || count == 0 || min > max)
		return true;
	return total >= saturating_add(check_product(min, count - 1),
	    has_max ? max : min) &&
	    total <= saturating_add(check_product(max, count - 1),
	    has_min ? min : max);
}

/* Counts what is suspicious about the statistics of one context. */
static void
check_mib(struct check *c, const struct prof_mib *m)
{
	bool ordered = true;

	for (size_t i = 0; i < sizeof(check_min_max) / sizeof(check_min_max[0]);
	    i++) {
		unsigned min = check_min_max[i][0], max = check_min_max[i][1];

		if (mib_has(m, min) && mib_has(m, max) &&
		    m->value[min] > m->value[max])
			ordered = false;
	}
	c->mib_faults[CHECK_MIN_MAX] += !ordered;
	c->mib_faults[CHECK_TOTAL] += !check_total_possible(m);
	c->mib_faults[CHECK_NO_ALLOCATIONS] += mib_has(m,
	    PROF_MIB_ALLOC_COUNT) && m->value[PROF_MIB_ALLOC_COUNT] == 0;
}

static void
check_begin_profile(struct check *c, const struct prof_header *h)
{
	/* The reader of raw profiles warns of huge counters by itself. */
	c->huge_reported = h->source.format != NULL &&
	    strcmp(h->source.format, "raw") == 0;
	c->level = h->level;
	c->byte_coverage = (h->flags & PROF_BYTE_COVERAGE) != 0;
	c->salvaged += (h->flags & PROF_SALVAGED) != 0;
	if (c->profiles++ != 0)
		return;
	c->header = *h;
	c->header.extra = (struct prof_span){ NULL, 0 };
	c->header.source.file = c->header.source.member = c->header.extra;
	c->header.source.format = NULL;
	if (h->source.format != NULL)
		snprintf(c->format, sizeof(c->format), "%s",
		    h->source.format);
}

static void
check_add_function(struct check *c, const struct prof_function *f)
{
	bool huge = false, saturated = false;

	name_hashes_add(&c->hashes, c->level, f);
	c->functions++;
	c->counters += f->counts_size;
	if (prof_is_pseudo(f)) {
		c->pseudo++;
		return;
	}
	for (size_t i = 0; i < f->counts_size; i++) {
		c->nonzero += f->counts[i] != 0;
		saturated = saturated || f->counts[i] >= PROF_COUNT_MAX;
		huge = huge || f->counts[i] > PROF_COUNT_PLAUSIBLE;
	}
	c->saturated += saturated && !c->huge_reported;
	c->huge += huge && !saturated && !c->huge_reported;
}

enum prof_status
check_add(struct check *c, const struct prof_record *r,
    struct prof_error *err)
{
	const struct prof_memprof_function *f = &r->u.memprof_function;
	const struct prof_raw_counters *raw = &r->u.raw_counters;

	if (check_refs_add(&c->refs, r, err) != PROF_OK)
		return PROF_FAIL;
	switch (r->kind) {
	case PROF_REC_PROFILE:
		check_begin_profile(c, &r->u.profile);
		break;
	case PROF_REC_BINARY:
		if (intern_add(&c->binary_ids, r->u.build_id.data,
		    r->u.build_id.size) == INDEX_NONE)
			return err_memory(err);
		break;
	case PROF_REC_SEGMENT:
		if (r->u.segment.build_id.size != 0 &&
		    intern_add(&c->binary_ids, r->u.segment.build_id.data,
		    r->u.segment.build_id.size) == INDEX_NONE)
			return err_memory(err);
		break;
	case PROF_REC_FUNCTION:
		check_add_function(c, &r->u.function);
		if (c->hashes.name.failed)
			return err_memory(err);
		break;
	case PROF_REC_RAW_COUNTERS:
		c->raw_counters += raw->counts_size;
		/* A coverage byte is cleared when its code runs. */
		for (size_t i = 0; i < raw->counts_size; i++)
			c->raw_nonzero += (raw->counts[i] != 0) !=
			    c->byte_coverage;
		break;
	case PROF_REC_ALLOCATION:
		c->contexts++;
		check_mib(c, &r->u.allocation.info);
		break;
	case PROF_REC_MEMPROF_FUNCTION:
		c->heap_functions++;
		c->contexts += f->allocs_size;
		for (size_t i = 0; i < f->allocs_size; i++)
			check_mib(c, &f->alloc_sites[i].info);
		break;
	case PROF_REC_DATA_ACCESS:
		c->data_accesses++;
		break;
	default:
		break;
	}
	return PROF_OK;
}

/* Where warnings go. */
struct check_output {
	prof_warn *warn;
	void *arg;
};

static void __attribute__((format(printf, 2, 3)))
check_warn(const struct check_output *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_report(t->warn, t->arg, (struct prof_error){ 0 }, format, ap);
	va_end(ap);
}

static void
check_report_empty(const struct check *c, const struct check_output *t)
{
	uint64_t heap = c->contexts + c->heap_functions + c->data_accesses;

	if (c->profiles == 0)
		check_warn(t, "there is no profile");
	else if (c->functions + c->raw_counters + heap == 0)
		check_warn(t, c->header.kind == PROF_MEMPROF ?
		    "there are no allocations" : "there are no functions");
	else if (c->functions != 0 && c->nonzero + c->pseudo == 0)
		check_warn(t, "all counters are 0: %" PRIu64 ", functions: %"
		    PRIu64, c->counters, c->functions);
	else if (c->raw_counters != 0 && c->raw_nonzero == 0)
		check_warn(t, "all counters are 0: %" PRIu64, c->raw_counters);
}

static void
check_report_mibs(const struct check *c, const struct check_output *t)
{
	static const char *const what[CHECK_MIB_FAULTS] = {
		[CHECK_NO_ALLOCATIONS] = "no allocation",
		[CHECK_MIN_MAX] = "a minimum above its maximum",
		[CHECK_TOTAL] = "a total size that minimum or maximum rule out",
	};

	for (int i = 0; i < CHECK_MIB_FAULTS; i++) {
		if (c->mib_faults[i] != 0)
			check_warn(t, "heap contexts with %s: %" PRIu64
			    " of %" PRIu64, what[i], c->mib_faults[i],
			    c->contexts);
	}
}

void
check_end(const struct check *c, prof_warn *warn, void *arg)
{
	const struct check_output t = { warn, arg };

	check_report_empty(c, &t);
	if (c->huge != 0)
		check_warn(&t, "functions with counters above 2^56, wrapped or "
		    "overwritten: %" PRIu64, c->huge);
	if (c->saturated != 0)
		check_warn(&t, "functions with counters at the largest value: "
		    "%" PRIu64 ": too many runs were added up, or they "
		    "wrapped", c->saturated);
	if (c->hashes.names != 0)
		check_warn(&t, "names of functions with several hashes: %"
		    PRIu64 ": profiles of different builds were mixed "
		    "(prof-show --list mismatched)", c->hashes.names);
	if (c->salvaged != 0)
		check_warn(&t, "salvaged profiles, which are incomplete: %"
		    PRIu64, c->salvaged);
	check_report_mibs(c, &t);
}

void
check_reset(struct check *c)
{
	intern_free(&c->binary_ids);
	name_hashes_free(&c->hashes);
	heap_refs_free(&c->refs.heap);
	*c = (struct check){ .profiles = 0 };
}
