/*
 * input.h - files, pipes, compressed files and archives as a row of members
 *
 * Knows bytes, not profiles.  A file that is neither compressed nor an archive
 * is its own only member.  gzip, bzip2, xz, lzma, zstd, lz4 and compress are
 * undone, and members of tar, zip, cpio, ar and 7z archives are given one by
 * one; nothing is unpacked to disk.  Members may themselves be compressed; an
 * archive inside an archive is given as the bytes it is.
 *
 *	while ((status = input_next(in, &member, &err)) != PROF_END) {
 *		if (status == PROF_FAIL)
 *			report file and member.name, then give up or go on;
 *		else
 *			use input_image or input_pull, not both;
 *	}
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "prof.h"

#include "io/packing.h"

struct buf;
struct input;
struct stat;

struct input_member {
	/*
	 * Path inside the archive; NULL for a file that is no archive.  Bytes
	 * of the path as the archive has them; UTF-8 where it has UTF-16.
	 */
	const char *name;
	/*
	 * The first bytes, at least 4096 if there are as many; from a pipe 512
	 * or a line of text are enough.  Size 0 if the member is empty.
	 */
	struct prof_span start;
	int64_t time;			/* of modification, since 1970; or 0 */
};

/*
 * Bytes that an image may have unless another bound is given: more than any
 * profile has.  On 32-bit hosts memory ends before.
 */
#define INPUT_MAX	((uint64_t)16 << 30)

/*
 * path "-" is standard input.  Nothing is opened or read yet.  max_size bounds
 * the bytes of one member after decompression, and those of an image; 0 means
 * 16 GiB, and of what is packed no more than 256 MiB and 250 times the packed
 * bytes (all members of an archive together: input_sum_limit).  memory holds
 * the images: a caller that reads many files gives all of them the same (all
 * zero at first), one after the other, and frees it at the end, because fresh
 * pages for each file are costly.  NULL: the input has its own.  Returns NULL
 * if out of memory.
 */
struct input *input_open(const char *path, uint64_t max_size,
    struct buf *memory, struct prof_error *);

/* The same for bytes that a function yields, as if they came from a pipe. */
struct input *input_open_pull(prof_pull *, void *arg, uint64_t max_size,
    struct buf *memory, struct prof_error *);

/*
 * Why that function fails, in place of its errno; the error must outlive the
 * input, and is empty unless the function has failed.
 */
void input_on_failure(struct input *, const struct prof_error *);

/*
 * Before the first input_next: archives are not looked into, so that one is its
 * own only member, of any size.
 */
void input_keep_archive(struct input *);

/* After it: how the file is compressed, and what is in it then. */
enum packing input_compression(const struct input *);
enum packing input_contents(const struct input *);

/*
 * The next member, PROF_END after the last, or PROF_FAIL.  Directories inside
 * an archive are skipped; links, devices and other things without contents
 * are PROF_FAIL.  The name is set on failure too, if there is one.  After a
 * failure, also one of input_image or input_pull, the next call goes on with
 * the next member, or returns PROF_END if the rest cannot be read.  Pointers
 * into an earlier member are no longer valid.
 */
enum prof_status input_next(struct input *, struct input_member *,
    struct prof_error *);

/* The bytes that an image may have, by max_size. */
uint64_t input_limit(const struct input *);

/*
 * For users that write contents of the file several times: the bytes that they
 * may add, by the size of the file or what was read of it.  No limit if
 * max_size was given.
 */
uint64_t input_copies_limit(const struct input *);

/*
 * The whole member, from its first byte.  The bytes are valid until the next
 * call of input_next, and their memory is used again for the next member.
 */
enum prof_status input_image(struct input *, struct prof_span *image,
    struct prof_error *);

/*
 * Or the member piece by piece, from its first byte: a prof_pull with the input
 * as its argument.  It returns what a pipe has to offer without waiting for
 * more.  A file that is not packed may have any size then.  After -1, errno is
 * set and *input_failure, which is empty otherwise, says more.
 */
ssize_t input_pull(void *input, void *data, size_t size);
const struct prof_error *input_failure(struct input *);

/*
 * Maps a regular file that is not packed instead of reading it: for look-ups
 * that touch a few pages.  PROF_FAIL if that cannot be done; then use
 * input_image.  If the file becomes shorter meanwhile, zeros are read where
 * bytes are missing, and input_failure and the next input_next say so.
 */
enum prof_status input_map(struct input *, struct prof_span *image);

/* The same without the handler of map.h: a process that lacks bytes ends. */
enum prof_status input_map_bare(struct input *, struct prof_span *image);

/*
 * The mapping of input_map, or NULL: it is the caller's from now on, and stays
 * when the input is closed.
 */
struct map *input_take_map(struct input *);

/*
 * From now on input_image does as input_map where that is faster: for those who
 * can do without what they made of an image when input_next fails.
 */
void input_in_place(struct input *);

/*
 * A prof_consumed with the input as its argument: releases pages of the image
 * if it is mapped.  Does nothing for bytes that are not of this mapping, such
 * as those of an image in memory.
 */
void input_release(void *input, struct prof_span);

/* Bytes of the file that were read so far, packed as they are. */
uint64_t input_bytes(const struct input *);

/* Images are in this memory from the next member on (see input_open). */
void input_use(struct input *, struct buf *memory);

/* Once input_next was called: whether there may be more than one member. */
bool input_is_archive(const struct input *);

/*
 * Once input_next was called: whether the bytes of the member come one after
 * the other, and may be more than the memory holds: those of a pipe or of a
 * packed file, but not of an archive.
 */
bool input_is_flow(const struct input *);

/*
 * What the file is: valid, once input_next was called, until input_close.  All
 * zero if a function yields the bytes.
 */
const struct stat *input_stat(const struct input *);

void input_close(struct input *);	/* NULL is fine */

/*
 * The program has failed: from now on a wait for bytes that a signal ends is a
 * failure, of any input.
 */
void input_give_up(void);

#endif
