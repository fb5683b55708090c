/*
 * What a binary or its debug file has: sections, debug information, symbols;
 * and the search for debug files.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/numbers.h"
#include "sym/sym.h"

/* Where distributions install debug files. */
#define SYSTEM_DIR "/usr/lib/debug"

/* A search for a file with a build id. */
struct debug_search {
	const struct binary_search *options;	/* may be NULL */
	struct work *work;
	struct prof_span id;
	bool program;			/* the program itself will do, too */
	struct prof_error unreadable;	/* the first file that is */
};

#ifndef HAVE_DEBUGINFOD
enum prof_status
debuginfod_find(struct prof_span id, bool program, char **path,
    struct prof_error *err)
{
	(void)id;
	(void)program;
	(void)path;
	return err_set(err, PROF_E_LIBRARY, "this program was built without "
	    "libdebuginfod, which asks servers");
}
#endif

bool
binary_id_path(struct buf *path, const char *dir, struct prof_span id,
    const char *suffix)
{
	if (id.size < 2 || id.size > 64)
		return false;
	buf_print(path, "%s/.build-id/", dir);
	digits_append_hex(path, (struct prof_span){ id.data, 1 });
	buf_u8(path, '/');
	digits_append_hex(path, (struct prof_span){ id.data + 1,
	    id.size - 1 });
	buf_text(path, suffix);
	buf_u8(path, '\0');
	return true;
}

/*
 * Opens DIR/.build-id/ab/cdef and a suffix: ".debug", or "" for the program.
 * PROF_END if there is no file with the build id.  Other files may be better,
 * so that the reason is only stored if it cannot be read: PROF_FAIL only if
 * memory or a library lacks.
 */
static enum prof_status
debug_search_dir(struct debug_search *to, const char *dir, const char *suffix,
    struct binary **out, struct prof_error *err)
{
	struct prof_span id = to->id;
	struct prof_error e = { 0 };
	struct buf path = { 0 };
	const char *name;

	*out = NULL;
	if (!binary_id_path(&path, dir, id, suffix))
		return PROF_END;
	name = (const char *)path.data;
	if (path.failed)
		err_memory(&e);
	else if (access(name, F_OK) == 0)
		*out = elf_file_open(name, to->work, &e);
	buf_free(&path);
	if (err_is_lack(e.code))
		return err_repeat(err, &e);
	if (e.code != PROF_E_NONE)
		err_repeat(&to->unreadable, &e);
	if (*out == NULL)
		return PROF_END;
	if (prof_span_equal((*out)->build_id, id))
		return PROF_OK;
	binary_close(*out);
	*out = NULL;
	return PROF_END;
}

/*
 * Searches the folders, then the servers.  A file that cannot be read matters
 * if no other is found.
 */
static enum prof_status
debug_search_all(struct debug_search *to, struct binary **out,
    struct prof_error *err)
{
	const struct binary_search *o = to->options;
	size_t dirs = o == NULL ? 0 : o->debug_dir_count;
	enum prof_status status = PROF_END;
	char *path;

	for (size_t i = 0; i < dirs && status == PROF_END; i++) {
		status = debug_search_dir(to, o->debug_dirs[i], ".debug", out,
		    err);
		if (status == PROF_END && to->program)
			status = debug_search_dir(to, o->debug_dirs[i], "",
			    out, err);
	}
	if (status == PROF_END && to->program && o->libraries != NULL)
		status = libraries_find(o->libraries, to->id, out, err);
	if (status == PROF_END && !to->program)
		status = debug_search_dir(to, SYSTEM_DIR, ".debug", out, err);
	if (status == PROF_END && o != NULL && o->debuginfod)
		status = debuginfod_find(to->id, false, &path, err);
	if (status == PROF_OK && *out == NULL) {
		*out = elf_file_open(path, to->work, err);
		free(path);
		return *out == NULL ? PROF_FAIL : PROF_OK;
	}
	return status != PROF_END || to->unreadable.code == PROF_E_NONE ?
	    status : err_repeat(err, &to->unreadable);
}

enum prof_status
binary_find(struct prof_span id, const struct binary_search *search,
    struct binary **out, struct prof_error *err)
{
	struct debug_search to = { .options = search, .work = search->work,
	    .id = id, .program = true };
	enum prof_status status;

	*out = NULL;
	status = debug_search_all(&to, out, err);
	if (status == PROF_OK)
		(*out)->debug_error = to.unreadable;
	return status;
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
 * Opens the debug file, which is searched for once.  PROF_END if there is none.
 * PROF_FAIL if there is none that can be read, with the reason of the first
 * that cannot; any call reports it: some callers do without the file.
 */
static enum prof_status
binary_open_debug_file(struct binary *b, struct prof_error *err)
{
	struct debug_search to = { .options = b->search,
	    .work = b->file.work, .id = b->build_id,
	    .unreadable = b->debug_error };
	struct prof_error e = { 0 };

	if (!b->debug_sought) {
		b->debug_sought = true;
		b->debug_status = debug_search_all(&to, &b->debug, &e);
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
