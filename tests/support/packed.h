/*
 * tests/support/packed.h - what the tests of input share: files and archives
 * to be read, and a text that says what was read
 */
#ifndef PACKED_H
#define PACKED_H

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/input.h"
#include "tests/support/images.h"

#define NO_LIMIT UINT64_MAX

static char folder[] = "/tmp/test_input.XXXXXX";

/* What is made once, ends the test if it cannot be. */
static inline void
must(bool done, const char *what)
{
	if (!done) {
		printf("Bail out! %s: %s\n", what, strerror(errno));
		exit(EXIT_FAILURE);
	}
}

static inline void
put_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	must(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0,
	    path);
}

/* Bytes of a file, to be freed. */
static inline uint8_t *
get_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(1 << 22);

	must(f != NULL && data != NULL, path);
	*size = fread(data, 1, 1 << 22, f);
	fclose(f);
	return data;
}

static inline bool
file_is(const char *path, const void *data, size_t size)
{
	size_t n;
	uint8_t *bytes = get_file(path, &n);
	bool same = n == size && memcmp(bytes, data, size) == 0;

	free(bytes);
	return same;
}

/*
 * Contents that compress, but not to nothing: lines of numbers that repeat
 * now and then.
 */
static inline void
fill(uint8_t *data, size_t size, uint32_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = i % 7 == 6 ? ' ' : (uint8_t)('0' + (seed >> 28));
	}
}

static inline uint32_t
sum_of(const uint8_t *data, size_t size)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * 16777619u;
	return h;
}

/* A text that says what an input gave, one line a member. */
struct summary {
	char text[4096];
	size_t size;
};

static inline void __attribute__((format(printf, 2, 3)))
say(struct summary *s, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(s->text + s->size, sizeof(s->text) - s->size, format, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(s->text) - s->size)
		s->size += (size_t)n;
}

static inline void
say_member(struct summary *s, const char *name, const void *data, size_t size)
{
	say(s, "%s %zu %08x\n", name == NULL ? "-" : name, size,
	    size == 0 ? 0 : sum_of(data, size));
}

enum way { BY_IMAGE, BY_PULL };

/* The member as a whole, by the one way or the other. */
static inline enum prof_status
get_member(struct input *in, enum way way, struct buf *pulled,
    struct prof_span *image, struct prof_error *err)
{
	ssize_t n = 1;

	if (way == BY_IMAGE)
		return input_image(in, image, err);
	pulled->size = 0;
	while (n > 0) {
		uint8_t *p = buf_reserve(pulled, 3000);

		must(p != NULL, "memory");
		n = input_pull(in, p, 3000);
		pulled->size += n > 0 ? (size_t)n : 0;
	}
	*image = (struct prof_span){ pulled->data, pulled->size };
	if (n < 0)
		*err = *input_failure(in);
	return n < 0 ? PROF_FAIL : PROF_OK;
}

/* Reads all of a path; the last error is left in *last. */
static inline void
summarize(struct summary *s, const char *path, uint64_t max_size, enum way way,
    struct prof_error *last)
{
	struct buf pulled = { 0 };
	struct prof_error err = { 0 };
	struct input *in = input_open(path, max_size, NULL, &err);
	struct input_member m;
	enum prof_status status;
	unsigned left = 100;

	*s = (struct summary){ 0 };
	*last = (struct prof_error){ 0 };
	must(in != NULL, "memory");
	while ((status = input_next(in, &m, &err)) != PROF_END && left-- > 0) {
		struct prof_span image;

		if (status == PROF_OK)
			status = get_member(in, way, &pulled, &image, &err);
		if (status == PROF_OK) {
			bool starts = m.start.size <= image.size &&
			    (m.start.size == image.size ||
			    m.start.size >= 512) && (m.start.size == 0 ||
			    memcmp(m.start.data, image.data, m.start.size) ==
			    0);

			say_member(s, m.name, image.data, image.size);
			if (!starts)
				say(s, "wrong start\n");
		} else {
			say(s, "%s %s\n", m.name == NULL ? "-" : m.name,
			    code_name(err.code));
			*last = err;
			err = (struct prof_error){ 0 };
		}
	}
	input_close(in);
	buf_free(&pulled);
}

