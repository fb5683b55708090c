/* The entries of a unit of .debug_info, each byte of which is read once. */
#include "config.h"

#include "sym/sym.h"

void
form_skip(struct cursor *c, uint64_t form, const struct form_sizes *sizes)
{
	const uint8_t *end;

	switch (form) {
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag:
	case DW_FORM_strx1: case DW_FORM_addrx1:
		cur_bytes(c, 1);
		break;
	case DW_FORM_data2: case DW_FORM_ref2:
	case DW_FORM_strx2: case DW_FORM_addrx2:
		cur_bytes(c, 2);
		break;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		cur_bytes(c, 3);
		break;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_ref_sup4:
	case DW_FORM_strx4: case DW_FORM_addrx4:
		cur_bytes(c, 4);
		break;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		cur_bytes(c, 8);
		break;
	case DW_FORM_data16:
		cur_bytes(c, 16);
		break;
	case DW_FORM_addr:
		cur_bytes(c, sizes->address);
		break;
	case DW_FORM_ref_addr:
		cur_bytes(c, sizes->version < 3 ? sizes->address :
		    sizes->offset);
		break;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset:
	case DW_FORM_strp_sup: case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		cur_bytes(c, sizes->offset);
		break;
	case DW_FORM_string:
		end = c->failed ? NULL :
		    memchr(c->data + c->pos, '\0', cur_left(c));
		cur_bytes(c, end == NULL ? UINT64_MAX :
		    (uint64_t)(end - c->data) + 1 - c->pos);
		break;
	case DW_FORM_block: case DW_FORM_exprloc:
		cur_bytes(c, cur_uleb_long(c));
		break;
	case DW_FORM_block1:
		cur_bytes(c, cur_u8(c));
		break;
	case DW_FORM_block2:
		cur_bytes(c, cur_u16(c));
		break;
	case DW_FORM_block4:
		cur_bytes(c, cur_u32(c));
		break;
	case DW_FORM_sdata: case DW_FORM_udata: case DW_FORM_ref_udata:
	case DW_FORM_strx: case DW_FORM_addrx: case DW_FORM_loclistx:
	case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		while (cur_u8(c) >= 0x80)
			;
		break;
	case DW_FORM_indirect:
		form = cur_uleb_long(c);
		/* DW_FORM_indirect must not name itself. */
		if (form == DW_FORM_indirect)
			c->failed = true;
		else
			form_skip(c, form, sizes);
		break;
	default:
		c->failed = true;
	}
}

const char *
die_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dw.dwarf_formstring(dw.dwarf_attr(die, attribute, &a));
}

bool
die_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *out)
{
	Dwarf_Attribute a;

	return dw.dwarf_formudata(dw.dwarf_attr(die, attribute, &a), out) == 0;
}

static enum prof_status
walk_err(struct walk *w, struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "entry at 0x%llx of .debug_info: "
	    "%s", ull(dw.dwarf_dieoffset(&w->die)), dw.dwarf_errmsg(-1));
}

enum prof_status
die_walk_begin(struct walk *w, Dwarf_Die *unit, struct work *work,
    struct prof_error *err)
{
	Dwarf *dwarf = dw.dwarf_cu_getdwarf(unit->cu);
	Dwarf_Off at = dw.dwarf_dieoffset(unit), next;
	Dwarf_Half version;

	*w = (struct walk){ .die = *unit, .work = work };
	if (dw.dwarf_next_unit(dwarf, at - dw.dwarf_cuoffset(unit), &next, NULL,
	    &version, NULL, &w->sizes.address, &w->sizes.offset, NULL, NULL) !=
	    0 || next < at)
		return walk_err(w, err);
	w->sizes.version = version;
	w->c = (struct cursor){ .data = unit->addr,
	    .size = (size_t)(next - at),
	    .big = elf_is_big_endian(dw.dwarf_getelf(dwarf)) };
	return PROF_OK;
}

/* The last attribute of an entry with bytes in .debug_info. */
struct last_attribute {
	const uint8_t *value;
	unsigned form;
	uint64_t count;			/* of attributes */
};

static int
walk_note_attribute(Dwarf_Attribute *a, void *arg)
{
	struct last_attribute *last = arg;

	last->count++;
	if (a->form != DW_FORM_flag_present &&
	    a->form != DW_FORM_implicit_const) {
		last->value = a->valp;
		last->form = a->form;
	}
	return DWARF_CB_OK;
}

enum prof_status
die_walk_next(struct walk *w, struct prof_error *err)
{
	struct last_attribute last = { .value = NULL };
	struct cursor *c = &w->c;
	int children;

	if (w->begun) {
		if (dw.dwarf_getattrs(&w->die, walk_note_attribute, &last, 0) <
		    0)
			return walk_err(w, err);
		/*
		 * Some forms take no bytes (DW_FORM_flag_present): a small
		 * unit could have very many attributes.
		 */
		if (work_take(w->work, last.count, WORK_ITEM, "attributes of "
		    "entries of .debug_info", err) != PROF_OK)
			return PROF_FAIL;
		if (last.value != NULL) {
			c->pos = (size_t)(last.value - c->data);
			form_skip(c, last.form, &w->sizes);
		} else
			while (cur_u8(c) >= 0x80)
				;
		w->depth += w->has_children;
		for (; w->depth > 0 && !c->failed && cur_left(c) > 0 &&
		    c->data[c->pos] == 0; c->pos++)
			w->depth--;
		if (w->depth == 0 || c->failed || cur_left(c) == 0)
			return PROF_END;
		w->die = (Dwarf_Die){ .cu = w->die.cu,
		    .addr = (void *)(uintptr_t)(c->data + c->pos) };
	}
	w->begun = true;
	w->tag = dw.dwarf_tag(&w->die);
	children = w->tag == DW_TAG_invalid ? -1 :
	    dw.dwarf_haschildren(&w->die);
	if (children < 0)
		return walk_err(w, err);
	w->has_children = children > 0;
	return PROF_OK;
}
