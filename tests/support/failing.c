#include "config.h"

#include "tests/support/failing.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/libzstd.h"
#include "format/yaml/libyaml.h"
#include "io/libarchive.h"

static struct failing how;
static bool counting;
static atomic_ulong calls;

void
failing_begin(const struct failing *h)
{
	how = *h;
	atomic_store(&calls, 0);
	counting = true;
}

unsigned long
failing_end(void)
{
	counting = false;
	return atomic_load(&calls);
}

bool
failing_now(enum failing_kind kind)
{
	unsigned long number;

	if (!counting || how.kind != kind)
		return false;
	number = atomic_fetch_add(&calls, 1) + 1;
	if (how.number == 0 || number < how.number ||
	    (number > how.number && !how.from_there))
		return false;
	errno = kind == FAILING_MEMORY ? ENOMEM : how.error;
	return true;
}

static size_t
transferable(size_t size)
{
	return counting && how.partial && size > 3 ? 3 : size;
}

/* Shared libraries that call the wrapped functions get the wrappers too. */
#pragma GCC visibility push(default)

/*
 * The linker takes __wrap_NAME for NAME, and NAME for __real_NAME.  The value
 * that says "failed" is the last argument.
 */
#define WRAP(kind, type, name, parameters, arguments, failed)		\
	type __real_##name parameters;					\
	type __wrap_##name parameters;					\
	type __wrap_##name parameters					\
	{								\
		return failing_now(kind) ? (failed) :			\
		    __real_##name arguments;				\
	}
#define MEMORY(type, name, parameters, arguments, failed)		\
	WRAP(FAILING_MEMORY, type, name, parameters, arguments, failed)
#define SYSTEM(type, name, parameters, arguments)			\
	WRAP(FAILING_SYSTEM, type, name, parameters, arguments, -1)

MEMORY(void *, malloc, (size_t n), (n), NULL)
MEMORY(void *, calloc, (size_t n, size_t size), (n, size), NULL)
MEMORY(void *, realloc, (void *p, size_t n), (p, n), NULL)
MEMORY(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size),
    NULL)
MEMORY(int, posix_memalign, (void **p, size_t a, size_t n), (p, a, n), ENOMEM)
MEMORY(char *, strdup, (const char *s), (s), NULL)

/* Nothing fails that needs no memory. */
#define ARENA(type, name, parameters, arguments, size, failed)		\
	type __real_##name parameters;					\
	type __wrap_##name parameters;					\
	type __wrap_##name parameters					\
	{								\
		return (size) != 0 && failing_now(FAILING_MEMORY) ?	\
		    (failed) : __real_##name arguments;			\
	}
#define NO_SPAN (struct prof_span){ NULL, 0 }

ARENA(void *, arena_alloc, (struct arena *a, size_t n), (a, n), n, NULL)
ARENA(void *, arena_array, (struct arena *a, size_t n, size_t size),
    (a, n, size), n * size, NULL)
ARENA(struct prof_span, arena_copy, (struct arena *a, struct prof_span s),
    (a, s), s.size, NO_SPAN)
ARENA(struct prof_span, arena_text, (struct arena *a, struct prof_span s),
    (a, s), 1, NO_SPAN)
ARENA(bool, arena_keep, (struct arena *a, struct prof_span *s), (a, s),
    s->size, false)

MEMORY(int, inflateInit_, (z_streamp z, const char *v, int n), (z, v, n),
    Z_MEM_ERROR)
MEMORY(int, inflateInit2_, (z_streamp z, int w, const char *v, int n),
    (z, w, v, n), Z_MEM_ERROR)
MEMORY(int, deflateInit2_, (z_streamp z, int level, int method, int w, int m,
    int s, const char *v, int n), (z, level, method, w, m, s, v, n),
    Z_MEM_ERROR)
MEMORY(int, inflate, (z_streamp z, int flush), (z, flush), Z_MEM_ERROR)
MEMORY(int, compress2, (Bytef *to, uLongf *n, const Bytef *from, uLong size,
    int level), (to, n, from, size, level), Z_MEM_ERROR)
MEMORY(struct libdeflate_decompressor *, libdeflate_alloc_decompressor,
    (void), (), NULL)

/* Libraries that are loaded: the wrappers are in their tables. */
#define LOADED(type, table, name, parameters, arguments, failed)	\
	static type							\
	name##_or_not parameters					\
	{								\
		return failing_now(FAILING_MEMORY) ? (failed) :		\
		    whole_##table.name arguments;			\
	}

