#include "config.h"

#include "sym/dwarf/unit_headers.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/id_map.h"
#include "sym/dwarf/elf_bounds.h"

/*
 * In sound files, units have hundreds of bytes.  Units of types share the table
 * of a unit of code, but may have 50 bytes, while the table has hundreds of
 * abbreviations.
 *
 * An abbreviation has the cost of its bytes, which libdw reads for each unit,
 * and ABBREVIATION_COST for its 47 bytes of memory in elfutils 0.188.  The
 * least one has 5 bytes: a file takes at most 650 bytes of memory for each of
 * its own.  Units of 6000 small structures and 6000 enumerations, by GCC 12
 * with -fdebug-types-section, have 190 times the cost of their bytes.
 *
 * Clang's -flto=full -gsplit-dwarf makes one .dwo file of all units, which is
 * opened for each of them: 100 units of one small function have AGAIN_RATIO
 * times the cost of their bytes at most.
 */
enum {
	UNITS_FREE = 1024, UNIT_BYTES_MIN = 12,
	TABLES_RATIO = 512, AGAIN_RATIO = 64,
	ABBREVIATION_BYTES_MIN = 5, ABBREVIATION_COST = 32
};

/*
 * Attributes of an abbreviation: libdw searches all for each one that is asked
 * for.  Compilers write up to 30.
 */
enum { ATTRIBUTES_MAX = 256 };

#define TABLES_FREE	((uint64_t)16 << 20)

/*
 * In a file with several kinds of names, as an object file of Clang's
 * -gsplit-dwarf=single, versions of libdw differ in which they take.
 */
static const char *const unit_names[] = {
	".debug_info", ".debug_info.dwo", ".gnu.debuglto_.debug_info",
	".debug_types", ".debug_types.dwo", ".gnu.debuglto_.debug_types"
};

static const char *const table_names[] = {
	".debug_abbrev", ".debug_abbrev.dwo", ".gnu.debuglto_.debug_abbrev"
};

enum {
	UNIT_NAMES = sizeof(unit_names) / sizeof(*unit_names),
	TABLE_NAMES = sizeof(table_names) / sizeof(*table_names)
};

struct unit_headers {
	const char *path;
	bool big_endian;
	struct cursor abbreviations;	/* the section */
	struct id_map tables;		/* costs by offset */
	struct unit_totals *totals;
	uint64_t attributes;		/* of the abbreviation with most */
};

static enum prof_status
headers_take(uint64_t *taken, uint64_t n, uint64_t limit,
    const struct unit_headers *h, const char *what, struct prof_error *err)
{
	if (n > limit - *taken)
		return err_set(err, PROF_E_LIMIT, "%s: .debug_info: there are "
		    "too many %s for the size of the file", h->path, what);
	*taken += n;
	return PROF_OK;
}

/*
 * A LEB128 of up to ten bytes, signed or not, without the bits above the 64th.
 * libdw reads the bytes behind the tenth as the next number, or as this one,
 * depending on its version.
 */
static uint64_t
headers_read_leb(struct cursor *c)
{
	uint64_t n = 0;
	uint8_t byte = 0x80;

	for (unsigned i = 0; i < 10 && byte >= 0x80; i++) {
		byte = cur_u8(c);
		n |= (uint64_t)(byte & 0x7f) << 7 * i;
	}
	c->failed = c->failed || byte >= 0x80;
	return n;
}

/* The same for codes, names and forms, of which libdw drops higher bits. */
static uint64_t
headers_read_code(struct cursor *c)
{
	uint64_t n = headers_read_leb(c);

	c->failed = c->failed || n > UINT32_MAX;
	return n;
}

/* Moves behind an abbreviation, and returns the number of its attributes. */
static uint64_t
headers_skip_abbreviation(struct cursor *c)
{
	uint64_t name, form, n = 0;

	headers_read_code(c);
	headers_read_leb(c);		/* the tag */
	cur_u8(c);			/* whether there are children */
	do {
		name = headers_read_code(c);
		form = headers_read_code(c);
		if (form == DW_FORM_implicit_const)
			headers_read_leb(c);
		n++;
	} while (!c->failed && (name != 0 || form != 0));
	return n - 1;
}

/*
 * The cost of a table of abbreviations, up to its end.  As in libdw, this is a
 * byte of 0.  With damage, versions of libdw differ in what they take for the
 * end: then the whole rest of the section counts.
 */
