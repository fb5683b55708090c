/*
 * format/stream_rule.h - the rules of prof-stream(5) about more than one key
 *
 * The numbers are those of the section "Rules" of the page.
 */
#ifndef FORMAT_STREAM_RULE_H
#define FORMAT_STREAM_RULE_H

#include "prof.h"

enum stream_rule {
	STREAM_RULE_NONE,
	STREAM_RULE_FIRST,		/* a profile begins the stream */
	STREAM_RULE_ORDER,		/* profile, records, end */
	STREAM_RULE_LAST,		/* the last line is the last end */
	STREAM_RULE_ABORT,		/* the writer did not give up */
	STREAM_RULE_GUID,		/* a name and its guid agree */
	STREAM_RULE_RAW_COUNTERS,	/* raw_counters come early */
	STREAM_RULE_SEGMENT_ID,		/* ids of segments are unique */
	STREAM_RULE_SEGMENT,		/* segments precede their stacks */
	STREAM_RULE_STACK,		/* stacks precede their users */
	STREAM_RULE_STACK_ID,		/* stacks of one id are equal */
	STREAM_RULE_FRAMES,		/* pcs and frames agree */
	STREAM_RULE_HISTOGRAM,		/* the histogram has its size */
	STREAM_RULE_RANGE		/* first and last are in order */
};

/*
 * Notes in the context, which may be NULL, that the record being read breaks a
 * rule.  context_broken_rule returns the one of the reader opened last.
 */
void context_break_rule(struct prof_context *, enum stream_rule);
enum stream_rule context_broken_rule(const struct prof_context *);

#endif
