/* Files of a program seen before: recognised, compared, returned in blocks. */
#include "format/indexed/indexed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/value_sites.h"

/* The data of a block that differ between images of one program. */
struct indexed_block_data {
	uint64_t *counts;		/* array for counts_size of the block */
	uint64_t any_bits;		/* set in some of the counts */
	size_t *values;			/* array for offsets of value data */
};

/* Size of value data without sites; no other value data are so short. */
enum { NO_SITES = 8 };

static void
indexed_match_start(struct indexed_match *w, const struct indexed_program *p,
    const struct indexed_image *im)
{
	*w = (struct indexed_match){ .program = p, .table = &im->table,
	    .pos = im->table.payload, .item_end = im->table.payload };
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

/*
 * Compares the next block, and after the last one the rest of the table.  False
 * if the image differs from the program.  With an array for the data, counts
 * are copied and the value data are not looked at; with NULL, the numbers of
 * value sites are compared too.
 */
static bool
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
		if ((!k->same_item && !match_item(&w, k)) ||
		    !match_record(&w, k, out == NULL ? NULL : &copy))
			return false;
		w.record++;
	}
	if (out != NULL)
		*out = copy;
	*from = w;
	/* The last block has the end of the table behind it. */
	return w.record != w.program->size || (w.pos == w.item_end &&
	    match_empty_buckets(w.table, w.behind, w.table->buckets) &&
	    w.pos + pad8(w.pos) == w.table->head);
}

/* The argument is a struct indexed_image. */
static bool
program_matches(const void *thing, void *arg)
{
	const struct indexed_program *p = thing;
	const struct indexed_image *im = arg;
	struct indexed_match w;

	if (p->row != im->row || p->version_word != im->version_word ||
	    p->entries != im->table.entries ||
	    p->buckets != im->table.buckets)
		return false;
	indexed_match_start(&w, p, im);
	for (size_t i = 0; i < p->layout.size; i++) {
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

static const struct lru_entry_ops program_ops = { program_matches, program_size,
    program_free };

/*
 * A digest of the version, the number of names and the empty buckets: the same
 * for all images of one program, and hardly the same for those of another.  A
 * program is made of the first image, and of one whose digest was noted before:
 * files may be of different builds, each with one image, for which making
 * programs would take longer than it saves.
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

/* A program being built from an image, and the sizes of its arrays. */
struct program_builder {
	struct indexed_program *p;
	const struct indexed_image *image;
	size_t records_room, site_counts_room, items_room;
	size_t counts;			/* of all records */
};

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
	    k->has_sites) || (k->has_sites && !ARRAY_ADD(p->sites,
	    p->sites_size, b->site_counts_room, sites)))
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
builder_add_image(struct program_builder *b)
{
	struct disk_hash_walk walk = { .table = &b->image->table };
	struct indexed_program *p = b->p;
	struct disk_hash_item item;
	enum prof_status status;

	for (;;) {
		bool new_bucket = walk.bucket_left == 0;

		status = disk_hash_next(&walk, &item, NULL);
		if (status != PROF_OK)
			return status == PROF_END;
		if ((new_bucket &&
		    !ARRAY_ADD(p->items, p->filled, b->items_room, 0)) ||
		    !builder_add_item(b, &item))
			return false;
		p->items[p->filled - 1]++;
	}
}

/*
 * Adds the program of an image that was checked to the cache.  NULL if the
 * version has no value data, a record has a bitmap or memory is short: then
 * functions are returned one by one.
 */
static struct indexed_program *
indexed_program_build(struct lru_cache *cache, struct indexed_image *im,
    const struct indexed_facts *facts)
{
	struct program_builder b = { .image = im };

	if (!im->row->num_counts || im->row->value_kinds == 0 ||
	    im->table.entries == 0 || (b.p = calloc(1, sizeof(*b.p))) == NULL)
		return NULL;
	*b.p = (struct indexed_program){ .entry = { &program_ops, 1 },
	    .row = im->row,
	    .version_word = im->version_word, .entries = im->table.entries,
	    .buckets = im->table.buckets, .facts = *facts,
	    .layout.number = program_layout_number() };
	if (builder_add_image(&b))
		return lru_cache_put(cache, im, b.p);
	lru_cache_release(b.p);
	return NULL;
}

