/* cmd/cover/binaries.c - programs and libraries, of which sections are kept */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/cover/run.h"
#include "io/input.h"
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

/* The bytes of a member; those of a file are mapped if they can be. */
static enum prof_status
binaries_read(struct input *in, const struct input_member *m,
    struct prof_span *image, struct prof_error *err)
{
	return m->name == NULL && input_map(in, image) == PROF_OK ? PROF_OK :
	    input_image(in, image, err);
}

/* Adds the objects of a file that is no input; others count as skipped. */
static enum prof_status
binaries_add_file(struct cover_binaries *b, struct cli *c, const char *path,
    struct prof_error *err)
{
	struct input *in = input_open(path, c->options.max_size, NULL, err);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct input_member m = { 0 };
	struct prof_span image;

	while (status == PROF_OK &&
	    (status = input_next(in, &m, err)) == PROF_OK) {
		if (!cover_is_object(m.start)) {
			c->report.skipped++;
			continue;
		}
		status = binaries_read(in, &m, &image, err);
		if (status == PROF_OK)
			status = binaries_add_image(b, path, m.name, image,
			    err);
	}
	input_close(in);
	return status == PROF_END ? PROF_OK : binaries_blame(path, err);
}

/* Reads a file that a thin archive names, relative to its own folder, once. */
static enum prof_status
thin_add(struct cover_binaries *b, struct cli *c, struct prof_span name,
    struct prof_error *err)
{
	const char *file = c->inputs.file, *slash = strrchr(file, '/');
	enum prof_status status = PROF_OK;
	struct buf path = { 0 };
	size_t read = b->read.size;
	uint64_t id[2] = { 0 };
	struct stat st;

	if (slash != NULL && name.data[0] != '/')
		buf_put(&path, file, (size_t)(slash + 1 - file));
	buf_put(&path, name.data, name.size);
	buf_u8(&path, '\0');
	if (!path.failed && stat((const char *)path.data, &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		id[0] = (uint64_t)st.st_dev;
		id[1] = (uint64_t)st.st_ino;
	}
	if (path.failed || intern_add(&b->read, id, sizeof(id)) == INDEX_NONE)
		status = err_memory(err);
	else if (id[1] == 0)
		status = err_set(err, PROF_E_SYSTEM, "thin archive: no file "
		    "%s", err_name((char[ERR_NAME_SIZE]){ 0 }, name));
	else if (b->read.size > read)
		status = binaries_add_file(b, c, (const char *)path.data, err);
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
thin_read(struct cover_binaries *b, struct cli *c, struct prof_span image,
    struct prof_error *err)
{
	struct cursor ar = { .data = image.data, .size = image.size, .pos = 8 };
	struct prof_span name = { NULL, 0 };
	const uint8_t *head, *end, *next;

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
	struct prof_span image;

	if (binaries_read(in, m, &image, err) != PROF_OK)
		return PROF_FAIL;
	if (!binaries_is_thin(image))
		return binaries_add_image(b, c->inputs.file, m->name, image,
		    err);
	return m->name == NULL ? thin_read(b, c, image, err) :
	    err_set(err, PROF_E_UNSUPPORTED, "a thin archive inside an "
	    "archive");
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
