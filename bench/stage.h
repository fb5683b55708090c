/*
 * stage.h - the steps of the library that stages measures
 *
 * Each does all of its work once, and counts the functions that come out of it:
 * or, of heap profiles, the contexts.
 */
#ifndef STAGE_H
#define STAGE_H

#include "stage_data.h"

enum { STAGE_NAMES = 1000 };	/* that look-up looks for */

/* What runs a stage works on. */
enum stage_input { PROGRAM, HEAP, SYMBOLIZED };

struct work;

struct stage {
	const char *name, *what;
	void (*run)(struct work *);
	enum form form;
	enum stage_input input;
	bool all;			/* runs, and not only the first */
	bool blocks;
};

/* What a stage is done with. */
struct work {
	const struct stage *stage;
	struct stage_run *runs;
	size_t size;
	uint64_t program;		/* functions of it */
	uint64_t functions;		/* that came out of the runs */
};

/* stage_work.c */
void stage_decode(struct work *);
void stage_cat(struct work *);		/* what profraw-cat does */
void stage_merge_images(struct work *);
void stage_merge_records(struct work *);
void stage_encode(struct work *);
void stage_look_up(struct work *);

/*
 * stage_heap.c: frames for the addresses of a run.  They become addresses of
 * that program first, which has debug information.
 */
void stage_symbolize_with(const char *program);
void stage_symbolize(struct work *);
struct stage_run *stage_symbolized(struct stage_run *);

#endif
