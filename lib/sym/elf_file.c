/* Opening and reading one ELF file with libelf. */
#include "config.h"

#include "sym/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file_kind.h"
#include "io/map.h"
#include "io/read_at.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/unit_headers.h"
#include "sym/dwarf/elf_bounds.h"
#include "sym/linked_files.h"

static enum prof_status
elf_file_err(const struct binary *b, struct prof_error *err, const char *what)
{
	return err_set(err, PROF_E_CORRUPT, "%s: %s: %s", b->path, what,
	    dw.elf_errmsg(-1));
}

/* Refuses files that are not ELF, by the first bytes. */
static enum prof_status
elf_file_check_magic(const struct binary *b, struct prof_error *err)
{
	uint8_t bytes[64];
	ssize_t n = read_at(b->fd, bytes, sizeof(bytes), 0);
	struct prof_span start = { bytes, n < 0 ? 0 : (size_t)n };
	const char *kind;

	if (n < 0)
		return err_system(err, errno, b->path);
	if (n >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
		return PROF_OK;
	kind = file_kind(start);
	if (kind == NULL)
		return err_set(err, PROF_E_FORMAT, "%s: not an ELF file",
		    b->path);
	return err_set(err, PROF_E_UNSUPPORTED, "%s: %s: only ELF is read",
	    b->path, kind);
}

/*
 * Refuses objects and core files, whose addresses are not those of a module,
 * files that are truncated, and those that repeat their bytes in sections.
 */
static enum prof_status
elf_file_check_header(struct binary *b, struct prof_error *err)
{
	const char *fault;
	GElf_Ehdr header;
	size_t sections;

	/* No error number tells of it. */
	if (dw.elf_kind(b->elf) != ELF_K_ELF)
		return err_set(err, PROF_E_CORRUPT, "%s: ELF header: the "
		    "class, byte order or version is unknown", b->path);
	if (dw.gelf_getehdr(b->elf, &header) == NULL)
		return elf_file_err(b, err, "ELF header");
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
	if (dw.elf_getshdrnum(b->elf, &sections) != 0 ||
	    (sections == 0 && header.e_shnum != 0))
		return err_set(err, PROF_E_TRUNCATED, "%s: section headers at "
		    "0x%llx are outside the file", b->path,
		    (unsigned long long)header.e_shoff);
	fault = elf_sections_fault(b->elf, b->unpacked.file_bytes);
	if (fault != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: %s", b->path, fault);
	return PROF_OK;
}

static bool
elf_file_add_load(struct binary *b, const GElf_Phdr *p)
{
	return ARRAY_ADD(b->loads, b->load_count, b->load_room,
	    (struct binary_load){ .offset = p->p_offset,
	    .file_size = p->p_filesz, .address = p->p_vaddr,
	    .memory_size = p->p_memsz,
	    .executable = (p->p_flags & PF_X) != 0 });
}

/*
 * Looks for the build id (NT_GNU_BUILD_ID of "GNU") in notes, unless it was
 * found before.  False if out of memory.
 */
static bool
elf_file_read_notes(struct binary *b, Elf_Data *data)
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

static enum prof_status
elf_file_read_program_headers(struct binary *b, struct prof_error *err)
{
	uint64_t notes = 0;
	size_t count;
	GElf_Phdr p;

	if (dw.elf_getphdrnum(b->elf, &count) != 0)
		return elf_file_err(b, err, "program headers");
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		if (dw.gelf_getphdr(b->elf, (int)i, &p) == NULL)
			return elf_file_err(b, err, "program headers");
		if (p.p_type == PT_LOAD && !elf_file_add_load(b, &p))
			return err_memory(err);
		if (p.p_type != PT_NOTE || p.p_filesz > b->unpacked.file_bytes)
			continue;
		notes = saturating_add(notes, p.p_filesz);
		if (notes > b->unpacked.file_bytes)
			return err_set(err, PROF_E_CORRUPT, "%s: the segments "
			    "of notes overlap", b->path);
		if (!elf_file_read_notes(b, dw.elf_getdata_rawchunk(b->elf,
		    (int64_t)p.p_offset, (size_t)p.p_filesz,
		    p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)))
			return err_memory(err);
	}
	return PROF_OK;
}

/*
 * Looks for code and for notes in sections: debug files of some tools have
 * their notes in sections only.
 */
static enum prof_status
elf_file_read_sections(struct binary *b, struct prof_error *err)
{
	bool code = false, empty = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr s;

	while ((scn = dw.elf_nextscn(b->elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL)
			continue;
		if (s.sh_type == SHT_NOTE &&
		    !elf_file_read_notes(b, dw.elf_getdata(scn, NULL)))
			return err_memory(err);
		if ((s.sh_flags & SHF_EXECINSTR) != 0 && s.sh_size != 0) {
			code = code || s.sh_type != SHT_NOBITS;
			empty = empty || s.sh_type == SHT_NOBITS;
		}
	}
	b->debug_only = empty && !code;
	return PROF_OK;
}

/* libelf maps the file, whose bytes may be missing later. */
static enum prof_status
elf_file_map(struct binary *b, struct prof_error *err)
{
	const char *bytes;
	size_t size;

	b->elf = dw.elf_begin(b->fd, ELF_C_READ_MMAP, NULL);
	if (b->elf == NULL)
		return elf_file_err(b, err, "ELF");
	bytes = dw.elf_rawfile(b->elf, &size);
	if (bytes == NULL)
		return elf_file_err(b, err, "ELF");
	b->unpacked.file_bytes = size;
	b->map = map_watch(bytes, size);
	return PROF_OK;
}

static enum prof_status
elf_file_read(struct binary *b, struct prof_error *err)
{
	struct stat st;

	/* O_NONBLOCK: the open of a FIFO without a writer must not block. */
	b->fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (b->fd == -1 || fstat(b->fd, &st) != 0)
		return err_system(err, errno, b->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "%s: not a file", b->path);
	if (elf_file_check_magic(b, err) != PROF_OK)
		return PROF_FAIL;
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
		return elf_file_err(b, err, "ELF");
	if (elf_file_map(b, err) != PROF_OK ||
	    elf_file_check_header(b, err) != PROF_OK ||
	    elf_file_read_program_headers(b, err) != PROF_OK)
		return PROF_FAIL;
	return elf_file_read_sections(b, err);
}

struct binary *
binary_open(const char *path, const struct binary_search *search,
    struct prof_error *err)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (b == NULL || (b->path = strdup(path)) == NULL) {
		free(b);
		err_memory(err);
		return NULL;
	}
	b->fd = -1;
	b->search = search;
	err_memory_begin();
	if (err_if_memory(elf_file_read(b, err), err) != PROF_OK) {
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
	if (b->mini != NULL)
		dw.elf_end(b->mini);
	map_free(b->map);
	if (b->elf != NULL)
		dw.elf_end(b->elf);
	if (b->fd != -1)
		close(b->fd);
	arena_free(&b->arena);
	buf_free(&b->mini_bytes);
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

uint64_t
binary_file_size(const struct binary *b)
{
	struct stat st;

	return fstat(b->fd, &st) == 0 && st.st_size > 0 ?
	    (uint64_t)st.st_size : 0;
}

struct prof_span
binary_build_id(const struct binary *b)
{
	return b->build_id;
}

bool
binary_big_endian(const struct binary *b)
{
	return b->big_endian;
}

uint8_t
binary_pointer_bits(const struct binary *b)
{
	return b->pointer_bits;
}

const struct binary_load *
binary_loads(const struct binary *b, size_t *count)
{
	*count = b->load_count;
	return b->loads;
}

bool
binary_is_debug_file(const struct binary *b)
{
	return b->debug_only;
}

/* The section of that name, or NULL. */
static Elf_Scn *
elf_file_find_section(const struct binary *b, const char *name, GElf_Shdr *s)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (dw.elf_getshdrstrndx(b->elf, &strings) != 0)
		return NULL;
	while ((scn = dw.elf_nextscn(b->elf, scn)) != NULL) {
		const char *other;

		if (dw.gelf_getshdr(scn, s) == NULL)
			continue;
		other = dw.elf_strptr(b->elf, strings, s->sh_name);
		if (other != NULL && strcmp(other, name) == 0)
			return scn;
	}
	return NULL;
}

enum prof_status
elf_file_section(struct binary *b, const char *name,
    struct binary_section *out, struct prof_error *err)
{
	GElf_Shdr s;
	Elf_Scn *scn = elf_file_find_section(b, name, &s);
	Elf_Data *data;

	if (scn == NULL)
		return PROF_END;
	if (elf_unpack_section(scn, name, &s, &b->unpacked, b->path, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (dw.gelf_getshdr(scn, &s) == NULL)
		return elf_file_err(b, err, name);
	*out = (struct binary_section){ .address = s.sh_addr,
	    .size = s.sh_size };
	if (s.sh_type == SHT_NOBITS || s.sh_size == 0)
		return PROF_OK;
	data = dw.elf_getdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return elf_file_err(b, err, name);
	out->data = (struct prof_span){ data->d_buf, data->d_size };
	return PROF_OK;
}

bool
elf_file_has_debug_info(const struct binary *b)
{
	return elf_has_section(b->elf, ".debug_info");
}

struct Dwarf *
elf_file_dwarf(struct binary *b, struct prof_error *err)
{
	struct elf_unpacked unpacked;
	struct unit_totals units = { 0 };
	struct linked_files linked = { .path = b->path, .fd = b->fd,
	    .unpacked = &unpacked, .units = &units };

	if (b->dwarf != NULL)
		return b->dwarf;
	if (elf_unpack_all(b->elf, &b->unpacked, b->path, err) != PROF_OK)
		return NULL;
	unit_headers_allow(b->elf, false, &units);
	if (unit_headers_check(b->elf, b->path, &units, err) != PROF_OK)
		return NULL;
	b->dwarf = dw.dwarf_begin_elf(b->elf, DWARF_C_READ, NULL);
	linked.dwarf = b->dwarf;
	unpacked = b->unpacked;
	if (b->dwarf == NULL) {
		err_set(err, PROF_E_CORRUPT, "%s: debug information: %s",
		    b->path, dw.dwarf_errmsg(-1));
	} else if (linked_files_check(&linked, err) != PROF_OK) {
		dw.dwarf_end(b->dwarf);
		b->dwarf = NULL;
	}
	return b->dwarf;
}
