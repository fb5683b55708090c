#include "config.h"

#include "io/archive_end.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/unpacker.h"

enum {
	/* The record at the end of a zip, which a comment may follow. */
	ZIP_END = 22, ZIP_MEMBERS = 10, ZIP_SIZE = 12, ZIP_OFFSET = 16,
	ZIP_COMMENT = 20, ZIP64_LOCATOR = 20, ZIP64_RECORD = 56,
	ZIP_TAIL = ZIP_END + 0xffff,
	/* The header of a 7z archive. */
	SEVENZIP_HEADER = 32, SEVENZIP_OFFSET = 12, SEVENZIP_SIZE = 20
};

static enum prof_status
err_behind_end(struct unpacker *u, uint64_t bytes)
{
	return err_set(u->err, PROF_E_CORRUPT, "%s: %llu bytes follow its end",
	    u->kind->name, ull(bytes));
}

/* Reads the next block of the source; false at its end. */
static enum prof_status
unpacker_read_on(struct unpacker *u, bool *more)
{
	const void *block;
	la_ssize_t n = unpacker_read_block(u->archive, u, &block);

	*more = n > 0;
	return n < 0 ? unpacker_fail(u) : PROF_OK;
}

/* Bytes of the source that libarchive was given and has not used. */
static uint64_t
unpacker_unused(const struct unpacker *u)
{
	int64_t used = la.archive_filter_bytes(u->archive, -1);

	return used < 0 || (uint64_t)used >= u->source_pos ? 0 :
	    u->source_pos - (uint64_t)used;
}

enum prof_status
unpacker_check_stream_end(struct unpacker *u)
{
	bool more = true;

	if (!u->source_ended && unpacker_read_on(u, &more) != PROF_OK)
		return PROF_FAIL;
	return unpacker_unused(u) == 0 ? PROF_OK :
	    err_behind_end(u, unpacker_unused(u));
}

/* Checks that nothing but zeros remains of the source. */
static enum prof_status
unpacker_check_padding(struct unpacker *u)
{
	uint64_t unused = unpacker_unused(u);
	size_t n = unused < u->block_size ? (size_t)unused : u->block_size;
	const uint8_t *p = u->block + u->block_size - n;
	bool more = !u->source_ended;

	do {
		if (n != 0 && !bytes_are_zero(p, n))
			return err_behind_end(u, unused);
		if (more && unpacker_read_on(u, &more) != PROF_OK)
			return PROF_FAIL;
		p = u->block;
		n = u->block_size;
		unused = n;
	} while (more);
	return PROF_OK;
}

/*
 * The last bytes of the source, from the block on that libarchive read last, or
 * so many as may have the record at the end of a zip.
 */
