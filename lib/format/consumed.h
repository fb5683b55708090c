/*
 * format/consumed.h - what of an image readers have behind them
 *
 * It is told in large pieces (prof_context_passed), for it is only a hint.
 */
#ifndef FORMAT_CONSUMED_H
#define FORMAT_CONSUMED_H

#include "format/codec.h"

enum { PASSED_STEP = 1 << 20 };

/* All zero is somewhere where nothing is told. */
struct passed {
	const struct prof_context *context;	/* or NULL */
	const uint8_t *told;		/* up to here */
};

static inline void
passed_start(struct passed *p, const struct prof_context *context,
    const uint8_t *at)
{
	*p = (struct passed){ context, at };
}

/* All before is passed, however little it is. */
static inline void
passed_end(struct passed *p, const uint8_t *at)
{
	const struct prof_context *c = p->context;

	if (c != NULL && c->passed != NULL && at > p->told)
		c->passed(c->passed_arg, (struct prof_span){ p->told,
		    (size_t)(at - p->told) });
	p->told = at;
}

static inline void
passed_to(struct passed *p, const uint8_t *at)
{
	if (p->context != NULL && at - p->told >= PASSED_STEP)
		passed_end(p, at);
}

#endif
