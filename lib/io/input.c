#include "config.h"

#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/expansion.h"
#include "io/archive.h"
#include "io/layers.h"
#include "io/map.h"

/*
 * Smaller files are read: into memory that is used again, which takes less time
 * than to touch as many pages of a mapping for the first time, above all in
 * virtual machines.  Of larger ones, pages can be given back while they are
 * read.
 */
enum { CHUNK = 1 << 16, WORTH_MAPPING = 16 << 20 };

/*
 * For all members of an archive together, instead of EXPANSION_RATIO: what
 * deflate can expand to (zlib technical details, "Maximum Expansion Factor").
 * So many members of zeros pass, and holes of sparse members do not.
 */
#define INPUT_SUM_RATIO	1032

/*
 * For an archive in a compressed file, and for all members together: profiles
 * that are alike shrink less than that by zstd, xz and gzip, but bzip2 expands
 * zeros a million times.  The first INPUT_MAX bytes are free.
 */
#define ARCHIVE_RATIO	16384

/* The run has failed: nothing waits for bytes any more. */
static atomic_bool given_up;

void
input_give_up(void)
{
	given_up = true;
}

struct input *
input_open(const char *path, uint64_t max_size, struct buf *memory,
    struct prof_error *err)
{
	size_t size = strlen(path) + 1;
	struct input *in = calloc(1, sizeof(*in) + size);

	if (in == NULL) {
		err_memory(err);
		return NULL;
	}
	in->fd = -1;
	in->max_size = max_size == 0 ? INPUT_MAX : max_size;
	in->ratio = max_size == 0;
	in->memory = memory == NULL ? &in->own : memory;
	memcpy(in->path, path, size);
	return in;
}

struct input *
input_open_pull(prof_pull *source, void *arg, uint64_t max_size,
    struct buf *memory, struct prof_error *err)
{
	struct input *in = input_open("", max_size, memory, err);

	if (in == NULL)
		return NULL;
	in->source = source;
	in->source_arg = arg;
	return in;
}

void
input_on_failure(struct input *in, const struct prof_error *why)
{
	in->source_error = why;
}

uint64_t
input_limit(const struct input *in)
{
	return in->max_size;
}

void
input_keep_archive(struct input *in)
{
	in->whole = true;
}

enum packing
input_compression(const struct input *in)
{
	return in->compression;
}

enum packing
input_contents(const struct input *in)
{
	return in->contents;
}

static bool
input_is_plain(const struct input *in)
{
	return in->depth == 1 && in->archive == NULL;
}

static bool
input_is_stdin(const struct input *in)
{
	return strcmp(in->path, "-") == 0;
}

/* Counts what was read, or keeps errno as the error of the input. */
static ssize_t
input_account(struct input *in, ssize_t n)
{
	if (n < 0) {
		in->error_number = errno;
		if (in->source_error != NULL && in->error.code == PROF_E_NONE)
			in->error = *in->source_error;
		err_system(&in->error, errno, "cannot read");
	} else
		in->packed += (uint64_t)n;
	return n;
}

static ssize_t
input_pull_file(void *arg, void *data, size_t size)
{
	struct input *in = arg;
	ssize_t n;

	/* A program that shares standard input may have set O_NONBLOCK. */
	while ((n = read(in->fd, data, size)) < 0 &&
	    (errno == EINTR || errno == EAGAIN) && !given_up) {
		struct pollfd ready = { .fd = in->fd, .events = POLLIN };

		if (errno == EAGAIN)
			poll(&ready, 1, -1);
	}
	return input_account(in, n);
}

static ssize_t
input_pull_source(void *arg, void *data, size_t size)
{
	struct input *in = arg;
	ssize_t n = in->source(in->source_arg, data, size);

	if (n > 0 && (size_t)n > size) {
		err_set(&in->error, PROF_E_USE, "the source returned more "
		    "bytes than there was room for");
		return -1;
	}
	return input_account(in, n);
}

static enum prof_status
input_open_source(struct input *in)
{
	in->begun = true;
	in->layers[0] = (struct layer){ .pull = input_pull_source, .arg = in };
	in->depth = 1;
	return PROF_OK;
}

static enum prof_status
input_open_file(struct input *in)
{
	off_t start;

	in->begun = true;
	in->fd = input_is_stdin(in) ? STDIN_FILENO :
	    open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &in->stat) < 0)
		return err_system(&in->error, errno, "cannot open");
	start = lseek(in->fd, 0, SEEK_CUR);
	/* A file of which a shell has read the beginning is used as a pipe. */
	in->regular = S_ISREG(in->stat.st_mode) && start == 0;
	in->file_size = in->regular ? (uint64_t)in->stat.st_size : 0;
	in->layers[0] = (struct layer){ .pull = input_pull_file, .arg = in };
	in->depth = 1;
	return PROF_OK;
}

/* Bytes of the file that were read so far. */
static uint64_t
input_used(const struct input *in)
{
	return in->sought && in->packed > in->file_size ? in->file_size :
	    in->packed;
}

