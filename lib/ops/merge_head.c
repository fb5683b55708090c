#include "ops/merge_head.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

/* "file[member]", or what else says which profile is meant. */
static const char *
label_of(struct arena *a, const struct prof_source *s)
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
	return p;
}

static const char *const kind_names[] = {
	[PROF_INSTR] = "instrumentation",
	[PROF_MEMPROF] = "heap",
	[PROF_MIXED] = "mixed instrumentation and heap",
};

/* Takes the first `"key":value` off a list of them. */
static struct prof_span
first_member(struct prof_span *list)
{
	struct prof_span first = { list->data, 0 };
	unsigned depth = 0;
	bool quoted = false;
	size_t i = 0;

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

static bool
has_member(struct prof_span list, struct prof_span member)
{
	while (list.size != 0) {
		if (prof_span_equal(first_member(&list), member))
			return true;
	}
	return false;
}

bool
merge_extra(struct prof_span *kept, struct prof_span other, struct arena *a,
    bool *dropped)
{
	struct prof_span rest = *kept;
	uint8_t *out;
	size_t size = 0;

	if (prof_span_equal(*kept, other))
		return true;
	*dropped = true;
	out = arena_alloc(a, kept->size);
	if (out == NULL)
		return false;
	while (rest.size != 0) {
		struct prof_span member = first_member(&rest);

		if (!has_member(other, member))
			continue;
		if (size != 0)
			out[size++] = ',';
		memcpy(out + size, member.data, member.size);
		size += member.size;
	}
	*kept = (struct prof_span){ out, size };
	return true;
}

static enum prof_status
set_extra(struct merge_head *h, struct arena *a, struct prof_span extra,
    struct prof_error *err)
{
	if (h->any)
		return merge_extra(&h->sum.extra, extra, a,
		    &h->extra_dropped) ? PROF_OK : err_memory(err);
	if (extra.size == 0)
		return PROF_OK;
	h->sum.extra = arena_copy(a, extra);
	return h->sum.extra.data == NULL ? err_memory(err) : PROF_OK;
}

enum prof_status
merge_head_begin(struct merge_head *h, struct arena *a,
    const struct prof_header *own, struct prof_error *err)
{
	if (own->kind != PROF_INSTR)
		return err_set(err, PROF_E_UNSUPPORTED,
		    "%s profiles are not merged", kind_names[own->kind]);
	if (set_extra(h, a, own->extra, err) != PROF_OK)
		return PROF_FAIL;
	h->any = true;
	h->current = label_of(a, &own->source);
	if (h->current == NULL)
		return err_memory(err);
	h->own = *own;
	h->own_functions = false;
	h->sum.flags |= own->flags & PROF_SALVAGED;
	h->sum.inputs = h->sum.inputs +
	    (own->inputs == 0 ? 1 : own->inputs);
	if (own->wave_size > h->sum.wave_size)
		h->sum.wave_size = own->wave_size;
	h->idle_flags |= own->flags;
	if (own->level == PROF_LEVEL_IR)
		h->idle_level = own->level;
	return PROF_OK;
}

static enum prof_status
agree(struct merge_head *h, struct merge_claim *claim, int value,
    const char *const names[], struct prof_error *err)
{
	if (claim->who == NULL) {
		claim->who = h->current;
		claim->value = value;
	}
	if (claim->value == value)
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "%s (%s) cannot be merged with "
	    "%s (%s)", names[value], h->current, names[claim->value],
	    claim->who);
}

static const char *const level_names[] = {
	[PROF_LEVEL_IR] = "an IR profile",
	[PROF_LEVEL_FRONTEND] = "a front-end profile",
};

static const char *const coverage_names[] = {
	"a profile of counts", "a profile of byte coverage",
};

/* Front-end hashes of all profiles must be able to follow one rule. */
static enum prof_status
agree_on_hash_rule(struct merge_head *h, struct prof_error *err)
{
	unsigned first = h->own.frontend_first, last = h->own.frontend_last;
	struct prof_header *sum = &h->sum;

	if (first == 0)
		return PROF_OK;
	if (sum->frontend_first == 0) {
		sum->frontend_first = first;
		sum->frontend_last = last;
		h->hash_rule.who = h->current;
		return PROF_OK;
	}
	if (first > sum->frontend_last || last < sum->frontend_first)
		return err_set(err, PROF_E_MISMATCH, "front-end hashes of "
		    "versions %u to %u (%s) cannot be merged with those of "
		    "%u to %u (%s)", first, last, h->current,
		    sum->frontend_first, sum->frontend_last,
		    h->hash_rule.who);
	if (first > sum->frontend_first)
		sum->frontend_first = first;
	if (last < sum->frontend_last)
		sum->frontend_last = last;
	return PROF_OK;
}

enum prof_status
merge_head_function(struct merge_head *h, struct prof_error *err)
{
	bool coverage = h->own.flags & PROF_BYTE_COVERAGE;

	if (h->own_functions)
		return PROF_OK;
	h->own_functions = h->any_functions = true;
	h->sum.flags |= h->own.flags;
	if (h->own.level != PROF_LEVEL_UNKNOWN) {
		if (agree(h, &h->level, (int)h->own.level, level_names, err)
		    != PROF_OK)
			return PROF_FAIL;
		h->sum.level = h->own.level;
	}
	if (agree(h, &h->coverage, coverage, coverage_names, err) != PROF_OK)
		return PROF_FAIL;
	return agree_on_hash_rule(h, err);
}

void
merge_head_end(struct merge_head *h, uint64_t traces)
{
	uint64_t seen = h->own.has_trace_stream_size ?
	    h->own.trace_stream_size : traces;

	if (h->own.has_trace_stream_size)
		h->sum.has_trace_stream_size = true;
	h->sum.trace_stream_size += seen;
}

static bool
differ(const struct merge_claim *a, const struct merge_claim *b)
{
	return a->who != NULL && b->who != NULL && a->value != b->value;
}

enum prof_status
merge_head_subtract(const struct merge_head *h, const struct merge_head *less,
    struct prof_error *err)
{
	static const char message[] = "%s (%s) cannot be taken from %s (%s)";
	const struct prof_header *a = &h->sum, *b = &less->sum;

	if (differ(&h->level, &less->level))
		return err_set(err, PROF_E_MISMATCH, message,
		    level_names[less->level.value], less->level.who,
		    level_names[h->level.value], h->level.who);
	if (differ(&h->coverage, &less->coverage))
		return err_set(err, PROF_E_MISMATCH, message,
		    coverage_names[less->coverage.value], less->coverage.who,
		    coverage_names[h->coverage.value], h->coverage.who);
	if (a->frontend_first != 0 && b->frontend_first != 0 &&
	    (b->frontend_first > a->frontend_last ||
	    b->frontend_last < a->frontend_first))
		return err_set(err, PROF_E_MISMATCH, "front-end hashes of "
		    "versions %u to %u (%s) cannot be taken from those of "
		    "%u to %u (%s)", b->frontend_first, b->frontend_last,
		    less->hash_rule.who, a->frontend_first, a->frontend_last,
		    h->hash_rule.who);
	return PROF_OK;
}

struct prof_header
merge_head_sum(const struct merge_head *h)
{
	struct prof_header sum = h->sum;

	if (!h->any_functions) {
		sum.level = h->idle_level;
		sum.flags |= h->idle_flags;
	}
	if (!sum.has_trace_stream_size)
		sum.trace_stream_size = 0;
	return sum;
}
