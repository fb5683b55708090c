/*
 * What a binary or its debug file has: sections, debug information, symbols;
 * and the search for debug files.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/numbers.h"
#include "io/read_at.h"
#include "io/same_file.h"
#include "sym/sym.h"

/* Where distributions install debug files. */
#define SYSTEM_DIR "/usr/lib/debug"

/* A search at work, for a file with a build id, or for that of a link. */
struct debug_search {
	const struct binary_search *options;	/* may be NULL */
	struct work *work;
	struct prof_span id;
	const struct binary *linked;	/* the binary with the link; NULL: id */
	uint32_t crc;			/* of the link */
	struct binary *found;
	struct prof_error unreadable;	/* the first file that is */
};

/*
 * Ends a search whose last step had a status: a file that cannot be read
 * matters if no other was found.
 */
static enum prof_status
debug_search_end(const struct debug_search *to, enum prof_status status,
    struct binary **out, struct prof_error *err)
{
	*out = to->found;
	if (status != PROF_END || to->unreadable.code == PROF_E_NONE)
		return status;
	return err_repeat(err, &to->unreadable);
}

/* The CRC-32 of gzip (bfd_calc_gnu_debuglink_crc32).  False: unreadable. */
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
 * Whether a file is the one that is searched for.  That of a link has the build
 * id of the binary if both have one, else the CRC.  It is not the binary
 * itself: below /usr/lib/debug, a debug file may have the name of its binary,
 * and the link names the binary first.
 */
static bool
debug_search_fits(const struct debug_search *to, const struct binary *debug)
{
	const struct binary *b = to->linked;
	struct stat one, other;
	uint32_t crc;

	if (b == NULL)
		return prof_span_equal(debug->build_id, to->id);
	if (fstat(b->fd, &one) == 0 && fstat(debug->fd, &other) == 0 &&
	    same_file(&one, &other))
		return false;
	if (b->build_id.size != 0 && debug->build_id.size != 0)
		return prof_span_equal(debug->build_id, b->build_id);
	return debug_file_crc(debug, &crc) && crc == to->crc;
}

/*
 * Opens a file, if there is one at the path, which is freed.  Other files may
 * be better, so that the reason is only stored if it cannot be read: PROF_FAIL
 * only if memory or a library lacks.
 */
static enum prof_status
debug_search_path(struct debug_search *to, struct buf *path,
    struct prof_error *err)
{
	struct prof_error e = { 0 };
	struct binary *debug = NULL;
	const char *name;

	buf_u8(path, '\0');
	name = (const char *)path->data;
	if (path->failed)
		err_memory(&e);
	else if (access(name, F_OK) == 0)
		debug = elf_file_open(name, to->work, &e);
	buf_free(path);
	if (err_is_lack(e.code))
		return err_repeat(err, &e);
	if (e.code != PROF_E_NONE)
		err_repeat(&to->unreadable, &e);
	if (debug == NULL)
		return PROF_END;
	if (debug_search_fits(to, debug)) {
		to->found = debug;
		return PROF_OK;
	}
	binary_close(debug);
	return PROF_END;
}

/*
 * Searches for the file that .gnu_debuglink names in all places.  The section
 * has a name without folder, and a CRC.
 */
static enum prof_status
debug_search_link(struct binary *b, struct debug_search *to,
    struct prof_error *err)
{
	size_t dirs = to->options == NULL ? 0 : to->options->debug_dir_count;
	enum prof_status status = PROF_END;
	struct buf path = { 0 };
	struct binary_section s;
	char folder[PATH_MAX];
	const uint8_t *end;
	const char *name;
	size_t at;

