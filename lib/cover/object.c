/* cover/object.c - sections of coverage in ELF, Mach-O and COFF files */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/libzstd.h"
#include "cover/cover.h"

/* Names that -profile-correlate=binary leaves out of memory count last. */
enum object_part {
	OBJECT_MAP,
	OBJECT_FUNCTIONS,
	OBJECT_NAMES,
	OBJECT_UNLOADED_NAMES,
	OBJECT_NOTHING
};

/* Names of sections, by part: those of ELF and of Mach-O, and those of COFF. */
static const char *const object_parts[OBJECT_NOTHING] = { "__llvm_covmap",
    "__llvm_covfun", "__llvm_prf_names", "__llvm_covnames" };
static const char *const coff_parts[OBJECT_NOTHING] = { ".lcovmap", ".lcovfun",
    ".lprfn", ".lcovn" };

/* An object file that is being read. */
struct object {
	struct cover_sections *out;
	struct prof_span image;
	const struct object_format *format;
	uint64_t taken;			/* bytes of sections */
	uint64_t room;			/* for sections that are compressed */
	struct prof_span unloaded;
};

struct object_format {
	const char *name;
	const char *const *parts;	/* names of sections, by part */
	bool (*is)(struct prof_span first_bytes);
	enum prof_status (*read)(struct object *, struct prof_error *);
};

/* A row of a table, whose last one has number 0. */
struct object_machine {
	uint32_t number, variant;	/* variant 0: any */
	const char *arch;
};

/* A number of 4 or 8 bytes. */
static uint64_t
object_word(struct cursor *c, bool wide)
{
	return wide ? cur_u64(c) : cur_u32(c);
}

/* What a section of that name is; the name ends with the span or a NUL. */
static enum object_part
object_part(const struct object *o, struct prof_span name)
{
	const char *const *parts = o->format->parts;
	size_t size;

	for (int i = 0; i < OBJECT_NOTHING; i++) {
		size = strlen(parts[i]);
		if (name.size >= size && memcmp(name.data, parts[i],
		    size) == 0 && (name.size == size ||
		    name.data[size] == '\0' || (name.data[size] == '$' &&
		    parts == coff_parts)))
			return (enum object_part)i;
	}
	return OBJECT_NOTHING;
}

static const char *
object_arch(const struct object_machine *m, uint32_t number, uint32_t variant)
{
	/* Above 24 bits, Mach-O says what else a processor must have. */
	while (m->number != 0 && (m->number != number || (m->variant != 0 &&
	    m->variant != (variant & 0xffffff))))
		m++;
	return m->arch;
}

/*
 * The bytes of a section.  Sections that together have more bytes than the file
 * are refused: a small file could have each byte read any number of times.
 */
static enum prof_status
object_bytes(struct object *o, uint64_t offset, uint64_t size,
    struct prof_span *out, struct prof_error *err)
{
	if (offset > o->image.size || size > o->image.size - offset)
		return err_at(err, PROF_E_TRUNCATED, offset, "%s: a section of "
		    "%llu bytes exceeds the file of %zu", o->format->name,
		    ull(size), o->image.size);
	o->taken += size;
	if (o->taken > o->image.size)
		return err_at(err, PROF_E_CORRUPT, offset, "%s: sections "
		    "overlap", o->format->name);
	*out = (struct prof_span){ o->image.data + offset, (size_t)size };
	return PROF_OK;
}

/* The address is that of the section, if it matters. */
static enum prof_status
object_add(struct object *o, enum object_part part, struct prof_span bytes,
    uint64_t address, struct prof_error *err)
{
	struct cover_sections *s = o->out;
	struct prof_span *place = part == OBJECT_MAP ? &s->map :
	    part == OBJECT_NAMES ? &s->names : &o->unloaded;

	/* Linkers leave some zeros where there are no names. */
	if (bytes_are_zero(bytes.data, bytes.size))
		return PROF_OK;
	if (part == OBJECT_FUNCTIONS)
		return ARRAY_ADD(s->functions, s->functions_size,
		    s->functions_room, bytes) ? PROF_OK : err_memory(err);
	if (place->size > 0)
		return err_set(err, PROF_E_UNSUPPORTED, "%s: two sections %s",
		    o->format->name, o->format->parts[part]);
	*place = bytes;
	if (part == OBJECT_NAMES)
		s->names_address = address;
	return PROF_OK;
}

/* ELF */

