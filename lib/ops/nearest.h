/* ops/nearest.h - the names that resemble one that was not found */
#ifndef OPS_NEAREST_H
#define OPS_NEAREST_H

#include "base/text.h"
#include "ops/name_forms.h"

enum { NEAREST_NAMES = 3 };

/* The memory is fixed, however many names come. */
struct nearest {
	struct prof_span wanted;	/* borrowed */
	size_t size;			/* names, the nearest first */
	struct nearest_name {
		size_t distance, size;
		uint8_t text[EDIT_TEXT_MAX];
	} names[NEAREST_NAMES];
};

void nearest_begin(struct nearest *, struct prof_span wanted);

/*
 * Considers a function: in the form that is nearest to the wanted name, if a
 * third of the letters or less differ, or the form has all of the name in it.
 */
void nearest_add(struct nearest *, const struct name_forms *);

#endif
