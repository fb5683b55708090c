#include "config.h"

#include "io/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/unpacker.h"

#ifdef LIBARCHIVE_SONAME

LIBRARY_LOADED(libarchive, la, LIBARCHIVE_FUNCTIONS, LIBARCHIVE_SONAME,
    "archives", "required")

#else

#ifdef STATIC_PROGRAMS
/*
 * In place of libarchive's, which its table of formats needs and nobody calls:
 * that would bring libxml2 and ICU.
 */
int
archive_write_set_format_xar(struct archive *a)
{
	(void)a;
	return ARCHIVE_FATAL;
}
#endif

LIBRARY_LINKED(libarchive, la, LIBARCHIVE_FUNCTIONS)

#endif

enum { TAR_BLOCK = 512 };

/*
 * Reports libarchive's reason. libarchive has no error code for truncated data:
 * the input is truncated if the source had ended before the failure.
 */
static enum prof_status
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

/* The source that libarchive reads. */
static la_ssize_t
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

static la_int64_t
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

/* Checks that all of the source was compressed data. */
static enum prof_status
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
		return err_set(u->err, PROF_E_CORRUPT, "%s: members found: "
		    "%llu, in its directory: %u", u->kind->name,
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

/*
 * Once libarchive has found no further member: checks that the archive ends
 * there, and that nothing follows it.  PROF_END if so.
 */
static enum prof_status
unpacker_check_end(struct unpacker *u)
{
	struct buf tail = { 0 };
	enum prof_status status;

	u->dead = true;
	switch (u->kind->end) {
	case END_RECORD:
		/*
		 * Where it cannot seek, libarchive reads a zip by the headers
		 * of its members, and ends where no other follows.
		 */
		status = unpacker_read_tail(u, &tail);
		if (status == PROF_OK)
			status = unpacker_check_record(u, &tail);
		buf_free(&tail);
		return status;
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

static const struct archive_kind kinds[] = {
	[PACKING_BZIP2] = { .name = "bzip2",
	    .enable = &la.archive_read_support_filter_bzip2 },
	[PACKING_COMPRESS] = { .name = "compress",
	    .enable = &la.archive_read_support_filter_compress },
	[PACKING_LZMA] = { .name = "lzma",
	    .enable = &la.archive_read_support_filter_lzma },
	[PACKING_XZ] = { .name = "xz",
	    .enable = &la.archive_read_support_filter_xz },
	[PACKING_LZ4] = { .name = "lz4",
	    .enable = &la.archive_read_support_filter_lz4 },
	[PACKING_TAR] = { .name = "tar", .end = END_ZEROS,
	    .enable = &la.archive_read_support_format_tar },
	[PACKING_CPIO] = { .name = "cpio", .end = END_PADDED,
	    .enable = &la.archive_read_support_format_cpio },
	[PACKING_AR] = { .name = "ar", .end = END_EXACT,
	    .enable = &la.archive_read_support_format_ar },
	[PACKING_ZIP] = { .name = "zip", .end = END_RECORD,
	    .enable = &la.archive_read_support_format_zip },
	[PACKING_7Z] = { .name = "7z", .seeks = true, .end = END_HEADER,
	    .enable = &la.archive_read_support_format_7zip },
};

struct unpacker *
unpacker_new(enum packing packing, const struct packed_source *source,
    struct prof_error *err)
{
	struct archive_entry *entry;
	struct unpacker *u;
	struct archive *a;

	if (libarchive_load(err) != PROF_OK)
		return NULL;
	u = malloc(sizeof(*u));
	a = la.archive_read_new();
	entry = la.archive_entry_new();
	if (u == NULL || a == NULL || entry == NULL) {
		la.archive_read_free(a);
		la.archive_entry_free(entry);
		free(u);
		err_memory(err);
		return NULL;
	}
	memset(u, 0, offsetof(struct unpacker, block));
	u->kind = &kinds[packing];
	u->is_archive = packing_is_archive(packing);
	u->source = *source;
	u->err = err;
	u->archive = a;
	/* libarchive may lack memory for its own, and does not check that. */
	u->entry = entry;
	/* Without the locale, names in zip and 7z must be ASCII. */
	if (u->is_archive)
		u->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return u;
}

static enum prof_status
unpacker_open(struct unpacker *u)
{
	struct archive *a = u->archive;

	u->opened = true;
	err_memory_begin();
	if (u->kind->seeks && u->source.seek == NULL)
		return err_set(u->err, PROF_E_UNSUPPORTED, "%s archives can be "
		    "read from an uncompressed file only, not from a pipe",
		    u->kind->name);
	/* ARCHIVE_WARN: it would run an external decompressor. */
	if ((*u->kind->enable)(a) != ARCHIVE_OK)
		return err_memory_seen() ? err_memory(u->err) :
		    err_set(u->err, PROF_E_UNSUPPORTED,
		    "libarchive was built without %s", u->kind->name);
	/* Reads on behind zeros, so that `cat a.tar b.tar` gives both. */
	if (u->kind->end == END_ZEROS)
		la.archive_read_set_format_option(a, u->kind->name,
		    "read_concatenated_archives", "1");
	if (!u->is_archive) {
		la.archive_read_support_format_raw(a);
		la.archive_read_support_format_empty(a);
	}
	if (u->source.seek != NULL)
		la.archive_read_set_seek_callback(a, unpacker_seek);
	la.archive_read_set_read_callback(a, unpacker_read_block);
	if (la.archive_read_set_callback_data(a, u) != ARCHIVE_OK ||
	    la.archive_read_open1(a) != ARCHIVE_OK)
		return unpacker_fail(u);
	return PROF_OK;
}

/* The type of a member without contents, for messages. */
static const char *
err_entry_type(struct archive_entry *e)
{
	/* In cpio, only one of the hard links to a file has contents. */
	if (la.archive_entry_hardlink(e) != NULL &&
	    la.archive_entry_size(e) == 0)
		return "is a hard link";
	switch (la.archive_entry_filetype(e)) {
	case AE_IFREG:
	case 0:		/* `ar rcD` stores no type */
		return NULL;
	case AE_IFLNK:
		return "is a symbolic link";
	case AE_IFCHR:
	case AE_IFBLK:
		return "is a device";
	case AE_IFIFO:
		return "is a fifo";
	default:
		return "is not a file";
	}
}

/* Bytes of the archive before the place where libarchive reads. */
static uint64_t
unpacker_place(const struct unpacker *u)
{
	int64_t place = la.archive_filter_bytes(u->archive, -1);

	return place < 0 ? 0 : (uint64_t)place;
}

/* Whether an entry is none that a user adds: a folder, or a table of ar. */
static bool
unpacker_passes(const struct unpacker *u)
{
	const char *name = la.archive_entry_pathname(u->entry);

	return la.archive_entry_filetype(u->entry) == AE_IFDIR ||
	    (u->kind == &kinds[PACKING_AR] && name != NULL &&
	    (strcmp(name, "/") == 0 || strcmp(name, "//") == 0 ||
	    strcmp(name, "/SYM64/") == 0 || strncmp(name, "__.SYMDEF", 9) ==
	    0));
}

static enum prof_status
unpacker_next_entry(struct unpacker *u, const char **name)
{
	struct archive_entry *e = u->entry;
	const char *type;
	int r;

	if (!u->opened && unpacker_open(u) != PROF_OK) {
		u->dead = true;
		return PROF_FAIL;
	}
	err_memory_begin();
	if (u->members != 0 && unpacker_place(u) > u->reached)
		u->reached = unpacker_place(u);
	do {
		r = la.archive_read_next_header2(u->archive, e);
		if (r == ARCHIVE_WARN)	/* of names or attributes */
			r = ARCHIVE_OK;
		u->members += r == ARCHIVE_OK;
	} while (r == ARCHIVE_OK && !u->all && unpacker_passes(u));
	if (r == ARCHIVE_EOF)
		return unpacker_check_end(u);
	if (r != ARCHIVE_OK) {
		u->dead = true;
		return unpacker_fail(u);
	}
	u->ended = false;
	u->pos = u->hole = u->left = 0;
	*name = la.archive_entry_pathname(e);
	if (*name == NULL)
		*name = "?";
	/*
	 * libarchive gives the members of a zip in the order of their headers.
	 * If one begins before the end of another, a few bytes may be any
	 * number of members.
	 */
	if (u->kind->end == END_RECORD && unpacker_place(u) < u->reached)
		return err_set(u->err, PROF_E_CORRUPT, "%s: shares its bytes "
		    "with another member", u->kind->name);
	type = la.archive_entry_is_encrypted(e) ? "is encrypted" :
	    err_entry_type(e);
	return u->all || type == NULL ? PROF_OK :
	    err_set(u->err, PROF_E_UNSUPPORTED, "%s", type);
}

enum prof_status
unpacker_next(struct unpacker *u, const char **name)
{
	enum prof_status status;
	locale_t old;

	*name = NULL;
	if (u->dead)
		return PROF_END;
	old = uselocale(u->utf8);
	status = unpacker_next_entry(u, name);
	uselocale(old);
	return status;
}

int64_t
unpacker_time(const struct unpacker *u)
{
	return la.archive_entry_mtime(u->entry);
}

/*
 * libarchive enables a filter only if it recognizes the data, and it does not
 * recognize a header that is truncated: then no filter was added.
 */
static enum prof_status
unpacker_open_stream(struct unpacker *u)
{
	int r;

	if (unpacker_open(u) != PROF_OK)
		return PROF_FAIL;
	r = la.archive_read_next_header2(u->archive, u->entry);
	if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
		return unpacker_fail(u);
	if (la.archive_filter_count(u->archive) < 2)
		return err_set(u->err,
		    u->source_ended ? PROF_E_TRUNCATED : PROF_E_CORRUPT,
		    "%s: damaged header", u->kind->name);
	u->ended = r == ARCHIVE_EOF;
	return u->ended ? unpacker_check_stream_end(u) : PROF_OK;
}

/* A sparse tar member may end with a hole, so ARCHIVE_EOF has an offset too. */
static enum prof_status
unpacker_next_block(struct unpacker *u)
{
	const void *data = NULL;
	la_int64_t offset = (la_int64_t)u->pos;
	size_t size = 0;
	int r;

	err_memory_begin();
	r = la.archive_read_data_block(u->archive, &data, &size, &offset);
	if (r != ARCHIVE_OK && r != ARCHIVE_EOF) {
		u->dead = r == ARCHIVE_FATAL;
		return unpacker_fail(u);
	}
	if (offset < 0 || (uint64_t)offset < u->pos)
		return err_set(u->err, PROF_E_CORRUPT,
		    "%s: sparse blocks out of order", u->kind->name);
	if (r == ARCHIVE_EOF) {
		u->ended = true;
		size = 0;
	}
	u->hole = (uint64_t)offset - u->pos;
	u->pos = (uint64_t)offset + size;
	u->data = data;
	u->left = size;
	return u->ended && !u->is_archive ? unpacker_check_stream_end(u) :
	    PROF_OK;
}

static size_t
unpacker_copy(struct unpacker *u, void *data, size_t size)
{
	if (u->hole > 0) {
		if (size > u->hole)
			size = (size_t)u->hole;
		memset(data, 0, size);
		u->hole -= size;
		return size;
	}
	if (size > u->left)
		size = u->left;
	memcpy(data, u->data, size);
	u->data += size;
	u->left -= size;
	return size;
}

ssize_t
unpacker_pull(void *unpacker, void *data, size_t size)
{
	struct unpacker *u = unpacker;

	if (!u->opened && unpacker_open_stream(u) != PROF_OK)
		return -1;
	while (u->hole == 0 && u->left == 0) {
		if (u->ended)
			return 0;
		if (unpacker_next_block(u) != PROF_OK)
			return -1;
	}
	return (ssize_t)unpacker_copy(u, data, size);
}

void
unpacker_free(void *unpacker)
{
	struct unpacker *u = unpacker;

	if (u == NULL)
		return;
	la.archive_read_free(u->archive);
	la.archive_entry_free(u->entry);
	if (u->utf8 != (locale_t)0)
		freelocale(u->utf8);
	free(u);
}
