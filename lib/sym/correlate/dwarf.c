/*
 * Debug-info correlation (-profile-correlate=debug-info, LLVM 14 and later):
 * the counters of a function are a variable __profc_... below the function's
 * DW_TAG_subprogram.  Its DW_AT_location is the address of the counters;
 * DW_TAG_LLVM_annotation entries below it have the other members of the data
 * record (InstrProfCorrelator.cpp, DwarfInstrProfCorrelator).
 */
#include "sym/correlate/correlate.h"
#include "sym/correlate/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/expansion.h"

/* DW_TAG_LLVM_annotation, missing in dwarf.h of elfutils 0.188. */
enum { TAG_LLVM_ANNOTATION = 0x6000 };

/* Deeper entries are ignored: no program nests functions so. */
enum { DEPTH_MAX = 256 };

/* A variable __profc_..., with the annotations "Function Name" and so on. */
struct probe {
	Dwarf_Die die;
	size_t depth;			/* 0: there is none */
	const char *name;
	Dwarf_Word hash, num_counters;
	bool has_hash, has_num;
};

struct probe_scan {
	struct correlate_table *table;
	const struct correlate_layout *layout;
	struct intervals no_code;	/* see code.h: none is left out */
	struct line_tables lines;
	Dwarf_Die skeleton;		/* has the line table: the unit itself
					   unless that was split off */
	struct walk at;
	struct probe probe;
	struct buf path;		/* of the last function's file */
	uint64_t file_bytes;		/* of the binary */
	uint64_t text_bytes;		/* names and paths that were visited */
	/* Of the last entry at each depth: a DW_TAG_subprogram, with low_pc. */
	bool is_function[DEPTH_MAX], is_placed[DEPTH_MAX];
	Dwarf_Die function[DEPTH_MAX];
};

/* A string of the entry itself, without those that it refers to. */
static const char *
probe_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dw.dwarf_attr(die, attribute, &a) == NULL ? NULL :
	    dw.dwarf_formstring(&a);
}

static bool
probe_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *out)
{
	Dwarf_Attribute a;

	return dw.dwarf_attr(die, attribute, &a) != NULL &&
	    dw.dwarf_formudata(&a, out) == 0;
}

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

static void
probe_read_annotation(struct probe *p, Dwarf_Die *die)
{
	const char *key = probe_string(die, DW_AT_name);

	if (key == NULL)
		return;
	if (strcmp(key, "Function Name") == 0)
		p->name = probe_string(die, DW_AT_const_value);
	else if (strcmp(key, "CFG Hash") == 0)
		p->has_hash = probe_number(die, DW_AT_const_value, &p->hash);
	else if (strcmp(key, "Num Counters") == 0)
		p->has_num = probe_number(die, DW_AT_const_value,
		    &p->num_counters);
}

static void __attribute__((format(printf, 2, 3)))
probe_warn(const struct probe_scan *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_report(s->table->each, s->table->each_arg,
	    (struct prof_error){ .code = PROF_E_CORRUPT }, format, ap);
	va_end(ap);
}

static const char *
probe_number_text(char text[24], bool there, Dwarf_Word number)
{
	snprintf(text, 24, "%llu", (unsigned long long)number);
	return there ? text : "None";
}

static void
probe_warn_incomplete(const struct probe_scan *s, const struct probe *p,
    const Dwarf_Addr *address)
{
	char hash[24], counters[24], num[24];

	/* Without any address, the compiler has removed the function. */
	if (address == NULL && !s->is_placed[p->depth - 1])
		return;
	probe_warn(s, "Incomplete DIE for function %.100s: CFGHash=%s  "
	    "CounterPtr=%s  NumCounters=%s", p->name == NULL ? "None" : p->name,
	    probe_number_text(hash, p->has_hash, p->hash),
	    probe_number_text(counters, address != NULL, address == NULL ? 0 :
	    *address), probe_number_text(num, p->has_num, p->num_counters));
}

static void
probe_warn_address(const struct probe_scan *s, const struct probe *p,
    Dwarf_Addr address)
{
	const struct correlate_range *r = &s->layout->counters;

	if (address < r->address || address - r->address >= r->size)
		probe_warn(s, "CounterPtr out of range for function %.100s: "
		    "Actual=0x%llx Expected=[0x%llx, 0x%llx)", p->name,
		    (unsigned long long)address,
		    (unsigned long long)r->address,
		    (unsigned long long)(r->address + r->size));
	else if (!s->is_placed[p->depth - 1])
		probe_warn(s, "Could not find address of function %.100s",
		    p->name);
}

