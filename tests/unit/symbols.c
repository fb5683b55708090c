/* Symbol tables of ELF files that are made here, of several machines. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "sym/sym.h"
#include "tests/support/test.h"

/* Offsets: header, .text, .symtab, .strtab, section headers. */
enum { HEADER = 64, SECTION = 64, SYMBOL = 24, SECTIONS = 4 };

struct row {
	const char *name;
	unsigned type, bind, section;
	uint64_t address, size;
};

/* Appends a section header: its name is empty. */
static void
put_section(struct buf *b, uint32_t type, uint64_t at, uint64_t size,
    uint32_t link)
{
	buf_u32le(b, 0);
	buf_u32le(b, type);
	buf_u64le(b, type == SHT_PROGBITS ? SHF_ALLOC | SHF_EXECINSTR : 0);
	buf_u64le(b, 0);
	buf_u64le(b, at);
	buf_u64le(b, size);
	buf_u32le(b, link);
	buf_u32le(b, 0);
	buf_u64le(b, 1);
	buf_u64le(b, type == SHT_SYMTAB ? SYMBOL : 0);
}

static void
put_header(struct buf *b, uint16_t machine, uint64_t sections)
{
	static const uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F',
	    ELFCLASS64, ELFDATA2LSB, EV_CURRENT };

	buf_put(b, ident, sizeof(ident));
	buf_u16le(b, ET_DYN);
	buf_u16le(b, machine);
	buf_u32le(b, EV_CURRENT);
	buf_zeros(b, 16);
	buf_u64le(b, sections);
	buf_u32le(b, 0);
	buf_u16le(b, HEADER);
	buf_zeros(b, 4);
	buf_u16le(b, SECTION);
	buf_u16le(b, SECTIONS);
	buf_u16le(b, 3);
}

/* An ELF file with these symbols behind the first, empty one. */
static struct buf
make_elf(uint16_t machine, const struct row *rows, size_t n)
{
	uint64_t symbols = HEADER, texts = symbols + SYMBOL * (n + 1);
	struct buf b = { 0 }, names = { 0 };

	buf_zeros(&names, 1);
	for (size_t i = 0; i < n; i++)
		buf_put(&names, rows[i].name, strlen(rows[i].name) + 1);
	put_header(&b, machine, texts + names.size);
	buf_zeros(&b, SYMBOL);
	names.size = 1;
	for (size_t i = 0; i < n; i++) {
		buf_u32le(&b, (uint32_t)names.size);
		buf_u8(&b, (uint8_t)(rows[i].bind << 4 | rows[i].type));
		buf_u8(&b, 0);
		buf_u16le(&b, (uint16_t)rows[i].section);
		buf_u64le(&b, rows[i].address);
		buf_u64le(&b, rows[i].size);
		names.size += strlen(rows[i].name) + 1;
	}
	buf_put(&b, names.data, names.size);
	put_section(&b, SHT_NULL, 0, 0, 0);
	put_section(&b, SHT_PROGBITS, 0, HEADER, 0);
	put_section(&b, SHT_SYMTAB, symbols, SYMBOL * (n + 1), 3);
	put_section(&b, SHT_STRTAB, texts, names.size, 0);
	buf_free(&names);
	return b;
}

/* Whether a name and a file are at the address; NULL: none. */
static bool
is_at(struct symbols *t, uint64_t address, const char *name, const char *file)
{
	struct arena arena = { 0 };
	struct frame_list found;
	bool ok = symbols_find(t, address, &arena, &found, NULL) == PROF_OK;

	if (name == NULL)
		ok = ok && found.count == 0;
	else
		ok = ok && found.count == 1 && found.frames[0].flags == 0 &&
		    found.frames[0].function.guid != 0 &&
		    prof_span_equal(found.frames[0].function.name,
		    span_of_text(name)) && prof_span_equal(
		    found.frames[0].file, span_of_text(file));
	arena_free(&arena);
	return ok;
}

static void
test_table(const struct row *rows, size_t n, uint16_t machine,
    const struct row *want, size_t want_size)
{
	struct buf b = make_elf(machine, rows, n);
	Elf *elf = dw.elf_memory((char *)b.data, b.size);
	struct symbols t = { 0 };
	bool found = false;

	check(elf != NULL && symbols_add(&t, elf, SHT_DYNSYM, &found, NULL) ==
	    PROF_OK && !found, "machine %u: no .dynsym", machine);
	check(elf != NULL && symbols_add(&t, elf, SHT_SYMTAB, &found, NULL) ==
	    PROF_OK && found, "machine %u: .symtab", machine);
	for (size_t i = 0; i < want_size; i++)
		check(is_at(&t, want[i].address, want[i].name, want[i].section
		    != 0 ? "b.c" : NULL), "machine %u: 0x%llx is in %s",
		    machine, ull(want[i].address), want[i].name == NULL ? "none"
		    : want[i].name);
	symbols_free(&t);
	dw.elf_end(elf);
	buf_free(&b);
}

