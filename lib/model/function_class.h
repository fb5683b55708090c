/*
 * model/function_class.h - which records of one function can be added up
 *
 * Records of one function are added if they are of one class: if their numbers
 * of counters and the like are equal.  Of two classes the higher one stays: the
 * one whose record is not empty, then the one with more counters, then with
 * more bitmap bytes, uniform counters, value sites, sites of the first kinds,
 * and with ordinary rather than pseudo counts.
 */
#ifndef MODEL_FUNCTION_CLASS_H
#define MODEL_FUNCTION_CLASS_H

#include "prof.h"

/* The numbers of a class in the order in which they are compared. */
enum { CLASS_COUNTERS, CLASS_BITMAP, CLASS_UNIFORM, CLASS_SITES,
	CLASS_KIND_SITES, CLASS_ORDINARY = CLASS_KIND_SITES + PROF_VALUE_KINDS,
	CLASS_SIZE };

struct function_class {
	uint64_t n[CLASS_SIZE];
};

struct function_class function_class_of(const struct prof_function *);

/* Sets the number of all value sites, and the number of each kind. */
void function_class_set_sites(struct function_class *,
    const size_t sites[PROF_VALUE_KINDS]);

/* Above 0 if the first class has the larger number, 0 if they are equal. */
int function_class_compare(const struct function_class *,
    const struct function_class *);

/*
 * Whether a record has nothing but zeros: no counter, no bit and no value.
 * Such a record says no more than its absence.
 */
bool function_is_empty(const struct prof_function *);

#endif
