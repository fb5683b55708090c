/* format/yaml/write.h - parts of the writer of YAML */
#ifndef FORMAT_YAML_WRITE_H
#define FORMAT_YAML_WRITE_H

#include "model/memprof/build.h"
#include "format/yaml/text.h"

/*
 * The comments that come first, and the beginning of the document.  False if
 * out of memory.
 */
bool yaml_write_summary(struct yaml_text *, const struct memprof_built *);

/* Accesses to data and cold symbols, if there are any. */
void yaml_write_data(struct yaml_text *, const struct memprof_built *);

/* An error if a name is not UTF-8, which is all that YAML can hold. */
enum prof_status yaml_check_data(const struct memprof_built *,
    struct prof_error *);

#endif
