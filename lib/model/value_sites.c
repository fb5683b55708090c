#include "model/value_sites.h"

const struct prof_site *
value_next_site(struct value_walk *w,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	while (w->next_site >= sites[w->kind].size) {
		if (w->kind + 1 == PROF_VALUE_KINDS)
			return NULL;
		w->kind++;
		w->next_site = 0;
	}
	return &sites[w->kind].sites[w->next_site++];
}

const struct prof_value *
value_next_target(struct value_walk *w,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	while (w->site == NULL || w->kind == PROF_MEM_OP_SIZE ||
	    w->next_value == w->site->size) {
		w->site = value_next_site(w, sites);
		w->next_value = 0;
		if (w->site == NULL)
			return NULL;
	}
	return &w->site->values[w->next_value++];
}

int
value_kinds_count(const struct prof_sites sites[PROF_VALUE_KINDS])
{
	int n = 0;

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		n += sites[k].size != 0;
	return n;
}

bool
value_sites_have_values(const struct prof_sites sites[PROF_VALUE_KINDS])
{
	struct value_walk walk = { 0 };
	const struct prof_site *site;

	while ((site = value_next_site(&walk, sites)) != NULL) {
		if (site->size != 0)
			return true;
	}
	return false;
}

bool
value_sites_empty(struct arena *a, size_t n, struct prof_sites *out)
{
	struct prof_site *sites = arena_array(a, n, sizeof(*sites));

	if (sites == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		sites[i] = (struct prof_site){ NULL, 0 };
	*out = (struct prof_sites){ sites, n };
	return true;
}
