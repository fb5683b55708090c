/*
 * model/variants.h - the variant bits of a version word
 *
 * The bits are the same in raw and indexed profiles (InstrProf.h,
 * VARIANT_MASK_*, LLVM 22) and become flags of struct prof_header.
 */
#ifndef MODEL_VARIANTS_H
#define MODEL_VARIANTS_H

#include "prof.h"

#define VARIANT_LOOP_ENTRIES		((uint64_t)1 << 55)	/* LLVM 20 */
#define VARIANT_IR			((uint64_t)1 << 56)	/* LLVM 3.9 */
#define VARIANT_CONTEXT_SENSITIVE	((uint64_t)1 << 57)	/* LLVM 9 */
#define VARIANT_ENTRY_FIRST		((uint64_t)1 << 58)	/* LLVM 11 */
#define VARIANT_DEBUG_INFO_CORRELATED	((uint64_t)1 << 59)	/* LLVM 14 */
#define VARIANT_BYTE_COVERAGE		((uint64_t)1 << 60)	/* LLVM 14 */
#define VARIANT_FUNCTION_ENTRY_ONLY	((uint64_t)1 << 61)	/* LLVM 14 */
#define VARIANT_MEMPROF			((uint64_t)1 << 62)	/* LLVM 15 */
#define VARIANT_TEMPORAL		((uint64_t)1 << 63)	/* LLVM 17 */

/* Flags of struct prof_header for the bits of a version word, and back. */
unsigned variants_to_flags(uint64_t version_word);
uint64_t variants_from_flags(unsigned flags);

#endif
