/*
 * Sections of coverage in object files: files that are made here in all forms,
 * damaged ones with the exact reason, and objects that compilers have left.
 */
#include "config.h"

#include <elf.h>
#include <zlib.h>

#include "cover/cover.h"
#include "tests/support/images.h"

/* How an ELF file is written; or another format. */
static const struct form {
	const char *name;
	bool wide, big;
	uint16_t machine;
	const char *arch;
} forms[] = {
	{ "64 bits, little-endian", true, false, EM_X86_64, "x86_64" },
	{ "64 bits, big-endian", true, true, EM_PPC64, "powerpc64" },
	{ "32 bits, little-endian", false, false, EM_386, "i386" },
	{ "32 bits, big-endian", false, true, EM_PPC, "powerpc" },
	{ "a machine without a name", true, false, 0xfffe, "unknown" },
};

static const char table[] = "\0__llvm_covmap\0__llvm_covfun\0"
    "__llvm_prf_names\0.note\0__llvm_covnames";

/* Places in the table. */
enum { MAP = 1, FUN = 15, NAMES = 29, NOTE = 46, UNLOADED = 52 };

static const uint8_t note[] = { 4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
    'G', 'N', 'U', 0, 0xab, 0xcd, 0, 0 };

struct part {
	uint32_t name, type;
	const char *bytes;
	uint32_t size;
	uint64_t flags;
};

static void
put_word(struct buf *b, const struct form *f, uint64_t value)
{
	buf_number(b, value, f->wide ? 8 : 4, f->big);
}

static void
put_section(struct buf *b, const struct form *f, const struct part *p,
    uint64_t at, uint64_t size, uint32_t link)
{
	buf_number(b, p->name, 4, f->big);
	buf_number(b, p->type, 4, f->big);
	put_word(b, f, p->flags);
	put_word(b, f, 0x100 * p->name);
	put_word(b, f, at);
	put_word(b, f, size);
	buf_number(b, link, 4, f->big);
	buf_number(b, 0, 4, f->big);
	put_word(b, f, 1);
	put_word(b, f, 0);
}

/*
 * An ELF file: a header, contents, headers of sections, the first of which is
 * empty and the second that of the names.  extended: their numbers stand in the
 * first one.
 */
static struct buf
elf_image(const struct form *f, const struct part *parts, size_t n,
    bool extended)
{
	static const struct part none = { 0 }, strings = { .type = SHT_STRTAB };
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F',
	    f->wide ? ELFCLASS64 : ELFCLASS32,
	    f->big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT };
	uint64_t at = f->wide ? 64 : 52, sections = at + sizeof(table);
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		sections += parts[i].size;
	buf_put(&b, ident, sizeof(ident));
	buf_number(&b, ET_DYN, 2, f->big);
	buf_number(&b, f->machine, 2, f->big);
	buf_number(&b, EV_CURRENT, 4, f->big);
	buf_zeros(&b, f->wide ? 16 : 8);
	put_word(&b, f, sections);
	buf_zeros(&b, 10);
	buf_number(&b, f->wide ? 64 : 40, 2, f->big);
	buf_number(&b, extended ? 0 : n + 2, 2, f->big);
	buf_number(&b, extended ? SHN_XINDEX : 1, 2, f->big);
	buf_put(&b, table, sizeof(table));
	for (size_t i = 0; i < n; i++)
		buf_put(&b, parts[i].bytes, parts[i].size);
	put_section(&b, f, &none, 0, extended ? n + 2 : 0, 1);
	put_section(&b, f, &strings, at, sizeof(table), 0);
	at += sizeof(table);
	for (size_t i = 0; i < n; at += parts[i++].size)
		put_section(&b, f, &parts[i], at, parts[i].size, 0);
	return b;
}

static bool
spans(const struct cover_sections *s, const char *map, const char *names)
{
	return prof_span_equal(s->map, span(map)) &&
	    prof_span_equal(s->names, span(names));
}

