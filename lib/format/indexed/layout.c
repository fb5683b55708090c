/* The rows of all versions; header, sections and function records. */
#include "format/indexed/indexed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/record.h"

const struct indexed_section_facts indexed_sections[INDEXED_SECTIONS] = {
	[INDEXED_MEMPROF] = { "MemProfOffset", "heap profile",
	    VARIANT_MEMPROF },
	[INDEXED_BINARY_IDS] = { "BinaryIdOffset", "binary ids", 0 },
	[INDEXED_TRACES] = { "TemporalProfTracesOffset", "traces",
	    VARIANT_TEMPORAL },
	[INDEXED_VTABLE_NAMES] = { "VTableNamesOffset", "vtable names", 0 },
};

#define V8_SECTIONS .header = { INDEXED_MEMPROF }, .file = { INDEXED_MEMPROF }
#define V9_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS }
#define V10_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES }
#define V12_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES, \
	    INDEXED_VTABLE_NAMES }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_VTABLE_NAMES, \
	    INDEXED_TRACES }

#define V4_RECORDS \
	.summary = true, .num_counts = true, .value_kinds = 2, \
	.shrinks = true, .map_hash = dense_map_hash_times_37
#define V11_RECORDS \
	.summary = true, .num_counts = true, .value_kinds = 3, \
	.bitmap = true, .shrinks = true, .sorted_names = true, \
	.map_hash = dense_map_hash_mixed

/*
 * A bit goes into a version if a release that wrote the version knew it.  But
 * what makes the profile another kind (IR, context-sensitive) goes into all
 * that can hold such records, as it would else be taken for what it is not.
 * And LLVM 22 keeps loop entries where it writes v11, which does no harm:
 * LLVM 18 passes over bits that it does not know.
 */
#define V1_BITS VARIANT_IR
#define V2_BITS (V1_BITS | VARIANT_CONTEXT_SENSITIVE)
#define V6_BITS (V2_BITS | VARIANT_ENTRY_FIRST)
#define V7_BITS (V6_BITS | VARIANT_BYTE_COVERAGE | VARIANT_FUNCTION_ENTRY_ONLY)
#define V10_BITS (V7_BITS | VARIANT_TEMPORAL)
#define V11_BITS (V10_BITS | VARIANT_LOOP_ENTRIES)

/*
 * Hashes of a dense map's key (DenseMapInfo.h): the first was checked with
 * releases up to LLVM 16, the second with LLVM 19 to 22.
 */
static uint32_t
dense_map_hash_times_37(uint64_t key)
{
	return (uint32_t)(key * 37);
}

static uint32_t
dense_map_hash_mixed(uint64_t key)
{
	key *= 0xbf58476d1ce4e5b9;
	return (uint32_t)(key ^ key >> 31);
}

/*
 * Versions 7, 8, 9, 11, 12 and 13 were checked with the llvm-profdata of the
 * releases named, 1 to 4 and 10 with files of their time, 5 and 6 only with
 * later readers.
 */
static const struct indexed_row rows[] = {
	{	/* LLVM 3.5 */
		.version = 1,
		.variants = V1_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.6 and 3.7 */
		.version = 2,
		.num_counts = true,
		.variants = V2_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.8 */
		.version = 3,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.9 to 5 */
		.version = 4,
		V4_RECORDS,
		.variants = V2_BITS,
	}, {	/* LLVM 6 to 10 */
		.version = 5,
		V4_RECORDS,
		.variants = V2_BITS,
	}, {	/* LLVM 11 */
		.version = 6,
		V4_RECORDS,
		.variants = V6_BITS,
	}, {	/* LLVM 12 to 14 */
		.version = 7,
		V4_RECORDS,
		.variants = V7_BITS,
	}, {	/* LLVM 15 */
		.version = 8,
		V8_SECTIONS,
		V4_RECORDS,
		.variants = V7_BITS,
	}, {	/* LLVM 16 */
		.version = 9,
		V9_SECTIONS,
		V4_RECORDS,
		.variants = V7_BITS,
	}, {	/* LLVM 17 */
		.version = 10,
		V10_SECTIONS,
		V4_RECORDS,
		.variants = V10_BITS,
	}, {	/* LLVM 18; 19 to 22 as the previous version */
		.version = 11,
		V10_SECTIONS,
		V11_RECORDS,
		.variants = V11_BITS,
	}, {	/* LLVM 19 to 21 */
		.version = 12,
		V12_SECTIONS,
		V11_RECORDS,
		.variants = V11_BITS,
	}, {	/* LLVM 22 */
		.version = 13,
		V12_SECTIONS,
		V11_RECORDS,
		.variants = V11_BITS,
	},
};

