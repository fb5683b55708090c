/*
 * format/raw/raw.h - what the files of this folder share
 *
 * A file has one or more images, each the profile of one binary or shared
 * library.  An image is a header, whose row says which sections follow.
 */
#ifndef FORMAT_RAW_RAW_H
#define FORMAT_RAW_RAW_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/lru_cache.h"
#include "format/codec.h"
#include "format/program.h"
#include "model/record.h"
#include "model/releases.h"
#include "model/symtab.h"
#include "model/value_sites.h"
#include "prof.h"

/*
 * The versions, one row each.  A row says all that differs from one version to
 * the next; no code compares version numbers.  A new version is a new row in
 * format/raw/layout.c.  Facts: InstrProfData.inc (INSTR_PROF_RAW_HEADER,
 * INSTR_PROF_DATA) of the releases named there.
 */

/* InstrProfData.inc, INSTR_PROF_RAW_MAGIC_64 and _32. */
#define RAW_MAGIC_64 UINT64_C(0xFF6C70726F667281)
#define RAW_MAGIC_32 UINT64_C(0xFF6C70726F665281)

/* Header fields behind magic and version, each of RAW_FIELD_SIZE bytes. */
enum { RAW_FIELD_SIZE = 8 };

enum raw_field {
	RAW_END,		/* of a list of fields */
	RAW_BINARY_IDS_SIZE,	/* bytes */
	RAW_NUM_DATA,		/* records */
	RAW_PADDING_BEFORE_COUNTERS,
	RAW_NUM_COUNTERS,	/* counters; bytes with byte coverage */
	RAW_PADDING_AFTER_COUNTERS,
	RAW_NUM_BITMAP_BYTES,
	RAW_PADDING_AFTER_BITMAP,
	RAW_NUM_UNIFORM,	/* counters of 8 bytes */
	RAW_PADDING_AFTER_UNIFORM,
	RAW_UNIFORM_DELTA,
	RAW_NAMES_SIZE,		/* bytes, as stored */
	RAW_COUNTERS_DELTA,
	RAW_BITMAP_DELTA,
	RAW_NAMES_DELTA,
	RAW_NUM_VTABLES,	/* records */
	RAW_VNAMES_SIZE,	/* bytes, as stored */
	RAW_VALUE_KIND_LAST,
	RAW_VALUE_DATA_SIZE,	/* bytes */
	RAW_VALUE_DATA_DELTA,
	/* Skipped by the reader, 0 from the writer; at most one in a row. */
	RAW_UNUSED_FIELD,
	RAW_FIELDS
};

/* Name of a header field as LLVM has it, for messages. */
extern const char *const raw_field_names[RAW_FIELDS];

/* Members of a data record; their widths are in raw_members. */
enum raw_member {
	RAW_M_END,		/* of a list of members */
	RAW_NAME_SIZE,
	RAW_NUM_COUNTS,
	RAW_FUNC_HASH,
	RAW_NAME_PTR,
	RAW_NAME_REF,
	RAW_COUNTER_PTR,
	RAW_UNIFORM_PTR,
	RAW_BITMAP_PTR,
	RAW_FUNCTION_PTR,
	RAW_VALUES_PTR,
	RAW_NUM_VALUE_SITES,	/* an array: one for each value kind */
	RAW_WAVE_SIZE,
	RAW_NUM_BITMAP,
	/* Skipped by the reader, 0 from the writer. */
	RAW_UNUSED_U16, RAW_UNUSED_U32, RAW_UNUSED_U64, RAW_UNUSED_PTR,
	RAW_MEMBERS
};

static const struct raw_member_info {
	uint8_t width;		/* bytes; 0: those of the program's pointers */
	bool address;		/* depends on where the program is loaded */
	bool section_pointer;	/* into a section, see enum raw_pointers */
} raw_members[RAW_MEMBERS] = {
	[RAW_NAME_SIZE] = { .width = 4 },
	[RAW_NUM_COUNTS] = { .width = 4 },
	[RAW_FUNC_HASH] = { .width = 8 },
	[RAW_NAME_PTR] = { .address = true },
	[RAW_NAME_REF] = { .width = 8 },
	[RAW_COUNTER_PTR] = { .section_pointer = true },
	[RAW_UNIFORM_PTR] = { .section_pointer = true },
	[RAW_BITMAP_PTR] = { .section_pointer = true },
	[RAW_FUNCTION_PTR] = { .address = true },
	[RAW_VALUES_PTR] = { .address = true },
	[RAW_NUM_VALUE_SITES] = { .width = 2 },
	[RAW_WAVE_SIZE] = { .width = 2 },
	[RAW_NUM_BITMAP] = { .width = 4 },
	[RAW_UNUSED_U16] = { .width = 2 },
	[RAW_UNUSED_U32] = { .width = 4 },
	[RAW_UNUSED_U64] = { .width = 8 },
};

