/*
 * sym/dwarf/line_tables.h - the line tables of a module
 *
 * A line table is a list of sequences, each with the rows of code that lies
 * together: with -ffunction-sections, of a function.  The sequence of one that
 * the linker discarded is left out; that of one that it folded into an
 * identical function has the addresses of that one.  Therefore, a row is looked
 * for in one sequence only.  libdw would return the rows of all sequences in
 * the order of their addresses, which mixes them.
 */
#ifndef SYM_DWARF_LINE_TABLES_H
#define SYM_DWARF_LINE_TABLES_H

#include "base/id_map.h"
#include "base/intervals.h"
#include "prof.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/line_files.h"

struct line_row {
	uint64_t address;
	uint32_t file, line, column, discriminator;
};

/* Rows [first, end) of a table. */
struct line_sequence {
	size_t first, end;
};

struct line_table {
	struct line_row *rows;
	size_t row_count, row_room;
	struct line_sequence *sequences;
	size_t sequence_count, sequence_room;
	struct intervals ranges;	/* rank is UINT32_MAX - sequence */
	struct line_files files;
};

struct line_tables {
	struct prof_span section;	/* .debug_line, borrowed from libelf */
	struct line_strings strings;
	const struct intervals *code;	/* see code.h */
	bool big_endian;
	uint64_t budget;		/* bytes that may still be read */
	struct id_map by_offset;	/* values are indexes of tables */
	struct line_table *tables;
	size_t size, room;
};

/*
 * *t is all zero before; the list of code is borrowed.  A module without
 * .debug_line has no tables.
 */
void line_tables_begin(struct line_tables *t, Dwarf *,
    const struct intervals *code);

/*
 * Reads the table at an offset of the section (DW_AT_stmt_list), once; *index
 * is its number.  PROF_FAIL if out of memory, or if the table is damaged: then
 * it has the sequences before the damage.
 */
enum prof_status line_tables_read(struct line_tables *, uint64_t offset,
    size_t *index, struct prof_error *);

/* The row of an address in a table, or NULL. */
const struct line_row *line_tables_find(const struct line_tables *,
    size_t index, uint64_t address);

void line_tables_free(struct line_tables *);

#endif