/* Versions are numbered from 1 without a gap. */
const unsigned indexed_oldest = 1;
const unsigned indexed_newest = sizeof(rows) / sizeof(rows[0]);

void
indexed_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ indexed_oldest, indexed_newest,
	    indexed_newest };
}

const struct indexed_row *
indexed_row(uint64_t version)
{
	if (version < indexed_oldest || version > indexed_newest)
		return NULL;
	return &rows[version - indexed_oldest];
}

/* How many offsets stand before that of a section, or in all. */
static size_t
layout_offsets_before(const struct indexed_row *row, enum indexed_section s)
{
	size_t n = 0;

	while (row->header[n] != s && row->header[n] != INDEXED_NO_SECTION)
		n++;
	return n;
}

bool
indexed_row_has(const struct indexed_row *row, enum indexed_section s)
{
	return row->header[layout_offsets_before(row, s)] == s;
}

unsigned
indexed_first_with(enum indexed_section s)
{
	size_t i = 0;

	while (!indexed_row_has(&rows[i], s))
		i++;
	return rows[i].version;
}

size_t
indexed_offset_at(const struct indexed_row *row, enum indexed_section s)
{
	return INDEXED_HEADER_MIN + 8 * layout_offsets_before(row, s);
}

size_t
indexed_header_size(const struct indexed_row *row)
{
	return indexed_offset_at(row, INDEXED_NO_SECTION);
}

/* LLVM writes 6 fields and 16 or 18 cutoffs. */
enum { MAX_SUMMARY_FIELDS = 64, MAX_CUTOFFS = 4096 };

/* Reads the header up to HashType. */
static enum prof_status
image_read_version(struct indexed_image *im, struct cursor *c,
    struct prof_error *err)
{
	uint32_t version;
	uint64_t hash_type;

	if (c->size < INDEXED_HEADER_MIN)
		return err_at(err, PROF_E_TRUNCATED, c->size, "%zu bytes are "
		    "less than the %d of the shortest header", c->size,
		    INDEXED_HEADER_MIN);
	cur_u64(c);
	im->version_word = cur_u64(c);
	cur_u64(c);
	hash_type = cur_u64(c);
	version = (uint32_t)im->version_word;
	if (version > indexed_newest)
		return err_at(err, PROF_E_VERSION, 8, "indexed version %u is "
		    "newer than %u, the newest known", version,
		    indexed_newest);
	im->row = indexed_row(version);
	if (im->row == NULL)
		return err_at(err, PROF_E_VERSION, 8, "indexed version %u was "
		    "never in use", version);
	if (c->size < indexed_header_size(im->row))
		return err_at(err, PROF_E_TRUNCATED, c->size, "%zu bytes are "
		    "less than the %zu of the header", c->size,
		    indexed_header_size(im->row));
	if (hash_type != 0)
		return err_at(err, PROF_E_CORRUPT, 24, "HashType %llu is not "
		    "0, MD5", ull(hash_type));
	return PROF_OK;
}

