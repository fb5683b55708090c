/*
 * Correlated profiles: counters become functions.  Header and build ids of a
 * profile are held back until the raw counters came: the binary decides some
 * members of the header.
 */
#include "sym/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/record.h"
#include "model/releases.h"
#include "sym/sym.h"

#define CORRELATED (PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED)

/* The table of a binary for profiles of one layout. */
struct correlate_known {
	struct binary *binary;
	bool by_debug_info;		/* not by records */
	bool warned;			/* of what is left out */
	struct correlate_table table;
	struct prof_error failure;	/* why there is no table, or none */
};

/* A binary, and the tables that were made of it. */
struct correlate_binary {
	struct binary *binary;
	bool found;			/* by search: owned */
	bool sections_read;		/* the members below, of the file */
	struct correlate_range counters, bitmap;
	bool has_records;		/* contents of __llvm_covdata */
	struct prof_error unreadable;	/* why there are no ranges, or none */
	struct correlate_known *known;
	size_t size, room;
};

/* When a function was first entered, in a temporal profile. */
struct stamp {
	uint64_t time;
	struct prof_symbol symbol;
};

struct correlate {
	struct correlate_binary *binaries;
	size_t size, room;
	const struct binary_search *search;
	prof_warn *warn;
	void *warn_arg;
	correlate_emit *emit;		/* while a record is put */
	void *emit_arg;

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

/* The end of a binary's path, with the file name, says most in messages. */
static const char *
correlate_path(char buf[ERR_NAME_SIZE], const struct binary *b)
{
	const char *path = binary_path(b);
	size_t size = strlen(path);

	if (size >= ERR_NAME_SIZE)
		path += size - (ERR_NAME_SIZE - 1);
	return err_name(buf, span_of_text(path));
}

/* Sets the error with the binary's path in front, as errors of binary.h. */
static enum prof_status
correlate_err(const struct binary *b, const struct prof_error *why,
    struct prof_error *err)
{
	char path[ERR_NAME_SIZE];

