/* One ELF file: opening it, and reading its sections within bounds. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "io/map.h"
#include "io/read_at.h"
#include "sym/sym.h"

#ifdef ELFUTILS_SONAME
LIBRARY_LOADED(libdw, dw, LIBDW_FUNCTIONS, ELFUTILS_SONAME, "symbols",
    "required")
#else
LIBRARY_LINKED(libdw, dw, LIBDW_FUNCTIONS)
#endif

enum prof_status
elf_file_err(const struct elf_file *f, const struct prof_error *why,
    struct prof_error *err)
{
	return err_set(err, why->code, "%s: %s", f->path, why->reason);
}

static enum prof_status
elf_library_err(const struct elf_file *f, const char *what,
    struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "%s: %s: %s", f->path, what,
	    dw.elf_errmsg(-1));
}

uint64_t
elf_file_bytes(Elf *elf)
{
	size_t size = 0;

	dw.elf_rawfile(elf, &size);
	return size;
}

bool
elf_is_big_endian(Elf *elf)
{
	GElf_Ehdr header;

	return dw.gelf_getehdr(elf, &header) != NULL &&
	    header.e_ident[EI_DATA] == ELFDATA2MSB;
}

const char *
elf_sections_fault(Elf *elf)
{
	uint64_t bytes = 0, file_bytes = elf_file_bytes(elf), left = file_bytes;
	struct prof_span names;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	size_t index;
	GElf_Shdr s;

	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		/* A section that is not in the file cannot be read. */
		if (dw.gelf_getshdr(scn, &s) != NULL &&
		    s.sh_type != SHT_NOBITS && s.sh_size <= file_bytes)
			bytes = saturating_add(bytes, s.sh_size);
	}
	if (bytes / 2 > file_bytes)
		return "the sections overlap";
	/* If there are no names, libelf reads none. */
	if (dw.elf_getshdrstrndx(elf, &index) != 0 ||
	    (scn = dw.elf_getscn(elf, index)) == NULL ||
	    dw.gelf_getshdr(scn, &s) == NULL || s.sh_type != SHT_STRTAB)
		return NULL;
	if ((s.sh_flags & SHF_COMPRESSED) != 0)
		return "the names of sections are compressed";
	data = dw.elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL || data->d_size == 0)
		return NULL;
	names = (struct prof_span){ data->d_buf, data->d_size };
	if (names.data[names.size - 1] != '\0')
		return "the names of sections do not end with NUL";
	for (scn = NULL; (scn = dw.elf_nextscn(elf, scn)) != NULL;) {
		if (dw.gelf_getshdr(scn, &s) == NULL || s.sh_name >= names.size)
			continue;
		bytes = strlen((const char *)names.data + s.sh_name);
		if (bytes > left)
			return "the names of sections overlap";
		left -= bytes;
	}
	return NULL;
}

/*
 * Whether a section is compressed in the way of GNU, which begins with "ZLIB"
 * and the size; its name begins with .z then, and libdw asks for no more.
 */
static bool
elf_is_gnu_compressed(Elf_Scn *scn, const char *name, uint64_t *size)
{
	Elf_Data *data;

	if (name[0] != '.' || name[1] != 'z')
		return false;
	data = dw.elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL || data->d_size < 12 ||
	    memcmp(data->d_buf, "ZLIB", 4) != 0)
		return false;
	*size = load_u64((const uint8_t *)data->d_buf + 4, true);
	return true;
}

/*
 * Uncompresses a section in place, if it is compressed: the header of the
 * section and its data change.  Debug information takes some hundred times its
 * bytes in libdw, so that what sections decompress to is bounded more than
 * inputs are.  In sound files, it is 2 to 6 times the file.
 */
