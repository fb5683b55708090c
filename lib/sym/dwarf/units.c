#include "config.h"

#include "sym/dwarf/units.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sym/dwarf/code.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/walk.h"

/* A function that encloses the entry at hand. */
struct scope {
	size_t depth;
	uint32_t function;
	bool has_ranges;
	bool discarded;			/* by the linker */
};

struct scopes {
	struct scope *items;
	size_t size, room;
};

/* Stores the first damage; PROF_FAIL if the error is not one of the file. */
static enum prof_status
units_note_damage(struct units *u, const struct prof_error *e,
    struct prof_error *err)
{
	if (e->code == PROF_E_MEMORY)
		return err_memory(err);
	if (u->damage.code == PROF_E_NONE)
		u->damage = *e;
	return PROF_OK;
}

/*
 * The budget keeps a file in which many entries share long lists from taking
 * for ever: a sound one has a byte at least for each range.
 */
static enum prof_status
units_take_budget(struct units *u, uint64_t n, struct prof_error *err)
{
	if (n > u->budget)
		return err_set(err, PROF_E_CORRUPT, "there are more ranges of "
		    "addresses than their bytes can hold");
	u->budget -= n;
	return PROF_OK;
}

/*
 * Adds the address ranges of an entry (DW_AT_low_pc and high_pc, or
 * DW_AT_ranges).
 */
