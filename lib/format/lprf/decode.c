#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"
#include "format/lprf/v2.h"

/* The sections of a block to functions; each count is checked against them. */

/* A block of functions that is being decoded. */
struct lprf2_decoder {
	struct lprf2_block block;
	struct lprf2_packer **packer;	/* NULL: all sections are inflated */
	struct arena *arena;
	/* The functions that are wanted: all, or those between two names. */
	struct prof_function *wanted;
	size_t from, to;		/* their places in the block */
	struct lprf2_targets targets;
	bool has_targets;		/* they were read */
	struct prof_error *err;
};

/* The place of an error is the block: its sections may be inflated. */
static enum prof_status
lprf2_bad(const struct lprf2_decoder *r, size_t section, size_t function,
    const char *what)
{
	return err_at(r->err, PROF_E_CORRUPT, r->block.at, "block: section "
	    "%c: function %zu of %u: %s", LPRF2_LETTERS[section], function + 1,
	    r->block.size, what);
}

/* A cursor of a section, which is inflated if it is not yet. */
static enum prof_status
lprf2_section(struct lprf2_decoder *r, size_t section, struct cursor *c)
{
	const struct prof_span *s = &r->block.sections[section];

	if (r->packer != NULL && lprf2_inflate_section(&r->block, section,
	    r->packer, r->arena, r->err) != PROF_OK)
		return PROF_FAIL;
	*c = (struct cursor){ .data = s->data, .size = s->size };
	return PROF_OK;
}

/* Reads a number of items, or of bytes; false if more than the bytes left. */
static bool
lprf2_get_size(struct cursor *c, size_t *n)
{
	uint64_t count = cur_uleb(c);

	if (c->failed || count > cur_left(c))
		return false;
	*n = (size_t)count;
	return true;
}

static bool
lprf2_get_text(struct cursor *c, struct prof_span *s)
{
	if (!lprf2_get_size(c, &s->size))
		return false;
	s->data = cur_bytes(c, s->size);
	return true;
}

/* Section M. */
struct lprf2_members {
	struct lprf2_decoder *r;
	struct cursor in;
	size_t at;			/* place of the function at hand */
};

/*
 * Reads section T, which is inflated.  There is room for a target that exceeds
 * the section, which is reported.
 */
static enum prof_status
lprf2_get_targets(const struct lprf2_block *b, struct arena *arena,
    struct lprf2_targets *out, struct prof_error *err)
{
	struct cursor in = { .data = b->sections[LPRF2_T].data,
	    .size = b->sections[LPRF2_T].size };
	struct prof_span *names, text;
	struct cursor ahead = in;
	size_t most = 1, n = 0;
	uint64_t *guids;

	while (cur_left(&ahead) != 0 && lprf2_get_text(&ahead, &text))
		most++;
	names = arena_array(arena, most, sizeof(*names));
	guids = arena_array(arena, most, sizeof(*guids));
	if (names == NULL || guids == NULL)
		return err_memory(err);
	for (; cur_left(&in) != 0; n++) {
		if (!lprf2_get_text(&in, &names[n]) || names[n].size == 0 ||
		    (n != 0 && prof_span_compare(names[n - 1], names[n]) >= 0))
			return err_at(err, PROF_E_CORRUPT, b->at, "block: "
			    "section T: target %zu is empty, exceeds the "
			    "section, or does not follow the one before it",
			    n + 1);
	}
	md5_u64_many(names, n, guids);
	*out = (struct lprf2_targets){ names, guids, n, false };
	return PROF_OK;
}

static enum prof_status
lprf2_bad_member(const struct lprf2_members *m, const char *what)
{
	return lprf2_bad(m->r, LPRF2_M, m->at, what);
}