static const struct part usual[] = {
	{ FUN, SHT_PROGBITS, "one", 3, 0 },
	{ MAP, SHT_NOBITS, "", 0, 0 },
	{ MAP, SHT_PROGBITS, "map", 3, 0 },
	{ FUN, SHT_PROGBITS, "three", 5, 0 },
	{ NAMES, SHT_PROGBITS, "names", 5, 0 },
	{ UNLOADED, SHT_PROGBITS, "others", 6, 0 },
};

static void
test_elf(void)
{
	struct part unloaded[] = { usual[2], usual[5],
	    { NAMES, SHT_PROGBITS, "\0", 2, 0 } };
	struct cover_sections s;
	struct prof_error err = { 0 };
	struct prof_span image;
	struct buf b;
	bool done;

	for (size_t i = 0; i < 2 * COUNT(forms); i++) {
		const struct form *f = &forms[i / 2];

		b = elf_image(f, usual, COUNT(usual), i % 2 == 1);
		image = exact(buf_span(&b));
		check(cover_is_object(image) && cover_sections_find(&s, image,
		    NULL, &err) == PROF_OK && spans(&s, "map", "names") &&
		    s.functions_size == 2 && prof_span_equal(s.functions[1],
		    span("three")) && s.names_address == 0x100 * NAMES &&
		    s.big == f->big && s.pointer_size == (f->wide ? 8 : 4) &&
		    strcmp(s.arch, f->arch) == 0 && !s.relocatable,
		    "ELF, %s%s", f->name, i % 2 == 1 ? ", extended" : "");
		done = cover_sections_keep(&s);
		release(image);
		check(done && spans(&s, "map", "names") &&
		    prof_span_equal(s.functions[0], span("one")),
		    "sections outlive the image");
		cover_sections_free(&s);
		buf_free(&b);
	}
	b = elf_image(forms, unloaded, COUNT(unloaded), false);
	check(cover_sections_find(&s, buf_span(&b), NULL, &err) == PROF_OK &&
	    spans(&s, "map", "others"), "names that are not in memory");
	cover_sections_free(&s);
	buf_free(&b);
}

static void
test_notes(void)
{
	static uint8_t other[sizeof(note)];
	const struct part parts[] = {
	    { NOTE, SHT_NOTE, (const char *)other, sizeof(other), 0 },
	    { NOTE, SHT_NOTE, (const char *)note, sizeof(note), 0 } };
	struct prof_error err = { 0 };
	struct cover_sections s;
	struct buf b;

	memcpy(other, note, sizeof(note));
	other[8] = 1;			/* another type */
	b = elf_image(forms, parts, 2, false);
	check(cover_sections_find(&s, buf_span(&b), NULL, &err) == PROF_OK &&
	    s.build_id.size == 2 && s.build_id.data[1] == 0xcd &&
	    s.map.data == NULL, "a build id and no coverage");
	cover_sections_free(&s);
	buf_free(&b);
}

/* zstd of "mapping mapping mapping mapping". */
static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x75, 0x00,
    0x00, 0x40, 0x6d, 0x61, 0x70, 0x70, 0x69, 0x6e, 0x67, 0x20, 0x01, 0x00,
    0xab, 0x0b, 0x17 };
static const char plain[] = "mapping mapping mapping mapping";

/* A section by one of the ways, with a size of contents. */
static enum prof_status
find_packed(const struct form *f, uint32_t type, uint64_t size,
    struct cover_sections *s, struct prof_error *err)
{
	uint8_t deflated[64];
	uLongf n = sizeof(deflated);
	struct part parts[] = { usual[4], { .name = MAP,
	    .type = SHT_PROGBITS, .flags = SHF_COMPRESSED } };
	struct buf bytes = { 0 }, b;
	enum prof_status status;

	compress(deflated, &n, (const uint8_t *)plain, sizeof(plain) - 1);
	buf_number(&bytes, type, 4, f->big);
	buf_zeros(&bytes, f->wide ? 4 : 0);
	put_word(&bytes, f, size);
	put_word(&bytes, f, 1);
	if (type == 1)
		buf_put(&bytes, deflated, n);
	else
		buf_put(&bytes, zstd, sizeof(zstd));
	parts[1].bytes = (const char *)bytes.data;
	parts[1].size = (uint32_t)bytes.size;
	b = elf_image(f, parts, 2, false);
	*err = (struct prof_error){ 0 };
	status = cover_sections_find(s, buf_span(&b), NULL, err);
	if (status == PROF_OK && !cover_sections_keep(s))
		status = PROF_FAIL;
	buf_free(&bytes);
	buf_free(&b);
	return status;
}

