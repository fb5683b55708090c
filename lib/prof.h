/*
 * prof.h - libprof: LLVM's instrumentation profiles as a stream of records
 *
 * A reader turns the bytes of any format into records, a writer turns records
 * into the bytes of any format.  Nothing in the library opens a profile file by
 * name or prints.
 *
 * Ownership, once for all prototypes below: readers lend, writers copy.  The
 * memory that a record points to is valid until the next call on its reader; a
 * caller that needs a record longer copies it.  No function returns memory for
 * the caller to free(3).
 *
 * Facts about the formats: llvm/include/llvm/ProfileData/InstrProfData.inc and
 * InstrProf.h, releases 3.5 to 22, unless another source is named.
 */
#ifndef PROF_H
#define PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* END is not an error: there are no more records. */
enum prof_status { PROF_FAIL = -1, PROF_OK, PROF_END };

enum prof_code {
	PROF_E_NONE,
	PROF_E_FORMAT,		/* not a profile of any known kind */
	PROF_E_VERSION,		/* a known format in an unknown version */
	PROF_E_TRUNCATED,	/* the bytes end too early */
	PROF_E_CORRUPT,		/* the bytes contradict each other */
	PROF_E_MISMATCH,	/* two profiles that do not go together */
	PROF_E_LIMIT,		/* larger than a limit of this library */
	PROF_E_UNSUPPORTED,	/* sound, but the target cannot hold it */
	PROF_E_MEMORY,
	PROF_E_SYSTEM,		/* system call failed; reason: strerror */
};

/* What prof_error.offset counts. */
enum prof_where { PROF_NOWHERE, PROF_AT_BYTE, PROF_AT_LINE };

#define PROF_REASON_SIZE 240

/*
 * Owned by the caller, all zero to begin with.  The first failure fills it in
 * and later ones leave it as it is.  The reason is one line without newline and
 * without a file name: "NumCounters 4096 exceeds the 512 bytes left".
 */
struct prof_error {
	enum prof_code code;
	enum prof_where where;
	uint64_t offset;	/* byte in the image, or line from 1 */
	char reason[PROF_REASON_SIZE];
};

/* Bytes, neither NUL-terminated nor always UTF-8.  data is NULL if absent. */
struct prof_span {
	const uint8_t *data;
	size_t size;
};

/*
 * A function or vtable.  The guid is the first 8 bytes of MD5(name) read as a
 * little-endian number (InstrProf.h, ComputeHash).  Name or guid may be
 * missing: name.data == NULL is a symbol known only by its guid; guid == 0 with
 * a name is a guid that nobody has computed yet (prof_symbol_guid does); a
 * symbol with neither is LLVM's "external symbol".
 */
struct prof_symbol {
	struct prof_span name;
	uint64_t guid;
};

/* Value kinds, InstrProfData.inc VALUE_PROF_KIND (0: 3.8, 1: 5, 2: 19). */
enum prof_value_kind {
	PROF_INDIRECT_CALL_TARGET,	/* value is the guid of the callee */
	PROF_MEM_OP_SIZE,		/* value is a size in bytes */
	PROF_VTABLE_TARGET,		/* value is the guid of the vtable */
	PROF_VALUE_KINDS
};

struct prof_value {
	uint64_t value;
	uint64_t count;
	struct prof_span name;	/* name of the target where it is known */
};

struct prof_site {
	const struct prof_value *values; /* in the order of the profile */
	size_t size;
};

struct prof_sites {
	const struct prof_site *sites;
	size_t size;
};

/*
 * LLVM's pseudo counts.  One of them in the first counter of a function marks
 * the whole function as hot or warm (InstrProf.h, getPseudoCount, LLVM 16).
 * The largest ordinary counter is PROF_COUNT_MAX (getInstrMaxCountValue); sums
 * saturate there.
 */
#define PROF_COUNT_HOT	UINT64_MAX
#define PROF_COUNT_WARM	(UINT64_MAX - 1)
#define PROF_COUNT_MAX	(UINT64_MAX - 2)

struct prof_function {
	struct prof_symbol symbol;
	uint64_t hash;			/* of the control flow; 0 is legal */
	const uint64_t *counts;
	size_t counts_size;
	struct prof_span bitmap;	/* MC/DC, bytes */
	const uint64_t *uniform_counts;	/* raw v11 */
	size_t uniform_size;
	struct prof_sites values[PROF_VALUE_KINDS];
	struct prof_span extra;		/* unknown keys: `"k":v,"k2":v2` */
};

