/* format/indexed/indexed.h - what the files of this folder share */
#ifndef FORMAT_INDEXED_INDEXED_H
#define FORMAT_INDEXED_INDEXED_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/lru_cache.h"
#include "base/numbers.h"
#include "format/codec.h"
#include "format/program.h"
#include "model/disk_hash_table.h"
#include "model/summary.h"
#include "model/symtab.h"
#include "model/value_sites.h"
#include "prof.h"

/*
 * A version is one row: reading, writing, checking, salvage, look-up and the
 * recognition of programs ask the row and never compare numbers.  The hash
 * rule, the summary rule and the MemProf versions that go with a version are
 * those of the LLVM that introduced it: model/releases.h.  Facts:
 * InstrProfReader.cpp, InstrProfWriter.cpp and InstrProf.h of the releases
 * named in format/indexed/layout.c.
 */

/* "\xfflprofi\x81", always little-endian like all that follows. */
#define INDEXED_MAGIC 0x8169666F72706CFF

/* Sections behind the hash table, whose offsets are in the header. */
enum indexed_section {
	INDEXED_NO_SECTION,		/* ends a list of sections */
	INDEXED_MEMPROF,
	INDEXED_BINARY_IDS,
	INDEXED_TRACES,
	INDEXED_VTABLE_NAMES,
	INDEXED_SECTIONS
};

struct indexed_section_facts {
	const char *offset_name;	/* in LLVM's sources, for messages */
	const char *subject;		/* for messages */
	/*
	 * The variant bit that says that there is such a section; 0: there is
	 * always one, and it begins with its size in bytes.
	 */
	uint64_t variant;
};

extern const struct indexed_section_facts indexed_sections[INDEXED_SECTIONS];

/* Bytes of the header up to HashOffset, the same in all versions. */
enum { INDEXED_HEADER_MIN = 40 };

struct indexed_row {
	uint8_t version;
	/* Header members behind HashOffset: offsets of these sections. */
	uint8_t header[INDEXED_SECTIONS];
	/* The same sections in the order in which they stand in the file. */
	uint8_t file[INDEXED_SECTIONS];
	bool summary;			/* else MaxFunctionCount is used */
	/*
	 * Members of a record beside hash and counters (record.h).  With
	 * NumCounts, several records fit a name.
	 */
	bool num_counts;
	bool bitmap;
	/* Value kinds that a record can hold; 0: it has no value data. */
	uint8_t value_kinds;
	uint64_t variants;		/* bits 32 to 63 that are written */

	/* The bytes that LLVM writes beyond what readers need. */
	bool shrinks;			/* fits the filled hash table */
	bool sorted_names;		/* else the order of a StringMap */
	uint32_t (*map_hash)(uint64_t function_hash);	/* of a DenseMap */
};

/* NULL if the version is unknown. */
const struct indexed_row *indexed_row(uint64_t version);

/* Whether files of the version can have a section. */
bool indexed_row_has(const struct indexed_row *, enum indexed_section);

/* The first version whose files can have a section. */
unsigned indexed_first_with(enum indexed_section);

/* Bytes of the header. */
size_t indexed_header_size(const struct indexed_row *);

/* Offset in the header of a section's offset, which is there. */
size_t indexed_offset_at(const struct indexed_row *, enum indexed_section);

