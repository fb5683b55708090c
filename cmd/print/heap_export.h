/* cmd/print/heap_export.h - heap profiles to a format of another tool */
#ifndef CMD_PRINT_HEAP_EXPORT_H
#define CMD_PRINT_HEAP_EXPORT_H

#include "cmd/common/cli.h"
#include "export/export.h"
#include "ops/heap/view.h"

struct heap_export {
	const struct export_format *format;
	struct export_options options;
	const struct heap_names *names;	/* for frames without name, or NULL */
};

/* Reads the inputs, adds them up and writes the output. */
enum prof_status cli_export_heap(struct cli *, const struct heap_export *);

/* Warns unless functions are named; `file` is a profile, or NULL for all. */
void heap_naming_warn(const struct cli *, const char *file,
    enum heap_naming);

#endif
