#include "config.h"

#include "sym/dwarf/walk.h"

#include <string.h>

#include "base/error.h"
#include "sym/dwarf/libdw.h"

/*
 * Limits of attributes.  Some forms take no bytes of an entry
 * (DW_FORM_flag_present, DW_FORM_implicit_const), so that a small unit could
 * claim very many attributes; sound entries have few of them.
 */
enum { ATTRIBUTES_A_BYTE = 8, ATTRIBUTES_FEW = 256 };

/* Offset of an entry in its section, for messages. */
static uint64_t
walk_offset(const struct walk *w)
{
	Dwarf_Die die = w->die;

	return dw.dwarf_dieoffset(&die);
}

static enum prof_status
walk_err(const struct walk *w, struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "entry at 0x%llx of .debug_info: "
	    "%s", (unsigned long long)walk_offset(w), dw.dwarf_errmsg(-1));
}

enum prof_status
die_walk_begin(struct walk *w, Dwarf_Die *unit, struct prof_error *err)
{
	Dwarf_Off at = dw.dwarf_dieoffset(unit), next;
	Dwarf_Half version;

	*w = (struct walk){ .die = *unit };
	if (dw.dwarf_next_unit(dw.dwarf_cu_getdwarf(unit->cu),
	    at - dw.dwarf_cuoffset(unit), &next, NULL, &version, NULL,
	    &w->address_size, &w->offset_size, NULL, NULL) != 0 || next < at)
		return walk_err(w, err);
	w->version = version;
	w->end = (const uint8_t *)unit->addr + (next - at);
	w->attributes_left = ATTRIBUTES_A_BYTE * (uint64_t)(next - at) +
	    ATTRIBUTES_FEW;
	return PROF_OK;
}

/* Skips a LEB128 number. */
static const uint8_t *
walk_skip_leb(const struct walk *w, const uint8_t *p)
{
	while (p < w->end && (*p & 0x80) != 0)
		p++;
	return p < w->end ? p + 1 : p;
}

static const uint8_t *
walk_read_leb(const struct walk *w, const uint8_t *p, uint64_t *value)
{
	unsigned shift = 0;

	*value = 0;
	while (p < w->end) {
		if (shift < 64)
			*value |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
		if ((*p++ & 0x80) == 0)
			break;
	}
	return p;
}

static const uint8_t *
walk_skip_bytes(const struct walk *w, const uint8_t *p, uint64_t n)
{
	return n > (uint64_t)(w->end - p) ? w->end : p + n;
}

static const uint8_t *
walk_skip_string(const struct walk *w, const uint8_t *p)
{
	const uint8_t *end = memchr(p, '\0', (size_t)(w->end - p));

	return end == NULL ? w->end : end + 1;
}

/* Skips a block behind its length of `width` bytes; 0: an ULEB128 length. */
static const uint8_t *
walk_skip_block(const struct walk *w, const uint8_t *p, size_t width)
{
	Dwarf_Die die = w->die;
	Dwarf_Attribute a = { .code = DW_AT_location, .cu = die.cu,
	    .valp = (unsigned char *)(uintptr_t)p,
	    .form = width == 0 ? DW_FORM_block : width == 1 ? DW_FORM_block1 :
	    width == 2 ? DW_FORM_block2 : DW_FORM_block4 };
	Dwarf_Block block;

	if (dw.dwarf_formblock(&a, &block) != 0)
		return w->end;
	return walk_skip_bytes(w, block.data, block.length);
}

/* Size of a form; 0 for those of other or no size (DWARF 5, 7.5.6). */
static size_t
walk_form_size(const struct walk *w, unsigned form)
{
	switch (form) {
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag:
	case DW_FORM_strx1: case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2:
	case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_ref_sup4:
	case DW_FORM_strx4: case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return w->address_size;
	case DW_FORM_ref_addr:
		return w->version < 3 ? w->address_size : w->offset_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset:
	case DW_FORM_strp_sup: case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return w->offset_size;
	default:
		return 0;
	}
}

static const uint8_t *
walk_skip_form(const struct walk *w, unsigned form, const uint8_t *p)
{
	uint64_t inner;

	switch (form) {
	case DW_FORM_string:
		return walk_skip_string(w, p);
	case DW_FORM_block: case DW_FORM_exprloc:
		return walk_skip_block(w, p, 0);
	case DW_FORM_block1:
		return walk_skip_block(w, p, 1);
	case DW_FORM_block2:
		return walk_skip_block(w, p, 2);
	case DW_FORM_block4:
		return walk_skip_block(w, p, 4);
	case DW_FORM_sdata: case DW_FORM_udata: case DW_FORM_ref_udata:
	case DW_FORM_strx: case DW_FORM_addrx: case DW_FORM_loclistx:
	case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return walk_skip_leb(w, p);
	case DW_FORM_indirect:
		p = walk_read_leb(w, p, &inner);
		/* DW_FORM_indirect must not name itself. */
		return inner == DW_FORM_indirect || inner > UINT32_MAX ?
		    w->end : walk_skip_form(w, (unsigned)inner, p);
	default:
		return walk_skip_bytes(w, p, walk_form_size(w, form));
	}
}

/* The last attribute of an entry with bytes in .debug_info. */
struct last {
	const uint8_t *value;
	unsigned form;
	uint64_t left;
};

static int
walk_note_last(Dwarf_Attribute *a, void *arg)
{
	struct last *last = arg;

	if (last->left == 0)
		return DWARF_CB_ABORT;
	last->left--;
	if (a->form != DW_FORM_flag_present &&
	    a->form != DW_FORM_implicit_const) {
		last->value = a->valp;
		last->form = a->form;
	}
	return DWARF_CB_OK;
}

/* The end of the entry at hand, behind its last attribute; NULL: damaged. */
static const uint8_t *
walk_end_of_entry(struct walk *w)
{
	struct last last = { .left = w->attributes_left };

	if (dw.dwarf_getattrs(&w->die, walk_note_last, &last, 0) < 0)
		return NULL;
	w->attributes_left = last.left;
	if (last.value == NULL)
		return walk_skip_leb(w, w->die.addr);
	return walk_skip_form(w, last.form, last.value);
}

static enum prof_status
walk_read_tag(struct walk *w, struct prof_error *err)
{
	int children;

	w->tag = dw.dwarf_tag(&w->die);
	children = w->tag == DW_TAG_invalid ? -1 :
	    dw.dwarf_haschildren(&w->die);
	if (children < 0)
		return walk_err(w, err);
	w->has_children = children > 0;
	return PROF_OK;
}

enum prof_status
die_walk_next(struct walk *w, struct prof_error *err)
{
	const uint8_t *p;

	if (!w->begun) {
		w->begun = true;
		return walk_read_tag(w, err);
	}
	p = walk_end_of_entry(w);
	if (p == NULL)
		return walk_err(w, err);
	if (w->attributes_left == 0)
		return err_set(err, PROF_E_LIMIT, "entry at 0x%llx of "
		    ".debug_info: the unit has more attributes than fit in "
		    "its bytes", (unsigned long long)walk_offset(w));
	w->depth += w->has_children;
	for (; w->depth > 0 && p < w->end && *p == 0; p++)
		w->depth--;
	if (w->depth == 0 || p >= w->end)
		return PROF_END;
	w->die = (Dwarf_Die){ .addr = (void *)(uintptr_t)p, .cu = w->die.cu };
	return walk_read_tag(w, err);
}
