#include "format/indexed/image.h"

#include "base/error.h"
#include "format/codec.h"
#include "model/variants.h"

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

static enum prof_status
image_skip_summaries(const struct indexed_image *im, struct cursor *c,
    struct prof_error *err)
{
	if (!im->row->summary)
		return PROF_OK;
	if (image_skip_summary(c, err) != PROF_OK)
		return PROF_FAIL;
	if (im->version_word & VARIANT_CONTEXT_SENSITIVE)
		return image_skip_summary(c, err);
	return PROF_OK;
}

bool
indexed_has(const struct indexed_image *im, enum indexed_section s)
{
	uint64_t bit = indexed_sections[s].variant;

	return indexed_row_has(im->row, s) &&
	    (bit == 0 || (im->version_word & bit) != 0);
}

/* A cursor over the next `size` bytes of c, which moves behind them. */
static struct cursor
image_skip_section(struct cursor *c, uint64_t size)
{
	struct cursor s = *c;

	cur_bytes(c, size);
	s.size = c->pos;
	return s;
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
image_check_binary_id(struct cursor *c, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t length = cur_u64(c);

	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "binary id: 8 bytes of "
		    "a length exceed the %zu left of the section",
		    c->size - at);
	if (length == 0)
		return err_at(err, PROF_E_CORRUPT, at,
		    "binary id: length is 0");
	if (cur_bytes(c, length) == NULL ||
	    cur_bytes(c, pad8(length)) == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "binary id: length "
		    "%llu exceeds the %zu bytes left of the section",
		    ull(length), c->size - at - 8);
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
	ids = im->ids = image_skip_section(c, size);
	while (cur_left(&ids) > 0) {
		if (image_check_binary_id(&ids, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
image_read_vtable_names(struct indexed_image *im, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t size = cur_u64(c);
	const uint8_t *p = cur_bytes(c, size);

	if (p == NULL || cur_bytes(c, pad8(size)) == NULL)
		return err_at(err, PROF_E_TRUNCATED, at, "vtable names: "
		    "length %llu exceeds the %zu bytes left", ull(size),
		    c->size - at);
	im->vtable_names = (struct prof_span){ p, (size_t)size };
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
	if (offsets[s] != c->pos)
		return err_at(err, PROF_E_CORRUPT, indexed_offset_at(im->row,
		    s), "%s %llu is not %zu, where the part before ends",
		    indexed_sections[s].offset_name, ull(offsets[s]), c->pos);
	switch (s) {
	case INDEXED_MEMPROF:
		return image_find_memprof(im, c, offsets, err);
	case INDEXED_BINARY_IDS:
		return image_read_binary_ids(im, c, err);
	case INDEXED_VTABLE_NAMES:
		return image_read_vtable_names(im, c, err);
	default:
		return image_read_traces(im, c, err);
	}
}

/* Sections follow each other without gaps. */
static enum prof_status
image_read_sections(struct indexed_image *im, const uint64_t offsets[],
    struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .size = im->file.size,
	    .pos = im->table.end };

	for (const uint8_t *s = im->row->file; *s != INDEXED_NO_SECTION; s++) {
		if (indexed_has(im, *s) &&
		    image_read_section(im, *s, &c, offsets, err) != PROF_OK)
			return PROF_FAIL;
	}
	im->end = c.pos;
	return PROF_OK;
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
	if (image_skip_summaries(im, &c, err) != PROF_OK)
		return PROF_FAIL;
	im->table = (struct disk_hash){ .image = file, .keys = DISK_HASH_NAMES,
	    .payload = c.pos };
	return PROF_OK;
}

enum prof_status
indexed_image_open(struct indexed_image *im, struct prof_span file,
    struct prof_error *err)
{
	struct indexed_places p;

	if (indexed_image_head(im, file, &p, err) != PROF_OK ||
	    disk_hash_open(&im->table, p.head, err) != PROF_OK)
		return PROF_FAIL;
	return image_read_sections(im, p.offsets, err);
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
