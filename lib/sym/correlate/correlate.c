/*
 * Header and build ids of a correlated profile are held back until the raw
 * counters came: the binary decides some members of the header.
 */
#include "sym/correlate/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/record_copy.h"
#include "model/releases.h"
#include "sym/correlate/match.h"

#define CORRELATED (PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED)

/* When a function was first entered, in a temporal profile. */
struct stamp {
	uint64_t time;
	struct prof_symbol symbol;
};

struct correlate {
	struct correlate_matcher matcher;
	prof_warn *warn, *each;
	void *warn_arg, *each_arg;

	/* Of the profile that is being read. */
	struct arena profile_arena;
	struct arena scratch;		/* of the record being emitted */
	struct prof_header header;
	struct prof_span *ids;
	size_t id_count, id_room;
	bool head_emitted;		/* the header and the ids */
	bool has_counters;
	struct prof_raw_counters counters;
	struct stamp *stamps;
	size_t stamp_count;
};

void
correlate_warn_each(struct correlate *c, prof_warn *each, void *arg)
{
	c->each = each;
	c->each_arg = arg;
}

/* Where records are emitted to. */
struct correlate_sink {
	correlate_emit *emit;
	void *arg;
};

struct correlate *
correlate_new(struct binary *const *binaries, size_t count,
    const struct binary_search *search, prof_warn *warn, void *warn_arg)
{
	struct correlate *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->warn = warn;
	c->warn_arg = warn_arg;
	c->head_emitted = true;
	if (!correlate_matcher_init(&c->matcher, binaries, count, search)) {
		correlate_free(c);
		return NULL;
	}
	return c;
}

static void
correlate_warn_count(const struct correlate *c, uint64_t times,
    const char *what, const struct binary *b)
{
	struct prof_error e = { 0 };
	char path[ERR_NAME_SIZE];

	if (times == 0 || c->warn == NULL)
		return;
	err_set(&e, PROF_E_UNSUPPORTED, "%s: %llu %s",
	    correlate_path(path, b), (unsigned long long)times, what);
	c->warn(c->warn_arg, &e);
}

static enum prof_status
correlate_begin(struct correlate *c, const struct prof_record *r,
    struct correlate_sink to, struct prof_error *err)
{
	arena_reset(&c->profile_arena);
	c->id_count = 0;
	c->has_counters = false;
	c->head_emitted = (r->u.profile.flags & CORRELATED) == 0;
	c->header = r->u.profile;
	if (!record_copy(&c->profile_arena, PROF_REC_PROFILE, &c->header))
		return err_memory(err);
	return c->head_emitted ? to.emit(to.arg, r, err) : PROF_OK;
}

static enum prof_status
correlate_copy_id(struct correlate *c, struct prof_span id,
    struct prof_error *err)
{
	return arena_keep(&c->profile_arena, &id) &&
	    ARRAY_ADD(c->ids, c->id_count, c->id_room, id) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
correlate_copy_counters(struct correlate *c, const struct prof_raw_counters *in,
    struct prof_error *err)
{
	if (c->has_counters)
		return err_set(err, PROF_E_CORRUPT, "a profile has raw "
		    "counters twice");
	/* Its header was emitted, but the counters decide what it says. */
	if (c->head_emitted && c->header.flags & CORRELATED)
		return err_set(err, PROF_E_UNSUPPORTED, "raw counters follow "
		    "other records of their profile");
	c->counters = *in;
	if (!record_copy(&c->profile_arena, PROF_REC_RAW_COUNTERS,
	    &c->counters))
		return err_memory(err);
	c->has_counters = true;
	return PROF_OK;
}

/* Emits the header and the ids, which come before all other records. */
static enum prof_status
correlate_emit_head(struct correlate *c, struct correlate_sink to,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile = c->header };
	enum prof_status status = to.emit(to.arg, &r, err);

	c->head_emitted = true;
	r.kind = PROF_REC_BINARY;
	for (size_t i = 0; i < c->id_count && status == PROF_OK; i++) {
		r.u.build_id = c->ids[i];
		status = to.emit(to.arg, &r, err);
	}
	return status;
}