enum prof_status
indexed_blocks_open(struct indexed_blocks *s, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct lru_cache *known = s->context == NULL || !s->context->blocks ?
	    NULL : &s->context->cache->indexed;

	if (known != NULL)
		s->program = lru_cache_find(known, s->image);
	if (s->program != NULL)
		*facts = s->program->facts;
	else if (indexed_check(s->image, a, facts, err) != PROF_OK)
		return PROF_FAIL;
	if (s->program == NULL && known != NULL &&
	    lru_cache_note(known, program_signature(s->image)))
		s->program = indexed_program_build(known, s->image, facts);
	if (s->program != NULL)
		indexed_match_start(&s->walk, s->program, s->image);
	/* The pages that a check of the whole image touched count too. */
	consumed_start(&s->consumed, s->context, s->image->file.data);
	if (s->program != NULL)
		consumed_end(&s->consumed, s->image->file.data +
		    s->image->table.head);
	s->consumed.reported = s->image->file.data + s->walk.pos;
	return PROF_OK;
}

void
indexed_blocks_free(struct indexed_blocks *s)
{
	lru_cache_release(s->program);
	s->program = NULL;
}

/* False if the numbers of sites are not those of the program. */
static bool
block_read_values(const struct indexed_blocks *s,
    const struct program_block *from, const size_t *at, struct arena *a,
    struct prof_block_values *v)
{
	const struct indexed_program_record *k =
	    &s->program->records[from->first];
	const struct indexed_site_counts *sites = s->program->sites;
	const struct disk_hash *t = &s->image->table;
	size_t next = from->sites;

	for (size_t i = 0; i < from->size; i++) {
		struct cursor c = { .data = t->image.data, .size = t->head };

		if (!k[i].has_sites)
			continue;
		c.pos = *at++;
		*v = (struct prof_block_values){ .function = i };
		if (values_read(&c, a, NULL, v->values, NULL) != PROF_OK)
			return false;
		for (int kind = 0; kind < PROF_VALUE_KINDS; kind++) {
			if (v->values[kind].size != sites[next].sites[kind])
				return false;
		}
		next++;
		v->any = value_sites_have_values(v->values);
		v++;
	}
	return true;
}

/* PROF_END if value data of this block are damaged. */
static enum prof_status
block_read(struct indexed_blocks *s, const struct program_block *from,
    struct arena *a, struct prof_block *b, struct prof_error *err)
{
	uint64_t *counts = arena_array(a, from->counts_size, sizeof(*counts));
	size_t *at = arena_array(a, from->sites_size, sizeof(*at));
	struct prof_block_values *v = arena_array(a, from->sites_size,
	    sizeof(*v));
	struct indexed_block_data data = { .counts = counts, .values = at };

	if (counts == NULL || at == NULL || v == NULL)
		return err_memory(err);
	consumed_to(&s->consumed, s->image->file.data + s->walk.pos);
	if (!indexed_match_block(&s->walk, from, &data) ||
	    !block_read_values(s, from, at, a, v))
		return PROF_END;
	*b = program_block(&s->program->layout, s->next++, counts);
	b->of = s->program->size;
	b->any_bits = data.any_bits;
	b->values = v;
	b->values_size = from->sites_size;
	return PROF_OK;
}

enum prof_status
indexed_blocks_next(struct indexed_blocks *s, struct arena *a,
    struct prof_block *b, struct prof_error *err)
{
	const struct program_layout *l = &s->program->layout;
	enum prof_status status;

	if (s->next == l->size)
		return PROF_END;
	status = block_read(s, &l->blocks[s->next], a, b, err);
	if (status == PROF_END) {
		s->returned = l->blocks[s->next].first;
		indexed_blocks_free(s);
	}
	return status;
}

struct prof_span
indexed_blocks_name(const struct indexed_blocks *s, uint64_t guid)
{
	struct prof_span name = symtab_name(&s->program->names, guid);

	return name.data != NULL ? name : symtab_name(s->vtables, guid);
}

const struct prof_function *
indexed_blocks_functions(const struct indexed_blocks *s,
    const struct prof_block *b, struct arena *a, struct prof_error *err)
{
	const struct indexed_program_record *k =
	    &s->program->records[s->program->layout.blocks[b->index].first];
	struct prof_function *f = arena_array(a, b->size, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < b->size; i++)
		f[i] = (struct prof_function){ .symbol = k[i].symbol,
		    .hash = k[i].hash, .counts_size = k[i].counts_size };
	return program_set_functions(b, f);
}
