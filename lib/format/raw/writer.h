/*
 * format/raw/writer.h - the state of a writer of raw profiles
 *
 * write.c collects the records of a profile; write_image.c makes an image of
 * them.
 */
#ifndef FORMAT_RAW_WRITER_H
#define FORMAT_RAW_WRITER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "model/symtab.h"
#include "format/codec.h"
#include "format/raw/image.h"

/* A function of the profile, with what its data record points to. */
struct raw_out_record {
	struct prof_symbol symbol;
	size_t function;		/* its index among the functions */
	uint64_t hash, stamp;
	size_t counters, bitmap, uniform;	/* offsets in their sections */
	uint32_t num_counters, num_bitmap_bytes;
	struct prof_sites values[PROF_VALUE_KINDS];
};

struct raw_writer {
	struct prof_writer base;
	/* Version, layout and byte order of the image; it has no file. */
	struct raw_image im;
	bool began;			/* a profile was put */
	bool borrows;			/* names; see prof_target */
	/* Of the profile being put. */
	struct prof_header header;
	struct arena arena;
	struct raw_out_record *records;
	size_t size, room, first_room;
	struct buf counters, bitmap, uniform, ids;
	struct symtab functions;	/* without duplicates */
	size_t *first;			/* by its index: its first record */
	struct symtab vtables;
	bool any_trace;			/* in any profile */
	/* Numbers of things dropped, for warnings at the end. */
	uint64_t cut, clamped, empty_traces, wave_size, traces_seen;
	bool salvaged;			/* some profile was, which is dropped */
};

/* The symbol's index among the functions, or SYMTAB_NONE. */
static inline size_t
raw_function_index(const struct raw_writer *w, uint64_t guid)
{
	return symtab_find(&w->functions, guid, NULL);
}

/*
 * Fails with "raw version N cannot hold WHAT", or with a name of the profile
 * behind that.
 */
enum prof_status raw_write_refuse(const struct raw_writer *, const char *what,
    struct prof_error *);
enum prof_status raw_write_refuse_name(const struct raw_writer *,
    const char *what, struct prof_span name, struct prof_error *);

/*
 * Writes the image of the profile that was put.  Targets of values become
 * addresses in place.
 */
enum prof_status raw_write_image(struct raw_writer *, struct prof_error *);

#endif