/*
 * Sets the header as the raw reader does for a profile with data records: no
 * flag of correlation, and the versions whose hash rule the hashes may follow.
 */
static void
correlate_fix_header(struct correlate *c, const struct correlate_table *t)
{
	struct prof_header *h = &c->header;

	h->flags &= ~(unsigned)CORRELATED;
	if (h->level != PROF_LEVEL_FRONTEND)
		return;
	if (t->any_rust)
		h->frontend_first = h->frontend_last = 0;
	if (t->any_hash_flags)
		llvm_exclude_masked_hashes(h);
}

/*
 * Adds the time stamp of a function.  It is in front of the counters, in *slots
 * of the function's counters: one, or 8 with byte coverage.
 */
static enum prof_status
correlate_read_stamp(struct correlate *c, const struct correlate_known *k,
    const struct correlate_function *f, uint64_t *slots,
    struct prof_error *err)
{
	const uint64_t *p = c->counters.counts +
	    f->counters / k->layout.counter_bytes;
	uint64_t time = *p;
	uint8_t bytes[8];

	*slots = 8 / k->layout.counter_bytes;
	if (f->num_counters < *slots)
		return err_set(err, PROF_E_CORRUPT, "NumCounters %llu has no "
		    "room for a time stamp",
		    (unsigned long long)f->num_counters);
	if (*slots == 8) {
		for (size_t i = 0; i < 8; i++)
			bytes[i] = (uint8_t)p[i];
		time = load_u64(bytes, k->layout.big);
	}
	/* 0 is never; so is 2^64-1, since coverage bytes start as 0xFF. */
	if (time != 0 && time != UINT64_MAX)
		c->stamps[c->stamp_count++] = (struct stamp){ time,
		    f->symbol };
	return PROF_OK;
}

/*
 * Counts of coverage bytes, which start as 0xFF and are cleared when their code
 * runs.  NULL: out of memory.
 */
static const uint64_t *
correlate_executed(struct correlate *c, const uint64_t *bytes, size_t n)
{
	uint64_t *counts = arena_array(&c->scratch, n, sizeof(*counts));

	for (size_t i = 0; i < n && counts != NULL; i++)
		counts[i] = bytes[i] == 0;
	return counts;
}

static enum prof_status
correlate_emit_function(struct correlate *c, const struct correlate_known *k,
    const struct correlate_function *f, struct correlate_sink to,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_FUNCTION };
	struct prof_function *out = &r.u.function;
	uint64_t stamp = 0;

	arena_reset(&c->scratch);
	if (c->header.flags & PROF_TEMPORAL &&
	    correlate_read_stamp(c, k, f, &stamp, err) != PROF_OK)
		return PROF_FAIL;
	out->symbol = f->symbol;
	out->hash = f->hash;
	out->counts_size = (size_t)(f->num_counters - stamp);
	out->counts = c->counters.counts +
	    f->counters / k->layout.counter_bytes + stamp;
	if (k->layout.counter_bytes == 1) {
		out->counts = correlate_executed(c, out->counts,
		    out->counts_size);
		if (out->counts == NULL)
			return err_memory(err);
	}
	if (f->num_bitmap != 0)
		out->bitmap = (struct prof_span){
		    c->counters.bitmap.data + f->bitmap,
		    (size_t)f->num_bitmap };
	return to.emit(to.arg, &r, err);
}

static int
correlate_compare_stamps(const void *a, const void *b)
{
	const struct stamp *x = a, *y = b;
	uint64_t m, n;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	m = prof_symbol_guid(&x->symbol);
	n = prof_symbol_guid(&y->symbol);
	return (m > n) - (m < n);
}

/* Emits the functions that were entered, in order of their time stamps. */
static enum prof_status
correlate_emit_trace(struct correlate *c, struct correlate_sink to,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_TRACE };
	struct prof_symbol *functions;

	if (c->stamp_count == 0)
		return PROF_OK;
	functions = arena_array(&c->profile_arena, c->stamp_count,
	    sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	qsort(c->stamps, c->stamp_count, sizeof(*c->stamps),
	    correlate_compare_stamps);
	for (size_t i = 0; i < c->stamp_count; i++)
		functions[i] = c->stamps[i].symbol;
	r.u.trace = (struct prof_trace){ 1, functions, c->stamp_count };
	return to.emit(to.arg, &r, err);
}

