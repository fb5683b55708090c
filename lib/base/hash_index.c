#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

enum { FIRST_SLOTS = 64 };

/* Fills the first free slot of the search. */
static void
hash_index_put_slot(struct hash_index *x, struct hash_index_slot s)
{
	size_t mask = x->slot_count - 1, i = s.tag & mask;

	while (x->slots[i].item != 0)
		i = (i + 1) & mask;
	x->slots[i] = s;
}

/* At most half of the slots are in use. */
bool
hash_index_grow(struct hash_index *x, size_t size)
{
	const struct hash_index old = *x;

	if (size >= INDEX_NONE || size > SIZE_MAX / 4 / sizeof(*x->slots))
		return false;
	if (x->slot_count == 0)
		x->slot_count = FIRST_SLOTS;
	while (x->slot_count / 2 < size)
		x->slot_count *= 2;
	x->slots = huge_zeros(x->slot_count, sizeof(*x->slots));
	if (x->slots == NULL) {
		*x = old;
		return false;
	}
	if (x->seed == 0)
		x->seed = hash_seed(x->slots);
	for (size_t i = 0; i < old.slot_count; i++) {
		if (old.slots[i].item != 0)
			hash_index_put_slot(x, old.slots[i]);
	}
	free(old.slots);
	return true;
}

bool
hash_index_add(struct hash_index *x, uint64_t hash)
{
	if (!hash_index_reserve(x, (size_t)x->size + 1))
		return false;
	hash_index_put_slot(x,
	    (struct hash_index_slot){ hash_index_tag(hash), ++x->size });
	return true;
}

/* Clearing a large table for few items would cost more than a new one. */
void
hash_index_clear(struct hash_index *x)
{
	if (x->slot_count / 16 > x->size)
		hash_index_free(x);
	else if (x->size != 0)
		memset(x->slots, 0, x->slot_count * sizeof(*x->slots));
	x->size = 0;
}

void
hash_index_seal(struct hash_index *x)
{
	free(x->slots);
	x->slots = NULL;
	x->slot_count = 0;
}

void
hash_index_free(struct hash_index *x)
{
	free(x->slots);
	*x = (struct hash_index){ 0 };
}

/*
 * Two words at a time, in two hashes that the processor computes in parallel.
 * They start from the secret seed, so that no input can make them cancel.
 */
uint64_t
hash_span(uint64_t hash, struct prof_span s)
{
	uint64_t other = hash_mix(hash, s.size), word[2];
	size_t i = 0;

	for (; s.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(word, s.data + i, sizeof(word));
		hash = hash_mix(hash, word[0]);
		other = hash_mix(other, word[1]);
	}
	word[0] = word[1] = 0;
	if (i != s.size)
		memcpy(word, s.data + i, s.size - i);
	hash = hash_mix(hash, word[0]);
	return hash_mix(hash_mix(other, word[1]), hash);
}
