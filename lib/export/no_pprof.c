/* In place of pprof.c in a build without protobuf-c (--without-protobuf). */
#include "config.h"

#include "base/error.h"
#include "export/export.h"

enum prof_status
export_pprof(struct buf *out, const struct heap *heap,
    const struct export_options *options, struct prof_error *err)
{
	(void)out;
	(void)heap;
	(void)options;
	return err_not_built(err, "protobuf-c", "writes profiles for pprof");
}
