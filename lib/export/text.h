/* export/text.h - names of frames as the formats write them */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include "model/heap_contexts.h"

/* How the formats name the quantities. */
struct export_value {
	const char *title;
	const char *unit;	/* out of speedscope's ValueUnit */
	const char *noun;	/* behind a number */
	const char *weight;	/* out of the Firefox Profiler's WeightType */
};

extern const struct export_value export_values[HEAP_VALUES];

/*
 * Appends bytes as text for strings that must be UTF-8 and fit a line.  Control
 * characters become \xNN; so do all bytes from 0x80 if the whole is not UTF-8.
 */
void export_text(struct buf *, struct prof_span);

/* Appends what heap_put_name gives for a frame, as export_text. */
void export_name(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

#endif
