/* cover/object.c - sections of coverage in ELF files */
#include "config.h"

#include <elf.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cover/cover.h"

/* An ELF file whose header was read. */
struct elf_file {
	struct prof_span image;
	bool big, wide;			/* byte order; 64 bits */
	uint64_t sections;		/* offset of their headers */
	uint64_t sections_size;		/* how many */
	uint64_t header_size;		/* bytes of one */
	struct prof_span names;
};

struct elf_section {
	uint32_t name, type;
	uint64_t flags, address, offset, size;
	uint32_t link;
};

bool
cover_is_object(struct prof_span first_bytes)
{
	return first_bytes.size >= EI_NIDENT &&
	    memcmp(first_bytes.data, ELFMAG, SELFMAG) == 0;
}

/* A header, which lies in the file. */
static void
elf_section_get(const struct elf_file *e, uint64_t number,
    struct elf_section *s)
{
	struct cursor c = { .data = e->image.data, .size = e->image.size,
	    .pos = (size_t)(e->sections + number * e->header_size),
	    .big = e->big };

	s->name = cur_u32(&c);
	s->type = cur_u32(&c);
	s->flags = e->wide ? cur_u64(&c) : cur_u32(&c);
	s->address = e->wide ? cur_u64(&c) : cur_u32(&c);
	s->offset = e->wide ? cur_u64(&c) : cur_u32(&c);
	s->size = e->wide ? cur_u64(&c) : cur_u32(&c);
	s->link = cur_u32(&c);
}

static enum prof_status
elf_section_bytes(const struct elf_file *e, const struct elf_section *s,
    struct prof_span *out, struct prof_error *err)
{
	if (s->offset > e->image.size || s->size > e->image.size - s->offset)
		return err_at(err, PROF_E_TRUNCATED, s->offset, "ELF: a "
		    "section of %llu bytes at %llu exceeds the file of %zu",
		    ull(s->size), ull(s->offset), e->image.size);
	*out = (struct prof_span){ e->image.data + s->offset,
	    (size_t)s->size };
	return PROF_OK;
}

/*
 * Reads the header, the extended numbers of sections (ELF gABI, figure 4-6) and
 * the table of names.
 */
static enum prof_status
elf_open(struct elf_file *e, struct prof_span image, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size };
	struct elf_section s;
	uint64_t names;

	*e = (struct elf_file){ .image = image };
	e->wide = image.data[EI_CLASS] == ELFCLASS64;
	e->big = image.data[EI_DATA] == ELFDATA2MSB;
	c.big = e->big;
	c.pos = e->wide ? 40 : 32;	/* e_shoff */
	e->sections = e->wide ? cur_u64(&c) : cur_u32(&c);
	c.pos = e->wide ? 58 : 46;	/* e_shentsize, e_shnum, e_shstrndx */
	if (c.pos > c.size)
		return err_at(err, PROF_E_TRUNCATED, c.size, "ELF: the header "
		    "is cut off");
	e->header_size = cur_u16(&c);
	e->sections_size = cur_u16(&c);
	names = cur_u16(&c);
	if (c.failed)
		return err_at(err, PROF_E_TRUNCATED, c.pos, "ELF: the header "
		    "is cut off");
	if (e->sections == 0)
		return PROF_OK;
	if (e->header_size < (e->wide ? 64 : 40))
		return err_at(err, PROF_E_CORRUPT, 0, "ELF: headers of "
		    "sections have %llu bytes", ull(e->header_size));
	if (e->sections > image.size ||
	    image.size - e->sections < e->header_size)
		return err_at(err, PROF_E_TRUNCATED, e->sections, "ELF: no "
		    "headers of sections at %llu", ull(e->sections));
	elf_section_get(e, 0, &s);
	if (e->sections_size == 0)
		e->sections_size = s.size;
	if (names == SHN_XINDEX)
		names = s.link;
	if (e->sections_size >
	    (image.size - e->sections) / e->header_size)
		return err_at(err, PROF_E_TRUNCATED, e->sections, "ELF: "
		    "%llu sections exceed the file", ull(e->sections_size));
	if (names >= e->sections_size)
		return err_at(err, PROF_E_CORRUPT, e->sections, "ELF: section "
		    "%llu of names is none of %llu", ull(names),
		    ull(e->sections_size));
	elf_section_get(e, names, &s);
	return elf_section_bytes(e, &s, &e->names, err);
}

