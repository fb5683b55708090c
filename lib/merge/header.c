#include "merge/state.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "model/record.h"
#include "model/releases.h"

/*
 * "file[member]" or "file", for messages, with '?' for bytes that do not print;
 * NULL if out of memory.
 */
static const char *
merge_source_label(struct arena *a, const struct prof_source *s)
{
	size_t size = s->file.size + s->member.size + 3;
	char *p;

	if (s->file.data == NULL)
		return "a stream";
	p = arena_alloc(a, size);
	if (p == NULL)
		return NULL;
	if (s->member.data == NULL)
		snprintf(p, size, "%.*s", (int)s->file.size,
		    (const char *)s->file.data);
	else
		snprintf(p, size, "%.*s[%.*s]", (int)s->file.size,
		    (const char *)s->file.data, (int)s->member.size,
		    (const char *)s->member.data);
	for (char *c = p; *c != '\0'; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return p;
}

bool
merge_extra(struct prof_span *keys, struct prof_span other)
{
	if (prof_span_equal(*keys, other))
		return false;
	keys->size = 0;
	return true;
}

enum prof_status
merge_head_begin(struct merge_head *h, struct arena *a,
    struct merge_profile *p, const struct prof_header *own,
    struct prof_error *err)
{
	arena_reset(&p->label_arena);
	p->label = merge_source_label(&p->label_arena, &own->source);
	if (p->label == NULL)
		return err_memory(err);
	p->head = *own;
	p->functions = false;
	p->traces = 0;
	if (!h->any) {
		h->sum.kind = own->kind;
		h->sum.extra = own->extra;
		if (!arena_keep(a, &h->sum.extra))
			return err_memory(err);
	} else {
		if (h->sum.kind != own->kind)
			h->sum.kind = PROF_MIXED;
		if (merge_extra(&h->sum.extra, own->extra))
			__atomic_store_n(&h->extra_dropped, true,
			    __ATOMIC_RELAXED);
	}
	h->any = true;
	h->sum.flags |= own->flags & PROF_SALVAGED;
	h->sum.inputs = saturating_add(h->sum.inputs,
	    own->inputs == 0 ? 1 : own->inputs);
	if (own->wave_size > h->sum.wave_size)
		h->sum.wave_size = own->wave_size;
	h->idle_flags |= own->flags;
	if (own->level == PROF_LEVEL_IR)
		h->idle_level = own->level;
	return PROF_OK;
}

static enum prof_status
merge_constrain_value(struct merge_constraint *constraint, int value,
    const char *label, const char *const names[], struct prof_error *err)
{
	if (constraint->label == NULL)
		*constraint = (struct merge_constraint){ value, label };
	if (constraint->value == value)
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "%s cannot be merged with %s "
	    "(%s)", names[value], names[constraint->value],
	    constraint->label);
}

static const char *const coverage_names[] = {
	"a profile of counts", "a profile of byte coverage",
};

/* Who writes a range of indexed versions: "clang 12 to 21". */
static const char *
merge_hashes_text(unsigned first, unsigned last, char text[CLANGS_SIZE])
{
	return llvm_clangs_text((struct llvm_release_range){
	    llvm_release_writers("indexed", first).first,
	    llvm_release_writers("indexed", last).last }, text);
}

/*
 * Says whose hashes do not go together, and what brings them together: the rule
 * of LLVM 22 is the one before without some bits.
 */
static enum prof_status
merge_refuse_hashes(const struct merge_constraints *c,
    const struct merge_kind *k, struct prof_error *err)
{
	const bool newer = k->frontend_first > c->frontend_last;
	enum hash_rule old = llvm_hash_rule(newer ? c->frontend_last :
	    k->frontend_last);
	enum hash_rule new = llvm_hash_rule(newer ? k->frontend_first :
	    c->frontend_first);
	char mine[CLANGS_SIZE], others[CLANGS_SIZE];

	return err_set(err, PROF_E_MISMATCH, "%sfront-end hashes of %s cannot "
	    "be merged with those of %s (%s)",
	    old == HASH_RULE_12 && new == HASH_RULE_MASKED ?
	    "without --for clang-22 or --to indexed:clang-22, " : "",
	    merge_hashes_text(k->frontend_first, k->frontend_last, mine),
	    merge_hashes_text(c->frontend_first, c->frontend_last, others),
	    c->hash_rule);
}