/* Checks the sizes of a summary only; for its values see summary.h. */
static enum prof_status
image_skip_summary(struct cursor *c, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t fields = cur_u64(c), cutoffs = cur_u64(c);

	if (c->failed)
		return err_at(err, PROF_E_TRUNCATED, at, "the 16 bytes of a "
		    "summary's head exceed the %zu left", c->size - at);
	if (fields > MAX_SUMMARY_FIELDS)
		return err_at(err, PROF_E_CORRUPT, at, "NumSummaryFields %llu "
		    "is more than %d", ull(fields), MAX_SUMMARY_FIELDS);
	if (cutoffs > MAX_CUTOFFS)
		return err_at(err, PROF_E_CORRUPT, at + 8, "NumCutoffEntries "
		    "%llu is more than %d", ull(cutoffs), MAX_CUTOFFS);
	if (cur_bytes(c, fields * 8 + cutoffs * INDEXED_CUTOFF_SIZE) == NULL)
		return err_at(err, PROF_E_TRUNCATED, at, "summary: %llu "
		    "fields and %llu cutoffs exceed the %zu bytes left",
		    ull(fields), ull(cutoffs), cur_left(c));
	return PROF_OK;
}

bool
indexed_has(const struct indexed_image *im, enum indexed_section s)
{
	uint64_t bit = indexed_sections[s].variant;

	return indexed_row_has(im->row, s) &&
	    (bit == 0 || (im->version_word & bit) != 0);
}

/* The heap profile has no length: it ends where the next section begins. */
static enum prof_status
image_find_memprof(struct indexed_image *im, struct cursor *c,
    const uint64_t offsets[], struct prof_error *err)
{
	uint64_t end = c->size;

	if (indexed_has(im, INDEXED_BINARY_IDS))
		end = offsets[INDEXED_BINARY_IDS];
	if (end < c->pos || end > c->size)
		return err_at(err, PROF_E_CORRUPT, indexed_offset_at(im->row,
		    INDEXED_BINARY_IDS), "BinaryIdOffset "
		    "%llu is not between MemProfOffset %zu and the end %zu",
		    ull(end), c->pos, c->size);
	im->memprof = c->pos;
	im->memprof_size = (size_t)end - c->pos;
	c->pos = (size_t)end;
	return PROF_OK;
}

static enum prof_status
image_read_binary_ids(struct indexed_image *im, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t size = cur_u64(c);
	struct cursor ids;

	if (c->failed || size > cur_left(c))
		return err_at(err, PROF_E_TRUNCATED, at, "binary ids: size "
		    "%llu exceeds the %zu bytes left", ull(size),
		    cur_left(c));
	ids = *c;
	cur_bytes(c, size);
	ids.size = c->pos;
	im->ids = ids;
	while (cur_left(&ids) > 0) {
		uint64_t length;

		at = ids.pos;
		length = cur_u64(&ids);
		if (ids.failed)
			return err_at(err, PROF_E_CORRUPT, at, "binary id: 8 "
			    "bytes of a length exceed the %zu left of the "
			    "section", ids.size - at);
		if (length == 0)
			return err_at(err, PROF_E_CORRUPT, at,
			    "binary id: length is 0");
		if (cur_bytes(&ids, length) == NULL ||
		    cur_bytes(&ids, pad8(length)) == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "binary id: "
			    "length %llu exceeds the %zu bytes left of the "
			    "section", ull(length), ids.size - at - 8);
	}
	return PROF_OK;
}

static enum prof_status
image_read_traces(struct indexed_image *im, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t count = cur_u64(c);

	im->trace_stream_size = cur_u64(c);
	if (c->failed || count > cur_left(c) / 16)
		return err_at(err, PROF_E_TRUNCATED, at, "NumTraces %llu "
		    "exceeds the %zu bytes left", ull(count), cur_left(c));
	im->traces = *c;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t functions;

		at = c->pos;
		cur_u64(c);
		functions = cur_u64(c);
		if (c->failed || functions > cur_left(c) / 8)
			return err_at(err, PROF_E_TRUNCATED, at, "trace %llu: "
			    "%llu functions exceed the %zu bytes left",
			    ull(i), ull(functions), cur_left(c));
		cur_bytes(c, functions * 8);
	}
	im->traces.size = c->pos;
	return PROF_OK;
}

