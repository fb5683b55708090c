/* Heap profiles at another place of a file: offsets, and damaged ones. */
#include "format/memprof_move.h"

#include "test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { OLD = 544, MAX_WORDS = 24 };

/*
 * Sections in words, each hash table a payload of one word, and a head of one
 * bucket: NumBuckets, NumEntries, offset.  Words listed in moved are offsets.
 */
#define AT(word) (OLD + 8 * (word))

static const struct {
	const char *name;
	unsigned version, field;
	size_t words;
	uint64_t word[MAX_WORDS];
	size_t moved[8];	/* ends with 0, but for a first one */
	size_t moved_count;
} sections[] = {
	/* Schema at 3, tables at 6 and 10. */
	{ "version 0", 0, 19, 13, { AT(6), AT(9), AT(10), 1, 19, 77,
	    1, 1, AT(5), 77, 1, 1, AT(9) }, { 0, 1, 2, 8, 12 }, 5 },
	{ "version 1", 1, 5, 14, { 1, AT(7), AT(10), AT(11), 1, 5, 77,
	    1, 1, AT(6), 77, 1, 1, AT(10) }, { 1, 2, 3, 9, 13 }, 5 },
	{ "version 2", 2, 23, 21, { 2, AT(10), AT(13), AT(14), AT(17), AT(18),
	    2, 1, 23, 77, 1, 1, AT(9), 77, 1, 1, AT(13), 77, 1, 1, AT(17) },
	    { 1, 2, 3, 4, 5, 12, 16, 20 }, 8 },
	{ "version 3", 3, 1, 12, { 3, AT(7), AT(8), AT(9), 1, 1, 77, 77, 77,
	    1, 1, AT(8) }, { 1, 2, 3, 11 }, 4 },
	/* A summary of 4 + 0 bytes makes the schema lie askew. */
	{ "version 4", 4, 0, 14, { 4, AT(8), AT(9), AT(10), AT(13), 0, 0, 77,
	    77, 77, 1, 1, AT(9), 77 }, { 1, 2, 3, 4, 12 }, 5 },
	{ "version 4 without data accesses", 4, 0, 13, { 4, AT(8), AT(9),
	    AT(10), 0, 0, 0, 77, 77, 77, 1, 1, AT(9) }, { 1, 2, 3, 12 }, 4 },
	{ "an empty bucket", 3, 1, 13, { 3, AT(7), AT(8), AT(9), 1, 1, 77, 77,
	    77, 2, 1, 0, AT(8) }, { 1, 2, 3, 12 }, 4 },
};

static void
put_words(struct buf *b, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_u64le(b, words[i]);
}

static struct prof_heap
heap_of(const struct buf *b)
{
	return (struct prof_heap){ { b->data, b->size }, OLD };
}

static bool
is_moved(size_t section, size_t word)
{
	for (size_t i = 0; i < sections[section].moved_count; i++) {
		if (sections[section].moved[i] == word)
			return true;
	}
	return false;
}

static void
test_moves(void)
{
	static const uint64_t to[] = { OLD, 8, 104, (uint64_t)1 << 40 };

	for (size_t i = 0; i < COUNT(sections); i++) {
		for (size_t k = 0; k < COUNT(to); k++) {
			struct buf old = { 0 }, want = { 0 }, got = { 0 };
			struct prof_error err = { 0 };
			struct prof_heap heap;

			put_words(&old, sections[i].word, sections[i].words);
			buf_u8(&got, 1);
			buf_u8(&want, 1);
			for (size_t n = 0; n < sections[i].words; n++)
				buf_u64le(&want, sections[i].word[n] +
				    (is_moved(i, n) ? to[k] - OLD : 0));
			heap = heap_of(&old);
			check(memprof_move(&heap, to[k], &got, &err) ==
			    PROF_OK && got.size == want.size &&
			    memcmp(got.data, want.data, want.size) == 0,
			    "%s to %llu: %s", sections[i].name,
			    (unsigned long long)to[k], err.reason);
			buf_free(&old);
			buf_free(&want);
			buf_free(&got);
		}
	}
}

