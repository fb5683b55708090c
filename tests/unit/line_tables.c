/*
 * Line tables that are made here: sequences that overlap, lists of files,
 * versions, damage.
 */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "sym/sym.h"
#include "tests/support/images.h"

/* How the header of a table is written. */
struct form {
	const char *name;
	uint16_t version;
	bool wide, big;
	uint8_t opcode_base;
};

static const struct form forms[] = {
	{ "version 2", 2, false, false, 10 },
	{ "version 3", 3, false, false, 13 },
	{ "version 4, another opcode", 4, false, false, 14 },
	{ "version 5", 5, false, false, 13 },
	{ "version 5, 64-bit, big-endian", 5, true, true, 13 },
};

static const uint8_t operands[13] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2 };

/* Two rows of a sequence [start, start + size), 3 lines apart. */
struct sequence {
	uint32_t start, size;
	uint8_t line;
};

static void
put_sequence(struct buf *b, const struct form *f, const struct sequence *s)
{
	buf_u8(b, 0);
	buf_u8(b, 5);
	buf_u8(b, DW_LNE_set_address);
	buf_number(b, s->start, 4, f->big);
	buf_u8(b, DW_LNS_advance_line);
	buf_uleb(b, s->line - 1u);
	buf_u8(b, DW_LNS_set_column);
	buf_u8(b, 7);
	if (f->opcode_base > 13) {
		buf_u8(b, 13);
		buf_uleb(b, UINT64_MAX);
		buf_u8(b, DW_LNS_advance_pc);	/* an operand, too */
	}
	buf_u8(b, 0);
	buf_u8(b, 2);
	buf_u8(b, DW_LNE_set_discriminator);
	buf_u8(b, 9);
	buf_u8(b, DW_LNS_copy);
	/* A special opcode: 4 bytes and 3 lines on. */
	buf_u8(b, (uint8_t)(f->opcode_base + 4 * 14 + 3 + 5));
	buf_u8(b, DW_LNS_advance_pc);
	buf_uleb(b, s->size - 4);
	buf_u8(b, 0);
	buf_u8(b, 1);
	buf_u8(b, DW_LNE_end_sequence);
}

static void
put_string(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text) + 1);
}

/* Folders and files: inc/a.c, b.c in the compiler's folder, and /c.c. */
static void
put_lists(struct buf *b)
{
	put_string(b, "inc");
	put_string(b, "");
	for (uint8_t i = 0; i < 3; i++) {
		put_string(b, &"a.c\0b.c\0/c.c"[4 * i]);
		buf_u8(b, i == 0);
		buf_uleb(b, UINT64_MAX);	/* time */
		buf_u8(b, 1);
	}
	put_string(b, "");
}

static const char line_str[] = "x\0a.c\0b.c", str[] = "/comp\0inc";

/* The same in DWARF 5, with values of other kinds, which are skipped. */
static void
put_new_lists(struct buf *b, const struct form *f)
{
	static const uint8_t files[] = { 5, DW_LNCT_path, DW_FORM_line_strp,
	    DW_LNCT_directory_index, DW_FORM_udata,
	    DW_LNCT_MD5, DW_FORM_data16, DW_LNCT_size, DW_FORM_data2,
	    DW_LNCT_timestamp, DW_FORM_block, 4 };
	static const uint8_t offsets[] = { 0, 2, 6, 0 };

	buf_u8(b, 1);
	buf_u8(b, DW_LNCT_path);
	buf_u8(b, f->wide ? DW_FORM_strp : DW_FORM_string);
	buf_u8(b, 2);
	if (f->wide) {
		buf_number(b, 0, 8, f->big);
		buf_number(b, 6, 8, f->big);
	} else {
		put_string(b, "/comp");
		put_string(b, "inc");
	}
	buf_put(b, files, sizeof(files));
	for (size_t i = 0; i < sizeof(offsets); i++) {
		buf_number(b, offsets[i], f->wide ? 8 : 4, f->big);
		buf_u8(b, offsets[i] == 2);
		buf_put(b, "0123456789abcdef", 16);
		buf_u8(b, 1);
		buf_u8(b, 1);
		buf_u8(b, 2);
		buf_put(b, "xx", 2);
	}
}

