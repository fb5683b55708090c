#include "config.h"

#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/archive.h"
#include "io/layers.h"
#include "io/map.h"
#include "io/packing.h"
#include "io/zstd.h"

/*
 * Signatures of packed files, none of which begins a profile.  libarchive's own
 * recognition is too lax: it takes 512 zero bytes, with which a memory dump may
 * begin, for a tar archive.
 */
static const struct packing_magic {
	enum packing packing;
	uint16_t at;
	uint8_t size;
	char bytes[9];
} magics[] = {
	{ PACKING_GZIP, 0, 3, "\x1f\x8b\x08" },		/* RFC 1952, deflate */
	{ PACKING_COMPRESS, 0, 2, "\x1f\x9d" },
	{ PACKING_XZ, 0, 6, "\xfd" "7zXZ\0" },
	{ PACKING_LZ4, 0, 4, "\x04\x22\x4d\x18" },
	{ PACKING_LZ4, 0, 4, "\x02\x21\x4c\x18" },	/* lz4 -l */
	{ PACKING_ZSTD, 0, 4, "\x28\xb5\x2f\xfd" },	/* RFC 8878 */
	{ PACKING_ZSTD, 0, 4, "\x50\x2a\x4d\x18" },	/* pzstd */
	{ PACKING_TAR, 257, 8, "ustar\0" "00" },	/* POSIX.1 pax */
	{ PACKING_TAR, 257, 8, "ustar  " },		/* GNU, with the NUL */
	{ PACKING_CPIO, 0, 6, "070701" },		/* newc */
	{ PACKING_CPIO, 0, 6, "070702" },		/* newc with sums */
	{ PACKING_CPIO, 0, 6, "070707" },		/* odc, POSIX.1 */
	{ PACKING_AR, 0, 8, "!<arch>\n" },
	{ PACKING_ZIP, 0, 4, "PK\3\4" },
	{ PACKING_ZIP, 0, 4, "PK\5\6" },		/* without members */
	{ PACKING_7Z, 0, 6, "7z\xbc\xaf\x27\x1c" },
};

/* "BZh", level, then the magic of a block or, if empty, of the end. */
static bool
packing_is_bzip2(struct prof_span s)
{
	const uint8_t *p = s.data;

	return s.size >= 10 && memcmp(p, "BZh", 3) == 0 &&
	    p[3] >= '1' && p[3] <= '9' &&
	    (memcmp(p + 4, "1AY&SY", 6) == 0 ||
	    memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/*
 * The lzma format has no magic.  As in xz, a file is lzma if it begins with the
 * usual properties, a dictionary size that is 2^n or 2^n + 2^(n-1), and a size
 * of contents that is below 256 GiB or unknown.
 */
static bool
packing_is_lzma(struct prof_span s)
{
	uint32_t dictionary, low;
	uint64_t size;

	if (s.size < 13 || s.data[0] != 0x5d)
		return false;
	dictionary = load_u32(s.data + 1, false);
	size = load_u64(s.data + 5, false);
	low = dictionary & -dictionary;
	return dictionary >= 4096 &&
	    (dictionary == low || dictionary == low * 3) &&
	    (size == UINT64_MAX || size >> 38 == 0);
}

/* Old tar headers have no magic: their checksum (octal, at 148) decides. */
static bool
packing_is_old_tar(struct prof_span s)
{
	const uint8_t *p = s.data, *field;
	unsigned sum = 0, stored = 0, digits = 0, i = 0;

	if (s.size < 512)
		return false;
	field = p + 148;
	for (unsigned k = 0; k < 512; k++)
		sum += k >= 148 && k < 156 ? ' ' : p[k];
	while (i < 8 && field[i] == ' ')
		i++;
	for (; i < 8 && field[i] >= '0' && field[i] <= '7'; i++, digits++)
		stored = stored * 8 + (field[i] - '0');
	return digits > 0 && stored == sum;
}

/* The magic has two bytes only: file type and name length are checked too. */
static bool
packing_is_binary_cpio(struct prof_span s)
{
	bool big = s.size >= 26 && s.data[0] == 0x71;
	unsigned type, name_size;

	if (s.size < 26 || load_u16(s.data, big) != 070707)
		return false;
	type = load_u16(s.data + 6, big) >> 12;
	name_size = load_u16(s.data + 20, big);
	return (type == 1 || type == 2 || type == 4 || type == 6 ||
	    type == 8 || type == 10 || type == 12) &&
	    name_size > 1 && name_size <= 4096;
}

static const struct packing_check {
	enum packing packing;
	bool (*is)(struct prof_span first_bytes);
} checks[] = {
	{ PACKING_BZIP2, packing_is_bzip2 },
	{ PACKING_LZMA, packing_is_lzma },
	{ PACKING_TAR, packing_is_old_tar },
	{ PACKING_CPIO, packing_is_binary_cpio },
};

enum packing
packing_of(struct prof_span s)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct packing_magic *m = &magics[i];

		if (s.size >= (size_t)m->at + m->size &&
		    memcmp(s.data + m->at, m->bytes, m->size) == 0)
			return m->packing;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (checks[i].is(s))
			return checks[i].packing;
	}
	return PACKING_NONE;
}