static enum prof_status
unpacker_read_tail(struct unpacker *u, struct buf *tail)
{
	bool more = u->block_size != 0;

	while (more) {
		buf_put(tail, u->block, u->block_size);
		if (tail->failed)
			return err_memory(u->err);
		if (tail->size > 2 * ZIP_TAIL) {
			memmove(tail->data, tail->data + tail->size - ZIP_TAIL,
			    ZIP_TAIL);
			tail->size = ZIP_TAIL;
		}
		if (unpacker_read_on(u, &more) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * Checks what the record says of the directory that should end at that place in
 * the source.  The largest numbers stand for larger ones, which zip64
 * has in a record before this one.
 */
static enum prof_status
unpacker_check_directory(struct unpacker *u, const uint8_t *record,
    uint64_t place)
{
	unsigned members = load_u16(record + ZIP_MEMBERS, false);
	uint64_t size = load_u32(record + ZIP_SIZE, false);
	uint64_t offset = load_u32(record + ZIP_OFFSET, false);

	if (members == 0xffff || size == UINT32_MAX || offset == UINT32_MAX)
		return PROF_END;
	if (u->members != members)
		return err_set(u->err, PROF_E_CORRUPT, "%s: %llu members were "
		    "found, but %u are in its directory", u->kind->name,
		    ull(u->members), members);
	return offset + size == place ? PROF_END : err_set(u->err,
	    PROF_E_CORRUPT, "%s: its directory of %llu bytes at 0x%llx does "
	    "not end at 0x%llx: other bytes come before the archive",
	    u->kind->name, ull(size), ull(offset), ull(place));
}

/* Checks the last record in the bytes, and what follows it. */
static enum prof_status
unpacker_check_record(struct unpacker *u, const struct buf *tail)
{
	static const uint8_t magic[] = { 'P', 'K', 5, 6 };
	static const uint8_t locator[] = { 'P', 'K', 6, 7 };
	size_t at = tail->size < ZIP_END ? 0 : tail->size - ZIP_END + 1;
	uint64_t place;
	size_t end;

	while (at != 0 && memcmp(tail->data + at - 1, magic, sizeof(magic)))
		at--;
	if (at == 0)
		return err_set(u->err, PROF_E_TRUNCATED,
		    "%s: ends inside its directory", u->kind->name);
	at--;
	end = at + ZIP_END + load_u16(tail->data + at + ZIP_COMMENT, false);
	if (end > tail->size)
		return err_set(u->err, PROF_E_TRUNCATED,
		    "%s: ends inside its comment", u->kind->name);
	if (end < tail->size)
		return err_behind_end(u, tail->size - end);
	place = u->source_pos - (tail->size - at);
	if (at >= ZIP64_LOCATOR && memcmp(tail->data + at - ZIP64_LOCATOR,
	    locator, sizeof(locator)) == 0)
		place -= ZIP64_RECORD + ZIP64_LOCATOR;
	return unpacker_check_directory(u, tail->data + at, place);
}

/*
 * Where it cannot seek, libarchive reads a zip by the headers of its members,
 * and ends where no other follows.
 */
static enum prof_status
unpacker_check_zip(struct unpacker *u)
{
	struct buf tail = { 0 };
	enum prof_status status = unpacker_read_tail(u, &tail);

	if (status == PROF_OK)
		status = unpacker_check_record(u, &tail);
	buf_free(&tail);
	return status;
}

/* The header of a 7z archive says where its last part is. */
static enum prof_status
unpacker_check_7z(struct unpacker *u)
{
	const struct packed_source *s = &u->source;
	int64_t size = s->seek(s->arg, 0, SEEK_END);
	uint64_t offset, last, end;
	bool more;

	if (unpacker_seek(u->archive, u, 0, SEEK_SET) != 0 ||
	    unpacker_read_on(u, &more) != PROF_OK ||
	    u->block_size < SEVENZIP_HEADER)
		return unpacker_fail(u);
	offset = load_u64(u->block + SEVENZIP_OFFSET, false);
	last = load_u64(u->block + SEVENZIP_SIZE, false);
	if (add_u64(SEVENZIP_HEADER, offset, &end) &&
	    add_u64(end, last, &end) && end < (uint64_t)size)
		return err_behind_end(u, (uint64_t)size - end);
	return PROF_END;
}

enum prof_status
unpacker_check_end(struct unpacker *u)
{
	u->dead = true;
	switch (u->kind->end) {
	case END_RECORD:
		return unpacker_check_zip(u);
	case END_PADDED:
		return unpacker_check_padding(u) == PROF_OK ? PROF_END :
		    PROF_FAIL;
	case END_HEADER:
		return unpacker_check_7z(u);
	case END_ZEROS:
		return !u->source_ended || u->zeros ? PROF_END :
		    err_set(u->err, PROF_E_TRUNCATED,
		    "%s: ends without a block of zeros", u->kind->name);
	default:
		return !u->source_ended || unpacker_unused(u) == 0 ? PROF_END :
		    err_set(u->err, PROF_E_TRUNCATED,
		    "%s: ends inside a header", u->kind->name);
	}
}
