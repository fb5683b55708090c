/*
 * cmd/common/made.h - files and folders that go again if the program fails
 *
 * For programs with several outputs, each of which is put in place on its own.
 */
#ifndef CMD_COMMON_MADE_H
#define CMD_COMMON_MADE_H

#include <stdbool.h>

struct stat;

/*
 * Makes a folder, which is removed at exit unless made_keep was called.  0, or
 * an errno value; EEXIST if something is there, which stays.
 */
int made_folder(const char *path);

/*
 * Notes a file that will be put in place; *new is its state under another name.
 * If nothing is there yet, the file is removed at exit unless made_keep was
 * called; another that has got its path stays.  False if out of memory.
 */
bool made_file(const char *path, const struct stat *new);

/* The program has succeeded. */
void made_keep(void);

#endif