static void
test_choice(void)
{
	static const struct row rows[] = {
		{ "a.c", STT_FILE, STB_LOCAL, SHN_ABS, 0, 0 },
		{ "b.c", STT_FILE, STB_LOCAL, SHN_ABS, 0, 0 },
		{ "local", STT_FUNC, STB_LOCAL, 1, 0x100, 16 },
		{ "section", STT_SECTION, STB_LOCAL, 1, 0x104, 4 },
		{ "first", STT_FUNC, STB_GLOBAL, 1, 0x200, 16 },
		{ "last", STT_FUNC, STB_WEAK, 1, 0x200, 16 },
		{ "small", STT_FUNC, STB_GLOBAL, 1, 0x200, 8 },
		{ "label", STT_NOTYPE, STB_GLOBAL, 1, 0x300, 0 },
		{ "data", STT_OBJECT, STB_GLOBAL, 1, 0x400, 16 },
		{ "ifunc", STT_GNU_IFUNC, STB_GLOBAL, 1, 0x500, 16 },
		{ "undefined", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0x600, 16 },
		{ "absolute", STT_FUNC, STB_GLOBAL, SHN_ABS, 0x600, 16 },
		{ "tls", STT_TLS, STB_GLOBAL, 1, 0x600, 16 },
		{ "", STT_FUNC, STB_GLOBAL, 1, 0x700, 16 },
		{ "wide", STT_FUNC, STB_GLOBAL, 1, 0x6f0, 0x100 },
		{ "end", STT_FUNC, STB_GLOBAL, 1, UINT64_MAX - 1, 2 },
		{ "begin", STT_FUNC, STB_GLOBAL, 1, 0x80, 16 },
		{ "middle", STT_FUNC, STB_GLOBAL, 1, 0x800, 16 },
	};
	static const struct row want[] = {
		{ "begin", .address = 0x80 },
		{ .address = 0xff },
		{ "local", .address = 0x100, .section = 1 },
		{ "local", .address = 0x10f, .section = 1 },
		{ .address = 0x110 },
		{ "last", .address = 0x200 },
		{ "last", .address = 0x20f },
		{ .address = 0x210 },
		{ "label", .address = 0x300 },
		{ "label", .address = 0x3ff },
		{ "data", .address = 0x400 },
		{ "ifunc", .address = 0x50f },
		{ .address = 0x600 },
		{ "wide", .address = 0x6ff },
		{ .address = 0x700 },
		{ "middle", .address = 0x80f },
		{ "end", .address = UINT64_MAX },
	};

	test_table(rows, COUNT(rows), EM_X86_64, want, COUNT(want));
}

/* What marks code and data in one machine is a name in another. */
static void
test_marks(void)
{
	static const struct row rows[] = {
		{ "f", STT_FUNC, STB_GLOBAL, 1, 0x101, 16 },
		{ "$d.1", STT_NOTYPE, STB_LOCAL, 1, 0x104, 0 },
		{ "$x", STT_NOTYPE, STB_LOCAL, 1, 0x108, 0 },
		{ "$a", STT_NOTYPE, STB_LOCAL, 1, 0x10a, 0 },
		{ ".L0 ", STT_NOTYPE, STB_LOCAL, 1, 0x10c, 0 },
		{ "$", STT_NOTYPE, STB_LOCAL, 1, 0x10e, 0 },
	};
	static const struct row x86[] = { { .address = 0x100 },
	    { "$d.1", .address = 0x104 }, { ".L0 ", .address = 0x10c },
	    { "$", .address = 0x10e } };
	static const struct row arm[] = { { "f", .address = 0x100 },
	    { "f", .address = 0x104 }, { "$x", .address = 0x108 },
	    { "$x", .address = 0x10a }, { "$", .address = 0x10e } };
	static const struct row aarch64[] = { { .address = 0x100 },
	    { "f", .address = 0x108 }, { "$a", .address = 0x10a },
	    { "$", .address = 0x10e } };
	static const struct row riscv[] = { { "f", .address = 0x108 },
	    { "$a", .address = 0x10c }, { "$", .address = 0x10e } };

	test_table(rows, COUNT(rows), EM_X86_64, x86, COUNT(x86));
	test_table(rows, COUNT(rows), EM_ARM, arm, COUNT(arm));
	test_table(rows, COUNT(rows), EM_AARCH64, aarch64, COUNT(aarch64));
	test_table(rows, COUNT(rows), EM_RISCV, riscv, COUNT(riscv));
}

/* A table or names cut off, or names that are nowhere. */
static void
test_damage(void)
{
	static const struct row rows[] = {
		{ "f", STT_FUNC, STB_GLOBAL, 1, 0x100, 16 },
		{ "g", STT_FUNC, STB_GLOBAL, 1, 0x200, 16 },
	};
	struct buf good = make_elf(EM_X86_64, rows, COUNT(rows));
	size_t read = 0, reported = 0;

	for (size_t i = HEADER; i < good.size; i++) {
		struct buf b = { 0 };
		struct symbols t = { 0 };
		struct prof_error err = { 0 };
		bool found;
		Elf *elf;

		buf_put(&b, good.data, good.size);
		b.data[i] ^= 0xff;
		elf = dw.elf_memory((char *)b.data, b.size);
		read += elf != NULL && (symbols_add(&t, elf, SHT_SYMTAB, &found,
		    &err) == PROF_OK || (err.code == PROF_E_CORRUPT &&
		    strncmp(err.reason, ".symtab: ", 9) == 0 && !found)) &&
		    t.size <= COUNT(rows) + 1;
		reported += err.code != PROF_E_NONE;
		symbols_free(&t);
		dw.elf_end(elf);
		buf_free(&b);
	}
	check(read == good.size - HEADER, "each byte damaged");
	check(reported != 0 && reported < 32, "a table that is nowhere");
	buf_free(&good);
}

int
main(void)
{
	struct prof_error err = { 0 };

	check(libdw_load(&err) == PROF_OK, "libdw is loaded");
	dw.elf_version(EV_CURRENT);
	test_choice();
	test_marks();
	test_damage();
	return done_testing();
}
