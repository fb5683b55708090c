/*
 * format/indexed/image.h - header and sections of an indexed profile
 */
#ifndef FORMAT_INDEXED_IMAGE_H
#define FORMAT_INDEXED_IMAGE_H

#include "model/disk_hash_table.h"
#include "format/indexed/layout.h"

struct indexed_image {
	const struct indexed_row *row;
	struct prof_span file;
	uint64_t version_word;
	struct disk_hash table;
	struct cursor summaries;	/* see format/indexed/summary.h */
	/* Contents of sections; empty if the file has no such section. */
	struct cursor ids;		/* u64 length, id, padding */
	struct cursor traces;		/* u64 weight, u64 n, n guids */
	uint64_t trace_stream_size;
	struct prof_span vtable_names;	/* as model/name_section.h reads them */
	/*
	 * Offset of the heap profile, and bytes up to the next section, or up
	 * to the end of the file if the version has no section behind it.
	 */
	size_t memprof, memprof_size;
	size_t end;			/* offset behind the last section */
};

/*
 * Reads the header and finds the sections.  Not checked here: the contents of
 * the hash table, of the vtable names and of the heap profile, and bytes behind
 * the last section.
 */
enum prof_status indexed_image_open(struct indexed_image *,
    struct prof_span file, struct prof_error *);

/* Bytes of a cutoff of a summary: Cutoff, MinCount, NumCounts. */
enum { INDEXED_CUTOFF_SIZE = 24 };

/* Offsets that the header gives. */
struct indexed_places {
	uint64_t head;			/* of the hash table */
	uint64_t offsets[INDEXED_SECTIONS];
};

/* Reads the header and the summaries only. */
enum prof_status indexed_image_head(struct indexed_image *,
    struct prof_span file, struct indexed_places *, struct prof_error *);

/* Whether version and variant bits say that there is such a section. */
bool indexed_has(const struct indexed_image *, enum indexed_section);

/* Variant bits of the version word that are not known. */
uint64_t indexed_unknown_bits(const struct indexed_image *);

enum prof_level indexed_level(const struct indexed_image *);

#endif