/* An ELF file whose header was read. */
struct elf_file {
	struct object *o;
	bool big, wide;			/* byte order; 64 bits */
	uint64_t sections;		/* offset of their headers */
	uint64_t sections_size;		/* how many */
	uint64_t header_size;		/* bytes of one */
	struct prof_span names;
};

struct elf_section {
	uint32_t name, type, link;
	uint64_t flags, address, offset, size;
};

enum { LITTLE = 1, BIG };

static const struct object_machine elf_machines[] = {
	{ EM_386, 0, "i386" },
	{ EM_X86_64, 0, "x86_64" },
	{ EM_ARM, 0, "arm" },
	{ EM_AARCH64, BIG, "aarch64_be" },
	{ EM_AARCH64, 0, "aarch64" },
	{ EM_PPC, BIG, "powerpc" },
	{ EM_PPC64, BIG, "powerpc64" },
	{ EM_PPC64, LITTLE, "powerpc64le" },
	{ EM_S390, 0, "s390x" },
	{ EM_MIPS, LITTLE, "mipsel" },
	{ EM_MIPS, BIG, "mips" },
	{ EM_RISCV, 0, "riscv64" },
	{ 258, 0, "loongarch64" },	/* <elf.h> has a name since 2022 */
	{ 0, 0, "unknown" }
};

/* A header, which lies in the file. */
static void
elf_section_get(const struct elf_file *e, uint64_t number,
    struct elf_section *s)
{
	struct prof_span image = e->o->image;
	struct cursor c = { .data = image.data, .size = image.size,
	    .pos = (size_t)(e->sections + number * e->header_size),
	    .big = e->big };

	s->name = cur_u32(&c);
	s->type = cur_u32(&c);
	s->flags = object_word(&c, e->wide);
	s->address = object_word(&c, e->wide);
	s->offset = object_word(&c, e->wide);
	s->size = object_word(&c, e->wide);
	s->link = cur_u32(&c);
}

/*
 * Reads the header, with the extended numbers of sections (ELF gABI, figure
 * 4-6), and finds their names.
 */
static enum prof_status
elf_open(struct elf_file *e, struct prof_error *err)
{
	struct prof_span image = e->o->image;
	struct cursor c = { .data = image.data, .size = image.size,
	    .pos = EI_NIDENT, .big = image.data[EI_DATA] == ELFDATA2MSB };
	struct elf_section s = { 0 };
	uint64_t names, room;

	e->big = c.big;
	e->wide = image.data[EI_CLASS] == ELFCLASS64;
	e->o->out->relocatable = cur_u16(&c) == ET_REL;
	e->o->out->arch = object_arch(elf_machines, cur_u16(&c), e->big ? BIG :
	    LITTLE);
	cur_bytes(&c, e->wide ? 20 : 12);
	e->sections = object_word(&c, e->wide);
	cur_bytes(&c, 10);
	e->header_size = cur_u16(&c);
	e->sections_size = cur_u16(&c);
	names = cur_u16(&c);
	if (c.failed)
		return err_at(err, PROF_E_TRUNCATED, c.pos, "ELF: the header "
		    "is cut off");
	if (e->sections == 0) {
		e->sections_size = 0;
		return PROF_OK;
	}
	room = e->sections > image.size || e->header_size < (e->wide ? 64 :
	    40) ? 0 : (image.size - e->sections) / e->header_size;
	if (room > 0)
		elf_section_get(e, 0, &s);
	if (e->sections_size == 0)
		e->sections_size = s.size;
	if (names == SHN_XINDEX)
		names = s.link;
	if (room == 0 || e->sections_size > room)
		return err_at(err, PROF_E_TRUNCATED, e->sections, "ELF: %llu "
		    "headers of sections, of %llu bytes each, exceed the file "
		    "of %zu", ull(e->sections_size), ull(e->header_size),
		    image.size);
	if (names >= e->sections_size)
		return err_at(err, PROF_E_CORRUPT, e->sections, "ELF: section "
		    "%llu of names is none of %llu", ull(names),
		    ull(e->sections_size));
	elf_section_get(e, names, &s);
	return object_bytes(e->o, s.offset, s.size, &e->names, err);
}