/*
 * gzip files as a source of bytes.  libarchive 3.6 reads gzip too, but does not
 * verify the checksum at the end, so that damaged bytes would often pass.
 */
enum { BLOCK = 1 << 16, GZIP_WINDOW = 15 + 16 };

struct gunzip {
	prof_pull *pull;
	void *arg;
	struct prof_error *err;
	z_stream z;
	uint64_t pulled;
	bool source_ended;
	bool between;		/* a member has ended, the next has not begun */
	uint8_t block[BLOCK];
};

/*
 * Pulls the packed bytes from the source.  All failures, of the source too, are
 * set in *err, which must outlive the gunzip.  NULL on failure.
 */
static struct gunzip *
gunzip_new(prof_pull *pull, void *arg, struct prof_error *err)
{
	struct gunzip *g = malloc(sizeof(*g));

	if (g == NULL) {
		err_memory(err);
		return NULL;
	}
	g->pull = pull;
	g->arg = arg;
	g->err = err;
	g->z = (z_stream){ .next_in = g->block };
	g->pulled = 0;
	g->source_ended = false;
	g->between = false;
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK) {
		err_memory(err);
		free(g);
		return NULL;
	}
	return g;
}

static enum prof_status
gunzip_refill(struct gunzip *g)
{
	ssize_t n = g->pull(g->arg, g->block, sizeof(g->block));

	if (n < 0)
		return PROF_FAIL;
	g->z.next_in = g->block;
	g->z.avail_in = (uInt)n;
	g->pulled += (uint64_t)n;
	g->source_ended = n == 0;
	return PROF_OK;
}

/*
 * Several members may follow each other (RFC 1952, 2.2), and zeros that pad
 * tape blocks may follow the last one.  PROF_END at the end.
 */
static enum prof_status
gunzip_next_member(struct gunzip *g)
{
	while (!g->source_ended) {
		if (g->z.avail_in == 0) {
			if (gunzip_refill(g) != PROF_OK)
				return PROF_FAIL;
		} else if (*g->z.next_in == 0) {
			g->z.next_in++;
			g->z.avail_in--;
		} else {
			g->between = false;
			inflateReset(&g->z);
			return PROF_OK;
		}
	}
	return PROF_END;
}

/* Inflates pending bytes first, and reads more only if they give no output. */
static enum prof_status
gunzip_inflate(struct gunzip *g)
{
	switch (inflate(&g->z, Z_NO_FLUSH)) {
	case Z_OK:
		return PROF_OK;
	case Z_STREAM_END:
		g->between = true;
		return PROF_OK;
	case Z_BUF_ERROR:
		if (gunzip_refill(g) != PROF_OK)
			return PROF_FAIL;
		if (!g->source_ended)
			return PROF_OK;
		return err_at(g->err, PROF_E_TRUNCATED, g->pulled,
		    "gzip data ends too early");
	case Z_MEM_ERROR:
		return err_memory(g->err);
	default:
		return err_at(g->err, PROF_E_CORRUPT,
		    g->pulled - g->z.avail_in, "gzip data: %s",
		    g->z.msg == NULL ? "no deflate stream" : g->z.msg);
	}
}

