/* raw heap profiles to records. */
#include "base/bytes.h"
#include "base/error.h"
#include "format/codec.h"

bool
memprof_raw_claims(struct prof_span first_bytes)
{
	static const uint64_t magic = 0xFF6D70726F667281;

	return first_bytes.size >= 8 &&
	    (load_u64(first_bytes.data, false) == magic ||
	    load_u64(first_bytes.data, true) == magic);
}

struct prof_reader *
memprof_raw_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	(void)context;
	(void)image;
	err_at(err, PROF_E_UNSUPPORTED, 0, "not read yet");
	return NULL;
}
