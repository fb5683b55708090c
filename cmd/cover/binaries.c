/* cmd/cover/binaries.c - programs and libraries, of which sections are kept */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/cover/run.h"
#include "io/input.h"
#include "sym/binary.h"

static bool
binaries_begins(struct prof_span bytes, const char *magic)
{
	return bytes.size >= 8 && memcmp(bytes.data, magic, 8) == 0;
}

#define THIN	"!<thin>\n"
#define ARCHIVE	"!<arch>\n"

bool
cover_binaries_want(struct prof_span first_bytes)
{
	return cover_is_object(first_bytes) ||
	    binaries_begins(first_bytes, THIN);
}

/* Puts a name before the reason of a failure. */
static enum prof_status
binaries_blame(const char *name, struct prof_error *err)
{
	struct prof_error why = *err;
	char shown[ERR_NAME_SIZE];

	if (err_is_lack(why.code))
		return PROF_FAIL;
	snprintf(err->reason, sizeof(err->reason), "%s: %.240s",
	    err_name(shown, span_of_text(name)), why.reason);
	return PROF_FAIL;
}

static enum prof_status
binaries_add_image(struct cover_binaries *b, const char *file,
    const char *member, struct prof_span image, struct prof_error *err)
{
	struct cover_binary new = { 0 };
	const struct cover_sections *s = &new.sections;

	if (cover_sections_find(&new.sections, image, b->arch, err) !=
	    PROF_OK) {
		cover_sections_free(&new.sections);
		return PROF_FAIL;
	}
	/* One with a build id may get its mapping from another file. */
	if (s->map.size == 0 && (s->names.size == 0 || s->build_id.size == 0)) {
		cover_sections_free(&new.sections);
		b->without++;
		return PROF_OK;
	}
	if (!cover_sections_keep(&new.sections) ||
	    cli_keep_name(&new.file, file) == NULL ||
	    (member != NULL && cli_keep_name(&new.member, member) == NULL) ||
	    !ARRAY_ADD(b->items, b->size, b->room, new)) {
		cover_sections_free(&new.sections);
		free(new.file);
		free(new.member);
		return err_memory(err);
	}
	return PROF_OK;
}