/* Its name, if it has no name of the linker, as DWARFDie::getName. */
static struct prof_span
function_linkage_name(Dwarf_Die *function)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dw.dwarf_attr_integrate(function, DW_AT_linkage_name, &a) != NULL ||
	    dw.dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &a) !=
	    NULL)
		name = dw.dwarf_formstring(&a);
	if (name == NULL)
		name = dw.dwarf_diename(function);
	return name == NULL ? (struct prof_span){ NULL, 0 } :
	    span_of_text(name);
}

/*
 * The list of files for the unit at hand, or NULL.  Clang numbers the files of
 * a unit that was split off by the line table of its skeleton, as LLVM reads
 * them (DWARFDie::getDeclFile, LLVM 19).  PROF_FAIL only if out of memory.
 */
static enum prof_status
probe_files(struct probe_scan *s, const struct line_table **files,
    struct prof_error *err)
{
	struct prof_error e = { 0 };
	Dwarf_Attribute a;
	Dwarf_Word offset;
	size_t index;

	*files = NULL;
	if (dw.dwarf_formudata(dw.dwarf_attr(&s->skeleton, DW_AT_stmt_list,
	    &a), &offset) != 0)
		return PROF_OK;
	/* Behind damage, files may be missing, and functions have none. */
	if (line_tables_read(&s->lines, offset, &index, &e) != PROF_OK &&
	    e.code == PROF_E_MEMORY)
		return err_memory(err);
	*files = &s->lines.tables[index];
	return PROF_OK;
}

/* Joins the path of a file below the compiler's folder. */
static enum prof_status
probe_join_path(struct probe_scan *s, const struct line_path *path,
    struct prof_span *out, struct prof_error *err)
{
	const char *parts[3] = { NULL, path->folder, path->name };
	size_t size = line_path_size(parts);

	*out = span_of_text(path->name);
	if (path->compilers || *path->name == '/' || size == 0)
		return PROF_OK;
	s->path.size = 0;
	if (buf_grow(&s->path, size) == NULL)
		return err_memory(err);
	line_path_join(parts, (char *)s->path.data);
	*out = (struct prof_span){ s->path.data, size - 1 };
	return PROF_OK;
}

/*
 * The file that declares a function, without the compiler's folder
 * (FileLineInfoKind::RelativeFilePath).  It is valid until the next call; no
 * data if there is none.
 */
static enum prof_status
function_file(struct probe_scan *s, Dwarf_Die *function, struct prof_span *out,
    struct prof_error *err)
{
	const struct line_table *files;
	struct line_path path;
	Dwarf_Attribute a;
	Dwarf_Word number;

	*out = (struct prof_span){ NULL, 0 };
	/* dwarf_decl_file takes number 0, the first of DWARF 5, for none. */
	if (dw.dwarf_attr_integrate(function, DW_AT_decl_file, &a) == NULL ||
	    dw.dwarf_formudata(&a, &number) != 0)
		return PROF_OK;
	if (probe_files(s, &files, err) != PROF_OK)
		return PROF_FAIL;
	return files != NULL && line_file_find(files, number, &path) ?
	    probe_join_path(s, &path, out, err) : PROF_OK;
}

/* Many functions may share a long name or folder. */
static enum prof_status
probe_count_text(struct probe_scan *s, const struct correlate_probe *p,
    struct prof_error *err)
{
	uint64_t limit = expansion_limit(s->file_bytes);

	s->text_bytes += (uint64_t)p->name.size + p->linkage_name.size +
	    p->file.size;
	return s->text_bytes <= limit ? PROF_OK : err_set(err, PROF_E_LIMIT,
	    "the names and paths of functions have more than %llu bytes",
	    ull(limit));
}

static enum prof_status
probe_visit_whole(struct probe_scan *s, const struct probe *p,
    Dwarf_Addr address, struct prof_error *err)
{
	const struct correlate_range *r = &s->layout->counters;
	const struct correlate_visitor *v = s->table->visitor;
	Dwarf_Die *function = &s->function[p->depth - 1];
	struct correlate_probe out = { .name = span_of_text(p->name),
	    .hash = p->hash, .num_counters = p->num_counters,
	    .counters = address - r->address };

	if (address < r->address || address - r->address >= r->size)
		return PROF_OK;
	out.linkage_name = function_linkage_name(function);
	if (function_file(s, function, &out.file, err) != PROF_OK ||
	    probe_count_text(s, &out, err) != PROF_OK)
		return PROF_FAIL;
	if (dw.dwarf_decl_line(function, &out.line) != 0)
		out.line = 0;
	return v->visit(v->arg, &out, err);
}

