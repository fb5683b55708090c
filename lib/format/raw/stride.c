#include "format/raw/stride.h"

#include <stdio.h>

#include "base/error.h"
#include "model/releases.h"

/*
 * Says which releases write records of that size: "as those of LLVM 3.9 to 17";
 * nothing if none does, and the first release alone if one version has it.
 */
static void
stride_describe(const struct raw_image *im, size_t size, char *text,
    size_t room)
{
	struct llvm_release_range first = { NULL, NULL }, last = first;

	for (unsigned v = raw_oldest; v <= raw_newest; v++) {
		struct llvm_release_range writers =
		    llvm_release_writers("raw", v);
		const struct raw_row *row = raw_row(v);
		struct raw_record_layout l;

		if (row == NULL || row->addressed_names)
			continue;
		raw_record_layout(row, im->pointer_bytes,
		    writers.last->value_kinds, &l);
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
contradiction(const struct raw_image *im, size_t at, size_t next,
    struct prof_error *err)
{
	char whose[64];

	stride_describe(im, next - at, whose, sizeof(whose));
	return err_at(err, PROF_E_CORRUPT, at, "this record and the next are "
	    "%zu bytes apart%s, not %u as in version %u: objects of two LLVMs "
	    "were linked into one binary", next - at, whose, im->layout.size,
	    im->row->version);
}

enum prof_status
raw_stride_check(const struct raw_image *im, const struct symtab *names,
    struct prof_error *err)
{
	size_t start = im->at[RAW_S_DATA], before = start;
	size_t size = im->size[RAW_S_DATA];

	if (im->row->addressed_names || im->layout.size == 0)
		return PROF_OK;
	/* Records are aligned to 8 bytes on every machine. */
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t ref = load_u64(im->file.data + start + i, im->big);

		if (symtab_find(names, ref, NULL) == SYMTAB_NONE)
			continue;
		if ((start + i - before) % im->layout.size != 0)
			return contradiction(im, before, start + i, err);
		before = start + i;
	}
	return PROF_OK;
}
