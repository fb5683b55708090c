#include "config.h"

#include "sym/debug_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/read_at.h"
#include "io/same_file.h"
#include "sym/debuginfod.h"
#include "sym/elf_file.h"

/* Where distributions install debug files. */
#define SYSTEM_DIR "/usr/lib/debug"

/* Contents of .gnu_debuglink: a file name without folder, and a CRC. */
struct debug_link {
	const char *name;
	uint32_t crc;
	const char *folder;		/* of the binary, with '/' at its end */
};

/* A search at work. */
struct debug_search {
	const struct binary_search *options;	/* may be NULL */
	struct binary *found;
	struct prof_error unreadable;	/* the first file that is */
};

/* Joins four strings; the result is for free(3).  NULL if out of memory. */
static char *
debug_file_join(const char *a, const char *b, const char *c, const char *d)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
	char *s = malloc(size);

	if (s != NULL)
		snprintf(s, size, "%s%s%s%s", a, b, c, d);
	return s;
}

static bool
debug_file_has_id(const struct binary *b, struct prof_span build_id)
{
	return build_id.size != 0 &&
	    prof_span_equal(binary_build_id(b), build_id);
}

/*
 * Opens a file, if there is one at the path, which is freed, and may be NULL if
 * out of memory.  Other files may be better, so that the reason is only stored
 * if it cannot be read: PROF_FAIL only if memory or a library lacks.
 */
static enum prof_status
debug_file_open_path(char *path, struct debug_search *to, struct binary **out,
    struct prof_error *err)
{
	struct prof_error e = { 0 };

	if (path == NULL)
		return err_memory(err);
	*out = access(path, F_OK) == 0 ? binary_open(path, NULL, &e) : NULL;
	free(path);
	if (err_is_lack(e.code))
		return err_repeat(err, &e);
	if (e.code != PROF_E_NONE)
		err_repeat(&to->unreadable, &e);
	return *out == NULL ? PROF_END : PROF_OK;
}

/*
 * Ends a search whose last step had a status: a file that cannot be read
 * matters if no other was found.
 */
static enum prof_status
debug_file_end(const struct debug_search *to, enum prof_status status,
    struct binary **out, struct prof_error *err)
{
	*out = to->found;
	if (status != PROF_END || to->unreadable.code == PROF_E_NONE)
		return status;
	return err_repeat(err, &to->unreadable);
}

/*
 * The CRC-32 of gzip (bfd, bfd_calc_gnu_debuglink_crc32).  False: unreadable.
 */
static bool
debug_file_crc(const struct binary *b, uint32_t *crc)
{
	static const size_t piece = 1 << 16;
	uint8_t *bytes = malloc(piece);
	uLong sum = crc32(0, NULL, 0);
	ssize_t n = -1;

	for (off_t at = 0; bytes != NULL &&
	    (n = read_at(b->fd, bytes, piece, at)) > 0; at += n)
		sum = crc32(sum, bytes, (uInt)n);
	free(bytes);
	*crc = (uint32_t)sum;
	return n == 0;
}

/*
 * Whether a file is the binary itself.  Below /usr/lib/debug, a debug file may
 * have the name of its binary; then the link names the binary first.
 */
static bool
debug_file_is_binary(const struct binary *b, const struct binary *debug)
{
	struct stat one, other;

	return fstat(b->fd, &one) == 0 && fstat(debug->fd, &other) == 0 &&
	    same_file(&one, &other);
}

/* Compares the build ids if both have one, else the CRC. */
static bool
debug_file_belongs(const struct binary *b, const struct binary *debug,
    const struct debug_link *link)
{
	struct prof_span id = binary_build_id(b);
	uint32_t crc;

	if (id.size != 0 && binary_build_id(debug).size != 0)
		return debug_file_has_id(debug, id);
	return debug_file_crc(debug, &crc) && crc == link->crc;
}

/* Frees the path, which may be NULL if out of memory. */
static enum prof_status
debug_file_try_link(const struct binary *b, const struct debug_link *link,
    char *path, struct debug_search *to, struct prof_error *err)
{
	struct binary *debug;
	enum prof_status status = debug_file_open_path(path, to, &debug, err);

	if (status != PROF_OK)
		return status;
	if (debug_file_is_binary(b, debug) ||
	    !debug_file_belongs(b, debug, link)) {
		binary_close(debug);
		return PROF_END;
	}
	to->found = debug;
	return PROF_OK;
}