/* A prof_pull with the gunzip as its argument. */
static ssize_t
gunzip_pull(void *gunzip, void *data, size_t size)
{
	struct gunzip *g = gunzip;
	enum prof_status status = PROF_OK;
	uInt room = size > INT_MAX ? INT_MAX : (uInt)size;

	g->z.next_out = data;
	g->z.avail_out = room;
	while (g->z.avail_out == room && status == PROF_OK)
		status = g->between ? gunzip_next_member(g) : gunzip_inflate(g);
	return status == PROF_FAIL ? -1 : (ssize_t)(room - g->z.avail_out);
}

static void
gunzip_free(void *gunzip)
{
	struct gunzip *g = gunzip;

	if (g != NULL)
		inflateEnd(&g->z);
	free(g);
}

/* A prof_pull whose argument is a layer. */
static ssize_t
layer_pull(void *arg, void *data, size_t size)
{
	struct layer *l = arg;
	size_t left = l->head_size - l->head_pos;
	ssize_t n;

	if (left == 0) {
		n = l->pull(l->arg, data, size);
		l->pulled += n > 0 ? (uint64_t)n : 0;
		return n;
	}
	if (size > left)
		size = left;
	memcpy(data, l->head + l->head_pos, size);
	l->head_pos += size;
	l->pulled += size;
	return (ssize_t)size;
}

/* Only the first layer of a regular file seeks. */
static int64_t
layer_seek(void *arg, int64_t offset, int whence)
{
	struct layer *l = arg;
	struct input *in = l->arg;

	in->sought = true;
	l->head_pos = l->head_size;
	return lseek(in->fd, (off_t)offset, whence);
}

static struct layer *
layers_top(struct input *in)
{
	return &in->layers[in->depth - 1];
}

/*
 * Lays upon the top layer one that undoes its packing.  An archive is read by
 * the function, whose argument is the input, or by layer_pull if it is NULL.
 */
static enum prof_status
layers_push(struct input *in, enum packing packing, prof_pull *pull)
{
	struct layer *below = layers_top(in), *l = below + 1;
	bool is_file = below == in->layers;
	struct packed_source source = {
		.pull = pull != NULL ? pull : layer_pull,
		.seek = is_file && in->regular ? layer_seek : NULL,
		.arg = pull != NULL ? (void *)in : (void *)below,
		.has_offsets = is_file || in->archive != NULL,
	};

	if (packing == PACKING_GZIP)
		*l = (struct layer){ .pull = gunzip_pull,
		    .free = gunzip_free,
		    .arg = gunzip_new(layer_pull, below, &in->error) };
	else if (packing == PACKING_ZSTD)
		*l = (struct layer){ .pull = zstd_reader_pull,
		    .free = zstd_reader_free,
		    .arg = zstd_reader_new(layer_pull, below, &in->error) };
	else
		*l = (struct layer){ .pull = unpacker_pull,
		    .free = unpacker_free,
		    .arg = unpacker_new(packing, &source, &in->error) };
	if (l->arg == NULL)
		return PROF_FAIL;
	in->depth++;
	return PROF_OK;
}

static void
layers_pop_to(struct input *in, unsigned depth)
{
	while (in->depth > depth) {
		struct layer *l = layers_top(in);

		if (l->free != NULL)
			l->free(l->arg);
		in->depth--;
	}
}

/* Archives and compressed files have other bytes before their first newline. */
static bool
has_text_line(struct prof_span s)
{
	for (size_t i = 0; i < s.size; i++) {
		if (s.data[i] == '\n')
			return true;
		if (s.data[i] < 0x20 && s.data[i] != '\t' && s.data[i] != '\r')
			return false;
	}
	return false;
}

/*
 * Reads the first bytes of the top layer, and says how they are packed.  From a
 * pipe, whose writer may be slow, fewer are wanted, and a line of text is
 * enough.
 */
