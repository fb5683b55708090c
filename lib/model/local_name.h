/*
 * model/local_name.h - names of functions that only one file knows
 *
 * A profile calls them "file;name" in IR profiles since LLVM 18, "file:name"
 * before and in front-end profiles (InstrProf.cpp, getIRPGOObjectName and
 * getPGOFuncName).
 */
#ifndef MODEL_LOCAL_NAME_H
#define MODEL_LOCAL_NAME_H

#include "prof.h"

/* The ';' or ':' that ends the file part, or NULL if there is none. */
const uint8_t *local_name_separator(struct prof_span name);

/* The name without its file; *file is that, with data NULL if there is none. */
struct prof_span local_name_split(struct prof_span name,
    struct prof_span *file);

#endif
