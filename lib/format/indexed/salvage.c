/*
 * Salvage of damaged indexed profiles.
 *
 * If the hash table is intact, it is copied with the sections behind it, up to
 * the first damaged one.  Otherwise a new table is made of the intact items.
 * The head of the table, which has the offsets of the buckets, stands behind
 * the buckets: if it is cut off, items are read one after the other from the
 * first on.
 */
#include "format/indexed/indexed.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/memprof/read.h"
#include "format/codec.h"
#include "model/record.h"

/*
 * Buckets of damaged files may overlap.  The search stops when it has read so
 * many times the size of the file.
 */
enum { READ_MAX = 4 };

struct salvaged_item {
	uint64_t hash;
	size_t at, size;		/* offset and bytes of the item */
};

struct salvager {
	struct indexed_image im;
	struct indexed_places places;
	bool has_head;			/* the head of the table is intact */
	bool whole;			/* the table is intact */
	struct salvaged_item *items;
	size_t count, room;
	struct id_map hashes;
	uint64_t bytes_read;
	struct arena arena;
};

/* Whether the item and all its records are intact. */
static bool
salvage_item_is_whole(struct salvager *r, const struct disk_hash_item *item)
{
	struct cursor c = indexed_item_data(&r->im, item);
	struct indexed_record record;
	struct prof_function f;

	r->bytes_read += item->key.size + item->data_size;
	if (item->key.size == 0 || prof_guid(item->key) != item->hash)
		return false;
	arena_reset(&r->arena);
	if (indexed_check_item(&r->im, item, &r->arena, NULL, NULL)
	    != PROF_OK)
		return false;
	while (cur_left(&c) > 0) {
		arena_reset(&r->arena);
		if (indexed_record_read(r->im.row, &c, &record, NULL) != PROF_OK
		    || indexed_function_read(&r->im, &record,
		    &(struct indexed_function_from){ item, &r->arena, c.pos,
		    NULL }, &f, NULL) != PROF_OK)
			return false;
	}
	return true;
}

/* False if out of memory. */
static bool
salvage_add_item(struct salvager *r, const struct disk_hash_item *item)
{
	if (id_map_find(&r->hashes, item->hash) != NULL)
		return true;
	if (!ARRAY_ROOM(r->items, r->count, r->room) ||
	    id_map_add(&r->hashes, item->hash, 1) == NULL)
		return false;
	r->items[r->count++] = (struct salvaged_item){ item->hash,
	    (size_t)(item->key.data - r->im.file.data) - DISK_HASH_ITEM,
	    DISK_HASH_ITEM + item->key.size + item->data_size };
	return true;
}

/* Adds the items of a bucket; without a head, of all buckets from there on. */
static enum prof_status
salvage_walk_items(struct salvager *r, const struct disk_hash *t, size_t at,
    uint64_t bucket, struct prof_error *err)
{
	struct disk_hash_walk w = { .table = t, .pos = at };
	struct disk_hash_item item;

	do {
		if (disk_hash_next(&w, &item, NULL) != PROF_OK)
			break;
		if (r->has_head && (item.hash & (t->buckets - 1)) != bucket)
			break;
		if (salvage_item_is_whole(r, &item) && !salvage_add_item(r,
		    &item))
			return err_memory(err);
		if (r->bytes_read / READ_MAX > r->im.file.size)
			break;
	} while (!r->has_head || w.bucket_left > 0);
	return PROF_OK;
}

static enum prof_status
salvage_find_items(struct salvager *r, struct prof_error *err)
{
	struct disk_hash t = r->im.table;
	enum prof_status status = PROF_OK;

	t.entries = UINT64_MAX;
	if (!r->has_head) {
		t.head = r->im.file.size;
		return salvage_walk_items(r, &t, t.payload, 0, err);
	}
	for (uint64_t b = 0; b < t.buckets && status == PROF_OK; b++) {
		uint64_t at = disk_hash_bucket(&t, b);

		if (at >= t.payload && at < t.head)
			status = salvage_walk_items(r, &t, (size_t)at, b, err);
	}
	return status;
}

static void
salvage_put_item(const void *arg, uint32_t item, struct buf *out)
{
	const struct salvager *r = arg;

	buf_put(out, r->im.file.data + r->items[item].at, r->items[item].size);
}

/*
 * Writes header and summaries, and a hash table of the intact items, to a
 * buffer that is empty.
 */
static enum prof_status
salvage_write_table(struct salvager *r, struct buf *out, struct prof_error *err)
{
	struct disk_hash_plan plan;
	uint64_t *hashes, head;

	arena_reset(&r->arena);
	hashes = arena_array(&r->arena, r->count, sizeof(*hashes));
	for (size_t i = 0; i < r->count && hashes != NULL; i++)
		hashes[i] = r->items[i].hash;
	if (hashes == NULL || r->count > UINT32_MAX / 2 || !disk_hash_plan(
	    &plan, &r->arena, hashes, (uint32_t)r->count, true))
		return err_memory(err);
	buf_put(out, r->im.file.data, r->im.table.payload);
	if (disk_hash_write(&plan, (uint32_t)r->count, 0, salvage_put_item, r,
	    out, &head, err) != PROF_OK)
		return PROF_FAIL;
	buf_set_u64le(out, 32, head);
	return PROF_OK;
}

/*
 * Offset behind section *s, which begins at `at`: that of the next one of the
 * file.  0 if the end is not in the file.
 */
