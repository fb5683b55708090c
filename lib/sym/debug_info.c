/*
 * Opens debug information, once it is known what libdw would do with it.
 *
 * For each unit libdw has a structure, and a table of the abbreviations that
 * its entries use, also if units share one.  A small file could have very many
 * units of few bytes, or units that share a large table.
 *
 * Debug information names other files, which libdw opens by itself: those of
 * units that were split off (.dwo), and one that files of dwz share
 * (.gnu_debugaltlink).  It opens a .dwo file for each unit that names the file.
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/same_file.h"
#include "sym/sym.h"

/*
 * An abbreviation costs its bytes, which libdw reads for each unit, and
 * ABBREVIATION_COST for its 47 bytes of memory in elfutils 0.188.  The least
 * one has 5 bytes: a file takes at most 650 bytes of memory for each of its
 * own.  Units of 6000 small structures and 6000 enumerations, by GCC 12 with
 * -fdebug-types-section, take 190 units of work for each of their bytes.
 *
 * Compilers write up to 30 attributes of an abbreviation: libdw searches all
 * for each one that is asked for.
 */
enum {
	ABBREVIATION_BYTES_MIN = 5, ABBREVIATION_COST = 32,
	ATTRIBUTES_MAX = 256
};

/*
 * Clang's -flto=full -gsplit-dwarf makes one .dwo file of all units, which is
 * opened for each of them: each time, it brings the work for this part of its
 * bytes.  100 units of one small function take half of that.
 */
enum { AGAIN_PART = 8 };

/*
 * In a file with several kinds of names, as an object file of Clang's
 * -gsplit-dwarf=single, versions of libdw differ in which they take.
 */
static const char *const unit_names[] = {
	".debug_info", ".debug_info.dwo", ".gnu.debuglto_.debug_info",
	".debug_types", ".debug_types.dwo", ".gnu.debuglto_.debug_types", NULL
};

static const char *const table_names[] = {
	".debug_abbrev", ".debug_abbrev.dwo", ".gnu.debuglto_.debug_abbrev",
	NULL
};

struct unit_headers {
	struct elf_file *file;
	struct cursor abbreviations;	/* the section */
	struct id_map tables;		/* costs by offset */
	uint64_t attributes;		/* of the abbreviation with most */
};

/*
 * A LEB128 of up to ten bytes, signed or not, without the bits above the 64th.
 * libdw reads the bytes behind the tenth as the next number, or as this one,
 * depending on its version.
 */
static uint64_t
headers_read_leb(struct cursor *c)
{
	uint64_t n = 0;
	uint8_t byte = 0x80;

	for (unsigned i = 0; i < 10 && byte >= 0x80; i++) {
		byte = cur_u8(c);
		n |= (uint64_t)(byte & 0x7f) << 7 * i;
	}
	c->failed = c->failed || byte >= 0x80;
	return n;
}

/* A code, name or form as a LEB128, of which libdw drops higher bits. */
static uint64_t
headers_read_code(struct cursor *c)
{
	uint64_t n = headers_read_leb(c);

	c->failed = c->failed || n > UINT32_MAX;
	return n;
}

/*
 * The cost of a table of abbreviations, up to its end.  As in libdw, this is a
 * byte of 0.  With damage, versions of libdw differ in what they take for the
 * end: then the whole rest of the section counts.
 */
static uint64_t
headers_measure_table(struct unit_headers *h, uint64_t offset)
{
	struct cursor c = h->abbreviations;
	uint64_t count = 0, bytes, n, name, form;

	cur_bytes(&c, offset);
	if (c.failed)
		return 0;
	for (; cur_left(&c) > 0 && c.data[c.pos] != 0 && !c.failed; count++) {
		headers_read_code(&c);
		headers_read_leb(&c);		/* the tag */
		cur_u8(&c);			/* whether there are children */
		n = 0;
		do {
			name = headers_read_code(&c);
			form = headers_read_code(&c);
			if (form == DW_FORM_implicit_const)
				headers_read_leb(&c);
			n++;
		} while (!c.failed && (name != 0 || form != 0));
		if (n - 1 > h->attributes)
			h->attributes = n - 1;
	}
	bytes = (c.failed ? c.size : c.pos) - offset;
	if (c.failed)
		count = bytes / ABBREVIATION_BYTES_MIN;
	return bytes + ABBREVIATION_COST * count;
}

/*
 * Takes the work for the units in a section, by their headers (DWARF 2 to 5,
 * section 7.5.1).  Damage is left to libdw.
 */
