/* cmd/print/nearest_names.h - the names nearest to one not found */
#ifndef CMD_PRINT_NEAREST_NAMES_H
#define CMD_PRINT_NEAREST_NAMES_H

#include "ops/nearest.h"

/* Names beyond these get no suggestions, so that time stays bounded. */
enum { NEAREST_WANTED = 8 };

/* All zero: no names. */
struct nearest_names {
	struct nearest wanted[NEAREST_WANTED];
	size_t size;
};

/* The name is borrowed. */
void nearest_names_want(struct nearest_names *, struct prof_span name);

/* Considers a function for each of the names. */
void nearest_names_add(struct nearest_names *, const struct name_forms *);

/* "PROGRAM: no function NAME", with the nearest ones if the name has some. */
void nearest_names_print(const struct nearest_names *, const char *program,
    struct prof_span name);

#endif