/* In the order of all versions; those that a version lacks are empty. */
enum raw_section {
	RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS, RAW_S_BITMAP, RAW_S_UNIFORM,
	RAW_S_NAMES, RAW_S_VTABLES, RAW_S_VNAMES, RAW_S_VALUES, RAW_SECTIONS
};

/*
 * What is the same in all versions that have a section: `count` is the field
 * with the number of its units (raw_unit_size), `padding` the field with the
 * number of zeros behind it, RAW_END for none, or RAW_PAD8 for as many as lead
 * to a multiple of 8.  Of a section that records point into, `pointer` is the
 * record's member and `delta` the field that is taken off the pointer.
 */
enum { RAW_PAD8 = RAW_FIELDS };

static const struct raw_section_info {
	uint8_t count, padding;	/* enum raw_field */
	uint8_t delta;		/* enum raw_field */
	uint8_t pointer;	/* enum raw_member */
	const char *units;	/* for messages */
	bool fixed;		/* same number of units in all profiles */
} raw_sections[RAW_SECTIONS] = {
	[RAW_S_IDS] = { .count = RAW_BINARY_IDS_SIZE },
	[RAW_S_DATA] = { .count = RAW_NUM_DATA,
	    .padding = RAW_PADDING_BEFORE_COUNTERS, .fixed = true },
	[RAW_S_COUNTERS] = { .count = RAW_NUM_COUNTERS,
	    .padding = RAW_PADDING_AFTER_COUNTERS,
	    .delta = RAW_COUNTERS_DELTA, .pointer = RAW_COUNTER_PTR,
	    .units = "counters", .fixed = true },
	[RAW_S_BITMAP] = { .count = RAW_NUM_BITMAP_BYTES,
	    .padding = RAW_PADDING_AFTER_BITMAP,
	    .delta = RAW_BITMAP_DELTA, .pointer = RAW_BITMAP_PTR,
	    .units = "bitmap bytes", .fixed = true },
	[RAW_S_UNIFORM] = { .count = RAW_NUM_UNIFORM,
	    .padding = RAW_PADDING_AFTER_UNIFORM,
	    .delta = RAW_UNIFORM_DELTA, .pointer = RAW_UNIFORM_PTR,
	    .units = "uniform counters", .fixed = true },
	[RAW_S_NAMES] = { .count = RAW_NAMES_SIZE, .padding = RAW_PAD8 },
	[RAW_S_VTABLES] = { .count = RAW_NUM_VTABLES, .padding = RAW_PAD8,
	    .fixed = true },
	[RAW_S_VNAMES] = { .count = RAW_VNAMES_SIZE, .padding = RAW_PAD8 },
	[RAW_S_VALUES] = { .count = RAW_VALUE_DATA_SIZE },
};

/* What CounterPtr, BitmapPtr and UniformCounterPtr are. */
enum raw_pointers {
	RAW_ABSOLUTE,		/* addresses; the delta is the section's */
	RAW_RELATIVE,		/* distances from the record itself */
	/* Compilers of summer 2021 wrote relative ones under number 7. */
	RAW_ABSOLUTE_OR_RELATIVE,
};

/* Whether each binary id is padded to 8 bytes. */
enum raw_ids { RAW_IDS_NONE, RAW_IDS_MAYBE_PADDED, RAW_IDS_PADDED };

enum raw_values {
	RAW_VALUES_NONE,
	RAW_VALUES_SIZED,	/* ValueDataSize says where they end */
	RAW_VALUES_BLOCKS	/* the sizes of their blocks do */
};

struct raw_row {
	uint8_t version;
	uint8_t header[RAW_FIELDS];	/* enum raw_field, to RAW_END */
	uint8_t record[RAW_MEMBERS];	/* enum raw_member, to RAW_M_END */
	enum raw_pointers pointers;
	enum raw_ids ids;
	enum raw_values values;
	bool addressed_names;		/* by NamePtr and NameSize */
	/* Kinds of values that the compilers of the version know. */
	uint8_t value_kinds;
	/* NumValueSites has at least so many, whatever ValueKindLast says. */
	uint8_t value_kinds_min;
	bool aligned;			/* an image ends at a multiple of 8 */
	/* Indexed versions whose front-end hash rule was in use. */
	uint8_t frontend_first, frontend_last;
	/* The same for a profile with MC/DC bitmaps, 0 if not narrower. */
	uint8_t bitmap_first, bitmap_last;
	uint64_t variants;		/* bits 32 to 63 that may be set */
};

