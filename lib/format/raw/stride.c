#include "format/raw/stride.h"

#include <stdio.h>

#include "base/error.h"
#include "format/raw/record.h"
#include "model/releases.h"

/*
 * The releases that write records of a size: ", as those of LLVM 3.9 to 17";
 * nothing if none does, and the first release alone if one version has it.
 */
static void
raw_stride_releases(const struct raw_image *im, size_t size, char *text,
    size_t room)
{
	struct llvm_release_range first = { NULL, NULL }, last = first;

	for (size_t i = 0; i < raw_row_count; i++) {
		const struct raw_row *row = &raw_rows[i];
		struct llvm_release_range writers =
		    llvm_release_writers("raw", row->version);
		struct raw_record_layout l;

		if (row->addressed_names || writers.first == NULL)
			continue;
		raw_record_layout(row, im->pointer_bytes, row->value_kinds, &l);
		if (l.size != size)
			continue;
		last = writers;
		if (first.first == NULL)
			first = writers;
	}
	if (first.first == NULL)
		*text = '\0';
	else
		snprintf(text, room, ", as those of LLVM %s%s%s",
		    first.first->name, first.first == last.first ? "" : " to ",
		    first.first == last.first ? "" : last.last->name);
}

static enum prof_status
raw_stride_fail(const struct raw_image *im, size_t at, size_t next,
    struct prof_error *err)
{
	char whose[64];

	raw_stride_releases(im, next - at, whose, sizeof(whose));
	return err_at(err, PROF_E_CORRUPT, at, "this record and the next are "
	    "%zu bytes apart%s, not %u as in version %u: objects of two LLVMs "
	    "were linked into one binary", next - at, whose, im->layout.size,
	    im->row->version);
}

/*
 * A record begins with its NameRef: the guid of a function at an offset that is
 * no multiple of the record's size belongs to a record of another size.  But
 * the FuncHash of a sound record may be any number, also a guid.
 */
enum prof_status
raw_stride_check(const struct raw_image *im, const struct symtab *names,
    bool sound, struct prof_error *err)
{
	size_t start = im->at[RAW_S_DATA], before = start;
	size_t size = im->size[RAW_S_DATA], hash;

	if (im->row->addressed_names || im->layout.size == 0)
		return PROF_OK;
	hash = (size_t)raw_member_at(im, 0, RAW_FUNC_HASH) - start;
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t ref = load_u64(im->file.data + start + i, im->big);

		if ((sound && i % im->layout.size == hash) ||
		    symtab_find(names, ref, NULL) == SYMTAB_NONE)
			continue;
		if ((start + i - before) % im->layout.size != 0)
			return raw_stride_fail(im, before, start + i, err);
		before = start + i;
	}
	return PROF_OK;
}
