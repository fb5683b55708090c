/* Sections and debug information of a binary or of its debug file. */
#include "config.h"

#include "sym/binary.h"

#include "base/error.h"
#include "sym/debug_file.h"
#include "sym/elf_file.h"

/* Opens the debug file, which is searched for once; PROF_END: none. */
static enum prof_status
binary_open_debug_file(struct binary *b, struct prof_error *err)
{
	if (b->debug_sought)
		return b->debug == NULL ? PROF_END : PROF_OK;
	b->debug_sought = true;
	return debug_file_open(b, b->search, &b->debug, err);
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
		err_set(err, PROF_E_UNSUPPORTED, "%s: there is no debug "
		    "information for it", b->path);
	return NULL;
}