static enum prof_status
headers_read_section(struct unit_headers *h, const char *name,
    struct prof_error *err)
{
	struct prof_span section = elf_contents(h->file->elf, name);
	struct cursor c = { .data = section.data, .size = section.size,
	    .big = elf_is_big_endian(h->file->elf) };
	struct prof_error why = { 0 };
	uint64_t length, offset, *cost;
	size_t start;
	bool wide;

	while (!c.failed && cur_left(&c) > 0) {
		length = cur_u32(&c);
		wide = length == UINT32_MAX;
		if (wide)
			length = cur_u64(&c);
		start = c.pos;
		if (cur_u16(&c) >= 5)
			cur_u16(&c);	/* unit_type and address_size */
		offset = wide ? cur_u64(&c) : cur_u32(&c);
		if (c.failed)
			return PROF_OK;
		c.pos = start;
		cur_bytes(&c, length);
		cost = id_map_find(&h->tables, offset);
		if (cost == NULL)
			cost = id_map_add(&h->tables, offset,
			    headers_measure_table(h, offset));
		if (cost == NULL)
			return err_memory(err);
		if (h->attributes > ATTRIBUTES_MAX)
			return err_set(err, PROF_E_LIMIT, "%s: .debug_abbrev: "
			    "an abbreviation has more than %d attributes",
			    h->file->path, ATTRIBUTES_MAX);
		if (work_take(h->file->work, WORK_UNIT + *cost, 1, "units of "
		    ".debug_info", &why) != PROF_OK)
			return elf_file_err(h->file, &why, err);
	}
	return PROF_OK;
}

/*
 * Takes the work for all units of a file, whose sections are not compressed,
 * under all names that libdw takes for these.
 */
static enum prof_status
headers_check(struct elf_file *f, struct prof_error *err)
{
	struct unit_headers h = { .file = f };
	enum prof_status status = PROF_OK;

	for (size_t i = 0; status == PROF_OK && table_names[i] != NULL; i++) {
		struct prof_span table = elf_contents(f->elf, table_names[i]);

		h.abbreviations = (struct cursor){ .data = table.data,
		    .size = table.size };
		for (size_t j = 0; table.data != NULL && status == PROF_OK &&
		    unit_names[j] != NULL; j++)
			status = headers_read_section(&h, unit_names[j], err);
		id_map_clear(&h.tables);
	}
	id_map_free(&h.tables);
	return status;
}

/* The file whose debug information names others. */
struct linked_files {
	const struct binary *binary;
	char folder[PATH_MAX];		/* of the binary, or empty */
	struct id_map seen;		/* i-nodes of files opened so far */
};

static const char alternate[] = ".gnu_debugaltlink";

/*
 * Takes the work for an ELF file that libdw will open.  The work that its own
 * bytes bring is for this file only: what is left of it lapses.
 */
static enum prof_status
linked_check_elf(struct linked_files *l, struct elf_file *f, uint64_t inode,
    struct prof_error *err)
{
	uint64_t size = elf_file_bytes(f->elf), own, done;
	const char *fault = size == 0 ? NULL : elf_sections_fault(f->elf);
	struct prof_error why = { 0 };
	enum prof_status status;
	uint64_t *times;
	size_t strings;

	if (size == 0)
		return PROF_OK;
	if (work_take(f->work, size, 1, "files that it names", &why) != PROF_OK)
		return elf_file_err(&l->binary->file, &why, err);
	if (fault != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: %s", f->path, fault);
	if (elf_contents(f->elf, alternate).data != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: it has %s, although "
		    "%s names it", f->path, alternate, l->binary->path);
	/* libdw does without a file whose sections have no names. */
	if (dw.elf_getshdrstrndx(f->elf, &strings) != 0)
		return PROF_OK;
	times = id_map_add(&l->seen, inode, 0);
	if (times == NULL)
		return err_memory(err);
	done = f->work->done;
	own = size;
	f->work->input += own;
	status = elf_unpack_all(f, err);
	if (status == PROF_OK) {
		f->work->input -= own;
		own = (size + f->unpacked) / ((*times)++ > 0 ? AGAIN_PART : 1);
		f->work->input += own;
		status = headers_check(f, err);
	}
	f->work->input -= own;
	/* These bytes are in memory: the product fits. */
	f->work->done -= own * WORK_RATIO < f->work->done - done ?
	    own * WORK_RATIO : f->work->done - done;
	return status;
}

/*
 * Checks a file by its name where libdw will look for it (elfutils 0.188:
 * libdw_find_split_unit.c, dwarf_getalt.c).  The name may be relative to `base`
 * and, if that is relative, too, to the folder (libdw_open_file.c,
 * __libdw_filepath).  Files that are missing, or are not ELF, pass: libdw does
 * without them.  So does the file that was checked last for this unit, `last`.
 */
static enum prof_status
linked_check_name(struct linked_files *l, const char *base, const char *name,
    struct stat *last, struct prof_error *err)
{
	struct elf_file f = { .work = l->binary->file.work };
	enum prof_status status = PROF_OK;
	struct buf path = { 0 };
	struct stat st;
	int fd = -1;