static void
test_compressed(void)
{
	struct cover_sections s;
	struct prof_error err;
	const struct {
		const char *name;
		uint32_t type;
		uint64_t size;
		enum prof_code code;
		const char *reason;
	} rows[] = {
		{ "zlib", 1, 31, PROF_E_NONE, "" },
		{ "zstd", 2, 31, PROF_E_NONE, "" },
		{ "zlib, cut", 1, 30, PROF_E_CORRUPT, "ELF: a compressed "
		    "section does not inflate to its 30 bytes" },
		{ "zstd, too long", 2, 32, PROF_E_CORRUPT, "ELF: a compressed "
		    "section does not inflate to its 32 bytes" },
		{ "another way", 3, 31, PROF_E_UNSUPPORTED,
		    "ELF: a section of compression 3" },
		{ "a bomb", 1, UINT32_MAX, PROF_E_LIMIT, "ELF: compressed "
		    "sections exceed their limit with 4294967295 bytes" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t k = 0; k < 4; k++) {
			enum prof_status status = find_packed(&forms[k],
			    rows[i].type, rows[i].size, &s, &err);

			check(status == PROF_OK ? spans(&s, plain, "names") &&
			    rows[i].code == PROF_E_NONE : err.code ==
			    rows[i].code && strcmp(err.reason,
			    rows[i].reason) == 0, "%s: %s", rows[i].name,
			    err.reason);
			cover_sections_free(&s);
		}
	}
}

/* A Mach-O file of one segment; the second section has zeros only. */
static struct buf
macho_image(bool wide, bool big)
{
	struct form f = { .wide = wide, .big = big };
	static const char names[2][17] = { "__llvm_covmap",
	    "__llvm_prf_names" };
	size_t header = wide ? 32 : 28, segment = wide ? 72 : 56,
	    section = wide ? 80 : 68, end = header + segment + 3 * section + 24;
	struct buf b = { 0 };

	buf_number(&b, wide ? 0xfeedfacf : 0xfeedface, 4, big);
	buf_number(&b, wide ? 0x01000007 : 7, 4, big);
	buf_number(&b, 0x80000003, 4, big);
	buf_number(&b, 2, 4, big);
	buf_number(&b, 2, 4, big);
	buf_number(&b, end - header, 4, big);
	buf_zeros(&b, wide ? 8 : 4);
	buf_number(&b, wide ? 0x19 : 1, 4, big);
	buf_number(&b, segment + 3 * section, 4, big);
	buf_zeros(&b, 16);
	for (int i = 0; i < 4; i++)
		put_word(&b, &f, 0);
	buf_zeros(&b, 8);
	buf_number(&b, 3, 4, big);
	buf_zeros(&b, 4);
	for (size_t i = 0; i < 3; i++) {
		buf_put(&b, names[i / 2], 16);
		buf_zeros(&b, 16);
		put_word(&b, &f, 0);
		put_word(&b, &f, i == 2 ? 5 : 3);
		buf_number(&b, i == 1 ? 0 : end + 3 * (i / 2), 4, big);
		buf_zeros(&b, wide ? 28 : 24);
	}
	buf_number(&b, 0x1b, 4, big);
	buf_number(&b, 24, 4, big);
	buf_put(&b, "0123456789abcdef", 16);
	buf_put(&b, "mapnames", 8);
	return b;
}

static void
test_macho(void)
{
	struct prof_error err = { 0 };
	struct cover_sections s;
	struct prof_span image;
	struct buf b;

	for (int i = 0; i < 4; i++) {
		b = macho_image(i / 2, i % 2);
		image = exact(buf_span(&b));
		check(cover_is_object(image) && cover_sections_find(&s, image,
		    i / 2 ? "amd64" : "i686", &err) == PROF_OK &&
		    spans(&s, "map", "names") && s.big == (i % 2 == 1) &&
		    s.build_id.size == 16 && s.build_id.data[0] == '0',
		    "Mach-O, %d bits, order %d", i / 2 ? 64 : 32, i % 2);
		cover_sections_free(&s);
		release(image);
		buf_free(&b);
	}
}