static enum prof_status
elf_unpack(struct elf_file *f, Elf_Scn *scn, const char *name,
    const GElf_Shdr *s, struct prof_error *err)
{
	bool gnu = (s->sh_flags & SHF_COMPRESSED) == 0;
	struct prof_error why = { 0 };
	uint64_t size = 0;
	GElf_Chdr header;

	if (gnu && !elf_is_gnu_compressed(scn, name, &size))
		return PROF_OK;
	if (!gnu && dw.gelf_getchdr(scn, &header) == NULL)
		return elf_library_err(f, name, err);
	if (!gnu)
		size = header.ch_size;
	if (work_take(f->work, size, WORK_MADE, name, &why) != PROF_OK)
		return elf_file_err(f, &why, err);
	if ((gnu ? dw.elf_compress_gnu(scn, 0, 0) :
	    dw.elf_compress(scn, 0, 0)) < 0)
		return elf_library_err(f, name, err);
	f->unpacked += size;
	/* libdw would uncompress it again. */
	if (elf_is_gnu_compressed(scn, name, &size))
		return err_set(err, PROF_E_CORRUPT, "%s: %s: it is compressed "
		    "twice", f->path, name);
	return PROF_OK;
}

/*
 * The next section behind `scn` with contents and a name, or NULL: any, or one
 * that libdw takes for `wanted`.  Those of section groups are passed over, as
 * by libdw.
 */
static Elf_Scn *
elf_next_section(Elf *elf, Elf_Scn *scn, const char *wanted, GElf_Shdr *s,
    const char **name)
{
	size_t strings;
	bool packed;

	if (dw.elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		*name = dw.gelf_getshdr(scn, s) == NULL ? NULL :
		    dw.elf_strptr(elf, strings, s->sh_name);
		if (*name == NULL || s->sh_type == SHT_NOBITS ||
		    s->sh_size == 0 || (s->sh_flags & SHF_GROUP) != 0)
			continue;
		if (wanted == NULL)
			return scn;
		/* .zdebug_line stands for .debug_line, but not for others. */
		packed = (*name)[0] == '.' && (*name)[1] == 'z' &&
		    wanted[1] != 'z' && strncmp(wanted, ".gnu.", 5) != 0;
		if (packed ? strcmp(*name + 2, wanted + 1) == 0 :
		    strcmp(*name, wanted) == 0)
			return scn;
	}
	return NULL;
}

enum prof_status
elf_unpack_all(struct elf_file *f, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;
	GElf_Shdr s;

	if (dw.elf_getshdrstrndx(f->elf, &strings) != 0)
		return elf_library_err(f, "names of sections", err);
	while (status == PROF_OK &&
	    (scn = elf_next_section(f->elf, scn, NULL, &s, &name)) != NULL)
		status = elf_unpack(f, scn, name, &s, err);
	return status;
}

bool
elf_has_section(Elf *elf, const char *name)
{
	const char *found;
	GElf_Shdr s;

	return elf_next_section(elf, NULL, name, &s, &found) != NULL;
}

struct prof_span
elf_contents(Elf *elf, const char *name)
{
	const Elf_Data *data;
	Elf_Scn *scn = NULL;
	const char *found;
	GElf_Shdr s;

	while ((scn = elf_next_section(elf, scn, name, &s, &found)) != NULL) {
		data = dw.elf_rawdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			return (struct prof_span){ data->d_buf, data->d_size };
	}
	return (struct prof_span){ NULL, 0 };
}

enum prof_status
elf_file_section(struct binary *b, const char *name,
    struct binary_section *out, struct prof_error *err)
{
	struct elf_file *f = &b->file;
	const char *other = NULL;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	size_t strings;
	GElf_Shdr s;