/*
 * A profile gives its rule of front-end hashes as a range of versions; one rule
 * must be in the ranges of all profiles.
 */
static enum prof_status
merge_constrain_hash_rule(struct merge_constraints *c,
    const struct merge_kind *k, struct prof_error *err)
{
	unsigned first = k->frontend_first, last = k->frontend_last;

	if (first == 0)
		return PROF_OK;
	if (c->frontend_first == 0) {
		c->frontend_first = first;
		c->frontend_last = last;
		c->hash_rule = k->label;
		return PROF_OK;
	}
	if (first > c->frontend_last || last < c->frontend_first)
		return merge_refuse_hashes(c, k, err);
	if (first > c->frontend_first)
		c->frontend_first = first;
	if (last < c->frontend_last)
		c->frontend_last = last;
	return PROF_OK;
}

/* Adds the constraints of a kind.  PROF_E_MISMATCH if they cannot be met. */
static enum prof_status
merge_constrain(struct merge_constraints *c, const struct merge_kind *k,
    struct prof_error *err)
{
	if (k->level != PROF_LEVEL_UNKNOWN && merge_constrain_value(
	    &c->level, (int)k->level, k->label, words_level_profile, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (merge_constrain_value(&c->coverage, k->coverage, k->label,
	    coverage_names, err) != PROF_OK)
		return PROF_FAIL;
	return merge_constrain_hash_rule(c, k, err);
}

static bool
merge_same_constraints(const struct merge_constraints *a,
    const struct merge_constraints *b)
{
	return a->level.label == b->level.label &&
	    a->coverage.label == b->coverage.label &&
	    a->hash_rule == b->hash_rule &&
	    a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last;
}

/* The constraints of the first n kinds, which mix. */
static struct merge_constraints
merge_head_constraints(const struct merge_head *h, size_t n)
{
	static const struct merge_constraints none;

	return n == 0 ? none : h->kinds[n - 1].all;
}

/*
 * Notes a kind of an input before the one that is refused, unless the inputs
 * before it have the same constraints, and updates the constraints of the kinds
 * behind it.  If one conflicts, those behind it do not matter, because their
 * inputs are refused, too.
 */
static enum prof_status
merge_head_add_kind(struct merge_head *h, struct arena *a,
    struct merge_kind k, struct prof_error *err)
{
	struct merge_constraints all, before;
	size_t at = h->size, size = strlen(k.label) + 1;
	struct prof_error reason = { 0 };

	/* Inputs come nearly in order. */
	while (at != 0 && h->kinds[at - 1].number > k.number)
		at--;
	all = before = merge_head_constraints(h, at);
	if (merge_constrain(&all, &k, &reason) == PROF_OK &&
	    merge_same_constraints(&all, &before))
		return PROF_OK;
	k.label = (const char *)arena_copy(a, (struct prof_span){
	    (const uint8_t *)k.label, size }).data;
	if (k.label == NULL || !ARRAY_ROOM(h->kinds, h->size, h->room))
		return err_memory(err);
	memmove(&h->kinds[at + 1], &h->kinds[at],
	    (h->size++ - at) * sizeof(*h->kinds));
	h->kinds[at] = k;
	for (all = before; at < h->size; at++) {
		reason = (struct prof_error){ 0 };
		if (merge_constrain(&all, &h->kinds[at], &reason) != PROF_OK) {
			h->conflict = true;
			h->reason = reason;
			h->size = at + 1;
		}
		h->kinds[at].all = all;
	}
	return PROF_OK;
}

static struct merge_kind
merge_kind_of(const struct prof_header *h, const char *label, uint64_t number)
{
	return (struct merge_kind){ .level = h->level,
	    .coverage = (h->flags & PROF_BYTE_COVERAGE) != 0,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last, .label = label,
	    .number = number };
}

enum prof_status
merge_mixes(const struct merge *m, const struct prof_header *own,
    struct prof_error *err)
{
	struct merge_constraints all = merge_head_constraints(&m->head,
	    m->head.size);
	const struct merge_kind k = merge_kind_of(own, "", 0);

	return merge_constrain(&all, &k, err);
}

uint64_t
merge_head_refused(const struct merge_head *h)
{
	return h->conflict ? h->kinds[h->size - 1].number : UINT64_MAX;
}

enum prof_status
merge_head_function(struct merge_head *h, struct arena *a,
    const struct merge_profile *p, uint64_t number, struct prof_error *err)
{
	const struct prof_header *own = &p->head;

	h->any_functions = true;
	h->sum.flags |= own->flags;
	if (own->level != PROF_LEVEL_UNKNOWN)
		h->sum.level = own->level;
	if (number < merge_head_refused(h) && merge_head_add_kind(h, a,
	    merge_kind_of(own, p->label, number), err) != PROF_OK)
		return PROF_FAIL;
	return number < merge_head_refused(h) ? PROF_OK :
	    err_set(err, h->reason.code, "%s", h->reason.reason);
}

void
merge_head_end(struct merge_head *h, const struct merge_profile *p)
{
	uint64_t seen = p->head.has_trace_stream_size ?
	    p->head.trace_stream_size : p->traces;

	if (p->head.has_trace_stream_size)
		h->sum.has_trace_stream_size = true;
	h->sum.trace_stream_size = saturating_add(h->sum.trace_stream_size,
	    seen);
}

static bool
merge_constraints_differ(const struct merge_constraint *a,
    const struct merge_constraint *b)
{
	return a->label != NULL && b->label != NULL && a->value != b->value;
}

enum prof_status
merge_head_subtract(struct merge_head *h, const struct merge_head *less,
    uint64_t least, struct prof_error *err)
{
	static const char message[] =
	    "%s (%s) cannot be subtracted from %s (%s)";
	const struct merge_constraints mine =
	    merge_head_constraints(h, h->size), *a = &mine;
	const struct merge_constraints theirs =
	    merge_head_constraints(less, less->size), *b = &theirs;
	struct prof_header *sum = &h->sum;
	char mine_text[CLANGS_SIZE], theirs_text[CLANGS_SIZE];

	if (merge_constraints_differ(&a->level, &b->level))
		return err_set(err, PROF_E_MISMATCH, message,
		    words_level_profile[b->level.value], b->level.label,
		    words_level_profile[a->level.value], a->level.label);
	if (merge_constraints_differ(&a->coverage, &b->coverage))
		return err_set(err, PROF_E_MISMATCH, message,
		    coverage_names[b->coverage.value], b->coverage.label,
		    coverage_names[a->coverage.value], a->coverage.label);
	if (a->frontend_first != 0 && b->frontend_first != 0 &&
	    (b->frontend_first > a->frontend_last ||
	    b->frontend_last < a->frontend_first))
		return err_set(err, PROF_E_MISMATCH, "front-end hashes of %s "
		    "(%s) cannot be subtracted from those of %s (%s)",
		    merge_hashes_text(b->frontend_first, b->frontend_last,
		    theirs_text), b->hash_rule, merge_hashes_text(
		    a->frontend_first, a->frontend_last, mine_text),
		    a->hash_rule);
	if (sum->inputs > least)
		sum->inputs = less->sum.inputs < sum->inputs - least ?
		    sum->inputs - less->sum.inputs : least;
	return PROF_OK;
}

struct prof_header
merge_head_sum(const struct merge_head *h)
{
	const struct merge_constraints all =
	    merge_head_constraints(h, h->size);
	struct prof_header sum = h->sum;

	sum.frontend_first = all.frontend_first;
	sum.frontend_last = all.frontend_last;
	if (!h->any_functions) {
		sum.level = h->idle_level;
		sum.flags |= h->idle_flags;
	}
	if (!sum.has_trace_stream_size)
		sum.trace_stream_size = 0;
	return sum;
}

/*
 * (count * times + parts / 2) / parts by long division in digits of 32 bits:
 * times and parts are at most 2^32-1 here.
 */
bool
merge_weigh_fraction(const struct merge_factor *w, uint64_t count,
    uint64_t *product)
{
	uint64_t low = (count & UINT32_MAX) * w->times + w->parts / 2;
	uint64_t high = (count >> 32) * w->times + (low >> 32);
	uint64_t rest = high % w->parts, quotient = high / w->parts;
	bool fits = quotient <= UINT32_MAX;

	rest = rest << 32 | (low & UINT32_MAX);
	*product = quotient << 32 | rest / w->parts;
	if (!fits)
		*product = UINT64_MAX;
	else if (*product == 0 && count != 0)
		*product = 1;
	return fits;
}