/* A function of a block that has value sites. */
struct prof_block_values {
	size_t function;		/* of the block, from 0 */
	bool any;			/* at least one site has values */
	struct prof_sites values[PROF_VALUE_KINDS];
};

/*
 * A block: consecutive functions of a profile as one record.  Two blocks with
 * equal layout and index hold the same functions in the same order, with the
 * same numbers of counters and value sites; only counts and values differ.
 * Profiles of one program consist of the same blocks.  No function of a block
 * has a bitmap, uniform counts or extra keys.
 */
struct prof_block {
	size_t layout;			/* number of the program's layout,
					   unique in the process */
	size_t index;			/* of the block in the layout, from 0 */
	size_t size;			/* functions in this block */
	size_t of;			/* functions in all blocks, or 0 */
	const uint64_t *counts;		/* of all functions, in their order */
	size_t counts_size;
	uint64_t any_bits;		/* bitwise or of all counts */
	const struct prof_block_values *values;	/* by function; names of
					   targets: prof_block_name */
	size_t values_size;
	uint64_t hash_mask;		/* and-mask for hashes of functions */
	struct prof_reader *reader;
};

/* Counters whose functions only the binary knows (profile correlation). */
struct prof_raw_counters {
	const uint64_t *counts;
	size_t counts_size;
	struct prof_span bitmap;
};

struct prof_vtable {
	struct prof_symbol symbol;
	bool has_range;			/* raw profiles: start and size */
	uint64_t start;			/* address in the run that wrote it */
	uint64_t size;			/* bytes */
};

struct prof_trace {
	uint64_t weight;
	const struct prof_symbol *functions;	/* in order of first call */
	size_t size;
};

/*
 * Heap profiles (MemProf).  Facts: MemProfData.inc, MIBEntryDef.inc, MemProf.h
 * and DataAccessProf.h of LLVM 14 to 22.
 */

/* No segment: the address is an absolute one of the run. */
#define PROF_NO_SEGMENT	UINT64_MAX

/*
 * A mapping of executable code.  Addresses in a module are those of the
 * binary's program headers (raw 3 and later: offset is the load bias), or, if
 * file_addresses, bytes of its file (raw 1 and 2: offset is the one that the
 * mapping begins at).  Absolute addresses belong to [start, end).
 */
struct prof_segment {
	uint64_t id;			/* unique in its profile */
	bool has_range;			/* start, end and offset */
	bool file_addresses;
	uint64_t start, end, offset;
	struct prof_span build_id;	/* bytes; empty if unknown */
};

/* Which members of a frame are known, apart from those that are not NULL. */
enum {
	PROF_FRAME_LINE		 = 1 << 0,
	PROF_FRAME_START_LINE	 = 1 << 1,
	PROF_FRAME_LINE_OFFSET	 = 1 << 2,
	PROF_FRAME_COLUMN	 = 1 << 3,
	PROF_FRAME_DISCRIMINATOR = 1 << 4,
	PROF_FRAME_INLINE	 = 1 << 5,	/* inlined: more frames of its
						   pc follow */
	PROF_FRAME_FLAGS	 = 6
};

/*
 * One frame of the source.  A frame without function stands for an address that
 * could not be symbolized.  The guid is the one that LLVM looks for: of the
 * name without suffixes (MemProf.cpp, getGUID), so it may differ from
 * prof_guid(name); 0 is unknown.
 */
struct prof_frame {
	struct prof_symbol function;	/* linkage name */
	struct prof_span file;		/* data is NULL if unknown */
	uint32_t line, start_line;	/* of the file, from 1; 0: none */
	uint32_t line_offset;		/* line - start_line, modulo 2^32 */
	uint32_t column, discriminator;
	unsigned flags;
};

/*
 * A call stack, leaf first, as program counters, frames or both.  pcs[i] is an
 * address in segments[i]; if segments is NULL, all pcs are absolute addresses.
 * The frames of one pc end with the first frame that is not inlined.  A stack
 * with frames may lack pcs (pcs_size is 0).
 */
struct prof_stack {
	uint64_t id;			/* unique in its profile */
	const uint64_t *pcs, *segments;
	size_t pcs_size;
	const struct prof_frame *frames;
	size_t frames_size;
};

