/*
 * format/raw/check.h - one pass over all records before the first is returned
 *
 * All errors that records can have are found before the first record is handed
 * out.  What is only suspicious is counted and reported in one warning a kind.
 */
#ifndef FORMAT_RAW_CHECK_H
#define FORMAT_RAW_CHECK_H

#include "format/codec.h"
#include "format/raw/record.h"
#include "model/symtab.h"

/* What the pass found out about an image. */
struct raw_facts {
	uint64_t sites;		/* value sites that the records count */
	bool any_hash_flags;	/* bits 60 to 63 in some FuncHash */
	bool any_rust;		/* some function is Rust's */
	uint16_t wave_size;	/* the largest */
	bool any_bitmap;
	bool ascending;		/* counters are in record order, not shared */
	bool warned;		/* a warning about the records was given */
};

/* Is called for each record; symbol may be SYMTAB_NONE. */
struct raw_visitor {
	void (*visit)(void *arg, uint64_t record, const struct raw_record *,
	    const struct raw_place *, size_t symbol);
	void *arg;
};

struct raw_check_input {
	const struct raw_image *im;
	const struct symtab *names;	/* in which NameRefs are looked up */
	struct prof_context *context;	/* of warnings */
	/* Or NULL.  Sees the records up to the first error. */
	const struct raw_visitor *visitor;
};

enum prof_status raw_check(const struct raw_check_input *, struct raw_facts *,
    struct prof_error *);

/* The part of raw_check that is not about records: variant bits and padding. */
void raw_check_rest(const struct raw_image *, struct prof_context *);

/*
 * Records may share what they point to.  No real profile shares much of it many
 * times over, while a small file could grow without bounds in that way.
 */
struct raw_declared {
	uint64_t declared;	/* sum over all records */
	const char *what;	/* of what, for the message */
	uint64_t available;	/* what the image has of it */
	const char *of;		/* where the image says so, for the message */
};

/* PROF_E_LIMIT if records declare several times more than the image has. */
enum prof_status raw_check_declared(const struct raw_image *,
    const struct raw_declared *, struct prof_error *);

#endif