/* The entries of the probe are over: adds its function, if complete. */
static enum prof_status
probe_end(struct probe_scan *s, struct prof_error *err)
{
	struct correlate_function f = { .hash = s->probe.hash,
	    .num_counters = s->probe.num_counters };
	struct probe p = s->probe;
	Dwarf_Addr address;
	bool has_address = probe_address(&p.die, &address);

	s->probe = (struct probe){ .depth = 0 };
	if (p.name == NULL || *p.name == '\0' || !p.has_hash || !p.has_num ||
	    !has_address) {
		probe_warn_incomplete(s, &p, has_address ? &address : NULL);
		s->table->incomplete++;
		return PROF_OK;
	}
	probe_warn_address(s, &p, address);
	if (s->table->visitor != NULL)
		return probe_visit_whole(s, &p, address, err);
	f.symbol.name = span_of_text(p.name);
	f.counters = address;
	return correlate_add(s->table, s->layout, &f, err);
}

/* Whether the entry at hand is a variable __profc_... of a function. */
static bool
probe_begins(struct probe_scan *s)
{
	static const char prefix[] = "__profc_";
	const char *name;

	if (s->at.tag != DW_TAG_variable || !s->at.has_children ||
	    s->at.depth == 0 || !s->is_function[s->at.depth - 1])
		return false;
	name = probe_string(&s->at.die, DW_AT_name);
	return name != NULL && strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

static enum prof_status
probe_visit(struct probe_scan *s, struct prof_error *err)
{
	Dwarf_Attribute low;

	if (s->probe.depth != 0 && s->at.depth <= s->probe.depth &&
	    probe_end(s, err) != PROF_OK)
		return PROF_FAIL;
	if (s->at.depth >= DEPTH_MAX)
		return PROF_OK;
	s->is_function[s->at.depth] = s->at.tag == DW_TAG_subprogram;
	if (s->is_function[s->at.depth])
		s->function[s->at.depth] = s->at.die;
	s->is_placed[s->at.depth] = s->table->each != NULL &&
	    s->at.tag == DW_TAG_subprogram &&
	    dw.dwarf_attr(&s->at.die, DW_AT_low_pc, &low) != NULL;
	if (s->probe.depth != 0) {
		if (s->at.depth == s->probe.depth + 1 &&
		    s->at.tag == TAG_LLVM_ANNOTATION)
			probe_read_annotation(&s->probe, &s->at.die);
	} else if (probe_begins(s))
		s->probe = (struct probe){ .die = s->at.die,
		    .depth = s->at.depth };
	return PROF_OK;
}

static enum prof_status
probe_read_unit(struct probe_scan *s, Dwarf_Die *unit, struct prof_error *err)
{
	enum prof_status status;

	if (die_walk_begin(&s->at, unit, s->lines.work, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = die_walk_next(&s->at, err)) == PROF_OK) {
		if (probe_visit(s, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (status == PROF_END && s->probe.depth != 0)
		status = probe_end(s, err);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
probe_read_units(struct probe_scan *s, Dwarf *dwarf, struct prof_error *err)
{
	Dwarf_Die unit, split;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	int got;

	while ((got = dw.dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit,
	    &split)) == 0) {
		s->skeleton = unit;
		if (type == DW_UT_skeleton && split.cu != NULL &&
		    dw.dwarf_tag(&split) != DW_TAG_invalid)
			unit = split;
		else if (type == DW_UT_skeleton)
			s->table->split_missing++;
		if (probe_read_unit(s, &unit, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (got < 0)
		return err_set(err, PROF_E_CORRUPT, "units of .debug_info: %s",
		    dw.dwarf_errmsg(-1));
	return PROF_OK;
}

enum prof_status
correlate_dwarf(struct correlate_table *t, const struct correlate_layout *l,
    Dwarf *dwarf, struct work *work,
    struct prof_error *err)
{
	struct probe_scan s = { .table = t, .layout = l };
	enum prof_status status;

	t->no_bitmaps = true;
	s.file_bytes = elf_file_bytes(dw.dwarf_getelf(dwarf));
	line_tables_begin(&s.lines, dwarf, &s.no_code, work);
	status = probe_read_units(&s, dwarf, err);
	line_tables_free(&s.lines);
	buf_free(&s.path);
	return status == PROF_OK ? correlate_table_finish(t, l, err) : status;
}