	if (*name == '/')
		buf_text(&path, name);
	else if (*base == '/')
		buf_print(&path, "%s/%s", base, name);
	else if (*l->folder == '/')
		buf_print(&path, "%s%s%s%s", l->folder, base,
		    *base == '\0' ? "" : "/", name);
	buf_u8(&path, '\0');
	f.path = (const char *)path.data;
	if (path.failed)
		status = err_memory(err);
	else if (stat(f.path, &st) == 0 && !S_ISDIR(st.st_mode) &&
	    !same_file(&st, last)) {
		*last = st;
		if (S_ISREG(st.st_mode))
			fd = open(f.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		else
			status = err_set(err, PROF_E_FORMAT, "%s: %s, which it "
			    "names, is not a file", l->binary->path, f.path);
	}
	if (fd != -1)
		f.elf = dw.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (f.elf != NULL) {
		status = linked_check_elf(l, &f, st.st_ino, err);
		dw.elf_end(f.elf);
	}
	if (fd != -1)
		close(fd);
	buf_free(&path);
	return status;
}

static enum prof_status
linked_check_all(const struct binary *b, struct prof_error *err)
{
	struct prof_span link = elf_contents(b->file.elf, alternate);
	struct linked_files l = { .binary = b };
	enum prof_status status = PROF_OK;
	struct stat last = { .st_ino = 0 };
	const char *name, *compiled_in;
	char opened[64], *slash;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	ssize_t n;

	/*
	 * The folder of the file, with links resolved, and a slash behind.  If
	 * it is unknown, libdw finds files by absolute names only.
	 */
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", b->fd);
	n = readlink(opened, l.folder, sizeof(l.folder) - 1);
	l.folder[n < 0 ? 0 : n] = '\0';
	slash = strrchr(l.folder, '/');
	if (slash != NULL)
		slash[1] = '\0';
	/* .gnu_debugaltlink is a name, which ends with NUL, and a build id. */
	if (link.data != NULL && memchr(link.data, 0, link.size) != NULL)
		status = linked_check_name(&l, "", (const char *)link.data,
		    &last, err);
	/* Without a place for the split unit, libdw does not search for it. */
	while (status == PROF_OK && dw.dwarf_get_units(b->dwarf, cu, &cu, NULL,
	    &type, &unit, NULL) == 0) {
		if (type != DW_UT_skeleton)
			continue;
		/*
		 * libdw tries the folder of the file, then that of the
		 * compilation if it found no such unit.  This may be the same
		 * file, of which it holds one at a time.
		 */
		last = (struct stat){ .st_ino = 0 };
		name = die_string(&unit, DW_AT_dwo_name);
		if (name == NULL)
			name = die_string(&unit, DW_AT_GNU_dwo_name);
		compiled_in = die_string(&unit, DW_AT_comp_dir);
		if (name != NULL)
			status = linked_check_name(&l, "", name, &last, err);
		if (status == PROF_OK && name != NULL && compiled_in != NULL)
			status = linked_check_name(&l, compiled_in, name, &last,
			    err);
	}
	id_map_free(&l.seen);
	return status;
}

Dwarf *
debug_info_open(struct binary *b, struct prof_error *err)
{
	struct elf_file *f = &b->file;

	if (b->dwarf != NULL)
		return b->dwarf;
	if (elf_unpack_all(f, err) != PROF_OK)
		return NULL;
	/* What is made of sections is in proportion to their real size. */
	f->work->input += f->unpacked;
	f->unpacked = 0;
	if (headers_check(f, err) != PROF_OK)
		return NULL;
	b->dwarf = dw.dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (b->dwarf == NULL) {
		err_set(err, PROF_E_CORRUPT, "%s: debug information: %s",
		    b->path, dw.dwarf_errmsg(-1));
	} else if (linked_check_all(b, err) != PROF_OK) {
		dw.dwarf_end(b->dwarf);
		b->dwarf = NULL;
	}
	return b->dwarf;
}