/*
 * A COFF object, or a PE image behind a header of DOS, of two sections whose
 * names are in the table of strings; that of an image is padded.
 */
static struct buf
coff_image(bool linked, bool big)
{
	static const uint8_t class_id[] = { 0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba,
	    0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8 };
	size_t start = linked ? 68 : 0, at = start + (big ? 56 : 20) + 80;
	struct buf b = { 0 };

	if (linked) {
		buf_put(&b, "MZ", 2);
		buf_zeros(&b, 58);
		buf_u32le(&b, 64);
		buf_put(&b, "PE\0", 4);
	}
	if (big) {
		buf_u32le(&b, 0xffff0000);
		buf_u16le(&b, 2);
	}
	buf_u16le(&b, 0x8664);
	if (!big)
		buf_u16le(&b, 2);
	buf_zeros(&b, 4);
	if (big) {
		buf_put(&b, class_id, sizeof(class_id));
		buf_zeros(&b, 16);
		buf_u32le(&b, 2);
	}
	buf_u32le(&b, (uint32_t)at + 13);
	buf_u32le(&b, 0);
	buf_zeros(&b, big ? 0 : 4);
	for (size_t i = 0; i < 2; i++) {
		buf_put(&b, i == 0 ? "/4\0\0\0\0\0\0" : "//AAAAAP", 8);
		buf_u32le(&b, linked ? 3 + 2 * (uint32_t)i : 0);
		buf_zeros(&b, 4);
		buf_u32le(&b, linked ? 5 + 3 * (uint32_t)i :
		    3 + 2 * (uint32_t)i);
		buf_u32le(&b, (uint32_t)(at + 5 * i));
		buf_zeros(&b, 16);
	}
	buf_put(&b, "map\0\0names\0\0\0", 13);
	buf_u32le(&b, 27);
	buf_put(&b, ".lcovmap$M\0.lprfn$M", 20);
	return b;
}

static void
test_coff(void)
{
	struct prof_error err = { 0 };
	struct cover_sections s;
	struct prof_span image;
	struct buf b;

	for (int i = 0; i < 3; i++) {
		b = coff_image(i == 1, i == 2);
		image = exact(buf_span(&b));
		check(cover_is_object(image) && cover_sections_find(&s, image,
		    "x86_64", &err) == PROF_OK && spans(&s, "map", "names") &&
		    s.relocatable == (i != 1), "COFF, kind %d: %s", i,
		    err.reason);
		cover_sections_free(&s);
		release(image);
		buf_free(&b);
	}
}

