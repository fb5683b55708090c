#include "config.h"

#include "cmd/profdata/remap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "cmd/common/messages.h"
#include "cmd/profdata/profdata.h"
#include "io/lines.h"

struct profdata_remap {
	struct intern names;		/* old ones */
	struct prof_span *others;	/* the new one of each */
	size_t room;
};

static void __attribute__((noreturn))
remap_refuse_line(const char *path, size_t line)
{
	message_print("error: %s:%zu: unexpected line in remapping file\n",
	    path, line);
	message_print("note: expected 'old_symbol new_symbol'\n");
	exit(1);
}

/* The first line of a name counts. */
static bool
remap_add_name(struct profdata_remap *r, const char *old, size_t old_size,
    const char *other, size_t size)
{
	size_t before = r->names.size;
	uint32_t n = intern_add(&r->names, old, old_size);

	if (n == INDEX_NONE || !ARRAY_ROOM(r->others, before, r->room))
		return false;
	if (n < before)
		return true;
	r->others[n] = arena_copy(&r->names.arena, (struct prof_span){
	    (const uint8_t *)other, size });
	return r->others[n].data != NULL;
}

/* llvm::line_iterator leaves out empty lines and comments. */
static void
remap_add_line(struct profdata_remap *r, const char *path, size_t number,
    const char *line, size_t size)
{
	const char *space = memchr(line, ' ', size), *other;
	size_t left;

	if (size == 0 || *line == '#')
		return;
	if (space == NULL)
		remap_refuse_line(path, number);
	other = space + 1;
	left = size - (size_t)(other - line);
	if (space == line || left == 0 || memchr(other, ' ', left) != NULL)
		remap_refuse_line(path, number);
	if (!remap_add_name(r, line, (size_t)(space - line), other, left))
		profdata_out_of_memory();
}

struct profdata_remap *
profdata_remap_open(const char *path)
{
	struct profdata_remap *r = calloc(1, sizeof(*r));
	struct lines l = { 0 };
	size_t number = 0;

	if (!lines_open(&l, path, '\n'))
		profdata_fail(path, "%s", strerror(errno));
	if (r == NULL)
		profdata_out_of_memory();
	while (lines_next(&l)) {
		l.size -= l.size != 0 && l.text[l.size - 1] == '\r';
		remap_add_line(r, path, ++number, l.text, l.size);
	}
	if (lines_error(&l) != NULL)
		profdata_fail(path, "%s", lines_error(&l));
	lines_free(&l);
	return r;
}

void
profdata_remap(const struct profdata_remap *r, struct prof_symbol *s)
{
	uint32_t n = s->name.size == 0 ? INDEX_NONE :
	    intern_find(&r->names, s->name.data, s->name.size);

	if (n != INDEX_NONE)
		*s = (struct prof_symbol){ .name = r->others[n] };
}

void
profdata_remap_free(struct profdata_remap *r)
{
	if (r == NULL)
		return;
	intern_free(&r->names);
	free(r->others);
	free(r);
}
