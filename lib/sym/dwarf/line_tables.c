#include "config.h"

#include "sym/dwarf/line_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/number_search.h"
#include "sym/dwarf/code.h"
#include "sym/dwarf/elf_bounds.h"
#include "sym/dwarf/libdw.h"

/* A line number program (DWARF 5, 6.2) and the registers of its machine. */
struct line_program {
	struct cursor c;		/* ends where the program does */
	struct line_tables *lines;
	struct line_table *table;
	size_t first;			/* row of the sequence at hand */
	const uint8_t *operands;	/* numbers of them, from opcode 1 on */
	uint8_t min_length, max_operations, line_range, opcode_base;
	int8_t line_base;
	struct line_row row;
	uint64_t operation;		/* in a VLIW instruction */
};

void
line_tables_begin(struct line_tables *l, Dwarf *dwarf,
    const struct intervals *code)
{
	Elf *elf = dw.dwarf_getelf(dwarf);

	l->code = code;
	l->big_endian = elf_is_big_endian(elf);
	l->section = elf_contents(elf, ".debug_line");
	l->strings.line_str = span_of_strings(elf_contents(elf,
	    ".debug_line_str"));
	l->strings.str = span_of_strings(elf_contents(elf, ".debug_str"));
	/* Tables of a sound file share no bytes. */
	l->budget = l->section.size;
}

/* Reads unit_length; the cursor then ends where the table does. */
static enum prof_status
line_read_length(struct cursor *c, bool *wide, struct prof_error *err)
{
	uint64_t length = cur_u32(c);

	*wide = length == UINT32_MAX;
	if (*wide)
		length = cur_u64(c);
	if (c->failed || length > cur_left(c))
		return err_set(err, PROF_E_TRUNCATED, "unit_length %llu "
		    "exceeds the %zu bytes left", ull(length), cur_left(c));
	c->size = c->pos + (size_t)length;
	return PROF_OK;
}

/*
 * Each opcode and each row has a byte at least: tables that share bytes could
 * take for ever.
 */
static enum prof_status
line_take_bytes(struct line_program *p, struct prof_error *err)
{
	size_t left = cur_left(&p->c);

	if (left > p->lines->budget)
		return err_set(err, PROF_E_CORRUPT, "it overlaps another "
		    "table");
	p->lines->budget -= left;
	return PROF_OK;
}

/* Reads the members of the header between header_length and the files. */
static enum prof_status
line_read_machine(struct line_program *p, struct prof_error *err)
{
	unsigned version = p->table->files.version;
	struct cursor *c = &p->c;

	p->min_length = cur_u8(c);
	p->max_operations = version >= 4 ? cur_u8(c) : 1;
	cur_u8(c);
	p->line_base = (int8_t)cur_u8(c);
	p->line_range = cur_u8(c);
	p->opcode_base = cur_u8(c);
	if (!c->failed && (p->max_operations == 0 || p->line_range == 0 ||
	    p->opcode_base == 0))
		return err_set(err, PROF_E_CORRUPT, "a member of its header "
		    "is 0 that must not be");
	p->operands = cur_bytes(c, p->opcode_base - 1u);
	return PROF_OK;
}

/* Reads the version and header_length; *end is where the opcodes begin. */
static enum prof_status
line_read_version(struct line_program *p, bool wide, size_t *end,
    struct prof_error *err)
{
	struct cursor *c = &p->c;
	unsigned version = cur_u16(c);
	uint64_t length;

	if (!c->failed && (version < 2 || version > 5))
		return err_set(err, PROF_E_CORRUPT, "version %u is unknown",
		    version);
	p->table->files.version = version;
	/* Sizes of addresses, which the opcodes have too, and selectors. */
	if (version >= 5)
		cur_u16(c);
	length = wide ? cur_u64(c) : cur_u32(c);
	if (c->failed || length > cur_left(c))
		return err_set(err, PROF_E_TRUNCATED, "header_length %llu "
		    "exceeds the %zu bytes left", ull(length), cur_left(c));
	*end = c->pos + (size_t)length;
	return PROF_OK;
}

