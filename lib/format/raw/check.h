/*
 * format/raw/check.h - one pass over the records of a raw image before they are given
 *
 * Everything that can be known to be wrong is known before the first record is
 * handed out; what is merely odd is counted and told in one warning a kind.
 */
#ifndef FORMAT_RAW_CHECK_H
#define FORMAT_RAW_CHECK_H

#include "format/codec.h"
#include "format/raw/image.h"
#include "model/symtab.h"

struct raw_facts {
	uint64_t sites;		/* value sites that the records count */
	bool any_hash_flags;	/* bits 60 to 63 in some FuncHash */
	bool any_rust;		/* some function is Rust's */
	uint16_t wave_size;	/* the largest */
	bool any_bitmap;
	bool ascending;		/* counters, and none is shared */
	bool odd;		/* a warning was given of the records */
};

/* Whoever looks at the records on the way; symbol may be SYMTAB_NONE. */
struct raw_visitor {
	void (*visit)(void *arg, uint64_t record, const struct raw_record *,
	    const struct raw_place *, size_t symbol);
	void *arg;
};

/*
 * names is the table that NameRefs are looked up in.  The visitor, or NULL, sees
 * the records as long as nothing is wrong.
 */
enum prof_status raw_check(const struct raw_image *, const struct symtab *names,
    struct prof_context *, const struct raw_visitor *, struct raw_facts *,
    struct prof_error *);

/* What raw_check looks at beside the records. */
void raw_check_rest(const struct raw_image *, struct prof_context *);

/*
 * Records may share what they point to, but nothing real shares much of it many
 * times over, while a small file could grow without end that way: PROF_E_LIMIT.
 * of names what there is.
 */
enum prof_status raw_check_program(const struct raw_image *, uint64_t claimed,
    const char *what, uint64_t there, const char *of, struct prof_error *);

#endif
