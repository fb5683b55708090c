#include "config.h"

#include "sym/dwarf/range_lists.h"

#include "sym/dwarf/elf_bounds.h"

/* How an operand of an entry of .debug_rnglists is written. */
enum operand { NO_OPERAND, ULEB, ADDRESS };

/* By kind of entry, DW_RLE_... (DWARF 5, 7.25). */
static const struct {
	enum operand first, second;
} range_operands[] = {
	[DW_RLE_base_addressx] = { ULEB, NO_OPERAND },
	[DW_RLE_startx_endx] = { ULEB, ULEB },
	[DW_RLE_startx_length] = { ULEB, ULEB },
	[DW_RLE_offset_pair] = { ULEB, ULEB },
	[DW_RLE_base_address] = { ADDRESS, NO_OPERAND },
	[DW_RLE_start_end] = { ADDRESS, ADDRESS },
	[DW_RLE_start_length] = { ADDRESS, ULEB }
};

static void
range_skip(struct cursor *c, enum operand operand, uint8_t address_size)
{
	if (operand == ULEB)
		cur_uleb_long(c);
	else if (operand == ADDRESS)
		cur_bytes(c, address_size);
}

/* Moves behind an entry.  False if it ends the list, or is damaged. */
static bool
range_next(struct cursor *c, uint8_t address_size)
{
	uint8_t kind = cur_u8(c);

	if (kind == DW_RLE_end_of_list || kind > DW_RLE_start_length)
		return false;
	range_skip(c, range_operands[kind].first, address_size);
	range_skip(c, range_operands[kind].second, address_size);
	return !c->failed;
}

/* The same before DWARF 5: two addresses, which are 0 at the end. */
static bool
range_next_pair(struct cursor *c, uint8_t address_size)
{
	const uint8_t *pair = cur_bytes(c, 2u * address_size);

	for (unsigned i = 0; pair != NULL && i < 2u * address_size; i++) {
		if (pair[i] != 0)
			return true;
	}
	return false;
}

uint64_t
range_list_count(struct cursor *c, bool rnglists, uint8_t address_size)
{
	uint64_t n = 0;

	while (rnglists ? range_next(c, address_size) :
	    range_next_pair(c, address_size))
		n++;
	return n;
}

/* Finds the sections of a file, unless the last call was for the same file. */
static void
range_lists_open(struct range_lists *l, Dwarf *dwarf)
{
	Elf *elf = dw.dwarf_getelf(dwarf);

	if (dwarf == l->dwarf)
		return;
	*l = (struct range_lists){ .dwarf = dwarf,
	    .big_endian = elf_is_big_endian(elf),
	    .ranges = elf_contents(elf, ".debug_ranges"),
	    .rnglists = elf_contents(elf, ".debug_rnglists") };
	if (l->rnglists.data == NULL)
		l->rnglists = elf_contents(elf, ".debug_rnglists.dwo");
}

/*
 * DW_AT_rnglists_base; without that, as in .dwo files, the end of the header,
 * which is the size, a version, two bytes and a number.
 */
static uint64_t
range_lists_base(struct range_lists *l, Dwarf_CU *unit, uint8_t offset_size)
{
	Dwarf_Attribute a;
	Dwarf_Word base;
	Dwarf_Die die;

	if (l->unit != unit) {
		l->unit = unit;
		l->base = offset_size == 8 ? 20 : 12;
		if (dw.dwarf_cu_info(unit, NULL, NULL, &die, NULL, NULL, NULL,
		    NULL) == 0 && dw.dwarf_formudata(dw.dwarf_attr(&die,
		    DW_AT_rnglists_base, &a), &base) == 0)
			l->base = base;
	}
	return l->base;
}

/* Moves the cursor to a list by its number in the table of offsets. */
static void
range_seek_number(struct range_lists *l, struct cursor *c, uint64_t number,
    Dwarf_CU *unit, uint8_t offset_size)
{
	uint64_t base = range_lists_base(l, unit, offset_size), at, offset;

	cur_bytes(c, base);
	cur_bytes(c, mul_u64(number, offset_size, &at) ? at : UINT64_MAX);
	offset = offset_size == 8 ? cur_u64(c) : cur_u32(c);
	if (!c->failed)
		c->pos = (size_t)base;
	cur_bytes(c, offset);
}

uint64_t
range_list_entries(struct range_lists *l, Dwarf_Die *die)
{
	struct prof_span section;
	Dwarf_Half version;
	uint8_t address_size, offset_size;
	Dwarf_Attribute a;
	struct cursor c;
	Dwarf_Word value;

	if (dw.dwarf_attr(die, DW_AT_ranges, &a) == NULL ||
	    dw.dwarf_formudata(&a, &value) != 0 ||
	    dw.dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL,
	    &address_size, &offset_size) != 0)
		return 0;
	range_lists_open(l, dw.dwarf_cu_getdwarf(die->cu));
	section = version >= 5 ? l->rnglists : l->ranges;
	if (section.data == NULL)
		return 0;
	c = (struct cursor){ .data = section.data, .size = section.size,
	    .big = l->big_endian };
	if (a.form == DW_FORM_rnglistx)
		range_seek_number(l, &c, value, die->cu, offset_size);
	else
		cur_bytes(&c, value);
	return c.failed ? 0 : range_list_count(&c, version >= 5, address_size);
}
