#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"
#include "format/lprf/v2.h"

/* The sections of a block to functions; each count is checked against them. */

/* A block of functions that is being decoded. */
struct lprf2_decoder {
	struct lprf2_block *block;
	struct arena *arena;
	struct prof_function *functions;
	bool unread;			/* nothing is known of the targets */
	const struct prof_span *targets;	/* their names, by number - 1 */
	const uint64_t *guids;		/* of these */
	size_t targets_size;
	struct cursor in;		/* of section M */
	size_t at;			/* place of the function at hand */
	struct prof_error *err;
};

/* The place of an error is the block: its sections may be inflated. */
static enum prof_status
lprf2_bad(const struct lprf2_decoder *d, size_t section, size_t function,
    const char *what)
{
	return err_at(d->err, PROF_E_CORRUPT, d->block->at, "block: section "
	    "%c: function %zu of %u: %s", LPRF2_LETTERS[section], function + 1,
	    d->block->size, what);
}

static struct cursor
lprf2_section(const struct lprf2_decoder *d, size_t section)
{
	const struct prof_span *s = &d->block->sections[section];

	return (struct cursor){ .data = s->data, .size = s->size };
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

/*
 * Reads section T.  There is room for a target that exceeds the section, which
 * is reported.
 */
static enum prof_status
lprf2_get_targets(struct lprf2_decoder *d)
{
	struct cursor in = lprf2_section(d, LPRF2_T), ahead = in;
	struct prof_span *names, text;
	size_t most = 1, n = 0;
	uint64_t *guids;

	while (cur_left(&ahead) != 0 && lprf2_get_text(&ahead, &text))
		most++;
	names = arena_array(d->arena, most, sizeof(*names));
	guids = arena_array(d->arena, most, sizeof(*guids));
	if (names == NULL || guids == NULL)
		return err_memory(d->err);
	for (; cur_left(&in) != 0; n++) {
		if (!lprf2_get_text(&in, &names[n]) || names[n].size == 0 ||
		    (n != 0 && prof_span_compare(names[n - 1], names[n]) >= 0))
			return err_at(d->err, PROF_E_CORRUPT, d->block->at,
			    "block: section T: target %zu is empty, exceeds "
			    "the section, or does not follow the one before it",
			    n + 1);
	}
	md5_u64_many(names, n, guids);
	d->targets = names;
	d->guids = guids;
	d->targets_size = n;
	return PROF_OK;
}

static enum prof_status
lprf2_bad_member(const struct lprf2_decoder *d, const char *what)
{
	return lprf2_bad(d, LPRF2_M, d->at, what);
}

static enum prof_status
lprf2_get_target(struct lprf2_decoder *d, struct prof_value *v)
{
	uint64_t number = cur_uleb(&d->in);

	if (number == 0) {
		v->value = cur_u64(&d->in);
		return PROF_OK;
	}
	if (d->unread)
		return PROF_OK;
	if (number > d->targets_size)
		return lprf2_bad_member(d, "a value is not a target of section "
		    "T");
	v->name = d->targets[number - 1];
	v->value = d->guids[number - 1];
	return PROF_OK;
}

static enum prof_status
lprf2_get_values(struct lprf2_decoder *d, enum prof_value_kind kind,
    struct prof_site *site)
{
	struct prof_value *values;

	if (!lprf2_get_size(&d->in, &site->size))
		return lprf2_bad_member(d, "the values of a site exceed the "
		    "section");
	values = arena_array(d->arena, site->size, sizeof(*values));
	if (values == NULL)
		return err_memory(d->err);
	for (size_t i = 0; i < site->size; i++) {
		values[i] = (struct prof_value){ .count = cur_uleb(&d->in) };
		if (kind == PROF_MEM_OP_SIZE)
			values[i].value = cur_uleb(&d->in);
		else if (lprf2_get_target(d, &values[i]) != PROF_OK)
			return PROF_FAIL;
	}
	site->values = values;
	d->block->members += LPRF2_MEMORY_VALUE * (uint64_t)site->size;
	return d->in.failed ? lprf2_bad_member(d, "a value exceeds the "
	    "section") : PROF_OK;
}

static enum prof_status
lprf2_get_sites(struct lprf2_decoder *d, enum prof_value_kind kind,
    struct prof_sites *out)
{
	struct prof_site *sites;

	if (!lprf2_get_size(&d->in, &out->size))
		return lprf2_bad_member(d, "its value sites exceed the "
		    "section");
	sites = arena_array(d->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(d->err);
	for (size_t i = 0; i < out->size; i++) {
		if (lprf2_get_values(d, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	d->block->members += LPRF2_MEMORY_SITE * (uint64_t)out->size;
	return PROF_OK;
}

static enum prof_status
lprf2_get_uniform(struct lprf2_decoder *d, struct prof_function *f)
{
	uint64_t *counts;

	if (!lprf2_get_size(&d->in, &f->uniform_size))
		return lprf2_bad_member(d, "its uniform counts exceed the "
		    "section");
	counts = arena_array(d->arena, f->uniform_size, sizeof(*counts));
	if (counts == NULL)
		return err_memory(d->err);
	for (size_t i = 0; i < f->uniform_size; i++)
		counts[i] = cur_uleb(&d->in);
	f->uniform_counts = counts;
	d->block->members += LPRF2_MEMORY_COUNTER *
	    (uint64_t)f->uniform_size;
	return d->in.failed ? lprf2_bad_member(d, "a uniform count exceeds "
	    "the section") : PROF_OK;
}

static enum prof_status
lprf2_get_members_of(struct lprf2_decoder *d, uint64_t bits,
    struct prof_function *f)
{
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if ((bits >> k & 1) && lprf2_get_sites(d,
		    (enum prof_value_kind)k, &f->values[k]) != PROF_OK)
			return PROF_FAIL;
	}
	if ((bits & LPRF2_BITMAP) && !lprf2_get_text(&d->in, &f->bitmap))
		return lprf2_bad_member(d, "its bitmap exceeds the section");
	if ((bits & LPRF2_UNIFORM) && lprf2_get_uniform(d, f) != PROF_OK)
		return PROF_FAIL;
	if ((bits & LPRF2_EXTRA) && !lprf2_get_text(&d->in, &f->extra))
		return lprf2_bad_member(d, "its unknown keys exceed the "
		    "section");
	return PROF_OK;
}

/* Reads section M. */
static enum prof_status
lprf2_get_members(struct lprf2_decoder *d)
{
	static const char none[] = "the members after it belong to no "
	    "function, or are unknown";
	uint64_t next = 0, distance, bits;

	d->in = lprf2_section(d, LPRF2_M);
	for (; cur_left(&d->in) != 0 && next < d->block->size; next++) {
		distance = cur_uleb(&d->in);
		bits = cur_uleb(&d->in);
		d->at = (size_t)next;
		if (d->in.failed || distance >= d->block->size - next ||
		    bits == 0 || bits > LPRF2_MEMBERS)
			return lprf2_bad_member(d, none);
		next += distance;
		d->at = (size_t)next;
		if (lprf2_get_members_of(d, bits, &d->functions[d->at]) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return cur_left(&d->in) == 0 ? PROF_OK : lprf2_bad(d, LPRF2_M,
	    d->block->size - 1u, none);
}

static enum prof_status
lprf2_bad_order(const struct lprf2_decoder *d, size_t i)
{
	return lprf2_bad(d, LPRF2_N, i, "it does not follow the one before it");
}

/*
 * Reads the names.  A name is the one before it again, then with the same bytes
 * in memory, or above it in the first byte that they do not share: one that
 * shares more bytes than it says would lead lprf2_place_next astray.
 */
static enum prof_status
lprf2_get_names(struct lprf2_decoder *d, struct lprf2_names *in)
{
	struct prof_span last = { NULL, 0 };
	size_t left = LPRF2_NAMES_MAX;

	for (size_t i = 0; i < d->block->size; i++) {
		struct lprf2_suffix s;
		const char *wrong = lprf2_next_suffix(in, &s);
		size_t size;
		uint8_t *p;

		if (wrong != NULL)
			return lprf2_bad(d, LPRF2_N, i, wrong);
		if (s.shared != last.size && (s.text.size == 0 ||
		    last.data[s.shared] >= s.text.data[0]))
			return lprf2_bad_order(d, i);
		size = s.shared + s.text.size;
		if (i != 0 && s.text.size != 0) {
			if (size > left)
				return lprf2_bad(d, LPRF2_N, i, "the names "
				    "after the first need more than 1048576 "
				    "bytes");
			left -= size;
		}
		if (s.text.size != 0) {
			p = arena_alloc(d->arena, size);
			if (p == NULL)
				return err_memory(d->err);
			if (s.shared != 0)
				memcpy(p, last.data, s.shared);
			memcpy(p + s.shared, s.text.data, s.text.size);
			last = (struct prof_span){ p, size };
		}
		d->functions[i].symbol.name = last;
	}
	return PROF_OK;
}

/* The names or guids. */
static enum prof_status
lprf2_get_symbols(struct lprf2_decoder *d)
{
	struct lprf2_names in = { .in = lprf2_section(d, LPRF2_N) };

	if (d->block->kind == LPRF2_NAMES) {
		if (lprf2_get_names(d, &in) != PROF_OK)
			return PROF_FAIL;
	} else {
		for (size_t i = 0; i < d->block->size; i++)
			d->functions[i].symbol.guid = cur_u64(&in.in);
		if (in.in.failed)
			return lprf2_bad(d, LPRF2_N, in.in.size / 8, "its guid "
			    "exceeds the section");
	}
	return cur_left(&in.in) == 0 ? PROF_OK : lprf2_bad(d, LPRF2_N,
	    d->block->size - 1u, "bytes follow its name");
}

/* Section C: widths of the counters of each function, and the counters. */
struct lprf2_counters {
	const uint8_t *widths;
	const uint8_t *bytes;
	size_t left;			/* bytes that no function has yet */
	size_t zeros_left;		/* counters that take no bytes */
	size_t size;			/* counters of all functions */
};

static enum prof_status
lprf2_begin_counters(struct lprf2_decoder *d, struct lprf2_counters *c)
{
	struct cursor in = lprf2_section(d, LPRF2_C);

	c->widths = cur_bytes(&in, ((size_t)d->block->size + 1) / 2);
	if (c->widths == NULL)
		return lprf2_bad(d, LPRF2_C, d->block->size - 1u, "the width "
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
lprf2_take_counters(struct lprf2_decoder *d, struct lprf2_counters *c,
    size_t i, uint64_t n)
{
	unsigned width = lprf2_width_of(c, i);

	if (width > 8 || (width & (width - 1)) != 0)
		return lprf2_bad(d, LPRF2_C, i, "the width of its counters is "
		    "not one of 0, 1, 2, 4 and 8");
	if (width == 0 ? n > c->zeros_left :
	    n > c->left || n * width > c->left)
		return lprf2_bad(d, LPRF2_H, i, "more counters than the "
		    "section C holds");
	if (width == 0)
		c->zeros_left -= (size_t)n;
	else
		c->left -= (size_t)n * width;
	c->size += (size_t)n;
	return PROF_OK;
}

/*
 * Reads numbers of counters and hashes.  Names are in order once they are read:
 * the hashes of those that are equal are compared.
 */
static enum prof_status
lprf2_get_shapes(struct lprf2_decoder *d, struct lprf2_counters *c)
{
	struct cursor in = lprf2_section(d, LPRF2_H);
	struct prof_function *f = d->functions;
	size_t n = d->block->size;

	for (size_t i = 0; i < n; i++) {
		uint64_t counters = cur_uleb(&in);

		if (in.failed)
			return lprf2_bad(d, LPRF2_H, i,
			    "it exceeds the section");
		if (lprf2_take_counters(d, c, i, counters) != PROF_OK)
			return PROF_FAIL;
		f[i].counts_size = (size_t)counters;
	}
	if (c->left != 0)
		return lprf2_bad(d, LPRF2_C, n - 1, "bytes follow its "
		    "counters");
	if (cur_left(&in) != 8 * n)
		return lprf2_bad(d, LPRF2_H, n - 1, "the section does not end "
		    "with a hash of each");
	for (size_t i = 0; i < n; i++)
		f[i].hash = cur_u64(&in);
	for (size_t i = 1; i < n; i++) {
		if (f[i].symbol.name.data == f[i - 1].symbol.name.data &&
		    lprf2_compare(&f[i - 1], &f[i]) >= 0)
			return lprf2_bad_order(d, i);
	}
	return PROF_OK;
}

/* Loads counters: a run of one width is loaded by one call. */
static enum prof_status
lprf2_get_counters(struct lprf2_decoder *d, const struct lprf2_counters *c)
{
	uint64_t *counts = arena_array(d->arena, c->size, sizeof(*counts));
	const uint8_t *bytes = c->bytes;
	unsigned width = 0;
	size_t n = 0;

	if (counts == NULL)
		return err_memory(d->err);
	for (size_t i = 0; i < d->block->size; i++) {
		if (lprf2_width_of(c, i) != width) {
			narrow_load(counts, bytes, n, width);
			counts += n;
			bytes += n * width;
			width = lprf2_width_of(c, i);
			n = 0;
		}
		d->functions[i].counts = counts + n;
		n += d->functions[i].counts_size;
	}
	narrow_load(counts, bytes, n, width);
	return PROF_OK;
}

struct prof_function *
lprf2_decode(struct lprf2_block *b, bool targets, struct lprf2_packer **packer,
    struct arena *arena, struct prof_error *err)
{
	struct lprf2_decoder d = { .block = b, .arena = arena, .err = err,
	    .unread = !targets };
	struct lprf2_counters c = { .size = 0 };
	/* A function takes a number and a hash in section H. */
	size_t limit = b->raw[LPRF2_H] / 9;

	if (lprf2_inflate(b, targets, packer, arena, err) != PROF_OK ||
	    (targets && lprf2_get_targets(&d) != PROF_OK))
		return NULL;
	if (b->size > limit) {
		err_at(err, PROF_E_CORRUPT, b->at + 8, "block: %u functions "
		    "exceed the %zu that section H holds", b->size, limit);
		return NULL;
	}
	d.functions = arena_array(arena, b->size, sizeof(*d.functions));
	if (d.functions == NULL) {
		err_memory(err);
		return NULL;
	}
	memset(d.functions, 0, b->size * sizeof(*d.functions));
	return lprf2_get_symbols(&d) == PROF_OK &&
	    lprf2_begin_counters(&d, &c) == PROF_OK &&
	    lprf2_get_shapes(&d, &c) == PROF_OK &&
	    lprf2_get_counters(&d, &c) == PROF_OK &&
	    lprf2_get_members(&d) == PROF_OK ? d.functions : NULL;
}
