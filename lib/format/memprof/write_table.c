#include "format/memprof/write_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/disk_hash_table.h"

enum prof_status
memprof_table_add(struct memprof_table *t, uint64_t key, uint32_t thing,
    struct prof_error *err)
{
	if (t->size >= UINT32_MAX - 1 ||
	    !ARRAY_ROOM(t->items, t->size, t->room))
		return err_memory(err);
	t->items[t->size++] = (struct memprof_table_item){ key, thing };
	return PROF_OK;
}

static void
table_put_item(const struct memprof_table *t, uint32_t i, struct buf *out)
{
	const struct memprof_table_item *item = &t->items[i];
	size_t size_at, start;

	buf_u64le(out, item->key);	/* the hash */
	if (t->layout->key_sizes)
		buf_u64le(out, sizeof(item->key));
	size_at = out->size;
	buf_u64le(out, 0);
	buf_u64le(out, item->key);
	start = out->size;
	t->put(t->arg, item->thing, out);
	if (!out->failed)
		buf_set_u64le(out, size_at, out->size - start);
}

static enum prof_status
table_put_bucket(const struct memprof_table *t,
    const struct disk_hash_plan *plan, uint32_t first, struct buf *out,
    struct prof_error *err)
{
	uint32_t count = 0;

	for (uint32_t i = first; i != 0; i = plan->next[i - 1])
		count++;
	if (count > UINT16_MAX)
		return err_set(err, PROF_E_LIMIT, "%u of the heap profile's "
		    "ids share a bucket of their hash table, which is limited "
		    "to 65535", count);
	buf_u16le(out, (uint16_t)count);
	for (uint32_t i = first; i != 0; i = plan->next[i - 1])
		table_put_item(t, i - 1, out);
	return PROF_OK;
}

/* Buckets go to out, which begins at offset `base` of the file. */
struct table_output {
	uint64_t base;
	struct buf *out;
	struct buf offsets;		/* in the file, of all buckets, or 0 */
};

static enum prof_status
table_put_buckets(struct table_output *o, const struct memprof_table *t,
    const struct disk_hash_plan *plan, struct prof_error *err)
{
	for (uint64_t b = 0; b < plan->buckets; b++) {
		uint32_t first = plan->first[b];

		buf_u64le(&o->offsets, first == 0 ? 0 : o->base + o->out->size);
		if (first != 0 && table_put_bucket(t, plan, first, o->out,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
table_make_plan(const struct memprof_table *t, struct arena *arena,
    struct disk_hash_plan *plan)
{
	uint64_t *keys = arena_array(arena, t->size, sizeof(*keys));

	if (keys == NULL)
		return false;
	for (uint32_t i = 0; i < t->size; i++)
		keys[i] = t->items[i].key;
	return disk_hash_plan(plan, arena, keys, t->size, true);
}

enum prof_status
memprof_table_write(const struct memprof_table *t, uint64_t base,
    struct buf *out, uint64_t *head, struct prof_error *err)
{
	enum prof_status status = PROF_FAIL;
	struct disk_hash_plan plan;
	struct arena arena = { 0 };
	struct table_output o = { .base = base, .out = out };

	if (table_make_plan(t, &arena, &plan))
		status = table_put_buckets(&o, t, &plan, err);
	else
		err_memory(err);
	if (status == PROF_OK) {
		buf_zeros(out, (size_t)pad8(base + out->size));
		*head = base + out->size;
		buf_u64le(out, plan.buckets);
		buf_u64le(out, t->size);
		buf_put(out, o.offsets.data, o.offsets.size);
	}
	if (status == PROF_OK && (out->failed || o.offsets.failed))
		status = err_memory(err);
	buf_free(&o.offsets);
	arena_free(&arena);
	return status;
}

void
memprof_table_free(struct memprof_table *t)
{
	free(t->items);
}
