/* Walks over value sites: every order of empty kinds and empty sites. */
#include "model/value_sites.h"

#include "tests/support/test.h"

static void
test_empty_sites(void)
{
	struct prof_sites sites = { NULL, 9 };
	struct arena a = { 0 };

	check(value_sites_empty(&a, 0, &sites) && sites.size == 0, "no sites");
	check(value_sites_empty(&a, 2, &sites) && sites.size == 2 &&
	    sites.sites[0].size == 0 && sites.sites[1].size == 0,
	    "sites without values");
	arena_free(&a);
}

/* Sites of each kind are a row of sizes; values count up from 1. */
int
main(void)
{
	enum { KINDS = PROF_VALUE_KINDS, SITES = 2, VALUES = 2 };
	struct prof_value values[KINDS][SITES][VALUES];
	struct prof_site site[KINDS][SITES];
	bool right = true;

	for (unsigned bits = 0; bits < 1 << 2 * KINDS; bits++) {
		struct prof_sites sites[KINDS];
		struct value_walk walk = { .next_site = 0 }, targets = walk;
		const struct prof_site *s;
		const struct prof_value *v;
		size_t count = 0, sum = 0, sizes[KINDS];
		size_t want_targets = 0, got_targets = 0;
		bool any = false;

		for (int k = 0; k < KINDS; k++) {
			/* 0 to 2 sites, of which the last one is empty. */
			size_t n = bits >> 2 * k & 3;

			n = n > SITES ? SITES : n;
			for (size_t i = 0; i < n; i++) {
				site[k][i] = (struct prof_site){
				    values[k][i], i + 1 == n ? 0 : VALUES };
				count++;
				any = any || site[k][i].size != 0;
				if (k != PROF_MEM_OP_SIZE)
					want_targets += site[k][i].size;
			}
			sites[k] = (struct prof_sites){ site[k], n };
		}
		while ((s = value_next_site(&walk, sites)) != NULL)
			sum += s >= site[walk.kind] &&
			    s < site[walk.kind] + SITES;
		while ((v = value_next_target(&targets, sites)) != NULL)
			got_targets += targets.kind != PROF_MEM_OP_SIZE &&
			    v >= &values[targets.kind][0][0];
		value_sites_sizes(sites, sizes);
		right = right && sum == count && got_targets == want_targets &&
		    value_sites_count(sites) == count &&
		    value_sites_have_values(sites) == any &&
		    value_sites_fit(sites, sizes) &&
		    value_next_site(&walk, sites) == NULL &&
		    value_next_target(&targets, sites) == NULL;
	}
	check(right, "all sites, all targets, their numbers");
	test_empty_sites();
	return done_testing();
}
