/*
 * Binary correlation (-profile-correlate=binary, LLVM 18 and later): data
 * records and names are in the sections __llvm_covdata and __llvm_covnames,
 * which are not loaded.
 */
#include "sym/correlate/table.h"

#include "base/bytes.h"
#include "base/error.h"

/*
 * Offsets in a data record (InstrProfData.inc, INSTR_PROF_DATA), by raw version
 * and width of pointers.  NameRef is at 0, FuncHash at 8, CounterPtr at 16.
 * Version 11 is from LLVM's sources.
 */
static const struct record_layout {
	uint8_t version, pointer_bytes;
	uint8_t bitmap, num_counters, num_bitmap, size;
} rows[] = {
	{  9, 8, 24, 48, 56, 64 },	/* LLVM 18 */
	{  9, 4, 20, 32, 40, 48 },
	{ 10, 8, 24, 48, 60, 64 },	/* LLVM 19 to 22 */
	{ 10, 4, 20, 32, 44, 48 },
	{ 11, 8, 32, 56, 68, 72 },	/* LLVM 23 */
	{ 11, 4, 24, 36, 48, 56 },
};

enum { HASH = 8, COUNTERS = 16 };

static const struct record_layout *
records_row(const struct correlate_layout *l)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].version == l->version &&
		    rows[i].pointer_bytes == l->pointer_bytes)
			return &rows[i];
	}
	return NULL;
}

static uint64_t
records_load_pointer(const struct correlate_layout *l, const uint8_t *p)
{
	return l->pointer_bytes == 8 ? load_u64(p, l->big) :
	    load_u32(p, l->big);
}

/* What the records of one binary are read with. */
struct record_reader {
	struct correlate_table *table;
	const struct correlate_layout *layout;
	const struct record_layout *row;
	size_t hint;			/* for symtab_find */
};

static enum prof_status
records_add(struct record_reader *r, const uint8_t *p, struct prof_error *err)
{
	const struct correlate_layout *l = r->layout;
	const struct symtab *names = &r->table->names.table;
	struct correlate_function f = {
		.symbol.guid = load_u64(p, l->big),
		.hash = load_u64(p + HASH, l->big),
		.num_counters = load_u32(p + r->row->num_counters, l->big),
		.num_bitmap = load_u32(p + r->row->num_bitmap, l->big),
		.counters = records_load_pointer(l, p + COUNTERS),
		.bitmap = records_load_pointer(l, p + r->row->bitmap),
	};
	size_t i = symtab_find(names, f.symbol.guid, &r->hint);

	if (i != SYMTAB_NONE)
		f.symbol.name = names->symbols[i].name;
	return correlate_add(r->table, l, &f, err);
}

enum prof_status
correlate_records(struct correlate_table *t, const struct correlate_layout *l,
    struct prof_span records, struct prof_span names, struct prof_error *err)
{
	struct names_limit limit =
	    names_limit_of(records.size + names.size, 1);
	const struct record_layout *row = records_row(l);
	struct record_reader reader = { .table = t, .layout = l, .row = row };
	size_t used;

	if (row == NULL)
		return err_set(err, PROF_E_VERSION, "records of raw version "
		    "%llu in __llvm_covdata: 9 to 11 are known",
		    (unsigned long long)l->version);
	/* The padding at the end of the last record may be missing. */
	used = row->num_bitmap + 4u;
	if (records.size % row->size != 0 && records.size % row->size < used)
		return err_set(err, PROF_E_CORRUPT, "size %zu of "
		    "__llvm_covdata is not a multiple of its records' %d bytes",
		    records.size, row->size);
	if (names_read(&t->names, names, 0, &limit, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t at = 0; at < records.size; at += row->size) {
		if (records_add(&reader, records.data + at, err) != PROF_OK)
			return PROF_FAIL;
	}
	return correlate_table_finish(t, l, err);
}