	return err_set(err, why->code, "%s: %s", correlate_path(path, b),
	    why->reason);
}

struct correlate *
correlate_new(struct binary *const *binaries, size_t count,
    const struct binary_search *search, prof_warn *warn, void *warn_arg)
{
	struct correlate *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->warn = warn;
	c->warn_arg = warn_arg;
	c->search = search;
	c->head_emitted = true;
	c->room = count + 1;
	c->binaries = calloc(c->room, sizeof(*c->binaries));
	if (c->binaries == NULL) {
		correlate_free(c);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		c->binaries[c->size++].binary = binaries[i];
	return c;
}

void
correlate_free(struct correlate *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->size; i++) {
		struct correlate_binary *b = &c->binaries[i];

		for (size_t j = 0; j < b->size; j++)
			correlate_table_free(&b->known[j].table);
		free(b->known);
		if (b->found)
			binary_close(b->binary);
	}
	free(c->binaries);
	arena_free(&c->profile_arena);
	arena_free(&c->scratch);
	free(c->ids);
	free(c);
}

/*
 * Searches for the sections of a binary once, since there may be many profiles,
 * and many sections.
 */
static enum prof_status
correlate_read_sections(struct correlate_binary *c, struct prof_error *err)
{
	const struct {
		const char *name;
		struct correlate_range *range;
	} rows[] = {
		{ "__llvm_prf_cnts", &c->counters },
		{ "__llvm_prf_bits", &c->bitmap }
	};
	struct prof_error why = { 0 };
	struct binary_section s;
	enum prof_status status;

	if (c->unreadable.code != PROF_E_NONE)
		return err_repeat(err, &c->unreadable);
	if (c->sections_read)
		return PROF_OK;
	for (size_t i = 0; i < 2; i++) {
		status = binary_section(c->binary, rows[i].name, &s, &why);
		if (status == PROF_OK)
			*rows[i].range = (struct correlate_range){ s.address,
			    s.size };
		if (status != PROF_FAIL)
			continue;
		if (!err_is_lack(why.code))
			c->unreadable = why;
		return err_repeat(err, &why);
	}
	status = binary_section(c->binary, "__llvm_covdata", &s, &why);
	if (err_is_lack(why.code))
		return err_repeat(err, &why);
	c->has_records = status == PROF_OK && s.data.data != NULL;
	c->sections_read = true;
	return PROF_OK;
}

/* PROF_E_MISMATCH if the profile cannot be of a binary with these sections. */
static enum prof_status
correlate_check_binary(const struct correlate *c,
    const struct correlate_binary *b, struct prof_error *err)
{
	const struct prof_source *s = &c->header.source;
	const uint8_t bits = b->binary->pointer_bits;
	const struct {
		const char *name;
		uint64_t size, wanted;
	} rows[] = {
		{ "__llvm_prf_cnts", b->counters.size, c->counters.counts_size *
		    (c->header.flags & PROF_BYTE_COVERAGE ? 1u : 8u) },
		{ "__llvm_prf_bits", b->bitmap.size, c->counters.bitmap.size }
	};

	if (s->pointer_bits != 0 && s->pointer_bits != bits)
		return err_set(err, PROF_E_MISMATCH, "a binary of %d bits, but "
		    "the profile has %d", bits, s->pointer_bits);
	if (s->endian != 0 && s->endian != (b->binary->big_endian ? 'b' : 'l'))
		return err_set(err, PROF_E_MISMATCH, "byte order differs from "
		    "that of the profile");
	for (size_t i = 0; i < 2; i++) {
		if (rows[i].size == rows[i].wanted)
			continue;
		if (rows[i].size == 0)
			return err_set(err, PROF_E_MISMATCH, "there is no "
			    "section %s", rows[i].name);
		return err_set(err, PROF_E_MISMATCH, "section %s has %llu "
		    "bytes, but the profile has %llu", rows[i].name,
		    ull(rows[i].size), ull(rows[i].wanted));
	}
	return PROF_OK;
}

static enum prof_status
correlate_err_no_functions(const struct binary *b, struct prof_error *err)
{
	char path[ERR_NAME_SIZE];

	return err_set(err, PROF_E_MISMATCH, "%s: neither a section "
	    "__llvm_covdata nor debug information assigns the counters to "
	    "functions", correlate_path(path, b));
}

/*
 * Makes the table of data records (-profile-correlate=binary, LLVM 18 and
 * later) or, if there are none, of debug information.  by_debug_info: the
 * profile has the flag of debug-info correlation, which also binaries with
 * __llvm_covdata may have; binary correlation has no flag.
 */
static enum prof_status
correlate_read_table(struct correlate_known *k, struct prof_error *err)
{
	struct binary_section records, names;
	enum prof_status status = PROF_END;
	struct prof_error why = { 0 };
	Dwarf *dwarf;

	if (!k->by_debug_info)
		status = binary_section(k->binary, "__llvm_covdata", &records,
		    err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_OK && records.data.data != NULL) {
		status = binary_section(k->binary, "__llvm_covnames", &names,
		    err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_END || names.data.size == 0)
			err_set(&why, PROF_E_CORRUPT, "there is a section "
			    "__llvm_covdata, but none with names, "
			    "__llvm_covnames");
		else if (correlate_records(&k->table, records.data, names.data,
		    &why) == PROF_OK)
			return PROF_OK;
		return correlate_err(k->binary, &why, err);
	}
	dwarf = binary_dwarf(k->binary, &why);
	if (dwarf == NULL && why.code == PROF_E_UNSUPPORTED &&
	    !k->by_debug_info)
		return correlate_err_no_functions(k->binary, err);
	if (dwarf == NULL)
		return err_repeat(err, &why);
	if (correlate_dwarf(&k->table, dwarf, &why) != PROF_OK)
		return correlate_err(k->binary, &why, err);
	return PROF_OK;
}

/*
 * The table of a binary for the profile, which is made once for each layout; a
 * failure is stored, too, so that a binary is not read for each profile.  But
 * it is not stored for versions without records, of which there may be many.
 * NULL: there is no table.
 */
static struct correlate_known *
correlate_known_table(struct correlate *c, struct correlate_binary *b,
    struct prof_error *err)
{
	struct binary *binary = b->binary;
	struct correlate_known *known, k = { .binary = binary,
	    .by_debug_info = c->header.flags & PROF_DEBUG_INFO_CORRELATED,
	    .table = { .counters = b->counters, .bitmap = b->bitmap,
	    .version = c->header.source.version,
	    .pointer_bytes = binary->pointer_bits / 8u,
	    .counter_bytes = c->header.flags & PROF_BYTE_COVERAGE ? 1 : 8,
	    .big = binary->big_endian, .work = binary->file.work } };

