/* Blocks of functions, of images whose program is known. */
#include "base/vector_add.h"
#include "base/error.h"
#include "format/raw/reader.h"

PREFETCH_INLINE void
raw_block_prefetch_targets(const struct raw_reader *r,
    const struct prof_block_values *v)
{
	const struct prof_sites *sites =
	    &v->values[PROF_INDIRECT_CALL_TARGET];

	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];

		for (size_t n = 0; n < site->size; n++)
			raw_function_prefetch(r->functions,
			    site->values[n].value - r->relocation.distance);
	}
}

/* Replaces addresses by guids, in the arena of the reader. */
static void
raw_block_resolve_targets(const struct raw_reader *r,
    struct prof_block_values *v)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct prof_sites *sites = &v->values[k];

		for (size_t i = 0; i < sites->size; i++) {
			const struct prof_site *site = &sites->sites[i];
			struct prof_value *values =
			    (void *)(uintptr_t)site->values;

			v->any = v->any || site->size != 0;
			for (size_t n = 0; n < site->size &&
			    k != PROF_MEM_OP_SIZE; n++)
				raw_resolve(r, (enum prof_value_kind)k,
				    &values[n]);
		}
	}
}

/*
 * Reads the value sites of all functions of a block.  Targets are resolved some
 * records later, when their slots are in the cache of the processor.
 */
static enum prof_status
raw_block_read_values(struct raw_reader *r,
    const struct program_block *from, struct prof_block *b,
    struct prof_error *err)
{
	enum { AHEAD = 8 };
	size_t n = from->sites_size;
	struct prof_block_values *v = arena_array(&r->arena, n, sizeof(*v));

	if (v == NULL || (n != 0 && !raw_find_functions(r)))
		return err_memory(err);
	b->values = v;
	b->values_size = n;
	for (size_t i = 0; i < n + AHEAD; i++) {
		const struct raw_value_record *s = r->program->value_records +
		    from->sites;

		if (i >= AHEAD)
			raw_block_resolve_targets(r, &v[i - AHEAD]);
		if (i >= n)
			continue;
		s += i;
		v[i] = (struct prof_block_values){ .function =
		    (size_t)(s->record - from->first) };
		if (raw_sites(r, &(struct raw_counted_sites){ s->record,
		    s->sites }, NULL, v[i].values, err) != PROF_OK)
			return PROF_FAIL;
		raw_block_prefetch_targets(r, &v[i]);
	}
	return PROF_OK;
}

static enum prof_status
raw_block_note_suspicious(struct raw_reader *r,
    const struct program_block *from, const struct prof_block *b,
    struct prof_error *err)
{
	const struct prof_function *f =
	    raw_block_functions(&r->base, b, err);

	if (f == NULL)
		return PROF_FAIL;
	for (size_t i = 0; i < b->size; i++)
		raw_note_suspicious(r, f[i].counts, f[i].counts_size,
		    from->first + i);
	return PROF_OK;
}

enum prof_status
raw_next_block(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct raw_program *p = r->program;
	struct prof_block *b = &out->u.block;
	const struct program_block *from;

	if (r->index == p->layout.size)
		return PROF_END;
	from = &p->layout.blocks[r->index];
	out->kind = PROF_REC_BLOCK;
	*b = program_block(&p->layout, (size_t)r->index++,
	    (const void *)(r->im.file.data + r->im.at[RAW_S_COUNTERS] +
	    8 * from->counts));
	b->of = (size_t)r->im.field[RAW_NUM_DATA];
	b->reader = &r->base;
	consumed_to(&r->counts_consumed, (const uint8_t *)b->counts);
	consumed_to(&r->values_consumed, r->im.file.data + r->values_at);
	b->any_bits = vector_any_bits(b->counts, b->counts_size);
	if (b->any_bits >= COUNT_SUSPICIOUS &&
	    raw_block_note_suspicious(r, from, b, err) != PROF_OK)
		return PROF_FAIL;
	return raw_block_read_values(r, from, b, err);
}

void *
raw_block_retain(struct prof_reader *base)
{
	struct raw_reader *r = (struct raw_reader *)base;

	lru_cache_retain(r->names->names.text);
	return r->names->names.text;
}

struct prof_span
raw_block_name(const struct prof_reader *base, uint64_t guid)
{
	return raw_name((const struct raw_reader *)base, guid);
}

const struct symtab *
raw_block_names(const struct prof_reader *base)
{
	return &((const struct raw_reader *)base)->names->names.table;
}

/* Symbols, hashes and sizes are those of the program. */
const struct prof_function *
raw_block_functions(struct prof_reader *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct raw_reader *r = (struct raw_reader *)base;
	const struct raw_image *im = raw_records(r);
	const struct raw_record_layout *l = &im->layout;
	size_t first = r->program->layout.blocks[b->index].first;
	const uint8_t *record = im->file.data + im->at[RAW_S_DATA] +
	    first * l->size;
	struct prof_function *f = program_new_functions(b, &r->arena, err);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < b->size; i++, record += l->size)
		f[i] = (struct prof_function){ .symbol =
		    *raw_program_symbol(r->program, first + i),
		    .hash = load_u64(record + l->offset[RAW_FUNC_HASH],
		    im->big), .counts_size = load_u32(record +
		    l->offset[RAW_NUM_COUNTS], im->big) };
	return program_set_functions(b, f);
}