/* Ends the test if a library could not be loaded. */
static void
check_loaded(enum prof_status status, const struct prof_error *err)
{
	if (status == PROF_OK)
		return;
	fprintf(stderr, "%s\n", err->reason);
	abort();
}

static struct libarchive whole_la;
LOADED(struct archive *, la, archive_read_new, (void), (), NULL)
LOADED(struct archive *, la, archive_write_new, (void), (), NULL)
LOADED(struct archive_entry *, la, archive_entry_new, (void), (), NULL)

static void
wrap_libarchive(struct prof_error *err)
{
	check_loaded(libarchive_load(err), err);
	whole_la = la;
	la.archive_read_new = archive_read_new_or_not;
	la.archive_write_new = archive_write_new_or_not;
	la.archive_entry_new = archive_entry_new_or_not;
}

static struct libyaml whole_libyaml;
LOADED(int, libyaml, yaml_parser_initialize, (yaml_parser_t *p), (p), 0)

static void
wrap_libyaml(struct prof_error *err)
{
	(void)err;
	check_loaded(libyaml_load(err), err);
	whole_libyaml = libyaml;
	libyaml.yaml_parser_initialize = yaml_parser_initialize_or_not;
}

static struct libzstd whole_libzstd;
LOADED(ZSTD_DCtx *, libzstd, ZSTD_createDCtx, (void), (), NULL)
LOADED(ZSTD_CCtx *, libzstd, ZSTD_createCCtx, (void), (), NULL)

static void
wrap_libzstd(struct prof_error *err)
{
	(void)err;
	check_loaded(libzstd_load(err), err);
	whole_libzstd = libzstd;
	libzstd.ZSTD_createDCtx = ZSTD_createDCtx_or_not;
	libzstd.ZSTD_createCCtx = ZSTD_createCCtx_or_not;
}

void
failing_wrap_libraries(void)
{
	struct prof_error err = { 0 };

	wrap_libarchive(&err);
	wrap_libyaml(&err);
	wrap_libzstd(&err);
}

SYSTEM(ssize_t, read, (int fd, void *p, size_t n), (fd, p, transferable(n)))
SYSTEM(ssize_t, pread, (int fd, void *p, size_t n, off_t at),
    (fd, p, transferable(n), at))
SYSTEM(ssize_t, write, (int fd, const void *p, size_t n),
    (fd, p, transferable(n)))
SYSTEM(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence))
SYSTEM(int, fstat, (int fd, struct stat *st), (fd, st))
SYSTEM(int, stat, (const char *path, struct stat *st), (path, st))
SYSTEM(int, fsync, (int fd), (fd))
SYSTEM(int, link, (const char *from, const char *to), (from, to))
SYSTEM(int, linkat, (int at, const char *from, int to_at, const char *to,
    int flags), (at, from, to_at, to, flags))
SYSTEM(int, rename, (const char *from, const char *to), (from, to))
SYSTEM(int, renameat2, (int at, const char *from, int to_at, const char *to,
    unsigned flags), (at, from, to_at, to, flags))
SYSTEM(int, mkostemp, (char *template, int flags), (template, flags))
SYSTEM(int, fchmod, (int fd, mode_t mode), (fd, mode))
SYSTEM(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g))
SYSTEM(int, futimens, (int fd, const struct timespec t[2]), (fd, t))
SYSTEM(int, flock, (int fd, int what), (fd, what))
SYSTEM(ssize_t, readlink, (const char *path, char *to, size_t n),
    (path, to, n))
WRAP(FAILING_SYSTEM, char *, realpath, (const char *path, char *to),
    (path, to), NULL)
WRAP(FAILING_SYSTEM, void *, mmap, (void *p, size_t n, int protection,
    int flags, int fd, off_t at), (p, n, protection, flags, fd, at),
    MAP_FAILED)

/* The descriptor is closed even if that fails, as in Linux. */
int __real_close(int fd);
int __wrap_close(int fd);

int
__wrap_close(int fd)
{
	int result = __real_close(fd);

	return failing_now(FAILING_SYSTEM) ? -1 : result;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	if (failing_now(FAILING_SYSTEM))
		return -1;
	va_start(ap, flags);
	mode = (mode_t)va_arg(ap, unsigned);
	va_end(ap);
	return __real_open(path, flags, mode);
}

#pragma GCC visibility pop
