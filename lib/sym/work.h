/*
 * sym/work.h - how much work binaries and stacks may cause
 *
 * A small file can name one long list, table or name very often, and zeros
 * shrink well.  What an input makes this library or libdw do is therefore taken
 * from one budget, which grows with the bytes that are read: a file takes time
 * and memory in proportion to its size.  Sound files need less than half of it.
 */
#ifndef SYM_WORK_H
#define SYM_WORK_H

#include "base/bytes.h"
#include "base/error.h"

/* The units of work that are free, and those that each byte of input adds. */
#define WORK_FREE	((uint64_t)16 << 20)
#define WORK_RATIO	512

/*
 * What things cost.  A unit is about a byte of memory, or the time to read one:
 * names and paths that are joined cost a unit a byte, too.
 */
enum {
	WORK_MADE = 32,		/* a byte decompressed, or of counters */
	WORK_ITEM = 64,		/* an attribute, a range, a byte of lines */
	WORK_FRAME = 512,	/* a frame of an address */
	WORK_UNIT = 2048	/* what libdw makes of the header of a unit */
};

/* Of a run, or a part of it that is limited on its own.  All zero at first. */
struct work {
	uint64_t input;		/* bytes that were read */
	uint64_t done;
};

/* The work that is left. */
static inline uint64_t
work_left(const struct work *w)
{
	uint64_t most;

	if (!mul_u64(w->input, WORK_RATIO, &most))
		return UINT64_MAX;
	most = saturating_add(most, WORK_FREE);
	return most - (w->done < most ? w->done : most);
}

/* Takes the work for n things, which `what` names in the message. */
static inline enum prof_status
work_take(struct work *w, uint64_t n, uint64_t cost, const char *what,
    struct prof_error *err)
{
	if (n > work_left(w) / cost)
		return err_set(err, PROF_E_LIMIT, "%s: more than %llu units of "
		    "work, the limit for %llu bytes of input", what,
		    ull(w->done + work_left(w)), ull(w->input));
	w->done += n * cost;
	return PROF_OK;
}

#endif