static enum prof_status
layers_sniff(struct input *in, enum packing *packing)
{
	struct layer *l = layers_top(in);
	size_t wanted = in->regular || in->archive != NULL ?
	    sizeof(l->head) : PACKING_BYTES;
	struct prof_span seen = { l->head, 0 };

	*packing = PACKING_NONE;
	while (seen.size < wanted && *packing == PACKING_NONE &&
	    (in->regular || !has_text_line(seen))) {
		ssize_t n = l->pull(l->arg, l->head + seen.size,
		    wanted - seen.size);

		if (n < 0)
			return PROF_FAIL;
		if (n == 0)
			break;
		seen.size += (size_t)n;
		*packing = packing_of(seen);
	}
	l->head_size = seen.size;
	l->head_pos = 0;
	return PROF_OK;
}

/*
 * Reads the first bytes of the top layer, and says how they are packed, after
 * its compression was undone if there is one.
 */
static enum prof_status
layers_sniff_inside(struct input *in, enum packing *packing)
{
	if (layers_sniff(in, packing) != PROF_OK)
		return PROF_FAIL;
	if (!packing_is_stream(*packing))
		return PROF_OK;
	if (in->archive == NULL)
		in->compression = *packing;
	if (layers_push(in, *packing, NULL) != PROF_OK)
		return PROF_FAIL;
	return layers_sniff(in, packing);
}

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
input_open_file(struct input *in)
{
	off_t start;

	in->fd = input_is_stdin(in) ? STDIN_FILENO :
	    open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &in->stat) < 0)
		return err_system(&in->error, errno, "cannot open");
	start = lseek(in->fd, 0, SEEK_CUR);
	/* A file of which a shell has read the beginning is used as a pipe. */
	in->regular = S_ISREG(in->stat.st_mode) && start == 0;
	in->file_size = in->regular ? (uint64_t)in->stat.st_size : 0;
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
	in->begun = true;
	if (in->source == NULL && input_open_file(in) != PROF_OK)
		return PROF_FAIL;
	in->layers[0] = (struct layer){ .arg = in,
	    .pull = in->source != NULL ? input_pull_source : input_pull_file };
	in->depth = 1;
	if (layers_sniff_inside(in, &in->contents) != PROF_OK)
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

/* Frees what belongs to the last member. */
static void
input_forget_member(struct input *in)
{
	if (in->map != NULL)
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

enum prof_status
input_next(struct input *in, struct input_member *m, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	enum packing packing;

	*m = (struct input_member){ 0 };
	/* The last member was mapped, and its file became shorter meanwhile. */
	if (in->map != NULL && !map_is_whole(in->map)) {
		input_forget_member(in);
		input_note_shrunk(in);
		return input_report(in, err);
	}
	input_forget_member(in);
	if (!in->begun)
		status = input_begin(in);
	else if (in->archive == NULL)
		return PROF_END;
	m->time = in->stat.st_mtime;
	if (status == PROF_OK && in->archive != NULL) {
		layers_pop_to(in, in->archive_depth);
		layers_top(in)->head_size = layers_top(in)->head_pos = 0;
		status = unpacker_next(in->archive, &m->name);
		m->time = status == PROF_OK ? unpacker_time(in->archive) : 0;
		if (status == PROF_OK)
			status = layers_sniff_inside(in, &packing);
	}
	if (status == PROF_OK)
		m->start = (struct prof_span){ layers_top(in)->head,
		    layers_top(in)->head_size };
	return status == PROF_FAIL ? input_report(in, err) : status;
}

static enum prof_status
input_too_large(struct input *in, uint64_t limit)
{
	return err_set(&in->error, PROF_E_LIMIT, input_is_plain(in) ?
	    "holds more bytes than the limit of %" PRIu64 :
	    "member inflates to more bytes than the limit of %" PRIu64, limit);
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

struct map *
input_take_map(struct input *in)
{
	struct map *m = in->map;

	in->map = NULL;
	return m;
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
		errno = in->error.code == PROF_E_SYSTEM ? in->error_number :
		    in->error.code == PROF_E_MEMORY ? ENOMEM :
		    in->error.code == PROF_E_LIMIT ? EFBIG : EBADMSG;
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
