/*
 * io/layers.h - what lies between a file and the bytes of a member
 *
 * Layers lie on each other: the file, what is left when its compression is
 * undone, the members of the archive in that, and what is left when the
 * compression of a member is undone.  Only the first is always there.
 *
 * Private to input.c, and to its test.
 */
#ifndef IO_LAYERS_H
#define IO_LAYERS_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "io/packing.h"
#include "prof.h"

struct map;
struct unpacker;

/* A text profile may begin with a comment of some length. */
enum { HEAD_BYTES = 4096 };

/* A source of bytes whose first ones were sniffed, and are returned again. */
struct layer {
	prof_pull *pull;
	void *arg;
	void (*free)(void *arg);
	uint8_t head[HEAD_BYTES];
	size_t head_size, head_pos;
	uint64_t pulled;		/* bytes that layer_pull returned */
};

enum { MAX_LAYERS = 4 };

struct input {
	bool begun;
	int fd;				/* -1 if it is not open */
	prof_pull *source;		/* in its place, or NULL */
	void *source_arg;
	const struct prof_error *source_error;	/* or NULL */
	struct stat stat;		/* when it was opened */
	bool regular;
	uint64_t file_size;		/* from where we begin; if regular */
	uint64_t max_size;
	bool ratio;			/* the size is bounded by it too */
	bool whole;			/* archives are not looked into */
	enum packing compression, contents;	/* of the file */
	struct layer layers[MAX_LAYERS];
	unsigned depth;			/* the top layer is the member */
	struct unpacker *archive;	/* NULL if there is none */
	unsigned archive_depth;
	uint64_t taken;			/* bytes of the member so far */
	uint64_t sum;			/* bytes of all members so far */
	uint64_t packed;		/* bytes of the file so far */
	bool sought;			/* some of them may count twice */
	bool in_place;			/* images may be mapped */
	struct map *map;		/* or NULL */
	struct buf *memory, own;
	struct prof_error error;	/* of this member, by any layer */
	int error_number;
	char path[];
};

#endif