	if (elf_file_section(b, ".gnu_debuglink", &s, NULL) != PROF_OK ||
	    s.data.data == NULL)
		return PROF_END;
	name = (const char *)s.data.data;
	end = memchr(name, '\0', s.data.size);
	if (end == NULL || *name == '\0' || strchr(name, '/') != NULL)
		return PROF_END;
	at = (size_t)(end - s.data.data);
	at += 4 - at % 4;
	if (at > s.data.size || s.data.size - at < 4)
		return PROF_END;
	/* The debug file is next to the binary that a symbolic link names. */
	if (realpath(b->path, folder) == NULL)
		return PROF_END;
	strrchr(folder, '/')[1] = '\0';
	to->linked = b;
	to->crc = load_u32(s.data.data + at, b->big_endian);
	for (size_t i = 0; i < 2 && status == PROF_END; i++) {
		buf_print(&path, "%s%s%s", folder, i == 0 ? "" : ".debug/",
		    name);
		status = debug_search_path(to, &path, err);
	}
	for (size_t i = 0; i <= dirs && status == PROF_END; i++) {
		buf_print(&path, "%s/%s%s", i < dirs ?
		    to->options->debug_dirs[i] : SYSTEM_DIR, folder, name);
		status = debug_search_path(to, &path, err);
	}
	to->linked = NULL;
	return status;
}

/* Tries DIR/.build-id/ab/cdef and a suffix: ".debug", or "" for the binary. */
static enum prof_status
debug_search_id(struct debug_search *to, const char *dir, const char *suffix,
    struct prof_error *err)
{
	struct prof_span id = to->id;
	struct buf path = { 0 };

	if (id.size < 2 || id.size > 64)
		return PROF_END;
	buf_print(&path, "%s/.build-id/", dir);
	digits_append_hex(&path, (struct prof_span){ id.data, 1 });
	buf_u8(&path, '/');
	digits_append_hex(&path, (struct prof_span){ id.data + 1,
	    id.size - 1 });
	buf_text(&path, suffix);
	return debug_search_path(to, &path, err);
}

#ifndef HAVE_DEBUGINFOD
enum prof_status
debuginfod_find(struct prof_span id, char **path, struct prof_error *err)
{
	(void)id;
	(void)path;
	return err_not_built(err, "libdebuginfod", "asks servers");
}
#endif

static enum prof_status
debug_search_servers(struct debug_search *to, struct prof_error *err)
{
	char *path;
	enum prof_status status = debuginfod_find(to->id, &path, err);

	if (status != PROF_OK)
		return status;
	to->found = elf_file_open(path, to->work, err);
	free(path);
	return to->found == NULL ? PROF_FAIL : PROF_OK;
}

enum prof_status
binary_find(struct prof_span id, const struct binary_search *search,
    struct binary **out, struct prof_error *err)
{
	struct debug_search to = { .options = search, .work = search->work,
	    .id = id };
	enum prof_status status = PROF_END;

	for (size_t i = 0; i < 2 * search->debug_dir_count &&
	    status == PROF_END; i++)
		status = debug_search_id(&to, search->debug_dirs[i / 2],
		    i % 2 == 0 ? ".debug" : "", err);
	if (status == PROF_END && search->debuginfod)
		status = debug_search_servers(&to, err);
	if (status == PROF_OK)
		to.found->debug_error = to.unreadable;
	return debug_search_end(&to, status, out, err);
}

struct binary *
binary_open(const char *path, const struct binary_search *search,
    struct prof_error *err)
{
	struct binary *b = elf_file_open(path, search->work, err);

	if (b != NULL)
		b->search = search;
	return b;
}

/*
 * Opens the debug file, which is searched for once, in the order of GDB
 * ("Debugging Information in Separate Files"): the name in .gnu_debuglink in
 * the folder of the binary, in .debug/ there, and below the folders of the
 * search and /usr/lib/debug; then the build id in these folders; then the
 * debuginfod servers.  A file with another build id or CRC is skipped, and so
 * is the binary itself.  PROF_END if there is none.  PROF_FAIL if there is none
 * that can be read, with the reason of the first that cannot; any call reports
 * it: some callers do without the file.
 */
static enum prof_status
binary_open_debug_file(struct binary *b, struct prof_error *err)
{
	const struct binary_search *search = b->search;
	size_t dirs = search == NULL ? 0 : search->debug_dir_count;
	struct debug_search to = { .options = search, .work = b->file.work,
	    .id = b->build_id, .unreadable = b->debug_error };
	struct prof_error e = { 0 };
	enum prof_status status;

	if (!b->debug_sought) {
		b->debug_sought = true;
		status = debug_search_link(b, &to, &e);
		for (size_t i = 0; i <= dirs && status == PROF_END; i++)
			status = debug_search_id(&to, i < dirs ?
			    search->debug_dirs[i] : SYSTEM_DIR, ".debug", &e);
		if (status == PROF_END && search != NULL && search->debuginfod)
			status = debug_search_servers(&to, &e);
		b->debug_status = debug_search_end(&to, status, &b->debug, &e);
		b->debug_error = e;
	}
	if (b->debug_status == PROF_FAIL)
		return err_repeat(err, &b->debug_error);
	return b->debug_status;
}

