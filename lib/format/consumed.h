/*
 * format/consumed.h - what of an image readers have behind them
 *
 * It is told in large pieces (prof_context_on_consumed), for it is only a hint.
 */
#ifndef FORMAT_CONSUMED_H
#define FORMAT_CONSUMED_H

#include "format/codec.h"

enum { CONSUMED_STEP = 1 << 20 };

/* All zero is somewhere where nothing is told. */
struct consumed {
	const struct prof_context *context;	/* or NULL */
	const uint8_t *told;		/* up to here */
};

static inline void
consumed_start(struct consumed *p, const struct prof_context *context,
    const uint8_t *at)
{
	*p = (struct consumed){ context, at };
}

/* All before is passed, however little it is. */
static inline void
consumed_end(struct consumed *p, const uint8_t *at)
{
	const struct prof_context *c = p->context;

	if (c != NULL && c->consumed != NULL && at > p->told)
		c->consumed(c->consumed_arg, (struct prof_span){ p->told,
		    (size_t)(at - p->told) });
	p->told = at;
}

static inline void
consumed_to(struct consumed *p, const uint8_t *at)
{
	if (p->context != NULL && at - p->told >= CONSUMED_STEP)
		consumed_end(p, at);
}

#endif