/*
 * Appends a table of lists, of folders and files, and of some sequences; one
 * with a size of 0 is the last.
 */
static void
put_table_of(struct buf *b, const struct form *f, const struct buf *lists,
    const struct sequence *s)
{
	static const uint8_t machine[] = { 1, 1, 1, (uint8_t)-5, 14 };
	size_t skip = f->version < 4 ? 1 : 0, width = f->wide ? 8 : 4;
	struct buf head = { 0 }, rest = { 0 };

	if (skip == 1)
		buf_u8(&head, machine[0]);
	buf_put(&head, machine + 2 * skip, sizeof(machine) - 2 * skip);
	buf_u8(&head, f->opcode_base);
	buf_put(&head, operands, f->opcode_base - 1u);
	buf_put(&head, lists->data, lists->size);
	buf_number(&rest, f->version, 2, f->big);
	if (f->version >= 5) {
		buf_u8(&rest, 4);
		buf_u8(&rest, 0);
	}
	buf_number(&rest, head.size, width, f->big);
	buf_put(&rest, head.data, head.size);
	for (; s->size != 0; s++)
		put_sequence(&rest, f, s);
	if (f->wide)
		buf_number(b, UINT32_MAX, 4, f->big);
	buf_number(b, rest.size, width, f->big);
	buf_put(b, rest.data, rest.size);
	buf_free(&head);
	buf_free(&rest);
}

static void
put_table(struct buf *b, const struct form *f, const struct sequence *s)
{
	struct buf lists = { 0 };

	if (f->version >= 5)
		put_new_lists(&lists, f);
	else
		put_lists(&lists);
	buf_text(&lists, "more is skipped");
	put_table_of(b, f, &lists, s);
	buf_free(&lists);
}

static struct line_tables
tables_of(const struct buf *b, bool big, const struct intervals *code)
{
	static struct work work;

	work = (struct work){ .input = b->size };
	return (struct line_tables){ .section = buf_span(b),
	    .line_str = { (const uint8_t *)line_str, sizeof(line_str) },
	    .str = { (const uint8_t *)str, sizeof(str) },
	    .big_endian = big, .code = code, .work = &work };
}

/* A table of bytes, which have some of its kind before it is read. */
struct fixture {
	struct buf b;
	struct line_tables t;
	size_t index;
	struct prof_error err;
};

/* Reads the table at the beginning; all code is there. */
static bool
fixture_reads(struct fixture *f, bool big)
{
	static const struct intervals all;

	line_tables_free(&f->t);
	f->t = tables_of(&f->b, big, &all);
	f->err = (struct prof_error){ 0 };
	return line_tables_read(&f->t, 0, &f->index, &f->err) == PROF_OK;
}

static void
fixture_free(struct fixture *f)
{
	line_tables_free(&f->t);
	buf_free(&f->b);
}

/* The line at an address, or 0. */
static uint32_t
line_at(const struct line_tables *t, size_t index, uint64_t address)
{
	const struct line_row *row = line_tables_find(t, index, address);

	return row == NULL ? 0 : row->line;
}

/* Files 1 to 3 of each form, and those that are none. */
static void
check_files(const struct line_table *f, const char *name)
{
	struct line_path p;

	check(line_file_find(f, 1, &p) &&
	    strcmp(p.folder, "inc") == 0 && strcmp(p.name, "a.c") == 0 &&
	    !p.compilers, "%s: a file in a folder", name);
	check(line_file_find(f, 2, &p) && strcmp(p.name, "b.c") == 0 &&
	    p.compilers && (f->version >= 5 ? strcmp(p.folder, "/comp") == 0 :
	    p.folder == NULL), "%s: a file in the compiler's folder", name);
	check(line_file_find(f, 0, &p) == (f->version >= 5) &&
	    !line_file_find(f, 4, &p) &&
	    !line_file_find(f, UINT64_MAX, &p), "%s: no file", name);
}

