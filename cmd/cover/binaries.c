/* cmd/cover/binaries.c - programs and libraries, of which sections are kept */
#include "config.h"

#include "base/error.h"
#include "cmd/cover/run.h"
#include "io/input.h"

enum prof_status
cover_binaries_add(struct cover_binaries *b, const struct cli *c,
    struct input *in, const struct input_member *m, struct prof_error *err)
{
	struct cover_binary new = { 0 };
	struct prof_span image;

	if ((m->name != NULL || input_map(in, &image) != PROF_OK) &&
	    input_image(in, &image, err) != PROF_OK)
		return PROF_FAIL;
	if (cover_sections_find(&new.sections, image, err) != PROF_OK) {
		cover_sections_free(&new.sections);
		return PROF_FAIL;
	}
	if (new.sections.map.size == 0) {
		cover_sections_free(&new.sections);
		b->without++;
		return PROF_OK;
	}
	if (!cover_sections_keep(&new.sections) ||
	    cli_keep_name(&new.file, c->inputs.file) == NULL ||
	    (m->name != NULL && cli_keep_name(&new.member, m->name) == NULL) ||
	    !ARRAY_ADD(b->items, b->size, b->room, new)) {
		cover_sections_free(&new.sections);
		free(new.file);
		free(new.member);
		return err_memory(err);
	}
	return PROF_OK;
}

void
cover_binaries_free(struct cover_binaries *b)
{
	for (size_t i = 0; i < b->size; i++) {
		cover_sections_free(&b->items[i].sections);
		free(b->items[i].file);
		free(b->items[i].member);
	}
	free(b->items);
}
