/*
 * nth_element.h - std::nth_element as libstdc++ has it
 *
 * What it leaves in front of the n-th element and behind it is in an order that
 * no standard tells of; LLVM up to 19 goes on with that order.
 */
#ifndef OPS_ORDER_NTH_ELEMENT_H
#define OPS_ORDER_NTH_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are all different, and nth is the index of one. */
void nth_element(uint32_t *numbers, size_t count, size_t nth);

#endif
