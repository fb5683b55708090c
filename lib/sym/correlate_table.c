/*
 * Which counters of a binary belong to which function.  A correlated profile
 * has only counters: its program was compiled to put the data records into a
 * section that is not loaded, or into debug information
 * (InstrProfCorrelator.cpp, LLVM 14 to 22).
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/releases.h"
#include "model/symtab.h"
#include "sym/correlate.h"
#include "sym/sym.h"

/* Offset of a range in its section; false if it is not inside. */
static bool
table_offset(const struct correlate_range *section, uint64_t address,
    uint64_t size, uint64_t *offset)
{
	*offset = address - section->address;
	return address >= section->address && *offset < section->size &&
	    size <= section->size - *offset;
}

/*
 * Adds a function, whose members `counters` and `bitmap` are addresses here,
 * not offsets.  A function whose counters are not in the section is left out
 * and counted as outside.
 */
static enum prof_status
table_add(struct correlate_table *t, const struct correlate_function *f,
    struct prof_error *err)
{
	struct correlate_function out = *f;
	char shown[ERR_NAME_SIZE];
	uint64_t size;

	/* Debug information may share long names. */
	if (work_take(t->work, f->symbol.name.size, 1, "names of functions",
	    err) != PROF_OK)
		return PROF_FAIL;
	if (t->hashes)
		return ARRAY_ADD(t->functions, t->size, t->room, out) ?
		    PROF_OK : err_memory(err);
	/* The record of a function that the linker removed has address 0. */
	if (!table_offset(&t->counters, f->counters, 0, &out.counters)) {
		t->outside++;
		return PROF_OK;
	}
	if (f->num_counters == 0 ||
	    !mul_u64(f->num_counters, t->counter_bytes, &size) ||
	    !table_offset(&t->counters, f->counters, size, &out.counters) ||
	    out.counters % t->counter_bytes != 0)
		return err_set(err, PROF_E_CORRUPT, "function %s: %llu "
		    "counters at 0x%llx do not fit in __llvm_prf_cnts, %llu "
		    "bytes at 0x%llx", err_name(shown, f->symbol.name),
		    ull(f->num_counters), ull(f->counters),
		    ull(t->counters.size), ull(t->counters.address));
	if (f->num_bitmap != 0 &&
	    !table_offset(&t->bitmap, f->bitmap, f->num_bitmap, &out.bitmap))
		return err_set(err, PROF_E_CORRUPT, "NumBitmapBytes %llu at "
		    "0x%llx do not fit in __llvm_prf_bits, %llu bytes at "
		    "0x%llx", ull(f->num_bitmap), ull(f->bitmap),
		    ull(t->bitmap.size), ull(t->bitmap.address));
	return ARRAY_ADD(t->functions, t->size, t->room, out) ? PROF_OK :
	    err_memory(err);
}

/* A function, to be sorted by the place of its counters. */
struct placed {
	uint64_t counters;
	size_t index;
};

static int
table_compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int by = compare_u64(x->counters, y->counters);

	return by != 0 ? by : compare_u64(x->index, y->index);
}

/*
 * To be called after the last function: of those with the same counters, the
 * first stays, as in LLVM (Builder::CounterOffsets).  Functions may share
 * counters, but not many: a small binary must not make a large profile.
 */
static enum prof_status
table_finish(struct correlate_table *t, struct prof_error *err)
{
	struct placed *order;
	size_t kept = 0;

	if (t->hashes)
		return PROF_OK;
	order = calloc(t->size + 1, sizeof(*order));
	if (order == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++)
		order[i] = (struct placed){ t->functions[i].counters, i };
	qsort(order, t->size, sizeof(*order), table_compare_placed);
	for (size_t i = 1; i < t->size; i++) {
		if (order[i].counters == order[i - 1].counters)
			t->functions[order[i].index].num_counters = 0;
	}
	free(order);
	for (size_t i = 0; i < t->size; i++) {
		const struct correlate_function *f = &t->functions[i];

		if (f->num_counters == 0)
			continue;
		if (work_take(t->work, f->num_counters * t->counter_bytes +
		    f->num_bitmap, WORK_MADE, "counters of functions", err) !=
		    PROF_OK)
			return PROF_FAIL;
		hash_facts_add(&t->hash_facts, f->hash);
		t->any_rust |= rust_mangled(f->symbol.name);
		t->nameless += f->symbol.name.data == NULL;
		t->functions[kept++] = *f;
	}
	t->size = kept;
	return PROF_OK;
}

void
correlate_table_free(struct correlate_table *t)
{
	free(t->functions);
	names_free(&t->names);
}

/*
 * Offsets in a data record (InstrProfData.inc, INSTR_PROF_DATA), by raw version
 * and width of pointers.  NameRef is at 0, FuncHash at 8, CounterPtr at 16.
 * Version 11 is from LLVM's sources.  A new raw version is a row here.  Version
 * 8 stands for older ones, too; its members for bitmaps are others.
 */