static uint64_t
headers_measure_table(struct unit_headers *h, uint64_t offset)
{
	struct cursor c = h->abbreviations;
	uint64_t count = 0, bytes, n;

	cur_bytes(&c, offset);
	if (c.failed)
		return 0;
	for (; cur_left(&c) > 0 && c.data[c.pos] != 0 && !c.failed; count++) {
		n = headers_skip_abbreviation(&c);
		if (n > h->attributes)
			h->attributes = n;
	}
	bytes = (c.failed ? c.size : c.pos) - offset;
	if (c.failed)
		count = bytes / ABBREVIATION_BYTES_MIN;
	return bytes + ABBREVIATION_COST * count;
}

static enum prof_status
headers_add_table(struct unit_headers *h, uint64_t offset,
    struct prof_error *err)
{
	uint64_t *cost = id_map_find(&h->tables, offset);

	if (cost == NULL)
		cost = id_map_add(&h->tables, offset,
		    headers_measure_table(h, offset));
	if (cost == NULL)
		return err_memory(err);
	if (h->attributes > ATTRIBUTES_MAX)
		return err_set(err, PROF_E_LIMIT, "%s: .debug_abbrev: an "
		    "abbreviation has more than %d attributes", h->path,
		    ATTRIBUTES_MAX);
	return headers_take(&h->totals->cost, *cost, TABLES_FREE +
	    h->totals->cost_max, h, "abbreviations", err);
}

/* Reads the header of a unit (DWARF 2 to 5, section 7.5.1), and passes it. */
static enum prof_status
headers_read_unit(struct unit_headers *h, struct cursor *c,
    struct prof_error *err)
{
	uint64_t length = cur_u32(c), offset;
	bool wide = length == UINT32_MAX;
	unsigned version;
	size_t start;

	if (wide)
		length = cur_u64(c);
	start = c->pos;
	version = cur_u16(c);
	if (version >= 5)
		cur_u16(c);		/* unit_type and address_size */
	offset = wide ? cur_u64(c) : cur_u32(c);
	if (c->failed)
		return PROF_OK;
	c->pos = start;
	cur_bytes(c, length);
	if (headers_take(&h->totals->units, 1, UNITS_FREE +
	    h->totals->units_max, h, "units", err) != PROF_OK)
		return PROF_FAIL;
	return headers_add_table(h, offset, err);
}

static enum prof_status
headers_read_section(struct unit_headers *h, struct prof_span section,
    struct prof_error *err)
{
	struct cursor c = { .data = section.data, .size = section.size,
	    .big = h->big_endian };

	while (cur_left(&c) > 0 && !c.failed) {
		if (headers_read_unit(h, &c, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static uint64_t
headers_count_bytes(Elf *elf, const char *const names[], size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += elf_contents(elf, names[i]).size;
	return bytes;
}

void
unit_headers_allow(Elf *elf, bool again, struct unit_totals *totals)
{
	uint64_t bytes = headers_count_bytes(elf, unit_names, UNIT_NAMES) +
	    headers_count_bytes(elf, table_names, TABLE_NAMES);

	totals->units_max += elf_file_bytes(elf) / UNIT_BYTES_MIN;
	totals->cost_max += (again ? AGAIN_RATIO : TABLES_RATIO) * bytes;
}

/* All units with one section of abbreviations. */
static enum prof_status
headers_check_with(struct unit_headers *h, Elf *elf,
    struct prof_span abbreviations, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	h->abbreviations = (struct cursor){ .data = abbreviations.data,
	    .size = abbreviations.size };
	for (size_t i = 0; status == PROF_OK && i < UNIT_NAMES; i++)
		status = headers_read_section(h,
		    elf_contents(elf, unit_names[i]), err);
	id_map_clear(&h->tables);
	return status;
}

enum prof_status
unit_headers_check(Elf *elf, const char *path, struct unit_totals *totals,
    struct prof_error *err)
{
	struct unit_headers h = { .path = path, .totals = totals,
	    .big_endian = elf_is_big_endian(elf) };
	enum prof_status status = PROF_OK;
	struct prof_span abbreviations;

	for (size_t i = 0; status == PROF_OK && i < TABLE_NAMES; i++) {
		abbreviations = elf_contents(elf, table_names[i]);
		if (abbreviations.data != NULL)
			status = headers_check_with(&h, elf, abbreviations,
			    err);
	}
	id_map_free(&h.tables);
	return status;
}
