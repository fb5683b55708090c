#include "config.h"

#include "sym/dwarf/elf_bounds.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

/* Sections may decompress to that many bytes, and times the file's size. */
#define UNPACKED_FREE	((uint64_t)1 << 20)
#define UNPACKED_RATIO	16

enum packing { NOT_PACKED, PACKED_ELF, PACKED_GNU, PACKED_BADLY };

/* Whether the names of all sections together fit into the file. */
static bool
elf_names_fit(Elf *elf, struct prof_span names, uint64_t file_bytes)
{
	uint64_t left = file_bytes, size;
	Elf_Scn *scn = NULL;
	GElf_Shdr s;

	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL || s.sh_name >= names.size)
			continue;
		size = strlen((const char *)names.data + s.sh_name);
		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

/* NULL also if there are no names that libelf would read. */
static const char *
elf_names_fault(Elf *elf, uint64_t file_bytes)
{
	struct prof_span names;
	Elf_Data *data;
	Elf_Scn *scn;
	size_t index;
	GElf_Shdr s;

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
	return elf_names_fit(elf, names, file_bytes) ? NULL :
	    "the names of sections overlap";
}

const char *
elf_sections_fault(Elf *elf, uint64_t file_bytes)
{
	uint64_t bytes = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr s;

	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		/* A section that is not in the file cannot be read. */
		if (dw.gelf_getshdr(scn, &s) != NULL &&
		    s.sh_type != SHT_NOBITS && s.sh_size <= file_bytes)
			bytes = saturating_add(bytes, s.sh_size);
	}
	return bytes / 2 > file_bytes ? "the sections overlap" :
	    elf_names_fault(elf, file_bytes);
}

static enum prof_status
elf_unpack_err(const char *path, const char *name, struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "%s: %s: %s", path, name,
	    dw.elf_errmsg(-1));
}

/*
 * Whether a section is compressed in the way of GNU, which begins with "ZLIB"
 * and the size; its name begins with .z then, and libdw asks for no more.
 */
static bool
elf_unpack_is_gnu(Elf_Scn *scn, const char *name, uint64_t *size)
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

/* How a section is compressed, and the size that its header claims. */
static enum packing
elf_unpack_kind(Elf_Scn *scn, const char *name, const GElf_Shdr *s,
    uint64_t *size)
{
	GElf_Chdr header;

	if ((s->sh_flags & SHF_COMPRESSED) == 0)
		return elf_unpack_is_gnu(scn, name, size) ? PACKED_GNU :
		    NOT_PACKED;
	if (dw.gelf_getchdr(scn, &header) == NULL)
		return PACKED_BADLY;
	*size = header.ch_size;
	return PACKED_ELF;
}

static enum prof_status
elf_unpack_add(struct elf_unpacked *u, uint64_t size, const char *path,
    const char *name, struct prof_error *err)
{
	u->section_bytes = saturating_add(u->section_bytes, size);
	if (u->section_bytes > UNPACKED_FREE &&
	    (u->section_bytes - UNPACKED_FREE) / UNPACKED_RATIO >=
	    u->file_bytes)
		return err_set(err, PROF_E_LIMIT, "%s: %s: the sections "
		    "decompress to more than %llu bytes and %u times the size "
		    "of the file", path, name, ull(UNPACKED_FREE),
		    UNPACKED_RATIO);
	return PROF_OK;
}

enum prof_status
elf_unpack_section(Elf_Scn *scn, const char *name, const GElf_Shdr *s,
    struct elf_unpacked *u, const char *path, struct prof_error *err)
{
	uint64_t size = 0;
	enum packing kind = elf_unpack_kind(scn, name, s, &size);

	if (kind == NOT_PACKED)
		return PROF_OK;
	if (kind == PACKED_BADLY)
		return elf_unpack_err(path, name, err);
	if (elf_unpack_add(u, size, path, name, err) != PROF_OK)
		return PROF_FAIL;
	if ((kind == PACKED_GNU ? dw.elf_compress_gnu(scn, 0, 0) :
	    dw.elf_compress(scn, 0, 0)) < 0)
		return elf_unpack_err(path, name, err);
	/* libdw would uncompress it again. */
	if (elf_unpack_is_gnu(scn, name, &size))
		return err_set(err, PROF_E_CORRUPT, "%s: %s: it is compressed "
		    "twice", path, name);
	return PROF_OK;
}

/*
 * The next section with contents and a name behind `scn`, or NULL.  Those of
 * section groups are passed over, as by libdw.
 */
static Elf_Scn *
elf_next_named(Elf *elf, Elf_Scn *scn, size_t strings, GElf_Shdr *s,
    const char **name)
{
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		*name = dw.gelf_getshdr(scn, s) == NULL ? NULL :
		    dw.elf_strptr(elf, strings, s->sh_name);
		if (*name != NULL && s->sh_type != SHT_NOBITS &&
		    s->sh_size != 0 && (s->sh_flags & SHF_GROUP) == 0)
			return scn;
	}
	return NULL;
}

/* The next section behind `scn` that libdw takes for `name`, or NULL. */
static Elf_Scn *
elf_next_of(Elf *elf, Elf_Scn *scn, const char *name)
{
	const char *other;
	size_t strings;
	GElf_Shdr s;

	if (dw.elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((scn = elf_next_named(elf, scn, strings, &s, &other)) != NULL) {
		/* .zdebug_line stands for .debug_line, but not for others. */
		if (other[0] == '.' && other[1] == 'z' && name[1] != 'z' &&
		    strncmp(name, ".gnu.", 5) != 0 ?
		    strcmp(other + 2, name + 1) == 0 : strcmp(other, name) == 0)
			return scn;
	}
	return NULL;
}

bool
elf_has_section(Elf *elf, const char *name)
{
	return elf_next_of(elf, NULL, name) != NULL;
}

struct prof_span
elf_contents(Elf *elf, const char *name)
{
	const Elf_Data *data;
	Elf_Scn *scn = NULL;

	while ((scn = elf_next_of(elf, scn, name)) != NULL) {
		data = dw.elf_rawdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			return (struct prof_span){ data->d_buf, data->d_size };
	}
	return (struct prof_span){ NULL, 0 };
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

enum prof_status
elf_unpack_all(Elf *elf, struct elf_unpacked *u, const char *path,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;
	GElf_Shdr s;

	if (dw.elf_getshdrstrndx(elf, &strings) != 0)
		return elf_unpack_err(path, "names of sections", err);
	while (status == PROF_OK &&
	    (scn = elf_next_named(elf, scn, strings, &s, &name)) != NULL)
		status = elf_unpack_section(scn, name, &s, u, path, err);
	return status;
}
