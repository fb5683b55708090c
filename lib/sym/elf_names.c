/* Names in ELF files, by System V's gABI, chapters 4 and 5. */
#include "config.h"

#include "sym/elf_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/map.h"
#include "io/read_at.h"
#include "sym/work.h"

enum {
	IDENT_SIZE = 16, CLASS_AT = 4, DATA_AT = 5,
	SHT_SYMTAB = 2, SHT_NOBITS = 8, SHT_DYNSYM = 11,
	SHF_COMPRESSED = 0x800,
	STT_FUNC = 2, STT_GNU_IFUNC = 10, TYPE_MASK = 15,
	SHN_UNDEF = 0, SHN_XINDEX = 0xffff
};

/* A file has one section of each kind: others would be read many times. */
enum { SYMBOLS = 1, DYNAMIC_SYMBOLS = 2, DEBUG_STRINGS = 4 };

static const uint8_t magic[4] = { 0x7f, 'E', 'L', 'F' };

struct elf {
	struct prof_span file;
	bool big, wide;			/* byte order; 64 bits */
	uint64_t sections;		/* offset of the section headers */
	uint64_t section_size, count;
	uint64_t names;			/* the section of section names */
	struct work work;
	elf_name_visit *visit;
	void *arg;
};

struct elf_section {
	uint32_t name, type, link;
	uint64_t flags, offset, size, entry_size;
};

/* An address, offset or size of the class. */
static uint64_t
elf_word(const struct elf *e, struct cursor *c)
{
	return e->wide ? cur_u64(c) : cur_u32(c);
}

static enum prof_status
elf_read_section(const struct elf *e, uint64_t n, struct elf_section *s,
    struct prof_error *err)
{
	struct cursor c = { .data = e->file.data, .size = e->file.size,
	    .big = e->big };

	if (n >= e->count)
		return err_set(err, PROF_E_CORRUPT, "section %llu is not one "
		    "of %llu", ull(n), ull(e->count));
	c.pos = (size_t)(e->sections + n * e->section_size);
	s->name = cur_u32(&c);
	s->type = cur_u32(&c);
	s->flags = elf_word(e, &c);
	elf_word(e, &c);
	s->offset = elf_word(e, &c);
	s->size = elf_word(e, &c);
	s->link = cur_u32(&c);
	cur_u32(&c);
	elf_word(e, &c);
	s->entry_size = elf_word(e, &c);
	return PROF_OK;
}

static enum prof_status
elf_contents(const struct elf *e, const struct elf_section *s,
    struct prof_span *out, struct prof_error *err)
{
	*out = (struct prof_span){ e->file.data, 0 };
	if (s->type == SHT_NOBITS)
		return PROF_OK;
	if (s->offset > e->file.size || s->size > e->file.size - s->offset)
		return err_set(err, PROF_E_TRUNCATED, "a section of %llu bytes "
		    "at 0x%llx exceeds the file's %zu", ull(s->size),
		    ull(s->offset), e->file.size);
	*out = (struct prof_span){ e->file.data + s->offset, (size_t)s->size };
	return PROF_OK;
}

/* The string at an offset; data NULL if it does not end in its table. */
static struct prof_span
elf_string(struct prof_span table, uint64_t offset)
{
	struct prof_span text = { NULL, 0 };
	const uint8_t *end;

	if (offset >= table.size)
		return text;
	end = memchr(table.data + offset, '\0', table.size - (size_t)offset);
	if (end == NULL)
		return text;
	text.data = table.data + offset;
	text.size = (size_t)(end - text.data);
	return text;
}

static enum prof_status
elf_read_header(struct elf *e, struct prof_error *err)
{
	struct cursor c = { .data = e->file.data, .size = e->file.size };
	uint64_t least, left;
	struct elf_section first;
	bool counted;

	if (e->file.size < IDENT_SIZE ||
	    memcmp(e->file.data, magic, sizeof(magic)) != 0 ||
	    (unsigned)e->file.data[CLASS_AT] - 1 > 1 ||
	    (unsigned)e->file.data[DATA_AT] - 1 > 1)
		return err_set(err, PROF_E_FORMAT, "not an ELF file");
	e->wide = e->file.data[CLASS_AT] == 2;
	e->big = c.big = e->file.data[DATA_AT] == 2;
	cur_bytes(&c, e->wide ? 40 : 32);
	e->sections = elf_word(e, &c);
	cur_u32(&c);
	cur_u32(&c);
	cur_u16(&c);
	e->section_size = cur_u16(&c);
	e->count = cur_u16(&c);
	e->names = cur_u16(&c);
	if (c.failed)
		return err_set(err, PROF_E_TRUNCATED,
		    "the ELF header is cut off");
	counted = e->count != 0;
	if (e->sections == 0) {
		e->count = 0;
		return PROF_OK;
	}
	least = e->wide ? 64 : 40;
	left = e->sections > e->file.size ? 0 : e->file.size - e->sections;
	if (e->section_size < least || left < least)
		return err_set(err, PROF_E_TRUNCATED, "section headers of %llu "
		    "bytes at 0x%llx are outside the file",
		    ull(e->section_size), ull(e->sections));
	/* Large numbers of sections stand in the header of the first one. */
	if (!counted)
		e->count = 1;
	if (elf_read_section(e, 0, &first, err) != PROF_OK)
		return PROF_FAIL;
	if (!counted)
		e->count = first.size;
	if (e->names == SHN_XINDEX)
		e->names = first.link;
	if (e->count > left / e->section_size)
		return err_set(err, PROF_E_TRUNCATED, "%llu section headers "
		    "at 0x%llx exceed the file's %zu bytes", ull(e->count),
		    ull(e->sections), e->file.size);
	return PROF_OK;
}

