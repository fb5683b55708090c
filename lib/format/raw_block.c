#include "base/counts.h"
#include "base/error.h"
#include "format/raw_reader.h"

/* Value sites are read in order: all of a block, before it is given. */
static enum prof_status
read_values(struct raw_reader *r, const struct raw_block *from,
    struct prof_block *b, struct prof_error *err)
{
	struct prof_block_values *v = arena_array(&r->arena, from->sited_size,
	    sizeof(*v));

	if (v == NULL)
		return err_memory(err);
	b->values = v;
	b->values_size = from->sited_size;
	for (size_t i = 0; i < from->sited_size; i++, v++) {
		uint32_t record = r->program->sited[from->sited + i];

		*v = (struct prof_block_values){ .function =
		    (size_t)(record - from->first) };
		if (raw_function_values(r, record, v->values, err) != PROF_OK)
			return PROF_FAIL;
		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			const struct prof_sites *s = &v->values[k];

			for (size_t n = 0; n < s->size && !v->any; n++)
				v->any = s->sites[n].size != 0;
		}
	}
	return PROF_OK;
}

static enum prof_status
note_suspicious(struct raw_reader *r, const struct raw_block *from,
    const struct prof_block *b, struct prof_error *err)
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
	const struct raw_block *from;

	if (r->index == p->blocks_size)
		return PROF_END;
	from = &p->blocks[r->index];
	out->kind = PROF_REC_BLOCK;
	*b = (struct prof_block){ .layout = p->layout,
	    .index = (size_t)r->index++, .size = from->size,
	    .of = (size_t)r->im.field[RAW_NUM_DATA],
	    .counts = (const void *)(r->im.file.data +
	    r->im.at[RAW_S_COUNTERS] + 8 * from->counts),
	    .counts_size = from->counts_size, .hash_mask = UINT64_MAX,
	    .reader = &r->base };
	passed_to(&r->counts_passed, (const uint8_t *)b->counts);
	passed_to(&r->values_passed, r->im.file.data + r->values_at);
	b->any_bits = counts_any_bits(b->counts, b->counts_size);
	if (b->any_bits >= COUNT_SUSPICIOUS &&
	    note_suspicious(r, from, b, err) != PROF_OK)
		return PROF_FAIL;
	return read_values(r, from, b, err);
}

/* Where records have what changes from one to the next. */
static void
get_functions(const struct raw_reader *r, const struct raw_block *from,
    const struct prof_block *b, struct prof_function *f)
{
	const struct raw_image *im = raw_records(r);
	const struct raw_record_layout *l = &im->layout;
	const uint8_t *record = im->file.data + im->at[RAW_S_DATA] +
	    (size_t)from->first * l->size;
	const uint64_t *counts = b->counts;

	for (size_t i = 0; i < b->size; i++, record += l->size) {
		f[i] = (struct prof_function){ .symbol =
		    *raw_program_symbol(r->program, from->first + i),
		    .hash = load_u64(record + l->offset[RAW_FUNC_HASH],
		    im->big) & b->hash_mask, .counts = counts,
		    .counts_size = load_u32(record +
		    l->offset[RAW_NUM_COUNTS], im->big) };
		counts += f[i].counts_size;
	}
}

void *
raw_block_hold(struct prof_reader *base)
{
	struct raw_reader *r = (struct raw_reader *)base;

	shelf_hold(r->names->names.text);
	return r->names->names.text;
}

struct prof_span
raw_block_name(const struct prof_reader *base, uint64_t guid)
{
	return raw_name((const struct raw_reader *)base, guid);
}

const struct prof_function *
raw_block_functions(struct prof_reader *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct raw_reader *r = (struct raw_reader *)base;
	const struct raw_block *from = &r->program->blocks[b->index];
	struct prof_function *f = arena_array(&r->arena, b->size, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	get_functions(r, from, b, f);
	for (size_t i = 0; i < b->values_size; i++) {
		const struct prof_block_values *v = &b->values[i];

		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			block_name_values(b, k, &v->values[k]);
			f[v->function].values[k] = v->values[k];
		}
	}
	return f;
}
