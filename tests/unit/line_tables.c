/* Line tables that are made here: sequences that overlap, versions, damage. */
#include "config.h"

#include "sym/dwarf/line_tables.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/support/test.h"

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
		buf_u8(b, 1);
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

/* Appends a table of some sequences; one with a size of 0 is the last. */
static void
put_table(struct buf *b, const struct form *f, const struct sequence *s)
{
	static const uint8_t machine[] = { 1, 1, 1, (uint8_t)-5, 14 };
	size_t skip = f->version < 4 ? 1 : 0, width = f->wide ? 8 : 4;
	struct buf head = { 0 }, rest = { 0 };

	if (skip == 1)
		buf_u8(&head, machine[0]);
	buf_put(&head, machine + 2 * skip, sizeof(machine) - 2 * skip);
	buf_u8(&head, f->opcode_base);
	buf_put(&head, operands, f->opcode_base - 1u);
	buf_text(&head, "files are skipped");
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

static struct line_tables
tables_of(const struct buf *b, bool big, const struct intervals *code)
{
	return (struct line_tables){ .section = buf_span(b),
	    .big_endian = big, .code = code, .budget = b->size };
}

/* The line at an address, or 0. */
static uint32_t
line_at(const struct line_tables *t, size_t index, uint64_t address)
{
	const struct line_row *row = line_tables_find(t, index, address);

	return row == NULL ? 0 : row->line;
}

static void
test_forms(void)
{
	static const struct sequence sequences[] = {
		{ 0x2000, 16, 50 }, { 0x1000, 16, 20 }, { 0, 0, 0 }
	};
	static const struct intervals all;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct buf b = { 0 };
		struct line_tables t;
		const struct line_row *row;
		size_t index;

		put_table(&b, &forms[i], sequences);
		t = tables_of(&b, forms[i].big, &all);
		check(line_tables_read(&t, 0, &index, NULL) == PROF_OK &&
		    line_at(&t, index, 0xfff) == 0 &&
		    line_at(&t, index, 0x1000) == 20 &&
		    line_at(&t, index, 0x1003) == 20 &&
		    line_at(&t, index, 0x1004) == 23 &&
		    line_at(&t, index, 0x100f) == 23 &&
		    line_at(&t, index, 0x1010) == 0 &&
		    line_at(&t, index, 0x200f) == 53, "%s", forms[i].name);
		row = line_tables_find(&t, index, 0x1000);
		check(row != NULL && row->file == 1 && row->column == 7 &&
		    row->discriminator == 9 && row[1].discriminator == 0,
		    "%s: other columns", forms[i].name);
		line_tables_free(&t);
		buf_free(&b);
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

/* Reads a table that is truncated or changed: what is whole stays. */
static bool
survives(const struct buf *b, size_t size)
{
	static const struct intervals all;
	struct line_tables t = tables_of(b, false, &all);
	struct prof_error e = { 0 };
	size_t index = 0;
	bool good;

	t.section.size = size;
	good = line_tables_read(&t, 0, &index, &e) == PROF_OK ?
	    e.code == PROF_E_NONE :
	    strncmp(e.reason, "line table: 0x0 of .debug_line: ", 32) == 0;
	good = good && t.size == 1;
	line_at(&t, index, 0x1008);
	line_tables_free(&t);
	return good;
}

static void
test_damage(void)
{
	static const struct sequence sequences[] = {
		{ 0x1000, 16, 20 }, { 0x2000, 16, 40 }, { 0, 0, 0 }
	};
	static const struct intervals all;
	struct buf b = { 0 };
	struct prof_error e = { 0 };
	struct line_tables t;
	size_t index;
	bool good = true;

	put_table(&b, &forms[3], sequences);
	for (size_t size = 0; size < b.size; size++)
		good = good && survives(&b, size);
	check(good, "truncated");
	for (size_t i = 0; i < b.size; i++) {
		uint8_t was = b.data[i];

		for (unsigned v = 0; v < 256; v++) {
			b.data[i] = (uint8_t)v;
			good = good && survives(&b, b.size);
		}
		b.data[i] = was;
	}
	check(good, "changed");
	/* The length of the last opcode. */
	b.data[b.size - 2] = 9;
	t = tables_of(&b, false, &all);
	check(line_tables_read(&t, 0, &index, &e) == PROF_FAIL &&
	    e.code == PROF_E_CORRUPT && line_at(&t, index, 0x1000) == 20 &&
	    line_at(&t, index, 0x2000) == 0,
	    "sequences before the damage stay: %s", e.reason);
	line_tables_free(&t);
	b.data[b.size - 2] = 1;
	t = tables_of(&b, false, &all);
	e = (struct prof_error){ 0 };
	check(line_tables_read(&t, b.size + 1, &index, &e) == PROF_FAIL &&
	    line_at(&t, index, 0x1000) == 0, "%s", e.reason);
	line_tables_free(&t);
	buf_free(&b);
}

/* A table in another one, behind opcodes that leave no rows. */
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
	    !line_tables_refuses(&t, index) &&
	    line_at(&t, index, 0x1000) == 20, "the inner table");
	check(line_tables_read(&t, 0, &outer, &e) == PROF_FAIL &&
	    strstr(e.reason, "overlaps another table") != NULL &&
	    line_tables_refuses(&t, outer) && line_at(&t, outer, 0x1000) == 0,
	    "the outer one: %s", e.reason);
	check(line_tables_read(&t, 0, &index, NULL) == PROF_OK &&
	    index == outer && line_tables_refuses(&t, index), "and again");
	line_tables_free(&t);
	buf_free(&inner);
	buf_free(&b);
}

int
main(void)
{
	test_forms();
	test_overlaps();
	test_damage();
	test_shared_bytes();
	return done_testing();
}