/* What the archive may come to. */
static uint64_t
input_archive_limit(const struct input *in)
{
	uint64_t limit;

	return mul_u64(input_used(in), ARCHIVE_RATIO, &limit) ?
	    saturating_add(limit, INPUT_MAX) : UINT64_MAX;
}

static ssize_t
input_too_dense(struct input *in, const char *what, uint64_t bytes)
{
	err_set(&in->error, PROF_E_LIMIT, "%s%" PRIu64 " bytes inflate to more "
	    "than %" PRIu64 ": if that is intended, give --max-size", what,
	    in->packed, bytes);
	return -1;
}

/*
 * Pulls bytes of an archive from the layer that decompresses the file.  More
 * than input_archive_limit is a failure.
 */
static ssize_t
input_pull_archive(void *input, void *data, size_t size)
{
	struct input *in = input;
	struct layer *packed = &in->layers[in->archive_depth - 2];
	ssize_t n = layer_pull(packed, data, size);
	uint64_t limit = input_archive_limit(in);

	return n > 0 && in->ratio && packed->pulled > limit ?
	    input_too_dense(in, "", limit) : n;
}

static enum prof_status
input_begin(struct input *in)
{
	if ((in->source != NULL ? input_open_source(in) :
	    input_open_file(in)) != PROF_OK ||
	    layers_sniff_inside(in, &in->contents) != PROF_OK)
		return PROF_FAIL;
	if (in->whole || !packing_is_archive(in->contents))
		return PROF_OK;
	if (layers_push(in, in->contents, in->depth > 1 ?
	    input_pull_archive : NULL) != PROF_OK)
		return PROF_FAIL;
	in->archive = layers_top(in)->arg;
	in->archive_depth = in->depth;
	return PROF_OK;
}

static enum prof_status
input_next_member(struct input *in, struct input_member *m)
{
	enum packing packing;
	enum prof_status status;

	layers_pop_to(in, in->archive_depth);
	layers_top(in)->head_size = layers_top(in)->head_pos = 0;
	status = unpacker_next(in->archive, &m->name);
	m->time = status == PROF_OK ? unpacker_time(in->archive) : 0;
	return status == PROF_OK ? layers_sniff_inside(in, &packing) : status;
}

/* Frees what belongs to the last member. */
static void
input_forget_member(struct input *in)
{
	map_free(in->map);
	in->map = NULL;
	in->taken = 0;
	in->memory->size = 0;
	in->memory->failed = false;
	in->error = (struct prof_error){ 0 };
}

static enum prof_status
input_report(const struct input *in, struct prof_error *err)
{
	if (err != NULL && err->code == PROF_E_NONE)
		*err = in->error;
	return PROF_FAIL;
}

static void
input_note_shrunk(struct input *in)
{
	err_set(&in->error, PROF_E_TRUNCATED, "became shorter or unreadable "
	    "while it was examined");
}

/* The last member was mapped, and its file became shorter meanwhile. */
static enum prof_status
input_report_shrunk(struct input *in, struct prof_error *err)
{
	input_forget_member(in);
	input_note_shrunk(in);
	return input_report(in, err);
}

enum prof_status
input_next(struct input *in, struct input_member *m, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	*m = (struct input_member){ 0 };
	if (in->map != NULL && !map_is_whole(in->map))
		return input_report_shrunk(in, err);
	input_forget_member(in);
	if (!in->begun)
		status = input_begin(in);
	else if (in->archive == NULL)
		return PROF_END;
	m->time = in->stat.st_mtime;
	if (status == PROF_OK && in->archive != NULL)
		status = input_next_member(in, m);
	if (status == PROF_OK)
		m->start = (struct prof_span){ layers_top(in)->head,
		    layers_top(in)->head_size };
	return status == PROF_FAIL ? input_report(in, err) : status;
}

static enum prof_status
input_too_large(struct input *in, uint64_t limit)
{
	return err_set(&in->error, PROF_E_LIMIT, input_is_plain(in) ?
	    "holds more than %" PRIu64 " bytes" :
	    "member inflates to more than %" PRIu64 " bytes", limit);
}

/* What the bytes that were read may come to. */
static uint64_t
input_ratio_limit(const struct input *in, uint64_t ratio)
{
	return expansion_limit_by(input_used(in), ratio);
}

uint64_t
input_copies_limit(const struct input *in)
{
	return in->ratio ? expansion_limit(in->regular ? in->file_size :
	    in->packed) : UINT64_MAX;
}

/*
 * What all members may come to.  Members that are alike, also compressed ones,
 * shrink well if they are compressed together, so they have a limit by the
 * bytes of the archive, too.
 */
static uint64_t
input_sum_limit(const struct input *in)
{
	uint64_t limit, own, all = input_archive_limit(in);

	if (in->archive == NULL)
		return UINT64_MAX;
	/* It compresses its members together. */
	if (in->contents == PACKING_7Z)
		return all;
	limit = input_ratio_limit(in, INPUT_SUM_RATIO);
	own = expansion_limit(in->layers[in->archive_depth - 2].pulled);
	limit = own > limit ? own : limit;
	return limit < all ? limit : all;
}