/* Finds the build id among notes, whose parts are padded. */
static void
elf_read_notes(struct elf_file *e, struct prof_span notes)
{
	struct cursor c = { .data = notes.data, .size = notes.size,
	    .big = e->big };
	struct prof_span name, id;
	uint32_t type;

	while (cur_left(&c) > 0 && !c.failed) {
		name.size = cur_u32(&c);
		id.size = cur_u32(&c);
		type = cur_u32(&c);
		name.data = cur_bytes(&c, name.size);
		cur_bytes(&c, -c.pos & 3);
		id.data = cur_bytes(&c, id.size);
		if (id.data != NULL && type == NT_GNU_BUILD_ID &&
		    name.size == 4 && memcmp(name.data, "GNU", 4) == 0)
			e->o->out->build_id = id;
		cur_bytes(&c, -c.pos & 3);
	}
}

/* Replaces what zlib or zstd (2) has made of a section by the section. */
static enum prof_status
elf_inflate(struct elf_file *e, struct prof_span *s, struct prof_error *err)
{
	struct cursor c = { .data = s->data, .size = s->size, .big = e->big };
	uint32_t type = cur_u32(&c);
	uint64_t size;
	ZSTD_DCtx *zstd;
	uint8_t *plain;
	uLongf got;

	cur_bytes(&c, e->wide ? 4 : 0);
	size = object_word(&c, e->wide);
	cur_bytes(&c, e->wide ? 8 : 4);
	if (c.failed || type < ELFCOMPRESS_ZLIB || type > 2)
		return err_set(err, PROF_E_UNSUPPORTED, "ELF: a section of "
		    "compression %u", (unsigned)type);
	if (size > e->o->room || size > SIZE_MAX)
		return err_set(err, PROF_E_LIMIT, "ELF: compressed sections "
		    "exceed their limit with %llu bytes", ull(size));
	e->o->room -= size;
	got = (uLongf)size;
	plain = arena_alloc(&e->o->out->arena, (size_t)size);
	if (plain == NULL)
		return err_memory(err);
	if (type == ELFCOMPRESS_ZLIB) {
		if (uncompress(plain, &got, c.data + c.pos,
		    (uLong)cur_left(&c)) != Z_OK)
			got = (uLongf)~size;
	} else {
		if (libzstd_load(err) != PROF_OK)
			return PROF_FAIL;
		zstd = libzstd.ZSTD_createDCtx();
		if (zstd == NULL)
			return err_memory(err);
		got = (uLongf)libzstd.ZSTD_decompressDCtx(zstd, plain,
		    (size_t)size, c.data + c.pos, cur_left(&c));
		libzstd.ZSTD_freeDCtx(zstd);
	}
	if (got != size)
		return err_set(err, PROF_E_CORRUPT, "ELF: a compressed section "
		    "does not inflate to its %llu bytes", ull(size));
	*s = (struct prof_span){ plain, (size_t)size };
	return PROF_OK;
}

