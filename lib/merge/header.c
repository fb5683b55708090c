#include "merge/state.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/record.h"

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

/* Removes the first `"key":value` from a list; of size 0 if there is none. */
static struct prof_span
merge_first_key(struct prof_span *list)
{
	struct prof_span first = { list->data, 0 };
	unsigned depth = 0;
	bool quoted = false;
	size_t i = 0;

	if (list->size == 0)
		return first;
	for (; i < list->size; i++) {
		uint8_t c = list->data[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']'))
			depth--;
		else if (!quoted && c == ',' && depth == 0)
			break;
	}
	first.size = i;
	if (i < list->size)
		i++;
	*list = (struct prof_span){ list->data + i, list->size - i };
	return first;
}

/*
 * Walks both lists side by side, as they are sorted by key.  Works in place:
 * each of millions of profiles may have other keys, and a copy of the rest for
 * each would fill the arena.
 */
void
merge_extra(struct prof_span *keys, struct prof_span other, bool *dropped)
{
	struct prof_span rest = *keys, theirs;
	uint8_t *out = (uint8_t *)(uintptr_t)keys->data;
	size_t size = 0;

	if (prof_span_equal(*keys, other))
		return;
	*dropped = true;
	theirs = merge_first_key(&other);
	while (rest.size != 0) {
		struct prof_span member = merge_first_key(&rest);

		/* Keys are compared without the quotation mark before them. */
		while (theirs.size != 0 && json_text_compare((struct prof_span){
		    theirs.data + 1, theirs.size - 1 }, (struct prof_span){
		    member.data + 1, member.size - 1 }) < 0)
			theirs = merge_first_key(&other);
		if (!prof_span_equal(theirs, member))
			continue;
		if (size != 0)
			out[size++] = ',';
		memmove(out + size, member.data, member.size);
		size += member.size;
	}
	keys->size = size;
}

static enum prof_status
merge_head_extra(struct merge_head *h, struct arena *a, struct prof_span extra,
    struct prof_error *err)
{
	if (h->any)
		merge_extra(&h->sum.extra, extra, &h->extra_dropped);
	if (h->any || extra.size == 0)
		return PROF_OK;
	h->sum.extra = arena_copy(a, extra);
	return h->sum.extra.data == NULL ? err_memory(err) : PROF_OK;
}