static enum prof_status
image_read_section(struct indexed_image *im, enum indexed_section s,
    struct cursor *c, const uint64_t offsets[], struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t size;

	if (offsets[s] != at)
		return err_at(err, PROF_E_CORRUPT, indexed_offset_at(im->row,
		    s), "%s %llu is not %zu, where the part before ends",
		    indexed_sections[s].offset_name, ull(offsets[s]), at);
	switch (s) {
	case INDEXED_MEMPROF:
		return image_find_memprof(im, c, offsets, err);
	case INDEXED_BINARY_IDS:
		return image_read_binary_ids(im, c, err);
	case INDEXED_VTABLE_NAMES:
		size = cur_u64(c);
		im->vtable_names = (struct prof_span){ cur_bytes(c, size),
		    (size_t)size };
		return im->vtable_names.data != NULL &&
		    cur_bytes(c, pad8(size)) != NULL ? PROF_OK : err_at(err,
		    PROF_E_TRUNCATED, at, "vtable names: length %llu exceeds "
		    "the %zu bytes left", ull(size), c->size - at);
	default:
		return image_read_traces(im, c, err);
	}
}

enum prof_status
indexed_image_head(struct indexed_image *im, struct prof_span file,
    struct indexed_places *p, struct prof_error *err)
{
	struct cursor c = { .data = file.data, .size = file.size };

	*im = (struct indexed_image){ .file = file };
	*p = (struct indexed_places){ 0 };
	if (image_read_version(im, &c, err) != PROF_OK)
		return PROF_FAIL;
	p->head = cur_u64(&c);
	for (const uint8_t *s = im->row->header; *s != INDEXED_NO_SECTION; s++)
		p->offsets[*s] = cur_u64(&c);
	im->summaries = c;
	if (im->row->summary && (image_skip_summary(&c, err) != PROF_OK ||
	    (im->version_word & VARIANT_CONTEXT_SENSITIVE &&
	    image_skip_summary(&c, err) != PROF_OK)))
		return PROF_FAIL;
	im->table = (struct disk_hash){ .image = file, .keys = DISK_HASH_NAMES,
	    .payload = c.pos };
	return PROF_OK;
}

enum prof_status
indexed_image_open(struct indexed_image *im, struct prof_span file,
    struct prof_error *err)
{
	struct cursor c = { .data = file.data, .size = file.size };
	struct indexed_places p;

	if (indexed_image_head(im, file, &p, err) != PROF_OK ||
	    disk_hash_open(&im->table, p.head, err) != PROF_OK)
		return PROF_FAIL;
	/* Sections follow each other without gaps. */
	c.pos = im->table.end;
	for (const uint8_t *s = im->row->file; *s != INDEXED_NO_SECTION; s++) {
		if (indexed_has(im, *s) &&
		    image_read_section(im, *s, &c, p.offsets, err) != PROF_OK)
			return PROF_FAIL;
	}
	im->end = c.pos;
	return PROF_OK;
}

uint64_t
indexed_unknown_bits(const struct indexed_image *im)
{
	uint64_t known = UINT32_MAX | VARIANT_IR | variants_from_flags(~0u);

	if (!indexed_has(im, INDEXED_TRACES))
		known &= ~VARIANT_TEMPORAL;
	if (indexed_has(im, INDEXED_MEMPROF))
		known |= VARIANT_MEMPROF;
	return im->version_word & ~known;
}

enum prof_level
indexed_level(const struct indexed_image *im)
{
	if (im->version_word & VARIANT_IR)
		return PROF_LEVEL_IR;
	return im->table.entries != 0 ? PROF_LEVEL_FRONTEND :
	    PROF_LEVEL_UNKNOWN;
}

