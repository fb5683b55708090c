#include "format/indexed/program.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/codec.h"
#include "format/indexed/record.h"
#include "format/indexed/walk.h"

/* A block stays in the processor's cache while it is added. */
enum { BLOCK_FUNCTIONS = 1024, BLOCK_COUNTS = 1 << 15 };

bool
indexed_count_sites(struct cursor *c, const struct indexed_row *row,
    struct indexed_sited *out)
{
	unsigned kinds = row->value_kinds;
	uint64_t head = cur_u64(c), size = head & UINT32_MAX, last = 0;
	struct cursor block = *c;

	*out = (struct indexed_sited){ { 0 } };
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

/* What is looked for. */
struct key {
	const struct indexed_image *image;
	bool whole;			/* all blocks, not the first alone */
};

static bool
is_same(const void *thing, void *arg)
{
	const struct indexed_program *p = thing;
	const struct key *k = arg;
	const struct indexed_image *im = k->image;
	size_t blocks = k->whole ? p->blocks_size : 1;
	struct indexed_walk w;

	if (p->row != im->row || p->version_word != im->version_word ||
	    p->entries != im->table.entries ||
	    p->buckets != im->table.buckets)
		return false;
	indexed_walk_start(&w, p, im);
	for (size_t i = 0; i < blocks; i++) {
		if (!indexed_walk_block(&w, &p->blocks[i], NULL))
			return false;
	}
	return true;
}

static size_t
size(const void *thing)
{
	const struct indexed_program *p = thing;

	return sizeof(*p) + p->size * sizeof(*p->records) +
	    p->sited_size * sizeof(*p->sited) +
	    p->filled * sizeof(*p->items) + arena_size(&p->arena) +
	    p->names.room * sizeof(*p->names.symbols) +
	    p->names.slot_count * sizeof(*p->names.slots);
}

static void
free_program(void *thing)
{
	struct indexed_program *p = thing;

	free(p->items);
	free(p->records);
	free(p->sited);
	free(p->blocks);
	symtab_free(&p->names);
	arena_free(&p->arena);
	free(p);
}

static const struct lru_entry_ops kind = { is_same, size, free_program };

struct indexed_program *
indexed_program_find(struct lru_cache *kept, const struct indexed_image *im,
    bool whole)
{
	struct key key = { im, whole };

	return lru_cache_find(kept, &key);
}

/* What is learned of an image, and the room for it. */
struct lesson {
	struct indexed_program *p;
	size_t records_room, sited_room, items_room, blocks_room;
};

/* The record goes to the last block, or to a new one. */
static bool
add_to_block(struct lesson *l, const struct indexed_known *k)
{
	struct indexed_program *p = l->p;
	struct indexed_block *b = p->blocks_size == 0 ? NULL :
	    &p->blocks[p->blocks_size - 1];

	if (b == NULL || b->size == BLOCK_FUNCTIONS ||
	    b->counts_size + k->counts_size > BLOCK_COUNTS) {
		b = array_room(p->blocks, p->blocks_size, &l->blocks_room,
		    sizeof(*b));
		if (b == NULL)
			return false;
		p->blocks = b;
		b += p->blocks_size++;
		*b = (struct indexed_block){ .first = p->size,
		    .sited = p->sited_size };
	}
	b->size++;
	b->counts_size += k->counts_size;
	b->sited_size += k->sited;
	return true;
}

static bool
add_sited(struct lesson *l, const struct indexed_sited *sited)
{
	struct indexed_program *p = l->p;
	struct indexed_sited *more = array_room(p->sited, p->sited_size,
	    &l->sited_room, sizeof(*more));

	if (more == NULL)
		return false;
	p->sited = more;
	p->sited[p->sited_size++] = *sited;
	return true;
}

static bool
add_record(struct lesson *l, const struct prof_symbol *symbol,
    const struct indexed_image *im, const struct indexed_record *r,
    size_t end, bool same_item)
{
	static const struct indexed_sited none;
	struct indexed_program *p = l->p;
	struct cursor values = { .data = im->file.data, .pos = r->values,
	    .size = end };
	struct indexed_known *records = array_room(p->records, p->size,
	    &l->records_room, sizeof(*records)), *k;
	struct indexed_sited sited;

	if (records == NULL)
		return false;
	p->records = records;
	if (r->num_bitmap_bytes != 0 || r->num_counts > UINT32_MAX ||
	    !indexed_count_sites(&values, p->row, &sited))
		return false;
	k = &records[p->size];
	*k = (struct indexed_known){ .symbol = *symbol, .hash = r->hash,
	    .counts_size = (uint32_t)r->num_counts, .same_item = same_item,
	    .sited = memcmp(&sited, &none, sizeof(sited)) != 0 };
	if (!add_to_block(l, k) || (k->sited && !add_sited(l, &sited)))
		return false;
	p->size++;
	return true;
}

static bool
add_item(struct lesson *l, const struct indexed_image *im,
    const struct hashtable_item *item)
{
	struct indexed_program *p = l->p;
	struct cursor c = indexed_item_data(im, item);
	/* The data lie behind the key. */
	struct prof_span head = arena_copy(&p->arena, (struct prof_span){
	    item->key.data, item->key.size + INDEXED_KNOWN_HEAD });
	struct prof_symbol symbol = { { head.data, item->key.size },
	    item->hash };
	size_t first = c.pos;

	if (head.data == NULL ||
	    !symtab_add(&p->names, symbol.name, symbol.guid))
		return false;
	while (cur_left(&c) > 0) {
		bool same_item = c.pos != first;
		struct indexed_record r;

		if (indexed_record_read(im->row, &c, &r, NULL) != PROF_OK ||
		    !add_record(l, &symbol, im, &r, c.pos, same_item))
			return false;
	}
	return true;
}

static bool
add_bucket(struct lesson *l)
{
	struct indexed_program *p = l->p;
	uint16_t *items = array_room(p->items, p->filled, &l->items_room,
	    sizeof(*items));

	if (items == NULL)
		return false;
	p->items = items;
	p->items[p->filled++] = 0;
	return true;
}

static bool
learn(struct lesson *l, const struct indexed_image *im)
{
	struct hashtable_walk walk = { .table = &im->table };
	struct hashtable_item item;
	enum prof_status status;

	for (;;) {
		bool new_bucket = walk.bucket_left == 0;

		status = hashtable_next(&walk, &item, NULL);
		if (status != PROF_OK)
			return status == PROF_END;
		if ((new_bucket && !add_bucket(l)) || !add_item(l, im, &item))
			return false;
		l->p->items[l->p->filled - 1]++;
	}
}

struct indexed_program *
indexed_program_build(struct lru_cache *kept, const struct indexed_image *im,
    const struct indexed_facts *facts)
{
	struct key key = { im, true };
	struct lesson l = { .p = NULL };

	if (!im->row->num_counts || im->row->value_kinds == 0 ||
	    im->table.entries == 0 || (l.p = calloc(1, sizeof(*l.p))) == NULL)
		return NULL;
	*l.p = (struct indexed_program){ .entry = { &kind, 1 },
	    .row = im->row,
	    .version_word = im->version_word, .entries = im->table.entries,
	    .buckets = im->table.buckets, .facts = *facts,
	    .layout = block_layout_new() };
	if (learn(&l, im))
		return lru_cache_put(kept, &key, l.p);
	lru_cache_release(l.p);
	return NULL;
}
