/* model/rust.h - names mangled by rustc */
#ifndef MODEL_RUST_H
#define MODEL_RUST_H

#include <stdbool.h>

#include "prof.h"

/*
 * Whether a name is mangled by rustc, in its v0 (_R...) or its legacy form
 * (_ZN...17h<16 hex digits>E).  Rust's front-end hashes follow no rule of
 * clang's: they are any 64 bits (rustc_mir_transform, coverage).
 */
bool rust_mangled(struct prof_span name);

#endif
