/*
 * Reads bytes as an LPRF profile, and writes what was read in all formats: as
 * they are, and those of version 2 with the checksums that readers expect, by
 * which damage would not get beyond them.  What files of version 2 merged block
 * by block come to is what the other merge comes to; a file of their whole
 * blocks is read to its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/codec.h"
#include "format/lprf/lprf.h"
#include "format/lprf/v2.h"
#include "format/salvage.h"
#include "fuzz/fuzz.h"
#include "merge/sorted/sorted.h"
#include "tests/support/memory_files.h"

static void
put_sum(uint8_t *p, size_t at, size_t from, size_t end)
{
	uint32_t sum = crc32c((struct prof_span){ p + from, end - from });

	for (int i = 0; i < 4; i++)
		p[at + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

/* The size of the block with that head, or what is left of the bytes. */
static size_t
block_size(const uint8_t *p, size_t left)
{
	uint64_t size = lprf2_block_size(p);

	return size < left ? (size_t)size : left;
}

static void
put_sums(uint8_t *p, size_t size)
{
	size_t end = size - LPRF2_TRAILER, at = LPRF2_HEADER, next;

	memcpy(p + size - 8, LPRF2_TRAILER_MAGIC, 8);
	put_sum(p, 12, 0, 12);
	put_sum(p, end + 28, end, end + 28);
	for (; end - at >= LPRF2_BLOCK_HEAD; at = next) {
		next = at + block_size(p + at, end - at);
		put_sum(p, at, at + 4, next);
	}
}

static int
read_image(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct prof_span *image = arg;

	if (offset > image->size || size > image->size - offset)
		return EIO;
	if (size != 0)
		memcpy(data, image->data + offset, size);
	return 0;
}

/* The image is each input, and counts more often as the second one. */
static bool
open_image(void *arg, size_t i, struct merge_sorted_file *out)
{
	const struct prof_span *image = arg;

	*out = (struct merge_sorted_file){ .arg = arg, .read = read_image,
	    .size = image->size, .weight = { 1 + 2 * i, 1 + i } };
	return true;
}

static void
close_image(struct merge_sorted_file *f)
{
	(void)f;
}

/* The sum of two inputs by the table; false if they cannot be read. */
static bool
merge_by_table(struct prof_span image, struct buf *out)
{
	const struct prof_target target = { .format = "lprf", .version = 2,
	    .plain = true };
	const struct merge_output options = { .sparse = false };
	struct prof_writer *w = prof_writer_new(NULL, &target, collect, out,
	    NULL);
	struct merge *m = merge_new(NULL, NULL);
	enum prof_status status = PROF_END;
	struct prof_record record;

	for (size_t i = 0; i < 2 && status == PROF_END; i++) {
		const struct merge_factor weight = { 1 + 2 * i, 1 + i };
		struct prof_reader *r = lprf_open(NULL, image, NULL);

		status = r == NULL ? PROF_FAIL : PROF_OK;
		while (status == PROF_OK) {
			status = prof_next(r, &record, NULL);
			if (status == PROF_OK)
				status = merge_add(m, &record, &weight, NULL);
		}
		prof_close(r);
	}
	if (status == PROF_END && merge_write(m, &options, w, NULL) == PROF_OK)
		status = prof_finish(w, NULL);
	prof_writer_free(w);
	merge_free(m);
	return status == PROF_OK;
}

static void
merge_by_blocks(struct prof_span image)
{
	struct memory_files memory = { 0 };
	const struct merge_files files = memory_files_calls(&memory);
	const struct merge_sorted_inputs inputs = { .arg = &image, .size = 2,
	    .most = 2, .open = open_image, .close = close_image };
	struct merge_sorted_sum sum;
	struct memory_file *file;
	struct buf out = { 0 };

	if (merge_sorted(&inputs, &files, true, &sum)) {
		file = sum.file;
		demand(merge_by_table(image, &out),
		    "what is merged by blocks can be read");
		demand(prof_span_equal(span_of(&out), span_of(&file->bytes)),
		    "a merge by blocks has the bytes of the other");
		memory_file_close(file);
	}
	demand(memory.open == 0, "files of a merge are closed");
	buf_free(&out);
}

/* What is salvaged is read, unless the record of the profile is lost. */
static void
read_salvaged(struct prof_span image)
{
	struct repaired m = { .count = 0 };
	struct prof_record record;
	enum prof_status status;
	struct prof_reader *r;

	if (lprf_repair(NULL, image, &m, NULL) == PROF_OK) {
		r = lprf_open(NULL, span_of(&m.image), NULL);
		status = r == NULL ? PROF_FAIL : prof_next(r, &record, NULL);
		if (status == PROF_OK)
			demand(fuzz_decode(lprf_open, span_of(&m.image), NULL)
			    == PROF_END, "the blocks that are kept are read");
		prof_close(r);
	}
	buf_free(&m.image);
	free(m.parts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	fuzz_image(lprf_open, (struct prof_span){ data, size });
	if (size < LPRF2_HEADER + LPRF2_TRAILER ||
	    load_u32(data + 4, false) != LPRF2_VERSION)
		return 0;
	copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	put_sums(copy, size);
	fuzz_image(lprf_open, (struct prof_span){ copy, size });
	merge_by_blocks((struct prof_span){ copy, size });
	read_salvaged((struct prof_span){ copy, size });
	free(copy);
	return 0;
}