/* One number of an image changed, or the image cut at a place. */
static void
test_damage(void)
{
	static const struct part twice[] = {
	    { MAP, SHT_PROGBITS, "map", 3, 0 },
	    { MAP, SHT_PROGBITS, "map", 3, 0 } };
	/* Where the header of the map is: that of its 5th section. */
	enum { SECTIONS = 64 + sizeof(table) + 22, FIFTH = SECTIONS + 4 * 64 };
	struct buf images[] = { elf_image(forms, usual, COUNT(usual), false),
	    elf_image(forms, usual, COUNT(usual), true),
	    elf_image(forms, twice, 2, false), macho_image(true, false),
	    coff_image(false, false), coff_image(true, false),
	    coff_image(false, true) };
	const struct {
		unsigned image;
		size_t at, width;	/* width 0: cut */
		uint64_t value;
		enum prof_code code;
		const char *reason;
	} rows[] = {
		{ 0, 63, 0, 0, PROF_E_TRUNCATED, "ELF: the header is cut off" },
		{ 0, SECTIONS + 63, 0, 0, PROF_E_TRUNCATED, "ELF: 8 headers of "
		    "sections, of 64 bytes each, exceed the file of 217" },
		{ 0, 40, 8, UINT64_MAX, PROF_E_TRUNCATED, "ELF: 8 headers of "
		    "sections, of 64 bytes each, exceed the file of 666" },
		{ 0, 58, 2, 63, PROF_E_TRUNCATED, "ELF: 8 headers of sections, "
		    "of 63 bytes each, exceed the file of 666" },
		{ 0, 60, 2, 9, PROF_E_TRUNCATED, "ELF: 9 headers of sections, "
		    "of 64 bytes each, exceed the file of 666" },
		{ 0, 62, 2, 8, PROF_E_CORRUPT, "ELF: section 8 of names is "
		    "none of 8" },
		{ 0, FIFTH + 24, 8, 664, PROF_E_TRUNCATED, "ELF: a section of "
		    "3 bytes exceeds the file of 666" },
		{ 0, FIFTH + 32, 8, UINT64_MAX, PROF_E_TRUNCATED, "ELF: a "
		    "section of 18446744073709551615 bytes exceeds the file of "
		    "666" },
		{ 0, FIFTH + 32, 8, 600, PROF_E_TRUNCATED, "ELF: a section of "
		    "600 bytes exceeds the file of 666" },
		{ 1, SECTIONS + 32, 8, UINT64_C(1) << 32, PROF_E_TRUNCATED,
		    "ELF: 4294967296 headers of sections, of 64 bytes each, "
		    "exceed the file of 666" },
		{ 1, SECTIONS + 40, 4, UINT32_MAX, PROF_E_CORRUPT, "ELF: "
		    "section 4294967295 of names is none of 8" },
		{ 2, 6, 1, 1, PROF_E_UNSUPPORTED,
		    "ELF: two sections __llvm_covmap" },
		{ 3, 31, 0, 0, PROF_E_TRUNCATED, "Mach-O: the load commands "
		    "exceed the file of 31 bytes" },
		{ 3, 20, 4, UINT32_MAX, PROF_E_TRUNCATED, "Mach-O: the load "
		    "commands exceed the file of 376 bytes" },
		{ 3, 16, 4, UINT32_MAX, PROF_E_CORRUPT, "Mach-O: load command "
		    "3 of 4294967295 exceeds their bytes" },
		{ 3, 36, 4, 7, PROF_E_CORRUPT, "Mach-O: load command 1 of 2 "
		    "exceeds their bytes" },
		{ 3, 96, 4, UINT32_MAX, PROF_E_CORRUPT, "Mach-O: 4294967295 "
		    "sections exceed their segment" },
		{ 3, 104 + 40, 8, 9, PROF_E_TRUNCATED, "Mach-O: a section of 9 "
		    "bytes exceeds the file of 376" },
		{ 3, 104 + 48, 4, UINT32_MAX, PROF_E_TRUNCATED, "Mach-O: a "
		    "section of 3 bytes exceeds the file of 376" },
		{ 4, 2, 2, UINT16_MAX, PROF_E_TRUNCATED, "COFF: 65535 sections "
		    "exceed the file of 137 bytes" },
		{ 4, 20 + 16, 4, 200, PROF_E_TRUNCATED, "COFF: a section of "
		    "200 bytes exceeds the file of 137" },
		{ 5, 68 + 16, 2, UINT16_MAX, PROF_E_TRUNCATED, "COFF: 2 "
		    "sections exceed the file of 205 bytes" },
		{ 6, 44, 4, UINT32_MAX, PROF_E_TRUNCATED, "COFF: 4294967295 "
		    "sections exceed the file of 173 bytes" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf *b = &images[rows[i].image], changed = { 0 };
		size_t size = rows[i].width == 0 ? rows[i].at : b->size;
		struct prof_error err = { 0 };
		struct cover_sections s;
		struct prof_span image;

		buf_put(&changed, b->data, size);
		for (size_t k = 0; k < rows[i].width; k++)
			changed.data[rows[i].at + k] =
			    (uint8_t)(rows[i].value >> 8 * k);
		image = exact(buf_span(&changed));
		check(cover_sections_find(&s, image, NULL, &err) ==
		    PROF_FAIL && err.code == rows[i].code &&
		    strcmp(err.reason, rows[i].reason) == 0, "%s",
		    rows[i].reason);
		if (strcmp(err.reason, rows[i].reason) != 0)
			printf("# %s\n", err.reason);
		cover_sections_free(&s);
		release(image);
		buf_free(&changed);
	}
	for (size_t i = 0; i < COUNT(images); i++)
		buf_free(&images[i]);
}

/* Many sections of the same bytes: a small file would become a large one. */
static void
test_overlap(void)
{
	struct part parts[64];
	struct prof_error err = { 0 };
	struct cover_sections s;
	struct buf b;

	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i] = usual[0];
	b = elf_image(forms, parts, COUNT(parts), false);
	for (size_t i = 0; i < COUNT(parts); i++) {
		uint8_t *p = b.data + b.size - 64 * (COUNT(parts) - i);

		store_u64le(p + 24, 0);
		store_u64le(p + 32, b.size / 2);
	}
	check(cover_sections_find(&s, buf_span(&b), NULL, &err) == PROF_FAIL &&
	    is_error(&err, PROF_E_CORRUPT, "ELF: sections overlap"),
	    "sections that overlap");
	cover_sections_free(&s);
	buf_free(&b);
}

