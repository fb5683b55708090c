#include "config.h"

#include "sym/dwarf/line_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sym/dwarf/libdw.h"

/* The lists of DWARF 5, with the format that their entries have. */
struct line_list {
	struct cursor *c;
	struct cursor formats;		/* pairs of DW_LNCT_, DW_FORM_ */
	uint8_t format_count;
	bool wide;
	const struct line_strings *strings;
};

static enum prof_status
line_files_damaged(struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "its list of files is damaged");
}

/* A string behind the cursor, never NULL unless the cursor fails. */
static const char *
line_read_text(struct cursor *c)
{
	const uint8_t *text = c->data + c->pos;
	const uint8_t *end = c->failed || cur_left(c) == 0 ? NULL :
	    memchr(text, '\0', cur_left(c));

	if (end == NULL) {
		c->failed = true;
		return NULL;
	}
	c->pos += (size_t)(end - text) + 1;
	return (const char *)text;
}

/* A string of a section by its offset, which is read. */
static const char *
line_refer_text(struct line_list *l, const struct prof_span *section)
{
	uint64_t offset = l->wide ? cur_u64(l->c) : cur_u32(l->c);

	if (offset >= section->size) {
		l->c->failed = true;
		return NULL;
	}
	return (const char *)section->data + offset;
}

/*
 * Reads a value that is a string or a number.  No compiler makes strings of
 * other forms here: these are skipped.
 */
