/*
 * raw_addresses.h - from addresses of the instrumented run to names
 *
 * Value profiles of raw files hold run-time addresses: of functions for
 * indirect calls, inside vtables for vtable loads.  Each image has maps of its
 * own; there are none across the images of a file, as in LLVM's reader.
 */
#ifndef FORMAT_RAW_ADDRESSES_H
#define FORMAT_RAW_ADDRESSES_H

#include "format/raw_image.h"

struct raw_addresses {
	/* Open addressing, by address. */
	struct raw_function_slot {
		uint64_t address, guid;
		uint64_t record;	/* its index + 1; 0 is empty */
	} *functions;
	size_t function_slots;		/* a power of two, or 0 */
	struct raw_vtable_range {
		uint64_t start, end;	/* half-open */
		uint64_t name_hash;
	} *vtables;			/* by start */
	size_t vtable_count;
};

/* False if out of memory. */
bool raw_addresses_load(struct raw_addresses *, const struct raw_image *);

/*
 * Of the record whose FunctionPointer is the address, or NULL.  Where several
 * functions share one address (identical code folding) it is the first in file
 * order; LLVM's choice among them is not specified.
 */
const struct raw_function_slot *raw_function_at(const struct raw_addresses *,
    uint64_t address);

/* Name hash of the vtable around the address, 0 if there is none. */
uint64_t raw_vtable_at(const struct raw_addresses *, uint64_t address);

void raw_addresses_free(struct raw_addresses *);

#endif
