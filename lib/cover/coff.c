/* cover/coff.c - sections of coverage in COFF objects and PE images */
#include "config.h"

#include "cover/object.h"

enum {
	NAME_SIZE = 8,
	SECTION_SIZE = 40,
	UNINITIALIZED = 0x80
};

static const char *const parts[OBJECT_NOTHING] = { ".lcovmap", ".lcovfun",
    ".lprfn", ".lcovn" };

static const struct object_machine machines[] = {
	{ 0x014c, 0, "i386" },
	{ 0x8664, 0, "x86_64" },
	{ 0x01c4, 0, "arm" },
	{ 0xaa64, 0, "aarch64" },
	{ 0xa641, 0, "aarch64" },	/* ARM64EC */
	{ 0, 0, "unknown" }
};

/* An object that may have more than 65,279 sections. */
static bool
coff_is_big(struct prof_span s)
{
	static const uint8_t class_id[] = { 0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba,
	    0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8 };

	return s.size >= 56 && load_u32(s.data, false) == 0xffff0000 &&
	    memcmp(s.data + 12, class_id, sizeof(class_id)) == 0;
}

/* Where the header is, behind that of DOS and "PE\0\0"; 0: in no image. */
static uint32_t
coff_image_at(struct prof_span s)
{
	uint32_t at = s.size < 64 || memcmp(s.data, "MZ", 2) != 0 ? UINT32_MAX :
	    load_u32(s.data + 60, false);

	return at > s.size || s.size - at < 24 ||
	    memcmp(s.data + at, "PE\0", 4) != 0 ? 0 : at + 4;
}

/* Objects have no magic, but some sections, and no optional header. */
bool
coff_is(struct prof_span s)
{
	return coff_image_at(s) != 0 || coff_is_big(s) || (s.size >= 20 &&
	    load_u16(s.data + 16, false) == 0 && load_u16(s.data + 2, false) !=
	    0 && *object_arch(machines, load_u16(s.data, false), 0) != 'u');
}

/*
 * A name of more than 8 bytes is "/" and its offset in the table of strings;
 * behind "//", the offset is one of base 64.
 */
static struct prof_span
coff_name(struct prof_span strings, const uint8_t *name)
{
	const char *digits = name[1] != '/' ? "0123456789" :
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *digit;
	uint64_t offset = 0;

	if (name[0] != '/')
		return (struct prof_span){ name, NAME_SIZE };
	for (int i = name[1] == '/' ? 2 : 1; i < NAME_SIZE && name[i] != 0 &&
	    (digit = strchr(digits, name[i])) != NULL; i++)
		offset = offset * strlen(digits) + (size_t)(digit - digits);
	if (offset > strings.size)
		offset = strings.size;
	return (struct prof_span){ strings.data + offset,
	    strings.size - (size_t)offset };
}

enum prof_status
coff_read(struct object *o, struct prof_error *err)
{
	struct cursor c = { .data = o->image.data, .size = o->image.size,
	    .pos = coff_image_at(o->image) };
	bool big = coff_is_big(o->image), linked = c.pos != 0;
	struct prof_span strings = { 0 }, name, bytes;
	uint32_t count = 0, symbols, extra, memory, address, size, at;
	enum object_part part;
	uint64_t table;

	o->parts = parts;
	o->out->relocatable = !linked;
	cur_bytes(&c, big ? 6 : 0);
	o->out->arch = object_arch(machines, cur_u16(&c), 0);
	o->out->pointer_size = strstr(o->out->arch, "64") != NULL ? 8 : 4;
	if (!big)
		count = cur_u16(&c);
	cur_bytes(&c, big ? 36 : 4);
	if (big)
		count = cur_u32(&c);
	symbols = cur_u32(&c);
	table = symbols + (uint64_t)cur_u32(&c) * (big ? 20 : 18);
	extra = big ? 0 : cur_u32(&c) & 0xffff;
	if (symbols != 0 && table < c.size)
		strings = (struct prof_span){ c.data + table,
		    c.size - (size_t)table };
	if (cur_bytes(&c, extra) == NULL ||
	    count > cur_left(&c) / SECTION_SIZE)
		return err_at(err, PROF_E_TRUNCATED, c.pos, "COFF: %u sections "
		    "exceed the file of %zu bytes", (unsigned)count, c.size);
	for (uint32_t i = 0; i < count; i++) {
		name = coff_name(strings, cur_bytes(&c, NAME_SIZE));
		memory = cur_u32(&c);
		address = cur_u32(&c);
		size = cur_u32(&c);
		at = cur_u32(&c);
		cur_bytes(&c, 12);
		part = object_part(o, name);
		if ((cur_u32(&c) & UNINITIALIZED) != 0 ||
		    part == OBJECT_NOTHING)
			continue;
		/* Those of images are padded. */
		if (linked && memory < size)
			size = memory;
		if (object_bytes(o, at, size, &bytes, err) != PROF_OK ||
		    object_add(o, part, bytes, address, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