/*
 * A memory info block (MIBEntryDef.inc); the numbers are those of the indexed
 * format's schema.  Names, widths and rules are in model/mib.h.
 */
enum prof_mib_field {
	PROF_MIB_ALLOC_COUNT = 1,
	PROF_MIB_TOTAL_ACCESS_COUNT,
	PROF_MIB_MIN_ACCESS_COUNT,
	PROF_MIB_MAX_ACCESS_COUNT,
	PROF_MIB_TOTAL_SIZE,
	PROF_MIB_MIN_SIZE,
	PROF_MIB_MAX_SIZE,
	PROF_MIB_ALLOC_TIMESTAMP,
	PROF_MIB_DEALLOC_TIMESTAMP,
	PROF_MIB_TOTAL_LIFETIME,
	PROF_MIB_MIN_LIFETIME,
	PROF_MIB_MAX_LIFETIME,
	PROF_MIB_ALLOC_CPU_ID,
	PROF_MIB_DEALLOC_CPU_ID,
	PROF_MIB_NUM_MIGRATED_CPU,
	PROF_MIB_NUM_LIFETIME_OVERLAPS,
	PROF_MIB_NUM_SAME_ALLOC_CPU,
	PROF_MIB_NUM_SAME_DEALLOC_CPU,
	PROF_MIB_DATA_TYPE_ID,
	PROF_MIB_TOTAL_ACCESS_DENSITY,
	PROF_MIB_MIN_ACCESS_DENSITY,
	PROF_MIB_MAX_ACCESS_DENSITY,
	PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_ACCESS_HISTOGRAM_SIZE,
	PROF_MIB_ACCESS_HISTOGRAM,	/* a dead pointer; value is 0 */
	PROF_MIB_FIELDS			/* one above the last */
};

/*
 * fields has bit 1 << N for each field N that is known; the value of any other
 * is 0.  The histogram has value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] entries, one
 * for 8 bytes of the object, or is NULL: indexed files know only its size.
 */
struct prof_mib {
	uint32_t fields;
	uint64_t value[PROF_MIB_FIELDS];
	const uint64_t *histogram;
};

struct prof_allocation {
	uint64_t stack;			/* id of a stack of the profile */
	struct prof_mib info;
};

/*
 * Consecutive stacks with one allocation each: allocations[i].stack is equal to
 * stacks[i].id, and no other record of the profile refers to that stack.
 */
struct prof_pairs {
	const struct prof_stack *stacks;
	const struct prof_allocation *allocations;
	size_t size;
};

struct prof_call_site {
	uint64_t stack;
	const uint64_t *callee_guids;
	size_t callees_size;
};

/* The heap profile of one function, as compilers look it up by guid. */
struct prof_memprof_function {
	struct prof_symbol symbol;	/* name as in YAML, else guid only */
	const struct prof_allocation *alloc_sites;
	size_t allocs_size;
	const struct prof_call_site *call_sites;
	size_t calls_size;
};

/* A data symbol, or a string literal known by the hash of its content. */
struct prof_data {
	struct prof_span symbol;	/* data is NULL: hash */
	uint64_t hash;
};

struct prof_location {
	struct prof_span file;
	uint32_t line;
};

struct prof_data_access {
	struct prof_data data;
	uint64_t count;
	const struct prof_location *locations;
	size_t size;
};

enum prof_kind { PROF_INSTR, PROF_MEMPROF, PROF_MIXED };
enum prof_level { PROF_LEVEL_UNKNOWN, PROF_LEVEL_IR, PROF_LEVEL_FRONTEND };

/*
 * Attributes of a profile: the variant bits (InstrProf.h, VARIANT_MASK_*) apart
 * from those that kind and level stand for, in the order of the stream.
 */
enum {
	PROF_CONTEXT_SENSITIVE	   = 1 << 0,	/* bit 57, LLVM 9 */
	PROF_ENTRY_FIRST	   = 1 << 1,	/* bit 58, LLVM 11 */
	PROF_LOOP_ENTRIES	   = 1 << 2,	/* bit 55, LLVM 20 */
	PROF_BYTE_COVERAGE	   = 1 << 3,	/* bit 60, LLVM 14 */
	PROF_FUNCTION_ENTRY_ONLY   = 1 << 4,	/* bit 61, LLVM 14 */
	PROF_TEMPORAL		   = 1 << 5,	/* bit 63, LLVM 17 */
	PROF_DEBUG_INFO_CORRELATED = 1 << 6,	/* bit 59, LLVM 14 */
	PROF_BINARY_CORRELATED	   = 1 << 7,	/* no bit, LLVM 18 */
	PROF_SALVAGED		   = 1 << 8,	/* no bit, of libprof */
	PROF_FLAGS		   = 9		/* number of flags */
};