/* Reads n words; `at` is the offset of n, for the error.  NULL on error. */
static const uint8_t *
record_read_words(struct cursor *c, uint64_t n, size_t at, const char *field,
    struct prof_error *err)
{
	if (n > cur_left(c) / 8) {
		err_at(err, PROF_E_CORRUPT, at, "%s %llu exceeds the %zu bytes "
		    "left of DataLength", field, (unsigned long long)n,
		    cur_left(c));
		return NULL;
	}
	return cur_bytes(c, n * 8);
}

enum prof_status
indexed_record_read(const struct indexed_row *row, struct cursor *c,
    struct indexed_record *record, struct prof_error *err)
{
	size_t at = c->pos, left;
	uint32_t size;
	uint64_t n;

	*record = (struct indexed_record){ .hash = cur_u64(c) };
	n = row->num_counts ? cur_u64(c) : cur_left(c) / 8;
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "a record begins in "
		    "the last %zu bytes of DataLength", c->size - at);
	if (record->hash >= INDEXED_HASH_RESERVED)
		return err_at(err, PROF_E_CORRUPT, at, "function hash "
		    "0x%016llx is not one that a function can have",
		    (unsigned long long)record->hash);
	if (n == 0)
		return err_at(err, PROF_E_CORRUPT, at, "a record has no "
		    "counters");
	record->counts = record_read_words(c, n, at + 8, "NumCounts", err);
	record->num_counts = (size_t)n;
	if (record->counts == NULL)
		return PROF_FAIL;
	if (row->bitmap) {
		at = c->pos;
		n = cur_u64(c);
		if (c->failed)
			return err_at(err, PROF_E_CORRUPT, at,
			    "NumBitmapBytes is cut off by DataLength");
		record->bitmap = record_read_words(c, n, at, "NumBitmapBytes",
		    err);
		record->num_bitmap_bytes = (size_t)n;
		if (record->bitmap == NULL)
			return PROF_FAIL;
	}
	if (row->value_kinds == 0)
		return PROF_OK;
	record->values = at = c->pos;
	left = cur_left(c);
	size = cur_u32(c);
	if (c->failed || size < 8 || size % 8 != 0 ||
	    cur_bytes(c, size - 4) == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "value data: TotalSize "
		    "%u is not a multiple of 8 from 8 to the %zu bytes left of "
		    "DataLength", size, left);
	return PROF_OK;
}

bool
indexed_count_sites(struct cursor *c, const struct indexed_row *row,
    struct indexed_site_counts *out)
{
	unsigned kinds = row->value_kinds;
	uint64_t head = cur_u64(c), size = head & UINT32_MAX, last = 0;
	struct cursor block = *c;

	*out = (struct indexed_site_counts){ { 0 } };
	if (c->failed || size < 8 || size % 8 != 0 ||
	    cur_bytes(c, size - 8) == NULL || head >> 32 > kinds)
		return false;
	block.size = c->pos;
	for (uint64_t i = 0; i < head >> 32; i++) {
		uint64_t kind = cur_u32(&block), n = cur_u32(&block);
		const uint8_t *values = cur_bytes(&block, n);
		uint64_t total = 0;

		if (values == NULL || n == 0 || kind >= kinds ||
		    (i != 0 && kind <= last))
			return false;
		for (uint64_t k = 0; k < n; k++)
			total += values[k];
		cur_bytes(&block, pad8(n));
		cur_bytes(&block, total * 16);
		out->sites[kind] = (uint32_t)n;
		last = kind;
	}
	return !block.failed && cur_left(&block) == 0;
}

const uint64_t *
indexed_record_counts(const struct indexed_record *record, struct arena *a)
{
	const uint8_t *p = record->counts;
	uint64_t *counts;

	if (host_order(false) && (uintptr_t)p % _Alignof(uint64_t) == 0)
		return (const void *)p;
	counts = arena_array(a, record->num_counts, sizeof(*counts));
	if (counts == NULL)
		return NULL;
	indexed_copy_words(counts, p, record->num_counts);
	return counts;
}

