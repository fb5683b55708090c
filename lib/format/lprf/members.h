/*
 * format/lprf/members.h - sections T and M of a block that is being decoded:
 * targets, and members other than counters
 */
#ifndef FORMAT_LPRF_MEMBERS_H
#define FORMAT_LPRF_MEMBERS_H

#include "format/lprf/decoder.h"

/* Reads section M into the functions that are wanted. */
enum prof_status lprf2_get_members(struct lprf2_decoder *);

#endif
