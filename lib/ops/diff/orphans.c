#include "ops/diff/orphans.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "model/symtab.h"

struct orphan
orphan_of(const struct diff_function *f, int side)
{
	struct orphan o = { .function = f, .side = side };

	o.name = local_name_split(f->symbol.name, &o.file);
	return o;
}

static int
orphans_by_shape(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;
	const struct diff_record *r = x->function->records[x->side];
	const struct diff_record *s = y->function->records[y->side];
	int by = compare_u64(x->function->hash, y->function->hash);

	if (by == 0 && !r->hash_only)
		by = compare_u64(r->counts_size, s->counts_size);
	for (int k = 0; k < PROF_VALUE_KINDS && by == 0 && !r->hash_only;
	    k++)
		by = compare_u64(diff_sites_size(r, k), diff_sites_size(s, k));
	return by;
}

static int
orphans_by_name(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;
	int by = prof_span_compare(x->name, y->name);

	return by != 0 ? by : orphans_by_shape(a, b);
}

/* The last bytes first: folders in front of a path may differ. */
static int
orphans_by_file(const struct orphan *x, const struct orphan *y)
{
	const uint8_t *p = x->file.data, *q = y->file.data;
	size_t i = x->file.size, k = y->file.size;

	while (i > 0 && k > 0) {
		if (p[--i] != q[--k])
			return p[i] < q[k] ? -1 : 1;
	}
	return i != 0 ? 1 : k != 0 ? -1 : prof_span_compare(
	    x->function->symbol.name, y->function->symbol.name);
}

static int
orphans_in_groups_of_name(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;
	int by = orphans_by_name(a, b);

	if (by == 0)
		by = x->side - y->side;
	return by != 0 ? by : orphans_by_file(x, y);
}

static int
orphans_in_groups_of_shape(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;
	int by = orphans_by_shape(a, b);

	return by != 0 ? by : x->side - y->side;
}

/*
 * Sets the twins of a group of equal orphans, in which functions of OLD come
 * first.  False if the group has no twins.
 */
static bool
orphans_pair_group(const struct orphan *group, size_t size, bool moved,
    const struct diff_table *t, struct orphan_twin *twins)
{
	size_t old = 0;

	while (old < size && group[old].side == OVERLAP_OLD)
		old++;
	if (2 * old != size || (!moved && (size != 2 ||
	    group->function->records[OVERLAP_OLD]->counts_size < 2)))
		return false;
	for (size_t i = 0; i < old; i++) {
		const struct diff_function *a = group[i].function;
		const struct diff_function *b = group[old + i].function;

		twins[a - t->functions] = (struct orphan_twin){ b, moved };
		twins[b - t->functions] = (struct orphan_twin){ a, moved };
	}
	return true;
}

void
orphans_pair(struct orphan *orphans, size_t size, const struct diff_table *t,
    struct orphan_twin *twins)
{
	for (int moved = 1; moved >= 0 && size != 0; moved--) {
		int (*same)(const void *, const void *) = moved ?
		    orphans_by_name : orphans_by_shape;
		size_t kept = 0;

		qsort(orphans, size, sizeof(*orphans), moved ?
		    orphans_in_groups_of_name : orphans_in_groups_of_shape);
		for (size_t i = 0, n; i < size; i += n) {
			for (n = 1; i + n < size && same(&orphans[i],
			    &orphans[i + n]) == 0; n++)
				;
			if (orphans_pair_group(&orphans[i], n, moved, t, twins))
				continue;
			memmove(&orphans[kept], &orphans[i],
			    n * sizeof(*orphans));
			kept += n;
		}
		size = kept;
	}
}