enum prof_status
merge_head_begin(struct merge_head *h, struct arena *a,
    const struct prof_header *own, struct prof_error *err)
{
	if (merge_head_extra(h, a, own->extra, err) != PROF_OK)
		return PROF_FAIL;
	if (!h->any)
		h->sum.kind = own->kind;
	else if (h->sum.kind != own->kind)
		h->sum.kind = PROF_MIXED;
	h->any = true;
	arena_reset(&h->label_arena);
	h->arena = a;
	h->label = merge_source_label(&h->label_arena, &own->source);
	if (h->label == NULL)
		return err_memory(err);
	h->own = *own;
	h->own_functions = false;
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

/*
 * A profile gives its rule of front-end hashes as a range of versions; one rule
 * must be in the ranges of all profiles.
 */
static enum prof_status
merge_constrain_hash_rule(struct merge_constraints *c, unsigned first,
    unsigned last, const char *label, struct prof_error *err)
{
	if (first == 0)
		return PROF_OK;
	if (c->frontend_first == 0) {
		c->frontend_first = first;
		c->frontend_last = last;
		c->hash_rule = label;
		return PROF_OK;
	}
	if (first > c->frontend_last || last < c->frontend_first)
		return err_set(err, PROF_E_MISMATCH, "front-end hashes of "
		    "versions %u to %u cannot be merged with those of "
		    "%u to %u (%s)", first, last, c->frontend_first,
		    c->frontend_last, c->hash_rule);
	if (first > c->frontend_first)
		c->frontend_first = first;
	if (last < c->frontend_last)
		c->frontend_last = last;
	return PROF_OK;
}

enum prof_status
merge_constrain(struct merge_constraints *c, const struct prof_header *own,
    const char *label, struct prof_error *err)
{
	bool coverage = own->flags & PROF_BYTE_COVERAGE;

	if (own->level != PROF_LEVEL_UNKNOWN && merge_constrain_value(
	    &c->level, (int)own->level, label, words_level_profile, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (merge_constrain_value(&c->coverage, coverage, label,
	    coverage_names, err) != PROF_OK)
		return PROF_FAIL;
	return merge_constrain_hash_rule(c, own->frontend_first,
	    own->frontend_last, label, err);
}

/*
 * Copies the label of the profile being read where a constraint has it.  False
 * if out of memory: these constraints have no label then.
 */
static bool
merge_copy_label(struct merge_head *h)
{
	struct merge_constraints *c = &h->constraints;
	const char **const labels[] = { &c->level.label, &c->coverage.label,
	    &c->hash_rule };
	const char *copy = NULL;
	bool copied = true;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (*labels[i] != h->label)
			continue;
		if (copy == NULL)
			copy = (const char *)arena_copy(h->arena,
			    (struct prof_span){ (const uint8_t *)h->label,
			    strlen(h->label) + 1 }).data;
		copied = copied && copy != NULL;
		*labels[i] = copy;
	}
	return copied;
}

enum prof_status
merge_head_function(struct merge_head *h, struct prof_error *err)
{
	enum prof_status status;

	if (h->own_functions)
		return PROF_OK;
	h->own_functions = h->any_functions = true;
	h->sum.flags |= h->own.flags;
	if (h->own.level != PROF_LEVEL_UNKNOWN)
		h->sum.level = h->own.level;
	status = merge_constrain(&h->constraints, &h->own, h->label, err);
	return merge_copy_label(h) ? status : err_memory(err);
}

enum prof_status
merge_mixes(const struct merge *m, const struct prof_header *own,
    bool functions, struct prof_error *err)
{
	struct merge_head copy = m->head;
	struct arena arena = { 0 };
	enum prof_status status;

	copy.label_arena = (struct arena){ 0 };
	copy.sum.extra.size = 0;
	status = merge_head_begin(&copy, &arena, own, err);
	if (status == PROF_OK && functions)
		status = merge_head_function(&copy, err);
	arena_free(&arena);
	merge_head_free(&copy);
	return status;
}

void
merge_head_end(struct merge_head *h, uint64_t traces)
{
	uint64_t seen = h->own.has_trace_stream_size ?
	    h->own.trace_stream_size : traces;

	if (h->own.has_trace_stream_size)
		h->sum.has_trace_stream_size = true;
	h->sum.trace_stream_size = saturating_add(h->sum.trace_stream_size,
	    seen);
}

enum prof_status
merge_head_join(struct merge *m, const struct merge_head *from,
    struct prof_error *err)
{
	struct merge_head *h = &m->head;
	struct merge_constraints *all = &h->constraints;
	const struct merge_constraints *more = &from->constraints;
	struct prof_header *sum = &h->sum;
	const struct prof_header *b = &from->sum;
	struct prof_error none = { 0 };	/* hash rules are known to fit */

	/* Functions drop keys, too: the head itself may have none. */
	h->extra_dropped = h->extra_dropped || from->extra_dropped;
	if (!from->any)
		return PROF_OK;
	if (merge_head_extra(h, &m->head_arena, b->extra, err) != PROF_OK)
		return PROF_FAIL;
	sum->kind = h->any && sum->kind != b->kind ? PROF_MIXED : b->kind;
	h->any = true;
	sum->flags |= b->flags;
	sum->inputs = saturating_add(sum->inputs, b->inputs);
	if (b->wave_size > sum->wave_size)
		sum->wave_size = b->wave_size;
	if (b->level != PROF_LEVEL_UNKNOWN)
		sum->level = b->level;
	if (b->has_trace_stream_size)
		sum->has_trace_stream_size = true;
	sum->trace_stream_size = saturating_add(sum->trace_stream_size,
	    b->trace_stream_size);
	h->any_functions = h->any_functions || from->any_functions;
	h->idle_flags |= from->idle_flags;
	if (from->idle_level == PROF_LEVEL_IR)
		h->idle_level = from->idle_level;
	if (all->level.label == NULL)
		all->level = more->level;
	if (all->coverage.label == NULL)
		all->coverage = more->coverage;
	merge_constrain_hash_rule(all, more->frontend_first,
	    more->frontend_last, more->hash_rule, &none);
	return PROF_OK;
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
	const struct merge_constraints *a = &h->constraints;
	const struct merge_constraints *b = &less->constraints;
	struct prof_header *sum = &h->sum;

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
		return err_set(err, PROF_E_MISMATCH, "front-end hashes of "
		    "versions %u to %u (%s) cannot be subtracted from those of "
		    "%u to %u (%s)", b->frontend_first, b->frontend_last,
		    b->hash_rule, a->frontend_first, a->frontend_last,
		    a->hash_rule);
	if (sum->inputs > least)
		sum->inputs = less->sum.inputs < sum->inputs - least ?
		    sum->inputs - less->sum.inputs : least;
	return PROF_OK;
}

struct prof_header
merge_head_sum(const struct merge_head *h)
{
	struct prof_header sum = h->sum;

	sum.frontend_first = h->constraints.frontend_first;
	sum.frontend_last = h->constraints.frontend_last;
	if (!h->any_functions) {
		sum.level = h->idle_level;
		sum.flags |= h->idle_flags;
	}
	if (!sum.has_trace_stream_size)
		sum.trace_stream_size = 0;
	return sum;
}

void
merge_head_free(struct merge_head *h)
{
	arena_free(&h->label_arena);
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
