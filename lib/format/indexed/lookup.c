/* Functions by name: prof_select, and the calls of prof/lookup.h. */
#include "format/indexed/indexed.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

static int
compare_item_offsets(const void *a, const void *b)
{
	const struct disk_hash_item *x = a, *y = b;

	return (x->data > y->data) - (x->data < y->data);
}

enum prof_status
indexed_look_up(struct indexed_selection *out, const struct indexed_image *im,
    struct arena *a, struct prof_error *err)
{
	struct disk_hash_item *item;

	out->items = calloc(out->names_size + 1, sizeof(*out->items));
	if (out->items == NULL)
		return err_memory(err);
	for (size_t i = 0; i < out->names_size; i++) {
		enum prof_status status;

		item = &out->items[out->size];
		status = disk_hash_find(&im->table, out->names[i], item, err);
		if (status == PROF_OK)
			status = indexed_check_item(im, item, a, NULL, err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		out->size += status == PROF_OK;
	}
	qsort(out->items, out->size, sizeof(*out->items), compare_item_offsets);
	return PROF_OK;
}

/* Images that can look names up (prof/lookup.h). */

/* The functions of one name, and where in the image names were read. */
struct named_place {
	struct prof_function *functions;
	size_t room;
	struct arena arena;
	struct consumed consumed;
};

struct indexed_lookup {
	struct prof_lookup base;
	struct prof_context *context;
	struct indexed_image im;
	struct disk_hash_walk walk;
	struct named_place next, found;
};

static enum prof_status
named_read(const struct indexed_image *im, const struct disk_hash_item *item,
    struct named_place *p, struct prof_named *out, struct prof_error *err)
{
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record record;
	size_t n = 0;

	arena_reset(&p->arena);
	consumed_to(&p->consumed, item->key.data);
	for (; cur_left(&c) > 0; n++) {
		if (!ARRAY_ROOM(p->functions, n, p->room))
			return err_memory(err);
		if (indexed_record_read(im->row, &c, &record, err) !=
		    PROF_OK || indexed_function_read(im, &record,
		    &(struct indexed_function_from){ item, &p->arena, c.pos,
		    NULL }, &p->functions[n], err) != PROF_OK)
			return PROF_FAIL;
	}
	*out = (struct prof_named){ { item->key, item->hash }, p->functions,
	    n };
	return PROF_OK;
}

/* A check that is under way. */
struct named_check {
	struct indexed_lookup *l;
	prof_visit_named *visit;
	void *arg;
	struct arena arena;
	uint64_t bucket;		/* of the item before */
};

/* A disk_hash_visit. */
static enum prof_status
named_check_item(void *arg, const struct disk_hash_item *item,
    struct prof_error *err)
{
	struct named_check *k = arg;
	const struct indexed_image *im = &k->l->im;
	uint64_t bucket = item->hash & (im->table.buckets - 1);
	struct disk_hash_item first;
	struct prof_named n;

	if (indexed_check_item_size(item, err) != PROF_OK)
		return PROF_FAIL;
	/*
	 * Two names of one guid are in one bucket.  The second is not what a
	 * look-up by the guid finds.
	 */
	if (bucket == k->bucket && (disk_hash_find_hash(&im->table, item->hash,
	    &first) != PROF_OK || first.data != item->data))
		return err_at(err, PROF_E_UNSUPPORTED, item->data, "names of "
		    "one guid cannot be looked up");
	k->bucket = bucket;
	if (named_read(im, item, &k->l->next, &n, err) != PROF_OK ||
	    (n.size != 1 && indexed_check_item_hashes(im, item, &k->arena,
	    err) != PROF_OK))
		return PROF_FAIL;
	return k->visit(k->arg, &n, err);
}

static enum prof_status
indexed_lookup_check(struct prof_lookup *base, prof_visit_named *visit,
    void *arg, struct prof_error *err)
{
	struct indexed_lookup *l = (struct indexed_lookup *)base;
	struct named_check k = { .l = l, .visit = visit, .arg = arg,
	    .bucket = UINT64_MAX };
	struct arena of_table = { 0 };
	enum prof_status status = disk_hash_check_each(&l->im.table,
	    named_check_item, &k, &of_table, err);

	arena_free(&of_table);
	arena_free(&k.arena);
	return status;
}

static enum prof_status
indexed_lookup_next(struct prof_lookup *base, struct prof_named *out,
    struct prof_error *err)
{
	struct indexed_lookup *l = (struct indexed_lookup *)base;
	struct disk_hash_item item;
	enum prof_status status = disk_hash_next(&l->walk, &item, err);

	return status != PROF_OK ? status : named_read(&l->im, &item, &l->next,
	    out, err);
}

static void
indexed_lookup_rewind(struct prof_lookup *base)
{
	struct indexed_lookup *l = (struct indexed_lookup *)base;

	l->walk = (struct disk_hash_walk){ .table = &l->im.table };
	consumed_start(&l->next.consumed, l->context, l->im.file.data);
	consumed_start(&l->found.consumed, l->context, l->im.file.data);
}

static enum prof_status
indexed_lookup_find(struct prof_lookup *base, const struct prof_symbol *symbol,
    struct prof_named *out, struct prof_error *err)
{
	struct indexed_lookup *l = (struct indexed_lookup *)base;
	struct disk_hash_item item;
	enum prof_status status = disk_hash_find_hash(&l->im.table,
	    symbol->guid, &item);

	if (status == PROF_END)
		return PROF_END;
	if (status == PROF_FAIL || !prof_span_equal(item.key, symbol->name))
		return err_set(err, PROF_E_UNSUPPORTED, "guid 0x%016llx "
		    "cannot be looked up", (unsigned long long)symbol->guid);
	return named_read(&l->im, &item, &l->found, out, err);
}

static void
indexed_lookup_close(struct prof_lookup *base)
{
	struct indexed_lookup *l = (struct indexed_lookup *)base;

	free(l->next.functions);
	free(l->found.functions);
	arena_free(&l->next.arena);
	arena_free(&l->found.arena);
	free(l);
}

static const struct lookup_ops indexed_lookup_ops = {
	.check = indexed_lookup_check,
	.next = indexed_lookup_next,
	.rewind = indexed_lookup_rewind,
	.find = indexed_lookup_find,
	.close = indexed_lookup_close,
};

struct prof_lookup *
indexed_lookup_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct indexed_lookup *l = calloc(1, sizeof(*l));
	struct indexed_image *im;

	if (l == NULL) {
		err_memory(err);
		return NULL;
	}
	im = &l->im;
	l->base.ops = &indexed_lookup_ops;
	l->context = context;
	if (indexed_image_open(im, image, err) != PROF_OK)
		goto fail;
	/* A reader had more to return, or to warn of. */
	if (indexed_unknown_bits(im) != 0 || im->vtable_names.size != 0 ||
	    indexed_has(im, INDEXED_MEMPROF) || im->table.entries == 0) {
		err_set(err, PROF_E_UNSUPPORTED, "there are other records than "
		    "functions to read");
		goto fail;
	}
	l->base.header = (struct prof_header){ .kind = PROF_INSTR,
	    .level = indexed_level(im), .source = {
	    .format = "indexed", .version = im->row->version } };
	indexed_lookup_rewind(&l->base);
	return &l->base;
fail:
	indexed_lookup_close(&l->base);
	return NULL;
}