static inline bool
same(const struct summary *a, const struct summary *b)
{
	if (strcmp(a->text, b->text) == 0)
		return true;
	printf("# got:\n# %s# instead of:\n# %s", a->text, b->text);
	return false;
}

/* Whether all of a path is what is wanted. */
static inline bool
reads_as(const char *path, enum way way, const struct summary *want,
    struct prof_error *last)
{
	struct summary got;

	summarize(&got, path, NO_LIMIT, way, last);
	return same(&got, want);
}

/*
 * A child that writes the file to the descriptor in pieces, and ends.  The
 * other end, -1 if there is none, is not the child's.
 */
static inline pid_t
write_pieces(int fd, int other_end, const char *path, size_t piece)
{
	pid_t child = fork();
	size_t size, at = 0;
	uint8_t *data;

	must(child >= 0, "fork");
	if (child > 0)
		return child;
	signal(SIGPIPE, SIG_IGN);
	close(other_end);
	data = get_file(path, &size);
	while (at < size) {
		ssize_t n = write(fd, data + at,
		    piece < size - at ? piece : size - at);

		if (n < 0)
			break;
		at += (size_t)n;
	}
	_exit(0);
}

static inline _Noreturn void
write_fifo(const char *fifo, const char *path)
{
	int fd = open(fifo, O_WRONLY);

	waitpid(write_pieces(fd, -1, path, 70000), NULL, 0);
	_exit(0);
}

enum source { FROM_FILE, FROM_STDIN, FROM_PIPE, FROM_FIFO, SOURCES };
static const char *const source_names[] = { "file", "stdin", "pipe", "fifo" };

/* As summarize, but the bytes of the file come by another road. */
static inline void
summarize_from(enum source source, struct summary *s, const char *path,
    enum way way, struct prof_error *last)
{
	const char *fifo = "fifo";
	int stdin_before = dup(STDIN_FILENO), fds[2], fd;
	pid_t child = -1;

	if (source == FROM_STDIN) {
		must((fd = open(path, O_RDONLY)) >= 0, path);
		dup2(fd, STDIN_FILENO);
		close(fd);
	} else if (source == FROM_PIPE) {
		must(pipe(fds) == 0, "pipe");
		child = write_pieces(fds[1], fds[0], path, 999);
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
	} else if (source == FROM_FIFO) {
		must(mkfifo(fifo, 0600) == 0, "mkfifo");
		child = fork();
		if (child == 0)
			write_fifo(fifo, path);
	}
	summarize(s, source == FROM_FILE ? path :
	    source == FROM_FIFO ? fifo : "-", NO_LIMIT, way, last);
	dup2(stdin_before, STDIN_FILENO);
	close(stdin_before);
	if (child > 0)
		waitpid(child, NULL, 0);
	unlink(fifo);
}

/* Things to be put into an archive; without contents if type is not a file. */
struct thing {
	const char *name;
	const uint8_t *data;
	size_t size;
	unsigned type;			/* 0 is AE_IFREG */
	const char *target;		/* of a link */
};

typedef int enable_fn(struct archive *);

/* False if this libarchive cannot write that. */
static inline bool
make_archive(const char *path, enable_fn *format, enable_fn *filter,
    const char *options, const struct thing *things, size_t n)
{
	struct archive *a = archive_write_new();
	bool ok = (filter == NULL || filter(a) == ARCHIVE_OK) &&
	    format(a) == ARCHIVE_OK &&
	    (options == NULL || archive_write_set_options(a, options) ==
	    ARCHIVE_OK);

	archive_write_set_bytes_in_last_block(a, 1);
	if (options != NULL)
		archive_write_set_passphrase(a, "secret");
	ok = ok && archive_write_open_filename(a, path) == ARCHIVE_OK;
	for (size_t i = 0; ok && i < n; i++) {
		struct archive_entry *e = archive_entry_new();
		const struct thing *t = &things[i];

		archive_entry_set_pathname(e, t->name);
		archive_entry_set_filetype(e, t->type == 0 ? AE_IFREG :
		    t->type);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_size(e, (la_int64_t)t->size);
		if (t->type == AE_IFLNK)
			archive_entry_set_symlink(e, t->target);
		else if (t->target != NULL)
			archive_entry_set_hardlink(e, t->target);
		ok = archive_write_header(a, e) == ARCHIVE_OK &&
		    (t->size == 0 || archive_write_data(a, t->data, t->size) ==
		    (la_ssize_t)t->size);
		archive_entry_free(e);
	}
	ok = archive_write_close(a) == ARCHIVE_OK && ok;
	archive_write_free(a);
	return ok;
}