struct indexed_image {
	const struct indexed_row *row;
	struct prof_span file;
	uint64_t version_word;
	struct disk_hash table;
	struct cursor summaries;	/* see indexed_summary_check */
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

/*
 * A summary, in words: the numbers of fields and of cutoffs, the fields, and
 * for each cutoff Cutoff, MinCount and NumCounts.
 */
enum {
	INDEXED_CUTOFF_SIZE = 24,	/* bytes of a cutoff */
	INDEXED_SUMMARY_FIELDS = 6,
	INDEXED_SUMMARY_WORDS = 2 + INDEXED_SUMMARY_FIELDS +
	    3 * SUMMARY_CUTOFFS
};

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

/*
 * u64 FuncHash, u64 NumCounts (v2), counters, u64 NumBitmapBytes (v11), bitmap
 * bytes as u64 each, value data (v3).  The data of a name are one or more of
 * them (InstrProfWriter.cpp, InstrProfRecordWriterTrait::EmitData).
 */

/*
 * This hash and the next mark empty slots in LLVM's map of a name's records, so
 * no function can have them (DenseMapInfo.h, getEmptyKey, getTombstoneKey).
 */
#define INDEXED_HASH_RESERVED (UINT64_MAX - 1)

/* As stored: words are u64, little-endian and not aligned. */
struct indexed_record {
	uint64_t hash;
	const uint8_t *counts, *bitmap;
	size_t num_counts, num_bitmap_bytes;	/* words of each */
	size_t values;			/* offset of the block, if any */
};

/*
 * Reads the record at the cursor, whose end is that of the name's data.  The
 * contents of bitmap and value data are not checked.
 */
enum prof_status indexed_record_read(const struct indexed_row *,
    struct cursor *, struct indexed_record *, struct prof_error *);

/*
 * The counters as numbers: borrowed from the image if it has them aligned and
 * in the order of this machine, else in the arena.  NULL if out of memory.
 */
const uint64_t *indexed_record_counts(const struct indexed_record *,
    struct arena *);

/* The bitmap as bytes; start is the image, for the offset in errors. */
enum prof_status indexed_record_bitmap(const struct indexed_record *,
    const uint8_t *start, struct arena *, struct prof_span *out,
    struct prof_error *);

/* Numbers of value sites of a record, one for each kind. */
struct indexed_site_counts {
	uint32_t sites[PROF_VALUE_KINDS];
};

/*
 * Counts the sites of the value data at the cursor and moves behind them.
 * False if they are damaged, or their kinds do not ascend (LLVM's always do).
 */
bool indexed_count_sites(struct cursor *, const struct indexed_row *,
    struct indexed_site_counts *);

/* Offset of the value data of a record whose counters begin at counts_at. */
static inline size_t
indexed_values_at(const struct indexed_row *row, size_t counts_at,
    size_t counts_size)
{
	return counts_at + 8 * counts_size + (row->bitmap ? 8 : 0);
}

/* Size of hash, NumCounts and counters; appends them. */
size_t indexed_head_size(const struct indexed_row *, size_t counts_size);
void indexed_head_write(const struct indexed_row *, uint64_t hash,
    const uint64_t *counts, size_t counts_size, struct buf *out);

/* How records are encoded, and which values the format could not hold. */
struct indexed_encoder {
	const struct indexed_row *row;
	struct arena scratch;		/* sorted values; reset by the caller */
	uint64_t cut;			/* values beyond 255 of a site */
};

/*
 * Appends bitmap and value data.  Values of a site are written in descending
 * order of their counts.
 */
enum prof_status indexed_tail_write(struct indexed_encoder *,
    const struct prof_function *, struct buf *out, struct prof_error *);

/* Copies words of an image; returns the bits that are set in some of them. */
static inline uint64_t
indexed_copy_words(uint64_t *to, const uint8_t *from, size_t n)
{
	uint64_t any = 0;

	if (host_order(false))
		return vector_copy(to, from, n);
	for (size_t i = 0; i < n; i++) {
		to[i] = load_u64(from + 8 * i, false);
		any |= to[i];
	}
	return any;
}

/* A cursor over the records of an item, for indexed_record_read. */
struct cursor indexed_item_data(const struct indexed_image *,
    const struct disk_hash_item *);

/* Properties of the records that decide which hash rules are possible. */
struct indexed_facts {
	bool any_bitmap;
	bool any_hash_flags;		/* bits 60 to 63 in some FuncHash */
	bool any_rust;			/* some name is mangled by rustc */
};

/*
 * Check all records of an item, and the table with all its items.  Properties
 * that are found are added to the facts, which may be NULL.  Both reset the
 * arena.
 */
enum prof_status indexed_check_item(const struct indexed_image *,
    const struct disk_hash_item *, struct arena *, struct indexed_facts *,
    struct prof_error *);
enum prof_status indexed_check(const struct indexed_image *, struct arena *,
    struct indexed_facts *, struct prof_error *);

/* Sets the indexed versions whose hash rule the front-end hashes may have. */
void indexed_set_frontend(const struct indexed_row *,
    const struct indexed_facts *, struct prof_header *);

/* Where the record stands, and what is needed to decode it. */
struct indexed_function_from {
	const struct disk_hash_item *item;
	struct arena *arena;		/* of what the function points to */
	size_t end;			/* offset behind the record */
	const struct values_resolver *targets;	/* NULL: they have no names */
};

/*
 * The values, which may be of the kinds of the version only, and the whole
 * function.  Bitmap and values are checked, as the record was read without.
 */
enum prof_status indexed_read_values(const struct indexed_image *,
    const struct indexed_record *, const struct indexed_function_from *,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *);
enum prof_status indexed_function_read(const struct indexed_image *,
    const struct indexed_record *, const struct indexed_function_from *,
    struct prof_function *, struct prof_error *);

/* The summary as LLVM writes it.  False if out of memory, now or before. */
bool indexed_summary_words(const struct summary *,
    uint64_t out[INDEXED_SUMMARY_WORDS]);

/*
 * Computes the summaries from the records, which were checked before, and warns
 * of each stored field that differs.  Resets the arena.
 */
enum prof_status indexed_summary_check(const struct indexed_image *,
    struct arena *, struct prof_context *, struct prof_error *);

/*
 * Files of one program hold the same functions in the same order.  Only counts,
 * values and, as values differ in size, offsets change.  Everything else is
 * compared with that of a file that was checked before, so the checks need not
 * be repeated, and functions can be returned in blocks.
 */

/*
 * A record, in the order of the file.  In the arena, the bytes of a name are
 * followed by hash and NumCounts of its first record, as in the file: one
 * comparison covers them.
 */
enum { INDEXED_RECORD_HEAD = 16 };
struct indexed_program_record {
	struct prof_symbol symbol;
	uint64_t hash;
	uint32_t counts_size;
	bool same_item;			/* has the name of the one before */
	bool has_sites;			/* then indexed_program.sites has it */
};

struct indexed_program {
	struct lru_entry entry;
	struct program_layout layout;
	const struct indexed_row *row;
	uint64_t version_word, entries;
	uint64_t buckets;		/* empty ones too */
	struct indexed_facts facts;
	uint16_t *items;		/* number of each bucket with items */
	size_t filled;			/* buckets with items */
	struct indexed_program_record *records;
	size_t size;
	struct indexed_site_counts *sites;	/* of blocks */
	size_t sites_size;
	struct symtab names;
	struct arena arena;		/* names, each with its head */
};

/* The position in the image and in the program, for the comparison of both. */
struct indexed_match {
	const struct indexed_program *program;
	const struct disk_hash *table;
	size_t pos;			/* in the image */
	size_t item_end;		/* end of the present item */
	size_t record, sites;		/* next ones of the program */
	size_t bucket;			/* next one of program->items */
	unsigned items_left;		/* in the present bucket */
	uint64_t behind;		/* number of the bucket behind it */
};

/*
 * The blocks of one image: some thousand functions each, instead of functions
 * one by one.  program is NULL if the image is of no known program: then there
 * are no blocks.
 */
struct indexed_blocks {
	struct indexed_program *program;
	const struct prof_context *context;	/* or NULL */
	struct indexed_image *image;
	const struct symtab *vtables;	/* names of vtables, for targets */
	struct indexed_match walk;
	struct consumed consumed;
	size_t next;			/* index of the next block */
	/* Records in the blocks before that with damaged value data. */
	size_t returned;
};

/*
 * Looks for the program of the image, of which all is compared but the values.
 * If no program matches, the table and all records are checked and the image is
 * added as a program.  Resets the arena.
 */
enum prof_status indexed_blocks_open(struct indexed_blocks *, struct arena *,
    struct indexed_facts *, struct prof_error *);

/*
 * The next block, whose member `reader` the caller sets.  PROF_END with
 * program == NULL means that its value data are damaged: all records but the
 * first `returned` ones are still to be read one by one.
 */
enum prof_status indexed_blocks_next(struct indexed_blocks *, struct arena *,
    struct prof_block *, struct prof_error *);

/* See prof_block_unnamed and prof_block_name. */
const struct prof_function *indexed_blocks_functions(
    const struct indexed_blocks *, const struct prof_block *, struct arena *,
    struct prof_error *);
struct prof_span indexed_blocks_name(const struct indexed_blocks *,
    uint64_t guid);

void indexed_blocks_free(struct indexed_blocks *);

/*
 * Records are appended to `bytes`.  With a scratch file, full buffers go there.
 */
struct indexed_store {
	struct buf bytes;
	const struct prof_scratch *scratch;	/* NULL: all stay in bytes */
	uint64_t written;		/* bytes in the scratch file */
};

/*
 * Each record is stored encoded as in the file, and its name behind it if it is
 * the first record of the name.  So the memory needed is little more than the
 * size of the file, or little at all with a scratch file.  If names and counts
 * stay valid until the end (prof_target.borrows), they are borrowed, and only
 * records with a bitmap or values are stored, without hash and counters.
 */
struct indexed_entry {
	struct prof_span name;		/* data is NULL while it is stored */
	uint64_t guid, hash;
	uint64_t record;		/* its offset in the store */
	size_t record_size;
	const uint64_t *counts;		/* borrowed; unused if stored */
	size_t counts_size;
	uint32_t arrival;		/* entries added before */
	bool second_pass;		/* see summary_add_again */
	bool omitted;			/* see prof_omit */
};

/* Empty if all members but the row are zero. */
struct indexed_entries {
	const struct indexed_row *row;
	struct indexed_entry *list;
	size_t size, room;
	bool unsorted;			/* not in order of name and hash */
	bool as_arrived;		/* see prof_target */
	bool borrows;			/* see prof_target */
	struct indexed_store store;	/* records and names */
	struct buf plain;		/* end of a record without values */
	struct buf last;		/* name of the last entry */
	struct arena arena;		/* names of the scratch file */
	struct arena scratch;

