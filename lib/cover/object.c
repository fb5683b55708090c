/* cover/object.c - sections of coverage, of ELF files and others */
#include "config.h"

#include <elf.h>
#include <zlib.h>

#include "base/libzstd.h"
#include "cover/object.h"

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

static const struct object_machine machines[] = {
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
	e->o->out->arch = object_arch(machines, cur_u16(&c), e->big ? BIG :
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

/* Readers, by what the first bytes are. */
static const struct object_format {
	const char *name;
	bool (*is)(struct prof_span);
	enum prof_status (*read)(struct object *, struct prof_error *);
} formats[] = {
	{ "ELF", elf_is, elf_read },
	{ "Mach-O", macho_is, macho_read },
	{ "COFF", coff_is, coff_read },
};

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
	const struct object_format *format;
	struct object o = { .out = out, .parts = object_parts };

	*out = (struct cover_sections){ 0 };
	if (macho_slice(image, arch, &o.image, err) != PROF_OK)
		return PROF_FAIL;
	o.room = expansion_limit(o.image.size);
	format = object_format(o.image);
	if (format == NULL)
		return err_set(err, PROF_E_UNSUPPORTED, "Mach-O: a universal "
		    "file of archives");
	o.format = format->name;
	if (format->read(&o, err) != PROF_OK) {
		if (err->where == PROF_AT_BYTE)
			err->offset += (size_t)(o.image.data - image.data);
		return PROF_FAIL;
	}
	if (arch != NULL && o.image.size == image.size &&
	    !object_arch_is(out->arch, arch))
		return err_set(err, PROF_E_UNSUPPORTED, "%s: it is of %s, not "
		    "of %s", o.format, out->arch, arch);
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
