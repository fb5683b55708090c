/*
 * format/consumed.h - reports to prof_context_on_consumed
 *
 * A reader says which bytes of an image it will not read again, so that their
 * pages can be given back.  Reports are only a hint and come in steps of
 * CONSUMED_STEP bytes.
 */
#ifndef FORMAT_CONSUMED_H
#define FORMAT_CONSUMED_H

#include "format/codec.h"

enum { CONSUMED_STEP = 1 << 20 };

/* One walk through an image.  All zero: nothing is reported. */
struct consumed {
	const struct prof_context *context;	/* or NULL */
	const uint8_t *reported;	/* the bytes before are */
};

static inline void
consumed_start(struct consumed *p, const struct prof_context *context,
    const uint8_t *at)
{
	*p = (struct consumed){ context, at };
}

/* Reports the bytes before `at`, even if they are less than a step. */
static inline void
consumed_end(struct consumed *p, const uint8_t *at)
{
	const struct prof_context *c = p->context;

	if (c != NULL && c->consumed != NULL && at > p->reported)
		c->consumed(c->consumed_arg, (struct prof_span){ p->reported,
		    (size_t)(at - p->reported) });
	p->reported = at;
}

/* Reports the bytes before `at` if they are a step or more. */
static inline void
consumed_to(struct consumed *p, const uint8_t *at)
{
	if (p->context != NULL && at - p->reported >= CONSUMED_STEP)
		consumed_end(p, at);
}

#endif
