/* Line tables of DWARF 2 to 5: source files, and rows of lines by address. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "sym/sym.h"

/* A line number program (DWARF 5, 6.2) and the registers of its machine. */
struct line_program {
	struct cursor c;		/* ends where the program does */
	struct line_tables *lines;
	struct line_table *table;
	struct form_sizes sizes;	/* of values in its lists */
	size_t first;			/* row of the sequence at hand */
	const uint8_t *operands;	/* numbers of them, from opcode 1 on */
	uint8_t min_length, max_operations, line_range, opcode_base;
	int8_t line_base;
	struct line_row row;
	uint64_t operation;		/* in a VLIW instruction */
};

void
line_tables_begin(struct line_tables *l, Dwarf *dwarf,
    const struct intervals *code, struct work *work)
{
	Elf *elf = dw.dwarf_getelf(dwarf);

	l->code = code;
	l->work = work;
	l->big_endian = elf_is_big_endian(elf);
	l->section = elf_contents(elf, ".debug_line");
	l->line_str = span_of_strings(elf_contents(elf, ".debug_line_str"));
	l->str = span_of_strings(elf_contents(elf, ".debug_str"));
}

static enum prof_status
line_files_err(struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "its list of files is damaged");
}

static enum prof_status
line_add_folder(struct line_table *t, const char *name, struct prof_error *err)
{
	return ARRAY_ADD(t->folders, t->folder_count, t->folder_room, name) ?
	    PROF_OK : err_memory(err);
}

static enum prof_status
line_add_file(struct line_table *t, struct line_file file,
    struct prof_error *err)
{
	uint64_t first = t->version >= 5 ? 0 : 1;

	if (file.folder >= first && file.folder - first >= t->folder_count)
		return err_set(err, PROF_E_CORRUPT, "a file is in folder %llu "
		    "of %zu", ull(file.folder), t->folder_count);
	return ARRAY_ADD(t->files, t->file_count, t->file_room, file) ?
	    PROF_OK : err_memory(err);
}

/* A string behind the cursor, never NULL unless the cursor fails. */
static const char *
line_read_text(struct cursor *c)
{
	const uint8_t *text = c->data + c->pos;
	const uint8_t *end = c->failed || cur_left(c) == 0 ? NULL :
	    memchr(text, '\0', cur_left(c));

	if (end == NULL) {
		c->failed = true;
		return NULL;
	}
	c->pos += (size_t)(end - text) + 1;
	return (const char *)text;
}

/* Reads a file in the form of DWARF 2 to 4, also that of DW_LNE_define_file. */
static enum prof_status
line_read_old_file(struct line_table *t, struct cursor *c,
    struct prof_error *err)
{
	struct line_file file = { .name = line_read_text(c) };

	file.folder = cur_uleb(c);
	/* Time of modification, and size. */
	cur_uleb_long(c);
	cur_uleb_long(c);
	return c->failed ? line_files_err(err) : line_add_file(t, file, err);
}

/* Whether there is no other entry in a list, which an empty string ends. */
static bool
line_list_ends(struct cursor *c)
{
	if (c->failed || cur_left(c) == 0 || c->data[c->pos] != '\0')
		return false;
	c->pos++;
	return true;
}

/*
 * Reads a value that is a string or a number.  No compiler makes strings of
 * other forms here: these are skipped.
 */
static void
line_read_form(const struct line_program *p, struct cursor *c, uint64_t form,
    const char **text, uint64_t *number)
{
	const struct prof_span *section;
	uint64_t offset;

	switch (form) {
	case DW_FORM_string:
		*text = line_read_text(c);
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		section = form == DW_FORM_strp ? &p->lines->str :
		    &p->lines->line_str;
		offset = p->sizes.offset == 8 ? cur_u64(c) : cur_u32(c);
		if (offset >= section->size)
			c->failed = true;
		else
			*text = (const char *)section->data + offset;
		break;
	case DW_FORM_udata:
		*number = cur_uleb(c);
		break;
	case DW_FORM_data1: case DW_FORM_data2:
	case DW_FORM_data4: case DW_FORM_data8:
		*number = form == DW_FORM_data1 ? cur_u8(c) :
		    form == DW_FORM_data2 ? cur_u16(c) :
		    form == DW_FORM_data4 ? cur_u32(c) : cur_u64(c);
		break;
	default:
		form_skip(c, form, &p->sizes);
	}
}

