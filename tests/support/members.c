/*
 * Prints a line for each member of each record that the stream codec knows:
 * its path, as in stack.frames.line, and "required" if it cannot be missing.
 */
#include <stdio.h>

#include "model/mib.h"
#include "model/record.h"
#include "prof.h"

enum { PATH_SIZE = 100 };

static void
members_print_key(const char *path, const char *key,
    const struct record_member *m)
{
	if (key != NULL)
		printf("%s.%s%s\n", path, key, m->hex_key == NULL &&
		    m->presence == MEMBER_REQUIRED ? " required" : "");
}

/* The members of allocation statistics are the rows of mib_fields. */
static void
members_print_info(const char *path)
{
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		printf("%s.info.%s\n", path, mib_fields[i].key);
}

static void
members_print_object(const char *path, const struct record_object *o)
{
	char inner[PATH_SIZE];

	for (size_t i = 0; i < o->members_size; i++) {
		const struct record_member *m = &o->members[i];

		members_print_key(path, m->key, m);
		members_print_key(path, m->hex_key, m);
		members_print_key(path, m->guid_key, m);
		for (size_t k = 0; k < m->keys_size; k++)
			members_print_key(path, m->keys[k], m);
		if (m->type == MEMBER_INFO)
			members_print_info(path);
		/* Keys of values are the codec's own. */
		if (m->object == NULL || m->type == MEMBER_VALUES)
			continue;
		snprintf(inner, sizeof(inner), "%s.%s", path, m->key);
		members_print_object(inner, m->object);
	}
}

int
main(void)
{
	for (size_t i = 0; i < RECORD_OBJECTS; i++)
		members_print_object(record_objects[i]->record,
		    record_objects[i]);
	return 0;
}
