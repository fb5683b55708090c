/* cover/object.h - what the readers of object files share */
#ifndef COVER_OBJECT_H
#define COVER_OBJECT_H

#include "base/bytes.h"
#include "base/error.h"
#include "cover/cover.h"

/* Names that -profile-correlate=binary leaves out of memory count last. */
enum object_part {
	OBJECT_MAP,
	OBJECT_FUNCTIONS,
	OBJECT_NAMES,
	OBJECT_UNLOADED_NAMES,
	OBJECT_NOTHING
};

/* An object file that is being read. */
struct object {
	struct cover_sections *out;
	struct prof_span image;
	const char *format;		/* its name in messages */
	const char *const *parts;	/* names of sections, by part */
	uint64_t taken;			/* bytes of sections */
	uint64_t room;			/* for sections that are compressed */
	struct prof_span unloaded;
};

/* A row of a table, whose last one has number 0. */
struct object_machine {
	uint32_t number, variant;	/* variant 0: any */
	const char *arch;
};

const char *object_arch(const struct object_machine *, uint32_t number,
    uint32_t variant);

/* A number of 4 or 8 bytes. */
static inline uint64_t
object_word(struct cursor *c, bool wide)
{
	return wide ? cur_u64(c) : cur_u32(c);
}

/* Names of ELF and of Mach-O. */
extern const char *const object_parts[OBJECT_NOTHING];

/* What a section of that name is; the name ends with the span or a NUL. */
enum object_part object_part(const struct object *, struct prof_span name);

/* The bytes of a section. */
enum prof_status object_bytes(struct object *, uint64_t offset, uint64_t size,
    struct prof_span *, struct prof_error *);

/* The address is that of the section, if it matters. */
enum prof_status object_add(struct object *, enum object_part,
    struct prof_span bytes, uint64_t address, struct prof_error *);

bool macho_is(struct prof_span first_bytes);
enum prof_status macho_read(struct object *, struct prof_error *);
bool macho_is_universal(struct prof_span first_bytes);

/* The part of a universal file for an arch; of another file, all of it. */
enum prof_status macho_slice(struct prof_span image, const char *arch,
    struct prof_span *slice, struct prof_error *);

bool coff_is(struct prof_span first_bytes);
enum prof_status coff_read(struct object *, struct prof_error *);

#endif