static enum prof_status
line_read_header(struct line_program *p, struct prof_error *err)
{
	struct cursor *c = &p->c;
	struct cursor lists;
	size_t end = 0;
	bool wide;

	if (line_read_length(c, &wide, err) != PROF_OK ||
	    line_take_bytes(p, err) != PROF_OK ||
	    line_read_version(p, wide, &end, err) != PROF_OK ||
	    line_read_machine(p, err) != PROF_OK)
		return PROF_FAIL;
	if (c->failed || c->pos > end)
		return err_set(err, PROF_E_TRUNCATED, "its header is "
		    "truncated");
	lists = *c;
	lists.size = end;
	c->pos = end;
	return line_files_read(&p->table->files, &lists, wide,
	    &p->lines->strings, err);
}

static void
line_reset(struct line_program *p)
{
	p->first = p->table->row_count;
	p->row = (struct line_row){ .file = 1, .line = 1 };
	p->operation = 0;
}

static void
line_advance(struct line_program *p, uint64_t operations)
{
	uint64_t sum = p->operation + operations;

	p->row.address += p->min_length * (sum / p->max_operations);
	p->operation = sum % p->max_operations;
}

static enum prof_status
line_add_row(struct line_program *p, struct prof_error *err)
{
	struct line_table *t = p->table;

	if (!ARRAY_ADD(t->rows, t->row_count, t->row_room, p->row))
		return err_memory(err);
	p->row.discriminator = 0;
	return PROF_OK;
}

/*
 * The address is the end of the sequence.  An empty one is dropped, as is one
 * of discarded code, which may begin at -1 and wrap around.
 */
static enum prof_status
line_end_sequence(struct line_program *p, struct prof_error *err)
{
	struct line_table *t = p->table;
	uint64_t start = t->row_count == p->first ? UINT64_MAX :
	    t->rows[p->first].address;

	if (start >= p->row.address || !code_is_at(p->lines->code, start)) {
		t->row_count = p->first;
	} else if (t->sequence_count >= UINT32_MAX) {
		return err_set(err, PROF_E_LIMIT, "it has more than %u "
		    "sequences", UINT32_MAX);
	} else if (!intervals_add(&t->ranges, start, p->row.address,
	    UINT32_MAX - (uint32_t)t->sequence_count) ||
	    !ARRAY_ADD(t->sequences, t->sequence_count, t->sequence_room,
	    (struct line_sequence){ p->first, t->row_count })) {
		return err_memory(err);
	}
	line_reset(p);
	return PROF_OK;
}

static enum prof_status
line_set_address(struct line_program *p, uint64_t size,
    struct prof_error *err)
{
	switch (size) {
	case 2:
		p->row.address = cur_u16(&p->c);
		break;
	case 4:
		p->row.address = cur_u32(&p->c);
		break;
	case 8:
		p->row.address = cur_u64(&p->c);
		break;
	default:
		return err_set(err, PROF_E_CORRUPT, "an address has %llu bytes",
		    ull(size));
	}
	p->operation = 0;
	return PROF_OK;
}

/* Opcodes of one byte or more behind a 0 and their length. */
static enum prof_status
line_do_extended(struct line_program *p, struct prof_error *err)
{
	uint64_t size = cur_uleb(&p->c);
	enum prof_status status = PROF_OK;
	size_t end;

	if (size == 0 || size > cur_left(&p->c)) {
		p->c.failed = true;
		return PROF_OK;
	}
	end = p->c.pos + (size_t)size;
	switch (cur_u8(&p->c)) {
	case DW_LNE_end_sequence:
		status = line_end_sequence(p, err);
		break;
	case DW_LNE_set_address:
		status = line_set_address(p, size - 1, err);
		break;
	case DW_LNE_define_file:
		status = line_files_add(&p->table->files, &p->c, err);
		break;
	case DW_LNE_set_discriminator:
		p->row.discriminator = (uint32_t)cur_uleb(&p->c);
		break;
	}
	p->c.pos = end;
	return status;
}

static enum prof_status
line_do_special(struct line_program *p, uint8_t opcode,
    struct prof_error *err)
{
	unsigned n = (unsigned)opcode - p->opcode_base;

	line_advance(p, n / p->line_range);
	p->row.line += (uint32_t)(p->line_base + (int)(n % p->line_range));
	return line_add_row(p, err);
}