	/*
	 * Set by indexed_entries_arrange.  Entries of one name are neighbours;
	 * names are numbered in the order of their first entries.
	 */
	uint32_t names;
	uint32_t *first;		/* entry of each name; [names]: end */
};

/*
 * Adds a function whose encoded record was appended to store.bytes from `start`
 * on.  If counters are borrowed, hash and counters are not part of the record,
 * and nothing is appended for a function without bitmap and values.
 * second_pass is what summary_add returned.
 */
enum prof_status indexed_entries_add(struct indexed_entries *,
    const struct prof_function *, size_t start, bool second_pass,
    struct prof_error *);

/* See prof_omit; does nothing for versions that sort names. */
enum prof_status indexed_entries_omit(struct indexed_entries *,
    const struct prof_symbol *, struct prof_error *);

void indexed_entries_free(struct indexed_entries *);

/* The table of functions, as it is written. */
struct indexed_table {
	struct indexed_entries *entries;

	/* Set by indexed_table_arrange, in the arena of the entries. */
	uint32_t items;			/* names that are not omitted */
	uint32_t *order;		/* of items, in order of insertion */
	struct disk_hash_plan plan;	/* items are indices into order */
	uint64_t *offsets;		/* of buckets */
	uint64_t payload_end;		/* before padding */
	uint64_t head;			/* offset of the table's head */
	uint64_t end;			/* offset behind the table */
};

/*
 * Arranges the entries and computes the offsets of a table whose payload begins
 * at that offset of the file.
 */
enum prof_status indexed_table_arrange(struct indexed_table *,
    uint64_t payload, struct prof_error *);

/*
 * Appends the table to out.  Whenever out is large, its bytes go to the sink
 * and it is emptied; the caller writes the bytes that are left.
 */
enum prof_status indexed_table_write(struct indexed_table *,
    struct prof_writer *, struct buf *out, struct prof_error *);

#endif
