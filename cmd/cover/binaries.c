/* cmd/cover/binaries.c - programs and libraries, of which sections are kept */
#include "config.h"

#include <unistd.h>

#include "base/error.h"
#include "cmd/cover/run.h"
#include "io/input.h"
#include "io/map.h"
#include "sym/binary.h"

static bool
binaries_is_thin(struct prof_span s)
{
	return s.size >= 8 && memcmp(s.data, "!<thin>\n", 8) == 0;
}

bool
cover_binaries_want(struct prof_span first_bytes)
{
	return cover_is_object(first_bytes) || binaries_is_thin(first_bytes);
}

static void
binary_free(struct cover_binary *b)
{
	cover_sections_free(&b->sections);
	map_free(b->map);
	free(b->file);
	free(b->member);
}

static void
binary_release_pages(void *map, struct prof_span bytes)
{
	map_release(map, bytes);
}

/* Whether one with these sections is there: another adds nothing to it. */
static bool
binaries_repeat(const struct cover_binaries *b, const struct cover_sections *s)
{
	const struct cover_sections *t;
	size_t equal;

	for (size_t i = 0; i < b->size && b->distinct; i++) {
		t = &b->items[i].sections;
		if (s->functions_size != t->functions_size ||
		    !prof_span_equal(s->build_id, t->build_id) ||
		    !prof_span_equal(s->map, t->map) ||
		    !prof_span_equal(s->names, t->names))
			continue;
		for (equal = 0; equal < s->functions_size && prof_span_equal(
		    s->functions[equal], t->functions[equal]);)
			equal++;
		if (equal == s->functions_size)
			return true;
	}
	return false;
}

/*
 * Keeps the sections of an object.  Those of a plain file stay in its mapping,
 * if it can be mapped; others are copied.
 */
static enum prof_status
binaries_add_object(struct cover_binaries *b, const char *file,
    struct input *in, const struct input_member *m, struct prof_error *err)
{
	struct cover_binary new = { .file = NULL };
	const struct cover_sections *s = &new.sections;
	enum prof_status status = PROF_OK;
	bool wanted;

	if (m->name != NULL || input_map(in, &new.image) != PROF_OK)
		status = input_image(in, &new.image, err);
	if (status == PROF_OK)
		status = cover_sections_find(&new.sections, new.image, b->arch,
		    err);
	/* One with a build id may get its mapping from another file. */
	wanted = status == PROF_OK && (s->map.size > 0 ||
	    (s->names.size > 0 && s->build_id.size > 0)) &&
	    !binaries_repeat(b, s);
	if (wanted && m->name == NULL)
		new.map = input_take_map(in);
	if (new.map != NULL) {
		new.sections.release = binary_release_pages;
		new.sections.release_arg = new.map;
	}
	if (wanted && (new.map != NULL || cover_sections_keep(&new.sections)) &&
	    cli_keep_name(&new.file, file) != NULL &&
	    (m->name == NULL || cli_keep_name(&new.member, m->name) != NULL) &&
	    ARRAY_ADD(b->items, b->size, b->room, new))
		return PROF_OK;
	binary_free(&new);
	return wanted ? err_memory(err) : status;
}

/*
 * Adds the objects of a file that is no input, and others count as skipped.  A
 * failure names the file in its reason.
 */
static enum prof_status
binaries_add_file(struct cover_binaries *b, struct cli *c, const char *path,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct input *in = input_open(path, c->options.max_size, NULL, &why);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	char shown[ERR_NAME_SIZE];
	struct input_member m;

	while (status == PROF_OK &&
	    (status = input_next(in, &m, &why)) == PROF_OK) {
		if (cover_is_object(m.start))
			status = binaries_add_object(b, path, in, &m, &why);
		else
			c->report.skipped++;
	}
	input_close(in);
	return status == PROF_END ? PROF_OK : err_set(err, why.code,
	    "%s: %.240s", err_name(shown, span_of_text(path)), why.reason);
}

/* Reads a file that a thin archive names, relative to its own folder. */
static enum prof_status
thin_add(struct cover_binaries *b, struct cli *c, struct prof_span name,
    struct prof_error *err)
{
	const char *file = c->inputs.file, *slash = strrchr(file, '/');
	struct buf path = { 0 };
	enum prof_status status;

	if (slash != NULL && name.data[0] != '/')
		buf_put(&path, file, (size_t)(slash + 1 - file));
	buf_put(&path, name.data, name.size);
	buf_u8(&path, '\0');
	status = path.failed ? err_memory(err) : binaries_add_file(b, c,
	    (const char *)path.data, err);
	buf_free(&path);
	return status;
}

enum { AR_HEADER = 60, AR_SIZE = 48, AR_END = 58 };

/*
 * A thin archive begins with tables, one of symbols and one of the names of its
 * members, each of which ends with a slash and a newline; headers of members
 * follow, which tell no more.
 */
static enum prof_status
thin_read(struct cover_binaries *b, struct cli *c, struct input *in,
    struct prof_error *err)
{
	struct prof_span image, name = { NULL, 0 };
	const uint8_t *head, *end, *next;
	struct cursor ar;