/* Where a profile was decoded from, as far as known. */
struct prof_source {
	struct prof_span file, member;
	const char *format;		/* NULL if unknown */
	uint64_t version;		/* 0 if unknown */
	uint8_t endian;			/* 'l', 'b', or 0 if unknown */
	uint8_t pointer_bits;		/* 32, 64, or 0 if unknown */
	uint64_t offset;		/* of the profile in its file */
	/*
	 * indexed: the version of the heap profile's section plus 1, or 0 for
	 * a file without that section; its schema (bit 1 << N for field N);
	 * and whether a source section follows.
	 */
	unsigned memprof_version;
	uint32_t memprof_fields;
	bool memprof_sources;
};

struct prof_header {
	enum prof_kind kind;
	enum prof_level level;
	unsigned flags;
	/*
	 * The range of indexed versions whose hash rule the front-end hashes
	 * may follow (prof-stream(5)); 0 and 0 if it is unknown.
	 */
	unsigned frontend_first, frontend_last;
	uint64_t wave_size;		/* raw v11, 0 if none */
	bool has_trace_stream_size;
	uint64_t trace_stream_size;	/* traces that were sampled from */
	uint64_t inputs;		/* profiles in this one; 0 means 1 */
	struct prof_source source;
	struct prof_span extra;		/* unknown keys: `"k":v,"k2":v2` */
};

enum prof_record_kind {
	PROF_REC_PROFILE,
	PROF_REC_BINARY,
	PROF_REC_VTABLE,
	PROF_REC_FUNCTION,
	PROF_REC_BLOCK,		/* only after prof_context_blocks */
	PROF_REC_RAW_COUNTERS,
	PROF_REC_TRACE,
	PROF_REC_SEGMENT,
	PROF_REC_STACK,
	PROF_REC_ALLOCATION,
	PROF_REC_PAIRS,		/* only after prof_context_pairs */
	PROF_REC_MEMPROF_FUNCTION,
	PROF_REC_DATA_ACCESS,
	PROF_REC_COLD_SYMBOL,
	PROF_REC_OTHER,		/* a stream record this library does not know */
	PROF_REC_END,		/* of a profile, not of the input */
};

struct prof_record {
	enum prof_record_kind kind;
	union {
		struct prof_header profile;
		struct prof_span build_id;	/* BINARY */
		struct prof_vtable vtable;
		struct prof_function function;
		struct prof_block block;
		struct prof_raw_counters raw_counters;
		struct prof_trace trace;
		struct prof_segment segment;
		struct prof_stack stack;
		struct prof_allocation allocation;
		struct prof_pairs pairs;
		struct prof_memprof_function memprof_function;
		struct prof_data_access data_access;
		struct prof_data cold_symbol;
		struct prof_span other;		/* the line, without newline */
	} u;
};

/*
 * A context outlives the readers that are opened with it and serves one thread.
 * It receives their warnings, holds their options, and has a cache of the names
 * and records of programs: these are the same in all profiles of one binary, so
 * that a reader reuses the work of readers before it.
 */
struct prof_context;

/*
 * Receives a warning.  Its code is PROF_E_UNSUPPORTED if a part of the profile
 * was dropped.
 */
typedef void prof_warn(void *arg, const struct prof_error *warning);

/* NULL if out of memory.  warn may be NULL: warnings are dropped. */
struct prof_context *prof_context_new(prof_warn *warn, void *arg);

/* A context for another thread, with the same options and the same cache. */
struct prof_context *prof_context_share(const struct prof_context *,
    prof_warn *warn, void *arg);
void prof_context_free(struct prof_context *);	/* NULL is fine */

/* Empties the cache: no more inputs follow, or inputs of other programs. */
void prof_context_clear_cache(struct prof_context *);

/*
 * Makes prof_open read the undamaged parts of damaged images.  A counter,
 * allocation or name is returned whole or not at all.  Profiles that lost a
 * part have the flag PROF_SALVAGED, and a warning names each loss and its
 * reason.
 */