static enum prof_status
elf_read(struct object *o, struct prof_error *err)
{
	struct elf_file e = { .o = o };
	struct prof_span bytes, name;
	enum object_part part;
	struct elf_section s;

	if (elf_open(&e, err) != PROF_OK)
		return PROF_FAIL;
	o->out->big = e.big;
	o->out->pointer_size = e.wide ? 8 : 4;
	for (uint64_t i = 0; i < e.sections_size; i++) {
		elf_section_get(&e, i, &s);
		if (s.type == SHT_NOBITS || s.name >= e.names.size)
			continue;
		name = (struct prof_span){ e.names.data + s.name,
		    e.names.size - s.name };
		part = object_part(o, name);
		if (part == OBJECT_NOTHING && s.type != SHT_NOTE)
			continue;
		if (object_bytes(o, s.offset, s.size, &bytes, err) != PROF_OK)
			return PROF_FAIL;
		if (part == OBJECT_NOTHING)
			elf_read_notes(&e, bytes);
		else if (((s.flags & SHF_COMPRESSED) != 0 && elf_inflate(&e,
		    &bytes, err) != PROF_OK) || object_add(o, part, bytes,
		    s.address, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
elf_is(struct prof_span s)
{
	return s.size >= EI_NIDENT && memcmp(s.data, ELFMAG, SELFMAG) == 0;
}

/* Mach-O (mach-o/loader.h) */

enum { FILE_OBJECT = 1, LC_SEGMENT = 1, LC_SEGMENT_64 = 0x19, LC_UUID = 0x1b };
enum { UUID_SIZE = 16, MACHO_NAME_SIZE = 16 };

/* As MachOObjectFile::getArchTriple has them. */
static const struct object_machine macho_arches[] = {
	{ 7, 0, "i386" },
	{ 0x01000007, 8, "x86_64h" },
	{ 0x01000007, 0, "x86_64" },
	{ 12, 9, "armv7" },
	{ 12, 11, "armv7s" },
	{ 12, 12, "armv7k" },
	{ 12, 0, "arm" },
	{ 0x0100000c, 2, "arm64e" },
	{ 0x0100000c, 0, "arm64" },
	{ 0x0200000c, 0, "arm64_32" },
	{ 18, 0, "ppc" },
	{ 0x01000012, 0, "ppc64" },
	{ 0, 0, "unknown" }
};

static bool
macho_is(struct prof_span s)
{
	uint32_t magic = s.size < 4 ? 0 : load_u32(s.data, s.data[0] == 0xfe);

	return magic == 0xfeedface || magic == 0xfeedfacf;
}

/*
 * Java class files have the same magic.  The number of arches follows here, the
 * minor and major version there: majors begin at 45.
 */
static bool
macho_is_universal(struct prof_span s)
{
	uint32_t magic = s.size < 8 ? 0 : load_u32(s.data, true);

	return (magic == 0xcafebabe || magic == 0xcafebabf) &&
	    load_u32(s.data + 4, true) < 45;
}

/* The part of a universal file for an arch; of another file, all of it. */
static enum prof_status
macho_slice(struct prof_span image, const char *arch, struct prof_span *slice,
    struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size,
	    .big = true };
	bool wide = cur_u32(&c) == 0xcafebabf;
	uint32_t count = cur_u32(&c), processor;
	uint64_t offset, size;
	char names[128] = "";
	size_t used = 0;
	const char *name;

	*slice = image;
	if (!macho_is_universal(image))
		return PROF_OK;
	for (uint32_t i = 0; i < count; i++) {
		processor = cur_u32(&c);
		name = object_arch(macho_arches, processor, cur_u32(&c));
		offset = object_word(&c, wide);
		size = object_word(&c, wide);
		cur_bytes(&c, wide ? 8 : 4);
		if (c.failed || offset > image.size ||
		    size > image.size - offset)
			return err_at(err, PROF_E_TRUNCATED, c.pos, "Mach-O: "
			    "the %u arches exceed the file of %zu bytes",
			    (unsigned)count, image.size);
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) -
			    used, "%s%s", i == 0 ? "" : ", ", name);
		if (arch == NULL ? count != 1 : strcmp(arch, name) != 0)
			continue;
		*slice = (struct prof_span){ image.data + offset,
		    (size_t)size };
		return PROF_OK;
	}
	return err_set(err, PROF_E_UNSUPPORTED, "Mach-O: a universal file of "
	    "%s%s%s", names, arch == NULL ? ": which one, --arch says" :
	    ", not of ", arch == NULL ? "" : arch);
}

/*
 * Reads the sections of a segment: the one segment of a relocatable object has
 * no name, and those of all.  Without an offset, a section has no bytes: one of
 * zeros, or of the program in its companion file (dSYM).
 */
static enum prof_status
macho_read_segment(struct object *o, struct cursor *c, bool wide,
    struct prof_error *err)
{
	uint64_t address, size;
	uint32_t count, offset;
	struct prof_span name = { .size = MACHO_NAME_SIZE }, bytes;
	enum object_part part;

	cur_bytes(c, MACHO_NAME_SIZE + (wide ? 40 : 24));
	count = cur_u32(c);
	cur_u32(c);
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		name.data = cur_bytes(c, MACHO_NAME_SIZE);
		cur_bytes(c, MACHO_NAME_SIZE);
		address = object_word(c, wide);
		size = object_word(c, wide);
		offset = cur_u32(c);
		cur_bytes(c, wide ? 28 : 24);
		if (c->failed || offset == 0)
			continue;
		part = object_part(o, name);
		if (part != OBJECT_NOTHING && (object_bytes(o, offset, size,
		    &bytes, err) != PROF_OK || object_add(o, part, bytes,
		    address, err) != PROF_OK))
			return PROF_FAIL;
	}
	return !c->failed ? PROF_OK : err_at(err, PROF_E_CORRUPT, c->pos,
	    "Mach-O: %u sections exceed their segment", (unsigned)count);
}

