/*
 * From an address of a module to frames of the source.
 *
 * The compilation units of .debug_info are listed at first.  The functions of a
 * unit are read when an address in the unit is first looked up.
 *
 * Functions that the linker discarded are left out.  Where that does not show,
 * in a module with code at 0, their ranges begin there and may cover others.
 * Other ranges are nested.  Therefore, an address belongs to the range that
 * begins last, as in LLVM (DWARFUnit::updateAddressDieMap).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/heap.h"
#include "sym/sym.h"

/* Deeper nesting of inlined functions is damage: no compiler makes it. */
#define DEPTH_MAX 1000

/* DW_AT_GNU_discriminator of inlined calls, missing in elfutils 0.188. */
#define AT_GNU_DISCRIMINATOR 0x2136

#define NO_FUNCTION UINT32_MAX

/* No system opens longer paths. */
#define PATH_SIZE_MAX 65536

/* A place in the source; 0 and NULL are unknown. */
struct source_place {
	const char *file;
	uint32_t line, column, discriminator;
};

/* All that the frames of a function have in common. */
struct function_facts {
	struct prof_frame frame;	/* without a place */
	struct source_place call;	/* the call of an inlined function */
};

/* A DW_TAG_subprogram, or a DW_TAG_inlined_subroutine in its parent. */
struct function {
	Dwarf_Die die;
	struct function_facts *facts;	/* NULL at first */
	uint32_t parent;		/* index, or NO_FUNCTION */
	bool inlined;
};

struct unit {
	Dwarf_Die die;			/* has the line table */
	Dwarf_Die tree;			/* has the functions: die or its .dwo */
	size_t lines;			/* number of its line table + 1, or 0 */
	bool loaded;
	struct function *functions;
	size_t function_count, function_room;
	struct intervals ranges;	/* rank is index into functions */
};

/* The sections of one file with lists of ranges, borrowed from libelf. */
struct range_lists {
	Dwarf *dwarf;
	bool big_endian;
	struct prof_span ranges;	/* .debug_ranges, before DWARF 5 */
	struct prof_span rnglists;	/* .debug_rnglists, or with .dwo */
	struct Dwarf_CU *unit;		/* the last one with this base */
	uint64_t base;			/* of its offsets in .debug_rnglists */
};

struct frames {
	struct work *work;		/* borrowed */
	struct unit *units;
	size_t size, room;
	struct intervals ranges;	/* rank is UINT32_MAX - unit */
	struct intervals code;		/* sections with code */
	struct range_lists lists;	/* of the last entry's file */
	uint64_t discarded;		/* ranges without code, so far */
	struct frames_lack lack;
	struct scope *scopes;		/* of the unit being read */
	size_t scope_count, scope_room;
	struct line_tables lines;
	struct arena arena;		/* paths that were joined, facts */
	struct id_map paths;		/* their addresses, by unit and file */
	bool no_memory;			/* for one of these, or of facts */
};

/* A function that encloses the entry at hand. */
struct scope {
	size_t depth;
	uint32_t function;
	bool has_ranges;
	bool discarded;			/* by the linker */
};

const struct frames_lack *
frames_lack(const struct frames *f)
{
	return &f->lack;
}

/* Stores the first damage; PROF_FAIL if the error is not one of the file. */
static enum prof_status
frames_note_damage(struct frames *f, const struct prof_error *e,
    struct prof_error *err)
{
	if (e->code == PROF_E_MEMORY)
		return err_memory(err);
	err_repeat(&f->lack.damage, e);
	return PROF_OK;
}

/* How an operand of an entry of .debug_rnglists is written. */
enum operand { NO_OPERAND, ULEB, ADDRESS };

/* By kind of entry, DW_RLE_... (DWARF 5, 7.25). */
static const enum operand range_operands[][2] = {
	[DW_RLE_base_addressx] = { ULEB, NO_OPERAND },
	[DW_RLE_startx_endx] = { ULEB, ULEB },
	[DW_RLE_startx_length] = { ULEB, ULEB },
	[DW_RLE_offset_pair] = { ULEB, ULEB },
	[DW_RLE_base_address] = { ADDRESS, NO_OPERAND },
	[DW_RLE_start_end] = { ADDRESS, ADDRESS },
	[DW_RLE_start_length] = { ADDRESS, ULEB }
};

