#include "format/indexed/block.h"

#include "base/error.h"
#include "format/context_cache.h"
#include "model/value_data.h"
#include "model/value_sites.h"

enum prof_status
indexed_blocks_open(struct indexed_blocks *s, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct indexed_facts none = { 0 };

	struct lru_cache *known = s->context == NULL || !s->context->blocks ?
	    NULL : &s->context->cache->indexed;

	if (known != NULL)
		s->program = indexed_program_find(known, s->image,
		    facts != NULL);
	s->assumed = s->program != NULL && facts == NULL;
	if (s->program != NULL && facts != NULL)
		*facts = s->program->facts;
	if (s->program == NULL &&
	    indexed_check(s->image, a, facts, err) != PROF_OK)
		return PROF_FAIL;
	if (s->program == NULL && known != NULL &&
	    indexed_program_is_worthwhile(known, s->image))
		s->program = indexed_program_build(known, s->image,
		    facts != NULL ? facts : &none);
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

static bool
block_same_site_counts(const struct prof_sites *sites,
    const struct indexed_site_counts *known)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (sites[k].size != known->sites[k])
			return false;
	}
	return true;
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
		if (values_read(&c, a, NULL, v->values, NULL) != PROF_OK ||
		    !block_same_site_counts(v->values, &sites[next++]))
			return false;
		v->any = value_sites_have_values(v->values);
		v++;
	}
	return true;
}

/* PROF_END if the image differs from the program in this block. */
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

/*
 * The image began like an earlier s->program but is of the present one.  Skips
 * the blocks already returned, so that reading goes on at block s->next.  False
 * if the blocks of the two programs differ up to there.
 */
static bool
block_skip_returned(struct indexed_blocks *s)
{
	const struct program_layout *l = &s->program->layout;
	size_t i = 0;

	if (s->next >= l->size || l->blocks[s->next].first != s->returned)
		return false;
	while (i < s->next && indexed_match_block(&s->walk, &l->blocks[i],
	    NULL))
		i++;
	return i == s->next;
}

/*
 * Called when a block differs from the program whose first block matched:
 * looks for the program that all of the image matches and returns its block.
 */
static enum prof_status
block_change_program(struct indexed_blocks *s, struct arena *a,
    struct prof_block *b, struct prof_error *err)
{
	struct indexed_facts facts = { 0 };
	enum prof_status status = PROF_END;

	s->returned = s->program->layout.blocks[s->next].first;
	indexed_blocks_free(s);
	if (indexed_blocks_open(s, a, &facts, err) != PROF_OK)
		return PROF_FAIL;
	if (s->program != NULL && block_skip_returned(s))
		status = block_read(s, &s->program->layout.blocks[s->next], a,
		    b, err);
	if (status == PROF_END)
		indexed_blocks_free(s);
	return status;
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
	return status == PROF_END ? block_change_program(s, a, b, err) : status;
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
	struct prof_function *f = program_new_functions(b, a, err);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < b->size; i++)
		f[i] = (struct prof_function){ .symbol = k[i].symbol,
		    .hash = k[i].hash, .counts_size = k[i].counts_size };
	return program_set_functions(b, f);
}
