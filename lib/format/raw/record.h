/*
 * format/raw/record.h - data records and vtable records of a raw image
 *
 * Record numbers i are below NumData, vtable numbers below NumVTables.
 */
#ifndef FORMAT_RAW_RECORD_H
#define FORMAT_RAW_RECORD_H

#include "base/arena.h"
#include "format/raw/image.h"

/* One data record, as stored; members that the version lacks are 0. */
struct raw_record {
	uint64_t name_ref, func_hash, name_ptr;
	uint64_t counter_ptr, bitmap_ptr, uniform_ptr, function_ptr;
	uint32_t name_size, num_counters, num_bitmap_bytes;
	uint16_t wave_size;
	/* u16s in the file's byte order, see raw_value_sites; may be NULL. */
	const uint8_t *num_value_sites;
};

struct raw_vtable {
	uint64_t name_hash, pointer;
	uint32_t size;
};

void raw_record_get(const struct raw_image *, uint64_t i, struct raw_record *);

/* Only its FunctionPointer. */
uint64_t raw_record_function(const struct raw_image *, uint64_t i);

/* Only what raw_value_sites needs of it. */
void raw_record_sites(const struct raw_image *, uint64_t i,
    struct raw_record *);

/* Value sites of a kind that a record counts. */
uint16_t raw_value_sites(const struct raw_image *, const struct raw_record *,
    unsigned kind);
bool raw_has_sites(const struct raw_image *, const struct raw_record *);

/* The same for all kinds of the image; the sum is returned. */
unsigned raw_count_sites(const struct raw_image *, const struct raw_record *,
    uint16_t *counted);

/*
 * The first kind that has not as many sites as the record counts; the image's
 * number of kinds if all have.
 */
unsigned raw_sites_mismatch(const struct raw_image *, const uint16_t *counted,
    const struct prof_sites[PROF_VALUE_KINDS]);

/* As many sites as counted, without values.  False if out of memory. */
bool raw_empty_sites(const struct raw_image *, const uint16_t *counted,
    struct arena *, struct prof_sites out[PROF_VALUE_KINDS]);

void raw_vtable_get(const struct raw_image *, uint64_t i, struct raw_vtable *);

/*
 * Offsets in the file of a record's counters, bitmap or uniform counters.
 */
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

/*
 * Appends a record, with the number of value sites of each kind of the image;
 * num_value_sites of the record is not used, and Values is 0.
 */
void raw_record_put(const struct raw_image *, struct buf *,
    const struct raw_record *, const uint16_t *sites);

/*
 * Adjusts the section pointers of a stored record that is moved towards the
 * start of the data section by a distance in bytes.
 */
void raw_record_move(const struct raw_image *, uint8_t *record,
    uint64_t distance);

void raw_vtable_put(const struct raw_image *, struct buf *,
    const struct raw_vtable *);

#endif