/* The contents alone, compressed. */
static inline bool
compress_file(const char *path, enable_fn *filter, const void *data,
    size_t size)
{
	const struct thing t = { .name = "data", .data = data, .size = size };

	return make_archive(path, archive_write_set_format_raw, filter, NULL,
	    &t, 1);
}

static const struct {
	const char *name;
	enable_fn *add;
} filters[] = {
	{ "gzip", archive_write_add_filter_gzip },
	{ "bzip2", archive_write_add_filter_bzip2 },
	{ "compress", archive_write_add_filter_compress },
	{ "lzma", archive_write_add_filter_lzma },
	{ "xz", archive_write_add_filter_xz },
	{ "lz4", archive_write_add_filter_lz4 },
	{ "zstd", archive_write_add_filter_zstd },
};

static const struct {
	const char *name;
	enable_fn *set;
	bool seeks;
	bool directory;		/* behind all members, not needed for them */
} formats[] = {
	{ "ustar", .set = archive_write_set_format_ustar },
	{ "pax", .set = archive_write_set_format_pax },
	{ "gnutar", .set = archive_write_set_format_gnutar },
	{ "v7tar", .set = archive_write_set_format_v7tar },
	{ "odc", .set = archive_write_set_format_cpio },
	{ "newc", .set = archive_write_set_format_cpio_newc },
	{ "bin", .set = archive_write_set_format_cpio_bin },
	{ "ar", .set = archive_write_set_format_ar_svr4 },
	{ "bsdar", .set = archive_write_set_format_ar_bsd },
	{ "zip", .set = archive_write_set_format_zip, .directory = true },
	{ "7z", .set = archive_write_set_format_7zip, .seeks = true },
};

enum { BIG = 300000 };
static uint8_t big[BIG];

/* Members that all formats can hold (ar has no folders). */
static const struct thing members[] = {
	{ .name = "a.profraw", .data = big, .size = 100000 },
	{ .name = "b.txt", .data = (const uint8_t *)"hello\n", .size = 6 },
	{ .name = "c", .data = big + 5, .size = BIG - 5 },
	{ .name = "empty" },		/* where 7z puts it anyway */
};

static inline void
expect_members(struct summary *s, const struct thing *things, size_t n)
{
	*s = (struct summary){ 0 };
	for (size_t i = 0; i < n; i++)
		say_member(s, things[i].name, things[i].data, things[i].size);
}

/* All tests are done in a folder of their own; they read zstd files too. */
static inline void
enter_folder(void)
{
	must(mkdtemp(folder) != NULL && chdir(folder) == 0, folder);
	fill(big, BIG, 1);
}

static inline int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static inline void
leave_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static volatile const uint8_t *missing_page;

static inline void
on_bus_error(int signal, siginfo_t *info, void *unused)
{
	uintptr_t at = (uintptr_t)info->si_addr, page =
	    (uintptr_t)missing_page;

	(void)signal;
	(void)unused;
	_exit(at >= page && at - page <
	    (uintptr_t)sysconf(_SC_PAGESIZE) ? 0 : 1);
}

/*
 * Whether SIGBUS says which page of a truncated file was read; the file, which
 * has BIG bytes or more, is truncated to find out.  The user emulation of qemu
 * 7.2 for s390x swaps the halves of the address, so that no handler can know
 * the mapping.
 */
static inline bool
bus_errors_have_addresses(const char *path)
{
	const struct sigaction action = { .sa_sigaction = on_bus_error,
	    .sa_flags = SA_SIGINFO };
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		int fd = open(path, O_RDWR);

		must(fd != -1, path);
		missing_page = mmap(NULL, BIG, PROT_READ, MAP_PRIVATE, fd, 0);
		if (missing_page == MAP_FAILED || ftruncate(fd, 0) != 0 ||
		    sigaction(SIGBUS, &action, NULL) != 0)
			_exit(2);
		_exit(missing_page[1] + 3);
	}
	must(child > 0 && waitpid(child, &status, 0) == child, "fork");
	return status == 0;
}

#endif