uint64_t
range_list_count(struct cursor *c, bool rnglists, uint8_t address_size)
{
	const uint8_t *pair;
	uint64_t n;

	for (n = 0; rnglists; n++) {
		uint8_t kind = cur_u8(c);

		if (kind == DW_RLE_end_of_list || kind > DW_RLE_start_length)
			return n;
		for (int i = 0; i < 2; i++) {
			if (range_operands[kind][i] == ULEB)
				cur_uleb_long(c);
			else if (range_operands[kind][i] == ADDRESS)
				cur_bytes(c, address_size);
		}
		if (c->failed)
			return n;
	}
	/* Before DWARF 5, two addresses, which are 0 at the end. */
	while ((pair = cur_bytes(c, 2u * address_size)) != NULL &&
	    !bytes_are_zero(pair, 2u * address_size))
		n++;
	return n;
}

/*
 * Entries of the list that is the DW_AT_ranges of an entry: dwarf_ranges passes
 * over those that only set the base of others, so that a caller does not see
 * how much it reads.  0 if there is no such attribute or no section of lists: a
 * .dwo file of DWARF 4 has its lists in another file.
 */
static uint64_t
frames_list_entries(struct range_lists *l, Dwarf_Die *die)
{
	uint8_t address_size, offset_size;
	struct prof_span section;
	Dwarf_Half version;
	Dwarf_Word value, base;
	Dwarf_Attribute a;
	struct cursor c;
	Dwarf_Die unit;
	Dwarf *dwarf;
	uint64_t at;
	Elf *elf;

	if (dw.dwarf_attr(die, DW_AT_ranges, &a) == NULL ||
	    dw.dwarf_formudata(&a, &value) != 0 ||
	    dw.dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL,
	    &address_size, &offset_size) != 0)
		return 0;
	dwarf = dw.dwarf_cu_getdwarf(die->cu);
	if (dwarf != l->dwarf) {
		elf = dw.dwarf_getelf(dwarf);
		*l = (struct range_lists){ .dwarf = dwarf,
		    .big_endian = elf_is_big_endian(elf),
		    .ranges = elf_contents(elf, ".debug_ranges"),
		    .rnglists = elf_contents(elf, ".debug_rnglists") };
		if (l->rnglists.data == NULL)
			l->rnglists = elf_contents(elf, ".debug_rnglists.dwo");
	}
	section = version >= 5 ? l->rnglists : l->ranges;
	if (section.data == NULL)
		return 0;
	c = (struct cursor){ .data = section.data, .size = section.size,
	    .big = l->big_endian };
	/*
	 * The number of a list in the table of offsets.  They count from
	 * DW_AT_rnglists_base; without that, as in .dwo files, from the end of
	 * the header, which is the size, a version, two bytes and a number.
	 */
	if (a.form == DW_FORM_rnglistx) {
		if (l->unit != die->cu) {
			l->unit = die->cu;
			l->base = offset_size == 8 ? 20 : 12;
			if (dw.dwarf_cu_info(l->unit, NULL, NULL, &unit, NULL,
			    NULL, NULL, NULL) == 0 && die_number(&unit,
			    DW_AT_rnglists_base, &base))
				l->base = base;
		}
		cur_bytes(&c, l->base);
		cur_bytes(&c, mul_u64(value, offset_size, &at) ? at :
		    UINT64_MAX);
		value = offset_size == 8 ? cur_u64(&c) : cur_u32(&c);
		if (!c.failed)
			c.pos = (size_t)l->base;
	}
	cur_bytes(&c, value);
	return c.failed ? 0 : range_list_count(&c, version >= 5, address_size);
}

/*
 * Adds the address ranges of an entry (DW_AT_low_pc and high_pc, or
 * DW_AT_ranges).  Many entries may share a long list.
 */
