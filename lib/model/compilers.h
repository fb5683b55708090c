/*
 * model/compilers.h - which release of LLVM a compiler is made of
 *
 * A compiler is known by a name that people give it ("clang16", "rust-1.95",
 * "xcode-16.2") or by the text that it prints for --version.  A new release of
 * a compiler is one row of model/releases.c.
 */
#ifndef MODEL_COMPILERS_H
#define MODEL_COMPILERS_H

#include "model/releases.h"

/*
 * The release of a named compiler: one of clang, LLVM, rust, rustc, swift,
 * apple-clang and Xcode in any case, '-' or nothing, and a version of one to
 * three numbers; a version alone is that of LLVM.  NULL if it is not known.
 */
const struct llvm_release *compiler_named(const char *name);

/* The release of the compiler that printed this for --version, or NULL. */
const struct llvm_release *compiler_of_banner(const char *banner);

enum { COMPILER_NAME_SIZE = 40, COMPILER_NAMES_SIZE = 200 };

/*
 * The known name nearest to one that is not known: the same compiler, of the
 * first or the last known version.  False if the compiler is not known either,
 * or no version follows.
 */
bool compiler_nearest(const char *name, char nearest[COMPILER_NAME_SIZE]);

/* Names known, for a message: "clang-3.5 to clang-22, rustc-1.37 to ...". */
void compiler_names(char text[COMPILER_NAMES_SIZE]);

#endif
