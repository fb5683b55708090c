#include "config.h"

#include "sym/linked_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"

static enum prof_status
linked_file_check(const struct linked_files *l, const char *path,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct stat st;
	Elf *elf;
	int fd;

	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
		return PROF_OK;
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "%s: %s, which it names, is "
		    "not a file", l->path, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = fd == -1 ? NULL : dw.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf != NULL) {
		status = elf_unpack_count(elf, l->unpacked, path, err);
		dw.elf_end(elf);
	}
	if (fd != -1)
		close(fd);
	return status;
}

/*
 * The folder of a file, with links resolved, and a slash behind.  Empty if that
 * is unknown: then libdw finds files by absolute names only.
 */
static void
linked_folder(int fd, char folder[PATH_MAX])
{
	char link[64], *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, folder, PATH_MAX - 1);
	folder[n < 0 ? 0 : n] = '\0';
	slash = strrchr(folder, '/');
	if (slash != NULL)
		slash[1] = '\0';
}

/*
 * Checks a file by its name, which may be relative to `base` and, if that is
 * relative, too, to the folder (libdw_open_file.c, __libdw_filepath).
 */
static enum prof_status
linked_name_check(const struct linked_files *l, const char *folder,
    const char *base, const char *name, struct prof_error *err)
{
	struct buf path = { 0 };
	enum prof_status status;

	if (*name == '/')
		buf_text(&path, name);
	else if (*base == '/')
		buf_print(&path, "%s/%s", base, name);
	else if (*folder == '/')
		buf_print(&path, "%s%s/%s", folder, base, name);
	buf_u8(&path, '\0');
	status = path.failed ? err_memory(err) :
	    linked_file_check(l, (const char *)path.data, err);
	buf_free(&path);
	return status;
}

static const char *
linked_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dw.dwarf_attr(die, attribute, &a) == NULL ? NULL :
	    dw.dwarf_formstring(&a);
}

/* libdw tries the folder of the file, then that of the compilation. */
static enum prof_status
linked_unit_check(const struct linked_files *l, const char *folder,
    Dwarf_Die *unit, struct prof_error *err)
{
	const char *name = linked_string(unit, DW_AT_dwo_name);
	const char *compiled_in = linked_string(unit, DW_AT_comp_dir);

	if (name == NULL)
		name = linked_string(unit, DW_AT_GNU_dwo_name);
	if (name == NULL)
		return PROF_OK;
	if (linked_name_check(l, folder, "", name, err) != PROF_OK)
		return PROF_FAIL;
	return compiled_in == NULL ? PROF_OK :
	    linked_name_check(l, folder, compiled_in, name, err);
}

/* .gnu_debugaltlink is a name, which ends with NUL, and a build id. */
static enum prof_status
linked_alternate_check(const struct linked_files *l, const char *folder,
    struct prof_error *err)
{
	if (l->alternate.size == 0 ||
	    memchr(l->alternate.data, 0, l->alternate.size) == NULL)
		return PROF_OK;
	return linked_name_check(l, folder, "",
	    (const char *)l->alternate.data, err);
}

enum prof_status
linked_files_check(const struct linked_files *l, struct prof_error *err)
{
	char folder[PATH_MAX];
	enum prof_status status;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	linked_folder(l->fd, folder);
	status = linked_alternate_check(l, folder, err);
	/* Without a place for the split unit, libdw does not search for it. */
	while (status == PROF_OK && dw.dwarf_get_units(l->dwarf, cu, &cu, NULL,
	    &type, &unit, NULL) == 0) {
		if (type == DW_UT_skeleton)
			status = linked_unit_check(l, folder, &unit, err);
	}
	return status;
}