static enum prof_status
macho_read(struct object *o, struct prof_error *err)
{
	struct cursor c = { .data = o->image.data, .size = o->image.size,
	    .big = o->image.data[0] == 0xfe }, inside;
	bool wide = cur_u32(&c) == 0xfeedfacf;
	uint32_t processor = cur_u32(&c), count, kind, size;

	o->out->arch = object_arch(macho_arches, processor, cur_u32(&c));
	o->out->big = c.big;
	o->out->pointer_size = wide ? 8 : 4;
	o->out->relocatable = cur_u32(&c) == FILE_OBJECT;
	count = cur_u32(&c);
	size = cur_u32(&c);
	cur_bytes(&c, wide ? 8 : 4);
	if (c.failed || size > cur_left(&c))
		return err_at(err, PROF_E_TRUNCATED, c.pos, "Mach-O: the load "
		    "commands exceed the file of %zu bytes", o->image.size);
	c.size = c.pos + size;
	for (uint32_t i = 0; i < count; i++) {
		inside = c;
		kind = cur_u32(&inside);
		size = cur_u32(&inside);
		if (size < 8 || cur_bytes(&c, size) == NULL)
			return err_at(err, PROF_E_CORRUPT, c.pos, "Mach-O: "
			    "load command %u of %u exceeds their bytes",
			    (unsigned)i + 1, (unsigned)count);
		inside.size = c.pos;
		if (kind == LC_UUID && size >= 8 + UUID_SIZE)
			o->out->build_id = (struct prof_span){ inside.data +
			    inside.pos, UUID_SIZE };
		if ((kind == LC_SEGMENT || kind == LC_SEGMENT_64) &&
		    macho_read_segment(o, &inside, kind == LC_SEGMENT_64,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* COFF objects and PE images */

enum {
	COFF_NAME_SIZE = 8,
	COFF_SECTION_SIZE = 40,
	UNINITIALIZED = 0x80
};

static const struct object_machine coff_machines[] = {
	{ 0x014c, 0, "i386" },
	{ 0x8664, 0, "x86_64" },
	{ 0x01c4, 0, "arm" },
	{ 0xaa64, 0, "aarch64" },
	{ 0xa641, 0, "aarch64" },	/* ARM64EC */
	{ 0, 0, "unknown" }
};

/* An object that may have more than 65,279 sections. */
static bool
coff_is_big(struct prof_span s)
{
	static const uint8_t class_id[] = { 0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba,
	    0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8 };

	return s.size >= 56 && load_u32(s.data, false) == 0xffff0000 &&
	    memcmp(s.data + 12, class_id, sizeof(class_id)) == 0;
}

/* Where the header is, behind that of DOS and "PE\0\0"; 0: in no image. */
static uint32_t
coff_image_at(struct prof_span s)
{
	uint32_t at = s.size < 64 || memcmp(s.data, "MZ", 2) != 0 ? UINT32_MAX :
	    load_u32(s.data + 60, false);

	return at > s.size || s.size - at < 24 ||
	    memcmp(s.data + at, "PE\0", 4) != 0 ? 0 : at + 4;
}

/* Objects have no magic, but some sections, and no optional header. */
static bool
coff_is(struct prof_span s)
{
	return coff_image_at(s) != 0 || coff_is_big(s) || (s.size >= 20 &&
	    load_u16(s.data + 16, false) == 0 &&
	    load_u16(s.data + 2, false) != 0 &&
	    *object_arch(coff_machines, load_u16(s.data, false), 0) != 'u');
}

/*
 * A name of more than 8 bytes is "/" and its offset in the table of strings;
 * behind "//", the offset is one of base 64.
 */
static struct prof_span
coff_name(struct prof_span strings, const uint8_t *name)
{
	const char *digits = name[1] != '/' ? "0123456789" :
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *digit;
	uint64_t offset = 0;

	if (name[0] != '/')
		return (struct prof_span){ name, COFF_NAME_SIZE };
	for (int i = name[1] == '/' ? 2 : 1; i < COFF_NAME_SIZE &&
	    name[i] != 0 && (digit = strchr(digits, name[i])) != NULL; i++)
		offset = offset * strlen(digits) + (size_t)(digit - digits);
	if (offset > strings.size)
		offset = strings.size;
	return (struct prof_span){ strings.data + offset,
	    strings.size - (size_t)offset };
}

static enum prof_status
coff_read(struct object *o, struct prof_error *err)
{
	struct cursor c = { .data = o->image.data, .size = o->image.size,
	    .pos = coff_image_at(o->image) };
	bool big = coff_is_big(o->image), linked = c.pos != 0;
	struct prof_span strings = span_of_text(""), name, bytes;
	uint32_t count = 0, symbols, extra, memory, address, size, at;
	enum object_part part;
	uint64_t table;

	o->out->relocatable = !linked;
	cur_bytes(&c, big ? 6 : 0);
	o->out->arch = object_arch(coff_machines, cur_u16(&c), 0);
	o->out->pointer_size = strstr(o->out->arch, "64") != NULL ? 8 : 4;
	if (!big)
		count = cur_u16(&c);
	cur_bytes(&c, big ? 36 : 4);
	if (big)
		count = cur_u32(&c);
	symbols = cur_u32(&c);
	table = symbols + (uint64_t)cur_u32(&c) * (big ? 20 : 18);
	extra = big ? 0 : cur_u32(&c) & 0xffff;
	if (symbols != 0 && table < c.size)
		strings = (struct prof_span){ c.data + table,
		    c.size - (size_t)table };
	if (cur_bytes(&c, extra) == NULL ||
	    count > cur_left(&c) / COFF_SECTION_SIZE)
		return err_at(err, PROF_E_TRUNCATED, c.pos, "COFF: %u sections "
		    "exceed the file of %zu bytes", (unsigned)count, c.size);
	for (uint32_t i = 0; i < count; i++) {
		name = coff_name(strings, cur_bytes(&c, COFF_NAME_SIZE));
		memory = cur_u32(&c);
		address = cur_u32(&c);
		size = cur_u32(&c);
		at = cur_u32(&c);
		cur_bytes(&c, 12);
		part = object_part(o, name);
		if ((cur_u32(&c) & UNINITIALIZED) != 0 ||
		    part == OBJECT_NOTHING)
			continue;
		/* Those of images are padded. */
		if (linked && memory < size)
			size = memory;
		if (object_bytes(o, at, size, &bytes, err) != PROF_OK ||
		    object_add(o, part, bytes, address, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static const struct object_format formats[] = {
	{ "ELF", object_parts, elf_is, elf_read },
	{ "Mach-O", object_parts, macho_is, macho_read },
	{ "COFF", coff_parts, coff_is, coff_read },
};

/* The format of a file with these first bytes, or NULL. */
static const struct object_format *
object_format(struct prof_span s)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (formats[i].is(s))
			return &formats[i];
	}
	return NULL;
}

bool
cover_is_object(struct prof_span first_bytes)
{
	return object_format(first_bytes) != NULL ||
	    macho_is_universal(first_bytes);
}

/* Whether two words mean an arch, as they do in LLVM's triples. */
static bool
object_arch_is(const char *arch, const char *word)
{
	static const char *const words[][2] = { { "arm64", "aarch64" },
	    { "arm64e", "aarch64" }, { "x86_64h", "x86_64" },
	    { "amd64", "x86_64" }, { "i686", "i386" }, { "x86", "i386" },
	    { "ppc", "powerpc" }, { "ppc64", "powerpc64" },
	    { "armv7", "arm" }, { "armv7s", "arm" }, { "armv7k", "arm" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(arch, words[i][0]) == 0)
			arch = words[i][1];
		if (strcmp(word, words[i][0]) == 0)
			word = words[i][1];
	}
	return strcmp(arch, word) == 0;
}

enum prof_status
cover_sections_find(struct cover_sections *out, struct prof_span image,
    const char *arch, struct prof_error *err)
{
	struct object o = { .out = out };

	*out = (struct cover_sections){ 0 };
	if (macho_slice(image, arch, &o.image, err) != PROF_OK)
		return PROF_FAIL;
	o.room = expansion_limit(o.image.size);
	o.format = object_format(o.image);
	if (o.format == NULL)
		return err_set(err, PROF_E_UNSUPPORTED, "Mach-O: a universal "
		    "file of archives");
	if (o.format->read(&o, err) != PROF_OK) {
		if (err->where == PROF_AT_BYTE)
			err->offset += (size_t)(o.image.data - image.data);
		return PROF_FAIL;
	}
	if (arch != NULL && o.image.size == image.size &&
	    !object_arch_is(out->arch, arch))
		return err_set(err, PROF_E_UNSUPPORTED, "%s: it is of %s, not "
		    "of %s", o.format->name, out->arch, arch);
	if (out->names.size == 0)
		out->names = o.unloaded;
	return PROF_OK;
}

bool
cover_sections_keep(struct cover_sections *s)
{
	for (size_t i = 0; i < s->functions_size; i++) {
		if (!arena_keep(&s->arena, &s->functions[i]))
			return false;
	}
	return arena_keep(&s->arena, &s->map) && arena_keep(&s->arena,
	    &s->names) && arena_keep(&s->arena, &s->build_id);
}

void
cover_sections_free(struct cover_sections *s)
{
	free(s->functions);
	arena_free(&s->arena);
}
