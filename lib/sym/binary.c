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
	if (!b->debug_sought) {
		b->debug_sought = true;
		b->debug_status = debug_file_open(b, b->search, &b->debug,
		    &b->debug_error);
	}
	if (b->debug_status == PROF_FAIL)
		return err_set(err, b->debug_error.code, "%s",
		    b->debug_error.reason);
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
	    dw.elf_kind(b->mini) == ELF_K_ELF)
		return PROF_OK;
	if (b->mini != NULL)
		dw.elf_end(b->mini);
	b->mini = NULL;
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	return err_set(err, PROF_E_CORRUPT, "%s: .gnu_debugdata: %s", b->path,
	    why.code == PROF_E_NONE ? "not an ELF file" : why.reason);
}

static enum prof_status
binary_exported_symbols(struct binary *b, struct symbols *symbols,
    struct prof_error *err)
{
	enum prof_status status;
	bool found;

	if (symbols_add(symbols, b->elf, SHT_DYNSYM, &found, err) != PROF_OK)
		return PROF_FAIL;
	status = binary_open_mini(b, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return symbols_add(symbols, b->mini, SHT_SYMTAB, &found, err);
}

enum prof_status
binary_symbols(struct binary *b, struct symbols *symbols,
    struct prof_error *err)
{
	bool found;

	if (symbols_add(symbols, b->elf, SHT_SYMTAB, &found, err) != PROF_OK)
		return PROF_FAIL;
	if (!found && binary_open_debug_file(b, NULL) == PROF_OK &&
	    symbols_add(symbols, b->debug->elf, SHT_SYMTAB, &found, err) !=
	    PROF_OK)
		return PROF_FAIL;
	return found ? PROF_OK : binary_exported_symbols(b, symbols, err);
}