	/* Versions differ in records only. */
	if (k.by_debug_info || !b->has_records)
		k.table.version = 0;
	for (size_t i = 0; i < b->size; i++) {
		known = &b->known[i];
		if (known->table.version != k.table.version ||
		    known->table.counter_bytes != k.table.counter_bytes ||
		    known->by_debug_info != k.by_debug_info)
			continue;
		if (known->failure.code == PROF_E_NONE)
			return known;
		err_repeat(err, &known->failure);
		return NULL;
	}
	if (correlate_read_table(&k, &k.failure) == PROF_OK &&
	    k.table.size == 0)
		correlate_err_no_functions(binary, &k.failure);
	err_if_memory(PROF_OK, &k.failure);
	if (k.failure.code != PROF_E_NONE) {
		correlate_table_free(&k.table);
		k.table.functions = NULL;
		k.table.names = (struct names){ 0 };
		err_repeat(err, &k.failure);
	}
	if (err_is_lack(k.failure.code) || k.failure.code == PROF_E_VERSION)
		return NULL;
	if (!ARRAY_ADD(b->known, b->size, b->room, k)) {
		correlate_table_free(&k.table);
		err_memory(err);
		return NULL;
	}
	return k.failure.code != PROF_E_NONE ? NULL : &b->known[b->size - 1];
}

/* The table of a binary that fits the profile; NULL if not, or none is made. */
static struct correlate_known *
correlate_try(struct correlate *c, struct correlate_binary *b,
    struct prof_error *first)
{
	struct correlate_known *k = NULL;
	struct prof_error e = { 0 }, why = { 0 };