static void
test_forms(void)
{
	static const struct sequence sequences[] = {
		{ 0x2000, 16, 50 }, { 0x1000, 16, 20 }, { 0, 0, 0 }
	};
	static const struct {
		uint64_t address;
		uint32_t line;
	} lines[] = {
		{ 0xfff, 0 }, { 0x1000, 20 }, { 0x1003, 20 }, { 0x1004, 23 },
		{ 0x100f, 23 }, { 0x1010, 0 }, { 0x200f, 53 },
	};

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct fixture f = { .index = 0 };
		const struct line_row *row;
		bool good;

		put_table(&f.b, &forms[i], sequences);
		good = fixture_reads(&f, forms[i].big);
		for (size_t k = 0; k < COUNT(lines); k++)
			good = good && line_at(&f.t, f.index,
			    lines[k].address) == lines[k].line;
		check(good, "%s", forms[i].name);
		row = line_tables_find(&f.t, f.index, 0x1000);
		check(row != NULL && row->file == 1 && row->column == 7 &&
		    row->discriminator == 9 && row[1].discriminator == 0,
		    "%s: other columns", forms[i].name);
		check_files(&f.t.tables[f.index], forms[i].name);
		fixture_free(&f);
	}
}

static void
test_overlaps(void)
{
	static const struct sequence sequences[] = {
		{ 0x1000, 16, 20 },
		{ 0x1000, 16, 40 },		/* folded into it */
		{ 0, 0x3000, 60 },		/* discarded */
		{ 0xfffffff0, 8, 80 },		/* no code there either */
		{ 0, 0, 0 }
	};
	struct intervals code = { 0 };
	struct buf b = { 0 };
	struct line_tables t;
	size_t index, again;

	put_table(&b, &forms[3], sequences);
	t = tables_of(&b, false, &code);
	check(line_tables_read(&t, 0, &index, NULL) == PROF_OK &&
	    line_at(&t, index, 0x1000) == 20 &&
	    line_at(&t, index, 0x1008) == 23,
	    "the first of those that begin last");
	check(line_at(&t, index, 8) == 63 && line_at(&t, index, 0x2000) == 63,
	    "others elsewhere");
	check(line_tables_read(&t, 0, &again, NULL) == PROF_OK &&
	    again == index && t.size == 1, "a table is read once");
	line_tables_free(&t);
	check(intervals_add(&code, 0x800, 0x2000, 0) && intervals_build(&code),
	    "sections of code");
	t = tables_of(&b, false, &code);
	check(line_tables_read(&t, 0, &index, NULL) == PROF_OK &&
	    t.tables[index].sequence_count == 2 &&
	    line_at(&t, index, 0x1008) == 23 && line_at(&t, index, 8) == 0 &&
	    line_at(&t, index, 0x2000) == 0, "discarded code is left out");
	line_tables_free(&t);
	intervals_free(&code);
	buf_free(&b);
}

/* A table of DWARF 5 of one file, whose name follows a value of a form. */
static void
put_value(struct buf *b, const struct form *f, uint64_t form,
    const uint8_t *value, size_t size)
{
	static const struct sequence none = { 0, 0, 0 };
	struct buf lists = { 0 };

	buf_u8(&lists, 1);
	buf_u8(&lists, DW_LNCT_path);
	buf_u8(&lists, DW_FORM_string);
	buf_u8(&lists, 1);
	put_string(&lists, "/comp");
	buf_u8(&lists, 2);
	buf_uleb(&lists, DW_LNCT_lo_user);
	buf_uleb(&lists, form);
	buf_u8(&lists, DW_LNCT_path);
	buf_u8(&lists, DW_FORM_string);
	buf_u8(&lists, 1);
	buf_put(&lists, value, size);
	put_string(&lists, "a.c");
	put_table_of(b, f, &lists, &none);
	buf_free(&lists);
}

