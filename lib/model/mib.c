#include "model/mib.h"

#define ROW(field, name, key, bytes, rule) \
	[PROF_MIB_ ## field] = { name, key, rule },

const struct mib_field mib_fields[PROF_MIB_FIELDS] = { MIB_FIELDS(ROW) };

uint64_t
mib_stored_value(const struct prof_mib *m, unsigned field)
{
	if (!mib_has(m, field) && field == PROF_MIB_MAX_ACCESS_COUNT)
		field = PROF_MIB_MIN_ACCESS_COUNT;
	else if (!mib_has(m, field) && field == PROF_MIB_MAX_SIZE)
		field = PROF_MIB_MIN_SIZE;
	return m->value[field];
}
