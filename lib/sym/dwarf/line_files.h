/*
 * sym/dwarf/line_files.h - the source files of a line table
 *
 * The header of a line table lists folders and files (DWARF 5, 6.2.4; DWARF 4,
 * 6.2.4); a file has a name and the number of its folder.  They are kept apart:
 * many files may share a long folder, and libdw would store all their paths.
 */
#ifndef SYM_DWARF_LINE_FILES_H
#define SYM_DWARF_LINE_FILES_H

#include "base/bytes.h"
#include "prof.h"

struct line_file {
	const char *name;		/* NULL if its form is not read */
	uint64_t folder;		/* its number, see line_files_find */
};

/* Strings are borrowed from the sections.  All zero has no files. */
struct line_files {
	unsigned version;		/* of the line table, 2 to 5 */
	const char **folders;
	size_t folder_count, folder_room;
	struct line_file *files;
	size_t file_count, file_room;
};

/* Sections that the lists of DWARF 5 refer to, up to their last NUL. */
struct line_strings {
	struct prof_span line_str;	/* .debug_line_str */
	struct prof_span str;		/* .debug_str */
};

/*
 * Reads the lists from a header, whose end is the cursor's.  `wide` is whether
 * offsets have 8 bytes.  PROF_FAIL with PROF_E_CORRUPT if they are damaged, or
 * PROF_E_MEMORY; what was read before stays.
 */
enum prof_status line_files_read(struct line_files *, struct cursor *,
    bool wide, const struct line_strings *, struct prof_error *);

/* Adds a file in the form of DWARF 2 to 4, also that of DW_LNE_define_file. */
enum prof_status line_files_add(struct line_files *, struct cursor *,
    struct prof_error *);

/* A path in two parts. */
struct line_path {
	const char *folder;		/* NULL is that of DW_AT_comp_dir */
	const char *name;
	/* The folder is the compiler's, which a relative path leaves out. */
	bool compilers;
};

/*
 * The path of a file.  Its numbers begin with 0 in DWARF 5 and else with 1.
 * Folder 0 is the compiler's, which is listed in DWARF 5 only.  False if there
 * is no such file.
 */
bool line_files_find(const struct line_files *, uint64_t number,
    struct line_path *);

/*
 * Bytes of the path with its NUL when these parts are joined, or 0 if they are
 * more than LINE_PATH_MAX, which no system opens.  NULL is no part.
 */
#define LINE_PATH_MAX 65536
size_t line_path_size(const char *const parts[3]);

/* Joins the parts; `out` has that size. */
void line_path_join(const char *const parts[3], char *out);

void line_files_free(struct line_files *);

#endif
