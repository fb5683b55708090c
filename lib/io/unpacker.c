/* The source that libarchive reads, and why it fails. */
#include "config.h"

#include "io/unpacker.h"

#include <errno.h>

#include "base/bytes.h"
#include "base/error.h"

enum { TAR_BLOCK = 512 };

/*
 * Reports libarchive's reason. libarchive has no error code for truncated data:
 * the input is truncated if the source had ended before the failure.
 */
enum prof_status
unpacker_fail(struct unpacker *u)
{
	const char *text = la.archive_error_string(u->archive);
	int64_t at = la.archive_filter_bytes(u->archive, -1);
	enum prof_code code = PROF_E_CORRUPT;

	if (la.archive_errno(u->archive) == ENOMEM || err_memory_seen())
		return err_memory(u->err);
	if (text == NULL)
		text = "damaged";
	if (u->source_ended || strstr(text, "runcated") != NULL) {
		code = PROF_E_TRUNCATED;
		at = (int64_t)u->source_pos;
	}
	if (!u->source.has_offsets || at < 0)
		return err_set(u->err, code, "%s: %s", u->kind->name, text);
	return err_at(u->err, code, (uint64_t)at, "%s: %s", u->kind->name,
	    text);
}

la_ssize_t
unpacker_read_block(struct archive *a, void *arg, const void **block)
{
	struct unpacker *u = arg;
	ssize_t n = u->source.pull(u->source.arg, u->block, UNPACKER_BLOCK);
	size_t tail = n < TAR_BLOCK ? (size_t)n : TAR_BLOCK;

	*block = u->block;
	u->source_ended = n == 0;
	if (n < 0)
		la.archive_set_error(a, EIO, "the source failed");
	if (n > 0) {
		u->source_pos += (uint64_t)n;
		u->block_size = (size_t)n;
		u->zeros = tail != 0 &&
		    bytes_are_zero(u->block + (size_t)n - tail, tail);
	}
	return n;
}

la_int64_t
unpacker_seek(struct archive *a, void *arg, la_int64_t offset, int whence)
{
	struct unpacker *u = arg;
	int64_t pos = u->source.seek(u->source.arg, offset, whence);

	if (pos < 0) {
		la.archive_set_error(a, EIO, "cannot seek");
		return ARCHIVE_FATAL;
	}
	u->source_pos = (uint64_t)pos;
	u->source_ended = false;
	u->zeros = false;
	return pos;
}
