#include "model/mib.h"

#include "base/json_member.h"

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

void
mib_put_info(struct buf *b, const struct prof_mib *m)
{
	json_member_key(b, "info");
	json_text_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			json_member_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		json_member_key(b, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		json_text_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	json_text_plain(b, "}");
}
