/*
 * format/raw/image.h - one image of a raw file: its header and sections
 *
 * A file has one or more images, each the profile of one binary or shared
 * library.  format/raw/emit.h writes what this module reads.
 */
#ifndef FORMAT_RAW_IMAGE_H
#define FORMAT_RAW_IMAGE_H

#include "base/bytes.h"
#include "format/raw/layout.h"
#include "model/variants.h"

/* Kinds of values that a record may have sites of; LLVM 22 has 3. */
enum { RAW_VALUE_KINDS_MAX = 16 };

struct raw_image {
	const struct raw_row *row;
	struct prof_span file;		/* all of it, other images too */
	size_t start;			/* of this image, in the file */
	bool big;			/* byte order */
	uint8_t pointer_bytes;		/* 4 or 8 */
	uint64_t magic, version_word;
	uint64_t field[RAW_FIELDS];	/* 0 where the version has none */
	struct raw_record_layout layout;
	unsigned value_kinds;		/* length of NumValueSites */
	bool relative;			/* section pointers are RAW_RELATIVE */
	/* Offsets from the start of the file; values end at the file's end. */
	size_t at[RAW_SECTIONS], size[RAW_SECTIONS];
	/*
	 * Of an image that may be cut (raw_image_open_part): whether it is, and
	 * the sizes that sections had.  The sizes above, and the fields that
	 * count units, are then those of the bytes that are there.
	 */
	bool may_be_cut, is_cut;
	uint64_t declared[RAW_SECTIONS];
};

/* Magic, byte order and word size; false if this is no raw profile. */
bool raw_magic(struct prof_span bytes, struct raw_image *);

/*
 * Reads the header of the image at `start` and places its sections inside the
 * file: magic, version, variant bits and all sizes are checked.
 */
enum prof_status raw_image_open(struct raw_image *, struct prof_span file,
    size_t start, struct prof_error *);

/* The same for an image that may be cut behind its header. */
enum prof_status raw_image_open_part(struct raw_image *, struct prof_span file,
    size_t start, struct prof_error *);

/*
 * Bytes that the header of an image declares, without padding and without value
 * data whose size it does not say: no more than the image has if it is whole.
 * 0 if the header is cut or wrong.
 */
uint64_t raw_image_declared(struct prof_span file, size_t start);

/* The offset of the first byte at or behind `at` that is not zero. */
static inline size_t
raw_skip_zeros(struct prof_span file, size_t at)
{
	while (at < file.size && file.data[at] == 0)
		at++;
	return at;
}

/* The bytes of a section. */
static inline struct prof_span
raw_section(const struct raw_image *im, enum raw_section s)
{
	return (struct prof_span){ im->file.data + im->at[s], im->size[s] };
}

/* Bytes of a counter: 8, or 1 with byte coverage. */
static inline unsigned
raw_counter_width(const struct raw_image *im)
{
	return im->version_word & VARIANT_BYTE_COVERAGE ? 1 : 8;
}

/* Counters that the time stamp of a record takes: 0 if it has none. */
static inline unsigned
raw_stamp_counters(const struct raw_image *im)
{
	return im->version_word & VARIANT_TEMPORAL ?
	    8 / raw_counter_width(im) : 0;
}

/* A vtable record: u64, pointer, u32, and padding to 8 bytes. */
static inline size_t
raw_vtable_size(const struct raw_image *im)
{
	return im->pointer_bytes == 8 ? 24 : 16;
}

/* Bytes of a unit that a section's header field counts. */
uint64_t raw_unit_size(const struct raw_image *, enum raw_section);

#endif
