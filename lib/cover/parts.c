/* cover/parts.c - the sections of an object file, by what they are */
#include "config.h"

#include "cover/object.h"

const char *const object_parts[OBJECT_NOTHING] = { "__llvm_covmap",
    "__llvm_covfun", "__llvm_prf_names", "__llvm_covnames" };

enum object_part
object_part(const struct object *o, struct prof_span name)
{
	size_t size;

	for (int i = 0; i < OBJECT_NOTHING; i++) {
		size = strlen(o->parts[i]);
		if (name.size >= size && memcmp(name.data, o->parts[i],
		    size) == 0 && (name.size == size ||
		    name.data[size] == '\0' || (name.data[size] == '$' &&
		    o->parts != object_parts)))
			return (enum object_part)i;
	}
	return OBJECT_NOTHING;
}

const char *
object_arch(const struct object_machine *m, uint32_t number, uint32_t variant)
{
	/* Above 24 bits, Mach-O says what else a processor must have. */
	while (m->number != 0 && (m->number != number || (m->variant != 0 &&
	    m->variant != (variant & 0xffffff))))
		m++;
	return m->arch;
}

/*
 * Sections that together have more bytes than the file are refused: a small
 * file could have each byte read any number of times.
 */
enum prof_status
object_bytes(struct object *o, uint64_t offset, uint64_t size,
    struct prof_span *out, struct prof_error *err)
{
	if (offset > o->image.size || size > o->image.size - offset)
		return err_at(err, PROF_E_TRUNCATED, offset, "%s: a section of "
		    "%llu bytes exceeds the file of %zu", o->format, ull(size),
		    o->image.size);
	o->taken += size;
	if (o->taken > o->image.size)
		return err_at(err, PROF_E_CORRUPT, offset, "%s: sections "
		    "overlap", o->format);
	*out = (struct prof_span){ o->image.data + offset, (size_t)size };
	return PROF_OK;
}

enum prof_status
object_add(struct object *o, enum object_part part, struct prof_span bytes,
    uint64_t address, struct prof_error *err)
{
	struct cover_sections *s = o->out;
	struct prof_span *place = part == OBJECT_MAP ? &s->map :
	    part == OBJECT_NAMES ? &s->names : &o->unloaded;

	/* Linkers leave some zeros where there are no names. */
	if (bytes_are_zero(bytes.data, bytes.size))
		return PROF_OK;
	if (part == OBJECT_FUNCTIONS)
		return ARRAY_ADD(s->functions, s->functions_size,
		    s->functions_room, bytes) ? PROF_OK : err_memory(err);
	if (place->size > 0)
		return err_set(err, PROF_E_UNSUPPORTED, "%s: two sections %s",
		    o->format, o->parts[part]);
	*place = bytes;
	if (part == OBJECT_NAMES)
		s->names_address = address;
	return PROF_OK;
}