/* All versions, oldest first. */
extern const struct raw_row raw_rows[];
extern const size_t raw_row_count;

/* NULL if the version is unknown. */
const struct raw_row *raw_row(uint64_t version);

/* Whether the header has a field. */
bool raw_row_has_field(const struct raw_row *, enum raw_field);

/* Byte offsets of a record's members. */
struct raw_record_layout {
	uint16_t offset[RAW_MEMBERS];
	bool has[RAW_MEMBERS];
	uint16_t size;
};

void raw_record_layout(const struct raw_row *, unsigned pointer_bytes,
    unsigned value_kinds, struct raw_record_layout *out);

/* Bytes of the header, with magic and version. */
size_t raw_header_size(const struct raw_row *);

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
	 * Of an image that may be cut (raw_image_open_as): whether it is, and
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
enum prof_status raw_image_open_as(struct raw_image *, struct prof_span file,
    size_t start, bool may_be_cut, struct prof_error *);

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

static inline uint64_t
raw_load_pointer(const struct raw_image *im, const uint8_t *p)
{
	return im->pointer_bytes == 8 ? load_u64(p, im->big) :
	    load_u32(p, im->big);
}

/* A vtable record: u64, pointer, u32, and padding to 8 bytes. */
static inline size_t
raw_vtable_size(const struct raw_image *im)
{
	return im->pointer_bytes == 8 ? 24 : 16;
}

/* Bytes of a unit that a section's header field counts. */
uint64_t raw_unit_size(const struct raw_image *, enum raw_section);

/* Data records and vtable records: numbers i are below NumData, NumVTables. */

/* One data record, as stored; members that the version lacks are 0. */
struct raw_record {
	uint64_t name_ref, func_hash, name_ptr;
	uint64_t counter_ptr, bitmap_ptr, uniform_ptr, function_ptr;
	uint32_t name_size, num_counters, num_bitmap_bytes;
	uint16_t wave_size;
	uint16_t sites[RAW_VALUE_KINDS_MAX];	/* value sites of each kind */
	unsigned sites_size;			/* of all kinds */
};

struct raw_vtable {
	uint64_t name_hash, pointer;
	uint32_t size;
};

void raw_record_get(const struct raw_image *, uint64_t i, struct raw_record *);

/*
 * The first kind that has not as many sites as the record counts; the image's
 * number of kinds if all have.
 */
unsigned raw_sites_mismatch(const struct raw_image *, const uint16_t *counted,
    const struct prof_sites[PROF_VALUE_KINDS]);

/* As many sites as counted, without values.  False if out of memory. */
bool raw_empty_sites(const uint16_t *counted, struct arena *,
    struct prof_sites out[PROF_VALUE_KINDS]);

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
 * The end of an image: the value data of most versions have no size of their
 * own, but are blocks, one for each record that counts value sites.
 */

/*
 * Whether value data stand at `at`, if records count sites: continuous mode and
 * buffers written by __llvm_profile_write_buffer (compiler-rt) have none.
 */
bool raw_has_values(const struct raw_image *, size_t at);

/* Whether any record counts value sites. */
bool raw_counts_sites(const struct raw_image *);

/* The end of an image, if its value blocks are intact. */
enum prof_status raw_extent(const struct raw_image *, size_t *end,
    struct prof_error *);

/*
 * Binary ids: a u64 length and as many bytes each.  Versions from 8 on pad each
 * id to 8 bytes.  Some compilers of versions 6 and 7 do and some do not; the
 * padding is inferred from the section's size.
 */

bool raw_ids_padded(const struct raw_image *);

/* Bytes of the intact ids at the start of the section. */
size_t raw_ids_intact_size(const struct raw_image *);

/* Reads the id at an offset in the file; PROF_END behind the last. */
enum prof_status raw_ids_next(const struct raw_image *, bool padded,
    size_t *at, struct prof_span *id, struct prof_error *);

/*
 * All errors that records can have are found before the first record is handed
 * out.  What is only suspicious is counted and reported in one warning a kind.
 */

