/*
 * io/unpacker.h - an archive, or compressed data, while libarchive reads it
 *
 * For archive.c and archive_write.c only: users have archive.h.
 */
#ifndef IO_UNPACKER_H
#define IO_UNPACKER_H

#include <locale.h>
#include <string.h>

#include "io/archive.h"
#include "io/libarchive.h"

/*
 * How the end of an archive is verified: libarchive also reports an end for
 * some truncated archives, and ignores what follows the end, which may be
 * another archive, as `cat` puts it there.
 */
enum end {
	END_STREAM,		/* compressed data: no bytes remain */
	END_ZEROS,		/* tar: a block of zeros precedes the end */
	END_EXACT,		/* ar: no bytes remain, as half a header */
	END_RECORD,		/* zip: its directory ends with a record */
	END_PADDED,		/* cpio: no bytes remain but zeros */
	END_HEADER		/* 7z: the header says where it is */
};

struct archive_kind {
	const char *name;
	int (**enable)(struct archive *);	/* adds filter or format */
	bool seeks;		/* needs a source that can seek */
	enum end end;
};

enum { UNPACKER_BLOCK = 1 << 16 };

struct unpacker {
	const struct archive_kind *kind;
	bool is_archive;
	struct packed_source source;
	struct prof_error *err;
	struct archive *archive;
	struct archive_entry *entry;	/* of the member at hand */
	locale_t utf8;
	bool all;		/* folders and links are members, too */

	uint64_t source_pos;
	size_t block_size;	/* of the block before source_pos */
	bool source_ended;
	bool zeros;		/* the last bytes of the source were zeros */
	uint64_t members;	/* that libarchive has found, and folders */
	uint64_t reached;	/* of a zip: where the members so far end */

	bool opened;
	bool dead;		/* the archive has ended, or is damaged */
	bool ended;		/* the member has ended */
	uint64_t pos;		/* in the member, of the end of data */
	uint64_t hole;		/* zeros before the block */
	const uint8_t *data;	/* libarchive's block */
	size_t left;
	uint8_t block[UNPACKER_BLOCK];	/* packed */
};

#endif
