/*
 * stage.h - the steps of the library that stages measures
 *
 * A stage does its work once and counts the functions, or the contexts of heap
 * profiles, that come out of it.
 */
#ifndef STAGE_H
#define STAGE_H

#include "stage_data.h"

enum { STAGE_NAMES = 1000 };	/* looked up by the stage look-up */

/* Which runs a stage works on. */
enum stage_input { PROGRAM, HEAP, SYMBOLIZED };

struct stage_work;

struct stage {
	const char *name, *what;
	void (*run)(struct stage_work *);
	enum form form;
	enum stage_input input;
	bool all;			/* on all runs, not only the first */
	bool blocks;			/* readers give blocks and pairs */
};

/* Input and result of a stage. */
struct stage_work {
	const struct stage *stage;
	struct stage_run *runs;
	size_t size;
	uint64_t program;		/* functions of the program */
	uint64_t functions;		/* result: that came out */
};

/* stage_work.c */
void stage_decode(struct stage_work *);
void stage_cat(struct stage_work *);		/* as profraw-cat */
void stage_merge_images(struct stage_work *);
void stage_merge_records(struct stage_work *);
void stage_encode(struct stage_work *);
void stage_look_up(struct stage_work *);

/*
 * stage_heap.c: symbolizes a run.  Its addresses are first mapped to those of a
 * program with debug information, named by stage_symbolize_with.
 */
void stage_symbolize_with(const char *program);
void stage_symbolize(struct stage_work *);
struct stage_run *stage_symbolized(struct stage_run *);

#endif
