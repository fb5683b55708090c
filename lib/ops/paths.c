#include "config.h"

#include "ops/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/symtab.h"

/* What LLVM writes for an unknown file (InstrProf.cpp, getPGOFuncName). */
static const char unknown[] = "<unknown>";

enum prof_status
paths_add(struct paths *p, const char *rule, struct prof_error *err)
{
	const char *equals = strchr(rule, '=');

	if (equals == NULL)
		return err_set(err, PROF_E_FORMAT, "'%s' is not OLD=NEW",
		    rule);
	if (strchr(rule, ';') != NULL)
		return err_set(err, PROF_E_FORMAT, "'%s' has a ';', which ends "
		    "the file part of a name", rule);
	return ARRAY_ADD(p->prefixes, p->prefix_count, p->prefix_room,
	    (struct paths_prefix){ { (const uint8_t *)rule,
	    (size_t)(equals - rule) }, span_of_text(equals + 1) }) ? PROF_OK :
	    err_memory(err);
}

void
paths_free(struct paths *p)
{
	free(p->prefixes);
	*p = (struct paths){ 0 };
}

static bool
paths_begins_with(struct prof_span s, struct prof_span prefix)
{
	return s.size >= prefix.size && (prefix.size == 0 ||
	    memcmp(s.data, prefix.data, prefix.size) == 0);
}

/* The longest rule that fits; if none does, an empty one. */
static struct paths_prefix
paths_find_prefix(const struct paths *p, struct prof_span file)
{
	struct paths_prefix found = { span_of_text(""), span_of_text("") };

	for (size_t i = 0; i < p->prefix_count; i++) {
		const struct paths_prefix *rule = &p->prefixes[i];

		if (rule->from.size >= found.from.size &&
		    paths_begins_with(file, rule->from))
			found = *rule;
	}
	return found;
}

/* Bytes of the first `count` folders of a path, or of as many as it has. */
static size_t
paths_folders_size(struct prof_span file, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < file.size && count > 0; i++) {
		if (file.data[i] == '/' || file.data[i] == '\\') {
			size = i + 1;
			count--;
		}
	}
	return size;
}

static struct prof_span
paths_join(struct arena *a, struct prof_span head, struct prof_span tail)
{
	uint8_t *p = arena_alloc(a, head.size + tail.size);

	if (p == NULL)
		return (struct prof_span){ NULL, 0 };
	if (head.size != 0)
		memcpy(p, head.data, head.size);
	if (tail.size != 0)
		memcpy(p + head.size, tail.data, tail.size);
	return (struct prof_span){ p, head.size + tail.size };
}

static struct prof_span
paths_skip(struct prof_span s, size_t bytes)
{
	return (struct prof_span){ s.data + bytes, s.size - bytes };
}

bool
paths_rename(void *arg, struct arena *a, struct prof_span *name,
    uint64_t *guid)
{
	const struct paths *p = arg;
	struct prof_span file = { NULL, 0 }, renamed;
	struct paths_prefix rule;
	size_t behind;			/* bytes from the separator on */

	if (name->data != NULL)
		local_name_split(*name, &file);
	if (file.data == NULL)
		return true;
	rule = paths_find_prefix(p, file);
	behind = name->size - file.size;
	renamed = paths_join(a, rule.to, paths_skip(*name, rule.from.size));
	if (renamed.data == NULL)
		return false;
	file = (struct prof_span){ renamed.data, renamed.size - behind };
	renamed = paths_skip(renamed, paths_folders_size(file, p->strip));
	if (renamed.size == behind)
		renamed = paths_join(a, span_of_text(unknown),
		    renamed);
	if (renamed.data == NULL)
		return false;
	if (!prof_span_equal(renamed, *name)) {
		*name = renamed;
		*guid = prof_guid(renamed);
	}
	return true;
}