	if (dw.elf_getshdrstrndx(f->elf, &strings) != 0)
		return PROF_END;
	while ((scn = dw.elf_nextscn(f->elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL)
			continue;
		other = dw.elf_strptr(f->elf, strings, s.sh_name);
		if (other != NULL && strcmp(other, name) == 0)
			break;
	}
	if (scn == NULL)
		return PROF_END;
	if (elf_unpack(f, scn, name, &s, err) != PROF_OK)
		return PROF_FAIL;
	if (dw.gelf_getshdr(scn, &s) == NULL)
		return elf_library_err(f, name, err);
	*out = (struct binary_section){ .address = s.sh_addr,
	    .size = s.sh_size };
	if (s.sh_type == SHT_NOBITS || s.sh_size == 0)
		return PROF_OK;
	data = dw.elf_getdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return elf_library_err(f, name, err);
	out->data = (struct prof_span){ data->d_buf, data->d_size };
	return PROF_OK;
}

/*
 * Refuses objects and core files, whose addresses are not those of a module,
 * files that are truncated, and those that repeat their bytes in sections.
 */
static enum prof_status
elf_check_header(struct binary *b, struct prof_error *err)
{
	Elf *elf = b->file.elf;
	const char *fault;
	GElf_Ehdr header;
	size_t sections;

	/* No error number tells of it. */
	if (dw.elf_kind(elf) != ELF_K_ELF)
		return err_set(err, PROF_E_CORRUPT, "%s: ELF header: the "
		    "class, byte order or version is unknown", b->path);
	if (dw.gelf_getehdr(elf, &header) == NULL)
		return elf_library_err(&b->file, "ELF header", err);
	b->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	b->pointer_bits = header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
	if (header.e_type == ET_REL)
		return err_set(err, PROF_E_UNSUPPORTED, "%s: an object file "
		    "that is not linked", b->path);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return err_set(err, PROF_E_UNSUPPORTED, "%s: ELF of type %u is "
		    "neither a program nor a shared library", b->path,
		    (unsigned)header.e_type);
	/* To libelf, a truncated file is one without sections. */
	if (dw.elf_getshdrnum(elf, &sections) != 0 ||
	    (sections == 0 && header.e_shnum != 0))
		return err_set(err, PROF_E_TRUNCATED, "%s: section headers at "
		    "0x%llx are outside the file", b->path,
		    ull(header.e_shoff));
	fault = elf_sections_fault(elf);
	return fault == NULL ? PROF_OK : err_set(err, PROF_E_CORRUPT, "%s: %s",
	    b->path, fault);
}

/*
 * Looks for the build id (NT_GNU_BUILD_ID of "GNU") in notes, unless it was
 * found before.  False if out of memory.
 */
static bool
elf_read_notes(struct binary *b, Elf_Data *data)
{
	size_t next = 0, name, desc;
	GElf_Nhdr note;

	while (data != NULL && b->build_id.data == NULL &&
	    (next = dw.gelf_getnote(data, next, &note, &name, &desc)) > 0) {
		const uint8_t *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    note.n_descsz == 0 || memcmp(bytes + name, "GNU", 4) != 0)
			continue;
		b->build_id = arena_copy(&b->arena, (struct prof_span){
		    bytes + desc, note.n_descsz });
		if (b->build_id.data == NULL)
			return false;
	}
	return true;
}

/* Reads where the file is loaded, its build id, and whether it has code. */
static enum prof_status
elf_read_headers(struct binary *b, struct prof_error *err)
{
	uint64_t notes = 0, file_bytes = elf_file_bytes(b->file.elf);
	bool code = false, empty = false;
	Elf_Scn *scn = NULL;
	size_t count;
	GElf_Phdr p;
	GElf_Shdr s;

	if (dw.elf_getphdrnum(b->file.elf, &count) != 0)
		return elf_library_err(&b->file, "program headers", err);
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		if (dw.gelf_getphdr(b->file.elf, (int)i, &p) == NULL)
			return elf_library_err(&b->file, "program headers",
			    err);
		if (p.p_type == PT_LOAD && !ARRAY_ADD(b->loads, b->load_count,
		    b->load_room, (struct binary_load){ .offset = p.p_offset,
		    .file_size = p.p_filesz, .address = p.p_vaddr,
		    .memory_size = p.p_memsz,
		    .executable = (p.p_flags & PF_X) != 0 }))
			return err_memory(err);
		if (p.p_type != PT_NOTE || p.p_filesz > file_bytes)
			continue;
		notes = saturating_add(notes, p.p_filesz);
		if (notes > file_bytes)
			return err_set(err, PROF_E_CORRUPT, "%s: the segments "
			    "of notes overlap", b->path);
		if (!elf_read_notes(b, dw.elf_getdata_rawchunk(b->file.elf,
		    (int64_t)p.p_offset, (size_t)p.p_filesz,
		    p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)))
			return err_memory(err);
	}
	/* Debug files of some tools have their notes in sections only. */
	while ((scn = dw.elf_nextscn(b->file.elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL)
			continue;
		if (s.sh_type == SHT_NOTE &&
		    !elf_read_notes(b, dw.elf_getdata(scn, NULL)))
			return err_memory(err);
		if ((s.sh_flags & SHF_EXECINSTR) != 0 && s.sh_size != 0) {
			code = code || s.sh_type != SHT_NOBITS;
			empty = empty || s.sh_type == SHT_NOBITS;
		}
	}
	b->debug_only = empty && !code;
	return PROF_OK;
}