	if (correlate_read_sections(b, &e) == PROF_OK) {
		if (correlate_check_binary(c, b, &why) == PROF_OK)
			k = correlate_known_table(c, b, &e);
		else
			correlate_err(b->binary, &why, &e);
	}
	/* If it became shorter meanwhile, that is the cause of the failure. */
	if (binary_check_whole(b->binary, first) != PROF_OK)
		return NULL;
	if (k == NULL)
		err_repeat(first, &e);
	return k;
}

/*
 * Searches for a binary by the build ids; PROF_END if there is none.  One that
 * cannot be read matters if there is no other.
 */
static enum prof_status
correlate_search(struct correlate *c, struct prof_error *err)
{
	struct binary *b = NULL;
	struct prof_error first = { 0 };
	enum prof_status status = PROF_END;

	for (size_t i = 0; i < c->id_count && status != PROF_OK; i++) {
		struct prof_error e = { 0 };

		status = binary_find(c->ids[i], c->search, &b, &e);
		if (err_is_lack(e.code))
			return err_repeat(err, &e);
		if (status == PROF_FAIL)
			err_repeat(&first, &e);
	}
	if (status != PROF_OK)
		return first.code == PROF_E_NONE ? PROF_END :
		    err_repeat(err, &first);
	if (ARRAY_ADD(c->binaries, c->size, c->room,
	    (struct correlate_binary){ .binary = b, .found = true }))
		return PROF_OK;
	binary_close(b);
	return err_memory(err);
}

/*
 * The first binary with one of the build ids that fits: a program and its debug
 * file have the same build id, and only one of them may have what is needed.
 */
static struct correlate_known *
correlate_by_id(struct correlate *c, struct prof_error *err)
{
	char wanted[ID_TEXT_SIZE], own[ID_TEXT_SIZE], path[ERR_NAME_SIZE];
	struct correlate_known *k = NULL;
	struct prof_error first = { 0 };
	enum prof_status status;
	const struct binary *b;

	for (size_t i = 0; i < c->size; i++) {
		struct prof_span id = c->binaries[i].binary->build_id;

		for (size_t j = 0; j < c->id_count && k == NULL; j++) {
			if (id.size == 0 || !prof_span_equal(id, c->ids[j]))
				continue;
			k = correlate_try(c, &c->binaries[i], &first);
			break;
		}
	}
	if (k == NULL && first.code == PROF_E_NONE) {
		status = correlate_search(c, err);
		if (status == PROF_FAIL)
			return NULL;
		if (status == PROF_OK)
			k = correlate_try(c, &c->binaries[c->size - 1], &first);
	}
	if (k == NULL && first.code != PROF_E_NONE)
		err_repeat(err, &first);
	if (k != NULL || first.code != PROF_E_NONE)
		return k;
	module_id_text(wanted, c->ids[0]);
	b = c->binaries[0].binary;
	if (c->size != 1)
		err_set(err, PROF_E_MISMATCH, "no binary has the build id %s "
		    "of the profile", wanted);
	else if (b->build_id.size == 0)
		err_set(err, PROF_E_MISMATCH, "%s has no build id, the profile "
		    "has %s", correlate_path(path, b), wanted);
	else
		err_set(err, PROF_E_MISMATCH, "%s has the build id %s, the "
		    "profile has %s", correlate_path(path, b),
		    module_id_text(own, b->build_id), wanted);
	return NULL;
}

/* For a profile without ids: the only binary with as many counters. */
static struct correlate_known *
correlate_by_size(struct correlate *c, struct prof_error *err)
{
	char path[ERR_NAME_SIZE], other[ERR_NAME_SIZE];
	struct correlate_known *match = NULL, *k;
	struct prof_error first = { 0 };
	struct prof_span id;

	for (size_t i = 0; i < c->size; i++) {
		k = correlate_try(c, &c->binaries[i], &first);
		if (k == NULL)
			continue;
		if (match == NULL) {
			match = k;
			continue;
		}
		/* A program and its debug file have one build id. */
		id = match->binary->build_id;
		if (id.size == 0 ||
		    !prof_span_equal(id, k->binary->build_id)) {
			err_set(err, PROF_E_MISMATCH, "the profile has no "
			    "build id, and both %s and %s have its number of "
			    "counters", correlate_path(path, match->binary),
			    correlate_path(other, k->binary));
			return NULL;
		}
	}
	if (c->size == 0)
		err_set(err, PROF_E_MISMATCH, "the profile has no build id: "
		    "name its binary");
	else if (match == NULL)
		err_repeat(err, &first);
	return match;
}

static void
correlate_warn_count(const struct correlate *c, uint64_t times,
    const char *what, const struct binary *b)
{
	struct prof_error e = { 0 };
	char path[ERR_NAME_SIZE];

	if (times == 0 || c->warn == NULL)
		return;
	err_set(&e, PROF_E_UNSUPPORTED, "%s: %s: %llu",
	    correlate_path(path, b), what, ull(times));
	c->warn(c->warn_arg, &e);
}

/* Emits the header and the ids, which come before all other records. */
static enum prof_status
correlate_emit_head(struct correlate *c, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile = c->header };
	enum prof_status status = c->emit(c->emit_arg, &r, err);

