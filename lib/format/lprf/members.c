#include "format/lprf/members.h"

#include "base/error.h"
#include "base/md5.h"

/* Section M. */
struct lprf2_members {
	struct lprf2_decoder *r;
	struct cursor in;
	size_t at;			/* place of the function at hand */
};

static enum prof_status
lprf2_bad_target(const struct lprf2_block *b, size_t target,
    struct prof_error *err)
{
	return err_at(err, PROF_E_CORRUPT, b->at, "block: section T: target "
	    "%zu is empty, exceeds the section, or does not follow the one "
	    "before it", target + 1);
}

/* The texts that a section begins with. */
static size_t
lprf2_count_texts(struct cursor in)
{
	struct prof_span text;
	size_t n = 0;

	while (cur_left(&in) != 0 && lprf2_get_text(&in, &text))
		n++;
	return n;
}

/* There is room for one that exceeds the section, which is reported. */
enum prof_status
lprf2_get_targets(const struct lprf2_block *b, struct arena *arena,
    struct lprf2_targets *out, struct prof_error *err)
{
	struct cursor in = { .data = b->sections[LPRF2_T].data,
	    .size = b->sections[LPRF2_T].size };
	size_t most = lprf2_count_texts(in) + 1;
	struct prof_span *names = arena_array(arena, most, sizeof(*names));
	uint64_t *guids = arena_array(arena, most, sizeof(*guids));
	size_t n = 0;

	if (names == NULL || guids == NULL)
		return err_memory(err);
	for (; cur_left(&in) != 0; n++) {
		if (!lprf2_get_text(&in, &names[n]) || names[n].size == 0 ||
		    (n != 0 && prof_span_compare(names[n - 1], names[n]) >= 0))
			return lprf2_bad_target(b, n, err);
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
lprf2_read_targets(struct lprf2_decoder *r)
{
	struct cursor in;

	if (r->has_targets)
		return PROF_OK;
	r->has_targets = true;
	return lprf2_section(r, LPRF2_T, &in) == PROF_OK ?
	    lprf2_get_targets(&r->block, r->arena, &r->targets, r->err) :
	    PROF_FAIL;
}

static enum prof_status
lprf2_get_target(struct lprf2_members *m, struct prof_value *v)
{
	const struct lprf2_targets *t = &m->r->targets;
	uint64_t number = cur_uleb(&m->in);

	if (number == 0) {
		v->value = cur_u64(&m->in);
		return PROF_OK;
	}
	if (t->unread)
		return PROF_OK;
	if (lprf2_read_targets(m->r) != PROF_OK)
		return PROF_FAIL;
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

/* Each value has a count, and a number or target. */
static void
lprf2_pass_values(struct cursor *in, enum prof_value_kind kind)
{
	uint64_t values = cur_uleb(in);

	for (; values != 0 && !in->failed; values--) {
		cur_uleb(in);
		if (cur_uleb(in) == 0 && kind != PROF_MEM_OP_SIZE)
			cur_u64(in);
	}
}

/* Passes over the members of a function that is not wanted. */
static enum prof_status
lprf2_pass_members(struct lprf2_members *m, uint64_t bits)
{
	struct cursor *in = &m->in;
	uint64_t left;

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		left = bits >> k & 1 ? cur_uleb(in) : 0;
		for (; left != 0 && !in->failed; left--)
			lprf2_pass_values(in, (enum prof_value_kind)k);
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

enum prof_status
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
