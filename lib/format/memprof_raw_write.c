/* Records to raw heap profiles. */
#include "base/error.h"
#include "format/codec.h"

const unsigned memprof_raw_written_oldest = 3, memprof_raw_written_newest = 5;

struct prof_writer *
memprof_raw_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	(void)context;
	(void)t;
	(void)sink;
	(void)arg;
	err_set(err, PROF_E_UNSUPPORTED, "not written yet");
	return NULL;
}
