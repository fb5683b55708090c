/*
 * model/words.h - the words that stand for kinds and attributes of profiles
 *
 * One list each, by the enums of prof.h: streams, manifests and the JSON output
 * of the programs have the same words (prof-stream(5)).
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "prof.h"

enum { WORDS_KINDS = 3, WORDS_LEVELS = 3 };

extern const char *const words_kind[WORDS_KINDS];
extern const char *const words_level[WORDS_LEVELS];	/* unknown: "" */
/* For messages, as "an IR profile"; unknown: NULL. */
extern const char *const words_level_profile[WORDS_LEVELS];
extern const char *const words_value_kind[PROF_VALUE_KINDS];
/* LLVM's, in text profiles: "IPVK_MemOPSize" (InstrProfData.inc). */
extern const char *const words_value_kind_llvm[PROF_VALUE_KINDS];

/*
 * Item i stands for attribute 1 << i of prof_header.flags: as a JSON key, and
 * in text for people.
 */
extern const char *const words_flag[PROF_FLAGS];
extern const char *const words_flag_text[PROF_FLAGS];

#endif
