/*
 * format/sources/writer.h - the state of a writer of source files: collect.c
 * fills it, resolve.c chooses what is written, write.c writes it
 */
#ifndef FORMAT_SOURCES_WRITER_H
#define FORMAT_SOURCES_WRITER_H

#include "base/arena.h"
#include "model/symtab.h"
#include "base/list_pool.h"
#include "format/sources/sources.h"
#include "format/sources/layout.h"

/*
 * A frame; 0 for what is unknown.  `file` is the MD5 of the path, and a node
 * once sources_resolve was called.
 */
struct sources_place {
	uint64_t file;
	uint32_t line, discriminator;
};

struct sources_stack {
	uint64_t id;
	size_t first, size;		/* of its places */
	struct sources_place *places;	/* set by sources_resolve */
};

struct sources_writer {
	struct sources_widths widths;
	struct sources_stack *stacks;
	struct sources_place *places;
	struct sources_entry *entries;
	size_t stacks_size, stacks_room, places_size, places_room;
	size_t entries_size, entries_room;
	struct list_pool entry_ids;	/* stacks that have an entry */
	struct symtab paths;		/* by MD5 */
	struct symtab names;		/* of functions, by guid */
	struct arena arena;		/* of paths and names */
	/* What the indexed file has; only if `selective`. */
	struct list_pool asked_stacks, asked_guids;
	bool selective;

	/* By sources_resolve. */
	uint32_t *path_nodes;		/* of each path; 0: left out */
	struct list_pool nodes;		/* string + 1 and parent */
	uint32_t *lengths;		/* of the paths of nodes */
	size_t lengths_room;
	uint64_t paths_bytes;
	struct symtab strings;		/* by MD5 */
	uint32_t *offsets;		/* of each string in the text */
	size_t offsets_room;
	struct buf text;		/* the string table */
	uint64_t bad_paths;
};

/*
 * Leaves the stacks and names that are asked for, sorted and without
 * duplicates, and makes the nodes and the text of them alone, in that order: so
 * that the section depends on nothing that its reader does not return.
 * *entries is the number of the places of all stacks.  False if out of memory.
 */
bool sources_resolve(struct sources_writer *, uint64_t *entries);

/* The offset in the text of a name that was left. */
uint32_t sources_name_offset(const struct sources_writer *, struct prof_span);

#endif