/* Adds the objects of an input of our own, and counts others as skipped. */
static enum prof_status
binaries_add_input(struct cover_binaries *b, struct cli *c, struct input *in,
    const char *file, struct prof_error *err)
{
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct prof_span image;
	struct input_member m = { 0 };

	while (status == PROF_OK &&
	    (status = input_next(in, &m, err)) == PROF_OK) {
		if (!cover_is_object(m.start)) {
			c->report.skipped++;
			continue;
		}
		if (m.name != NULL || input_map(in, &image) != PROF_OK)
			status = input_image(in, &image, err);
		if (status == PROF_OK)
			status = binaries_add_image(b, file, m.name, image,
			    err);
		if (status != PROF_OK && m.name != NULL)
			binaries_blame(m.name, err);
	}
	input_close(in);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
binaries_add_file(struct cover_binaries *b, struct cli *c, const char *path,
    struct prof_error *err)
{
	return binaries_add_input(b, c, input_open(path,
	    c->options.max_size, NULL, err), path, err) == PROF_OK ? PROF_OK :
	    binaries_blame(path, err);
}

/* A prof_pull of the bytes of a span. */
static ssize_t
binaries_pull(void *span, void *data, size_t size)
{
	struct prof_span *left = span;

	if (size > left->size)
		size = left->size;
	if (size > 0)
		memcpy(data, left->data, size);
	*left = (struct prof_span){ left->data + size, left->size - size };
	return (ssize_t)size;
}

/*
 * The name of a member of a thin archive: in its header, up to a slash, or a
 * slash and the place in the table of names, where a slash and a newline follow
 * it.  Behind a colon, the place inside another archive would stand.
 */
static struct prof_span
thin_name(const uint8_t *head, struct prof_span table)
{
	struct prof_span name = { head, 16 };
	const uint8_t *end;
	uint64_t at = 0;
	size_t i = 1;

	if (head[0] == '/') {
		for (; i < 16 && head[i] >= '0' && head[i] <= '9'; i++)
			at = at * 10 + head[i] - '0';
		if (i == 1 || (i < 16 && head[i] != ' ') || at > table.size)
			at = table.size;
		name = (struct prof_span){ table.data + at,
		    table.size - (size_t)at };
	}
	end = name.size == 0 ? NULL : memchr(name.data, head[0] == '/' ?
	    '\n' : '/', name.size);
	if (end == NULL)
		return (struct prof_span){ NULL, 0 };
	name.size = (size_t)(end - name.data);
	if (name.size > 0 && name.data[name.size - 1] == '/')
		name.size--;
	return name;
}

/* Reads a file that a thin archive names, relative to its own folder, once. */
static enum prof_status
thin_add(struct cover_binaries *b, struct cli *c, struct prof_span name,
    struct prof_error *err)
{
	const char *file = c->inputs.file, *slash = strrchr(file, '/');
	struct buf path = { 0 };
	size_t seen = b->read.size;
	enum prof_status status = PROF_OK;
	uint64_t id[2];
	struct stat st;

	if (slash != NULL && name.data[0] != '/')
		buf_put(&path, file, (size_t)(slash + 1 - file));
	buf_put(&path, name.data, name.size);
	buf_u8(&path, '\0');
	if (path.failed)
		status = err_memory(err);
	else if (stat((const char *)path.data, &st) != 0 ||
	    !S_ISREG(st.st_mode)) {
		err_set(err, PROF_E_SYSTEM, "a thin archive names it, but "
		    "there is no such file");
		status = binaries_blame((const char *)path.data, err);
	} else {
		id[0] = (uint64_t)st.st_dev;
		id[1] = (uint64_t)st.st_ino;
		if (intern_add(&b->read, id, sizeof(id)) == INDEX_NONE)
			status = err_memory(err);
		else if (b->read.size > seen)
			status = binaries_add_file(b, c,
			    (const char *)path.data, err);
	}
	buf_free(&path);
	return status;
}

enum { AR_HEADER = 60, AR_SIZE = 48, AR_END = 58 };

/* Only the tables of a thin archive are in it. */
static enum prof_status
binaries_add_thin(struct cover_binaries *b, struct cli *c,
    struct prof_span image, struct prof_error *err)
{
	struct cursor ar = { .data = image.data, .size = image.size, .pos = 8 };
	struct prof_span table = { 0 }, name;
	const uint8_t *head, *bytes;
	uint64_t size;

	while (cur_left(&ar) > 0) {
		head = cur_bytes(&ar, AR_HEADER);
		if (head == NULL || memcmp(head + AR_END, "`\n", 2) != 0)
			return err_at(err, PROF_E_CORRUPT, ar.pos, "thin "
			    "archive: the header of a member is damaged");
		size = 0;
		for (int i = AR_SIZE; i < AR_END && head[i] >= '0' &&
		    head[i] <= '9'; i++)
			size = size * 10 + head[i] - '0';
		if (head[0] == '/' && (head[1] < '0' || head[1] > '9')) {
			bytes = cur_bytes(&ar, size);
			if (bytes == NULL)
				return err_at(err, PROF_E_TRUNCATED, ar.pos,
				    "thin archive: a table is cut off");
			if (head[1] == '/')
				table = (struct prof_span){ bytes,
				    (size_t)size };
			cur_bytes(&ar, cur_left(&ar) > 0 ? size & 1 : 0);
			continue;
		}
		name = thin_name(head, table);
		if (name.size == 0 || memchr(name.data, '\0', name.size) !=
		    NULL)
			return err_at(err, PROF_E_UNSUPPORTED, ar.pos, "thin "
			    "archive: a member is no file");
		if (thin_add(b, c, name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
cover_binaries_add(struct cover_binaries *b, struct cli *c, struct input *in,
    const struct input_member *m, struct prof_error *err)
{
	struct prof_span image, slice;

	if ((m->name != NULL || input_map(in, &image) != PROF_OK) &&
	    input_image(in, &image, err) != PROF_OK)
		return PROF_FAIL;
	if (binaries_begins(image, THIN))
		return m->name == NULL ? binaries_add_thin(b, c, image, err) :
		    err_set(err, PROF_E_UNSUPPORTED, "a thin archive inside "
		    "another archive");
	if (cover_slice(image, b->arch, &slice, err) != PROF_OK)
		return PROF_FAIL;
	if (binaries_begins(slice, ARCHIVE))
		return binaries_add_input(b, c, input_open_pull(binaries_pull,
		    &slice, c->options.max_size, NULL, err), c->inputs.file,
		    err);
	return binaries_add_image(b, c->inputs.file, m->name, image, err);
}

/*
 * Whether a binary with both names and mapping has that id.  If there are only
 * halves, those with a mapping get the names.
 */
static bool
binaries_have(struct cover_binaries *b, struct prof_span id)
{
	struct cover_sections *s, *names = NULL;
	bool whole = false;

	for (int pass = 0; pass < 2 && !whole; pass++) {
		for (size_t i = 0; i < b->size; i++) {
			s = &b->items[i].sections;
			if (!prof_span_equal(s->build_id, id))
				continue;
			if (s->names.size > 0)
				names = s;
			else if (names != NULL) {
				s->names = names->names;
				s->names_address = names->names_address;
			}
			whole |= s->names.size > 0 && s->map.size > 0;
		}
	}
	return whole;
}

enum prof_status
cover_binaries_find(struct cover_binaries *b, struct cli *c,
    struct prof_span id, struct prof_error *err)
{
	struct prof_error first = { 0 }, why;
	struct buf path = { 0 };
	enum prof_status status;
	char *name;

	for (size_t i = 0; i < 2 * b->dirs.size && !binaries_have(b, id); i++) {
		why = (struct prof_error){ 0 };
		path.size = 0;
		if (binary_id_path(&path, b->dirs.items[i / 2], id,
		    i % 2 == 0 ? ".debug" : "") && !path.failed &&
		    access((const char *)path.data, F_OK) == 0 &&
		    binaries_add_file(b, c, (const char *)path.data, &why) !=
		    PROF_OK)
			err_repeat(&first, &why);
	}
	if (path.failed)
		err_memory(&first);
	buf_free(&path);
	if (binaries_have(b, id))
		return PROF_OK;
	if (first.code != PROF_E_NONE)
		return err_repeat(err, &first);
	if (!b->debuginfod)
		return PROF_END;
	status = debuginfod_find(id, true, &name, err);
	if (status == PROF_OK) {
		status = binaries_add_file(b, c, name, err);
		free(name);
	}
	return status != PROF_OK || binaries_have(b, id) ? status : PROF_END;
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
	free(b->dirs.items);
	intern_free(&b->read);
}
