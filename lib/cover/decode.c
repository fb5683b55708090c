/*
 * cover/decode.c - the mapping of one function, with its counts
 *
 * The encoding is that of CoverageMappingReader.cpp (LLVM 22; coverage(5)).
 * What is decoded stays in the decoder until the next function: regions of a
 * large program, all of them at once, would take many times the memory of their
 * encoding.
 */
#include "config.h"

#include "base/bytes.h"
#include "cover/mapping.h"

/* A counter as it is stored: what it is, and its number. */
enum { REF_ZERO, REF_COUNTER, REF_SUBTRACT, REF_ADD };
enum { REF_BITS = 2, REF_MASK = 3 };

struct expression {
	uint32_t left, right;
	uint8_t state;			/* of the evaluation */
	uint64_t value;
};

enum { EXPR_NEW, EXPR_BEGUN, EXPR_DONE };

/* A reference to a counter; the kind of an expression stands in it. */
static inline bool
decode_take_counter(const struct decoder *dec, uint64_t value, uint32_t *out)
{
	uint64_t number = value >> REF_BITS;
	uint8_t kind = value & REF_MASK;

	if (value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return kind < REF_SUBTRACT || number < dec->expressions_size;
}

static bool
decode_take_u32(struct cursor *c, uint32_t *out)
{
	uint64_t value = cur_uleb(c);

	*out = (uint32_t)value;
	return value < UINT32_MAX;
}

/* What comes before the range of a region. */
static inline bool
decode_kind(struct decoder *dec, struct cursor *c, struct decoded *d)
{
	static const uint8_t kinds[] = { COVER_CODE, COVER_KINDS, COVER_SKIPPED,
	    COVER_KINDS, COVER_BRANCH, COVER_DECISION, COVER_CONDITION };
	uint64_t v = cur_uleb(c), kind = v >> (REF_BITS + 1);

	if ((v & REF_MASK) != REF_ZERO)
		return decode_take_counter(dec, v, &d->counter);
	if ((v & (1 << REF_BITS)) != 0) {
		d->region.kind = COVER_EXPANSION;
		d->region.expanded = (uint32_t)kind;
		return kind < dec->files_size;
	}
	if (kind >= sizeof(kinds) || kinds[kind] == COVER_KINDS)
		return false;
	d->region.kind = kinds[kind];
	switch (d->region.kind) {
	case COVER_DECISION:
		return decode_take_u32(c, &d->bitmap) &&
		    decode_take_u32(c, &d->conditions);
	case COVER_BRANCH:
	case COVER_CONDITION:
		if (!decode_take_counter(dec, cur_uleb(c), &d->counter) ||
		    !decode_take_counter(dec, cur_uleb(c), &d->other))
			return false;
		if (d->region.kind == COVER_BRANCH)
			return true;
		/* Each is one more; 0 is none. */
		if (!decode_take_u32(c, &d->id) || d->id-- == 0 ||
		    !decode_take_u32(c, &d->next[1]) ||
		    !decode_take_u32(c, &d->next[0]))
			return false;
		d->next[0]--;
		d->next[1]--;
		return true;
	default:
		return true;
	}
}

/* The high bit of the last column marks a gap. */
#define GAP_BIT	UINT32_C(0x80000000)

/* Reads the range of a region; *line is that of the region before. */
static inline bool
decode_range(struct cursor *c, uint64_t *line, struct cover_region *r)
{
	uint64_t delta = cur_uleb(c), first = cur_uleb(c), lines = cur_uleb(c);
	uint64_t last = cur_uleb(c);

	if (c->failed || (delta | first | lines | last) > UINT32_MAX ||
	    (*line += delta) + lines > UINT32_MAX)
		return false;
	if ((last & GAP_BIT) != 0) {
		last &= ~GAP_BIT;
		if (r->kind == COVER_CODE)
			r->kind = COVER_GAP;
	}
	if (first == 0 && last == 0) {
		first = 1;
		last = UINT32_MAX;
	}
	r->start.line = (uint32_t)*line;
	r->start.column = (uint32_t)first;
	r->end.line = (uint32_t)(*line + lines);
	r->end.column = (uint32_t)last;
	return lines != 0 || last >= first;
}

/* The value of a counter, if it is known without an expression. */
static inline bool
decode_known(const struct decoder *dec, uint32_t ref, uint64_t *value,
    bool *bad)
{
	uint32_t number = ref >> REF_BITS;

	*value = 0;
	if ((ref & REF_MASK) == REF_ZERO)
		return true;
	if ((ref & REF_MASK) == REF_COUNTER) {
		if (number < dec->counters.size)
			*value = dec->counters.counts[number];
		else
			*bad |= dec->counters.counts != NULL;
		return true;
	}
	*value = dec->expressions[number].value;
	return dec->expressions[number].state == EXPR_DONE;
}

/*
 * The value of an expression.  Each is evaluated once, with a stack of its own:
 * a file may have deep ones.  False if a counter is missing, or an expression
 * stands for itself.
 */
static bool
decode_evaluate(struct decoder *dec, uint32_t ref, uint64_t *value)
{
	bool bad = false, left_known, right_known;
	uint64_t left, right;
	struct expression *e;

	dec->stack_size = 0;
	for (;;) {
		e = &dec->expressions[ref >> REF_BITS];
		left_known = decode_known(dec, e->left, &left, &bad);
		right_known = decode_known(dec, e->right, &right, &bad);
		if (bad)
			return false;
		if (left_known && right_known) {
			*value = e->value = (ref & REF_MASK) == REF_SUBTRACT ?
			    left - right : left + right;
			e->state = EXPR_DONE;
			if (dec->stack_size == 0)
				return true;
			ref = dec->stack[--dec->stack_size];
			continue;
		}
		e->state = EXPR_BEGUN;
		if (!ARRAY_ADD(dec->stack, dec->stack_size, dec->stack_room,
		    ref))
			return false;
		ref = left_known ? e->right : e->left;
		if (dec->expressions[ref >> REF_BITS].state == EXPR_BEGUN)
			return false;
	}
}

/* Evaluates the counts of a region; it is folded where there is no counter. */
static inline bool
decode_counts(struct decoder *dec, uint32_t counter, uint32_t other,
    struct cover_region *r)
{
	bool bad = false;

	r->folded = (counter & REF_MASK) == REF_ZERO;
	r->other_folded = (other & REF_MASK) == REF_ZERO;
	return (decode_known(dec, counter, &r->count, &bad) ||
	    decode_evaluate(dec, counter, &r->count)) &&
	    (decode_known(dec, other, &r->other, &bad) ||
	    decode_evaluate(dec, other, &r->other)) && !bad;
}

/* Bytes of a region: its kind, and the range. */
enum { REGION_MIN = 5 };

/* Kinds of regions that are parts of decisions, as bits. */
enum { PARTS = 1 << COVER_EXPANSION | 1 << COVER_DECISION |
    1 << COVER_CONDITION };

/* Reads the regions of one of the files, and counts them. */
static bool
decode_regions(struct decoder *dec, struct cursor *c, uint32_t file)
{
	uint64_t count = cur_uleb(c), line = 0;
	struct cover_region *r, decision = { 0 };
	struct decoded d = { 0 };

	dec->first_of[file] = (struct file_start){ .next = INDEX_NONE };
	if (count > cur_left(c) / REGION_MIN ||
	    !ARRAY_RESERVE(dec->regions, dec->regions_size, (size_t)count + 1,
	    dec->regions_room) || !ARRAY_RESERVE(dec->branches,
	    dec->branches_size, (size_t)count + 1, dec->branches_room))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		d.counter = d.other = d.region.expanded = 0;
		d.region.kind = COVER_CODE;
		if (!decode_kind(dec, c, &d))
			return false;
		r = d.region.kind == COVER_DECISION ? &decision :
		    d.region.kind < COVER_BRANCH ?
		    &dec->regions[dec->regions_size++] :
		    &dec->branches[dec->branches_size++];
		r->file = file;
		r->expanded = d.region.expanded;
		r->kind = d.region.kind;
		if (!decode_range(c, &line, r))
			return false;
		if (i == 0)
			dec->first_of[file] = (struct file_start){ d.counter,
			    d.region.kind == COVER_EXPANSION ?
			    d.region.expanded : INDEX_NONE };
		if (r == &decision)
			dec->has_decisions = true;
		else
			dec->uncountable |= !decode_counts(dec, d.counter,
			    d.other, r);
		if ((1 << d.region.kind & PARTS) == 0)
			continue;
		d.region = *r;
		if (!ARRAY_ADD(dec->parts, dec->parts_size, dec->parts_room, d))
			return false;
	}
	return true;
}

