/*
 * program.h - runs whole programs in the process of a fuzz target
 *
 * A program runs in a folder of its own that is empty but for its inputs.
 * Standard output and standard error are dropped.  exit(3) returns to
 * program_run: link with --wrap=exit and --wrap=fclose.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include "fuzz/mains/mains.h"
#include "prof.h"

/* A program and the words behind its name, which single blanks separate. */
struct program_row {
	program_main *main;
	const char *arguments;
};

/* Writes a file into the folder of the programs, under a name without '/'. */
void program_put_file(const char *name, struct prof_span bytes);

/* Runs a program and gives its exit status. */
int program_run(const struct program_row *);

/*
 * Runs one of at most PROGRAM_ROWS programs over the file `in`.  Bytes that
 * begin with PROGRAM_FIRST + i are a file with that byte before it, for row i;
 * a file without such a byte goes through all rows.  No format that we read
 * begins with one of these bytes.  The second file of a pair (pair.h) becomes
 * `other`.  Then removes all files but those of program_keep_files.
 */
enum { PROGRAM_FIRST = 0x90, PROGRAM_ROWS = 48 };
void program_run_rows(const struct program_row *, size_t rows,
    struct prof_span);

/* Files that are there now stay for all runs. */
void program_keep_files(void);

#endif
