#include "format/lprf/file.h"

#include "base/error.h"

void
lprf2_file_begin(struct lprf2_file *f)
{
	lprf2_put_header(&f->out);
}

static uint64_t
lprf2_file_at(const struct lprf2_file *f)
{
	return f->taken + f->out.size;
}

bool
lprf2_file_is_full(const struct lprf2_file *f)
{
	return f->memory + LPRF2_MEMORY_BLOCK >
	    lprf2_memory_max(lprf2_file_at(f));
}

/*
 * Puts a block.  It is not packed if a reader could not take what it holds from
 * fewer bytes, which may be so if it has many value sites.
 */
static enum prof_status
lprf2_file_put(struct lprf2_file *f, struct lprf2_building *b,
    struct prof_error *err)
{
	struct lprf2_block block = { .kind = b->kind, .size = b->size };

	if (!lprf2_join(b))
		return err_memory(err);
	f->memory += lprf2_memory(&block, b->memory);
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		f->memory += b->sections[i].size;
	b->plain = b->plain || f->memory > lprf2_memory_max(lprf2_file_at(f));
	return lprf2_put_block(b, f->packer, &f->out, err);
}

bool
lprf2_file_begin_block(struct lprf2_file *f, enum lprf2_kind kind,
    const struct prof_symbol *first)
{
	f->begun = (struct lprf2_entry){ .kind = kind };
	if (first == NULL)
		return true;
	f->begun.separator = lprf2_separator(f->last_kind == kind ? &f->last :
	    NULL, first);
	f->separator.size = 0;
	buf_put(&f->separator, f->begun.separator.name.data,
	    f->begun.separator.name.size);
	f->begun.separator.name.data = f->separator.data;
	return !f->separator.failed;
}

/* Puts the block of a level of the index. */
static enum prof_status
lprf2_file_put_index(struct lprf2_file *f, unsigned level, uint64_t *at,
    struct prof_error *err)
{
	*at = lprf2_file_at(f);
	return lprf2_file_put(f, &f->index.levels[level].block, err);
}

/* Adds the block that began, and puts the blocks of the index that are full. */
static enum prof_status
lprf2_file_note_block(struct lprf2_file *f, struct prof_error *err)
{
	uint64_t at;

	if (f->begun.kind == LPRF2_TAIL && f->trailer.tail == 0)
		f->trailer.tail = f->begun.at;
	if (!lprf2_index_add(&f->index, 0, &f->begun))
		return err_memory(err);
	for (unsigned i = 0; f->index.levels[i].block.size == LPRF2_FAN_OUT;
	    i++) {
		if (lprf2_file_put_index(f, i, &at, err) != PROF_OK)
			return PROF_FAIL;
		if (!lprf2_index_close(&f->index, i, at))
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
lprf2_file_note_last(struct lprf2_file *f, uint64_t functions,
    const struct prof_symbol *last, struct prof_error *err)
{
	if (last == NULL)
		return PROF_OK;
	f->trailer.functions += functions;
	f->last_kind = lprf2_kind_of(last);
	f->last_name.size = 0;
	buf_put(&f->last_name, last->name.data, last->name.size);
	f->last = (struct prof_symbol){ buf_span(&f->last_name), last->guid };
	return f->last_name.failed ? err_memory(err) : PROF_OK;
}

enum prof_status
lprf2_file_put_block(struct lprf2_file *f, struct lprf2_building *b,
    const struct prof_symbol *last, struct prof_error *err)
{
	if (lprf2_file_note_last(f, b->size, last, err) != PROF_OK)
		return PROF_FAIL;
	f->begun.at = lprf2_file_at(f);
	return lprf2_file_put(f, b, err) == PROF_OK ?
	    lprf2_file_note_block(f, err) : PROF_FAIL;
}

/* Puts each level that has entries, and lists it in the next, up to a root. */
enum prof_status
lprf2_file_end(struct lprf2_file *f, struct prof_error *err)
{
	uint64_t *root = &f->trailer.root;
	unsigned height = lprf2_index_height(&f->index);

	for (unsigned i = 0; i < height; i++) {
		if (f->index.levels[i].block.size == 0)
			continue;
		if (lprf2_file_put_index(f, i, root, err) != PROF_OK)
			return PROF_FAIL;
		if (i + 1 == height)
			break;
		if (!lprf2_index_close(&f->index, i, *root))
			return err_memory(err);
	}
	lprf2_put_trailer(&f->out, &f->trailer);
	return f->out.failed ? err_memory(err) : PROF_OK;
}

void
lprf2_file_free(struct lprf2_file *f)
{
	lprf2_packer_free(f->packer);
	lprf2_index_free(&f->index);
	buf_free(&f->out);
	buf_free(&f->last_name);
	buf_free(&f->separator);
}