/*
 * An expansion has the count of the first region of the file that it expands
 * into, which may be an expansion in turn.  Each file is followed once.
 */
static bool
decode_expansions(struct decoder *dec)
{
	struct cover_region *r = dec->regions;
	struct file_start *f;
	uint32_t file;

	for (size_t i = dec->regions_size; i > 0; i--, r++) {
		if (r->kind != COVER_EXPANSION)
			continue;
		dec->stack_size = 0;
		/* On to a counter; the files on the way get it, too. */
		for (file = r->expanded; dec->first_of[file].next !=
		    INDEX_NONE && dec->stack_size < dec->files_size;
		    file = dec->first_of[file].next) {
			if (!ARRAY_ADD(dec->stack, dec->stack_size,
			    dec->stack_room, file))
				return false;
		}
		f = &dec->first_of[file];
		if (f->next != INDEX_NONE)
			*f = (struct file_start){ .next = INDEX_NONE };
		while (dec->stack_size > 0)
			dec->first_of[dec->stack[--dec->stack_size]] = *f;
		dec->uncountable |= !decode_counts(dec, f->counter, 0, r);
	}
	return true;
}

bool
decoder_read(struct decoder *dec, struct prof_span mapping,
    const struct cover_counters *counters, const uint32_t *paths,
    size_t paths_size)
{
	struct cursor c = { .data = mapping.data, .size = mapping.size };
	uint64_t count = cur_uleb(&c), file, left, right;

	dec->files_size = dec->expressions_size = 0;
	dec->regions_size = dec->branches_size = dec->parts_size = 0;
	dec->uncountable = dec->has_decisions = false;
	dec->counters = *counters;
	for (size_t i = 0; i < counters->size; i += 8)
		__builtin_prefetch(&counters->counts[i]);
	if (count > cur_left(&c) || !ARRAY_RESERVE(dec->first_of, 0,
	    (size_t)count, dec->first_room))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		file = cur_uleb(&c);
		if (file >= paths_size || !ARRAY_ADD(dec->files,
		    dec->files_size, dec->files_room, paths == NULL ? 0 :
		    paths[file]))
			return false;
	}
	count = cur_uleb(&c);
	if (count > cur_left(&c) || !ARRAY_RESERVE(dec->expressions, 0,
	    (size_t)count, dec->expressions_room))
		return false;
	dec->expressions_size = (size_t)count;
	for (size_t i = 0; i < dec->expressions_size; i++) {
		struct expression *e = &dec->expressions[i];

		e->state = EXPR_NEW;
		left = cur_uleb(&c);
		right = cur_uleb(&c);
		if (!decode_take_counter(dec, left, &e->left) ||
		    !decode_take_counter(dec, right, &e->right))
			return false;
	}
	for (uint32_t i = 0; i < dec->files_size; i++) {
		if (!decode_regions(dec, &c, i))
			return false;
	}
	return !c.failed && dec->files_size > 0 &&
	    dec->regions_size + dec->branches_size + dec->parts_size > 0 &&
	    decode_expansions(dec);
}

