/* format/sources/section.h - one section of source files that was checked */
#ifndef FORMAT_SOURCES_SECTION_H
#define FORMAT_SOURCES_SECTION_H

#include "format/sources/sources.h"
#include "format/sources/layout.h"

/* The tables point into the image. */
struct sources_section {
	uint64_t start;			/* in the image */
	struct sources_widths widths;
	const uint8_t *stacks, *entries, *overflow, *nodes, *strings, *names;
	uint64_t stacks_size, entries_size, overflow_size, nodes_size;
	uint64_t strings_size, names_size;
	struct prof_span portable;	/* data is NULL: none */
	struct prof_span *paths;	/* cache of the nodes' paths, or NULL */
};

/*
 * Opens and checks the section that ends with the image: all indices in it are
 * valid then.  PROF_END if there is no section or it is malformed, PROF_FAIL if
 * out of memory.
 */
enum prof_status sources_section_open(struct prof_span image,
    struct sources_section *, struct prof_error *);

/*
 * The first item with the number in a table whose items of `size` bytes ascend
 * by the number of 8 bytes that they begin with, or NULL.
 */
const uint8_t *sources_find_item(const uint8_t *table, uint64_t count,
    size_t size, uint64_t number);

/* The item of a stack in the table of stacks, or NULL. */
const uint8_t *sources_section_find(const struct sources_section *,
    uint64_t stack_id);

/* An entry, decoded; `file` is a node of the paths. */
struct sources_location {
	uint32_t file, line, discriminator;
};
struct sources_location sources_section_entry(const struct sources_section *,
    uint64_t entry);

#endif