/* Targets are read when the first one is needed. */
static enum prof_status
lprf2_get_target(struct lprf2_members *m, struct prof_value *v)
{
	struct lprf2_decoder *r = m->r;
	const struct lprf2_targets *t = &r->targets;
	uint64_t number = cur_uleb(&m->in);
	struct cursor in;

	if (number == 0) {
		v->value = cur_u64(&m->in);
		return PROF_OK;
	}
	if (t->unread)
		return PROF_OK;
	if (!r->has_targets) {
		r->has_targets = true;
		if (lprf2_section(r, LPRF2_T, &in) != PROF_OK ||
		    lprf2_get_targets(&r->block, r->arena, &r->targets,
		    r->err) != PROF_OK)
			return PROF_FAIL;
	}
	if (number > t->size)
		return lprf2_bad_member(m, "a value is not a target of section "
		    "T");
	v->name = t->names[number - 1];
	v->value = t->guids[number - 1];
	return PROF_OK;
}

static enum prof_status
lprf2_get_values(struct lprf2_members *m, enum prof_value_kind kind,
    struct prof_site *site)
{
	struct prof_value *values;

	if (!lprf2_get_size(&m->in, &site->size))
		return lprf2_bad_member(m, "the values of a site exceed the "
		    "section");
	values = arena_array(m->r->arena, site->size, sizeof(*values));
	if (values == NULL)
		return err_memory(m->r->err);
	for (size_t i = 0; i < site->size; i++) {
		values[i] = (struct prof_value){ .count = cur_uleb(&m->in) };
		if (kind == PROF_MEM_OP_SIZE)
			values[i].value = cur_uleb(&m->in);
		else if (lprf2_get_target(m, &values[i]) != PROF_OK)
			return PROF_FAIL;
	}
	site->values = values;
	m->r->block.members += LPRF2_MEMORY_VALUE * (uint64_t)site->size;
	return m->in.failed ? lprf2_bad_member(m, "a value exceeds the "
	    "section") : PROF_OK;
}

static enum prof_status
lprf2_get_sites(struct lprf2_members *m, enum prof_value_kind kind,
    struct prof_sites *out)
{
	struct prof_site *sites;

