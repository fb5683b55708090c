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
#include "io/same_file.h"

/* Files that are named may have that many bytes, and times the file's size. */
#define OPENED_FREE	((uint64_t)16 << 20)
#define OPENED_RATIO	250

static const char alternate[] = ".gnu_debugaltlink";

static enum prof_status
linked_count_bytes(struct linked_files *l, const char *path, uint64_t size,
    struct prof_error *err)
{
	uint64_t own = l->unpacked->file_bytes - l->opened;

	if (size > OPENED_FREE + OPENED_RATIO * own - l->opened)
		return err_set(err, PROF_E_LIMIT, "%s: the files that it "
		    "names, up to %s, have more than %llu bytes and %u times "
		    "its size", l->path, path, ull(OPENED_FREE), OPENED_RATIO);
	l->opened += size;
	l->unpacked->file_bytes += size;
	return PROF_OK;
}

static enum prof_status
linked_units_check(struct linked_files *l, const char *path, Elf *elf,
    uint64_t inode, struct prof_error *err)
{
	uint64_t *times = id_map_add(&l->seen, inode, 0);

	if (times == NULL)
		return err_memory(err);
	unit_headers_allow(elf, (*times)++ > 0, l->units);
	return unit_headers_check(elf, path, l->units, err);
}

static enum prof_status
linked_elf_check(struct linked_files *l, const char *path, Elf *elf,
    uint64_t inode, struct prof_error *err)
{
	const char *fault;
	size_t size = 0, strings;

	if (dw.elf_rawfile(elf, &size) == NULL)
		return PROF_OK;
	if (linked_count_bytes(l, path, size, err) != PROF_OK)
		return PROF_FAIL;
	fault = elf_sections_fault(elf, size);
	if (fault != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: %s", path, fault);
	if (elf_contents(elf, alternate).data != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: it has %s, although "
		    "%s names it", path, alternate, l->path);
	/* libdw does without a file whose sections have no names. */
	if (dw.elf_getshdrstrndx(elf, &strings) != 0)
		return PROF_OK;
	if (elf_unpack_all(elf, l->unpacked, path, err) != PROF_OK)
		return PROF_FAIL;
	return linked_units_check(l, path, elf, inode, err);
}

/* Passes over the file that was checked last for this unit, `last`. */
static enum prof_status
linked_file_check(struct linked_files *l, const char *path, struct stat *last,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct stat st;
	Elf *elf;
	int fd;

	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode) ||
	    same_file(&st, last))
		return PROF_OK;
	*last = st;
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "%s: %s, which it names, is "
		    "not a file", l->path, path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	elf = fd == -1 ? NULL : dw.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf != NULL) {
		status = linked_elf_check(l, path, elf, st.st_ino, err);
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
linked_name_check(struct linked_files *l, const char *folder,
    const char *base, const char *name, struct stat *last,
    struct prof_error *err)
{
	struct buf path = { 0 };
	enum prof_status status;

	if (*name == '/')
		buf_text(&path, name);
	else if (*base == '/')
		buf_print(&path, "%s/%s", base, name);
	else if (*folder == '/')
		buf_print(&path, "%s%s%s%s", folder, base,
		    *base == '\0' ? "" : "/", name);
	buf_u8(&path, '\0');
	status = path.failed ? err_memory(err) :
	    linked_file_check(l, (const char *)path.data, last, err);
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

/*
 * libdw tries the folder of the file, then that of the compilation if it found
 * no such unit.  This may be the same file, of which it holds one at a time.
 */
static enum prof_status
linked_unit_check(struct linked_files *l, const char *folder,
    Dwarf_Die *unit, struct prof_error *err)
{
	const char *name = linked_string(unit, DW_AT_dwo_name);
	const char *compiled_in = linked_string(unit, DW_AT_comp_dir);
	struct stat last = { .st_ino = 0 };

	if (name == NULL)
		name = linked_string(unit, DW_AT_GNU_dwo_name);
	if (name == NULL)
		return PROF_OK;
	if (linked_name_check(l, folder, "", name, &last, err) != PROF_OK)
		return PROF_FAIL;
	return compiled_in == NULL ? PROF_OK :
	    linked_name_check(l, folder, compiled_in, name, &last, err);
}

/* .gnu_debugaltlink is a name, which ends with NUL, and a build id. */
static enum prof_status
linked_alternate_check(struct linked_files *l, const char *folder,
    struct prof_error *err)
{
	struct prof_span link = elf_contents(dw.dwarf_getelf(l->dwarf),
	    alternate);
	struct stat last = { .st_ino = 0 };

	if (link.data == NULL || memchr(link.data, 0, link.size) == NULL)
		return PROF_OK;
	return linked_name_check(l, folder, "", (const char *)link.data, &last,
	    err);
}

enum prof_status
linked_files_check(struct linked_files *l, struct prof_error *err)
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
	id_map_free(&l->seen);
	return status;
}
