#include "format/indexed_block.h"

#include <stdlib.h>

#include "base/counts.h"
#include "base/error.h"
#include "format/indexed_record.h"
#include "format/values.h"

/* Functions, and counts of each. */
enum { AHEAD = 8, AHEAD_COUNTS = 128 };

/* They lie in small pieces, which no processor foresees. */
static void
fetch(const uint8_t *counts, size_t n)
{
	for (size_t i = 0; i < n && i < AHEAD_COUNTS; i += 8)
		__builtin_prefetch(counts + 8 * i);
}

static enum prof_status
read_counts(const struct indexed_blocks *s, const struct indexed_block *from,
    struct arena *a, struct prof_block *b, struct prof_error *err)
{
	const struct indexed_known *k = &s->program->records[from->first];
	const size_t *at = &s->counts_at[from->first];
	uint64_t *counts = arena_array(a, from->counts_size, sizeof(*counts));

	if (counts == NULL)
		return err_memory(err);
	b->counts = counts;
	for (size_t i = 0; i < from->size; i++) {
		if (i + AHEAD < from->size)
			fetch(s->image->file.data + at[i + AHEAD],
			    k[i + AHEAD].counts_size);
		indexed_words(counts, s->image->file.data + at[i],
		    k[i].counts_size);
		counts += k[i].counts_size;
	}
	b->any_bits = counts_any_bits(b->counts, b->counts_size);
	return PROF_OK;
}

static void
name_values(struct indexed_blocks *s)
{
	symtab_name_many(&s->program->names, s->nameless, s->nameless_size);
	symtab_name_many(s->vtables, s->nameless, s->nameless_size);
	s->nameless_size = 0;
}

static void
resolve(void *arg, enum prof_value_kind kind, struct prof_value *v)
{
	struct indexed_blocks *s = arg;

	if (kind == PROF_MEM_OP_SIZE)
		return;
	s->nameless[s->nameless_size++] = v;
	if (s->nameless_size == SYMTAB_MANY)
		name_values(s);
}

static enum prof_status
read_sited(struct indexed_blocks *s, size_t record, struct arena *a,
    struct prof_block_values *out, struct prof_error *err)
{
	const struct hashtable *t = &s->image->table;
	struct cursor c = { .data = t->image.data, .size = t->head,
	    .pos = indexed_values_at(s->program->row, s->counts_at[record],
	    s->program->records[record].counts_size) };

	if (values_read(&c, 0, a, resolve, s, out->values, err) != PROF_OK)
		return PROF_FAIL;
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct prof_sites *sites = &out->values[k];

		for (size_t i = 0; i < sites->size && !out->any; i++)
			out->any = sites->sites[i].size != 0;
	}
	return PROF_OK;
}

static enum prof_status
read_values(struct indexed_blocks *s, const struct indexed_block *from,
    struct arena *a, struct prof_block *b, struct prof_error *err)
{
	const struct indexed_known *k = &s->program->records[from->first];
	struct prof_block_values *v =
	    arena_array(a, from->sited_size, sizeof(*v));

	if (v == NULL)
		return err_memory(err);
	b->values = v;
	b->values_size = from->sited_size;
	for (size_t i = 0; i < from->size; i++) {
		if (!k[i].sited)
			continue;
		*v = (struct prof_block_values){ .function = i };
		if (read_sited(s, from->first + i, a, v++, err) != PROF_OK)
			return PROF_FAIL;
	}
	name_values(s);
	return PROF_OK;
}

enum prof_status
indexed_blocks_next(struct indexed_blocks *s, struct arena *a,
    struct prof_block *b, struct prof_error *err)
{
	const struct indexed_program *p = s->program;
	const struct indexed_block *from;

	if (s->next == p->blocks_size)
		return PROF_END;
	from = &p->blocks[s->next];
	*b = (struct prof_block){ .layout = p->layout, .index = s->next++,
	    .size = from->size, .counts_size = from->counts_size,
	    .hash_mask = UINT64_MAX };
	return read_counts(s, from, a, b, err) == PROF_OK ?
	    read_values(s, from, a, b, err) : PROF_FAIL;
}

const struct prof_function *
indexed_blocks_functions(const struct indexed_blocks *s,
    const struct prof_block *b, struct arena *a, struct prof_error *err)
{
	const struct indexed_known *k =
	    &s->program->records[s->program->blocks[b->index].first];
	struct prof_function *f = arena_array(a, b->size, sizeof(*f));
	const uint64_t *counts = b->counts;

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < b->size; i++, counts += k[i - 1].counts_size)
		f[i] = (struct prof_function){ .symbol = k[i].symbol,
		    .hash = k[i].hash & b->hash_mask, .counts = counts,
		    .counts_size = k[i].counts_size };
	for (size_t i = 0; i < b->values_size; i++) {
		const struct prof_block_values *v = &b->values[i];

		for (int n = 0; n < PROF_VALUE_KINDS; n++)
			f[v->function].values[n] = v->values[n];
	}
	return f;
}

void
indexed_blocks_free(struct indexed_blocks *s)
{
	shelf_release(s->program);
	free(s->counts_at);
}
