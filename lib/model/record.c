/* The functions of prof/function.h on symbols and functions. */
#include "base/md5.h"
#include "prof.h"

uint64_t
prof_guid(struct prof_span name)
{
	return md5_u64(name.data, name.size);
}

uint64_t
prof_symbol_guid(const struct prof_symbol *s)
{
	if (s->guid != 0 || s->name.data == NULL)
		return s->guid;
	return prof_guid(s->name);
}

bool
prof_is_pseudo(const struct prof_function *f)
{
	return f->counts_size > 0 && f->counts[0] >= PROF_COUNT_WARM;
}