void prof_context_salvage(struct prof_context *, bool);

/* Whether any image was damaged and a part of it was read. */
bool prof_context_salvaged(const struct prof_context *);

/*
 * Makes readers check data that reading does not need, and warn if they are
 * wrong: stored summaries that disagree with the records.
 */
void prof_context_thorough(struct prof_context *);

/* Allows readers to return functions in blocks (PROF_REC_BLOCK). */
void prof_context_blocks(struct prof_context *);

/* Allows readers to return stacks with their allocations (PROF_REC_PAIRS). */
void prof_context_pairs(struct prof_context *);

/*
 * Called with bytes of an image that the reader does not need again soon, so
 * that the owner of a mapped file may drop their pages.  The bytes must stay
 * readable: the reader may return to them.
 */
typedef void prof_consumed(void *arg, struct prof_span bytes);
void prof_context_on_consumed(struct prof_context *, prof_consumed *,
    void *arg);

/*
 * Readers.  Each yields PROFILE, the profile's records, END, and so on for
 * every profile of the input, then PROF_END.
 */
struct prof_reader;

/* Bytes read, 0 at the end of the input, -1 with errno set. */
typedef ssize_t prof_pull(void *arg, void *data, size_t size);

/* True if the first bytes can only be a JSON stream, which may be pulled. */
bool prof_is_stream(struct prof_span first_bytes);

/* Name of the format that the first bytes (8 or more) belong to, or NULL. */
const char *prof_sniff(struct prof_span first_bytes);

/*
 * PROF_FAIL, with the error of prof_open, if prof_open refuses every image that
 * begins with these bytes (8 or more, or all of a shorter image): what is no
 * profile need not be decompressed to its end.
 */
enum prof_status prof_recognise(struct prof_span first_bytes,
    struct prof_error *);

/*
 * Size in bytes of the binary image at the start of the bytes, whatever follows
 * it: all consecutive profiles of a raw file, or an indexed file.  0 if the
 * bytes begin with no image that looks whole; only a reader can tell whether it
 * is.  *looked is set to about the number of bytes inspected.
 */
size_t prof_length(struct prof_span bytes, uint64_t *looked);

/*
 * Reads a whole image of any format; the image must outlive the reader.  NULL
 * with PROF_E_FORMAT if no format recognises the first bytes, or with the error
 * of the format that does.
 */
struct prof_reader *prof_open(struct prof_context *, struct prof_span image,
    struct prof_error *);

/* Reads a stream (prof-stream(5)) incrementally from a pull source. */
struct prof_reader *prof_open_stream(struct prof_context *, prof_pull *,
    void *arg, struct prof_error *);

/* PROF_OK with *out filled in, or PROF_END or PROF_FAIL, which are final. */
enum prof_status prof_next(struct prof_reader *, struct prof_record *out,
    struct prof_error *);

/*
 * The functions of the block that prof_next returned last.  Their counts point
 * into the counts of the block; valid as long as the block.  NULL if out of
 * memory.
 */
const struct prof_function *prof_block_functions(const struct prof_block *,
    struct prof_error *);

/*
 * The name of a target among the values of that block.  Values of blocks may
 * lack their names, because most consumers know the names from earlier profiles
 * and a look-up for each value would be wasted.
 */
struct prof_span prof_block_name(const struct prof_block *,
    const struct prof_value *);

/*
 * Keeps the memory of the names of functions and targets, for all blocks of the
 * layout, until prof_release.  NULL if these names cannot outlive the block.
 */
void *prof_block_retain(const struct prof_block *);
void prof_release(void *names);		/* NULL is fine */

/*
 * Restricts the function records to functions of these names, which are sorted
 * and distinct.  Readers of indexed profiles look the names up in the hash
 * table and touch no other function.  The names are borrowed until the reader
 * is closed.  To be called before prof_next, and not with blocks.
 */
void prof_select(struct prof_reader *, const struct prof_span *names, size_t);

void prof_close(struct prof_reader *);		/* NULL is fine */

/* Whether all records of an image can be read; the reason is not returned. */
bool prof_decodes(struct prof_span image);

/*
 * Writers.  Records are put in the order of prof-stream(5), from PROFILE to
 * END.  Nothing of the output is valid before prof_finish succeeds.
 */
struct prof_writer;

/* 0, or an errno value. */
typedef int prof_sink(void *arg, const void *data, size_t size);

