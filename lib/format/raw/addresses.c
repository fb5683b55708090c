#include "format/raw/addresses.h"

#include <stdlib.h>

#include "base/huge_pages.h"
#include "base/number_search.h"

/* The slot of an address, or the empty one where it belongs. */
static struct raw_function_slot *
raw_addresses_slot_of(const struct raw_addresses *a, uint64_t address)
{
	size_t mask = a->function_slots - 1, i = raw_address_slot(a, address);

	while (a->functions[i].address != 0 &&
	    a->functions[i].address != address)
		i = (i + 1) & mask;
	return &a->functions[i];
}

static bool
raw_addresses_load_functions(struct raw_addresses *a,
    const struct raw_image *im)
{
	uint64_t count = im->field[RAW_NUM_DATA];
	size_t slots = 16;

	/* At most three quarters of the slots are used. */
	while (slots / 4 * 3 < count && slots <= SIZE_MAX / 4)
		slots *= 2;
	a->functions = huge_zeros(slots, sizeof(*a->functions));
	if (a->functions == NULL)
		return false;
	a->function_slots = slots;
	a->seed = hash_seed(a->functions);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t address = raw_record_function(im, i), guid = 0;
		struct raw_function_slot *s;
		struct raw_record r;

		if (address == 0)
			continue;
		s = raw_addresses_slot_of(a, address);
		if (s->address != 0)
			continue;
		raw_record_get(im, i, &r);
		raw_guid(im, i, &r, &guid, NULL);
		*s = (struct raw_function_slot){ address, guid };
	}
	return true;
}

static int
raw_addresses_compare_ranges(const void *a, const void *b)
{
	const struct raw_vtable_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool
raw_addresses_load_vtables(struct raw_addresses *a, const struct raw_image *im)
{
	uint64_t count = im->field[RAW_NUM_VTABLES];

	a->vtables = calloc((size_t)count + 1, sizeof(*a->vtables));
	if (a->vtables == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct raw_vtable v;
		uint64_t end;

		raw_vtable_get(im, i, &v);
		end = v.pointer + v.size;
		if (im->pointer_bytes == 4)
			end &= UINT32_MAX;
		if (v.pointer == 0 || end <= v.pointer)
			continue;
		a->vtables[a->vtable_count++] = (struct raw_vtable_range){
		    v.pointer, end, v.name_hash };
	}
	qsort(a->vtables, a->vtable_count, sizeof(*a->vtables),
	    raw_addresses_compare_ranges);
	return true;
}

bool
raw_addresses_load(struct raw_addresses *a, const struct raw_image *im)
{
	raw_addresses_free(a);
	return raw_addresses_load_functions(a, im) &&
	    raw_addresses_load_vtables(a, im);
}

uint64_t
raw_function_at(const struct raw_addresses *a, uint64_t address)
{
	return raw_addresses_slot_of(a, address)->guid;
}

uint64_t
raw_vtable_at(const struct raw_addresses *a, uint64_t address)
{
	size_t n = numbers_up_to(a->vtables, a->vtable_count,
	    sizeof(*a->vtables), address);

	return n == 0 || address >= a->vtables[n - 1].end ? 0 :
	    a->vtables[n - 1].name_hash;
}

void
raw_addresses_free(struct raw_addresses *a)
{
	free(a->functions);
	free(a->vtables);
	*a = (struct raw_addresses){ 0 };
}