static void
line_read_form(struct line_list *l, uint64_t form, const char **text,
    uint64_t *number)
{
	struct cursor *c = l->c;

	switch (form) {
	case DW_FORM_string:
		*text = line_read_text(c);
		break;
	case DW_FORM_line_strp:
		*text = line_refer_text(l, &l->strings->line_str);
		break;
	case DW_FORM_strp:
		*text = line_refer_text(l, &l->strings->str);
		break;
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
		cur_bytes(c, l->wide ? 8 : 4);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
		*number = cur_uleb(c);
		break;
	case DW_FORM_data1:
	case DW_FORM_strx1:
		*number = cur_u8(c);
		break;
	case DW_FORM_data2:
	case DW_FORM_strx2:
		*number = cur_u16(c);
		break;
	case DW_FORM_strx3:
		cur_bytes(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_strx4:
		*number = cur_u32(c);
		break;
	case DW_FORM_data8:
		*number = cur_u64(c);
		break;
	case DW_FORM_data16:
		cur_bytes(c, 16);
		break;
	case DW_FORM_block:
		cur_bytes(c, cur_uleb(c));
		break;
	default:
		c->failed = true;
	}
}

static struct line_file
line_read_entry(struct line_list *l)
{
	struct cursor formats = l->formats;
	struct line_file f = { NULL, 0 };

	for (uint8_t i = 0; i < l->format_count; i++) {
		uint64_t content = cur_uleb(&formats);
		const char *text = NULL;
		uint64_t number = 0;

		line_read_form(l, cur_uleb(&formats), &text, &number);
		if (content == DW_LNCT_path)
			f.name = text;
		else if (content == DW_LNCT_directory_index)
			f.folder = number;
	}
	return f;
}

static enum prof_status
line_push_folder(struct line_files *f, const char *name,
    struct prof_error *err)
{
	return ARRAY_ADD(f->folders, f->folder_count, f->folder_room, name) ?
	    PROF_OK : err_memory(err);
}

static enum prof_status
line_push_file(struct line_files *f, struct line_file file,
    struct prof_error *err)
{
	uint64_t first = f->version >= 5 ? 0 : 1;

	if (file.folder >= first && file.folder - first >= f->folder_count)
		return err_set(err, PROF_E_CORRUPT, "a file is in folder %llu "
		    "of %zu", ull(file.folder), f->folder_count);
	return ARRAY_ADD(f->files, f->file_count, f->file_room, file) ?
	    PROF_OK : err_memory(err);
}

/*
 * Reads a list of DWARF 5: formats, and entries, each of which has a byte at
 * least.
 */
static enum prof_status
line_read_list(struct line_files *f, struct line_list *l, bool folders,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint64_t count;

	l->format_count = cur_u8(l->c);
	l->formats = *l->c;
	for (unsigned i = 0; i < 2u * l->format_count; i++)
		cur_uleb(l->c);
	count = cur_uleb(l->c);
	if (l->c->failed || count > cur_left(l->c))
		return line_files_damaged(err);
	for (; count > 0 && status == PROF_OK; count--) {
		struct line_file entry = line_read_entry(l);

		status = l->c->failed ? line_files_damaged(err) : folders ?
		    line_push_folder(f, entry.name, err) :
		    line_push_file(f, entry, err);
	}
	return status;
}

enum prof_status
line_files_add(struct line_files *f, struct cursor *c, struct prof_error *err)
{
	struct line_file file = { .name = line_read_text(c) };

	file.folder = cur_uleb(c);
	/* Time of modification, and size. */
	cur_uleb_long(c);
	cur_uleb_long(c);
	return c->failed ? line_files_damaged(err) :
	    line_push_file(f, file, err);
}

/* Whether there is no other entry in a list, which an empty string ends. */
static bool
line_list_ends(struct cursor *c)
{
	if (c->failed || cur_left(c) == 0 || c->data[c->pos] != '\0')
		return false;
	c->pos++;
	return true;
}

/* Reads the lists of DWARF 2 to 4. */
static enum prof_status
line_read_old_lists(struct line_files *f, struct cursor *c,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	while (status == PROF_OK && !line_list_ends(c)) {
		const char *name = line_read_text(c);

		status = name == NULL ? line_files_damaged(err) :
		    line_push_folder(f, name, err);
	}
	while (status == PROF_OK && !line_list_ends(c))
		status = line_files_add(f, c, err);
	return status;
}

enum prof_status
line_files_read(struct line_files *f, struct cursor *c, bool wide,
    const struct line_strings *strings, struct prof_error *err)
{
	struct line_list list = { .c = c, .wide = wide, .strings = strings };

	if (f->version < 5)
		return line_read_old_lists(f, c, err);
	if (line_read_list(f, &list, true, err) != PROF_OK)
		return PROF_FAIL;
	return line_read_list(f, &list, false, err);
}

bool
line_files_find(const struct line_files *f, uint64_t number,
    struct line_path *out)
{
	uint64_t first = f->version >= 5 ? 0 : 1;
	const struct line_file *file;

	if (number < first || number - first >= f->file_count)
		return false;
	file = &f->files[number - first];
	*out = (struct line_path){ .name = file->name,
	    .folder = file->folder < first ? NULL :
	    f->folders[file->folder - first],
	    .compilers = file->folder == 0 };
	return file->name != NULL;
}

/* Whether a slash is missing between a part and the next. */
static bool
line_path_needs_slash(const char *part, size_t size)
{
	return size > 0 && part[size - 1] != '/';
}

size_t
line_path_size(const char *const parts[3])
{
	size_t size = 1;

	for (int i = 0; i < 3; i++) {
		size_t n = parts[i] == NULL ? 0 :
		    strnlen(parts[i], LINE_PATH_MAX);

		size += n + (i < 2 && line_path_needs_slash(parts[i], n));
	}
	return size <= LINE_PATH_MAX ? size : 0;
}

void
line_path_join(const char *const parts[3], char *out)
{
	for (int i = 0; i < 3; i++) {
		size_t n = parts[i] == NULL ? 0 : strlen(parts[i]);

		if (n > 0)
			memcpy(out, parts[i], n);
		out += n;
		if (i < 2 && line_path_needs_slash(parts[i], n))
			*out++ = '/';
	}
	*out = '\0';
}

void
line_files_free(struct line_files *f)
{
	free(f->folders);
	free(f->files);
	*f = (struct line_files){ 0 };
}