static enum prof_status
debug_file_read_link(struct binary *b, struct debug_link *link)
{
	struct binary_section s;
	const uint8_t *end;
	size_t at;

	if (elf_file_section(b, ".gnu_debuglink", &s, NULL) != PROF_OK ||
	    s.data.data == NULL)
		return PROF_END;
	end = memchr(s.data.data, '\0', s.data.size);
	if (end == NULL || end == s.data.data)
		return PROF_END;
	at = (size_t)(end - s.data.data);
	at += 4 - at % 4;
	if (at > s.data.size || s.data.size - at < 4)
		return PROF_END;
	link->name = (const char *)s.data.data;
	link->crc = load_u32(s.data.data + at, binary_big_endian(b));
	return strchr(link->name, '/') == NULL ? PROF_OK : PROF_END;
}

/* Tries the name in all places. */
static enum prof_status
debug_file_search_link(const struct binary *b, const struct debug_link *link,
    struct debug_search *to, struct prof_error *err)
{
	static const char *const near[] = { "", ".debug/" };
	size_t dirs = to->options == NULL ? 0 : to->options->debug_dir_count;
	enum prof_status status = PROF_END;

	for (size_t i = 0; i < 2 && status == PROF_END; i++)
		status = debug_file_try_link(b, link,
		    debug_file_join(link->folder, near[i], link->name, ""),
		    to, err);
	for (size_t i = 0; i <= dirs && status == PROF_END; i++)
		status = debug_file_try_link(b, link,
		    debug_file_join(i < dirs ? to->options->debug_dirs[i] :
		    SYSTEM_DIR, "/", link->folder, link->name), to, err);
	return status;
}

static enum prof_status
debug_file_find_link(struct binary *b, struct debug_search *to,
    struct prof_error *err)
{
	struct debug_link link;
	char path[PATH_MAX];

	if (debug_file_read_link(b, &link) != PROF_OK)
		return PROF_END;
	/* The debug file is next to the binary that a symbolic link names. */
	if (realpath(binary_path(b), path) == NULL)
		return PROF_END;
	strrchr(path, '/')[1] = '\0';
	link.folder = path;
	return debug_file_search_link(b, &link, to, err);
}

/* Tries DIR/.build-id/ab/cdef and a suffix: ".debug", or "" for the binary. */
static enum prof_status
debug_file_try_id(const char *dir, struct prof_span id, const char *suffix,
    struct debug_search *to, struct prof_error *err)
{
	struct binary *debug;
	static const char digits[] = "0123456789abcdef";
	char hex[2 * 64 + 2], *p = hex;
	enum prof_status status;

	if (id.size < 2 || id.size > 64)
		return PROF_END;
	for (size_t i = 0; i < id.size; i++) {
		*p++ = digits[id.data[i] >> 4];
		*p++ = digits[id.data[i] & 15];
		if (i == 0)
			*p++ = '/';
	}
	*p = '\0';
	status = debug_file_open_path(debug_file_join(dir, "/.build-id/", hex,
	    suffix), to, &debug, err);
	if (status != PROF_OK)
		return status;
	if (debug_file_has_id(debug, id)) {
		to->found = debug;
		return PROF_OK;
	}
	binary_close(debug);
	return PROF_END;
}

static enum prof_status
debug_file_query_servers(struct prof_span id, struct binary **out,
    struct prof_error *err)
{
	char *path;
	enum prof_status status = debuginfod_find(id, &path, err);

	if (status != PROF_OK)
		return status;
	*out = binary_open(path, NULL, err);
	free(path);
	return *out == NULL ? PROF_FAIL : PROF_OK;
}

enum prof_status
debug_file_open(struct binary *b, const struct binary_search *search,
    struct binary **out, struct prof_error *err)
{
	struct prof_span id = binary_build_id(b);
	struct debug_search to = { .options = search,
	    .unreadable = b->debug_error };
	enum prof_status status = debug_file_find_link(b, &to, err);

	for (size_t i = 0; search != NULL && i < search->debug_dir_count &&
	    status == PROF_END; i++)
		status = debug_file_try_id(search->debug_dirs[i], id, ".debug",
		    &to, err);
	if (status == PROF_END)
		status = debug_file_try_id(SYSTEM_DIR, id, ".debug", &to, err);
	if (status == PROF_END && search != NULL && search->debuginfod)
		status = debug_file_query_servers(id, &to.found, err);
	return debug_file_end(&to, status, out, err);
}

enum prof_status
binary_find(struct prof_span id, const struct binary_search *search,
    struct binary **out, struct prof_error *err)
{
	static const char *const suffixes[] = { ".debug", "" };
	struct debug_search to = { .options = search };
	enum prof_status status = PROF_END;

	for (size_t i = 0; i < search->debug_dir_count; i++) {
		for (size_t j = 0; j < 2 && status == PROF_END; j++)
			status = debug_file_try_id(search->debug_dirs[i], id,
			    suffixes[j], &to, err);
	}
	if (status == PROF_END && search->debuginfod)
		status = debug_file_query_servers(id, &to.found, err);
	if (status == PROF_OK)
		to.found->debug_error = to.unreadable;
	return debug_file_end(&to, status, out, err);
}