static size_t
salvage_section_end(const struct salvager *r, const uint8_t *s, size_t at)
{
	struct cursor c = { .data = r->im.file.data, .pos = at,
	    .size = r->im.file.size };
	const uint8_t *next = s + 1;
	uint64_t size;

	while (*next != INDEXED_NO_SECTION && !indexed_has(&r->im, *next))
		next++;
	if (*next != INDEXED_NO_SECTION)
		return r->places.offsets[*next] <= r->im.file.size ?
		    (size_t)r->places.offsets[*next] : 0;
	/* The last one shows its end if it begins with its size. */
	if (indexed_sections[*s].variant != 0)
		return 0;
	size = cur_u64(&c);
	cur_bytes(&c, size);
	cur_bytes(&c, pad8(size));
	return c.failed ? 0 : c.pos;
}

/*
 * Writes the sections behind the table: if `all` is set, those up to the first
 * damaged one.  The others are left out, or empty where the version needs one.
 * A heap profile is always lost: its tables refer to one another.
 */
static void
salvage_write_sections(struct salvager *r, struct buf *out, bool all,
    struct prof_context *context)
{
	const struct indexed_row *row = r->im.row;
	uint64_t word = r->im.version_word;
	size_t at = out->size;

	for (const uint8_t *s = row->file;
	    *s != INDEXED_NO_SECTION && !out->failed; s++) {
		uint64_t bit = indexed_sections[*s].variant;
		size_t end = 0;

		if (!indexed_has(&r->im, *s))
			continue;
		if (all && *s != INDEXED_MEMPROF &&
		    r->places.offsets[*s] == at)
			end = salvage_section_end(r, s, at);
		if (end > at) {
			buf_put(out, r->im.file.data + at, end - at);
			at = end;
			continue;
		}
		all = false;
		warn_lost_at(context, r->places.offsets[*s], "%s: incomplete, "
		    "lost", indexed_sections[*s].subject);
		word &= ~bit;
		buf_set_u64le(out, indexed_offset_at(row, *s),
		    bit != 0 ? 0 : out->size);
		if (bit == 0)
			buf_u64le(out, 0);
	}
	if (!out->failed)
		buf_set_u64le(out, 8, word);
}

static bool
salvage_table_is_whole(struct salvager *r)
{
	struct disk_hash_walk w = { .table = &r->im.table };
	struct disk_hash_item item;
	enum prof_status status;

	r->has_head = disk_hash_open(&r->im.table, r->places.head, NULL) ==
	    PROF_OK;
	if (!r->has_head ||
	    disk_hash_check(&r->im.table, &r->arena, NULL) != PROF_OK)
		return false;
	while ((status = disk_hash_next(&w, &item, NULL)) == PROF_OK) {
		if (!salvage_item_is_whole(r, &item))
			return false;
	}
	return status == PROF_END;
}

static enum prof_status
salvage_write(struct salvager *r, bool all, struct repaired *m,
    struct prof_context *context, struct prof_error *err)
{
	m->image.size = m->count = 0;
	if (!repaired_begin(m, 0, true))
		return err_memory(err);
	if (r->whole)
		buf_put(&m->image, r->im.file.data, r->im.table.end);
	else if (salvage_write_table(r, &m->image, err) != PROF_OK)
		return PROF_FAIL;
	salvage_write_sections(r, &m->image, all && r->whole, context);
	return m->image.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
salvage_run(struct salvager *r, struct prof_context *context, struct repaired
    *m, struct prof_error *err)
{
	enum prof_status status;

	r->whole = salvage_table_is_whole(r);
	if (!r->whole) {
		r->bytes_read = 0;
		if (salvage_find_items(r, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (!r->whole && r->has_head)
		warn_lost_at(context, r->im.table.payload, "hash table: "
		    "complete names: %llu of %llu, the others are lost",
		    ull(r->count), ull(r->im.table.entries));
	else if (!r->whole)
		warn_lost_at(context, r->im.file.size, "hash table: complete "
		    "names: %llu, all that follows is lost", ull(r->count));
	if (salvage_write(r, true, m, NULL, err) != PROF_OK)
		return PROF_FAIL;
	/* A section may be damaged inside: then no section is copied. */
	status = codec_decodes(indexed_open, NULL, buf_span(&m->image),
	    err);
	if (status == PROF_FAIL ||
	    salvage_write(r, status == PROF_OK, m, context, err) != PROF_OK)
		return PROF_FAIL;
	if (r->count == 0 && !(r->whole && r->im.table.entries != 0))
		return err_at(err, PROF_E_TRUNCATED, r->im.table.payload, "no "
		    "function is complete");
	return PROF_OK;
}

enum prof_status
indexed_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	struct salvager r = { 0 };
	enum prof_status status = PROF_FAIL;

	if (indexed_image_head(&r.im, file, &r.places, err) == PROF_OK)
		status = salvage_run(&r, context, m, err);
	free(r.items);
	id_map_free(&r.hashes);
	arena_free(&r.arena);
	return status;
}

/* A heap profile that is the last section has its end in its own header. */
size_t
indexed_length(struct prof_span bytes, uint64_t *bytes_read,
    struct prof_error *err)
{
	struct memprof_section_reader heap = { 0 };
	struct indexed_image im;
	size_t end = 0;

	if (indexed_image_open(&im, bytes, err) != PROF_OK)
		return 0;
	end = im.end;
	*bytes_read += end;
	if (indexed_has(&im, INDEXED_MEMPROF) &&
	    !indexed_has(&im, INDEXED_BINARY_IDS)) {
		end = 0;
		if (memprof_section_read(&heap, (struct prof_span){
		    bytes.data, im.memprof + im.memprof_size }, im.memprof,
		    err) == PROF_OK)
			end = heap.data.end;
		memprof_section_close(&heap);
	}
	return end;
}