static void
test_samples(void)
{
	const struct {
		const char *file, *arch, *found;
		const char *reason;	/* or NULL */
	} rows[] = {
		{ "x86_64-linux-gnu", NULL, "x86_64", NULL },
		{ "i386-linux-gnu", NULL, "i386", NULL },
		{ "s390x-linux-gnu", "s390x", "s390x", NULL },
		{ "x86_64-apple-macosx", NULL, "x86_64", NULL },
		{ "x86_64-pc-windows-msvc", NULL, "x86_64", NULL },
		{ "universal", "arm64", "arm64", NULL },
		{ "universal", "armv7", "armv7", NULL },
		{ "universal", "arm64e", NULL, "Mach-O: a universal file of "
		    "armv7, arm64, not of arm64e" },
		{ "universal", NULL, NULL, "Mach-O: a universal file of armv7, "
		    "arm64: which one, --arch says" },
		{ "i386-linux-gnu", "arm64", NULL, "ELF: it is of i386, not of "
		    "arm64" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		struct cover_sections s = { 0 };
		struct buf b = { 0 };
		char path[64];
		bool done;

		snprintf(path, sizeof(path), "cover/%s.o", rows[i].file);
		done = read_sample(path, &b) && cover_sections_find(&s,
		    buf_span(&b), rows[i].arch, &err) == PROF_OK;
		check(rows[i].reason == NULL ? done && s.relocatable &&
		    s.map.size > 0 && s.functions_size > 0 &&
		    strcmp(s.arch, rows[i].found) == 0 :
		    strcmp(err.reason, rows[i].reason) == 0, "%s, %s: %s",
		    path, rows[i].arch == NULL ? "any" : rows[i].arch,
		    err.reason);
		cover_sections_free(&s);
		buf_free(&b);
	}
}

static void
test_strangers(void)
{
	static const struct {
		struct prof_span bytes;
		bool is;
	} rows[] = {
		{ SPAN(""), false },
		{ SPAN("\177ELF"), false },
		{ SPAN("\xca\xfe\xba\xbe\0\0\0\2"), true },
		{ SPAN("\xca\xfe\xba\xbe\0\0\0\x34"), false },	/* Java */
		{ SPAN("MZ is a name in a profile\n1\n1\n1\n and so on, for "
		    "64 bytes or more\n"), false },
		{ SPAN("\x4c\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), false },
		{ SPAN("\x4c\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), true },
		{ SPAN("\xfe\xed\xfa\xcf"), true },
		{ SPAN("\xce\xfa\xed\xfe"), true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(cover_is_object(rows[i].bytes) == rows[i].is,
		    "first bytes %zu", i);
}

int
main(void)
{
	test_elf();
	test_notes();
	test_compressed();
	test_macho();
	test_coff();
	test_damage();
	test_overlap();
	test_samples();
	test_strangers();
	return done_testing();
}