/* Whether a section has that name. */
static bool
elf_section_is(const struct elf_file *e, const struct elf_section *s,
    const char *name)
{
	size_t size = strlen(name) + 1;

	return s->name < e->names.size && size <= e->names.size - s->name &&
	    memcmp(e->names.data + s->name, name, size) == 0;
}

/* Inflates a section that objcopy has compressed with zlib. */
static enum prof_status
elf_section_inflate(struct cover_sections *out, const struct elf_file *e,
    struct prof_span *s, struct prof_error *err)
{
	struct cursor c = { .data = s->data, .size = s->size, .big = e->big };
	uint32_t type = cur_u32(&c);
	uint64_t size;
	uLongf got;
	uint8_t *plain;

	if (e->wide)
		cur_u32(&c);
	size = e->wide ? cur_u64(&c) : cur_u32(&c);
	if (e->wide)
		cur_u64(&c);
	else
		cur_u32(&c);
	if (c.failed || type != ELFCOMPRESS_ZLIB)
		return err_set(err, PROF_E_UNSUPPORTED, "ELF: a section of "
		    "compression %u", (unsigned)type);
	if (size > expansion_limit(cur_left(&c)) || size > SIZE_MAX)
		return err_set(err, PROF_E_LIMIT, "ELF: a section of %llu "
		    "bytes in %zu", ull(size), cur_left(&c));
	plain = arena_alloc(&out->arena, (size_t)size);
	if (plain == NULL)
		return err_memory(err);
	got = (uLongf)size;
	if (uncompress(plain, &got, c.data + c.pos, (uLong)cur_left(&c)) !=
	    Z_OK || got != size)
		return err_set(err, PROF_E_CORRUPT, "ELF: a compressed section "
		    "does not inflate to its %llu bytes", ull(size));
	*s = (struct prof_span){ plain, (size_t)size };
	return PROF_OK;
}

enum prof_status
cover_sections_find(struct cover_sections *out, struct prof_span image,
    struct prof_error *err)
{
	struct prof_span bytes, *where;
	struct elf_section s;
	struct elf_file e;

	*out = (struct cover_sections){ 0 };
	if (elf_open(&e, image, err) != PROF_OK)
		return PROF_FAIL;
	out->big = e.big;
	out->pointer_size = e.wide ? 8 : 4;
	for (uint64_t i = 0; i < e.sections_size; i++) {
		elf_section_get(&e, i, &s);
		where = elf_section_is(&e, &s, "__llvm_covmap") ? &out->map :
		    elf_section_is(&e, &s, "__llvm_prf_names") ||
		    elf_section_is(&e, &s, "__llvm_covnames") ? &out->names :
		    NULL;
		if (s.type == SHT_NOBITS || (where == NULL &&
		    !elf_section_is(&e, &s, "__llvm_covfun")))
			continue;
		if (elf_section_bytes(&e, &s, &bytes, err) != PROF_OK)
			return PROF_FAIL;
		if ((s.flags & SHF_COMPRESSED) != 0 && elf_section_inflate(out,
		    &e, &bytes, err) != PROF_OK)
			return PROF_FAIL;
		if (where == NULL && !ARRAY_ADD(out->functions,
		    out->functions_size, out->functions_room, bytes))
			return err_memory(err);
		if (where != NULL && where->data != NULL)
			return err_set(err, PROF_E_UNSUPPORTED, "ELF: two "
			    "sections %s", where == &out->map ?
			    "__llvm_covmap" : "of names");
		if (where != NULL)
			*where = bytes;
		if (where == &out->names)
			out->names_address = s.address;
	}
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