static enum prof_status
frames_add_ranges(struct frames *f, Dwarf_Die *die, struct intervals *out,
    uint32_t rank, struct prof_error *err)
{
	uint64_t entries = frames_list_entries(&f->lists, die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (work_take(f->work, entries, WORK_ITEM, "ranges of addresses", err)
	    != PROF_OK)
		return PROF_FAIL;
	while ((at = dw.dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (entries == 0 && work_take(f->work, 1, WORK_ITEM,
		    "ranges of addresses", err) != PROF_OK)
			return PROF_FAIL;
		if (start >= end)
			continue;
		if (!code_is_at(&f->code, start)) {
			f->discarded++;
			continue;
		}
		if (!intervals_add(out, start, end, rank))
			return err_memory(err);
	}
	/* Other entries have lists of their own, which may be good. */
	if (at < 0)
		err_set(&f->lack.damage, PROF_E_CORRUPT, "ranges of the entry "
		    "at 0x%llx of .debug_info: %s",
		    ull(dw.dwarf_dieoffset(die)), dw.dwarf_errmsg(-1));
	return PROF_OK;
}

/*
 * Leaves functions at or below a depth.  The last one is dropped if neither it
 * nor a function in it has addresses.
 */
static void
frames_pop_scopes(struct frames *f, struct unit *unit, size_t depth)
{
	while (f->scope_count > 0 &&
	    f->scopes[f->scope_count - 1].depth >= depth) {
		const struct scope *s = &f->scopes[--f->scope_count];

		if (!s->has_ranges && unit->function_count == s->function + 1u)
			unit->function_count--;
	}
}

/*
 * Reads a function, which is the entry at hand.  What was inlined in one that
 * was discarded was discarded with it.
 */
static enum prof_status
frames_read_function(struct frames *f, struct unit *unit, const struct walk *w,
    struct prof_error *err)
{
	const struct scope *outer = f->scope_count == 0 ? NULL :
	    &f->scopes[f->scope_count - 1];
	struct function function = { .die = w->die,
	    .inlined = w->tag == DW_TAG_inlined_subroutine,
	    .parent = outer == NULL ? NO_FUNCTION : outer->function };
	struct scope s = { .depth = w->depth,
	    .function = (uint32_t)unit->function_count,
	    .discarded = function.inlined && outer != NULL &&
	    outer->discarded };
	uint64_t discarded_before = f->discarded;
	size_t before = unit->ranges.size;

	if (unit->function_count >= NO_FUNCTION)
		return err_set(err, PROF_E_LIMIT, "a unit has more than %u "
		    "functions", NO_FUNCTION);
	if (!ARRAY_ADD(unit->functions, unit->function_count,
	    unit->function_room, function) ||
	    !ARRAY_ADD(f->scopes, f->scope_count, f->scope_room, s))
		return err_memory(err);
	if (!s.discarded && frames_add_ranges(f, &function.die, &unit->ranges,
	    s.function, err) != PROF_OK)
		return PROF_FAIL;
	s.has_ranges = unit->ranges.size != before;
	s.discarded = s.discarded ||
	    (f->discarded != discarded_before && !s.has_ranges);
	f->scopes[f->scope_count - 1] = s;
	return PROF_OK;
}

/* Reads the functions of a unit, up to damage. */
static enum prof_status
frames_load_unit(struct frames *f, struct unit *unit, struct prof_error *err)
{
	struct prof_error e = { 0 };
	enum prof_status status;
	struct walk w;

	unit->loaded = true;
	status = die_walk_begin(&w, &unit->tree, f->work, &e);
	while (status == PROF_OK &&
	    (status = die_walk_next(&w, &e)) == PROF_OK) {
		frames_pop_scopes(f, unit, w.depth);
		if (w.tag == DW_TAG_subprogram ||
		    w.tag == DW_TAG_inlined_subroutine)
			status = frames_read_function(f, unit, &w, &e);
	}
	frames_pop_scopes(f, unit, 0);
	if (status == PROF_FAIL && frames_note_damage(f, &e, err) != PROF_OK)
		return PROF_FAIL;
	return intervals_nest(&unit->ranges) ? PROF_OK : err_memory(err);
}

/* Adds a unit.  One without ranges of its own has those of its functions. */
static enum prof_status
frames_add_unit(struct frames *f, const struct unit *unit,
    struct prof_error *err)
{
	uint32_t rank = UINT32_MAX - (uint32_t)f->size;
	uint64_t discarded_before = f->discarded;
	size_t before = f->ranges.size;
	struct prof_error e = { 0 };
	struct unit *u;

	if (f->size == UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "there are more than %u "
		    "units", UINT32_MAX);
	if (!ARRAY_ADD(f->units, f->size, f->room, *unit))
		return err_memory(err);
	u = &f->units[f->size - 1];
	if (frames_add_ranges(f, &u->die, &f->ranges, rank, &e) != PROF_OK)
		return frames_note_damage(f, &e, err);
	if (f->ranges.size != before || f->discarded != discarded_before)
		return PROF_OK;
	if (frames_load_unit(f, u, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < u->ranges.size; i++) {
		const struct interval *r = &u->ranges.items[i];

		if (!intervals_add(&f->ranges, r->start, r->end, rank))
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
frames_read_units(struct frames *f, Dwarf *dwarf, struct prof_error *err)
{
	Elf *elf = dw.dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die split;
	GElf_Shdr s;
	uint8_t type;
	int more;

	/* In debug files, too: there, sections of code have no contents. */
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) != NULL &&
		    (s.sh_flags & SHF_EXECINSTR) != 0 &&
		    s.sh_size <= UINT64_MAX - s.sh_addr && !intervals_add(
		    &f->code, s.sh_addr, s.sh_addr + s.sh_size, 0))
			return err_memory(err);
	}
	if (!intervals_build(&f->code))
		return err_memory(err);
	while (true) {
		struct unit unit = { .lines = 0 };

		more = dw.dwarf_get_units(dwarf, cu, &cu, NULL, &type,
		    &unit.die, &split);
		if (more != 0)
			break;
		unit.tree = unit.die;
		if (type == DW_UT_skeleton && split.cu != NULL &&
		    dw.dwarf_tag(&split) != DW_TAG_invalid)
			unit.tree = split;
		else if (type == DW_UT_skeleton)
			f->lack.split_missing++;
		else if (type != DW_UT_compile)
			continue;
		if (frames_add_unit(f, &unit, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (more < 0)
		err_set(&f->lack.damage, PROF_E_CORRUPT, "unit %zu of "
		    ".debug_info: %s", f->size, dw.dwarf_errmsg(-1));
	return intervals_nest(&f->ranges) ? PROF_OK : err_memory(err);
}

struct frames *
frames_new(Dwarf *dwarf, struct work *work, struct prof_error *err)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	f->work = work;
	if (frames_read_units(f, dwarf, err) != PROF_OK) {
		frames_free(f);
		return NULL;
	}
	line_tables_begin(&f->lines, dwarf, &f->code, work);
	return f;
}

void
frames_free(struct frames *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->size; i++) {
		free(f->units[i].functions);
		intervals_free(&f->units[i].ranges);
	}
	free(f->units);
	free(f->scopes);
	intervals_free(&f->ranges);
	intervals_free(&f->code);
	line_tables_free(&f->lines);
	arena_free(&f->arena);
	id_map_free(&f->paths);
	free(f);
}

/*
 * The whole path of a file: DW_AT_comp_dir goes before a relative folder, but
 * if it is relative, too, it is the compiler's folder of DWARF 5 again.  A path
 * that is too long is left without its folder.  NULL if out of memory.
 */
static const char *
frames_join(struct frames *f, struct unit *u, const struct line_path *path)
{
	const char *parts[3] = { NULL, path->folder, path->name };
	size_t sizes[3], size = 1;
	char *whole, *at;

	if (path->folder == NULL || *path->folder != '/')
		parts[0] = die_string(&u->die, DW_AT_comp_dir);
	if (parts[0] != NULL && *parts[0] != '/' && path->folder != NULL &&
	    path->compilers)
		parts[0] = NULL;
	for (int i = 0; i < 3; i++) {
		sizes[i] = parts[i] == NULL ? 0 :
		    strnlen(parts[i], PATH_SIZE_MAX);
		size += sizes[i] + 1;
	}
	if (size > PATH_SIZE_MAX || work_take(f->work, size, 1,
	    "paths of files", &f->lack.damage) != PROF_OK)
		return path->name;
	whole = at = arena_alloc(&f->arena, size);
	for (int i = 0; i < 3 && whole != NULL; i++) {
		if (sizes[i] == 0)
			continue;
		memcpy(at, parts[i], sizes[i]);
		at += sizes[i];
		if (i < 2 && at[-1] != '/')
			*at++ = '/';
	}
	if (whole != NULL)
		*at = '\0';
	return whole;
}

/*
 * The path of a file of the line table, which is joined once.  NULL if there is
 * none, or out of memory.
 */
static const char *
frames_file(struct frames *f, struct unit *u, uint32_t number)
{
	uint64_t id = (uint64_t)(u - f->units) << 32 | number, *known;
	struct line_path path;

	if (u->lines == 0 || !line_file_find(&f->lines.tables[u->lines - 1],
	    number, &path))
		return NULL;
	if (*path.name == '/')
		return path.name;
	known = id_map_add(&f->paths, id, 0);
	if (known != NULL && *known == 0)
		*known = (uintptr_t)frames_join(f, u, &path);
	f->no_memory |= known == NULL || *known == 0;
	return known == NULL ? NULL : (const char *)(uintptr_t)*known;
}

static uint32_t
frames_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Word value;

	return die_number(die, name, &value) ? (uint32_t)value : 0;
}

/*
 * Reads the facts of a function once: a search for attributes in an entry, and
 * in those that its DW_AT_abstract_origin and DW_AT_specification refer to, may
 * be long.  NULL if out of memory.
 */
static const struct function_facts *
frames_learn(struct frames *f, struct unit *u, struct function *fn)
{
	/* In the order of DWARFDie::getSubroutineName. */
	static const unsigned names[] = {
		DW_AT_MIPS_linkage_name, DW_AT_linkage_name, DW_AT_name
	};
	Dwarf_Attribute a, *found = NULL;
	struct prof_frame *frame;
	const char *name;
	Dwarf_Word line;

	if (fn->facts != NULL)
		return fn->facts;
	fn->facts = arena_array(&f->arena, 1, sizeof(*fn->facts));
	if (fn->facts == NULL) {
		f->no_memory = true;
		return NULL;
	}
	*fn->facts = (struct function_facts){ .frame.line = 0 };
	frame = &fn->facts->frame;
	for (size_t i = 0; i < 3 && found == NULL; i++)
		found = dw.dwarf_attr_integrate(&fn->die, names[i], &a);
	name = dw.dwarf_formstring(found);
	if (name != NULL && *name != '\0')
		frame->function.name = span_of_text(name);
	if (dw.dwarf_formudata(dw.dwarf_attr_integrate(&fn->die,
	    DW_AT_decl_line, &a), &line) == 0)
		frame->start_line = (uint32_t)line;
	if (frame->function.name.data != NULL) {
		frame->function.guid = memprof_guid(frame->function.name);
		frame->flags |= PROF_FRAME_LINE_OFFSET;
	}
	if (frame->start_line != 0)
		frame->flags |= PROF_FRAME_START_LINE;
	if (fn->inlined) {
		frame->flags |= PROF_FRAME_INLINE;
		fn->facts->call = (struct source_place){
			.file = frames_file(f, u, frames_number(&fn->die,
			    DW_AT_call_file)),
			.line = frames_number(&fn->die, DW_AT_call_line),
			.column = frames_number(&fn->die, DW_AT_call_column),
			.discriminator = frames_number(&fn->die,
			    AT_GNU_DISCRIMINATOR)
		};
	}
	return fn->facts;
}

enum prof_status
frames_find(struct frames *f, uint64_t address, struct arena *arena,
    struct frame_list *out, struct prof_error *err)
{
	const struct interval *range = intervals_find(&f->ranges, address);
	const struct function_facts *facts;
	struct source_place place = { .file = NULL };
	struct prof_frame *frames, *p;
	struct prof_error e = { 0 };
	const struct line_row *row;
	size_t n = 0, index = 0;
	Dwarf_Word offset;
	struct unit *u;
	uint32_t at;

	*out = (struct frame_list){ .count = 0 };
	if (range == NULL)
		return PROF_OK;
	u = &f->units[UINT32_MAX - range->rank];
	if (!u->loaded && frames_load_unit(f, u, err) != PROF_OK)
		return PROF_FAIL;
	range = intervals_find(&u->ranges, address);
	if (range == NULL)
		return PROF_OK;
	/* From the innermost function to the one that is not inlined. */
	for (at = range->rank; at != NO_FUNCTION;
	    at = u->functions[at].parent) {
		if (n++ == DEPTH_MAX)
			return PROF_OK;
		if (!u->functions[at].inlined)
			break;
	}
	at = range->rank;
	if (u->lines == 0 && die_number(&u->die, DW_AT_stmt_list, &offset)) {
		if (line_tables_read(&f->lines, offset, &index, &e) != PROF_OK
		    && frames_note_damage(f, &e, err) != PROF_OK)
			return PROF_FAIL;
		u->lines = index + 1;
	}
	row = u->lines == 0 ? NULL :
	    line_tables_find(&f->lines, u->lines - 1, address);
	/* Outside of the sequences of the line table, the place is unknown. */
	if (row != NULL)
		place = (struct source_place){
			.file = frames_file(f, u, row->file),
			.line = row->line, .column = row->column,
			.discriminator = row->discriminator
		};
	facts = frames_learn(f, u, &u->functions[at]);
	if (facts != NULL && facts->frame.function.name.data == NULL)
		return PROF_OK;
	frames = arena_array(arena, n, sizeof(*frames));
	if (frames == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n && facts != NULL; i++) {
		p = &frames[i];
		*p = facts->frame;
		p->file = span_of_text(place.file);
		p->line = place.line;
		p->column = place.column;
		p->discriminator = place.discriminator;
		p->line_offset = p->line - p->start_line;
		if (p->line != 0)
			p->flags |= PROF_FRAME_LINE;
		if (p->column != 0)
			p->flags |= PROF_FRAME_COLUMN;
		if (p->discriminator != 0)
			p->flags |= PROF_FRAME_DISCRIMINATOR;
		place = facts->call;
		at = u->functions[at].parent;
		if (i + 1 < n)
			facts = frames_learn(f, u, &u->functions[at]);
	}
	if (f->no_memory)
		return err_memory(err);
	frames[n - 1].flags &= ~(unsigned)PROF_FRAME_INLINE;
	out->frames = frames;
	out->count = n;
	return PROF_OK;
}
