/*
 * Reads bytes as a file that may be compressed or an archive, in both ways of
 * the reader, which have to agree; and copies them as a tar archive.
 */
#include <errno.h>
#include <stdlib.h>

#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "io/archive_rewrite.h"
#include "io/input.h"

/* What a member may have unpacked, and how many are read of an archive. */
enum { MEMBER_MAX = 1 << 20, MEMBERS_MAX = 64 };

/* Reads a member piece by piece; false on failure. */
static bool
pull_member(struct input *in, struct buf *out)
{
	uint8_t piece[300];
	ssize_t n;

	while ((n = input_pull(in, piece, sizeof(piece))) > 0)
		buf_put(out, piece, (size_t)n);
	demand(!out->failed, "memory is enough");
	demand(n == 0 || input_failure(in)->reason[0] != '\0' || errno != 0,
	    "a failure of reading says why");
	return n == 0;
}

static void
compare_contents(struct input *whole, struct input *pieces)
{
	struct prof_error err = { 0 };
	struct prof_span image;
	struct buf b = { 0 };
	bool pulled = pull_member(pieces, &b);

	if (input_image(whole, &image, &err) == PROF_OK) {
		demand(image.size <= MEMBER_MAX, "--max-size is kept");
		demand(pulled && prof_span_equal(image, span_of(&b)),
		    "a member has the same bytes in pieces");
	} else {
		demand(err.reason[0] != '\0', "a failure has a reason");
		demand(!pulled || b.size > MEMBER_MAX ||
		    err.code == PROF_E_LIMIT, "what fails as a whole fails in "
		    "pieces");
	}
	buf_free(&b);
}

static void
read_members(const char *path)
{
	struct prof_error e = { 0 }, f = { 0 };
	struct input *whole = input_open(path, MEMBER_MAX, NULL, &e);
	struct input *pieces = input_open(path, MEMBER_MAX, NULL, &f);
	struct input_member m, n;
	enum prof_status s;

	demand(whole != NULL && pieces != NULL, "memory is enough");
	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		s = input_next(whole, &m, &e);
		demand(s == input_next(pieces, &n, &f), "members are the same");
		if (s == PROF_END)
			break;
		demand((m.name == NULL) == (n.name == NULL) &&
		    (m.name == NULL || strcmp(m.name, n.name) == 0),
		    "names are the same");
		if (s == PROF_OK)
			compare_contents(whole, pieces);
	}
	input_close(whole);
	input_close(pieces);
}

/* A prof_pull that gives small pieces. */
static ssize_t
pull_bytes(void *arg, void *data, size_t size)
{
	struct prof_span *left = arg;
	size_t n = left->size < 700 ? left->size : 700;

	if (n > size)
		n = size;
	if (n != 0)
		memcpy(data, left->data, n);
	left->data += n;
	left->size -= n;
	return (ssize_t)n;
}

/* Copies an archive; the contents of its second plain member are replaced. */
static enum prof_status
copy_tar(struct prof_span bytes, bool replace, struct buf *out)
{
	const struct prof_span other = { (const uint8_t *)"other", 5 };
	const struct archive_rewrite_target target = { collect, out,
	    PACKING_NONE, MEMBER_MAX };
	struct prof_error err = { 0 };
	struct archive_rewrite *t = archive_rewrite_new(pull_bytes, &bytes,
	    &target, &err);
	struct archive_rewrite_member m;
	struct prof_span start;
	enum prof_status status;
	size_t plain = 0;

	demand(t != NULL, "memory is enough");
	while ((status = archive_rewrite_next(t, &m)) == PROF_OK) {
		if (!m.plain)
			continue;
		plain++;
		if (archive_rewrite_contents(t, 8, &start) == PROF_OK &&
		    replace && plain == 2)
			archive_rewrite_replace(t, other);
	}
	demand(status == PROF_END || err.reason[0] != '\0',
	    "a failure has a reason");
	archive_rewrite_free(t);
	return status;
}

static void
rewrite_tar(struct prof_span bytes)
{
	struct buf same = { 0 }, changed = { 0 }, again = { 0 };

	if (copy_tar(bytes, false, &same) == PROF_END) {
		demand(copy_tar(span_of(&same), false, &again) == PROF_END,
		    "an archive that was written again is one");
		again.size = 0;
	}
	if (copy_tar(bytes, true, &changed) == PROF_END)
		demand(copy_tar(span_of(&changed), false, &again) == PROF_END,
		    "an archive with other contents is one");
	buf_free(&same);
	buf_free(&changed);
	buf_free(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_span bytes = { data, size };

	read_members(file_of(bytes));
	rewrite_tar(bytes);
	return 0;
}
