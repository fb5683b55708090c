/*
 * cmd/common/process.h - what goes when the program ends, and what it gives up
 *
 * The fuzz targets, which run programs many times, stand in for all of this.
 */
#ifndef CMD_COMMON_PROCESS_H
#define CMD_COMMON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on, temporary files that have names are removed when the program
 * exits, and when a signal ends it.  Signals that were ignored stay so.  To be
 * called before any file is opened: none gets a number of the standard streams,
 * even if the caller closed these.
 */
void cli_cleanup_at_end(void);

/*
 * libarchive and libdw call exit(1) when they are out of memory, and 1 is the
 * status of an answer here: from cli_expect_end until cli_reach_end, every exit
 * is one with CLI_TROUBLE.
 */
void cli_expect_end(void);
void cli_reach_end(void);

/*
 * What a program can do no more once options are parsed.
 *
 * A program that bad input takes over must not write where the user did not
 * ask it to, start programs or reach the network.  Landlock refuses to create,
 * write, cut, rename and remove files outside the folders that were allowed, to
 * execute any, and to use TCP and signal others where the kernel's version has
 * that.  Reading stays allowed.  Without Landlock, the program runs as usual.
 */
struct sandbox {
	bool failed;			/* a folder could not be allowed */
	int rules;			/* of Landlock, or -1 */
	uint64_t handled;		/* rights that the rules are about */
};

/* What a sandbox does not refuse. */
enum {
	SANDBOX_NETWORK = 1 << 0,	/* debuginfod, and its cache */
	SANDBOX_REMOVE = 1 << 1,	/* files removed, anywhere */
	SANDBOX_WRITE = 1 << 2		/* files written, anywhere */
};

void sandbox_prepare(struct sandbox *, unsigned flags);

/*
 * Allows what lies below the folder of an output, or a device or pipe as an
 * output; NULL or "-" is standard output, which is open already.
 */
void sandbox_allow_output(struct sandbox *, const char *path);

/* Allows a folder and all below it; if it is missing, the one above it. */
void sandbox_allow_folder(struct sandbox *, const char *folder);

/*
 * From here on the program and its threads are restricted: called before there
 * are threads, and before an input is read.  With any failure the program is
 * restricted less, or not at all.
 */
void sandbox_enter(const struct sandbox *);

#endif
