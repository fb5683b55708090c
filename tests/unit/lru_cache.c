/* The LRU cache: what is found, which entry is evicted, and who frees it. */
#include "base/lru_cache.h"

#include <stdlib.h>

#include "tests/support/test.h"

struct thing {
	struct lru_entry entry;
	char name;
	size_t size;
};

struct key {
	char name;
	const struct thing *described;	/* the thing that is the key's */
};

static unsigned things;			/* not yet freed */

static bool
is_same(const void *entry, void *arg)
{
	const struct thing *b = entry;
	struct key *k = arg;

	if (b->name != k->name)
		return false;
	k->described = b;
	return true;
}

static size_t
size(const void *entry)
{
	const struct thing *b = entry;

	return b->size;
}

static void
free_thing(void *thing)
{
	things--;
	free(thing);
}

static const struct lru_entry_ops kind = { is_same, size, free_thing };

static struct thing *
make(char name, size_t bytes)
{
	struct thing *b = calloc(1, sizeof(*b));

	if (b == NULL)
		exit(1);
	things++;
	*b = (struct thing){ { &kind, 1 }, name, bytes };
	return b;
}

static struct thing *
put(struct lru_cache *s, char name, size_t bytes)
{
	return lru_cache_put(s, &(struct key){ name, NULL },
	    make(name, bytes));
}

static bool
has(struct lru_cache *s, char name)
{
	struct thing *b = lru_cache_find(s, &(struct key){ name, NULL });

	if (b != NULL)
		lru_cache_release(b);
	return b != NULL;
}

/*
 * Two threads search for one thing, and both find none; then both put theirs.
 * What the key of each says is about the thing that it got.
 */
static void
test_meeting(void)
{
	struct key first = { 'a', NULL }, second = first, third = first;
	struct thing *one, *two, *three;
	struct lru_cache s;

	lru_cache_init(&s, 100);
	check(lru_cache_find(&s, &first) == NULL &&
	    lru_cache_find(&s, &second) == NULL &&
	    first.described == NULL && second.described == NULL,
	    "two miss");
	one = lru_cache_put(&s, &first, make('a', 10));
	two = lru_cache_put(&s, &second, make('a', 10));
	three = lru_cache_find(&s, &third);
	check(one == two && one == three, "all get the thing of the first");
	check(first.described == one && second.described == one &&
	    third.described == one, "each key is about that thing");
	lru_cache_release(one);
	lru_cache_release(two);
	lru_cache_release(three);
	lru_cache_free(&s);
}

int
main(void)
{
	struct lru_cache s;
	struct thing *a, *same;

	lru_cache_init(&s, 100);
	check(!has(&s, 'a'), "nothing is found in an empty cache");
	a = put(&s, 'a', 10);
	check(a->entry.users == 2 && has(&s, 'a'),
	    "an entry that was put is found");
	same = put(&s, 'a', 10);
	check(same == a && things == 1,
	    "an equal entry is replaced by the cached one");
	lru_cache_release(same);
	lru_cache_release(put(&s, 'b', 10));
	lru_cache_release(put(&s, 'c', 10));
	lru_cache_release(put(&s, 'd', 10));
	check(has(&s, 'a') && things == 4, "four entries are cached");
	lru_cache_release(put(&s, 'e', 10));
	check(!has(&s, 'b') && has(&s, 'a') && things == 4,
	    "of five entries, the least recently used one is evicted");
	lru_cache_release(put(&s, 'f', 85));
	check(has(&s, 'f') && has(&s, 'a') && !has(&s, 'e') && things == 2,
	    "entries are evicted if they exceed the limit together");
	lru_cache_release(put(&s, 'g', 1000));
	check(has(&s, 'g') && !has(&s, 'a'),
	    "a single entry may exceed the limit");
	check(things == 2 && a->entry.users == 1,
	    "an evicted entry in use is not freed");
	lru_cache_release(a);
	lru_cache_clear(&s);
	check(things == 0 && !has(&s, 'g'), "a cleared cache is empty");
	check(lru_cache_note(&s, 7), "the first entry is worth making");
	check(!lru_cache_note(&s, 8) && lru_cache_note(&s, 8),
	    "others are if they come back");
	for (uint64_t i = 0; i < LRU_CACHE_NOTES; i++)
		lru_cache_note(&s, 100 + i);
	check(!lru_cache_note(&s, 8), "the oldest notes are forgotten");
	lru_cache_release(put(&s, 'h', 1));
	lru_cache_free(&s);
	check(things == 0, "a freed cache leaves no entry");
	test_meeting();
	return done_testing();
}
