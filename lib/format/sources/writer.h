/*
 * format/sources/writer.h - the state of a writer of source files: collect.c
 * fills it, write.c writes it
 */
#ifndef FORMAT_SOURCES_WRITER_H
#define FORMAT_SOURCES_WRITER_H

#include "base/arena.h"
#include "model/symtab.h"
#include "base/list_pool.h"
#include "format/sources/sources.h"
#include "format/sources/layout.h"

/* A frame as it is written: `file` is a node; 0 for what is unknown. */
struct sources_place {
	uint32_t file, line, discriminator;
};

struct sources_stack {
	uint64_t id;
	size_t first, size;		/* of its places */
	const struct sources_place *places;	/* set before writing */
};

/* Distinct strings, and a number for each. */
struct sources_strings {
	struct symtab table;		/* by MD5 */
	uint32_t *numbers;
	size_t room;
};

struct sources_writer {
	struct sources_widths widths;
	struct sources_stack *stacks;
	struct sources_place *places;
	struct sources_entry *entries;
	size_t stacks_size, stacks_room, places_size, places_room;
	size_t entries_size, entries_room;
	struct list_pool entry_ids;	/* stacks that have an entry */
	struct sources_strings components;	/* of paths: offset in text */
	struct sources_strings paths;		/* node */
	struct list_pool nodes;		/* string + 1 and parent */
	uint32_t *lengths;		/* of the paths of nodes */
	size_t lengths_room;
	uint64_t paths_bytes;
	struct symtab names;		/* of functions, by guid */
	struct buf text;		/* the string table */
	struct arena arena;
	uint64_t bad_paths;
};

#endif
