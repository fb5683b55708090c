/* base/introsort.h - pairs in the order that std::sort gives them */
#ifndef BASE_INTROSORT_H
#define BASE_INTROSORT_H

#include <stddef.h>
#include <stdint.h>

struct value_pair {
	uint64_t value, count;
};

/* Sorts by value; equal values get the order that GNU libstdc++ gives them. */
void introsort(struct value_pair *, size_t n);

#endif
