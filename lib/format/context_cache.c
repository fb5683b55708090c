#include "format/context_cache.h"

#include <stdlib.h>

/* Bytes of each kind, unless one thing alone takes more. */
enum { KEPT_MAX = 32 << 20 };

struct kept *
kept_new(void)
{
	struct kept *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->users = 1;
	shelf_init(&k->names, KEPT_MAX);
	shelf_init(&k->raw, KEPT_MAX);
	shelf_init(&k->indexed, KEPT_MAX);
	return k;
}

struct kept *
kept_hold(struct kept *k)
{
	__atomic_add_fetch(&k->users, 1, __ATOMIC_RELAXED);
	return k;
}

void
kept_forget(struct kept *k)
{
	shelf_clear(&k->names);
	shelf_clear(&k->raw);
	shelf_clear(&k->indexed);
}

void
kept_release(struct kept *k)
{
	if (k == NULL || __atomic_sub_fetch(&k->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	shelf_free(&k->names);
	shelf_free(&k->raw);
	shelf_free(&k->indexed);
	free(k);
}
