/* Two indexed images compared by look-ups: the result is that of tables. */
#include "ops/diff/join.h"

#include <stdio.h>
#include <string.h>

#include "prof/lookup.h"
#include "tests/support/streams.h"

#define CS ((uint64_t)1 << 60)

enum { A = OVERLAP_A, B = OVERLAP_B, CLASSES = 2, STATES = OVERLAP_NEW + 1 };

/* A profile as records of a table, and as an image. */
struct side {
	struct diff_table *table;
	int number;
	struct prof_writer *writer;
	struct buf image;
};

static void
put(struct side *s, const struct prof_record *r)
{
	if (diff_table_add(s->table, s->number, r, NULL) != PROF_OK ||
	    prof_put(s->writer, r, NULL) != PROF_OK)
		check(false, "a record is added");
}

static void
begin(struct side *s)
{
	static const struct prof_target target = { .format = "indexed" };
	const struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile.level = PROF_LEVEL_IR };

	s->writer = prof_writer_new(NULL, &target, collect, &s->image, NULL);
	put(s, &r);
}

static void
finish(struct side *s)
{
	check(prof_finish(s->writer, NULL) == PROF_OK, "an image is written");
	prof_writer_free(s->writer);
}

static void
put_function(struct side *s, unsigned name, uint64_t hash, uint64_t count,
    size_t size)
{
	char text[16];
	const uint64_t counts[] = { count, 1, 2 };
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.name = { (const uint8_t *)text, (size_t)
	    snprintf(text, sizeof(text), "f%u", name) }, .hash = hash,
	    .counts = counts, .counts_size = size } };

	put(s, &r);
}

/*
 * Of each five names one is of this side only, and the others have the same
 * hash, another one, another number of counters, or a second hash besides; half
 * of the latter begin with a hash that the other side lacks.
 */
static void
fill(struct side *s, unsigned names)
{
	unsigned side = (unsigned)s->number;

	begin(s);
	for (unsigned i = 0; i < names; i++) {
		uint64_t class = i % 3 == 0 ? CS : 0, hash = i + 1;
		unsigned name = i % 5 == 0 ? 2 * i + side : 2 * i;

		if (i % 5 == 2)
			hash += side << 16;
		if (i % 10 == 9)
			put_function(s, name, side + 1, 3, 1);
		put_function(s, name, class | hash, i * (side + 1) + 1,
		    i % 5 == 3 ? 2 + side : 2);
		if (i % 5 == 4)
			put_function(s, name, hash + (1 << 20), side * i, 1);
	}
	finish(s);
}

/* What is told of functions. */
struct told {
	size_t states[STATES];
	uint64_t counts[OVERLAP_SIDES];
	double shares[OVERLAP_SIDES];
};

static bool
tell(void *arg, const struct overlap_change *c)
{
	struct told *t = arg;

	t->states[c->state]++;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		t->counts[s] += c->count[s];
		t->shares[s] += c->share[s];
	}
	return true;
}

