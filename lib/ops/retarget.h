/*
 * retarget.h - a profile made fit for the compiler that shall read it
 *
 * The version of an indexed file is not only its layout: it tells clang how
 * front-end hashes were made (CodeGenPGO.cpp, PGOHashVersion), and from LLVM 18
 * on local functions of IR profiles are named "file;name" instead of
 * "file:name" (InstrProf.cpp, getIRPGOObjectName).
 */
#ifndef OPS_RETARGET_H
#define OPS_RETARGET_H

#include "prof.h"

struct retarget_options {
	unsigned version;	/* of the indexed format */
	char separator;		/* of local names in IR profiles, or 0: keep */
	bool relabel;		/* write front-end hashes as they are */
};

/*
 * Options for a release: "clang-16", "LLVM-16", "llvm-16.0" or "rustc-1.70".
 * False if it is not known.
 */
bool retarget_release(const char *release, struct retarget_options *out);

/* Oldest and newest releases known, for a message: "clang-3.5 to clang-22". */
extern const char retarget_releases[];

struct retarget;

/* NULL if out of memory. */
struct retarget *retarget_new(const struct retarget_options *);

/*
 * The record as the target wants it.  *out may point into *in and into memory
 * that is valid until the next call.  PROF_E_MISMATCH if the profile's
 * front-end hashes mean nothing to a reader of the version.
 */
enum prof_status retarget_record(struct retarget *,
    const struct prof_record *in, struct prof_record *out,
    struct prof_error *);

/* Whether blocks of the profile being read must be taken apart before. */
bool retarget_by_function(const struct retarget *);

/* What was changed in the profile that was read last, in its functions. */
struct retarget_changes {
	uint64_t masked;	/* hashes that lost their flag bits */
	uint64_t renamed;	/* and vtables: the separator */
	/* Only by relabel; the bytes stay, and mean something else. */
	bool relabelled;	/* hashes */
	uint64_t renumbered;	/* MC/DC bitmaps */
};

const struct retarget_changes *retarget_changes(const struct retarget *);

void retarget_free(struct retarget *);		/* NULL is fine */

#endif
