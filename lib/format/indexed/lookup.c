#include "format/indexed/lookup.h"

#include <stdlib.h>

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