static bool
near(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static bool
are_same(const struct overlap *a, const struct overlap *b)
{
	bool same = a->common == b->common && a->misfit == b->misfit &&
	    a->unused == b->unused &&
	    near(a->counts.overlap.sum, b->counts.overlap.sum);

	for (int s = 0; s < OVERLAP_SIDES; s++)
		same = same && a->records[s] == b->records[s] &&
		    a->stale[s] == b->stale[s] &&
		    a->unmatched[s] == b->unmatched[s] &&
		    near(a->counts.sum[s], b->counts.sum[s]) &&
		    near(a->counts.stale[s].sum,
		    b->counts.stale[s].sum) &&
		    near(a->counts.misfit[s].sum,
		    b->counts.misfit[s].sum) &&
		    near(a->counts.unmatched[s].sum,
		    b->counts.unmatched[s].sum);
	return same;
}

static bool
told_same(const struct told *a, const struct told *b)
{
	return memcmp(a->states, b->states, sizeof(a->states)) == 0 &&
	    memcmp(a->counts, b->counts, sizeof(a->counts)) == 0 &&
	    near(a->shares[A], b->shares[A]) &&
	    near(a->shares[B], b->shares[B]);
}

/* Functions of names that were passed: summed up, and compared. */
struct passed {
	size_t functions[2];
};

static void
pass_name(void *arg, size_t functions, bool compared)
{
	struct passed *p = arg;

	p->functions[compared] += functions;
}

static enum prof_status
join(const struct side sides[OVERLAP_SIDES], struct overlap out[CLASSES],
    struct told told[CLASSES], struct passed *passed)
{
	const struct diff_join_watch watch = { pass_name, passed };

	struct prof_context *context = prof_context_new(NULL, NULL);
	struct diff_join_class classes[CLASSES];
	struct prof_lookup *lookups[OVERLAP_SIDES];
	enum prof_status status;

	for (int i = 0; i < CLASSES; i++)
		classes[i] = (struct diff_join_class){ &out[i], tell,
		    &told[i] };
	for (int s = 0; s < OVERLAP_SIDES; s++)
		lookups[s] = prof_lookup_open(context, (struct prof_span){
		    sides[s].image.data, sides[s].image.size }, NULL);
	status = lookups[A] == NULL || lookups[B] == NULL ? PROF_END :
	    diff_join(lookups, classes, &watch, NULL);
	for (int s = 0; s < OVERLAP_SIDES; s++)
		prof_lookup_close(lookups[s]);
	prof_context_free(context);
	return status;
}

/* Some bytes of the functions in the middle of one image are others. */
static void
test_damage(struct side sides[OVERLAP_SIDES])
{
	struct overlap out[CLASSES];
	struct told told[CLASSES] = { 0 };
	struct passed passed = { { 0 } };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		uint8_t *p = sides[s].image.data + sides[s].image.size / 2;
		uint8_t sound[40];

		memcpy(sound, p, sizeof(sound));
		memset(p, 0xff, sizeof(sound));
		check(join(sides, out, told, &passed) == PROF_FAIL,
		    "damage of side %d is an error", s);
		memcpy(p, sound, sizeof(sound));
	}
}

static void
test_pair(unsigned names_of_a, unsigned names_of_b)
{
	struct diff_table t = { 0 };
	struct side sides[] = { { &t, A, NULL, { 0 } },
	    { &t, B, NULL, { 0 } } };
	struct overlap got[CLASSES] = { 0 }, want;
	struct told got_told[CLASSES] = { 0 };
	struct passed passed = { { 0 } };
	size_t functions = 0;

	fill(&sides[A], names_of_a);
	fill(&sides[B], names_of_b);
	check(join(sides, got, got_told, &passed) == PROF_OK,
	    "%u and %u names are joined", names_of_a, names_of_b);
	for (int i = 0; i < CLASSES; i++) {
		struct told told = { 0 };

		overlap_compare(&t, i == 1, &want, tell, &told);
		check(are_same(&got[i], &want) && told_same(&got_told[i],
		    &told), "class %d: %zu functions changed, %zu misfit, "
		    "%zu stale, %zu lost, %zu new", i, told.states[0],
		    told.states[1], told.states[2], told.states[3],
		    told.states[4]);
		if (names_of_a == names_of_b && names_of_a > 1)
			check(got[i].common != 0 && got[i].misfit != 0 &&
			    got[i].stale[A] != 0 && got[i].unmatched[B] != 0,
			    "all of which there are");
		functions += (size_t)(got[i].records[A] + got[i].records[B]);
	}
	/* Both sides are compared, as each has functions of its own. */
	check(passed.functions[false] == functions &&
	    passed.functions[true] == functions,
	    "%zu functions are passed twice", functions);
	if (names_of_a > 100 && names_of_b > 100)
		test_damage(sides);
	buf_free(&sides[A].image);
	buf_free(&sides[B].image);
	diff_table_free(&t);
}

int
main(void)
{
	static const unsigned names[] = { 1, 40, 3000 };

	for (size_t a = 0; a < COUNT(names); a++) {
		for (size_t b = 0; b < COUNT(names); b++)
			test_pair(names[a], names[b]);
	}
	return done_testing();
}
