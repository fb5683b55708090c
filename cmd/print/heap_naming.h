/* cmd/print/heap_naming.h - how names of functions can be had, if none is */
#ifndef CMD_PRINT_HEAP_NAMING_H
#define CMD_PRINT_HEAP_NAMING_H

#include "cmd/common/cli.h"
#include "ops/heap/view.h"

/* Warns unless functions are named; `file` is a profile, or NULL for all. */
void heap_naming_warn(const struct cli *, const char *file,
    enum heap_naming);

#endif
