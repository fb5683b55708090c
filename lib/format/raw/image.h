/*
 * format/raw/image.h - one profile (header and sections) of a raw file, checked
 */
#ifndef FORMAT_RAW_IMAGE_H
#define FORMAT_RAW_IMAGE_H

#include "base/bytes.h"
#include "format/raw/layout.h"

/* Kinds of values that a record may have sites of; LLVM 22 has 3. */
enum { RAW_VALUE_KINDS_MAX = 16 };

enum raw_section {
	RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS, RAW_S_BITMAP, RAW_S_UNIFORM,
	RAW_S_NAMES, RAW_S_VTABLES, RAW_S_VNAMES, RAW_S_VALUES, RAW_SECTIONS
};

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
	size_t vtable_size;		/* bytes of a vtable record */
	bool relative;			/* meaning of CounterPtr */
	/* Offsets from the start of the file; values end at the file's end. */
	size_t at[RAW_SECTIONS], size[RAW_SECTIONS];
	/*
	 * Of an image that may be cut: the bytes that sections should have, and
	 * whether one has less.  Sizes, and the fields that count, are then
	 * those of what is there.
	 */
	bool may_be_cut, is_cut;
	uint64_t claimed[RAW_SECTIONS];
};

/* One data record, as stored. */
struct raw_record {
	uint64_t name_ref, func_hash, name_ptr;
	uint64_t counter_ptr, bitmap_ptr, uniform_ptr, function_ptr;
	uint32_t name_size, num_counters, num_bitmap_bytes;
	uint16_t wave_size;
	const uint8_t *num_value_sites;	/* u16s in the file's byte order */
};

struct raw_vtable {
	uint64_t name_hash, pointer;
	uint32_t size;
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
 * Whether value data stand at `at`, if records count sites: continuous mode and
 * buffers written by hand have none (compiler-rt,
 * __llvm_profile_write_buffer).
 */
bool raw_has_values(const struct raw_image *, size_t at);

/* Whether any record counts value sites. */
bool raw_counts_sites(const struct raw_image *);

/* Where an image ends that is whole, as far as its sizes and values tell. */
enum prof_status raw_extent(const struct raw_image *, size_t *end,
    struct prof_error *);

/* Record i of the data section, i below NumData. */
void raw_record_get(const struct raw_image *, uint64_t i, struct raw_record *);

/* Only its FunctionPointer. */
uint64_t raw_record_function(const struct raw_image *, uint64_t i);

/* Only what raw_value_sites needs of it. */
void raw_record_sites(const struct raw_image *, uint64_t i,
    struct raw_record *);
uint16_t raw_value_sites(const struct raw_image *, const struct raw_record *,
    unsigned kind);
void raw_vtable_get(const struct raw_image *, uint64_t i, struct raw_vtable *);

/* Bytes that a counter takes in the counter section. */
unsigned raw_counter_width(const struct raw_image *);

/* Place of a record's counters, bitmap or uniform counters in the file. */
struct raw_place {
	size_t counters, bitmap, uniform;
	bool has_bitmap, has_uniform;
};

/* PROF_FAIL if record i points outside of a section. */
enum prof_status raw_place(const struct raw_image *, uint64_t i,
    const struct raw_record *, struct raw_place *, struct prof_error *);

/* The name of a record of a version that addresses names (v1, v2). */
enum prof_status raw_addressed_name(const struct raw_image *, uint64_t i,
    const struct raw_record *, struct prof_span *name, struct prof_error *);

/* The NameRef of record i, computed where the version stores none. */
enum prof_status raw_guid(const struct raw_image *, uint64_t i,
    const struct raw_record *, uint64_t *guid, struct prof_error *);

/* Offset in the file of a member of record i, for messages. */
uint64_t raw_member_at(const struct raw_image *, uint64_t i, enum raw_member);

#endif
