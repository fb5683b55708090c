/* format/yaml/write.h - the writer's parts for summary and data accesses */
#ifndef FORMAT_YAML_WRITE_H
#define FORMAT_YAML_WRITE_H

#include "base/arena.h"
#include "model/memprof/build.h"
#include "base/yaml_text.h"

/*
 * Writes the summary, which is a document of comments, and the beginning of the
 * next document.  False if out of memory.
 */
bool yaml_write_summary(struct yaml_text *, const struct memprof_built *);

/*
 * Writes data accesses and cold symbols, if there are any, in LLVM's order
 * (IndexedInstrProfReader::getAllMemProfData, LLVM 22): accesses by descending
 * count, equal ones as they came, cold symbols by name, then by hash.  False if
 * out of memory; the working memory stays in the arena.
 */
bool yaml_write_data(struct yaml_text *, const struct memprof_built *,
    struct arena *);

/* PROF_E_UNSUPPORTED if a symbol or file is not UTF-8, as YAML must be. */
enum prof_status yaml_check_data(const struct memprof_built *,
    struct prof_error *);

#endif