	c->head_emitted = true;
	r.kind = PROF_REC_BINARY;
	for (size_t i = 0; i < c->id_count && status == PROF_OK; i++) {
		r.u.build_id = c->ids[i];
		status = c->emit(c->emit_arg, &r, err);
	}
	return status;
}

/*
 * Adds the time stamp of a function.  It is in front of the counters, in *slots
 * of the function's counters: one, or 8 with byte coverage.
 */
static enum prof_status
correlate_read_stamp(struct correlate *c, const struct correlate_table *t,
    const struct correlate_function *f, uint64_t *slots,
    struct prof_error *err)
{
	const uint64_t *p = c->counters.counts +
	    f->counters / t->counter_bytes;
	uint64_t time = *p;
	uint8_t bytes[8];

	*slots = 8 / t->counter_bytes;
	if (f->num_counters < *slots)
		return err_set(err, PROF_E_CORRUPT, "NumCounters %llu has no "
		    "room for a time stamp", ull(f->num_counters));
	if (*slots == 8) {
		for (size_t i = 0; i < 8; i++)
			bytes[i] = (uint8_t)p[i];
		time = load_u64(bytes, t->big);
	}
	/* 0 is never; so is 2^64-1, since coverage bytes start as 0xFF. */
	if (time != 0 && time != UINT64_MAX)
		c->stamps[c->stamp_count++] = (struct stamp){ time,
		    f->symbol };
	return PROF_OK;
}

static enum prof_status
correlate_emit_function(struct correlate *c, const struct correlate_table *t,
    const struct correlate_function *f, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_FUNCTION };
	struct prof_function *out = &r.u.function;
	const uint64_t *counts = c->counters.counts +
	    f->counters / t->counter_bytes;
	uint64_t stamp = 0, *executed;

	arena_reset(&c->scratch);
	if (c->header.flags & PROF_TEMPORAL &&
	    correlate_read_stamp(c, t, f, &stamp, err) != PROF_OK)
		return PROF_FAIL;
	out->symbol = f->symbol;
	out->hash = f->hash;
	out->counts_size = (size_t)(f->num_counters - stamp);
	out->counts = counts + stamp;
	if (t->counter_bytes == 1) {
		/* They start as 0xFF and are cleared when their code runs. */
		executed = arena_array(&c->scratch, out->counts_size,
		    sizeof(*executed));
		if (executed == NULL)
			return err_memory(err);
		for (size_t i = 0; i < out->counts_size; i++)
			executed[i] = out->counts[i] == 0;
		out->counts = executed;
	}
	if (f->num_bitmap != 0)
		out->bitmap = (struct prof_span){
		    c->counters.bitmap.data + f->bitmap,
		    (size_t)f->num_bitmap };
	return c->emit(c->emit_arg, &r, err);
}

static int
correlate_compare_stamps(const void *a, const void *b)
{
	const struct stamp *x = a, *y = b;
	int by = compare_u64(x->time, y->time);

	return by != 0 ? by : compare_u64(prof_symbol_guid(&x->symbol),
	    prof_symbol_guid(&y->symbol));
}

/* Emits the functions that were entered, in order of their time stamps. */
static enum prof_status
correlate_emit_trace(struct correlate *c, struct prof_error *err)
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
	return c->emit(c->emit_arg, &r, err);
}

