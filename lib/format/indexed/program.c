#include "format/indexed/program.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/codec.h"
#include "format/indexed/record.h"
#include "format/indexed/program_match.h"

/* The key of a search in the cache. */
struct program_key {
	const struct indexed_image *image;
	bool whole;			/* compare all blocks, or the first */
};

static bool
program_matches(const void *thing, void *arg)
{
	const struct indexed_program *p = thing;
	const struct program_key *k = arg;
	const struct indexed_image *im = k->image;
	size_t blocks = k->whole ? p->layout.size : 1;
	struct indexed_match w;

	if (p->row != im->row || p->version_word != im->version_word ||
	    p->entries != im->table.entries ||
	    p->buckets != im->table.buckets)
		return false;
	indexed_match_start(&w, p, im);
	for (size_t i = 0; i < blocks; i++) {
		if (!indexed_match_block(&w, &p->layout.blocks[i], NULL))
			return false;
	}
	return true;
}

static size_t
program_size(const void *thing)
{
	const struct indexed_program *p = thing;

	return sizeof(*p) + p->size * sizeof(*p->records) +
	    p->sites_size * sizeof(*p->sites) +
	    p->filled * sizeof(*p->items) + arena_size(&p->arena) +
	    symtab_memory(&p->names);
}

static void
program_free(void *thing)
{
	struct indexed_program *p = thing;

	free(p->items);
	free(p->records);
	free(p->sites);
	free(p->layout.blocks);
	symtab_free(&p->names);
	arena_free(&p->arena);
	free(p);
}

static const struct lru_entry_ops kind = { program_matches, program_size,
    program_free };

struct indexed_program *
indexed_program_find(struct lru_cache *cache, const struct indexed_image *im,
    bool whole)
{
	struct program_key key = { im, whole };

	return lru_cache_find(cache, &key);
}

/*
 * A digest of the version, the number of names and the empty buckets: the same
 * for all images of one program, and hardly the same for those of another.
 */
static uint64_t
program_signature(const struct indexed_image *im)
{
	const struct disk_hash *t = &im->table;
	uint64_t signature = im->version_word ^ t->entries;

	for (uint64_t b = 0; b < t->buckets; b++)
		signature = signature * 0x9E3779B97F4A7C15 +
		    (disk_hash_bucket(t, b) == 0);
	return signature;
}

bool
indexed_program_is_worthwhile(struct lru_cache *cache,
    const struct indexed_image *im)
{
	return lru_cache_note(cache, program_signature(im));
}

/* A program being built from an image, and the sizes of its arrays. */
struct program_builder {
	struct indexed_program *p;
	const struct indexed_image *image;
	size_t records_room, site_counts_room, items_room;
	size_t counts;			/* of all records */
};

static bool
builder_add_site_counts(struct program_builder *b,
    const struct indexed_site_counts *sites)
{
	struct indexed_program *p = b->p;

	return ARRAY_ADD(p->sites, p->sites_size, b->site_counts_room, *sites);
}

static bool
builder_add_record(struct program_builder *b, const struct prof_symbol *symbol,
    const struct indexed_record *r, size_t end, bool same_item)
{
	static const struct indexed_site_counts none;
	struct indexed_program *p = b->p;
	struct cursor values = { .data = b->image->file.data,
	    .pos = r->values, .size = end };
	struct indexed_program_record *k;
	struct indexed_site_counts sites;

	if (!ARRAY_ROOM(p->records, p->size, b->records_room))
		return false;
	if (r->num_bitmap_bytes != 0 || r->num_counts > UINT32_MAX ||
	    !indexed_count_sites(&values, p->row, &sites))
		return false;
	k = &p->records[p->size];
	*k = (struct indexed_program_record){ .symbol = *symbol,
	    .hash = r->hash, .counts_size = (uint32_t)r->num_counts,
	    .same_item = same_item,
	    .has_sites = memcmp(&sites, &none, sizeof(sites)) != 0 };
	if (!program_add_function(&p->layout, b->counts, k->counts_size,
	    k->has_sites) || (k->has_sites &&
	    !builder_add_site_counts(b, &sites)))
		return false;
	if (same_item)
		p->layout.blocks[p->layout.size - 1].repeated_names +=
		    symbol->name.size;
	b->counts += k->counts_size;
	p->size++;
	return true;
}

static bool
builder_add_item(struct program_builder *b, const struct disk_hash_item *item)
{
	struct indexed_program *p = b->p;
	struct cursor c = indexed_item_data(b->image, item);
	/* The first record lies behind the key in the image. */
	struct prof_span head = arena_copy(&p->arena, (struct prof_span){
	    item->key.data, item->key.size + INDEXED_RECORD_HEAD });
	struct prof_symbol symbol = { { head.data, item->key.size },
	    item->hash };
	size_t first = c.pos;

	if (head.data == NULL ||
	    !symtab_add(&p->names, symbol.name, symbol.guid))
		return false;
	while (cur_left(&c) > 0) {
		bool same_item = c.pos != first;
		struct indexed_record r;

		if (indexed_record_read(p->row, &c, &r, NULL) != PROF_OK ||
		    !builder_add_record(b, &symbol, &r, c.pos, same_item))
			return false;
	}
	return true;
}

static bool
builder_add_bucket(struct program_builder *b)
{
	struct indexed_program *p = b->p;

	return ARRAY_ADD(p->items, p->filled, b->items_room, 0);
}

static bool
builder_add_image(struct program_builder *b)
{
	struct disk_hash_walk walk = { .table = &b->image->table };
	struct disk_hash_item item;
	enum prof_status status;

	for (;;) {
		bool new_bucket = walk.bucket_left == 0;

		status = disk_hash_next(&walk, &item, NULL);
		if (status != PROF_OK)
			return status == PROF_END;
		if ((new_bucket && !builder_add_bucket(b)) ||
		    !builder_add_item(b, &item))
			return false;
		b->p->items[b->p->filled - 1]++;
	}
}

struct indexed_program *
indexed_program_build(struct lru_cache *cache, const struct indexed_image *im,
    const struct indexed_facts *facts)
{
	struct program_key key = { im, true };
	struct program_builder b = { .image = im };

	if (!im->row->num_counts || im->row->value_kinds == 0 ||
	    im->table.entries == 0 || (b.p = calloc(1, sizeof(*b.p))) == NULL)
		return NULL;
	*b.p = (struct indexed_program){ .entry = { &kind, 1 },
	    .row = im->row,
	    .version_word = im->version_word, .entries = im->table.entries,
	    .buckets = im->table.buckets, .facts = *facts,
	    .layout.number = program_layout_number() };
	if (builder_add_image(&b))
		return lru_cache_put(cache, &key, b.p);
	lru_cache_release(b.p);
	return NULL;
}