/* Values of any form are skipped; the sizes are those of 32 and 64 bits. */
static void
test_values(void)
{
	static const struct {
		uint8_t form, sizes[2], value[2];
		bool refused;
	} rows[] = {
		{ DW_FORM_string, { 2, 2 }, "x", false },
		{ DW_FORM_line_strp, { 4, 8 }, "", false },
		{ DW_FORM_strp, { 4, 8 }, "", false },
		{ DW_FORM_strp_sup, { 4, 8 }, "x", false },
		{ DW_FORM_sec_offset, { 4, 8 }, "x", false },
		{ DW_FORM_udata, { 2, 2 }, { 0x80, 1 }, false },
		{ DW_FORM_strx, { 2, 2 }, { 0x80, 1 }, false },
		{ DW_FORM_data1, { 1, 1 }, "x", false },
		{ DW_FORM_strx1, { 1, 1 }, "x", false },
		{ DW_FORM_data2, { 2, 2 }, "x", false },
		{ DW_FORM_strx2, { 2, 2 }, "x", false },
		{ DW_FORM_strx3, { 3, 3 }, "x", false },
		{ DW_FORM_data4, { 4, 4 }, "x", false },
		{ DW_FORM_strx4, { 4, 4 }, "x", false },
		{ DW_FORM_data8, { 8, 8 }, "x", false },
		{ DW_FORM_data16, { 16, 16 }, "x", false },
		{ DW_FORM_block, { 3, 3 }, { 2, 'x' }, false },
		{ DW_FORM_line_strp, { 4, 8 }, { sizeof(line_str) - 1 },
		    false },
		{ DW_FORM_line_strp, { 4, 8 }, { sizeof(line_str) }, true },
		{ DW_FORM_strp, { 4, 8 }, { sizeof(str) }, true },
		{ DW_FORM_flag_present, { 0, 0 }, "", true },
	};

	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		const struct form form = { .version = 5, .wide = i % 2 != 0,
		    .opcode_base = 13 };
		uint8_t value[16] = { rows[i / 2].value[0],
		    rows[i / 2].value[1] };
		struct fixture f = { .index = 0 };
		struct line_path p;

		put_value(&f.b, &form, rows[i / 2].form, value,
		    rows[i / 2].sizes[i % 2]);
		check((fixture_reads(&f, false) &&
		    line_file_find(&f.t.tables[f.index], 0, &p) &&
		    strcmp(p.name, "a.c") == 0) != rows[i / 2].refused,
		    "value %zu, form 0x%x", i, rows[i / 2].form);
		fixture_free(&f);
	}
}

