#include "ops/limit.h"

#include <stdio.h>

#include "base/error.h"

enum prof_status
limit_function(const struct limit *l, const struct prof_function *f)
{
	struct prof_error warning = { .code = PROF_E_LIMIT };
	char name[ERR_NAME_SIZE];
	size_t i = prof_is_pseudo(f) ? 1 : 0;

	while (i < f->counts_size && f->counts[i] <= l->max_count)
		i++;
	if (i >= f->counts_size)
		return PROF_OK;
	snprintf(warning.reason, sizeof(warning.reason), "%s, hash 0x%016llx: "
	    "counter %zu is %llu, above %llu: dropped",
	    err_name(name, f->symbol.name), (unsigned long long)f->hash, i,
	    (unsigned long long)f->counts[i],
	    (unsigned long long)l->max_count);
	if (l->warn != NULL)
		l->warn(l->warn_arg, &warning);
	return PROF_END;
}
