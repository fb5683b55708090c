#include "model/disk_hash_table.h"

#include <string.h>

enum { FIRST_BUCKETS = 64 };

/* Items move in the order of their chains, each to the front of a new one. */
static bool
plan_rehash(struct disk_hash_plan *p, struct arena *a, const uint64_t *hashes,
    uint64_t buckets)
{
	struct disk_hash_plan old = *p;

	if (buckets > SIZE_MAX)
		return false;
	p->first = arena_array(a, (size_t)buckets, sizeof(*p->first));
	if (p->first == NULL)
		return false;
	memset(p->first, 0, (size_t)buckets * sizeof(*p->first));
	p->buckets = buckets;
	for (uint64_t b = 0; b < old.buckets; b++) {
		uint32_t next;

		for (uint32_t i = old.first[b]; i != 0; i = next) {
			uint32_t *to =
			    &p->first[hashes[i - 1] & (buckets - 1)];

			next = p->next[i - 1];
			p->next[i - 1] = *to;
			*to = i;
		}
	}
	return true;
}

/* OnDiskChainedHashTableGenerator::Emit: a load of at most three quarters. */
static uint64_t
plan_fitting_buckets(uint64_t n)
{
	uint64_t want = n <= 2 ? 1 : n * 4 / 3 + 1, buckets = 1;

	while (buckets < want)
		buckets *= 2;
	return buckets;
}

bool
disk_hash_plan(struct disk_hash_plan *p, struct arena *a,
    const uint64_t *hashes, uint32_t n, bool shrink)
{
	*p = (struct disk_hash_plan){ .next =
	    arena_array(a, n, sizeof(*p->next)) };
	if (p->next == NULL || !plan_rehash(p, a, hashes, FIRST_BUCKETS))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *to;

		if (((uint64_t)i + 1) * 4 >= p->buckets * 3 &&
		    !plan_rehash(p, a, hashes, p->buckets * 2))
			return false;
		to = &p->first[hashes[i] & (p->buckets - 1)];
		p->next[i] = *to;
		*to = i + 1;
	}
	return !shrink || plan_fitting_buckets(n) == p->buckets ||
	    plan_rehash(p, a, hashes, plan_fitting_buckets(n));
}