static uint32_t
line_read_sleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cur_u8(c);
		if (shift >= 64)
			continue;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) != 0);
	if (shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return (uint32_t)value;
}

static enum prof_status
line_do_standard(struct line_program *p, uint8_t opcode,
    struct prof_error *err)
{
	switch (opcode) {
	case DW_LNS_copy:
		return line_add_row(p, err);
	case DW_LNS_advance_pc:
		line_advance(p, cur_uleb(&p->c));
		break;
	case DW_LNS_advance_line:
		p->row.line += line_read_sleb(&p->c);
		break;
	case DW_LNS_set_file:
		p->row.file = (uint32_t)cur_uleb(&p->c);
		break;
	case DW_LNS_set_column:
		p->row.column = (uint32_t)cur_uleb(&p->c);
		break;
	case DW_LNS_const_add_pc:
		line_advance(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->row.address += cur_u16(&p->c);
		p->operation = 0;
		break;
	default:
		for (uint8_t i = 0; i < p->operands[opcode - 1]; i++)
			cur_uleb_long(&p->c);
	}
	return PROF_OK;
}

static enum prof_status
line_run(struct line_program *p, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	line_reset(p);
	while (status == PROF_OK && cur_left(&p->c) > 0) {
		uint8_t opcode = cur_u8(&p->c);

		status = opcode >= p->opcode_base ?
		    line_do_special(p, opcode, err) : opcode == 0 ?
		    line_do_extended(p, err) :
		    line_do_standard(p, opcode, err);
		if (status == PROF_OK && p->c.failed)
			return err_set(err, PROF_E_CORRUPT, "its opcodes are "
			    "damaged");
	}
	return status;
}

/* Adds the table, which is empty if it is damaged from the start. */
static enum prof_status
line_read_table(struct line_tables *l, uint64_t offset,
    struct line_table *table, struct prof_error *err)
{
	struct line_program p = { .lines = l, .table = table,
	    .c = { .data = l->section.data, .size = l->section.size,
	    .big = l->big_endian } };
	enum prof_status status;

	if (l->section.data == NULL || cur_bytes(&p.c, offset) == NULL)
		return err_set(err, PROF_E_TRUNCATED, "it is outside of the "
		    "section");
	status = line_read_header(&p, err);
	if (status == PROF_OK)
		status = line_run(&p, err);
	if (!intervals_nest(&table->ranges))
		return err_memory(err);
	return status;
}

enum prof_status
line_tables_read(struct line_tables *l, uint64_t offset, size_t *index,
    struct prof_error *err)
{
	struct prof_error e = { 0 };
	uint64_t *known;

	if (!ARRAY_ROOM(l->tables, l->size, l->room) ||
	    (known = id_map_add(&l->by_offset, offset, l->size)) == NULL)
		return err_memory(err);
	*index = (size_t)*known;
	if (*index < l->size)
		return PROF_OK;
	l->tables[l->size++] = (struct line_table){ .row_count = 0 };
	if (line_read_table(l, offset, &l->tables[*index], &e) == PROF_OK)
		return PROF_OK;
	if (e.code == PROF_E_MEMORY)
		return err_memory(err);
	return err_set(err, e.code, "line table: 0x%llx of .debug_line: %s",
	    ull(offset), e.reason);
}

const struct line_row *
line_tables_find(const struct line_tables *l, size_t index, uint64_t address)
{
	const struct line_table *t = &l->tables[index];
	const struct interval *range = intervals_find(&t->ranges, address);
	const struct line_sequence *s;
	size_t n;

	if (range == NULL)
		return NULL;
	s = &t->sequences[UINT32_MAX - range->rank];
	/* The last row at or before the address; damaged rows may descend. */
	n = numbers_up_to(t->rows + s->first, s->end - s->first,
	    sizeof(*t->rows), address);
	return n == 0 ? NULL : &t->rows[s->first + n - 1];
}

void
line_tables_free(struct line_tables *l)
{
	for (size_t i = 0; i < l->size; i++) {
		free(l->tables[i].rows);
		free(l->tables[i].sequences);
		intervals_free(&l->tables[i].ranges);
		line_files_free(&l->tables[i].files);
	}
	free(l->tables);
	id_map_free(&l->by_offset);
	*l = (struct line_tables){ 0 };
}