static enum prof_status
elf_read_file(struct binary *b, struct prof_error *err)
{
	const char *kind, *mapped;
	uint8_t bytes[64];
	struct stat st;
	size_t size;
	ssize_t n;

	/* O_NONBLOCK: the open of a FIFO without a writer must not block. */
	b->fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (b->fd == -1 || fstat(b->fd, &st) != 0)
		return err_system(err, errno, b->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "%s: not a file", b->path);
	n = read_at(b->fd, bytes, sizeof(bytes), 0);
	if (n < 0)
		return err_system(err, errno, b->path);
	if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
		kind = file_kind((struct prof_span){ bytes, (size_t)n });
		if (kind == NULL)
			return err_set(err, PROF_E_FORMAT, "%s: not an ELF "
			    "file", b->path);
		return err_set(err, PROF_E_UNSUPPORTED, "%s: %s: only ELF is "
		    "read", b->path, kind);
	}
	if (libdw_load(err) != PROF_OK)
		return PROF_FAIL;
	/*
	 * A loaded library has its error numbers in memory that glibc allocates
	 * when a thread first uses them, and it ends the program if it cannot:
	 * that is to be done before libelf lacks memory and sets one.
	 */
	(void)dw.elf_errno();
	(void)dw.dwarf_errno();
	if (dw.elf_version(EV_CURRENT) == EV_NONE)
		return elf_library_err(&b->file, "ELF", err);
	b->file.elf = dw.elf_begin(b->fd, ELF_C_READ_MMAP, NULL);
	mapped = b->file.elf == NULL ? NULL : dw.elf_rawfile(b->file.elf,
	    &size);
	if (mapped == NULL)
		return elf_library_err(&b->file, "ELF", err);
	/* libelf maps the file, whose bytes may be missing later. */
	b->map = map_watch(mapped, size);
	b->file.work->input += size;
	if (elf_check_header(b, err) != PROF_OK)
		return PROF_FAIL;
	return elf_read_headers(b, err);
}

struct binary *
elf_file_open(const char *path, struct work *work, struct prof_error *err)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (b == NULL || (b->path = strdup(path)) == NULL) {
		free(b);
		err_memory(err);
		return NULL;
	}
	b->fd = -1;
	b->file = (struct elf_file){ .path = b->path, .work = work };
	err_memory_begin();
	if (err_if_memory(elf_read_file(b, err), err) != PROF_OK) {
		binary_close(b);
		return NULL;
	}
	return b;
}

void
binary_close(struct binary *b)
{
	if (b == NULL)
		return;
	binary_close(b->debug);
	if (b->dwarf != NULL)
		dw.dwarf_end(b->dwarf);
	map_free(b->map);
	if (b->file.elf != NULL)
		dw.elf_end(b->file.elf);
	if (b->fd != -1)
		close(b->fd);
	arena_free(&b->arena);
	free(b->loads);
	free(b->path);
	free(b);
}

enum prof_status
binary_check_whole(const struct binary *b, struct prof_error *err)
{
	for (; b != NULL; b = b->debug) {
		if (b->map != NULL && !map_is_whole(b->map))
			return err_set(err, PROF_E_TRUNCATED, "%s: became "
			    "shorter or unreadable while it was read",
			    b->path);
	}
	return PROF_OK;
}

const char *
binary_path(const struct binary *b)
{
	return b->path;
}

struct prof_span
binary_build_id(const struct binary *b)
{
	return b->build_id;
}
