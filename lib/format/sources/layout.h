/*
 * format/sources/layout.h - bytes of the section of source files (memprof(5));
 * all numbers are little-endian
 *
 * Header, stacks (u64 id, u32 first entry, u32 entries), entries (u64 each),
 * overflow (u64 entry, u32 file, u32 line, u32 discriminator, u32 0), nodes of
 * paths (u32 string, u32 parent + 1), strings, names (u64 guid, u32 string,
 * u32 0), portable entries, trailer.
 */
#ifndef FORMAT_SOURCES_LAYOUT_H
#define FORMAT_SOURCES_LAYOUT_H

#include "base/bytes.h"
#include "format/sources/sources.h"

/* Offsets in the header of members that are filled in at the end. */
enum { SOURCES_AT_SIZE = 64, SOURCES_AT_PORTABLE_SIZE = 88 };

enum {
	SOURCES_VERSION = 1,
	SOURCES_HEADER = 96,		/* as it is written */
	SOURCES_HEADER_LEAST = 80,	/* without names and portable entries */
	SOURCES_TRAILER = 32,
	SOURCES_STACK = 16,
	SOURCES_ENTRY = 8,
	SOURCES_OVERFLOW = 24,
	SOURCES_NODE = 8,
	SOURCES_NAME = 16,
	SOURCES_PORTABLE = 1,		/* flag: there are portable entries */
	SOURCES_PATH_MAX = 65535	/* bytes of a path */
};

#define SOURCES_MAGIC "MPRFCSYM"
#define SOURCES_END_MAGIC "MPRFCEND"

/*
 * The limit of the bytes of all paths of a section: nodes are small, but paths
 * of many directories could exhaust the memory.
 */
static inline uint64_t
sources_paths_max(uint64_t bytes_of_nodes)
{
	return (UINT64_C(16) << 20) + 32 * bytes_of_nodes;
}

/*
 * The limit of the bytes of all names: those of a writer that repeats none take
 * at most the bytes of the strings, but names may end with one another.
 */
static inline uint64_t
sources_names_max(uint64_t bytes_of_strings)
{
	return (UINT64_C(16) << 20) + 32 * bytes_of_strings;
}

/* The CRC-32 of zip and gzip. */
uint32_t sources_crc(struct prof_span);

/*
 * A memory info block as a portable entry of the RFC: values by the RFC's tags,
 * 1 to 15; `known` has bits 1 << tag of the values that are there.
 */
enum { SOURCES_TAG_STACK = 1, SOURCES_TAGS = 16 };
struct sources_entry {
	uint64_t value[SOURCES_TAGS];
	uint32_t known;
};

/*
 * A table of portable entries that is read.  sources_entries_begin is false,
 * and sources_entries_next PROF_FAIL, if the table is malformed; PROF_END after
 * the last entry.
 */
struct sources_entries {
	struct cursor at;
	const uint8_t *schema;		/* tag and type of each field */
	uint8_t fields;
	uint64_t left;
};
bool sources_entries_begin(struct sources_entries *, struct prof_span table);
enum prof_status sources_entries_next(struct sources_entries *,
    struct sources_entry *);

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

/* An entry, decoded; `file` is a node of the paths. */
struct sources_location {
	uint32_t file, line, discriminator;
};

#endif
