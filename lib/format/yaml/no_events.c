#include "config.h"

#include "base/error.h"
#include "format/yaml/yaml.h"

struct yaml_events *
yaml_events_new(struct prof_span image, struct prof_error *err)
{
	(void)image;
	err_not_built(err, "libyaml", "reads heap profiles in YAML");
	return NULL;
}

enum prof_status
yaml_events_next(struct yaml_events *e, struct yaml_event *out,
    struct prof_error *err)
{
	(void)e;
	(void)out;
	(void)err;
	return PROF_FAIL;
}

void
yaml_events_free(struct yaml_events *e)
{
	(void)e;
}