/* Opcodes behind an address of 0x1000, and the first row that they make. */
static const struct {
	const char *name;
	uint8_t least;		/* bytes of the shortest instruction */
	uint8_t range;		/* lines of special opcodes */
	uint8_t size, opcodes[15];
	uint32_t address, line, file;
} programs[] = {
	/* Of opcode_base 13, the largest special opcode is 242 behind it. */
	{ "the address of opcode 255", 1, 11, 2, { DW_LNS_const_add_pc,
	    DW_LNS_copy }, 0x1016, 1, 1 },
	{ "the same, not a multiple", 1, 14, 2, { DW_LNS_const_add_pc,
	    DW_LNS_copy }, 0x1011, 1, 1 },
	{ "of instructions of 4 bytes", 4, 11, 2, { DW_LNS_const_add_pc,
	    DW_LNS_copy }, 0x1058, 1, 1 },
	{ "opcode 255", 2, 11, 3, { DW_LNS_advance_line, 9, 255 },
	    0x102c, 5, 1 },
	{ "opcode 13", 1, 11, 3, { DW_LNS_advance_line, 9, 13 }, 0x1000, 5, 1 },
	{ "an address of its own", 4, 14, 3, { DW_LNS_advance_pc, 3,
	    DW_LNS_copy }, 0x100c, 1, 1 },
	{ "bytes, not instructions", 4, 14, 4, { DW_LNS_fixed_advance_pc, 3, 1,
	    DW_LNS_copy }, 0x1103, 1, 1 },
	{ "lines forward and back", 1, 14, 7, { DW_LNS_advance_line, 0xc8, 1,
	    DW_LNS_advance_line, 0xfe, 0x7e, DW_LNS_copy }, 0x1000, 71, 1 },
	{ "a line in ten bytes", 1, 14, 14, { DW_LNS_advance_line, 0xc8, 1,
	    DW_LNS_advance_line, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0x7f, DW_LNS_copy }, 0x1000, 200, 1 },
	{ "a file", 1, 14, 3, { DW_LNS_set_file, 6, DW_LNS_copy },
	    0x1000, 1, 6 },
	{ "others", 1, 14, 7, { DW_LNS_negate_stmt, DW_LNS_set_basic_block,
	    DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin, DW_LNS_set_isa,
	    1, DW_LNS_copy }, 0x1000, 1, 1 },
	{ "an address of 2 bytes", 1, 14, 6, { 0, 3, DW_LNE_set_address, 0x34,
	    0x12, DW_LNS_copy }, 0x1234, 1, 1 },
	{ "one of 8 bytes", 1, 14, 12, { 0, 9, DW_LNE_set_address, 0x34, 0x12,
	    0, 0, 0, 0, 0, 0, DW_LNS_copy }, 0x1234, 1, 1 },
	{ "an opcode that is not known", 1, 14, 5, { 0, 2, 0x80, 0xff,
	    DW_LNS_copy }, 0x1000, 1, 1 },
};

/* A table of version 2 without files, of one sequence. */
static void
put_program(struct buf *b, uint8_t least, uint8_t range, const uint8_t *opcodes,
    size_t size)
{
	const uint8_t head[] = { least, 1, (uint8_t)-5, range, 13 };
	const size_t head_size = sizeof(head) + 12 + 2;
	static const uint8_t start[] = { 0, 5, DW_LNE_set_address, 0, 0x10, 0,
	    0 };
	static const uint8_t end[] = { DW_LNS_advance_pc, 16, 0, 1,
	    DW_LNE_end_sequence };

	buf_u32le(b, (uint32_t)(6 + head_size + sizeof(start) + size +
	    sizeof(end)));
	buf_u16le(b, 2);
	buf_u32le(b, (uint32_t)head_size);
	buf_put(b, head, sizeof(head));
	buf_put(b, operands, 12);
	buf_zeros(b, 2);	/* no folders, no files */
	buf_put(b, start, sizeof(start));
	buf_put(b, opcodes, size);
	buf_put(b, end, sizeof(end));
}

static void
test_opcodes(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		const uint32_t address = programs[i].address;
		struct fixture f = { .index = 0 };
		const struct line_row *row;

		put_program(&f.b, programs[i].least, programs[i].range,
		    programs[i].opcodes, programs[i].size);
		check(fixture_reads(&f, false) &&
		    (row = line_tables_find(&f.t, f.index, address)) != NULL &&
		    row->address == address && row->line == programs[i].line &&
		    row->file == programs[i].file &&
		    line_at(&f.t, f.index, address - 1) == 0, "%s",
		    programs[i].name);
		fixture_free(&f);
	}
}

