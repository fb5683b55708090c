/* The tables of the sum are freed, some before others. */
#include <stdlib.h>

#include "merge/heap/state.h"

static void
mheap_free_local(struct mheap_local *l)
{
	free(l->modules);
	free(l->ranges);
	intervals_free(&l->by_address);
	heap_refs_free(&l->refs);
	frame_numbers_free(&l->frames);
	*l = (struct mheap_local){ .ranges = NULL };
}

void
mheap_free_lookups(struct merge_heap *h)
{
	hash_index_seal(&h->modules.index);
	hash_index_seal(&h->frames.index);
	hash_index_seal(&h->frames.texts.index);
	hash_index_seal(&h->contexts.index);
	hash_index_seal(&h->functions.index);
	hash_index_seal(&h->sites.index);
	hash_index_seal(&h->calls.index);
	hash_index_seal(&h->data.index);
	hash_index_seal(&h->modules_of.index);
	arena_free(&h->lookup_arena);
	id_map_free(&h->deep);
	free(h->leaves);
	h->leaves = NULL;
	mheap_free_local(&h->local);
}

#define FREE_TABLE(t) \
	(free((t).items), (t).items = NULL, hash_index_free(&(t).index))

void
mheap_free_things(struct merge_heap *h)
{
	FREE_TABLE(h->modules);
	frame_pool_free(&h->frames);
	FREE_TABLE(h->contexts);
	FREE_TABLE(h->functions);
	FREE_TABLE(h->sites);
	FREE_TABLE(h->calls);
	FREE_TABLE(h->data);
	list_pool_free(&h->modules_of);
	arena_free(&h->stacks);
	arena_free(&h->arena);
}
