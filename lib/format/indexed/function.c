#include "format/indexed/function.h"

#include "base/error.h"

static enum prof_status
function_read_values(const struct indexed_image *im,
    const struct indexed_record *record,
    const struct indexed_function_from *from,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .pos = record->values,
	    .size = from->end };

	if (im->row->value_kinds == 0)
		return PROF_OK;
	if (values_read(&c, from->arena, from->targets, out, err) != PROF_OK)
		return PROF_FAIL;
	return indexed_check_kinds(im->row, record, out, err);
}

enum prof_status
indexed_function_read(const struct indexed_image *im,
    const struct indexed_record *record,
    const struct indexed_function_from *from, struct prof_function *f,
    struct prof_error *err)
{
	*f = (struct prof_function){ .hash = record->hash,
	    .symbol = { from->item->key, from->item->hash },
	    .counts = indexed_record_counts(record, from->arena),
	    .counts_size = record->num_counts };
	if (f->counts == NULL)
		return err_memory(err);
	if (indexed_record_bitmap(record, im->file.data, from->arena,
	    &f->bitmap, err) != PROF_OK)
		return PROF_FAIL;
	return function_read_values(im, record, from, f->values, err);
}
