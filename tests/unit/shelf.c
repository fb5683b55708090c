/* The shelf: what is kept, in which order it goes, and who lets go of it. */
#include "base/lru_cache.h"

#include <stdlib.h>

#include "tests/support/test.h"

struct book {
	struct lru_entry shelf;
	char title;
	size_t size;
};

static unsigned books;			/* that there are */

static bool
is_same(const void *thing, void *key)
{
	const struct book *b = thing;

	return b->title == *(char *)key;
}

static size_t
size(const void *thing)
{
	const struct book *b = thing;

	return b->size;
}

static void
free_book(void *thing)
{
	books--;
	free(thing);
}

static const struct lru_entry_ops kind = { is_same, size, free_book };

static struct book *
put(struct lru_cache *s, char title, size_t bytes)
{
	struct book *b = calloc(1, sizeof(*b));

	if (b == NULL)
		exit(1);
	books++;
	*b = (struct book){ { &kind, 1 }, title, bytes };
	return lru_cache_put(s, &title, b);
}

static bool
has(struct lru_cache *s, char title)
{
	struct book *b = lru_cache_find(s, &title);

	if (b != NULL)
		lru_cache_release(b);
	return b != NULL;
}

int
main(void)
{
	struct lru_cache s;
	struct book *a, *same;

	lru_cache_init(&s, 100);
	check(!has(&s, 'a'), "nothing is found on an empty shelf");
	a = put(&s, 'a', 10);
	check(a->shelf.users == 2 && has(&s, 'a'), "what was put is found");
	same = put(&s, 'a', 10);
	check(same == a && books == 1, "who comes second gets the first's");
	lru_cache_release(same);
	lru_cache_release(put(&s, 'b', 10));
	lru_cache_release(put(&s, 'c', 10));
	lru_cache_release(put(&s, 'd', 10));
	check(has(&s, 'a') && books == 4, "four are kept");
	lru_cache_release(put(&s, 'e', 10));
	check(!has(&s, 'b') && has(&s, 'a') && books == 4,
	    "of five, the one goes that was not used for longest");
	lru_cache_release(put(&s, 'f', 85));
	check(has(&s, 'f') && has(&s, 'a') && !has(&s, 'e') && books == 2,
	    "and those that are too much together");
	lru_cache_release(put(&s, 'g', 1000));
	check(has(&s, 'g') && !has(&s, 'a'), "one thing alone may be larger");
	check(books == 2 && a->shelf.users == 1, "what is used stays");
	lru_cache_release(a);
	lru_cache_clear(&s);
	check(books == 0 && !has(&s, 'g'), "a cleared shelf has nothing");
	lru_cache_release(put(&s, 'h', 1));
	lru_cache_free(&s);
	check(books == 0, "nor one that is gone");
	return done_testing();
}