static enum prof_status
elf_visit_symbols(struct elf *e, const struct elf_section *s,
    struct prof_error *err)
{
	uint64_t size = e->wide ? 24 : 16;
	struct elf_section strings;
	struct prof_span symbols, table;

	if (s->entry_size < size)
		return err_set(err, PROF_E_CORRUPT, "symbols of %llu bytes "
		    "are smaller than %llu", ull(s->entry_size), ull(size));
	if (elf_contents(e, s, &symbols, err) != PROF_OK ||
	    elf_read_section(e, s->link, &strings, err) != PROF_OK ||
	    elf_contents(e, &strings, &table, err) != PROF_OK)
		return PROF_FAIL;
	/* A search for a NUL that is missing would be repeated. */
	table = span_of_strings(table);
	for (size_t at = 0; symbols.size - at >= s->entry_size;
	    at += (size_t)s->entry_size) {
		const uint8_t *p = symbols.data + at;
		uint8_t type = p[e->wide ? 4 : 12] & TYPE_MASK;
		uint16_t section = load_u16(p + (e->wide ? 6 : 14), e->big);
		struct prof_span name;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    section == SHN_UNDEF)
			continue;
		name = elf_string(table, load_u32(p, e->big));
		/* Linkers let names share bytes, but not often. */
		if (work_take(&e->work, name.size, WORK_MADE, "names of "
		    "symbols", err) != PROF_OK)
			return PROF_FAIL;
		if (name.size != 0 && !e->visit(e->arg, name))
			return PROF_END;
	}
	return PROF_OK;
}

enum prof_status
elf_names_visit(struct prof_span file, elf_name_visit *visit, void *arg,
    struct prof_error *err)
{
	static const char strings[] = ".debug_str";
	struct elf e = { .file = file, .work.input = file.size, .visit = visit,
	    .arg = arg };
	struct prof_span names = { file.data, 0 }, table, text;
	enum prof_status status = PROF_OK;
	unsigned seen = 0, kind;
	struct elf_section s;

	if (elf_read_header(&e, err) != PROF_OK)
		return PROF_FAIL;
	if (e.names != SHN_UNDEF && e.count != 0 &&
	    (elf_read_section(&e, e.names, &s, err) != PROF_OK ||
	    elf_contents(&e, &s, &names, err) != PROF_OK))
		return PROF_FAIL;
	for (uint64_t i = 0; status == PROF_OK && i < e.count; i++) {
		elf_read_section(&e, i, &s, err);
		kind = s.type == SHT_SYMTAB ? SYMBOLS :
		    s.type == SHT_DYNSYM ? DYNAMIC_SYMBOLS : 0;
		/* Another name may be very long: it is not measured. */
		if (kind == 0 && (s.flags & SHF_COMPRESSED) == 0 &&
		    s.name <= names.size &&
		    names.size - s.name >= sizeof(strings) &&
		    memcmp(names.data + s.name, strings, sizeof(strings)) == 0)
			kind = DEBUG_STRINGS;
		if (kind == 0 || (seen & kind) != 0)
			continue;
		seen |= kind;
		if (kind != DEBUG_STRINGS) {
			status = elf_visit_symbols(&e, &s, err);
			continue;
		}
		if (elf_contents(&e, &s, &table, err) != PROF_OK)
			return PROF_FAIL;
		for (size_t at = 0; status == PROF_OK && (text =
		    elf_string(table, at)).data != NULL; at += text.size + 1) {
			if (text.size != 0 && !visit(arg, text))
				status = PROF_END;
		}
	}
	return status;
}

static enum prof_status
elf_names_of_descriptor(int fd, off_t size, elf_name_visit *visit, void *arg,
    struct prof_error *err)
{
	enum prof_status status;
	struct map *map = NULL;

	if ((uint64_t)size <= SIZE_MAX)
		map = map_file(fd, (size_t)size);
	if (map == NULL)
		return err_system(err, errno, "cannot read");
	status = elf_names_visit((struct prof_span){ map_bytes(map),
	    (size_t)size }, visit, arg, err);
	if (!map_is_whole(map))
		status = err_set(err, PROF_E_SYSTEM,
		    "the file became shorter while it was read");
	map_free(map);
	return status == PROF_END ? err_memory(err) : status;
}

enum prof_status
elf_names_of_file(const char *path, elf_name_visit *visit, void *arg,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;
	uint8_t bytes[sizeof(magic)];
	struct stat st;
	int fd;

	/* To open another kind of file could wait, or have effects. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return PROF_END;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return PROF_END;
	if (read_at(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	    memcmp(bytes, magic, sizeof(magic)) == 0 && fstat(fd, &st) == 0)
		status = elf_names_of_descriptor(fd, st.st_size, visit, arg,
		    err);
	close(fd);
	return status;
}