enum prof_status
indexed_record_bitmap(const struct indexed_record *record,
    const uint8_t *start, struct arena *a, struct prof_span *out,
    struct prof_error *err)
{
	size_t size = record->num_bitmap_bytes;
	uint8_t *bytes;

	if (size == 0)
		return PROF_OK;
	bytes = arena_alloc(a, size);
	if (bytes == NULL)
		return err_memory(err);
	for (size_t i = 0; i < size; i++) {
		const uint8_t *p = record->bitmap + 8 * i;
		uint64_t word = load_u64(p, false);

		if (word > UINT8_MAX)
			return err_at(err, PROF_E_CORRUPT,
			    (uint64_t)(p - start), "bitmap byte 0x%llx is "
			    "more than 8 bits", (unsigned long long)word);
		bytes[i] = (uint8_t)word;
	}
	*out = (struct prof_span){ bytes, size };
	return PROF_OK;
}

/* Descending; values of equal counts keep their order in the array. */
static int
record_compare_counts(const void *a, const void *b)
{
	const struct prof_value *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static bool
site_is_sorted(const struct prof_site *site)
{
	for (size_t i = 1; i < site->size; i++) {
		if (site->values[i - 1].count < site->values[i].count)
			return false;
	}
	return true;
}

static bool
site_sort(struct arena *a, struct prof_site *site)
{
	const struct prof_value **order;
	struct prof_value *sorted;

	if (site_is_sorted(site))
		return true;
	order = arena_array(a, site->size, sizeof(*order));
	sorted = arena_array(a, site->size, sizeof(*sorted));
	if (order == NULL || sorted == NULL)
		return false;
	for (size_t i = 0; i < site->size; i++)
		order[i] = &site->values[i];
	qsort(order, site->size, sizeof(*order), record_compare_counts);
	for (size_t i = 0; i < site->size; i++)
		sorted[i] = *order[i];
	site->values = sorted;
	return true;
}

/* Most sites are sorted already and are not copied. */
static bool
sites_sort(struct arena *a, struct prof_sites *sites)
{
	struct prof_site *sorted;
	size_t i = 0;

	while (i < sites->size && site_is_sorted(&sites->sites[i]))
		i++;
	if (i == sites->size)
		return true;
	sorted = arena_array(a, sites->size, sizeof(*sorted));
	if (sorted == NULL)
		return false;
	for (i = 0; i < sites->size; i++) {
		sorted[i] = sites->sites[i];
		if (!site_sort(a, &sorted[i]))
			return false;
	}
	sites->sites = sorted;
	return true;
}

size_t
indexed_head_size(const struct indexed_row *row, size_t counts_size)
{
	return 8 * ((row->num_counts ? 2 : 1) + counts_size);
}

void
indexed_head_write(const struct indexed_row *row, uint64_t hash,
    const uint64_t *counts, size_t counts_size, struct buf *out)
{
	buf_u64le(out, hash);
	if (row->num_counts)
		buf_u64le(out, counts_size);
	buf_words(out, counts, counts_size, false);
}

enum prof_status
indexed_tail_write(struct indexed_encoder *e, const struct prof_function *f,
    struct buf *out, struct prof_error *err)
{
	unsigned kinds = e->row->value_kinds;
	struct prof_sites sites[PROF_VALUE_KINDS];
	size_t start;

	if (e->row->bitmap) {
		buf_u64le(out, f->bitmap.size);
		for (size_t i = 0; i < f->bitmap.size; i++)
			buf_u64le(out, f->bitmap.data[i]);
	}
	if (kinds == 0)
		return PROF_OK;
	for (unsigned k = 0; k < kinds; k++) {
		sites[k] = f->values[k];
		if (!sites_sort(&e->scratch, &sites[k]))
			return err_memory(err);
	}
	start = out->size;
	values_write(out, sites, kinds, false, &e->cut);
	if (out->size - start > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "value data of a function: "
		    "%zu bytes exceed 32 bits", out->size - start);
	return PROF_OK;
}
