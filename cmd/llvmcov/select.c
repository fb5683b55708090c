/* Which files and functions llvm-cov shows, and where files are. */
#include "config.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/llvmcov/llvmcov.h"

/* Whether one of the regular expressions matches; wrong ones do not. */
static bool
list_matches(const struct llvmcov *l, const struct cli_list *list,
    regex_t **compiled, struct prof_span text)
{
	if (*compiled == NULL) {
		*compiled = calloc(list->size + 1, sizeof(**compiled));
		if (*compiled == NULL)
			cli_out_of_memory(&l->cli);
		for (size_t i = 0; i < list->size; i++) {
			if (regcomp(&(*compiled)[i], list->items[i],
			    REG_EXTENDED) != 0)
				regcomp(&(*compiled)[i], "$.", REG_EXTENDED);
		}
	}
	for (size_t i = 0; i < list->size; i++) {
		regmatch_t all = { 0, (regoff_t)text.size };

		if (regexec(&(*compiled)[i], (const char *)text.data, 1, &all,
		    REG_STARTEND) == 0)
			return true;
	}
	return false;
}

/* A path without dots; of a folder, with a slash behind it. */
static struct prof_span
path_clean(const struct llvmcov *l, struct buf *b, const char *below,
    struct prof_span path, bool folder)
{
	b->size = 0;
	if (below != NULL || (path.size > 0 && path.data[0] == '/'))
		buf_u8(b, '/');
	if (below != NULL)
		cover_path_put(b, span_of_text(below));
	cover_path_put(b, path);
	if (folder && b->size > 0 && b->data[b->size - 1] != '/')
		buf_u8(b, '/');
	if (b->failed)
		cli_out_of_memory(&l->cli);
	return buf_span(b);
}

static bool
span_begins(struct prof_span s, struct prof_span with)
{
	return with.size == 0 || (s.size >= with.size &&
	    memcmp(s.data, with.data, with.size) == 0);
}

/* Where a file of the cover is: the first --path-equivalence counts. */
static struct prof_span
path_map(struct llvmcov *l, struct prof_span path)
{
	struct buf clean = { 0 }, from = { 0 }, out = { 0 };
	struct prof_span whole = path_clean(l, &clean, NULL, path, false);

	for (size_t i = 0; i < l->equivalences.size && out.size == 0; i++) {
		const char *both = l->equivalences.items[i];
		const char *comma = strchr(both, ',');
		struct prof_span begin = path_clean(l, &from, NULL,
		    (struct prof_span){ (const uint8_t *)both,
		    (size_t)(comma - both) }, true);

		if (!span_begins(whole, begin))
			continue;
		path_clean(l, &out, NULL, span_of_text(comma + 1), true);
		buf_put(&out, whole.data + begin.size,
		    whole.size - begin.size);
	}
	if (out.size > 0)
		path = arena_text(&l->cover.arena, buf_span(&out));
	if (path.data == NULL || out.failed)
		cli_out_of_memory(&l->cli);
	buf_free(&clean);
	buf_free(&from);
	buf_free(&out);
	return path;
}

/* Adds the paths of a source or of those below a folder, to *list. */
static bool
sources_add(struct llvmcov *l, const char *file, regex_t **ignored,
    uint32_t **list, size_t *size, size_t *room)
{
	const struct cover *c = &l->cover;
	char *here = *file == '/' ? NULL : getcwd(NULL, 0);
	struct prof_span path, local;
	struct buf b = { 0 };
	struct stat st;
	bool exists = stat(file, &st) == 0, folder, any;

	folder = exists && S_ISDIR(st.st_mode);
	path = path_clean(l, &b, here, span_of_text(file), folder);
	any = exists || l->equivalences.size > 0;
	if (!any)
		message_print("warning: %s: Source file doesn't exist, "
		    "proceeded by ignoring it.\n", file);
	if (!folder && list_matches(l, &l->ignored, ignored, path))
		any = false;
	for (size_t i = 0; i < c->sorted_size && any; i++) {
		local = l->local[c->sorted[i]];
		if ((prof_span_equal(path, local) || (folder &&
		    span_begins(local, path) &&
		    access((const char *)local.data, F_OK) == 0 &&
		    !list_matches(l, &l->ignored, ignored, local))) &&
		    !ARRAY_ADD(*list, *size, *room, c->sorted[i]))
			cli_out_of_memory(&l->cli);
	}
	buf_free(&b);
	free(here);
	return any;
}

bool
llvmcov_select_files(struct llvmcov *l)
{
	static regex_t *ignored;
	struct cover *c = &l->cover;
	uint32_t *list = NULL;
	size_t size = 0, room = 0;
	bool any = false;

	l->local = calloc(c->paths.size + 1, sizeof(*l->local));
	if (l->local == NULL)
		cli_out_of_memory(&l->cli);
	for (uint32_t i = 0; i < c->paths.size; i++)
		l->local[i] = path_map(l, c->paths.items[i]);
	for (size_t i = 0; i < l->sources.size; i++)
		any |= sources_add(l, l->sources.items[i], &ignored, &list,
		    &size, &room);
	if (size > 0) {
		free(c->sorted);
		c->sorted = list;
		c->sorted_size = size;
		return true;
	}
	for (size_t i = 0; i < c->sorted_size; i++) {
		if (!list_matches(l, &l->ignored, &ignored,
		    c->paths.items[c->sorted[i]]))
			c->sorted[size++] = c->sorted[i];
	}
	c->sorted_size = size;
	return !any;
}

bool
llvmcov_selects(void *arg, uint32_t number)
{
	static regex_t *regexes;
	const struct llvmcov *l = arg;
	struct prof_span name = l->cover.entries[number].function.name, part;
	bool found = list_matches(l, &l->name_regexes, &regexes, name);

	for (size_t i = 0; i < l->names.size && !found; i++) {
		part = span_of_text(l->names.items[i]);
		found = memmem(name.data, name.size, part.data, part.size) !=
		    NULL;
	}
	return found;
}
