#include "cmd/profdata/conflicts.h"

#include <string.h>

#include "base/array.h"
#include "model/value_sites.h"

struct profdata_function_sizes {
	size_t counts, bitmap, sites[PROF_VALUE_KINDS];
	bool pseudo, hot;
};

static struct profdata_function_sizes
function_sizes_of(const struct prof_function *f)
{
	struct profdata_function_sizes s = { f->counts_size, f->bitmap.size,
	    .pseudo = prof_is_pseudo(f) };

	s.hot = s.pseudo && f->counts[0] == PROF_COUNT_HOT;
	value_sites_sizes(f->values, s.sites);
	return s;
}

/* Empty parts of the first record's sizes, which add nothing to it. */
static bool
replace_all_parts(struct profdata_conflicts *all,
    const struct profdata_function_sizes *s, struct prof_function *f)
{
	uint8_t *zeros = arena_alloc(&all->scratch, s->bitmap);
	bool done = zeros != NULL;

	if (done) {
		memset(zeros, 0, s->bitmap);
		f->bitmap = (struct prof_span){ zeros, s->bitmap };
	}
	for (int k = 0; done && k < PROF_VALUE_KINDS; k++)
		done = value_sites_empty(&all->scratch, s->sites[k],
		    &f->values[k]);
	return done;
}

/* Later pseudo records change only the count of the first: warm to hot. */
static enum prof_status
compare_pseudo_record(struct profdata_conflicts *all,
    struct profdata_function_sizes *s, struct prof_function *f)
{
	if (s->hot || f->counts[0] != PROF_COUNT_HOT)
		return PROF_END;
	s->hot = true;
	return replace_all_parts(all, s, f) ? PROF_OK : PROF_FAIL;
}

static enum prof_status
compare_function_sizes(struct profdata_conflicts *all, struct
    profdata_function_sizes *s, struct prof_function *f,
    enum profdata_conflict *what)
{
	bool done = true;

	if (f->counts_size != s->counts || prof_is_pseudo(f) != s->pseudo) {
		*what = CONFLICT_COUNTERS;
		return PROF_END;
	}
	if (s->pseudo)
		return compare_pseudo_record(all, s, f);
	if (f->bitmap.size != s->bitmap) {
		*what = CONFLICT_BITMAP;
		return replace_all_parts(all, s, f) ? PROF_OK : PROF_FAIL;
	}
	for (int k = 0; done && k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size == s->sites[k])
			continue;
		*what = CONFLICT_SITES;
		done = value_sites_empty(&all->scratch, s->sites[k],
		    &f->values[k]);
	}
	return done ? PROF_OK : PROF_FAIL;
}

enum prof_status
profdata_conflicts_check(struct profdata_conflicts *all,
    struct prof_function *f, enum profdata_conflict *what)
{
	uint64_t key[2] = { prof_symbol_guid(&f->symbol), f->hash };
	size_t before = all->keys.size;
	uint32_t n = intern_add(&all->keys, key, sizeof(key));

	*what = CONFLICT_NONE;
	if (n == INDEX_NONE)
		return PROF_FAIL;
	arena_reset(&all->scratch);
	if (n < before)
		return compare_function_sizes(all, &all->items[n], f, what);
	if (!ARRAY_ROOM(all->items, before, all->room))
		return PROF_FAIL;
	all->items[n] = function_sizes_of(f);
	return PROF_OK;
}

void
profdata_conflicts_free(struct profdata_conflicts *all)
{
	intern_free(&all->keys);
	arena_free(&all->scratch);
	free(all->items);
}
