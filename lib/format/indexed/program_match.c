#include "format/indexed/program_match.h"

#include <string.h>

#include "base/bytes.h"
#include "base/vector_add.h"
#include "base/prefetch.h"
#include "format/indexed/record.h"
#include "model/value_data.h"

/* Size of value data without sites; no other value data are so short. */
enum { NO_SITES = 8 };

void
indexed_match_start(struct indexed_match *w, const struct indexed_program *p,
    const struct indexed_image *im)
{
	*w = (struct indexed_match){ .program = p, .table = &im->table,
	    .pos = im->table.payload, .item_end = im->table.payload };
}

/*
 * Hardware prefetching stops at the end of a page.  Prefetches as many lines as
 * most records take, at a distance of some records.
 */
PREFETCH_INLINE void
match_prefetch(const struct indexed_match *w)
{
	enum { AHEAD = 1536, LINE = 64, LINES = 5 };

	/* Prefetching behind the end of the image is harmless. */
	uintptr_t at = (uintptr_t)w->table->image.data + w->pos + AHEAD;

	for (size_t i = 0; i < LINES; i++)
		__builtin_prefetch((const void *)(at + i * LINE));
}

static bool
match_empty_buckets(const struct disk_hash *t, uint64_t from, uint64_t to)
{
	uint64_t any = 0;

	for (uint64_t b = from; b < to; b++)
		any |= disk_hash_bucket(t, b);
	return any == 0;
}

/* Whether the next bucket is that of the next record. */
static bool
match_bucket(struct indexed_match *w)
{
	const struct indexed_program *p = w->program;
	const struct disk_hash *t = w->table;
	uint64_t bucket = p->records[w->record].symbol.guid &
	    (p->buckets - 1);

	w->items_left = p->items[w->bucket++];
	if (!match_empty_buckets(t, w->behind, bucket) ||
	    disk_hash_bucket(t, bucket) != w->pos ||
	    t->head - w->pos < DISK_HASH_BUCKET ||
	    load_u16(t->image.data + w->pos, false) != w->items_left)
		return false;
	w->behind = bucket + 1;
	w->pos += DISK_HASH_BUCKET;
	return true;
}

/* Whether the next item has the name, hash and NumCounts of the record. */
static bool
match_item(struct indexed_match *w, const struct indexed_program_record *k)
{
	struct prof_span name = k->symbol.name;
	const uint8_t *p;
	size_t left;
	uint64_t size;

	if (w->pos != w->item_end || (w->items_left == 0 && !match_bucket(w)))
		return false;
	w->items_left--;
	p = w->table->image.data + w->pos;
	left = w->table->head - w->pos;
	if (left < DISK_HASH_ITEM + INDEXED_RECORD_HEAD ||
	    left - DISK_HASH_ITEM - INDEXED_RECORD_HEAD < name.size ||
	    load_u64(p, false) != k->symbol.guid ||
	    load_u64(p + 8, false) != name.size ||
	    memcmp(p + DISK_HASH_ITEM, name.data,
	    name.size + INDEXED_RECORD_HEAD) != 0)
		return false;
	size = load_u64(p + 16, false);
	w->pos += DISK_HASH_ITEM + name.size;
	if (size > w->table->head - w->pos)
		return false;
	w->item_end = w->pos + (size_t)size;
	return true;
}

/* End of the record's value data; 0 if they differ from the program's. */
static size_t
match_values(struct indexed_match *w, size_t values,
    const struct indexed_block_data *out)
{
	const struct indexed_site_counts *known =
	    &w->program->sites[w->sites++];
	struct cursor c = { .data = w->table->image.data, .pos = values,
	    .size = w->item_end };
	struct indexed_site_counts sites;

	if (out != NULL) {
		cur_bytes(&c, load_u32(c.data + values, false));
		return c.failed ? 0 : c.pos;
	}
	return indexed_count_sites(&c, w->program->row, &sites) &&
	    memcmp(&sites, known, sizeof(sites)) == 0 ? c.pos : 0;
}

/* Whether the next record differs from this one in counts and values only. */
static bool
match_record(struct indexed_match *w, const struct indexed_program_record *k,
    struct indexed_block_data *out)
{
	const struct indexed_row *row = w->program->row;
	size_t at = w->pos + 16;
	size_t values = indexed_values_at(row, at, k->counts_size);
	const uint8_t *data = w->table->image.data;

	if (w->item_end - w->pos < indexed_values_at(row, 16 + NO_SITES,
	    k->counts_size) || (k->same_item &&
	    (load_u64(data + w->pos, false) != k->hash ||
	    load_u64(data + w->pos + 8, false) != k->counts_size)))
		return false;
	/* Copied in file order, which suits hardware prefetching. */
	if (out != NULL) {
		out->any_bits |= indexed_copy_words(out->counts,
		    data + at, k->counts_size);
		out->counts += k->counts_size;
	}
	if (row->bitmap && load_u64(data + values - 8, false) != 0)
		return false;
	if (!k->has_sites) {
		w->pos = values + NO_SITES;
		return load_u64(data + values, false) == NO_SITES;
	}
	if (out != NULL)
		*out->values++ = values;
	w->pos = match_values(w, values, out);
	return w->pos != 0;
}

static bool
match_table_end(const struct indexed_match *w)
{
	return w->pos == w->item_end &&
	    match_empty_buckets(w->table, w->behind, w->table->buckets) &&
	    w->pos + pad8(w->pos) == w->table->head;
}

bool
indexed_match_block(struct indexed_match *from,
    const struct program_block *b, struct indexed_block_data *out)
{
	const struct indexed_program_record *k =
	    &from->program->records[b->first];
	struct indexed_block_data copy = { .counts = NULL };
	/* A local copy: stores to counts cannot alias it. */
	struct indexed_match w = *from;

	if (out != NULL)
		copy = *out;
	for (size_t i = 0; i < b->size; i++, k++) {
		match_prefetch(&w);
		if ((!k->same_item && !match_item(&w, k)) ||
		    !match_record(&w, k, out == NULL ? NULL : &copy))
			return false;
		w.record++;
	}
	if (out != NULL)
		*out = copy;
	*from = w;
	return w.record != w.program->size || match_table_end(&w);
}