/* What the pass found out about an image. */
struct raw_facts {
	uint64_t sites;		/* value sites that the records count */
	struct hash_facts hashes;
	bool any_rust;		/* some function is Rust's */
	uint16_t wave_size;	/* the largest */
	bool any_bitmap;
	bool ascending;		/* counters are in record order, not shared */
	bool warned;		/* a warning about the records was given */
};

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

/*
 * Value profiles of raw files hold run-time addresses: of functions for
 * indirect calls, inside vtables for vtable loads.  An address is looked up
 * among the records of its own image only, as in LLVM's reader.
 */

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

/* False if out of memory. */
bool raw_addresses_load(struct raw_addresses *, const struct raw_image *);

/*
 * Guid of the function whose FunctionPointer is the address, or 0.  Of several
 * functions at one address (identical code folding), the first one in the file;
 * LLVM's choice among them is not specified.
 */
uint64_t raw_function_at(const struct raw_addresses *, uint64_t address);

/* Name hash of the vtable around the address, 0 if there is none. */
uint64_t raw_vtable_at(const struct raw_addresses *, uint64_t address);

void raw_addresses_free(struct raw_addresses *);

/*
 * Two images are of one program if their data records are equal, except for the
 * addresses that change when the program is loaded elsewhere.  File names and
 * binary ids are not compared.  What the checks of the first image found out
 * about the records then holds for later images, which are not checked again.
 */

/* A record that counts value sites, and how many of each kind. */
struct raw_value_record {
	uint32_t record;
	uint16_t sites[PROF_VALUE_KINDS];
};

struct raw_program {
	struct lru_entry entry;
	struct cached_names *names;
	/*
	 * The first image.  If the program is shared, its file is `records`, a
	 * copy of its data; else the image is the only one of the program, and
	 * `records` is NULL.
	 */
	struct raw_image image;
	bool shared;
	uint8_t *records;
	uint64_t first_function;	/* record that has a FunctionPointer */
	uint32_t *symbols;		/* of the records, in names->names */
	struct raw_facts facts;
	/* Of functions in the first image; empty if programs have vtables. */
	struct raw_addresses addresses;
	/* Without blocks if the functions cannot be returned in blocks. */
	struct program_layout layout;
	struct raw_value_record *value_records;	/* sites of blocks */
	size_t value_records_size;
	/* Of the records so far: some has a FunctionPointer, all fit blocks. */
	bool any_function, fits_blocks;
};

/* The symbol of record i. */
static inline const struct prof_symbol *
raw_program_symbol(const struct raw_program *p, uint64_t i)
{
	return &p->names->names.table.symbols[p->symbols[i]];
}

/*
 * Notes an image whose program is not known.  True if the program is worth
 * sharing, for the first image, and if another image that is probably of the
 * same program was noted before.  Otherwise the images may be of different
 * builds, each with one image: copies of their records would be of no use.
 */
bool raw_program_is_worthwhile(const struct prof_context *,
    const struct raw_image *);

/*
 * How the functions of an image were loaded, compared to the first image of the
 * program.  All zero, without a program or if addresses have to be looked up in
 * the image itself.
 */
struct raw_relocation {
	bool rigid;		/* all have `distance` from those there */
	uint64_t distance;	/* modulo 2^64 */
};

/*
 * The program of an image, to be released, and the relocation of the image;
 * NULL if it is not known.
 */
struct raw_program *raw_program_find(const struct prof_context *,
    const struct raw_image *, const struct cached_names *,
    struct raw_relocation *);

/*
 * Makes a program of an image while raw_check passes over its records.  A
 * program that is not shared serves for blocks of this image and is valid as
 * long as the image.  NULL if images of this layout are not recognised or
 * memory is short; reading then goes on without.  It is released if raw_check
 * fails.
 */
struct raw_program *raw_program_new(const struct raw_image *,
    struct cached_names *, bool shared);

/* Adds the next record; symbol may be SYMTAB_NONE. */
void raw_program_add(struct raw_program *, uint64_t record,
    const struct raw_record *, const struct raw_place *, size_t symbol);

/*
 * Puts a shared program, whose records were checked, into the cache of the
 * context.  NULL if it is not worth keeping.  The program that is returned, and
 * with it the relocation, may be of an image that another thread has opened in
 * the meantime.
 */
struct raw_program *raw_program_finish(struct raw_program *,
    const struct prof_context *, const struct raw_facts *,
    struct raw_relocation *);

