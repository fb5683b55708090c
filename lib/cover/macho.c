/* cover/macho.c - sections of coverage in Mach-O files (mach-o/loader.h) */
#include "config.h"

#include <stdio.h>

#include "cover/object.h"

enum { FILE_OBJECT = 1, LC_SEGMENT = 1, LC_SEGMENT_64 = 0x19, LC_UUID = 0x1b };
enum { UUID_SIZE = 16, NAME_SIZE = 16 };

/* As MachOObjectFile::getArchTriple has them. */
static const struct object_machine arches[] = {
	{ 7, 0, "i386" },
	{ 0x01000007, 8, "x86_64h" },
	{ 0x01000007, 0, "x86_64" },
	{ 12, 9, "armv7" },
	{ 12, 11, "armv7s" },
	{ 12, 12, "armv7k" },
	{ 12, 0, "arm" },
	{ 0x0100000c, 2, "arm64e" },
	{ 0x0100000c, 0, "arm64" },
	{ 0x0200000c, 0, "arm64_32" },
	{ 18, 0, "ppc" },
	{ 0x01000012, 0, "ppc64" },
	{ 0, 0, "unknown" }
};

bool
macho_is(struct prof_span s)
{
	uint32_t magic = s.size < 4 ? 0 : load_u32(s.data, s.data[0] == 0xfe);

	return magic == 0xfeedface || magic == 0xfeedfacf;
}

/*
 * Java class files have the same magic.  The number of arches follows here, the
 * minor and major version there: majors begin at 45.
 */
bool
macho_is_universal(struct prof_span s)
{
	uint32_t magic = s.size < 8 ? 0 : load_u32(s.data, true);

	return (magic == 0xcafebabe || magic == 0xcafebabf) &&
	    load_u32(s.data + 4, true) < 45;
}

enum prof_status
macho_slice(struct prof_span image, const char *arch, struct prof_span *slice,
    struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size,
	    .big = true };
	bool wide = cur_u32(&c) == 0xcafebabf;
	uint32_t count = cur_u32(&c), processor;
	uint64_t offset, size;
	char names[128] = "";
	size_t used = 0;
	const char *name;

	*slice = image;
	if (!macho_is_universal(image))
		return PROF_OK;
	for (uint32_t i = 0; i < count; i++) {
		processor = cur_u32(&c);
		name = object_arch(arches, processor, cur_u32(&c));
		offset = object_word(&c, wide);
		size = object_word(&c, wide);
		cur_bytes(&c, wide ? 8 : 4);
		if (c.failed || offset > image.size ||
		    size > image.size - offset)
			return err_at(err, PROF_E_TRUNCATED, c.pos, "Mach-O: "
			    "the %u arches exceed the file of %zu bytes",
			    (unsigned)count, image.size);
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) -
			    used, "%s%s", i == 0 ? "" : ", ", name);
		if (arch == NULL ? count != 1 : strcmp(arch, name) != 0)
			continue;
		*slice = (struct prof_span){ image.data + offset,
		    (size_t)size };
		return PROF_OK;
	}
	return err_set(err, PROF_E_UNSUPPORTED, "Mach-O: a universal file of "
	    "%s%s%s", names, arch == NULL ? ": which one, --arch says" :
	    ", not of ", arch == NULL ? "" : arch);
}

/*
 * Reads the sections of a segment: the one segment of a relocatable object has
 * no name, and those of all.  Without an offset, a section has no bytes: one of
 * zeros, or of the program in its companion file (dSYM).
 */
static enum prof_status
macho_read_segment(struct object *o, struct cursor *c, bool wide,
    struct prof_error *err)
{
	uint64_t address, size;
	uint32_t count, offset;
	struct prof_span name = { .size = NAME_SIZE }, bytes;
	enum object_part part;

	cur_bytes(c, NAME_SIZE + (wide ? 40 : 24));
	count = cur_u32(c);
	cur_u32(c);
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		name.data = cur_bytes(c, NAME_SIZE);
		cur_bytes(c, NAME_SIZE);
		address = object_word(c, wide);
		size = object_word(c, wide);
		offset = cur_u32(c);
		cur_bytes(c, wide ? 28 : 24);
		if (c->failed || offset == 0)
			continue;
		part = object_part(o, name);
		if (part != OBJECT_NOTHING && (object_bytes(o, offset, size,
		    &bytes, err) != PROF_OK || object_add(o, part, bytes,
		    address, err) != PROF_OK))
			return PROF_FAIL;
	}
	return !c->failed ? PROF_OK : err_at(err, PROF_E_CORRUPT, c->pos,
	    "Mach-O: %u sections exceed their segment", (unsigned)count);
}

enum prof_status
macho_read(struct object *o, struct prof_error *err)
{
	struct cursor c = { .data = o->image.data, .size = o->image.size,
	    .big = o->image.data[0] == 0xfe }, inside;
	bool wide = cur_u32(&c) == 0xfeedfacf;
	uint32_t processor = cur_u32(&c), count, kind, size;

	o->out->arch = object_arch(arches, processor, cur_u32(&c));
	o->out->big = c.big;
	o->out->pointer_size = wide ? 8 : 4;
	o->out->relocatable = cur_u32(&c) == FILE_OBJECT;
	count = cur_u32(&c);
	size = cur_u32(&c);
	cur_bytes(&c, wide ? 8 : 4);
	if (c.failed || size > cur_left(&c))
		return err_at(err, PROF_E_TRUNCATED, c.pos, "Mach-O: the load "
		    "commands exceed the file of %zu bytes", o->image.size);
	c.size = c.pos + size;
	for (uint32_t i = 0; i < count; i++) {
		inside = c;
		kind = cur_u32(&inside);
		size = cur_u32(&inside);
		if (size < 8 || cur_bytes(&c, size) == NULL)
			return err_at(err, PROF_E_CORRUPT, c.pos, "Mach-O: "
			    "load command %u of %u exceeds their bytes",
			    (unsigned)i + 1, (unsigned)count);
		inside.size = c.pos;
		if (kind == LC_UUID && size >= 8 + UUID_SIZE)
			o->out->build_id = (struct prof_span){ inside.data +
			    inside.pos, UUID_SIZE };
		if ((kind == LC_SEGMENT || kind == LC_SEGMENT_64) &&
		    macho_read_segment(o, &inside, kind == LC_SEGMENT_64,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