static enum prof_status
units_add_ranges(struct units *u, Dwarf_Die *die, struct intervals *out,
    uint32_t rank, struct prof_error *err)
{
	uint64_t entries = range_list_entries(&u->lists, die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (units_take_budget(u, entries, err) != PROF_OK)
		return PROF_FAIL;
	while ((at = dw.dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (entries == 0 && units_take_budget(u, 1, err) != PROF_OK)
			return PROF_FAIL;
		if (start >= end)
			continue;
		if (!code_is_at(&u->code, start)) {
			u->discarded++;
			continue;
		}
		if (!intervals_add(out, start, end, rank))
			return err_memory(err);
	}
	/* Other entries have lists of their own, which may be good. */
	if (at < 0)
		err_set(&u->damage, PROF_E_CORRUPT, "ranges of the entry at "
		    "0x%llx of .debug_info: %s", ull(dw.dwarf_dieoffset(die)),
		    dw.dwarf_errmsg(-1));
	return PROF_OK;
}

static enum prof_status
units_push_function(struct unit *unit, struct scopes *scopes,
    const struct walk *w, struct prof_error *err)
{
	if (!ARRAY_ROOM(unit->functions, unit->function_count,
	    unit->function_room) ||
	    !ARRAY_ROOM(scopes->items, scopes->size, scopes->room))
		return err_memory(err);
	if (unit->function_count >= NO_FUNCTION)
		return err_set(err, PROF_E_LIMIT, "a unit has more than %u "
		    "functions", NO_FUNCTION);
	unit->functions[unit->function_count] = (struct function){ .die =
	    w->die, .inlined = w->tag == DW_TAG_inlined_subroutine, .parent =
	scopes->size == 0 ? NO_FUNCTION :
	    scopes->items[scopes->size - 1].function };
	scopes->items[scopes->size++] = (struct scope){ w->depth,
	    (uint32_t)unit->function_count++, false, false };
	return PROF_OK;
}

/*
 * Leaves functions at or below a depth.  The last one is dropped if neither it
 * nor a function in it has addresses.
 */
static void
units_pop_functions(struct unit *unit, struct scopes *scopes, size_t depth)
{
	while (scopes->size > 0 &&
	    scopes->items[scopes->size - 1].depth >= depth) {
		const struct scope *s = &scopes->items[--scopes->size];

		if (!s->has_ranges && unit->function_count == s->function + 1u)
			unit->function_count--;
	}
}

/*
 * Reads a function, which is the entry at hand.  What was inlined in one that
 * was discarded was discarded with it.
 */
static enum prof_status
units_read_function(struct units *u, struct unit *unit, struct scopes *scopes,
    struct walk *w, struct prof_error *err)
{
	bool discarded = w->tag == DW_TAG_inlined_subroutine &&
	    scopes->size != 0 && scopes->items[scopes->size - 1].discarded;
	size_t before = unit->ranges.size;
	uint64_t discarded_before = u->discarded;
	struct scope *s;

	if (units_push_function(unit, scopes, w, err) != PROF_OK)
		return PROF_FAIL;
	if (!discarded && units_add_ranges(u, &w->die, &unit->ranges,
	    (uint32_t)(unit->function_count - 1), err) != PROF_OK)
		return PROF_FAIL;
	s = &scopes->items[scopes->size - 1];
	s->has_ranges = unit->ranges.size != before;
	s->discarded = discarded ||
	    (u->discarded != discarded_before && !s->has_ranges);
	return PROF_OK;
}

static enum prof_status
units_read_tree(struct units *u, struct unit *unit, struct scopes *scopes,
    struct prof_error *err)
{
	enum prof_status status;
	struct walk w;

	if (die_walk_begin(&w, &unit->tree, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = die_walk_next(&w, err)) == PROF_OK) {
		units_pop_functions(unit, scopes, w.depth);
		if (w.tag != DW_TAG_subprogram &&
		    w.tag != DW_TAG_inlined_subroutine)
			continue;
		if (units_read_function(u, unit, scopes, &w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
units_load(struct units *u, struct unit *unit, struct prof_error *err)
{
	struct scopes scopes = { 0 };
	struct prof_error e = { 0 };
	enum prof_status status;

	unit->loaded = true;
	status = units_read_tree(u, unit, &scopes, &e);
	units_pop_functions(unit, &scopes, 0);
	free(scopes.items);
	if (status != PROF_OK && units_note_damage(u, &e, err) != PROF_OK)
		return PROF_FAIL;
	return intervals_nest(&unit->ranges) ? PROF_OK : err_memory(err);
}

/* A unit without ranges of its own has those of its functions. */
static enum prof_status
units_add_unit_ranges(struct units *u, size_t index, struct prof_error *err)
{
	struct unit *unit = &u->items[index];
	uint32_t rank = UINT32_MAX - (uint32_t)index;
	struct prof_error e = { 0 };
	size_t before = u->ranges.size;
	uint64_t discarded_before = u->discarded;

	if (units_add_ranges(u, &unit->die, &u->ranges, rank, &e) != PROF_OK)
		return units_note_damage(u, &e, err);
	if (u->ranges.size != before || u->discarded != discarded_before)
		return PROF_OK;
	if (units_load(u, unit, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < unit->ranges.size; i++) {
		const struct interval *r = &unit->ranges.items[i];

		if (!intervals_add(&u->ranges, r->start, r->end, rank))
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
units_add(struct units *u, const struct unit *unit, Dwarf_Die *split,
    struct prof_error *err)
{
	if (!ARRAY_ROOM(u->items, u->size, u->room))
		return err_memory(err);
	if (u->size == UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "there are more than %u "
		    "units", UINT32_MAX);
	u->items[u->size] = *unit;
	if (split == NULL)
		;
	else if (split->cu != NULL && dw.dwarf_tag(split) != DW_TAG_invalid)
		u->items[u->size].tree = *split;
	else
		u->split_missing++;
	return units_add_unit_ranges(u, u->size++, err);
}

/*
 * Size of the debug sections, the budget of ranges, and a minimum.  Sections
 * that are not in the file have no bytes, whatever their size.
 */
static uint64_t
units_count_bytes(Dwarf *dwarf)
{
	Elf *elf = dw.dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	uint64_t bytes = 1 << 16;
	const Elf_Data *data;
	GElf_Shdr s;

	/* They were uncompressed in place: data has their real size. */
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL || s.sh_addr != 0 ||
		    s.sh_type != SHT_PROGBITS)
			continue;
		data = dw.elf_rawdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			bytes = saturating_add(bytes, data->d_size);
	}
	return bytes;
}

enum prof_status
units_read(struct units *u, Dwarf *dwarf, struct prof_error *err)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	int more;

	u->dwarf = dwarf;
	u->budget = units_count_bytes(dwarf);
	if (code_read(&u->code, dwarf, err) != PROF_OK)
		return PROF_FAIL;
	while ((more = dw.dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die,
	    &split)) == 0) {
		struct unit unit = { .die = die, .tree = die };

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (units_add(u, &unit, type == DW_UT_skeleton ? &split : NULL,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	if (more < 0)
		err_set(&u->damage, PROF_E_CORRUPT, "unit %zu of .debug_info: "
		    "%s", u->size, dw.dwarf_errmsg(-1));
	return intervals_nest(&u->ranges) ? PROF_OK : err_memory(err);
}

enum prof_status
units_find(struct units *u, uint64_t address, struct unit **unit,
    uint32_t *function, struct prof_error *err)
{
	const struct interval *range = intervals_find(&u->ranges, address);

	*function = NO_FUNCTION;
	if (range == NULL)
		return PROF_OK;
	*unit = &u->items[UINT32_MAX - range->rank];
	if (!(*unit)->loaded && units_load(u, *unit, err) != PROF_OK)
		return PROF_FAIL;
	range = intervals_find(&(*unit)->ranges, address);
	if (range != NULL)
		*function = range->rank;
	return PROF_OK;
}

void
units_free(struct units *u)
{
	for (size_t i = 0; i < u->size; i++) {
		free(u->items[i].functions);
		intervals_free(&u->items[i].ranges);
	}
	free(u->items);
	intervals_free(&u->ranges);
	intervals_free(&u->code);
	*u = (struct units){ 0 };
}