static void
test_looks(void)
{
	for (size_t i = 0; i < COUNT(sections); i++) {
		struct memprof_needs needs = { 99, 99 };
		struct prof_error err = { 0 };
		struct buf old = { 0 };
		struct prof_heap heap;

		put_words(&old, sections[i].word, sections[i].words);
		heap = heap_of(&old);
		check(memprof_look(&heap, &needs, &err) == PROF_OK &&
		    needs.version == sections[i].version &&
		    needs.field == sections[i].field, "needs of %s: %s",
		    sections[i].name, err.reason);
		buf_free(&old);
	}
}

/* A section with one word that is wrong, or cut. */
static const struct {
	const char *name;
	size_t section, word;
	uint64_t value;
	size_t words;		/* that are left, or 0 */
	enum prof_code code;
	uint64_t offset;
} bad[] = {
	{ "no word", 3, 0, 3, 1, PROF_E_TRUNCATED, OLD },
	{ "a version to come", 3, 0, 5, 0, PROF_E_VERSION, OLD },
	{ "before the section", 3, 1, OLD - 8, 0, PROF_E_CORRUPT, AT(1) },
	{ "in the words before", 3, 1, AT(3), 0, PROF_E_CORRUPT, AT(1) },
	{ "behind the section", 3, 3, AT(13), 0, PROF_E_CORRUPT, AT(3) },
	{ "not ascending", 3, 2, AT(6), 0, PROF_E_CORRUPT, AT(2) },
	{ "near 2^64", 3, 2, UINT64_MAX, 0, PROF_E_CORRUPT, AT(2) },
	{ "a head at the end", 3, 3, AT(11), 0, PROF_E_TRUNCATED, AT(11) },
	{ "too many buckets", 3, 9, 2, 0, PROF_E_TRUNCATED, AT(9) },
	{ "2^61 buckets", 3, 9, (uint64_t)1 << 61, 0, PROF_E_TRUNCATED,
	    AT(9) },
	{ "a bucket before the payload", 3, 11, AT(7), 0, PROF_E_CORRUPT,
	    AT(11) },
	{ "a bucket in the head", 3, 11, AT(9), 0, PROF_E_CORRUPT, AT(11) },
	{ "the next table begins inside", 0, 1, AT(8), 0, PROF_E_TRUNCATED,
	    AT(6) },
	{ "an odd place", 4, 4, AT(11), 0, PROF_E_TRUNCATED, AT(10) },
};

static void
test_damage(void)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		size_t s = bad[i].section, n = bad[i].words;
		uint64_t words[MAX_WORDS];
		struct buf old = { 0 }, got = { 0 };
		struct prof_error err = { 0 };
		struct prof_heap heap;

		memcpy(words, sections[s].word, sizeof(words));
		words[bad[i].word] = bad[i].value;
		put_words(&old, words, n == 0 ? sections[s].words : n);
		heap = heap_of(&old);
		check(memprof_move(&heap, 8, &got, &err) == PROF_FAIL &&
		    err.code == bad[i].code && err.offset == bad[i].offset &&
		    got.size == 0, "%s: %s", bad[i].name, err.reason);
		buf_free(&old);
		buf_free(&got);
	}
}

static void
test_schema(void)
{
	static const uint64_t words[] = { 3, AT(4), AT(4), AT(4), 9, 1 };
	struct memprof_needs needs;
	struct prof_error err = { 0 };
	struct buf old = { 0 };
	struct prof_heap heap;

	put_words(&old, words, COUNT(words));
	heap = heap_of(&old);
	check(memprof_look(&heap, &needs, &err) == PROF_FAIL &&
	    err.code == PROF_E_TRUNCATED && err.offset == AT(4),
	    "too long a schema: %s", err.reason);
	buf_free(&old);
}

static void
test_alignment(void)
{
	struct buf old = { 0 }, got = { 0 };
	struct prof_error err = { 0 };
	struct prof_heap heap;

	put_words(&old, sections[0].word, sections[0].words);
	heap = heap_of(&old);
	check(memprof_move(&heap, OLD + 4, &got, &err) == PROF_FAIL &&
	    err.code == PROF_E_CORRUPT, "by 4 bytes: %s", err.reason);
	buf_free(&old);
	buf_free(&got);
}

int
main(void)
{
	test_moves();
	test_looks();
	test_damage();
	test_schema();
	test_alignment();
	return done_testing();
}
