/*
 * export.h - heap profiles in the formats of other tools
 *
 * A format is a row of export_formats; whatever the input, the same contexts
 * give the same bytes.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "model/heap_contexts.h"

struct export_options {
	enum heap_value by;	/* the weight, or the one to begin with */
	bool lines;		/* folded: file and line behind functions */
	heap_name *name;	/* NULL: names as they are */
};

struct export_format {
	const char *name;
	bool binary;
	enum prof_status (*write)(struct buf *, const struct heap *,
	    const struct export_options *, struct prof_error *);
};

extern const struct export_format export_formats[];
extern const size_t export_formats_count;

enum prof_status export_folded(struct buf *, const struct heap *,
    const struct export_options *, struct prof_error *);
enum prof_status export_pprof(struct buf *, const struct heap *,
    const struct export_options *, struct prof_error *);
enum prof_status export_speedscope(struct buf *, const struct heap *,
    const struct export_options *, struct prof_error *);

/*
 * Appends bytes as text for strings that have to be UTF-8 and should fit a
 * line: what is not, and control characters, as \xNN.
 */
void export_text(struct buf *, struct prof_span);

/* Appends what a frame is called, as text. */
void export_name(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

/* The line, or where only that is known the line's offset in its function. */
uint32_t export_line(const struct prof_frame *);

/* gzip, the same bytes at any time. */
enum prof_status export_gzip(struct buf *, struct prof_span,
    struct prof_error *);

#endif
