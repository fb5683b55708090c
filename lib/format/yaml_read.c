/* YAML to records. */
#include "base/bytes.h"
#include "base/error.h"
#include "format/codec.h"

bool
yaml_claims(struct prof_span first_bytes)
{
	return first_bytes.size >= 3 &&
	    memcmp(first_bytes.data, "---", 3) == 0;
}

struct prof_reader *
yaml_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	(void)context;
	(void)image;
	err_at(err, PROF_E_UNSUPPORTED, 0, "not read yet");
	return NULL;
}
