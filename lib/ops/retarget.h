/*
 * ops/retarget.h - adapts a profile to the compiler that is to read it
 *
 * The version of an indexed file determines more than its layout.  clang takes
 * from it how front-end hashes were computed (CodeGenPGO.cpp, PGOHashVersion).
 * And from LLVM 18 on, local functions of IR profiles are named "file;name"
 * instead of "file:name" (InstrProf.cpp, getIRPGOObjectName).
 */
#ifndef OPS_RETARGET_H
#define OPS_RETARGET_H

#include "prof.h"

struct llvm_release;

struct retarget_options {
	unsigned version;	/* of the indexed format */
	char separator;		/* of local names in IR profiles, or 0: keep */
	bool relabel;		/* change no hash or bitmap, and never fail */
};

/* Sets version and separator as the release has them. */
void retarget_release(const struct llvm_release *, struct retarget_options *);

struct retarget;

/* NULL if out of memory. */
struct retarget *retarget_new(const struct retarget_options *);

/*
 * Gives the record as the target reads it.  *out may point into *in and into
 * memory that is valid until the next call.  PROF_E_MISMATCH if the profile's
 * front-end hashes are of another rule than the version stands for: at the end
 * of the profile, and only if that rule may give a function another hash.
 */
enum prof_status retarget_record(struct retarget *,
    const struct prof_record *in, struct prof_record *out,
    struct prof_error *);

/*
 * Whether the profile that is being read may have to be renamed: then blocks
 * must be passed as single functions.
 */
bool retarget_by_function(const struct retarget *);

/* Changes in the profile that was read last. */
struct retarget_changes {
	uint64_t masked;	/* hashes whose bits 60 to 63 were cleared */
	uint64_t renamed;	/* functions and vtables: the separator */
	/* Hashes that the target does not find if LLVM 22 made the profile,
	   which has too few hashes to tell. */
	uint64_t unsure;
	/* With relabel only: bytes that the target misunderstands. */
	bool relabelled;	/* hashes of another rule */
	uint64_t renumbered;	/* MC/DC bitmaps of the other numbering */
};

const struct retarget_changes *retarget_changes(const struct retarget *);

void retarget_free(struct retarget *);		/* NULL is fine */

#endif