static void
correlate_warn_once(struct correlate *c, struct correlate_known *k)
{
	const struct correlate_table *t = &k->table;

	if (k->warned)
		return;
	k->warned = true;
	correlate_warn_count(c, t->nameless, "functions have no name",
	    k->binary);
	correlate_warn_count(c, t->outside, "functions have no counters in it: "
	    "left out", k->binary);
	correlate_warn_count(c, t->incomplete, "functions are incomplete in "
	    "the debug info: left out", k->binary);
	correlate_warn_count(c, t->split_missing, "units have their functions "
	    "in .dwo files that are missing: left out", k->binary);
	if (t->no_bitmaps)
		correlate_warn_count(c, c->counters.bitmap.size, "bytes of "
		    "MC/DC bitmaps are left out: debug info does not say which "
		    "functions they belong to", k->binary);
}

/* Raw counters of byte coverage are the bytes of the file. */
static enum prof_status
correlate_check_bytes(const struct correlate *c, struct prof_error *err)
{
	for (size_t i = 0; i < c->counters.counts_size; i++) {
		if (c->counters.counts[i] > UINT8_MAX)
			return err_set(err, PROF_E_CORRUPT, "raw counter %llu "
			    "exceeds 255, the largest byte of coverage",
			    (unsigned long long)c->counters.counts[i]);
	}
	return PROF_OK;
}

/* Emits header, ids, and the functions that the counters are of. */
static enum prof_status
correlate_emit_functions(struct correlate *c, struct correlate_sink to,
    struct prof_error *err)
{
	const struct correlate_wanted w = { .header = &c->header,
	    .ids = c->ids, .id_count = c->id_count,
	    .counts_size = c->counters.counts_size,
	    .bitmap_size = c->counters.bitmap.size,
	    .each = c->each, .each_arg = c->each_arg };
	struct correlate_known *k = correlate_match(&c->matcher, &w, err);

	c->has_counters = false;
	if (k == NULL || (c->header.flags & PROF_BYTE_COVERAGE &&
	    correlate_check_bytes(c, err) != PROF_OK))
		return PROF_FAIL;
	correlate_warn_once(c, k);
	correlate_fix_header(c, &k->table);
	if (!c->head_emitted && correlate_emit_head(c, to, err) != PROF_OK)
		return PROF_FAIL;
	c->stamp_count = 0;
	c->stamps = arena_array(&c->profile_arena, k->table.size,
	    sizeof(*c->stamps));
	if (c->stamps == NULL)
		return err_memory(err);
	for (size_t i = 0; i < k->table.size; i++) {
		if (correlate_emit_function(c, k, &k->table.functions[i], to,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return correlate_emit_trace(c, to, err);
}

/* Emits what was held back. */
static enum prof_status
correlate_flush(struct correlate *c, struct correlate_sink to,
    struct prof_error *err)
{
	if (c->has_counters)
		return correlate_emit_functions(c, to, err);
	return c->head_emitted ? PROF_OK : correlate_emit_head(c, to, err);
}

enum prof_status
correlate_put(struct correlate *c, const struct prof_record *r,
    correlate_emit *emit, void *arg, struct prof_error *err)
{
	const struct correlate_sink to = { emit, arg };

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return correlate_begin(c, r, to, err);
	case PROF_REC_RAW_COUNTERS:
		return correlate_copy_counters(c, &r->u.raw_counters, err);
	case PROF_REC_BINARY:
		if (correlate_copy_id(c, r->u.build_id, err) != PROF_OK)
			return PROF_FAIL;
		if (!c->head_emitted)
			return PROF_OK;
		break;
	default:
		if (correlate_flush(c, to, err) != PROF_OK)
			return PROF_FAIL;
		break;
	}
	return emit(arg, r, err);
}

void
correlate_free(struct correlate *c)
{
	if (c == NULL)
		return;
	correlate_matcher_free(&c->matcher);
	arena_free(&c->profile_arena);
	arena_free(&c->scratch);
	free(c->ids);
	free(c);
}