/*
 * A temporary file for data that a writer needs until it is finished, which
 * then take no memory.  write appends; read returns bytes written before, from
 * an offset.  Both return 0 or an errno value.
 */
struct prof_scratch {
	void *arg;
	prof_sink *write;
	int (*read)(void *arg, uint64_t offset, void *data, size_t size);
};

struct prof_target {
	/* stream, indexed, text, raw, lprf, memprof-raw or yaml */
	const char *format;
	unsigned version;	/* of the format; 0 is the newest */
	bool no_vtable_names;	/* indexed, text: names of vtables left out */
	bool big_endian;	/* raw: byte order */
	uint8_t pointer_bits;	/* raw: 32 or 64; 0 is 64 */
	/*
	 * Heap profiles in indexed files.  memprof_version is the version of
	 * the section plus 1, or 0 for the one that suits the file's version.
	 * memprof_full_schema stores all fields and not only those that
	 * compilers read.  with_sources adds the source section.
	 */
	unsigned memprof_version;
	bool memprof_full_schema, with_sources;
	/*
	 * indexed: functions are laid out as llvm-profdata lays them out if it
	 * reads them in the order of the prof_put calls, all functions of one
	 * name being put together.  Temporal traces are not sampled.
	 */
	bool as_arrived;
	bool with_entries;	/* sources: the RFC's portable entries too */
	/*
	 * The caller promises that names and counts of functions stay valid and
	 * unchanged until prof_finish, so that the writer borrows them instead
	 * of copying, and that functions come in the order of prof-stream(5)
	 * unless as_arrived is set.
	 */
	bool borrows;
	/*
	 * If not 0: lower bound of the section's version, plus 1, unless
	 * readers of the file's version do not know it; and the schema in place
	 * of the usual one (bit 1 << N for field N).
	 */
	unsigned memprof_at_least;
	uint32_t memprof_fields;
	const struct prof_scratch *scratch;	/* indexed: or NULL */
};

struct prof_writer *prof_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
enum prof_status prof_put(struct prof_writer *, const struct prof_record *,
    struct prof_error *);

/*
 * Takes the place of the prof_put calls for all functions of a name that the
 * caller leaves out.  Up to LLVM 16, llvm-profdata --sparse writes indexed
 * files in the order of a hash map that holds these names too (InstrProfWriter.
 * cpp, writeImpl), so that the order of the others depends on them.  Does
 * nothing for other formats and versions.  The name is borrowed as that of a
 * function is (prof_target.borrows).
 */
enum prof_status prof_omit(struct prof_writer *, const struct prof_symbol *,
    struct prof_error *);
enum prof_status prof_finish(struct prof_writer *, struct prof_error *);

/*
 * Ends a half-written stream with an `abort` record, which makes its reader
 * fail with the reason.  Does nothing for other formats.
 */
void prof_abort(struct prof_writer *, const char *reason);
void prof_writer_free(struct prof_writer *);	/* after success or failure */

/*
 * The library's own copy of the name of a format, which is valid for ever; NULL
 * for a NULL and for a name that is none.  For callers that keep a header longer
 * than its record, as the text in prof_source belongs to the reader.
 */
const char *prof_format_name(const char *name);

/* Versions of a format that can be written. */
struct prof_versions {
	unsigned oldest, newest;
	/*
	 * Written unless another version is asked for: that of the newest
	 * release of LLVM whose own files were at hand, so that it is read.
	 */
	unsigned usual;
};

/* False if there is no such format. */
bool prof_writable(const char *format, struct prof_versions *);

/* guid of a name; size 0 gives the MD5 of nothing. */
uint64_t prof_guid(struct prof_span name);

/* guid of a symbol, computed from the name if the guid is 0. */
uint64_t prof_symbol_guid(const struct prof_symbol *);

/* The order is that of the bytes as unsigned numbers, then of the sizes. */
int prof_span_compare(struct prof_span, struct prof_span);
bool prof_span_equal(struct prof_span, struct prof_span);
void prof_span_sort(struct prof_span *, size_t count);

/* Whether a span is an element of an array sorted by prof_span_sort. */
bool prof_span_in(struct prof_span, const struct prof_span *sorted,
    size_t count);

/* Whether the first counter is a pseudo count, PROF_COUNT_HOT or _WARM. */
bool prof_is_pseudo(const struct prof_function *);

#endif
