#include "config.h"

#include "io/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/archive_end.h"
#include "io/unpacker.h"

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

static enum prof_status
unpacker_has_contents(struct unpacker *u, struct archive_entry *e)
{
	const char *type = err_entry_type(e);

	if (la.archive_entry_is_encrypted(e))
		type = "is encrypted";
	return type == NULL ? PROF_OK :
	    err_set(u->err, PROF_E_UNSUPPORTED, "%s", type);
}

/* Bytes of the archive before the place where libarchive reads. */
static uint64_t
unpacker_place(const struct unpacker *u)
{
	int64_t place = la.archive_filter_bytes(u->archive, -1);

	return place < 0 ? 0 : (uint64_t)place;
}

/*
 * libarchive gives the members of a zip in the order of their headers.  If one
 * begins before the end of another, a few bytes may be any number of members.
 */
static enum prof_status
unpacker_check_overlap(struct unpacker *u)
{
	if (u->kind->end != END_RECORD || unpacker_place(u) >= u->reached)
		return PROF_OK;
	return err_set(u->err, PROF_E_CORRUPT, "%s: shares its bytes with "
	    "another member", u->kind->name);
}

static enum prof_status
unpacker_next_entry(struct unpacker *u, const char **name)
{
	struct archive_entry *e = u->entry;
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
	} while (r == ARCHIVE_OK && !u->all &&
	    la.archive_entry_filetype(e) == AE_IFDIR);
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
	if (unpacker_check_overlap(u) != PROF_OK)
		return PROF_FAIL;
	return u->all ? PROF_OK : unpacker_has_contents(u, e);
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
unpacker_free(struct unpacker *u)
{
	if (u == NULL)
		return;
	la.archive_read_free(u->archive);
	la.archive_entry_free(u->entry);
	if (u->utf8 != (locale_t)0)
		freelocale(u->utf8);
	free(u);
}
