/*
 * ops/order/nth_element.h - std::nth_element of libstdc++
 *
 * The C++ standard does not say in which order the elements before and after
 * the n-th are left, but function orders of LLVM up to 19 depend on it.
 */
#ifndef OPS_ORDER_NTH_ELEMENT_H
#define OPS_ORDER_NTH_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are distinct, and nth < count. */
void nth_element(uint32_t *numbers, size_t count, size_t nth);

#endif