/*
 * Reads a list of DWARF 5: pairs of DW_LNCT_ and DW_FORM_, which say what
 * entries consist of, and the entries, each of which has a byte at least.
 */
static enum prof_status
line_read_list(const struct line_program *p, struct cursor *c, bool folders,
    struct prof_error *err)
{
	uint8_t format_count = cur_u8(c);
	const struct cursor formats = *c;
	enum prof_status status = PROF_OK;
	uint64_t count;

	for (unsigned i = 0; i < 2u * format_count; i++)
		cur_uleb(c);
	count = cur_uleb(c);
	if (c->failed || count > cur_left(c))
		return line_files_err(err);
	for (; count > 0 && status == PROF_OK; count--) {
		struct line_file entry = { NULL, 0 };
		struct cursor format = formats;

		for (uint8_t i = 0; i < format_count; i++) {
			uint64_t content = cur_uleb(&format), number = 0;
			const char *text = NULL;

			line_read_form(p, c, cur_uleb(&format), &text,
			    &number);
			if (content == DW_LNCT_path)
				entry.name = text;
			else if (content == DW_LNCT_directory_index)
				entry.folder = number;
		}
		status = c->failed ? line_files_err(err) : folders ?
		    line_add_folder(p->table, entry.name, err) :
		    line_add_file(p->table, entry, err);
	}
	return status;
}

/* Reads the header up to the opcodes, where it leaves the cursor. */
static enum prof_status
line_read_header(struct line_program *p, struct prof_error *err)
{
	struct line_table *t = p->table;
	struct cursor *c = &p->c, lists;
	uint64_t length = cur_u32(c);
	enum prof_status status = PROF_OK;
	bool wide = length == UINT32_MAX;
	size_t end;

	if (wide)
		length = cur_u64(c);
	if (c->failed || length > cur_left(c))
		return err_set(err, PROF_E_TRUNCATED, "unit_length %llu "
		    "exceeds the %zu bytes left", ull(length), cur_left(c));
	c->size = c->pos + (size_t)length;
	/* Each opcode and each row has a byte at least; tables may overlap. */
	if (work_take(p->lines->work, length, WORK_ITEM, "lines", err) !=
	    PROF_OK)
		return PROF_FAIL;
	t->version = cur_u16(c);
	if (!c->failed && (t->version < 2 || t->version > 5))
		return err_set(err, PROF_E_CORRUPT, "version %u is unknown",
		    t->version);
	p->sizes.offset = wide ? 8 : 4;
	/* The size of selectors follows that of addresses. */
	if (t->version >= 5) {
		p->sizes.version = (uint16_t)t->version;
		p->sizes.address = cur_u8(c);
		cur_u8(c);
	}
	length = wide ? cur_u64(c) : cur_u32(c);
	if (c->failed || length > cur_left(c))
		return err_set(err, PROF_E_TRUNCATED, "header_length %llu "
		    "exceeds the %zu bytes left", ull(length), cur_left(c));
	end = c->pos + (size_t)length;
	p->min_length = cur_u8(c);
	p->max_operations = t->version >= 4 ? cur_u8(c) : 1;
	cur_u8(c);
	p->line_base = (int8_t)cur_u8(c);
	p->line_range = cur_u8(c);
	p->opcode_base = cur_u8(c);
	if (!c->failed && (p->max_operations == 0 || p->line_range == 0 ||
	    p->opcode_base == 0))
		return err_set(err, PROF_E_CORRUPT, "a member of its header "
		    "is 0 that must not be");
	p->operands = cur_bytes(c, p->opcode_base - 1u);
	if (c->failed || c->pos > end)
		return err_set(err, PROF_E_TRUNCATED, "its header is "
		    "truncated");
	lists = *c;
	lists.size = end;
	c->pos = end;
	if (t->version >= 5) {
		if (line_read_list(p, &lists, true, err) != PROF_OK)
			return PROF_FAIL;
		return line_read_list(p, &lists, false, err);
	}
	while (status == PROF_OK && !line_list_ends(&lists)) {
		const char *name = line_read_text(&lists);

		status = name == NULL ? line_files_err(err) :
		    line_add_folder(t, name, err);
	}
	while (status == PROF_OK && !line_list_ends(&lists))
		status = line_read_old_file(t, &lists, err);
	return status;
}