/*
 * A file that is pulled image by image: a program that runs many times may
 * append its profiles to one pipe, of any size, and its images are small.
 */

struct raw_window {
	prof_pull *pull;		/* NULL: the file is in memory */
	void *arg;
	uint64_t max_size;		/* of an image, in bytes */
	struct buf bytes;		/* of the file; dropped up to start */
	size_t start;			/* a multiple of 8, for alignment */
	uint64_t origin;		/* of start in the file */
	bool ended;			/* nothing comes behind the bytes */
};

/* The state of a reader: read.c opens images, function.c decodes functions. */

/* The time of the first call of a function. */
struct raw_stamp {
	uint64_t time;
	struct prof_symbol symbol;
};

enum raw_state {
	AT_PROFILE, AT_BINARY, AT_VTABLE, AT_VTABLE_NAME, AT_FUNCTION,
	AT_RAW_COUNTERS, AT_TRACE, AT_END, AT_NEXT_IMAGE
};

struct raw_reader {
	struct prof_reader base;
	enum raw_state state;
	struct raw_image im;
	struct raw_window window;	/* if the file is pulled */
	uint64_t first_magic;
	bool first_big;
	uint64_t index;			/* of the next record of this state */
	size_t ids_at;			/* next binary id */
	bool ids_padded;
	struct cached_names *names;
	struct names_limit names_limit;
	size_t name_hint;
	struct raw_facts facts;
	struct raw_program *program;	/* NULL if it is not known */
	bool blocks;			/* functions are returned in them */
	uint8_t *repeated;		/* records that are skipped, or NULL */
	struct raw_addresses addresses;
	struct raw_relocation relocation;	/* of the program's addresses */
	const struct raw_addresses *functions;	/* NULL: not yet known */
	bool has_values;		/* false: sites, but no value data */
	size_t values_at;		/* next value block */
	struct consumed counts_consumed, values_consumed;
	uint64_t suspicious, first_suspicious;	/* records */
	struct arena arena;		/* of one record */
	uint8_t *has_record;		/* of each vtable name */
	struct arena long_lived;	/* names of stamps, has_record */
	struct raw_stamp *stamps;	/* of all images of the file */
	size_t stamp_count, stamp_room;
};

/* The name of a guid in the image's names; data is NULL if there is none. */
static inline struct prof_span
raw_name(const struct raw_reader *r, uint64_t guid)
{
	return symtab_name(&r->names->names.table, guid);
}

/*
 * Finds the errors of all records and sets the facts of the image.  A program
 * that is made of it, or NULL, sees the records up to the first error.
 */
enum prof_status raw_check(struct raw_reader *, struct raw_program *,
    struct prof_error *);

/*
 * Which records of a checked image repeat the function and the counters of one
 * before: link-time optimization keeps the records that each object has of an
 * inline function, and one of their counters (clang up to 14).  An array of
 * flags, to be freed; NULL if out of memory.  Warns of other shared counters.
 */
uint8_t *raw_find_repeated(const struct raw_reader *);

/*
 * n counters at an offset of the file, as counts: borrowed from the image if
 * they are stored there as in memory of this machine.  NULL if out of memory.
 */
const uint64_t *raw_counts(struct raw_reader *, size_t at, size_t n);

/*
 * The same counts without pseudo counts, unless they are read as LLVM does: a
 * run writes none, but counters wrap.  NULL if out of memory.
 */
const uint64_t *raw_ordinary_counts(struct raw_reader *, const uint64_t *,
    size_t n);

/* The next data record, or PROF_END. */
enum prof_status raw_next_function(struct raw_reader *, struct prof_record *,
    struct prof_error *);

/* The next block, or PROF_END, and operations of struct reader_ops on it. */
enum prof_status raw_next_block(struct raw_reader *, struct prof_record *,
    struct prof_error *);
const struct prof_function *raw_block_functions(struct prof_reader *,
    const struct prof_block *, struct prof_error *);
void *raw_block_retain(struct prof_reader *);
struct prof_span raw_block_name(const struct prof_reader *, uint64_t guid);

/*
 * Appends the header that the image's row asks for, and the sections in the
 * row's order with their padding.  Magic, version word, layout, byte order and
 * fields are those of the image; only the fields that count the units and the
 * padding of sections are computed.
 */
void raw_emit(const struct raw_image *,
    const struct prof_span sections[RAW_SECTIONS], struct buf *);

#endif