bool
decoder_is_unused(const struct decoder *dec)
{
	return dec->regions_size == 1 && dec->branches_size == 0 &&
	    !dec->has_decisions && dec->regions[0].folded;
}

/* The counts below 0 of some regions become 0. */
static void
decode_correct(struct cover_region *r, size_t size, struct cover_wrong *wrong)
{
	for (; size > 0; r++, size--) {
		uint64_t *counts[] = { &r->count, &r->other };

		for (unsigned i = 0; i < 2; i++) {
			if (*counts[i] <= COVER_COUNT_MAX)
				continue;
			if (wrong->size++ == 0) {
				wrong->count = *counts[i];
				wrong->line = r->start.line;
			}
			*counts[i] = 0;
		}
	}
}

void
decoder_correct(struct decoder *dec, struct cover_wrong *wrong)
{
	wrong->size = 0;
	decode_correct(dec->regions, dec->regions_size, wrong);
	decode_correct(dec->branches, dec->branches_size, wrong);
}

void
decoder_give(const struct decoder *dec, struct cover_function *f)
{
	f->regions = dec->regions;
	f->regions_size = dec->regions_size;
	f->branches = dec->branches;
	f->branches_size = dec->branches_size;
	f->count = f->regions_size > 0 ? f->regions[0].count : 0;
}

void
decoder_free(struct decoder *dec)
{
	free(dec->files);
	free(dec->expressions);
	free(dec->regions);
	free(dec->branches);
	free(dec->parts);
	free(dec->stack);
	free(dec->first_of);
}
