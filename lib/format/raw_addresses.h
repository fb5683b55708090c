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
	const struct raw_image *records;	/* has the data section */
	/* Open addressing, by address. */
	struct raw_function_slot {
		uint32_t record;	/* its index + 1; 0 is empty */
		uint32_t tag;		/* of the address */
	} *functions;
	size_t function_slots;		/* a power of two, or 0 */
	struct raw_vtable_range {
		uint64_t start, end;	/* half-open */
		uint64_t name_hash;
	} *vtables;			/* by start */
	size_t vtable_count;
};

/*
 * Of an image whose records are those of another, which lasts, or its own.
 * False if out of memory.
 */
bool raw_addresses_load(struct raw_addresses *,
    const struct raw_image *records, const struct raw_image *);

/*
 * Guid of the function whose FunctionPointer is the address, or 0.  Where several
 * functions share one address (identical code folding) it is the first in file
 * order; LLVM's choice among them is not specified.
 */
uint64_t raw_function_at(const struct raw_addresses *, uint64_t address);

/* Name hash of the vtable around the address, 0 if there is none. */
uint64_t raw_vtable_at(const struct raw_addresses *, uint64_t address);

void raw_addresses_free(struct raw_addresses *);

#endif
