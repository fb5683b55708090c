/*
 * format/raw/addresses.h - from addresses of the instrumented run to guids
 *
 * Value profiles of raw files hold run-time addresses: of functions for
 * indirect calls, inside vtables for vtable loads.  An address is looked up
 * among the records of its own image only, as in LLVM's reader.
 */
#ifndef FORMAT_RAW_ADDRESSES_H
#define FORMAT_RAW_ADDRESSES_H

#include "base/hash_index.h"
#include "base/prefetch.h"
#include "format/raw/record.h"

struct raw_addresses {
	/*
	 * Open addressing, by address; address 0: an empty slot.  Address and
	 * guid are in the slot itself: with base/hash_index, whose slots hold
	 * numbers of items elsewhere, each target would take a second cache
	 * miss.
	 */
	struct raw_function_slot {
		uint64_t address, guid;
	} *functions;
	size_t function_slots;		/* a power of two, or 0 */
	uint64_t seed;
	struct raw_vtable_range {
		uint64_t start, end;	/* half-open */
		uint64_t name_hash;
	} *vtables;			/* by start */
	size_t vtable_count;
};

/* The slot where the search for an address begins. */
static inline size_t
raw_address_slot(const struct raw_addresses *a, uint64_t address)
{
	return hash_first_slot(a->seed, address, a->function_slots);
}

/* False if out of memory. */
bool raw_addresses_load(struct raw_addresses *, const struct raw_image *);

/*
 * Guid of the function whose FunctionPointer is the address, or 0.  Of several
 * functions at one address (identical code folding), the first one in the file;
 * LLVM's choice among them is not specified.
 */
uint64_t raw_function_at(const struct raw_addresses *, uint64_t address);

/* Prefetches the slot of an address that will be looked up. */
PREFETCH_INLINE void
raw_function_prefetch(const struct raw_addresses *a, uint64_t address)
{
	__builtin_prefetch(&a->functions[raw_address_slot(a, address)]);
}

/* Name hash of the vtable around the address, 0 if there is none. */
uint64_t raw_vtable_at(const struct raw_addresses *, uint64_t address);

void raw_addresses_free(struct raw_addresses *);

#endif