static void
line_begin_sequence(struct line_program *p)
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
	line_begin_sequence(p);
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
		p->operation = 0;
		if (size == 1 + 2)
			p->row.address = cur_u16(&p->c);
		else if (size == 1 + 4)
			p->row.address = cur_u32(&p->c);
		else if (size == 1 + 8)
			p->row.address = cur_u64(&p->c);
		else
			status = err_set(err, PROF_E_CORRUPT, "an address has "
			    "%llu bytes", ull(size - 1));
		break;
	case DW_LNE_define_file:
		status = line_read_old_file(p->table, &p->c, err);
		break;
	case DW_LNE_set_discriminator:
		p->row.discriminator = (uint32_t)cur_uleb(&p->c);
		break;
	}
	p->c.pos = end;
	return status;
}

/* A LEB128, the bits above the 32nd of which are lost, as in additions. */
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
line_run(struct line_program *p, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct cursor *c = &p->c;

	line_begin_sequence(p);
	while (status == PROF_OK && cur_left(c) > 0) {
		uint8_t opcode = cur_u8(c);
		unsigned special = (unsigned)opcode - p->opcode_base;

		if (opcode >= p->opcode_base) {
			line_advance(p, special / p->line_range);
			p->row.line += (uint32_t)(p->line_base +
			    (int)(special % p->line_range));
			status = line_add_row(p, err);
			continue;
		}
		switch (opcode) {
		case 0:
			status = line_do_extended(p, err);
			break;
		case DW_LNS_copy:
			status = line_add_row(p, err);
			break;
		case DW_LNS_advance_pc:
			line_advance(p, cur_uleb(c));
			break;
		case DW_LNS_advance_line:
			p->row.line += line_read_sleb(c);
			break;
		case DW_LNS_set_file:
			p->row.file = (uint32_t)cur_uleb(c);
			break;
		case DW_LNS_set_column:
			p->row.column = (uint32_t)cur_uleb(c);
			break;
		case DW_LNS_const_add_pc:
			line_advance(p, (255u - p->opcode_base) /
			    p->line_range);
			break;
		case DW_LNS_fixed_advance_pc:
			p->row.address += cur_u16(c);
			p->operation = 0;
			break;
		default:
			for (uint8_t i = 0; i < p->operands[opcode - 1]; i++)
				cur_uleb_long(c);
		}
		if (status == PROF_OK && c->failed)
			return err_set(err, PROF_E_CORRUPT, "its opcodes are "
			    "damaged");
	}
	return status;
}

enum prof_status
line_tables_read(struct line_tables *l, uint64_t offset, size_t *index,
    struct prof_error *err)
{
	struct line_program p = { .lines = l, .c = { .data = l->section.data,
	    .size = l->section.size, .big = l->big_endian } };
	enum prof_status status;
	struct prof_error e = { 0 };
	uint64_t *known;

	if (!ARRAY_ROOM(l->tables, l->size, l->room) ||
	    (known = id_map_add(&l->by_offset, offset, l->size)) == NULL)
		return err_memory(err);
	*index = (size_t)*known;
	if (*index < l->size)
		return PROF_OK;
	/* A table that is damaged from the start is an empty one. */
	p.table = &l->tables[l->size++];
	*p.table = (struct line_table){ .row_count = 0 };
	if (l->section.data == NULL || cur_bytes(&p.c, offset) == NULL)
		status = err_set(&e, PROF_E_TRUNCATED, "it is outside of the "
		    "section");
	else
		status = line_read_header(&p, &e);
	if (status == PROF_OK)
		status = line_run(&p, &e);
	if (e.code == PROF_E_MEMORY || !intervals_nest(&p.table->ranges))
		return err_memory(err);
	return status == PROF_OK ? PROF_OK : err_set(err, e.code, "line table: "
	    "0x%llx of .debug_line: %s", ull(offset), e.reason);
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
		free(l->tables[i].folders);
		free(l->tables[i].files);
		free(l->tables[i].rows);
		free(l->tables[i].sequences);
		intervals_free(&l->tables[i].ranges);
	}
	free(l->tables);
	id_map_free(&l->by_offset);
	*l = (struct line_tables){ 0 };
}

bool
line_file_find(const struct line_table *t, uint64_t number,
    struct line_path *out)
{
	uint64_t first = t->version >= 5 ? 0 : 1;
	const struct line_file *file;

	if (number < first || number - first >= t->file_count)
		return false;
	file = &t->files[number - first];
	*out = (struct line_path){ .name = file->name,
	    .folder = file->folder < first ? NULL :
	    t->folders[file->folder - first],
	    .compilers = file->folder == 0 };
	return file->name != NULL;
}