static const struct record_layout {
	uint8_t version, pointer_bytes;
	uint8_t bitmap, num_counters, num_bitmap, size;
} record_layouts[] = {
	{  8, 8,  0, 40, 44, 48 },	/* LLVM 5 to 17 */
	{  8, 4,  0, 28, 32, 40 },
	{  9, 8, 24, 48, 56, 64 },	/* LLVM 18 */
	{  9, 4, 20, 32, 40, 48 },
	{ 10, 8, 24, 48, 60, 64 },	/* LLVM 19 to 22 */
	{ 10, 4, 20, 32, 44, 48 },
	{ 11, 8, 32, 56, 68, 72 },	/* LLVM 23 */
	{ 11, 4, 24, 36, 48, 56 },
};

enum { RECORD_HASH = 8, RECORD_COUNTERS = 16 };

static uint64_t
records_pointer(const struct correlate_table *t, const uint8_t *p)
{
	return t->pointer_bytes == 8 ? load_u64(p, t->big) :
	    load_u32(p, t->big);
}

/* The padding at the end of the last record may be missing. */
static bool
records_fit(struct prof_span records, const struct record_layout *row)
{
	size_t rest = records.size % row->size;

	return rest == 0 || rest >= row->num_bitmap + 4u;
}

/* How many records of this layout have the guid of a name. */
static size_t
records_with_names(const struct correlate_table *t, struct prof_span records,
    const struct record_layout *row)
{
	size_t found = 0, hint = 0;

	for (size_t at = 0; at < records.size; at += row->size)
		found += symtab_find(&t->names.table,
		    load_u64(records.data + at, t->big), &hint) != SYMTAB_NONE;
	return found;
}

/*
 * The layout of the version; for hashes, that by which most records have names.
 * NULL if there is none.
 */
static const struct record_layout *
records_layout(const struct correlate_table *t, struct prof_span records)
{
	const size_t rows = sizeof(record_layouts) / sizeof(*record_layouts);
	const struct record_layout *best = NULL;
	size_t most = 0, found;

	for (size_t i = 0; i < rows; i++) {
		const struct record_layout *row = &record_layouts[i];

		if (row->pointer_bytes != t->pointer_bytes)
			continue;
		if (!t->hashes && row->version == t->version)
			return row->version < 9 ? NULL : row;
		found = t->hashes && records_fit(records, row) ?
		    records_with_names(t, records, row) : 0;
		if (found > most) {
			best = row;
			most = found;
		}
	}
	return best;
}

enum prof_status
correlate_records(struct correlate_table *t, struct prof_span records,
    struct prof_span names, struct prof_error *err)
{
	struct names_limit limit =
	    names_limit_of(records.size + names.size, 1);
	const struct record_layout *row;
	size_t hint = 0;

	if (names_read(&t->names, names, 0, &limit, err) != PROF_OK)
		return PROF_FAIL;
	row = records_layout(t, records);
	if (row == NULL && t->hashes)
		return err_set(err, PROF_E_CORRUPT, "no record of a function "
		    "has a name");
	if (row == NULL)
		return err_set(err, PROF_E_VERSION, "records of raw version "
		    "%llu in __llvm_covdata: 9 to 11 are known",
		    ull(t->version));
	if (!records_fit(records, row))
		return err_set(err, PROF_E_CORRUPT, "size %zu of "
		    "__llvm_covdata is not a multiple of its records' %d bytes",
		    records.size, row->size);
	for (size_t at = 0; at < records.size; at += row->size) {
		const uint8_t *p = records.data + at;
		struct correlate_function f = {
			.symbol.guid = load_u64(p, t->big),
			.hash = load_u64(p + RECORD_HASH, t->big),
			.num_counters = load_u32(p + row->num_counters, t->big),
			.num_bitmap = load_u32(p + row->num_bitmap, t->big),
			.counters = records_pointer(t, p + RECORD_COUNTERS),
			.bitmap = records_pointer(t, p + row->bitmap),
		};
		size_t i = symtab_find(&t->names.table, f.symbol.guid, &hint);

		if (i != SYMTAB_NONE)
			f.symbol.name = t->names.table.symbols[i].name;
		if (table_add(t, &f, err) != PROF_OK)
			return PROF_FAIL;
	}
	return table_finish(t, err);
}

/* DW_TAG_LLVM_annotation, missing in dwarf.h of elfutils 0.188. */
enum { TAG_LLVM_ANNOTATION = 0x6000 };

/* Deeper entries are ignored: no program nests functions so. */
enum { PROBE_DEPTH_MAX = 256 };

/*
 * Where debug information has the data records: a variable __profc_... below
 * the function's DW_TAG_subprogram.  Its DW_AT_location is the address of the
 * counters; DW_TAG_LLVM_annotation entries below it, "Function Name" and so on,
 * have the other members (InstrProfCorrelator.cpp, DwarfInstrProfCorrelator).
 */
