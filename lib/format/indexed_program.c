#include "format/indexed_program.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/codec.h"
#include "format/indexed_record.h"

/* A block stays in the processor's cache while it is added. */
enum { BLOCK_FUNCTIONS = 1024, BLOCK_COUNTS = 1 << 15 };

/* Bytes, some items. */
enum { AHEAD = 2048 };

/* Bytes of a value block without sites, which is all that is in it. */
enum { NO_SITES = 8 };

/* What is looked for, and what is found out on the way. */
struct key {
	const struct indexed_image *image;
	size_t *counts_at;		/* NULL until it is needed */
	bool failed;			/* out of memory */
};

/*
 * How many sites of each kind the value block at the cursor has, which goes
 * behind it.  False if it is not as it should be, or has an odd order.
 */
static bool
count_sites(struct cursor *c, unsigned kinds, struct indexed_sited *out)
{
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

/* Where a walk through program and image is. */
struct walk {
	const struct indexed_program *p;
	const uint8_t *data;		/* of the image */
	size_t pos, end;		/* end: of the payload */
	size_t *counts_at;
	size_t record, sited;
	size_t fetched;			/* from memory, up to here */
};

/* The next record is this one but for its counts and values. */
static bool
same_record(struct walk *w, const struct indexed_known *k, size_t end)
{
	bool bitmap = w->p->row->bitmap;
	size_t at = w->pos + 16, values = indexed_values_at(w->p->row, at,
	    k->counts_size);
	const uint8_t *p = w->data + w->pos;
	struct cursor c = { .data = w->data, .pos = values, .size = end };
	struct indexed_sited sited;

	if (end - w->pos < indexed_values_at(w->p->row, 16 + NO_SITES,
	    k->counts_size) || load_u64(p, false) != k->hash ||
	    load_u64(p + 8, false) != k->counts_size ||
	    (bitmap && load_u64(w->data + values - 8, false) != 0))
		return false;
	w->counts_at[w->record++] = at;
	w->pos = values + NO_SITES;
	if (!k->sited)
		return load_u64(w->data + values, false) == NO_SITES;
	if (!count_sites(&c, w->p->row->value_kinds, &sited))
		return false;
	w->pos = c.pos;
	return memcmp(&sited, &w->p->sited[w->sited++], sizeof(sited)) == 0;
}

/* The walk goes by leaps, which no processor foresees. */
static void
fetch_ahead(struct walk *w)
{
	for (; w->fetched < w->pos + AHEAD && w->fetched < w->end;
	    w->fetched += 64)
		__builtin_prefetch(w->data + w->fetched);
}

/* The next item has the name and the records of those that come next. */
static bool
same_item(struct walk *w)
{
	const struct indexed_known *k = &w->p->records[w->record];
	struct prof_span name = k->symbol.name;
	const uint8_t *p = w->data + w->pos;
	size_t left = w->end - w->pos, end;
	uint64_t size;

	fetch_ahead(w);
	if (left < HASHTABLE_ITEM || left - HASHTABLE_ITEM < name.size ||
	    load_u64(p, false) != k->symbol.guid ||
	    load_u64(p + 8, false) != name.size ||
	    memcmp(p + HASHTABLE_ITEM, name.data, name.size) != 0)
		return false;
	size = load_u64(p + 16, false);
	w->pos += HASHTABLE_ITEM + name.size;
	if (size > w->end - w->pos)
		return false;
	end = w->pos + (size_t)size;
	do {
		if (!same_record(w, k++, end))
			return false;
	} while (w->record < w->p->size && k->same_item);
	return w->pos == end;
}

static bool
is_empty(const struct hashtable *t, uint64_t from, uint64_t to)
{
	uint64_t any = 0;

	for (uint64_t b = from; b < to; b++)
		any |= hashtable_bucket(t, b);
	return any == 0;
}

static bool
same_table(const struct indexed_program *p, const struct hashtable *t,
    size_t *counts_at)
{
	struct walk w = { .p = p, .counts_at = counts_at,
	    .data = t->image.data, .pos = t->payload, .end = t->head };
	uint64_t next = 0;

	for (size_t i = 0; i < p->filled; i++) {
		uint64_t bucket = p->records[w.record].symbol.guid &
		    (p->buckets - 1);

		if (!is_empty(t, next, bucket) ||
		    hashtable_bucket(t, bucket) != w.pos ||
		    w.end - w.pos < HASHTABLE_BUCKET ||
		    load_u16(w.data + w.pos, false) != p->items[i])
			return false;
		w.pos += HASHTABLE_BUCKET;
		for (unsigned n = 0; n < p->items[i]; n++) {
			if (!same_item(&w))
				return false;
		}
		next = bucket + 1;
	}
	return is_empty(t, next, t->buckets) &&
	    w.pos + pad8(w.pos) == t->head;
}

static bool
is_same(const void *thing, void *arg)
{
	const struct indexed_program *p = thing;
	struct key *k = arg;
	const struct indexed_image *im = k->image;

	if (p->row != im->row || p->version_word != im->version_word ||
	    p->entries != im->table.entries ||
	    p->buckets != im->table.buckets)
		return false;
	if (k->counts_at != NULL)	/* of another with as many items */
		free(k->counts_at);
	k->counts_at = calloc(p->size, sizeof(*k->counts_at));
	return k->counts_at != NULL &&
	    same_table(p, &im->table, k->counts_at);
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

static const struct shelf_kind kind = { is_same, size, free_program };

struct indexed_program *
indexed_program_find(struct shelf *kept, const struct indexed_image *im,
    size_t **counts_at)
{
	struct key key = { .image = im };
	struct indexed_program *p = shelf_find(kept, &key);

	*counts_at = key.counts_at;
	if (p == NULL) {
		free(key.counts_at);
		*counts_at = NULL;
	}
	return p;
}

/* What is learned of an image, and the room for it. */
struct lesson {
	struct indexed_program *p;
	size_t *counts_at;
	size_t records_room, counts_room, sited_room, items_room, blocks_room;
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
	size_t *at = array_room(l->counts_at, p->size, &l->counts_room,
	    sizeof(*at));
	struct indexed_sited sited;

	if (records != NULL)
		p->records = records;
	if (at != NULL)
		l->counts_at = at;
	if (records == NULL || at == NULL || r->num_bitmap_bytes != 0 ||
	    r->num_counts > UINT32_MAX ||
	    !count_sites(&values, p->row->value_kinds, &sited))
		return false;
	at[p->size] = (size_t)(r->counts - im->file.data);
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
	struct prof_symbol symbol = { arena_copy(&p->arena, item->key),
	    item->hash };
	size_t first = c.pos;

	if (symbol.name.data == NULL ||
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
indexed_program_learn(struct shelf *kept, const struct indexed_image *im,
    const struct indexed_facts *facts, size_t **counts_at)
{
	struct key key = { .image = im };
	struct lesson l = { .p = NULL };

	if (!im->row->num_counts || im->row->value_kinds == 0 ||
	    im->table.entries == 0 || (l.p = calloc(1, sizeof(*l.p))) == NULL)
		return NULL;
	*l.p = (struct indexed_program){ .shelf = { &kind, 1 },
	    .row = im->row,
	    .version_word = im->version_word, .entries = im->table.entries,
	    .buckets = im->table.buckets, .facts = *facts,
	    .layout = block_layout() };
	if (!learn(&l, im)) {
		shelf_release(l.p);
		free(l.counts_at);
		return NULL;
	}
	*counts_at = l.counts_at;
	l.p = shelf_put(kept, &key, l.p);
	free(key.counts_at);
	return l.p;
}
