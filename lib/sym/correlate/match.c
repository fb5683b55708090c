#include "sym/correlate/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sym/correlate/correlate.h"
#include "sym/modules.h"

const char *
correlate_path(char *buf, const struct binary *b)
{
	const char *path = binary_path(b);
	size_t size = strlen(path);

	/* The end of a path, with the file name, says most. */
	if (size >= ERR_NAME_SIZE)
		path += size - (ERR_NAME_SIZE - 1);
	return err_name(buf, span_of_text(path));
}

/* Sets the error with the binary's path in front, as errors of binary.h. */
static enum prof_status
match_err_path(const struct binary *b, const struct prof_error *why,
    struct prof_error *err)
{
	char path[ERR_NAME_SIZE];

	return err_set(err, why->code, "%s: %s", correlate_path(path, b),
	    why->reason);
}

/* Address and size of a section; size 0 if there is none. */
static enum prof_status
match_range(struct binary *b, const char *name, struct correlate_range *out,
    struct prof_error *err)
{
	struct binary_section s;
	enum prof_status status = binary_section(b, name, &s, err);

	*out = (struct correlate_range){ 0 };
	if (status == PROF_OK)
		*out = (struct correlate_range){ s.address, s.size };
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
match_check_machine(const struct binary *b, const struct prof_source *s,
    struct prof_error *err)
{
	char endian = b->big_endian ? 'b' : 'l';