	if (!lprf2_get_size(&m->in, &out->size))
		return lprf2_bad_member(m, "its value sites exceed the "
		    "section");
	sites = arena_array(m->r->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(m->r->err);
	for (size_t i = 0; i < out->size; i++) {
		if (lprf2_get_values(m, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	m->r->block.members += LPRF2_MEMORY_SITE * (uint64_t)out->size;
	return PROF_OK;
}

static enum prof_status
lprf2_get_uniform(struct lprf2_members *m, struct prof_function *f)
{
	uint64_t *counts;

	if (!lprf2_get_size(&m->in, &f->uniform_size))
		return lprf2_bad_member(m, "its uniform counts exceed the "
		    "section");
	counts = arena_array(m->r->arena, f->uniform_size, sizeof(*counts));
	if (counts == NULL)
		return err_memory(m->r->err);
	for (size_t i = 0; i < f->uniform_size; i++)
		counts[i] = cur_uleb(&m->in);
	f->uniform_counts = counts;
	m->r->block.members += LPRF2_MEMORY_COUNTER *
	    (uint64_t)f->uniform_size;
	return m->in.failed ? lprf2_bad_member(m, "a uniform count exceeds "
	    "the section") : PROF_OK;
}

/* Reads the members of a function that is wanted. */
static enum prof_status
lprf2_get_members_of(struct lprf2_members *m, uint64_t bits,
    struct prof_function *f)
{
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if ((bits >> k & 1) && lprf2_get_sites(m,
		    (enum prof_value_kind)k, &f->values[k]) != PROF_OK)
			return PROF_FAIL;
	}
	if ((bits & LPRF2_BITMAP) && !lprf2_get_text(&m->in, &f->bitmap))
		return lprf2_bad_member(m, "its bitmap exceeds the section");
	if ((bits & LPRF2_UNIFORM) && lprf2_get_uniform(m, f) != PROF_OK)
		return PROF_FAIL;
	if ((bits & LPRF2_EXTRA) && !lprf2_get_text(&m->in, &f->extra))
		return lprf2_bad_member(m, "its unknown keys exceed the "
		    "section");
	return PROF_OK;
}

/* Passes over the members of a function that is not wanted. */
static enum prof_status
lprf2_pass_members(struct lprf2_members *m, uint64_t bits)
{
	struct cursor *in = &m->in;
	uint64_t left, values;

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		left = bits >> k & 1 ? cur_uleb(in) : 0;
		for (; left != 0 && !in->failed; left--) {
			values = cur_uleb(in);
			/* Each has a count, and a number or target. */
			for (; values != 0 && !in->failed; values--) {
				cur_uleb(in);
				if (cur_uleb(in) == 0 && k != PROF_MEM_OP_SIZE)
					cur_u64(in);
			}
		}
	}
	if (bits & LPRF2_BITMAP)
		cur_bytes(in, cur_uleb(in));
	left = bits & LPRF2_UNIFORM ? cur_uleb(in) : 0;
	for (; left != 0 && !in->failed; left--)
		cur_uleb(in);
	if (bits & LPRF2_EXTRA)
		cur_bytes(in, cur_uleb(in));
	return in->failed ? lprf2_bad_member(m, "its members exceed the "
	    "section") : PROF_OK;
}

/* Reads section M into the functions that are wanted. */
static enum prof_status
lprf2_get_members(struct lprf2_decoder *r)
{
	struct lprf2_members m = { .r = r };
	uint64_t next = 0, distance, bits;

	if (lprf2_section(r, LPRF2_M, &m.in) != PROF_OK)
		return PROF_FAIL;
	for (; cur_left(&m.in) != 0 && next < r->to; next++) {
		distance = cur_uleb(&m.in);
		bits = cur_uleb(&m.in);
		m.at = (size_t)next;
		if (m.in.failed || distance >= r->block.size - next ||
		    bits == 0 || bits > LPRF2_MEMBERS)
			return lprf2_bad_member(&m, "the members after it "
			    "belong to no function, or are unknown");
		next += distance;
		m.at = (size_t)next;
		if (next < r->from || next >= r->to) {
			if (lprf2_pass_members(&m, bits) != PROF_OK)
				return PROF_FAIL;
			continue;
		}
		if (lprf2_get_members_of(&m, bits, &r->wanted[m.at -
		    r->from]) != PROF_OK)
			return PROF_FAIL;
	}
	return r->to < r->block.size || cur_left(&m.in) == 0 ? PROF_OK :
	    lprf2_bad(r, LPRF2_M, r->block.size - 1u, "the members after it "
	    "belong to no function, or are unknown");
}

/* Makes room for the functions that are wanted. */
static enum prof_status
lprf2_make_wanted(struct lprf2_decoder *r)
{
	size_t n = r->to - r->from;

	r->wanted = arena_array(r->arena, n, sizeof(*r->wanted));
	if (r->wanted == NULL)
		return err_memory(r->err);
	memset(r->wanted, 0, n * sizeof(*r->wanted));
	return PROF_OK;
}

static enum prof_status
lprf2_bad_order(const struct lprf2_decoder *r, size_t i)
{
	return lprf2_bad(r, LPRF2_N, i, "it does not follow the one before it");
}

/*
 * Whether a name may follow another one: it is that one again, or it is above
 * it in the first byte that they do not share.  A name that shares more bytes
 * than it says would lead lprf2_place_next astray.
 */
static bool
lprf2_may_follow(struct prof_span last, const struct lprf2_suffix *s)
{
	return s->shared == last.size || (s->text.size != 0 &&
	    last.data[s->shared] < s->text.data[0]);
}

/*
 * The names that are wanted, of which the first shares with `last`.  One that
 * is the one before it again has the same bytes in memory.
 */
static enum prof_status
lprf2_get_names(struct lprf2_decoder *r, struct lprf2_names *in,
    struct prof_span last)
{
	size_t left = LPRF2_NAMES_MAX;
	uint8_t *p;

	for (size_t i = r->from; i < r->to; i++) {
		struct prof_span *name = &r->wanted[i - r->from].symbol.name;
		bool first = i == r->from;
		struct lprf2_suffix s;
		const char *wrong = lprf2_next_suffix(in, &s);

		if (wrong != NULL)
			return lprf2_bad(r, LPRF2_N, i, wrong);
		if (!first && !lprf2_may_follow(last, &s))
			return lprf2_bad_order(r, i);
		*name = last;
		if (first || s.text.size != 0) {
			name->size = s.shared + s.text.size;
			p = arena_alloc(r->arena, name->size);
			if (p == NULL)
				return err_memory(r->err);
			memcpy(p, last.data, s.shared);
			memcpy(p + s.shared, s.text.data, s.text.size);
			name->data = p;
		}
		if (!first && s.text.size != 0) {
			if (name->size > left)
				return lprf2_bad(r, LPRF2_N, i, "the names "
				    "after the first need more than 1048576 "
				    "bytes");
			left -= name->size;
		}
		last = *name;
	}
	return PROF_OK;
}

/*
 * Finds the first function that is not below a name: *in stays before its name,
 * and *same is what the name before that one shares with the other.
 */
static enum prof_status
lprf2_find_first(struct lprf2_decoder *r, struct lprf2_names *in,
    struct prof_span name, size_t *same)
{
	struct lprf2_place place = { .name = name };
	struct lprf2_names next = *in;
	struct lprf2_suffix s;
	const char *wrong;

	for (r->from = 0; r->from < r->block.size; r->from++) {
		wrong = lprf2_next_suffix(&next, &s);
		if (wrong != NULL)
			return lprf2_bad(r, LPRF2_N, r->from, wrong);
		*same = place.same;
		if (lprf2_place_next(&place, &s) >= 0)
			break;
		*in = next;
	}
	return PROF_OK;
}

/* Finds the end of the functions that are not above a name, with `same`. */
static enum prof_status
lprf2_find_last(struct lprf2_decoder *r, struct lprf2_names in,
    struct prof_span name, size_t same)
{
	struct lprf2_place place = { .name = name, .same = same };
	struct lprf2_suffix s;
	const char *wrong;

	for (r->to = r->from; r->to < r->block.size; r->to++) {
		wrong = lprf2_next_suffix(&in, &s);
		if (wrong != NULL)
			return lprf2_bad(r, LPRF2_N, r->to, wrong);
		if (lprf2_place_next(&place, &s) > 0)
			break;
	}
	return PROF_OK;
}

/*
 * The functions between two names are wanted.  What is before the first of them
 * shares with the second name what it shares with both, for it is below both.
 */
static enum prof_status
lprf2_find_between(struct lprf2_decoder *r, struct prof_span first,
    struct prof_span last)
{
	struct lprf2_names in = { .last = 0 };
	size_t same = 0, both = 0;

	if (lprf2_section(r, LPRF2_N, &in.in) != PROF_OK ||
	    lprf2_find_first(r, &in, first, &same) != PROF_OK)
		return PROF_FAIL;
	while (both < same && both < last.size &&
	    first.data[both] == last.data[both])
		both++;
	if (lprf2_find_last(r, in, last, both) != PROF_OK ||
	    lprf2_make_wanted(r) != PROF_OK)
		return PROF_FAIL;
	return lprf2_get_names(r, &in, first);
}

/* The names or guids of all functions. */
static enum prof_status
lprf2_get_symbols(struct lprf2_decoder *r)
{
	struct lprf2_names in = { .last = 0 };

	if (lprf2_section(r, LPRF2_N, &in.in) != PROF_OK)
		return PROF_FAIL;
	if (r->block.kind == LPRF2_NAMES) {
		if (lprf2_get_names(r, &in, span_of_text("")) != PROF_OK)
			return PROF_FAIL;
	} else {
		for (size_t i = 0; i < r->to; i++)
			r->wanted[i].symbol.guid = cur_u64(&in.in);
		if (in.in.failed)
			return lprf2_bad(r, LPRF2_N, in.in.size / 8, "its guid "
			    "exceeds the section");
	}
	return cur_left(&in.in) == 0 ? PROF_OK : lprf2_bad(r, LPRF2_N,
	    r->to - 1, "bytes follow its name");
}

/* Section C: widths of the counters of each function, and the counters. */
struct lprf2_counters {
	const uint8_t *widths;
	const uint8_t *bytes;
	size_t left;			/* bytes that no function has yet */
	size_t zeros_left;		/* counters that take no bytes */
};

static enum prof_status
lprf2_begin_counters(struct lprf2_decoder *r, struct lprf2_counters *c)
{
	struct cursor in;

	if (lprf2_section(r, LPRF2_C, &in) != PROF_OK)
		return PROF_FAIL;
	c->widths = cur_bytes(&in, ((size_t)r->block.size + 1) / 2);
	if (c->widths == NULL)
		return lprf2_bad(r, LPRF2_C, r->block.size - 1u, "the width "
		    "of its counters exceeds the section");
	c->bytes = in.data + in.pos;
	c->left = cur_left(&in);
	c->zeros_left = LPRF2_ZEROS_MAX;
	return PROF_OK;
}

/* The bytes of each counter of a function. */
static unsigned
lprf2_width_of(const struct lprf2_counters *c, size_t i)
{
	return c->widths[i / 2] >> (i % 2 != 0 ? 4 : 0) & 15;
}

/* Takes the counters of a function from what is left. */
static enum prof_status
lprf2_take_counters(struct lprf2_decoder *r, struct lprf2_counters *c,
    size_t i, uint64_t n)
{
	unsigned width = lprf2_width_of(c, i);

	if (width > 8 || (width & (width - 1)) != 0)
		return lprf2_bad(r, LPRF2_C, i, "the width of its counters is "
		    "not one of 0, 1, 2, 4 and 8");
	if (width == 0 ? n > c->zeros_left :
	    n > c->left || n * width > c->left)
		return lprf2_bad(r, LPRF2_H, i, "more counters than the "
		    "section C holds");
	if (width == 0)
		c->zeros_left -= (size_t)n;
	else
		c->left -= (size_t)n * width;
	return PROF_OK;
}

/*
 * Reads numbers of counters and hashes, up to the last function that is wanted.
 * *offset becomes the place in section C of the counters of the first one.
 */
static enum prof_status
lprf2_get_shapes(struct lprf2_decoder *r, struct lprf2_counters *c,
    size_t *offset)
{
	size_t whole = c->left, all = (size_t)r->block.size * 8, left;
	const uint8_t *hashes;
	struct cursor in;

	if (lprf2_section(r, LPRF2_H, &in) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < r->to; i++) {
		uint64_t n = cur_uleb(&in);

		if (in.failed)
			return lprf2_bad(r, LPRF2_H, i,
			    "it exceeds the section");
		if (i == r->from)
			*offset = whole - c->left;
		if (lprf2_take_counters(r, c, i, n) != PROF_OK)
			return PROF_FAIL;
		if (i >= r->from)
			r->wanted[i - r->from].counts_size = (size_t)n;
	}
	if (r->to == r->block.size && c->left != 0)
		return lprf2_bad(r, LPRF2_C, r->block.size - 1u, "bytes follow "
		    "its counters");
	left = cur_left(&in);
	if (left < all || (left != all && r->to == r->block.size))
		return lprf2_bad(r, LPRF2_H, r->block.size - 1u, "the section "
		    "does not end with a hash of each");
	hashes = in.data + in.size - all;
	for (size_t i = r->from; i < r->to; i++)
		r->wanted[i - r->from].hash = load_u64(hashes + 8 * i, false);
	return PROF_OK;
}

/*
 * Loads the counters of functions from one place to another.  Those of one
 * width that follow one another are loaded at once.
 */
static void
lprf2_load_counters(const struct lprf2_counters *c, const uint8_t *bytes,
    const struct prof_function *functions, size_t from, size_t to,
    uint64_t *counts)
{
	unsigned width = 0;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		if (lprf2_width_of(c, i) != width) {
			narrow_load(counts, bytes, n, width);
			counts += n;
			bytes += n * width;
			width = lprf2_width_of(c, i);
			n = 0;
		}
		n += functions[i - from].counts_size;
	}
	narrow_load(counts, bytes, n, width);
}

/* The counters of the functions that are wanted. */
static enum prof_status
lprf2_get_counters(struct lprf2_decoder *r, const struct lprf2_counters *c,
    size_t offset)
{
	size_t n = r->to - r->from, sum = 0;
	uint64_t *counts;

	for (size_t i = 0; i < n; i++)
		sum += r->wanted[i].counts_size;
	counts = arena_array(r->arena, sum, sizeof(*counts));
	if (counts == NULL)
		return err_memory(r->err);
	lprf2_load_counters(c, c->bytes + offset, r->wanted, r->from, r->to,
	    counts);
	for (size_t i = 0; i < n; i++) {
		r->wanted[i].counts = counts;
		counts += r->wanted[i].counts_size;
	}
	return PROF_OK;
}

/* Names are in order once they are read: those that are equal are left. */
static enum prof_status
lprf2_check_order(const struct lprf2_decoder *r)
{
	const struct prof_function *last = r->wanted, *f;

	for (size_t i = r->from + 1; i < r->to; i++, last = f) {
		f = last + 1;
		if (f->symbol.name.data == last->symbol.name.data &&
		    lprf2_compare(last, f) >= 0)
			return lprf2_bad_order(r, i);
	}
	return PROF_OK;
}

/* Reads all but names into the functions that are wanted. */
static enum prof_status
lprf2_get_wanted(struct lprf2_decoder *r)
{
	struct lprf2_counters c = { 0 };
	size_t offset = 0;

	return lprf2_begin_counters(r, &c) == PROF_OK &&
	    lprf2_get_shapes(r, &c, &offset) == PROF_OK &&
	    lprf2_check_order(r) == PROF_OK &&
	    lprf2_get_counters(r, &c, offset) == PROF_OK ?
	    lprf2_get_members(r) : PROF_FAIL;
}

/* A function takes a number and a hash in section H. */
static enum prof_status
lprf2_check_size(const struct lprf2_decoder *r)
{
	size_t limit = r->block.raw[LPRF2_H] / 9;

	return r->block.size <= limit ? PROF_OK : err_at(r->err,
	    PROF_E_CORRUPT, r->block.at + 8, "block: %u functions exceed the "
	    "%zu that section H holds", r->block.size, limit);
}

struct prof_function *
lprf2_decode(struct lprf2_block *b, const struct lprf2_targets *targets,
    struct arena *arena, struct prof_error *err)
{
	struct lprf2_decoder r = { .block = *b, .arena = arena, .err = err,
	    .to = b->size, .has_targets = true };

	if (targets != NULL)
		r.targets = *targets;
	else if (lprf2_get_targets(b, arena, &r.targets, err) != PROF_OK)
		return NULL;
	if (lprf2_check_size(&r) != PROF_OK ||
	    lprf2_make_wanted(&r) != PROF_OK ||
	    lprf2_get_symbols(&r) != PROF_OK ||
	    lprf2_get_wanted(&r) != PROF_OK)
		return NULL;
	b->members = r.block.members;
	return r.wanted;
}

struct prof_function *
lprf2_decode_between(struct lprf2_block *b, struct prof_span first,
    struct prof_span last, size_t *size, struct lprf2_packer **packer,
    struct arena *arena, struct prof_error *err)
{
	struct lprf2_decoder r = { .block = *b, .arena = arena, .err = err,
	    .packer = packer };

	if (lprf2_check_size(&r) != PROF_OK ||
	    lprf2_find_between(&r, first, last) != PROF_OK)
		return NULL;
	*size = r.to - r.from;
	if (*size != 0 && lprf2_get_wanted(&r) != PROF_OK)
		return NULL;
	b->members = r.block.members;
	return r.wanted;
}