/* Opcodes that are refused: an address of 3 bytes, a file without folder. */
static void
test_refused_opcodes(void)
{
	static const struct {
		uint8_t size, opcodes[8];
		const char *reason;
	} rows[] = {
		{ 6, { 0, 4, DW_LNE_set_address, 1, 2, 3 },
		    "an address has 3 bytes" },
		{ 8, { 0, 6, DW_LNE_define_file, 'f', 0, 1, 0, 0 },
		    "a file is in folder 1 of 0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture f = { .index = 0 };

		put_program(&f.b, 1, 14, rows[i].opcodes, rows[i].size);
		check(!fixture_reads(&f, false) &&
		    strstr(f.err.reason, rows[i].reason) != NULL, "%s: %s",
		    rows[i].reason, f.err.reason);
		fixture_free(&f);
	}
}

/* Reads a table that is truncated or changed: what is whole stays. */
static bool
survives(struct fixture *f)
{
	bool good = fixture_reads(f, false) ? f->err.code == PROF_E_NONE :
	    strncmp(f->err.reason, "line table: 0x0 of .debug_line: ", 32) ==
	    0;

	line_at(&f->t, f->index, 0x1008);
	return good && f->t.size == 1;
}

static void
test_damage(void)
{
	static const struct sequence sequences[] = {
		{ 0x1000, 16, 20 }, { 0x2000, 16, 40 }, { 0, 0, 0 }
	};
	struct fixture f = { .index = 0 };
	bool good = true;
	size_t size;

	put_table(&f.b, &forms[3], sequences);
	size = f.b.size;
	for (f.b.size = 0; f.b.size < size; f.b.size++)
		good = good && survives(&f);
	check(good, "truncated");
	for (size_t i = 0; i < size; i++) {
		uint8_t was = f.b.data[i];

		for (unsigned v = 0; v < 256; v++) {
			f.b.data[i] = (uint8_t)v;
			good = good && survives(&f);
		}
		f.b.data[i] = was;
	}
	check(good, "changed");
	/* The length of the last opcode. */
	f.b.data[size - 2] = 9;
	check(!fixture_reads(&f, false) && f.err.code == PROF_E_CORRUPT &&
	    line_at(&f.t, f.index, 0x1000) == 20 &&
	    line_at(&f.t, f.index, 0x2000) == 0,
	    "sequences before the damage stay: %s", f.err.reason);
	f.err = (struct prof_error){ 0 };
	check(line_tables_read(&f.t, size + 1, &f.index, &f.err) ==
	    PROF_FAIL && line_at(&f.t, f.index, 0x1000) == 0, "%s",
	    f.err.reason);
	fixture_free(&f);
}

/* A table in another one: both are read, if that is not too much work. */
static void
test_shared_bytes(void)
{
	static const struct sequence sequences[] = {
		{ 0x1000, 16, 20 }, { 0, 0, 0 }
	};
	static const struct intervals all;
	struct buf inner = { 0 }, b = { 0 };
	struct prof_error e = { 0 };
	struct line_tables t;
	size_t outer, index, at;

	put_table(&inner, &forms[1], sequences);
	put_table(&b, &forms[1], &sequences[1]);
	at = b.size;
	/* Fewer than 256 bytes. */
	buf_put(&b, inner.data, inner.size);
	b.data[0] = (uint8_t)(b.size - 4);
	t = tables_of(&b, false, &all);
	check(line_tables_read(&t, at, &index, NULL) == PROF_OK &&
	    line_at(&t, index, 0x1000) == 20, "the inner table");
	t.work->done += work_left(t.work) - (b.size - 4) * WORK_ITEM + 1;
	check(line_tables_read(&t, 0, &outer, &e) == PROF_FAIL &&
	    e.code == PROF_E_LIMIT && strstr(e.reason, "0x0 of .debug_line: "
	    "lines: more than ") != NULL && t.tables[outer].file_count == 0 &&
	    line_at(&t, outer, 0x1000) == 0, "the outer one: %s", e.reason);
	check(line_tables_read(&t, 0, &index, NULL) == PROF_OK &&
	    index == outer, "and again");
	line_tables_free(&t);
	t = tables_of(&b, false, &all);
	t.work->done += work_left(t.work) - (b.size - 4) * WORK_ITEM;
	e = (struct prof_error){ 0 };
	line_tables_read(&t, 0, &outer, &e);
	check(e.code != PROF_E_LIMIT && t.tables[outer].file_count != 0,
	    "with the work for it");
	line_tables_free(&t);
	buf_free(&inner);
	buf_free(&b);
}

int
main(void)
{
	test_forms();
	test_values();
	test_overlaps();
	test_opcodes();
	test_refused_opcodes();
	test_damage();
	test_shared_bytes();
	return done_testing();
}