/* The size, reduced so that the limit is passed by at most one byte. */
static size_t
input_bound(size_t size, uint64_t taken, uint64_t limit)
{
	uint64_t left = taken < limit ? limit - taken : 0;

	return size > left ? (size_t)left + 1 : size;
}

/* Bytes of the member; more than the limit is a failure. */
static ssize_t
input_take(struct input *in, void *data, size_t size, uint64_t limit)
{
	bool dense = in->ratio && !input_is_plain(in);
	ssize_t n;

	if (in->error.code != PROF_E_NONE)
		return -1;
	size = input_bound(size, in->taken, limit);
	if (dense) {
		size = input_bound(size, in->taken,
		    input_ratio_limit(in, EXPANSION_RATIO));
		size = input_bound(size, in->sum, input_sum_limit(in));
	}
	n = layer_pull(layers_top(in), data, size);
	if (n < 0)
		return -1;
	in->taken += (uint64_t)n;
	in->sum += (uint64_t)n;
	if (in->taken > limit)
		return input_too_large(in, limit);
	if (dense && in->taken > input_ratio_limit(in, EXPANSION_RATIO))
		return input_too_dense(in, "", in->taken);
	if (dense && in->sum > input_sum_limit(in))
		return input_too_dense(in, "members of ", in->sum);
	return n;
}

void
input_in_place(struct input *in)
{
	in->in_place = true;
}

static enum prof_status
input_map_by(struct input *in, struct map *(*map)(int, size_t),
    struct prof_span *image)
{
	size_t size = (size_t)in->file_size;

	if (!input_is_plain(in) || size == 0 || size != in->file_size ||
	    in->file_size > in->max_size)
		return PROF_FAIL;
	if (in->map == NULL)
		in->map = map(in->fd, size);
	if (in->map == NULL)
		return PROF_FAIL;
	*image = (struct prof_span){ map_bytes(in->map), size };
	return PROF_OK;
}

enum prof_status
input_map(struct input *in, struct prof_span *image)
{
	return input_map_by(in, map_file, image);
}

enum prof_status
input_map_bare(struct input *in, struct prof_span *image)
{
	return input_map_by(in, map_file_bare, image);
}

void
input_release(void *input, struct prof_span bytes)
{
	const struct input *in = input;

	if (in->map != NULL)
		map_release(in->map, bytes);
}

enum prof_status
input_image(struct input *in, struct prof_span *image, struct prof_error *err)
{
	struct buf *b = in->memory;
	uint64_t hint = CHUNK;
	ssize_t n = 1;

	if (input_is_plain(in) && in->file_size > in->max_size) {
		input_too_large(in, in->max_size);
		return input_report(in, err);
	}
	if (in->in_place && in->file_size >= WORTH_MAPPING &&
	    input_map(in, image) == PROF_OK)
		return PROF_OK;
	if (b->size > 0)
		hint = 1;			/* it is there already */
	else if (input_is_plain(in) && in->file_size >= CHUNK)
		hint = in->file_size + 1;	/* one more, to meet the end */
	while (n > 0) {
		uint8_t *p = hint > SIZE_MAX ? NULL :
		    buf_reserve(b, (size_t)hint);

		if (p == NULL) {
			err_memory(&in->error);
			return input_report(in, err);
		}
		n = input_take(in, p, b->room - b->size, in->max_size);
		if (n < 0)
			return input_report(in, err);
		b->size += (size_t)n;
		hint = 1;
	}
	*image = buf_span(b);
	return PROF_OK;
}

static int
input_errno(const struct input *in)
{
	switch (in->error.code) {
	case PROF_E_SYSTEM:
		return in->error_number;
	case PROF_E_MEMORY:
		return ENOMEM;
	case PROF_E_LIMIT:
		return EFBIG;
	default:
		return EBADMSG;
	}
}

ssize_t
input_pull(void *input, void *data, size_t size)
{
	struct input *in = input;
	ssize_t n;

	if (size == 0)
		return 0;
	n = input_take(in, data, size, input_is_plain(in) || in->whole ?
	    UINT64_MAX : in->max_size);
	if (n < 0)
		errno = input_errno(in);
	return n;
}

const struct prof_error *
input_failure(struct input *in)
{
	if (in->map != NULL && !map_is_whole(in->map))
		input_note_shrunk(in);
	return &in->error;
}

uint64_t
input_bytes(const struct input *in)
{
	return in->map == NULL ? in->packed : in->file_size;
}

void
input_use(struct input *in, struct buf *memory)
{
	in->memory = memory;
}

bool
input_is_archive(const struct input *in)
{
	return in->archive != NULL;
}

bool
input_is_flow(const struct input *in)
{
	return in->archive == NULL && (!S_ISREG(in->stat.st_mode) ||
	    in->compression != PACKING_NONE);
}

const struct stat *
input_stat(const struct input *in)
{
	return &in->stat;
}

void
input_close(struct input *in)
{
	if (in == NULL)
		return;
	input_forget_member(in);
	layers_pop_to(in, 0);
	if (in->fd >= 0 && !input_is_stdin(in))
		close(in->fd);
	buf_free(&in->own);
	free(in);
}