enum prof_status
binary_section(struct binary *b, const char *name, struct binary_section *out,
    struct prof_error *err)
{
	enum prof_status status = elf_file_section(b, name, out, err);
	struct binary_section other;

	if (status == PROF_FAIL || (status == PROF_OK &&
	    out->data.data != NULL))
		return status;
	/* A section without contents is still better than none. */
	if (binary_open_debug_file(b, NULL) != PROF_OK ||
	    elf_file_section(b->debug, name, &other, NULL) != PROF_OK)
		return status;
	if (status == PROF_END || other.data.data != NULL)
		*out = other;
	return PROF_OK;
}

Dwarf *
binary_dwarf(struct binary *b, struct prof_error *err)
{
	enum prof_status status;

	if (elf_has_section(b->file.elf, ".debug_info"))
		return debug_info_open(b, err);
	status = binary_open_debug_file(b, err);
	if (status == PROF_OK &&
	    elf_has_section(b->debug->file.elf, ".debug_info"))
		return debug_info_open(b->debug, err);
	if (status != PROF_FAIL)
		err_set(err, PROF_E_UNSUPPORTED, "%s: no debug information was "
		    "found for it", b->path);
	return NULL;
}

const char *
binary_dwarf_path(const struct binary *b)
{
	return b->dwarf == NULL && b->debug != NULL ? b->debug->path : b->path;
}

/*
 * Adds the symbols of a file; false if there is no table.  Damage is stored:
 * other tables may stand in for that one.
 */
static bool
binary_add_symbols(const struct binary *b, uint32_t type,
    struct symbols *symbols, struct prof_error *damage)
{
	struct prof_error e = { 0 };
	bool found;

	if (symbols_add(symbols, b->file.elf, type, &found, &e) == PROF_OK)
		return found;
	if (e.code == PROF_E_MEMORY)
		*damage = e;
	elf_file_err(&b->file, &e, damage);
	return found;
}

enum prof_status
binary_symbols(struct binary *b, struct symbols *symbols,
    struct prof_error *err)
{
	struct prof_error damage = { 0 };
	bool found = binary_add_symbols(b, SHT_SYMTAB, symbols, &damage);

	if (!found && binary_open_debug_file(b, NULL) == PROF_OK)
		found = binary_add_symbols(b->debug, SHT_SYMTAB, symbols,
		    &damage);
	if (!found)
		binary_add_symbols(b, SHT_DYNSYM, symbols, &damage);
	return damage.code == PROF_E_NONE ? PROF_OK :
	    err_repeat(err, &damage);
}

enum prof_status
binary_visit_names(struct binary *b, binary_visit_name *visit, void *arg,
    struct prof_error *err)
{
	struct symbols symbols = { .size = 0 };
	struct binary_section strings = { .size = 0 };
	struct prof_error why = { 0 };
	enum prof_status status;
	struct prof_span table, name;

	err_memory_begin();
	status = binary_symbols(b, &symbols, err);
	for (size_t i = 0; i < symbols.size && status == PROF_OK; i++) {
		name = span_of_text(symbols.items[i].name);
		/* Linkers let names share bytes, but not often. */
		if (work_take(b->file.work, name.size, WORK_MADE, "names of "
		    "symbols", &why) != PROF_OK)
			status = elf_file_err(&b->file, &why, err);
		else if (name.size != 0 && !visit(arg, name))
			status = err_memory(err);
	}
	symbols_free(&symbols);
	if (status == PROF_OK && binary_section(b, ".debug_str", &strings,
	    err) == PROF_FAIL)
		status = PROF_FAIL;
	table = span_of_strings(strings.data);
	for (size_t at = 0; at < table.size && status == PROF_OK;
	    at += name.size + 1) {
		name = span_of_text((const char *)table.data + at);
		if (name.size != 0 && !visit(arg, name))
			status = err_memory(err);
	}
	if (status == PROF_OK)
		status = binary_check_whole(b, err);
	return err_if_memory(status, err);
}
