#include "format/indexed/check.h"

#include <stdlib.h>

#include "base/error.h"
#include "model/releases.h"
#include "model/rust.h"

#define HASH_FLAGS ((uint64_t)15 << 60)

struct cursor
indexed_item_data(const struct indexed_image *im,
    const struct disk_hash_item *item)
{
	return (struct cursor){ .data = im->file.data, .pos = item->data,
	    .size = item->data + item->data_size };
}

static int
compare_record_hashes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

enum prof_status
indexed_check_item_size(const struct disk_hash_item *item,
    struct prof_error *err)
{
	if (item->data_size == 0 || item->data_size % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, item->data, "DataLength "
		    "%zu is not a positive multiple of 8", item->data_size);
	return PROF_OK;
}

enum prof_status
indexed_check_item_hashes(const struct indexed_image *im,
    const struct disk_hash_item *item, struct arena *a,
    struct prof_error *err)
{
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record record;
	char name[ERR_NAME_SIZE];
	uint64_t *hashes;
	size_t n = 0;

	arena_reset(a);
	/* The shortest record has two words: hash and one counter. */
	hashes = arena_array(a, item->data_size / 16, sizeof(*hashes));
	if (hashes == NULL)
		return err_memory(err);
	while (cur_left(&c) > 0) {
		if (indexed_record_read(im->row, &c, &record, err) != PROF_OK)
			return PROF_FAIL;
		hashes[n++] = record.hash;
	}
	qsort(hashes, n, sizeof(*hashes), compare_record_hashes);
	for (size_t i = 1; i < n; i++) {
		if (hashes[i] == hashes[i - 1])
			return err_at(err, PROF_E_CORRUPT, item->data, "%s has "
			    "two records with hash 0x%016llx",
			    err_name(name, item->key),
			    (unsigned long long)hashes[i]);
	}
	return PROF_OK;
}

enum prof_status
indexed_check_item(const struct indexed_image *im,
    const struct disk_hash_item *item, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record record;
	size_t n = 0;

	if (indexed_check_item_size(item, err) != PROF_OK)
		return PROF_FAIL;
	if (facts != NULL && !facts->any_rust)
		facts->any_rust = rust_mangled(item->key);
	for (; cur_left(&c) > 0; n++) {
		if (indexed_record_read(im->row, &c, &record, err) != PROF_OK)
			return PROF_FAIL;
		if (facts == NULL)
			continue;
		facts->any_bitmap |= record.num_bitmap_bytes != 0;
		facts->any_hash_flags |= (record.hash & HASH_FLAGS) != 0;
	}
	return n == 1 ? PROF_OK : indexed_check_item_hashes(im, item, a, err);
}

struct check_visit {
	const struct indexed_image *im;
	struct arena *arena;
	struct indexed_facts *facts;
};

static enum prof_status
visit(void *arg, const struct disk_hash_item *item, struct prof_error *err)
{
	const struct check_visit *v = arg;

	return indexed_check_item(v->im, item, v->arena, v->facts, err);
}

enum prof_status
indexed_check(const struct indexed_image *im, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct arena of_table = { 0 };
	struct check_visit v = { im, a, facts };
	enum prof_status status = disk_hash_check_each(&im->table, visit, &v,
	    &of_table, err);

	arena_free(&of_table);
	return status;
}

void
indexed_set_frontend(const struct indexed_row *row,
    const struct indexed_facts *facts, struct prof_header *h)
{
	enum hash_rule rule = llvm_hash_rule(row->version);
	struct version_range hashes, bitmaps;

	/*
	 * llvm-profdata writes hashes that it read from older files with its
	 * own version: flag bits show that they are of the rule before.
	 */
	if (rule == HASH_RULE_MASKED && facts->any_hash_flags)
		rule = HASH_RULE_MASKED - 1;
	hashes = llvm_hash_versions(rule);
	if (facts->any_bitmap) {
		bitmaps = llvm_bitmap_versions(llvm_bitmap_rule(row->version));
		if (hashes.first < bitmaps.first)
			hashes.first = bitmaps.first;
		if (hashes.last > bitmaps.last)
			hashes.last = bitmaps.last;
	}
	h->frontend_first = hashes.first;
	h->frontend_last = hashes.last;
}