	if (input_image(in, &image, err) != PROF_OK)
		return PROF_FAIL;
	ar = (struct cursor){ .data = image.data, .size = image.size,
	    .pos = 8 };
	while ((head = cur_bytes(&ar, AR_HEADER)) != NULL && head[0] == '/' &&
	    (head[1] < '0' || head[1] > '9')) {
		name.size = 0;
		for (int i = AR_SIZE; i < AR_END && head[i] >= '0' &&
		    head[i] <= '9'; i++)
			name.size = name.size * 10 + head[i] - '0';
		name.data = cur_bytes(&ar, name.size);
		cur_bytes(&ar, name.size & 1);
	}
	if ((ar.failed && ar.pos != ar.size) ||
	    (name.data == NULL && name.size > 0))
		return err_at(err, PROF_E_TRUNCATED, ar.pos, "thin archive: "
		    "the table of names is cut off");
	end = name.data == NULL ? NULL : name.data + name.size;
	for (; name.data != end; name.data = next) {
		next = memchr(name.data, '\n', (size_t)(end - name.data));
		name.size = (size_t)((next == NULL ? end : next) - name.data);
		next = next == NULL ? end : next + 1;
		name.size -= name.size > 0 && name.data[name.size - 1] == '/';
		if (name.size > 0 && thin_add(b, c, name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
cover_binaries_add(struct cover_binaries *b, struct cli *c, struct input *in,
    const struct input_member *m, struct prof_error *err)
{
	return binaries_is_thin(m->start) ? thin_read(b, c, in, err) :
	    binaries_add_object(b, c->inputs.file, in, m, err);
}

/*
 * Whether a binary with that id has both names and mapping.  If there are only
 * halves, the first one with a mapping gets the names.
 */
static bool
binaries_have(struct cover_binaries *b, struct prof_span id)
{
	struct cover_sections *s, *names = NULL, *map = NULL;

	for (size_t i = 0; i < b->size; i++) {
		s = &b->items[i].sections;
		if (!prof_span_equal(s->build_id, id))
			continue;
		if (s->names.size > 0)
			names = s;
		if (s->map.size > 0 && (map == NULL || s->names.size > 0))
			map = s;
	}
	if (map == NULL || names == NULL)
		return false;
	map->names = map->names.size > 0 ? map->names : names->names;
	return true;
}

static enum prof_status
binaries_find_one(struct cover_binaries *b, struct cli *c,
    struct prof_span id)
{
	enum prof_status status = PROF_OK;
	struct buf path = { 0 };
	char *name;

	for (size_t i = 0; i < 2 * b->dirs.size && status == PROF_OK &&
	    !binaries_have(b, id); i++) {
		path.size = 0;
		if (binary_id_path(&path, b->dirs.items[i / 2], id,
		    i % 2 == 0 ? ".debug" : "") && !path.failed &&
		    access((const char *)path.data, F_OK) == 0)
			status = binaries_add_file(b, c,
			    (const char *)path.data, &c->err);
	}
	if (path.failed)
		status = err_memory(&c->err);
	buf_free(&path);
	if (status != PROF_OK || binaries_have(b, id) || !b->debuginfod)
		return status;
	status = debuginfod_find(id, true, &name, &c->err);
	if (status == PROF_OK) {
		status = binaries_add_file(b, c, name, &c->err);
		free(name);
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cover_binaries_find(struct cover_binaries *b, struct cli *c,
    const struct cover_profiles *p)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < p->size; i++) {
		struct cursor ids = { .data = p->sums[i].ids.data,
		    .size = p->sums[i].ids.size };

		while (cur_left(&ids) > 0 && status == PROF_OK) {
			struct prof_span id = { NULL, cur_u8(&ids) };

			id.data = cur_bytes(&ids, id.size);
			status = binaries_find_one(b, c, id);
		}
	}
	return status;
}

const char *
cover_binaries_lack(const struct cover_binaries *b, size_t i)
{
	const struct cover_sections *s = &b->items[i].sections, *t;
	bool whole = s->map.size > 0 && s->names.size > 0;

	for (size_t k = 0; k < b->size && !whole; k++) {
		t = &b->items[k].sections;
		whole = t->map.size > 0 && t->names.size > 0 &&
		    prof_span_equal(s->build_id, t->build_id);
	}
	return whole ? NULL : s->map.size == 0 ? "mapping (stripped, or built "
	    "without -fcoverage-mapping)" : "names of functions (its program "
	    "has them)";
}

enum prof_status
cover_binary_add(const struct cover_binary *b, struct cover *to,
    const struct cover_sums *sums, bool *any, struct prof_error *err)
{
	enum prof_status status = cover_add(to, &b->sections, sums, any, err);

	if (b->map == NULL)
		return status;
	map_release(b->map, b->image);
	if (map_is_whole(b->map))
		return status;
	*err = (struct prof_error){ 0 };
	return err_set(err, PROF_E_TRUNCATED, "became shorter or unreadable "
	    "while it was read");
}

void
cover_binaries_free(struct cover_binaries *b)
{
	for (size_t i = 0; i < b->size; i++)
		binary_free(&b->items[i]);
	free(b->items);
	free(b->dirs.items);
}