struct probe {
	Dwarf_Die die;
	size_t depth;			/* 0: there is none */
	const char *name;
	Dwarf_Word hash, num_counters;
	bool has_hash, has_num;
};

struct probe_scan {
	struct correlate_table *table;
	struct walk at;
	struct probe probe;
	/* The last entry at each depth is a DW_TAG_subprogram. */
	bool is_function[PROBE_DEPTH_MAX];
};

/* Reads DW_AT_location.  False if the variable has no fixed address. */
static bool
probe_address(Dwarf_Die *die, Dwarf_Addr *out)
{
	Dwarf_Attribute location, address;
	Dwarf_Op *ops;
	size_t n;

	if (dw.dwarf_attr(die, DW_AT_location, &location) == NULL ||
	    dw.dwarf_getlocation(&location, &ops, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		switch (ops[i].atom) {
		case DW_OP_addr:
			*out = ops[i].number;
			return true;
		case DW_OP_addrx:
		case DW_OP_GNU_addr_index:
			return dw.dwarf_getlocation_attr(&location, &ops[i],
			    &address) == 0 &&
			    dw.dwarf_formaddr(&address, out) == 0;
		}
	}
	return false;
}

/*
 * The entries of the probe are over: adds its function, if complete.  The
 * compiler removed a function whose counters have no address.
 */
static enum prof_status
probe_end(struct probe_scan *s, struct prof_error *err)
{
	struct probe p = s->probe;
	Dwarf_Addr address = 0;
	bool has_address = probe_address(&p.die, &address);

	s->probe = (struct probe){ .depth = 0 };
	if (p.name != NULL && *p.name != '\0' && p.has_hash && p.has_num &&
	    has_address)
		return table_add(s->table, &(struct correlate_function){
		    .symbol.name = span_of_text(p.name), .hash = p.hash,
		    .num_counters = p.num_counters, .counters = address }, err);
	s->table->incomplete += has_address;
	return PROF_OK;
}

static enum prof_status
probe_visit_entry(struct probe_scan *s, struct prof_error *err)
{
	static const char prefix[] = "__profc_";
	struct probe *p = &s->probe;
	struct walk *w = &s->at;
	const char *name;

	if (s->probe.depth != 0 && w->depth <= s->probe.depth &&
	    probe_end(s, err) != PROF_OK)
		return PROF_FAIL;
	if (w->depth >= PROBE_DEPTH_MAX)
		return PROF_OK;
	s->is_function[w->depth] = w->tag == DW_TAG_subprogram;
	if (p->depth == 0 && w->tag == DW_TAG_variable && w->has_children &&
	    w->depth != 0 && s->is_function[w->depth - 1]) {
		name = die_string(&w->die, DW_AT_name);
		if (name != NULL &&
		    strncmp(name, prefix, sizeof(prefix) - 1) == 0)
			*p = (struct probe){ .die = w->die, .depth = w->depth };
	} else if (p->depth != 0 && w->depth == p->depth + 1 &&
	    w->tag == TAG_LLVM_ANNOTATION &&
	    (name = die_string(&w->die, DW_AT_name)) != NULL) {
		if (strcmp(name, "Function Name") == 0)
			p->name = die_string(&w->die, DW_AT_const_value);
		else if (strcmp(name, "CFG Hash") == 0)
			p->has_hash = die_number(&w->die, DW_AT_const_value,
			    &p->hash);
		else if (strcmp(name, "Num Counters") == 0)
			p->has_num = die_number(&w->die, DW_AT_const_value,
			    &p->num_counters);
	}
	return PROF_OK;
}

static enum prof_status
probe_read_units(struct probe_scan *s, Dwarf *dwarf, struct prof_error *err)
{
	enum prof_status status;
	Dwarf_Die unit, split;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	int got;

	while ((got = dw.dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit,
	    &split)) == 0) {
		if (type == DW_UT_skeleton && split.cu != NULL &&
		    dw.dwarf_tag(&split) != DW_TAG_invalid)
			unit = split;
		else if (type == DW_UT_skeleton)
			s->table->split_missing++;
		status = die_walk_begin(&s->at, &unit, s->table->work, err);
		while (status == PROF_OK &&
		    (status = die_walk_next(&s->at, err)) == PROF_OK)
			status = probe_visit_entry(s, err);
		if (status == PROF_END && s->probe.depth != 0)
			status = probe_end(s, err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
	}
	if (got < 0)
		return err_set(err, PROF_E_CORRUPT, "units of .debug_info: %s",
		    dw.dwarf_errmsg(-1));
	return PROF_OK;
}

enum prof_status
correlate_dwarf(struct correlate_table *t, Dwarf *dwarf,
    struct prof_error *err)
{
	struct probe_scan s = { .table = t };
	enum prof_status status;

	t->no_bitmaps = true;
	status = probe_read_units(&s, dwarf, err);
	return status == PROF_OK ? table_finish(t, err) : status;
}