	if (s->pointer_bits != 0 && s->pointer_bits != b->pointer_bits)
		return err_set(err, PROF_E_MISMATCH, "a binary of %d bits, but "
		    "the profile has %d", b->pointer_bits,
		    s->pointer_bits);
	if (s->endian != 0 && s->endian != endian)
		return err_set(err, PROF_E_MISMATCH, "byte order differs from "
		    "that of the profile");
	return PROF_OK;
}

static enum prof_status
match_check_size(const char *section, const struct correlate_range *range,
    uint64_t size, struct prof_error *err)
{
	if (range->size == size)
		return PROF_OK;
	if (range->size == 0)
		return err_set(err, PROF_E_MISMATCH, "there is no section %s",
		    section);
	return err_set(err, PROF_E_MISMATCH, "section %s has %llu bytes, but "
	    "the profile has %llu", section, (unsigned long long)range->size,
	    (unsigned long long)size);
}

/*
 * Searches for the sections of a binary once, since there may be many profiles,
 * and many sections.
 */
static enum prof_status
match_read_sections(struct correlate_binary *c, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct binary_section s;
	enum prof_status status;

	if (c->unreadable.code != PROF_E_NONE)
		return err_repeat(err, &c->unreadable);
	if (c->sections_read)
		return PROF_OK;
	if (match_range(c->binary, "__llvm_prf_cnts", &c->counters, &why) !=
	    PROF_OK || match_range(c->binary, "__llvm_prf_bits", &c->bitmap,
	    &why) != PROF_OK) {
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

/*
 * The sections of counters and bitmaps, if their sizes are those of the
 * profile; PROF_E_MISMATCH if not.
 */
static enum prof_status
match_layout(struct correlate_binary *c, const struct correlate_wanted *w,
    struct correlate_layout *out, struct prof_error *err)
{
	const struct prof_header *h = w->header;
	const struct binary *b = c->binary;
	struct prof_error why = { 0 };

	memset(out, 0, sizeof(*out));
	out->version = h->source.version;
	out->pointer_bytes = b->pointer_bits / 8u;
	out->counter_bytes = h->flags & PROF_BYTE_COVERAGE ? 1 : 8;
	out->big = b->big_endian;
	if (match_read_sections(c, err) != PROF_OK)
		return PROF_FAIL;
	out->counters = c->counters;
	out->bitmap = c->bitmap;
	if (match_check_machine(b, &h->source, &why) != PROF_OK ||
	    match_check_size("__llvm_prf_cnts", &out->counters, w->counts_size *
	    out->counter_bytes, &why) != PROF_OK ||
	    match_check_size("__llvm_prf_bits", &out->bitmap, w->bitmap_size,
	    &why) != PROF_OK)
		return match_err_path(b, &why, err);
	return PROF_OK;
}

/* Makes the table of __llvm_covdata; PROF_END if there is no such section. */
static enum prof_status
match_read_records(struct correlate_known *k, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct binary_section records, names;
	enum prof_status status =
	    binary_section(k->binary, "__llvm_covdata", &records, err);

	if (status != PROF_OK || records.data.data == NULL)
		return status == PROF_OK ? PROF_END : status;
	status = binary_section(k->binary, "__llvm_covnames", &names, err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_END || names.data.size == 0)
		err_set(&why, PROF_E_CORRUPT, "there is a section "
		    "__llvm_covdata, but none with names, __llvm_covnames");
	else if (correlate_records(&k->table, &k->layout, records.data,
	    names.data, &why) == PROF_OK)
		return PROF_OK;
	return match_err_path(k->binary, &why, err);
}

static enum prof_status
match_err_no_functions(const struct binary *b, struct prof_error *err)
{
	char path[ERR_NAME_SIZE];

	return err_set(err, PROF_E_MISMATCH, "%s: neither a section "
	    "__llvm_covdata nor debug information assigns the counters to "
	    "functions", correlate_path(path, b));
}

/*
 * Makes the table of data records or, if there are none, of debug information.
 * by_debug_info: the profile has the flag of debug-info correlation, which also
 * binaries with __llvm_covdata may have; binary correlation has no flag.
 */
static enum prof_status
match_read_table(struct correlate_known *k, bool by_debug_info,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	enum prof_status status = PROF_END;
	Dwarf *dwarf;

	if (!by_debug_info)
		status = match_read_records(k, err);
	if (status != PROF_END)
		return status;
	dwarf = binary_dwarf(k->binary, &why);
	if (dwarf == NULL && why.code == PROF_E_UNSUPPORTED && !by_debug_info)
		return match_err_no_functions(k->binary, err);
	if (dwarf == NULL)
		return err_repeat(err, &why);
	if (correlate_dwarf(&k->table, &k->layout, dwarf,
	    k->binary->file.work, &why) != PROF_OK)
		return match_err_path(k->binary, &why, err);
	return PROF_OK;
}

enum prof_status
correlate_visit_probes(struct binary *b, const struct correlate_visitor *v,
    struct prof_error *err)
{
	struct correlate_table t = { .visitor = v, .each = v->warn,
	    .each_arg = v->warn_arg };
	struct correlate_layout l = { .counter_bytes = 8,
	    .big = b->big_endian };
	Dwarf *dwarf;
	enum prof_status status;

	err_memory_begin();
	if (match_range(b, "__llvm_prf_cnts", &l.counters, err) != PROF_OK)
		return err_if_memory(PROF_FAIL, err);
	dwarf = binary_dwarf(b, err);
	if (dwarf == NULL)
		return err_if_memory(PROF_FAIL, err);
	status = correlate_dwarf(&t, &l, dwarf, b->file.work, err);
	correlate_table_free(&t);
	return err_if_memory(status, err);
}

/*
 * The table for a layout, or its failure; NULL if none was made yet.  The
 * members of layouts that are not compared depend on the binary alone.
 */
static struct correlate_known *
match_find_known(const struct correlate_binary *b,
    const struct correlate_layout *l, bool by_debug_info)
{
	for (size_t i = 0; i < b->size; i++) {
		struct correlate_known *k = &b->known[i];

		if (k->layout.version == l->version &&
		    k->layout.counter_bytes == l->counter_bytes &&
		    k->by_debug_info == by_debug_info)
			return k;
	}
	return NULL;
}

/*
 * Makes a table.  Its failure is stored, too, so that a binary is not read for
 * each profile; but not for versions without records, of which there may be
 * many.  NULL: nothing was stored.
 */
static struct correlate_known *
match_add_known(struct correlate_binary *b, const struct correlate_wanted *w,
    const struct correlate_layout *l, bool by_debug_info,
    struct prof_error *err)
{
	struct correlate_known k = { .binary = b->binary, .layout = *l,
	    .by_debug_info = by_debug_info,
	    .table = { .each = w->each, .each_arg = w->each_arg } };

	if (match_read_table(&k, by_debug_info, &k.failure) == PROF_OK &&
	    k.table.size == 0)
		match_err_no_functions(k.binary, &k.failure);
	err_if_memory(PROF_OK, &k.failure);
	if (k.failure.code != PROF_E_NONE) {
		correlate_table_free(&k.table);
		k.table = (struct correlate_table){ .size = 0 };
	}
	if (err_is_lack(k.failure.code) || k.failure.code == PROF_E_VERSION) {
		err_repeat(err, &k.failure);
		return NULL;
	}
	if (!ARRAY_ADD(b->known, b->size, b->room, k)) {
		correlate_table_free(&k.table);
		err_memory(err);
		return NULL;
	}
	return &b->known[b->size - 1];
}

/* The table for a profile, of records or of debug information. */
static struct correlate_known *
match_prepare(struct correlate_binary *b, const struct correlate_wanted *w,
    const struct correlate_layout *l, struct prof_error *err)
{
	bool by_debug_info = w->header->flags & PROF_DEBUG_INFO_CORRELATED;
	struct correlate_layout layout = *l;
	struct correlate_known *k;

	/* Versions differ in records only. */
	if (by_debug_info || !b->has_records)
		layout.version = 0;
	k = match_find_known(b, &layout, by_debug_info);
	if (k == NULL)
		k = match_add_known(b, w, &layout, by_debug_info, err);
	if (k != NULL && k->failure.code != PROF_E_NONE) {
		err_repeat(err, &k->failure);
		return NULL;
	}
	return k;
}

static bool
match_has_id(const struct binary *b, const struct correlate_wanted *w)
{
	struct prof_span id = binary_build_id(b);

	for (size_t i = 0; i < w->id_count && id.size != 0; i++) {
		if (prof_span_equal(id, w->ids[i]))
			return true;
	}
	return false;
}

/*
 * Searches for a binary by the build ids; PROF_END if there is none.  One that
 * cannot be read matters if there is no other.
 */
static enum prof_status
match_search(struct correlate_matcher *m, const struct correlate_wanted *w,
    struct prof_error *err)
{
	struct binary *b = NULL;
	struct prof_error first = { 0 };
	enum prof_status status = PROF_END;

	for (size_t i = 0; i < w->id_count &&
	    status != PROF_OK; i++) {
		struct prof_error e = { 0 };

		status = binary_find(w->ids[i], m->search, &b, &e);
		if (err_is_lack(e.code))
			return err_repeat(err, &e);
		if (status == PROF_FAIL)
			err_repeat(&first, &e);
	}
	if (status != PROF_OK)
		return first.code == PROF_E_NONE ? PROF_END :
		    err_repeat(err, &first);
	if (ARRAY_ADD(m->binaries, m->size, m->room,
	    (struct correlate_binary){ .binary = b, .found = true }))
		return PROF_OK;
	binary_close(b);
	return err_memory(err);
}

static enum prof_status
match_err_ids(const struct correlate_matcher *m,
    const struct correlate_wanted *w, struct prof_error *err)
{
	char id[ID_TEXT_SIZE], own[ID_TEXT_SIZE], path[ERR_NAME_SIZE];
	const struct binary *b;

	module_id_text(id, w->ids[0]);
	if (m->size != 1)
		return err_set(err, PROF_E_MISMATCH, "no binary has the build "
		    "id %s of the profile", id);
	b = m->binaries[0].binary;
	if (binary_build_id(b).size == 0)
		return err_set(err, PROF_E_MISMATCH, "%s has no build id, the "
		    "profile has %s", correlate_path(path, b), id);
	return err_set(err, PROF_E_MISMATCH, "%s has the build id %s, the "
	    "profile has %s", correlate_path(path, b),
	    module_id_text(own, binary_build_id(b)), id);
}

/* The table of a binary that fits the profile; NULL if not, or none is made. */
static struct correlate_known *
match_try(struct correlate_binary *b, const struct correlate_wanted *w,
    struct prof_error *first)
{
	struct correlate_known *k = NULL;
	struct correlate_layout l;
	struct prof_error e = { 0 };

	if (match_layout(b, w, &l, &e) == PROF_OK)
		k = match_prepare(b, w, &l, &e);
	/* If it became shorter meanwhile, that is the cause of the failure. */
	if (binary_check_whole(b->binary, first) != PROF_OK)
		return NULL;
	if (k == NULL)
		err_repeat(first, &e);
	return k;
}

/*
 * The first binary with one of the build ids that fits: a program and its debug
 * file have the same build id, and only one of them may have what is needed.
 */
static struct correlate_known *
match_by_id(struct correlate_matcher *m, const struct correlate_wanted *w,
    struct prof_error *err)
{
	struct prof_error first = { 0 };
	struct correlate_known *k = NULL;

	for (size_t i = 0; i < m->size && k == NULL; i++) {
		if (match_has_id(m->binaries[i].binary, w))
			k = match_try(&m->binaries[i], w, &first);
	}
	if (k == NULL && first.code == PROF_E_NONE) {
		switch (match_search(m, w, err)) {
		case PROF_OK:
			k = match_try(&m->binaries[m->size - 1], w, &first);
			break;
		case PROF_END:
			match_err_ids(m, w, err);
			return NULL;
		default:
			return NULL;
		}
	}
	if (k == NULL)
		err_repeat(err, &first);
	return k;
}

/* Whether both have one build id: a program and its debug file. */
static bool
match_same_program(const struct binary *a, const struct binary *b)
{
	struct prof_span x = binary_build_id(a), y = binary_build_id(b);

	return x.size != 0 && prof_span_equal(x, y);
}

/* For a profile without ids: the only binary with as many counters. */
static struct correlate_known *
match_by_size(struct correlate_matcher *m, const struct correlate_wanted *w,
    struct prof_error *err)
{
	char path[ERR_NAME_SIZE], other[ERR_NAME_SIZE];
	struct correlate_known *match = NULL;
	struct prof_error first = { 0 };

	for (size_t i = 0; i < m->size; i++) {
		struct correlate_known *k = match_try(&m->binaries[i], w,
		    &first);

		if (k == NULL)
			continue;
		if (match == NULL)
			match = k;
		else if (!match_same_program(match->binary, k->binary)) {
			err_set(err, PROF_E_MISMATCH, "the profile has no "
			    "build id, and both %s and %s have its number of "
			    "counters", correlate_path(path, match->binary),
			    correlate_path(other, k->binary));
			return NULL;
		}
	}
	if (m->size == 0)
		err_set(err, PROF_E_MISMATCH, "the profile has no build id: "
		    "name its binary");
	else if (match == NULL)
		err_repeat(err, &first);
	return match;
}

bool
correlate_matcher_init(struct correlate_matcher *m,
    struct binary *const *binaries, size_t count,
    const struct binary_search *search_in)
{
	m->search = search_in;
	m->room = count + 1;
	m->binaries = calloc(m->room, sizeof(*m->binaries));
	if (m->binaries == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		m->binaries[m->size++].binary = binaries[i];
	return true;
}

struct correlate_known *
correlate_match(struct correlate_matcher *m, const struct correlate_wanted *w,
    struct prof_error *err)
{
	struct correlate_known *k;

	err_memory_begin();
	k = w->id_count != 0 ? match_by_id(m, w, err) : match_by_size(m, w,
	    err);
	return err_if_memory(PROF_OK, err) == PROF_OK ? k : NULL;
}

void
correlate_matcher_free(struct correlate_matcher *m)
{
	for (size_t i = 0; i < m->size; i++) {
		struct correlate_binary *b = &m->binaries[i];

		for (size_t j = 0; j < b->size; j++)
			correlate_table_free(&b->known[j].table);
		free(b->known);
		if (b->found)
			binary_close(b->binary);
	}
	free(m->binaries);
}
