/* base/edit_distance.h - how much two texts differ */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include "prof/base.h"

/* Longer texts resemble nothing: their distance is above any bound. */
enum { EDIT_TEXT_MAX = 256 };

/*
 * How many bytes have to be inserted, removed, replaced or swapped with the
 * next one to make one text of the other (Damerau and Levenshtein, each byte
 * edited once).  bound + 1 if the distance is larger than bound; the time is
 * that of 2 * bound + 1 columns of the table.
 */
size_t edit_distance(struct prof_span, struct prof_span, size_t bound);

#endif
