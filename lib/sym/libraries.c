/*
 * The shared libraries that programs need, and those that these need, in the
 * folders in which the loader looks for them.  What it would load does not
 * matter: the build id decides.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sym/sym.h"

/* Each file stays open. */
enum { LIBRARIES_MAX = 500 };

/* An entry of .dynamic: its tag and a value, of 4 or 8 bytes each. */
struct dynamic {
	uint64_t tag, value;
};

static struct dynamic
library_entry(const struct binary *b, const uint8_t *at)
{
	if (b->pointer_bits == 32)
		return (struct dynamic){ load_u32(at, b->big_endian),
		    load_u32(at + 4, b->big_endian) };
	return (struct dynamic){ load_u64(at, b->big_endian),
	    load_u64(at + 8, b->big_endian) };
}

/* Adds a folder, in which $ORIGIN is that of the file at a path, or NULL. */
static enum prof_status
libraries_add_folder(struct libraries *l, const char *folder, size_t size,
    const char *path, struct prof_error *err)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	struct buf text = { 0 };
	uint32_t number = 0;
	char *real;

	for (size_t i = 0; i < 2 && path != NULL; i++) {
		const size_t length = strlen(origins[i]);

		if (size < length || memcmp(folder, origins[i], length) != 0)
			continue;
		real = realpath(path, NULL);
		if (real != NULL)
			buf_put(&text, real,
			    (size_t)(strrchr(real, '/') - real));
		free(real);
		folder += length;
		size -= length;
	}
	buf_put(&text, folder, size);
	if (!text.failed && text.size != 0)
		number = intern_add(&l->folders, text.data, text.size);
	text.failed = text.failed || number == INDEX_NONE;
	buf_free(&text);
	return text.failed ? err_memory(err) : PROF_OK;
}

/* Adds the folders of a list with colons. */
static enum prof_status
libraries_add_folders(struct libraries *l, const char *list, const char *path,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	while (status == PROF_OK && *list != '\0') {
		const size_t size = strcspn(list, ":");

		status = libraries_add_folder(l, list, size, path, err);
		list += size + (list[size] == ':');
	}
	return status;
}

/* Adds the file of a folder, if it is an ELF file with a build id. */
static enum prof_status
libraries_add_file(struct libraries *l, struct prof_span folder,
    struct prof_span name, struct prof_error *err)
{
	struct prof_error e = { 0 };
	struct buf path = { 0 };
	struct binary *b = NULL;

	buf_put(&path, folder.data, folder.size);
	buf_text(&path, folder.size == 0 ? "" : "/");
	buf_put(&path, name.data, name.size);
	buf_u8(&path, '\0');
	if (path.failed)
		err_memory(&e);
	else
		b = elf_file_open((const char *)path.data, l->work, &e);
	buf_free(&path);
	if (b != NULL && b->build_id.size != 0 &&
	    ARRAY_ADD(l->files, l->count, l->room, b))
		return PROF_OK;
	if (b != NULL && b->build_id.size != 0)
		err_memory(&e);
	binary_close(b);
	return err_is_lack(e.code) ? err_repeat(err, &e) : PROF_OK;
}

/* Adds the files of a name that an entry needs, unless it is known. */
static enum prof_status
libraries_add_name(struct libraries *l, struct prof_span name,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	const size_t known = l->names.size;
	const uint32_t number = intern_add(&l->names, name.data, name.size);

	if (number == INDEX_NONE)
		return err_memory(err);
	if (number < known || l->count >= LIBRARIES_MAX)
		return PROF_OK;
	if (work_take(l->work, l->folders.size + 1, WORK_UNIT, "names of "
	    "libraries", err) != PROF_OK)
		return PROF_FAIL;
	if (memchr(name.data, '/', name.size) != NULL)
		return libraries_add_file(l, (struct prof_span){ NULL, 0 },
		    name, err);
	for (size_t i = 0; i < l->folders.size && status == PROF_OK; i++)
		status = libraries_add_file(l, l->folders.items[i], name, err);
	return status;
}

/* Adds what a binary needs: folders first, then the names of libraries. */
static enum prof_status
libraries_add_needed(struct libraries *l, const struct binary *b,
    struct prof_error *err)
{
	const struct prof_span entries = elf_contents(b->file.elf, ".dynamic");
	const struct prof_span strings = span_of_strings(elf_contents(
	    b->file.elf, ".dynstr"));
	const size_t size = b->pointer_bits / 4;
	enum prof_status status = PROF_OK;

	for (int names = 0; names < 2; names++) {
		for (size_t at = 0; at + size <= entries.size &&
		    status == PROF_OK; at += size) {
			const struct dynamic d = library_entry(b,
			    entries.data + at);
			const bool needed = d.tag == DT_NEEDED;
			const char *text;

			if (d.value >= strings.size || (!needed &&
			    d.tag != DT_RPATH && d.tag != DT_RUNPATH))
				continue;
			text = (const char *)strings.data + d.value;
			if (needed == (names == 0))
				continue;
			status = needed ?
			    libraries_add_name(l, span_of_text(text), err) :
			    libraries_add_folders(l, text, b->path, err);
		}
	}
	return status;
}

/* The folder of the loader is, with no links, that of the C library. */
static enum prof_status
libraries_add_system(struct libraries *l, const struct binary *b,
    struct prof_error *err)
{
	const struct prof_span loader = span_of_strings(elf_contents(
	    b->file.elf, ".interp"));

	return loader.size == 0 ? PROF_OK : libraries_add_folder(l, "$ORIGIN",
	    strlen("$ORIGIN"), (const char *)loader.data, err);
}

/* Finds all libraries: those of programs, then those of each one found. */
static enum prof_status
libraries_seek(struct libraries *l, struct prof_error *err)
{
	static const char usual[] = "/lib64:/usr/lib64:/usr/local/lib:/usr/lib";
	const char *path = getenv("LD_LIBRARY_PATH");
	enum prof_status status = path == NULL ? PROF_OK :
	    libraries_add_folders(l, path, NULL, err);

	for (size_t i = 0; i < l->program_count && status == PROF_OK; i++)
		status = libraries_add_system(l, l->programs[i], err);
	if (status == PROF_OK)
		status = libraries_add_folders(l, usual, NULL, err);
	for (size_t i = 0; i < l->program_count && status == PROF_OK; i++)
		status = libraries_add_needed(l, l->programs[i], err);
	for (size_t i = 0; i < l->count && status == PROF_OK; i++)
		status = libraries_add_needed(l, l->files[i], err);
	return status;
}

enum prof_status
libraries_find(struct libraries *l, struct prof_span id, struct binary **out,
    struct prof_error *err)
{
	if (!l->sought && libraries_seek(l, err) != PROF_OK)
		return PROF_FAIL;
	l->sought = true;
	for (size_t i = 0; i < l->count; i++) {
		if (!prof_span_equal(l->files[i]->build_id, id))
			continue;
		*out = elf_file_open(l->files[i]->path, l->work, err);
		return *out == NULL ? PROF_FAIL : PROF_OK;
	}
	return PROF_END;
}

void
libraries_free(struct libraries *l)
{
	for (size_t i = 0; i < l->count; i++)
		binary_close(l->files[i]);
	free(l->files);
	intern_free(&l->folders);
	intern_free(&l->names);
}
