#include "sym/correlate/table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/rust.h"

/*
 * Functions may share counters, but not many: a small binary must not make a
 * large profile.  All functions together have at most CLAIMS_MAX times the
 * bytes of their section, or CLAIMS_FEW bytes.
 */
enum { CLAIMS_MAX = 16, CLAIMS_FEW = 1 << 20 };

/*
 * The same for names, which debug info may share: NAME_MEAN bytes on average,
 * after NAMES_FEW functions.
 */
enum { NAME_MEAN = 4096, NAMES_FEW = 1 << 12 };

/* Offset of a range in its section; false if it is not inside. */
static bool
table_offset(const struct correlate_range *section, uint64_t address,
    uint64_t size, uint64_t *offset)
{
	*offset = address - section->address;
	return address >= section->address && *offset < section->size &&
	    size <= section->size - *offset;
}

static enum prof_status
table_err_counters(const struct correlate_layout *l,
    const struct correlate_function *f, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return err_set(err, PROF_E_CORRUPT, "function %s: %llu counters at "
	    "0x%llx do not fit in __llvm_prf_cnts, %llu bytes at 0x%llx",
	    err_name(shown, f->symbol.name),
	    (unsigned long long)f->num_counters,
	    (unsigned long long)f->counters,
	    (unsigned long long)l->counters.size,
	    (unsigned long long)l->counters.address);
}

enum prof_status
correlate_add(struct correlate_table *t, const struct correlate_layout *l,
    const struct correlate_function *f, struct prof_error *err)
{
	struct correlate_function out = *f;
	uint64_t counters = f->counters, size;

	t->added++;
	t->name_bytes += f->symbol.name.size;
	if (t->name_bytes / NAME_MEAN > t->added + NAMES_FEW)
		return err_set(err, PROF_E_LIMIT, "the names of %llu functions "
		    "have %llu bytes, more than %d each",
		    (unsigned long long)t->added,
		    (unsigned long long)t->name_bytes, NAME_MEAN);
	/* The record of a function that the linker removed has address 0. */
	if (counters < l->counters.address ||
	    counters - l->counters.address >= l->counters.size) {
		t->outside++;
		return PROF_OK;
	}
	if (f->num_counters == 0 ||
	    !mul_u64(f->num_counters, l->counter_bytes, &size) ||
	    !table_offset(&l->counters, counters, size, &out.counters) ||
	    out.counters % l->counter_bytes != 0)
		return table_err_counters(l, f, err);
	if (f->num_bitmap != 0 &&
	    !table_offset(&l->bitmap, f->bitmap, f->num_bitmap, &out.bitmap))
		return err_set(err, PROF_E_CORRUPT, "NumBitmapBytes %llu at "
		    "0x%llx do not fit in __llvm_prf_bits, %llu bytes at "
		    "0x%llx", (unsigned long long)f->num_bitmap,
		    (unsigned long long)f->bitmap,
		    (unsigned long long)l->bitmap.size,
		    (unsigned long long)l->bitmap.address);
	return ARRAY_ADD(t->functions, t->size, t->room, out) ? PROF_OK :
	    err_memory(err);
}

/* A function, to be sorted by the place of its counters. */
struct placed {
	uint64_t counters;
	size_t index;
};

static int
table_compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->counters != y->counters)
		return x->counters < y->counters ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Drops all but the first function of each place. */
static enum prof_status
table_drop_repeated(struct correlate_table *t, struct prof_error *err)
{
	struct placed *order = calloc(t->size + 1, sizeof(*order));
	size_t kept = 0;

	if (order == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++)
		order[i] = (struct placed){ t->functions[i].counters, i };
	qsort(order, t->size, sizeof(*order), table_compare_placed);
	for (size_t i = 1; i < t->size; i++) {
		if (order[i].counters == order[i - 1].counters)
			t->functions[order[i].index].num_counters = 0;
	}
	free(order);
	for (size_t i = 0; i < t->size; i++) {
		if (t->functions[i].num_counters != 0)
			t->functions[kept++] = t->functions[i];
	}
	t->size = kept;
	return PROF_OK;
}

static enum prof_status
table_check_total(uint64_t claimed, uint64_t there, const char *what,
    struct prof_error *err)
{
	if (claimed <= CLAIMS_FEW || claimed / CLAIMS_MAX <= there)
		return PROF_OK;
	return err_set(err, PROF_E_LIMIT, "functions claim %llu bytes of %s, "
	    "more than %d times the %llu available",
	    (unsigned long long)claimed, what, CLAIMS_MAX,
	    (unsigned long long)there);
}

enum prof_status
correlate_table_finish(struct correlate_table *t,
    const struct correlate_layout *l, struct prof_error *err)
{
	uint64_t counters = 0, bitmap = 0;

	if (table_drop_repeated(t, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < t->size; i++) {
		const struct correlate_function *f = &t->functions[i];

		/* Sizes fit their sections, and sums 64 bits. */
		counters += f->num_counters * l->counter_bytes;
		bitmap += f->num_bitmap;
		t->any_hash_flags |= f->hash >> 60 != 0;
		t->any_rust |= rust_mangled(f->symbol.name);
		t->nameless += f->symbol.name.data == NULL;
	}
	if (table_check_total(counters, l->counters.size, "counters", err)
	    != PROF_OK)
		return PROF_FAIL;
	return table_check_total(bitmap, l->bitmap.size, "bitmap", err);
}

void
correlate_table_free(struct correlate_table *t)
{
	free(t->functions);
	names_free(&t->names);
}
