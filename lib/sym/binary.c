/* What a binary or its debug file has: sections, debug information, symbols. */
#include "config.h"

#include "sym/binary.h"

#include "base/error.h"
#include "sym/debug_file.h"
#include "sym/dwarf/libdw.h"
#include "sym/elf_file.h"
#include "sym/mini_debug.h"
#include "sym/symbols.h"

/*
 * Opens the debug file, which is searched for once; PROF_END: none.  Any call
 * reports the failure of the search: some callers do without the file.
 */
static enum prof_status
binary_open_debug_file(struct binary *b, struct prof_error *err)
{
	struct prof_error e = { 0 };

	if (!b->debug_sought) {
		b->debug_sought = true;
		b->debug_status = debug_file_open(b, b->search, &b->debug, &e);
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

struct Dwarf *
binary_dwarf(struct binary *b, struct prof_error *err)
{
	enum prof_status status;

	if (elf_file_has_debug_info(b))
		return elf_file_dwarf(b, err);
	status = binary_open_debug_file(b, err);
	if (status == PROF_OK && elf_file_has_debug_info(b->debug))
		return elf_file_dwarf(b->debug, err);
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

/* Opens .gnu_debugdata; PROF_END: there is none. */
static enum prof_status
binary_open_mini(struct binary *b, struct prof_error *err)
{
	struct prof_error why = { 0 };
	const char *fault;
	struct binary_section s;
	enum prof_status status;

	if (b->mini != NULL)
		return PROF_OK;
	b->mini_bytes.size = 0;
	status = elf_file_section(b, ".gnu_debugdata", &s, &why);
	if (status == PROF_END || (status == PROF_OK && s.data.data == NULL))
		return PROF_END;
	if (status == PROF_OK)
		status = mini_debug_read(s.data, &b->mini_bytes, &why);
	if (status == PROF_OK)
		b->mini = dw.elf_memory((char *)b->mini_bytes.data,
		    b->mini_bytes.size);
	if (status == PROF_OK && b->mini != NULL &&
	    dw.elf_kind(b->mini) == ELF_K_ELF) {
		fault = elf_sections_fault(b->mini, b->mini_bytes.size);
		if (fault == NULL)
			return PROF_OK;
		err_set(&why, PROF_E_CORRUPT, "%s", fault);
	}
	if (b->mini != NULL)
		dw.elf_end(b->mini);
	b->mini = NULL;
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	return err_set(err, PROF_E_CORRUPT, "%s: .gnu_debugdata: %s", b->path,
	    why.code == PROF_E_NONE ? "not an ELF file" : why.reason);
}

/*
 * Adds the symbols of a file or of its .gnu_debugdata; false if there is no
 * table.  Damage is stored: other tables may stand in for that one.
 */
static bool
binary_add_symbols(const struct binary *b, Elf *elf, uint32_t type,
    struct symbols *symbols, struct prof_error *damage)
{
	struct prof_error e = { 0 };
	bool found;

	if (symbols_add(symbols, elf, type, &found, &e) == PROF_OK)
		return found;
	if (e.code == PROF_E_MEMORY)
		*damage = e;
	err_set(damage, e.code, "%s: %s", b->path, e.reason);
	return found;
}

enum prof_status
binary_symbols(struct binary *b, struct symbols *symbols,
    struct prof_error *err)
{
	struct prof_error damage = { 0 };
	bool found = binary_add_symbols(b, b->elf, SHT_SYMTAB, symbols,
	    &damage);

	if (!found && binary_open_debug_file(b, NULL) == PROF_OK)
		found = binary_add_symbols(b->debug, b->debug->elf, SHT_SYMTAB,
		    symbols, &damage);
	if (!found) {
		binary_add_symbols(b, b->elf, SHT_DYNSYM, symbols, &damage);
		if (binary_open_mini(b, &damage) == PROF_OK)
			binary_add_symbols(b, b->mini, SHT_SYMTAB, symbols,
			    &damage);
	}
	return damage.code == PROF_E_NONE ? PROF_OK :
	    err_repeat(err, &damage);
}
