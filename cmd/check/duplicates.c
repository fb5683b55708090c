#include "config.h"

#include "cmd/check/duplicates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* FILE or FILE[MEMBER]. */
static const char *
input_label(struct duplicates *s, const char *file, const char *member)
{
	size_t size = strlen(file) + (member == NULL ? 0 : strlen(member)) + 3;
	char *text = arena_alloc(&s->arena, size);

	if (text != NULL)
		snprintf(text, size, "%s%s%s%s", file,
		    member == NULL ? "" : "[", member == NULL ? "" : member,
		    member == NULL ? "" : "]");
	return text;
}

static bool
duplicates_note(struct duplicates *s, struct prof_span key, const char *file,
    const char *member, const char **first)
{
	size_t before = s->keys.size;
	uint32_t n = intern_add(&s->keys, key.data, key.size);

	*first = NULL;
	if (n == INDEX_NONE)
		return false;
	if (n < before) {
		*first = s->names[n];
		return true;
	}
	if (!ARRAY_ROOM(s->names, before, s->room))
		return false;
	s->names[n] = input_label(s, file, member);
	return s->names[n] != NULL;
}

bool
duplicates_add_file(struct duplicates *s, const struct stat *st,
    const char *file, const char **first)
{
	const uint64_t key[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino };

	*first = NULL;
	return !S_ISREG(st->st_mode) ||
	    duplicates_note(s, (struct prof_span){ (const uint8_t *)key,
	    sizeof(key) }, file, NULL, first);
}

bool
duplicates_add_bytes(struct duplicates *s, const uint8_t sha256[SHA256_SIZE],
    const char *file, const char *member, const char **first)
{
	return duplicates_note(s, (struct prof_span){ sha256, SHA256_SIZE },
	    file, member, first);
}

void
duplicates_free(struct duplicates *s)
{
	intern_free(&s->keys);
	arena_free(&s->arena);
	free(s->names);
}
