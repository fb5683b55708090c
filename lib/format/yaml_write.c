/* Records to YAML. */
#include "base/error.h"
#include "format/codec.h"

struct prof_writer *
yaml_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	(void)context;
	(void)t;
	(void)sink;
	(void)arg;
	err_set(err, PROF_E_UNSUPPORTED, "not written yet");
	return NULL;
}
