/* format/sources/section.h - one section of source files, checked */
#ifndef FORMAT_SOURCES_SECTION_H
#define FORMAT_SOURCES_SECTION_H

#include "format/sources/sources.h"
#include "format/sources/layout.h"

/* Tables are lent by the image. */
struct sources_section {
	uint64_t start;			/* in the image */
	struct sources_widths widths;
	const uint8_t *stacks, *entries, *overflow, *nodes, *strings, *names;
	uint64_t stacks_size, entries_size, overflow_size, nodes_size;
	uint64_t strings_size, names_size;
	struct prof_span portable;	/* data is NULL: none */
	struct prof_span *paths;	/* of nodes, once they were asked for */
};

/*
 * The section that ends with the image; every index in it is good.  False if
 * there is none, or anything is wrong with it.
 */
bool sources_section_open(struct prof_span image, struct sources_section *);

/* The directory's item of a stack, or NULL. */
const uint8_t *sources_section_find(const struct sources_section *,
    uint64_t stack_id);

/* An entry, as file, line and discriminator. */
struct sources_location {
	uint32_t file, line, discriminator;
};
struct sources_location sources_section_entry(const struct sources_section *,
    uint64_t entry);

#endif
