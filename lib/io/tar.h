/*
 * tar.h - the blocks of tar archives
 *
 * Headers of the old format of Unix, of POSIX.1 (ustar, pax) and of GNU, which
 * have name, size, checksum and type at the same places (POSIX.1-2017, pax;
 * GNU tar 1.34, src/tar.h).
 */
#ifndef IO_TAR_H
#define IO_TAR_H

#include "prof.h"

enum { TAR_BLOCK = 512, TAR_NAME_MAX = 256 };

/* Bytes of padding behind the contents of a member of that size. */
static inline size_t
tar_padding(uint64_t size)
{
	return (size_t)(-size % TAR_BLOCK);
}

/* Whether the block has the checksum of a header. */
bool tar_is_header(const uint8_t block[TAR_BLOCK]);

/* The type flag: 'x', 'L', '0' and so on; the old '\0' becomes '0'. */
char tar_type(const uint8_t block[TAR_BLOCK]);

/* The size of the contents; false if the field is no number or negative. */
bool tar_size(const uint8_t block[TAR_BLOCK], uint64_t *size);

/* Sets the size and updates the checksum. */
void tar_set_size(uint8_t block[TAR_BLOCK], uint64_t size);

/* Copies the name with a NUL; returns its length without the NUL. */
size_t tar_name(const uint8_t block[TAR_BLOCK], char name[TAR_NAME_MAX + 1]);

/* Whether a GNU header or sparse block is followed by a sparse block. */
bool tar_sparse_block_follows(const uint8_t block[TAR_BLOCK], bool is_header);

/* A record of an extended header: "25 path=a folder/a name\n". */
struct tar_record {
	struct prof_span whole, key, value;
};

/* Removes the next record from *rest; PROF_FAIL if it is malformed. */
enum prof_status tar_next_record(struct prof_span *rest, struct tar_record *);

#endif
