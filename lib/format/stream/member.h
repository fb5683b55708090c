/*
 * format/stream/member.h - objects of the stream by the tables of their members
 *
 * Reading, writing and the list of known keys follow the rows of
 * model/record_members.h.  forms.h has the types that only one or two members
 * have.
 *
 * Lines of functions are also written and scanned by hand (function.c, scan.c),
 * and those of stacks and allocations scanned (scan_heap.c), for speed.
 */
#ifndef FORMAT_STREAM_MEMBER_H
#define FORMAT_STREAM_MEMBER_H

#include "format/stream/stream.h"
#include "model/record_members.h"

enum prof_status stream_parse_object(struct stream_record *,
    const struct jval *, const struct record_object *, void *structure);

/* Appends the members, without braces. */
void stream_put_object(struct stream_output *, const struct record_object *,
    const void *structure);

#endif
