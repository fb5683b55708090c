#include "config.h"

#include "base/error.h"
#include "format/codec.h"

struct prof_reader *
yaml_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	(void)context;
	(void)image;
	err_not_built(err, "libyaml", "reads heap profiles in YAML");
	return NULL;
}