/* Emits header, ids, and the functions that the counters are of. */
static enum prof_status
correlate_emit_functions(struct correlate *c, struct prof_error *err)
{
	const struct prof_raw_counters *raw = &c->counters;
	struct prof_header *h = &c->header;
	const struct correlate_table *t;
	struct correlate_known *k;

	c->has_counters = false;
	err_memory_begin();
	k = c->id_count != 0 ? correlate_by_id(c, err) :
	    correlate_by_size(c, err);
	if (err_if_memory(PROF_OK, err) != PROF_OK || k == NULL)
		return PROF_FAIL;
	k->binary->used = true;
	/* Raw counters of byte coverage are the bytes of the file. */
	for (size_t i = 0; i < raw->counts_size &&
	    h->flags & PROF_BYTE_COVERAGE; i++) {
		if (raw->counts[i] > UINT8_MAX)
			return err_set(err, PROF_E_CORRUPT, "raw counter %llu "
			    "exceeds 255, the largest byte of coverage",
			    ull(raw->counts[i]));
	}
	t = &k->table;
	if (!k->warned) {
		correlate_warn_count(c, t->nameless, "functions without a name",
		    k->binary);
		correlate_warn_count(c, t->outside, "functions left out, which "
		    "have no counters in it", k->binary);
		correlate_warn_count(c, t->incomplete, "functions left out, "
		    "which are incomplete in the debug info", k->binary);
		correlate_warn_count(c, t->split_missing, "units left out, "
		    "with functions in .dwo files that are missing", k->binary);
		if (t->no_bitmaps)
			correlate_warn_count(c, raw->bitmap.size, "bytes of "
			    "MC/DC bitmaps left out, as debug info does not "
			    "say which functions they belong to", k->binary);
	}
	k->warned = true;
	/*
	 * As the raw reader sets the header for a profile with data records: no
	 * flag of correlation, and the versions whose hash rule the hashes may
	 * follow.
	 */
	h->flags &= ~(unsigned)CORRELATED;
	if (h->level == PROF_LEVEL_FRONTEND && t->any_rust)
		h->frontend_first = h->frontend_last = 0;
	if (h->level == PROF_LEVEL_FRONTEND)
		hash_facts_narrow(&t->hash_facts, h);
	if (!c->head_emitted && correlate_emit_head(c, err) != PROF_OK)
		return PROF_FAIL;
	c->stamp_count = 0;
	c->stamps = arena_array(&c->profile_arena, t->size,
	    sizeof(*c->stamps));
	if (c->stamps == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++) {
		if (correlate_emit_function(c, t, &t->functions[i], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return correlate_emit_trace(c, err);
}

enum prof_status
correlate_put(struct correlate *c, const struct prof_record *r,
    correlate_emit *emit, void *arg, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct prof_span id;

	c->emit = emit;
	c->emit_arg = arg;
	switch (r->kind) {
	case PROF_REC_PROFILE:
		/* Only a correlated profile is held back. */
		arena_reset(&c->profile_arena);
		c->id_count = 0;
		c->has_counters = false;
		c->head_emitted = (r->u.profile.flags & CORRELATED) == 0;
		c->header = r->u.profile;
		if (!record_copy(&c->profile_arena, r->kind, &c->header))
			return err_memory(err);
		return c->head_emitted ? emit(arg, r, err) : PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		if (c->has_counters)
			return err_set(err, PROF_E_CORRUPT, "a profile has raw "
			    "counters twice");
		/* The header was emitted, but the counters decide on it. */
		if (c->head_emitted && c->header.flags & CORRELATED)
			return err_set(err, PROF_E_UNSUPPORTED, "raw counters "
			    "follow other records of their profile");
		c->counters = r->u.raw_counters;
		if (!record_copy(&c->profile_arena, r->kind, &c->counters))
			return err_memory(err);
		c->has_counters = true;
		return PROF_OK;
	case PROF_REC_BINARY:
		id = r->u.build_id;
		if (!arena_keep(&c->profile_arena, &id) ||
		    !ARRAY_ADD(c->ids, c->id_count, c->id_room, id))
			return err_memory(err);
		return c->head_emitted ? emit(arg, r, err) : PROF_OK;
	default:
		/* Emits what was held back. */
		if (c->has_counters)
			status = correlate_emit_functions(c, err);
		else if (!c->head_emitted)
			status = correlate_emit_head(c, err);
		return status == PROF_OK ? emit(arg, r, err) : PROF_FAIL;
	}
}

/* The level of the functions, by the variable that has the raw version. */
static enum prof_level
correlate_level(struct binary *b)
{
	static const char *const sections[] = { ".rodata", ".data",
		".data.rel.ro" };
	struct symbols symbols = { .size = 0 };
	enum prof_level level = PROF_LEVEL_UNKNOWN;
	struct binary_section s;
	uint64_t address = 0;

	binary_symbols(b, &symbols, NULL);
	for (size_t i = 0; i < symbols.size; i++) {
		if (strcmp(symbols.items[i].name,
		    "__llvm_profile_raw_version") == 0)
			address = symbols.items[i].address;
	}
	symbols_free(&symbols);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (binary_section(b, sections[i], &s, NULL) != PROF_OK ||
		    s.data.size < 8 || address < s.address ||
		    address - s.address > s.data.size - 8)
			continue;
		level = load_u64(s.data.data + (address - s.address),
		    b->big_endian) & VARIANT_IR ? PROF_LEVEL_IR :
		    PROF_LEVEL_FRONTEND;
	}
	return level;
}

/* PROF_END if the binary has no functions. */
static enum prof_status
correlate_read_hashes(struct binary *b, struct correlate_table *t,
    struct prof_error *err)
{
	static const char *const sections[][2] = {
		{ "__llvm_prf_data", "__llvm_prf_names" },
		{ "__llvm_covdata", "__llvm_covnames" },
	};
	struct binary_section records, names, counters;
	enum prof_status status;
	Dwarf *dwarf;

	for (size_t i = 0; i < 2; i++) {
		status = binary_section(b, sections[i][0], &records, err);
		if (status == PROF_OK)
			status = binary_section(b, sections[i][1], &names,
			    err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_OK && records.data.size != 0 &&
		    names.data.size != 0)
			return correlate_records(t, records.data, names.data,
			    err);
	}
	status = binary_section(b, "__llvm_prf_cnts", &counters, err);
	dwarf = status != PROF_OK ? NULL : binary_dwarf(b, err);
	if (dwarf == NULL)
		return status == PROF_FAIL || (status == PROF_OK &&
		    err->code != PROF_E_UNSUPPORTED) ? PROF_FAIL : PROF_END;
	status = correlate_dwarf(t, dwarf, err);
	return status == PROF_OK && t->size == 0 ? PROF_END : status;
}

static enum prof_status
correlate_emit_hashes(const struct correlate_table *t, enum prof_level level,
    correlate_emit *emit, void *arg, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile = { .kind = PROF_INSTR, .level = level } };
	enum prof_status status = emit(arg, &r, err);

	for (size_t i = 0; i < t->size && status == PROF_OK; i++) {
		r = (struct prof_record){ .kind = PROF_REC_FUNCTION,
		    .u.function = { .symbol = t->functions[i].symbol,
		    .hash = t->functions[i].hash } };
		status = emit(arg, &r, err);
	}
	return status;
}

enum prof_status
correlate_binary(struct binary *b, correlate_emit *emit, void *arg,
    struct prof_error *err)
{
	struct correlate_table t = { .pointer_bytes = b->pointer_bits / 8u,
	    .big = b->big_endian, .work = b->file.work, .hashes = true };
	enum prof_level level = PROF_LEVEL_UNKNOWN;
	struct prof_error why = { 0 };
	enum prof_status status;

	err_memory_begin();
	status = correlate_read_hashes(b, &t, &why);
	if (status == PROF_OK)
		level = correlate_level(b);
	status = err_if_memory(status, &why);
	if (binary_check_whole(b, err) != PROF_OK)
		status = PROF_FAIL;
	else if (status == PROF_END)
		status = err_set(err, PROF_E_UNSUPPORTED, "no section "
		    "__llvm_prf_data with hashes of functions: build it with "
		    "-fprofile-generate or -fprofile-instr-generate, and do "
		    "not strip that section; or with debug information for "
		    "-profile-correlate");
	else if (status == PROF_FAIL)
		err_repeat(err, &why);
	else
		status = correlate_emit_hashes(&t, level, emit, arg, err);
	correlate_table_free(&t);
	return status;
}
