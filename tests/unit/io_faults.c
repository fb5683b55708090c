/*
 * Files whose system calls fail, or transfer a few bytes at a time, and inputs
 * for which memory runs out: what is read is the same or refused, what is
 * written is old or new, and no file and no descriptor is left behind.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "io/archive_rewrite.h"
#include "io/archive_write.h"
#include "io/output.h"
#include "io/rewrite.h"
#include "io/scratch.h"
#include "io/temporary.h"
#include "tests/support/failing.h"
#include "tests/support/packed.h"

enum { SMALL = 3000, MOST = 1 << 21 };

/* What a job saw or made, in memory that no failing call asks for. */
struct seen {
	uint8_t bytes[MOST];
	size_t size;
};

static struct seen want, got;

static int
see(void *arg, const void *data, size_t size)
{
	struct seen *s = arg;

	must(size <= sizeof(s->bytes) - s->size, "a job saw too much");
	memcpy(s->bytes + s->size, data, size);
	s->size += size;
	return 0;
}

/* A prof_sink that may fail. */
static int
see_packed(void *arg, const void *data, size_t size)
{
	return failing_now(FAILING_SYSTEM) ? errno : see(arg, data, size);
}

/*
 * A job reads or writes `path` and gives PROF_OK or PROF_FAIL with an error.
 * What it saw is compared if it succeeds.
 */
typedef enum prof_status job_fn(const char *path, struct seen *,
    struct prof_error *);

static enum prof_status
read_members(const char *path, enum way way, struct seen *s,
    struct prof_error *err)
{
	struct input *in = input_open(path, 0, NULL, err);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct input_member m;
	struct prof_span image;

	if (in != NULL && way == BY_IMAGE)
		input_in_place(in);
	while (status == PROF_OK &&
	    (status = input_next(in, &m, err)) == PROF_OK) {
		static uint8_t piece[SMALL];
		ssize_t n = 0;

		if (m.name != NULL)
			see(s, m.name, strlen(m.name));
		if (way == BY_IMAGE) {
			status = input_image(in, &image, err);
			if (status == PROF_OK && image.size != 0)
				see(s, image.data, image.size);
			continue;
		}
		while ((n = input_pull(in, piece, sizeof(piece))) > 0)
			see(s, piece, (size_t)n);
		if (n < 0) {
			*err = *input_failure(in);
			status = PROF_FAIL;
		}
	}
	input_close(in);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
read_images(const char *path, struct seen *s, struct prof_error *err)
{
	return read_members(path, BY_IMAGE, s, err);
}

static enum prof_status
read_pieces(const char *path, struct seen *s, struct prof_error *err)
{
	return read_members(path, BY_PULL, s, err);
}

static enum prof_status
write_output(const char *path, struct seen *s, struct prof_error *err)
{
	struct output *o = output_open(path, true, err);

	(void)s;
	if (o == NULL)
		return PROF_FAIL;
	for (size_t at = 0; at < BIG; at += BIG / 3)
		output_write(o, big + at, BIG / 3);
	return output_commit(o, err);
}

static enum prof_status
write_exclusive(const char *path, struct seen *s, struct prof_error *err)
{
	struct output *o;

	(void)s;
	unlink(path);
	o = output_open(path, true, err);
	if (o == NULL)
		return PROF_FAIL;
	output_write(o, big, SMALL);
	if (output_finish(o, err) != PROF_OK) {
		output_discard(o);
		return PROF_FAIL;
	}
	return output_commit_exclusive(o, err);
}

/* In place of a file, with its attributes, and with a backup. */
static enum prof_status
rewrite_backup(const char *path, struct seen *s, struct prof_error *err)
{
	const struct rewrite_options options = { .backup = "~",
	    .times = true };
	struct buf memory = { 0 };
	struct output *o = NULL;
	enum prof_status status;
	struct rewrite w;

	(void)s;
	if (rewrite_open(&w, path, err) != PROF_OK)
		return PROF_FAIL;
	status = rewrite_read(&w, &memory, err);
	if (status == PROF_OK && (o = rewrite_output(&w, err)) == NULL)
		status = PROF_FAIL;
	if (status == PROF_OK) {
		output_write(o, w.image.data, w.image.size);
		output_write(o, "new", 3);
		status = rewrite_commit(&w, o, &options, err);
	}
	rewrite_close(&w);
	buf_free(&memory);
	return status;
}

/* An archive, then bytes without names. */
static enum prof_status
write_packed(enum packing packing, struct seen *s, struct prof_error *err)
{
	struct archive_writer *w = archive_writer_new(packing, see_packed, s,
	    err);
	struct archive_writer *c = NULL;
	enum prof_status status = w == NULL ? PROF_FAIL : archive_writer_put(w,
	    members[1].name, (struct prof_span){ members[1].data,
	    members[1].size });

	if (status == PROF_OK)
		status = archive_writer_finish(w);
	archive_writer_free(w);
	if (status != PROF_OK || packing == PACKING_NONE)
		return status;
	c = compressor_new(packing, see_packed, s, err);
	if (c == NULL)
		return PROF_FAIL;
	if (compressor_put(c, big, 10 * SMALL) != 0) {
		*err = (struct prof_error){ .code = PROF_E_SYSTEM,
		    .reason = "compressor_put, which gives an errno value" };
		status = PROF_FAIL;
	} else
		status = archive_writer_finish(c);
	archive_writer_free(c);
	return status;
}

static enum prof_status
write_gzip(const char *path, struct seen *s, struct prof_error *err)
{
	(void)path;
	return write_packed(PACKING_NONE, s, err) == PROF_OK ?
	    write_packed(PACKING_GZIP, s, err) : PROF_FAIL;
}

/* These clear tables of megabytes before their first byte. */
static enum prof_status
write_zstd_xz(const char *path, struct seen *s, struct prof_error *err)
{
	(void)path;
	if (write_packed(PACKING_ZSTD, s, err) != PROF_OK)
		return PROF_FAIL;
	return write_packed(PACKING_XZ, s, err);
}

/* A descriptor as the source of an archive. */
static ssize_t
pull_file(void *arg, void *data, size_t size)
{
	return read(*(int *)arg, data, size);
}

static enum prof_status
rewrite_tar(const char *path, struct seen *s, struct prof_error *err)
{
	int fd = open(path, O_RDONLY);
	const struct archive_rewrite_target target = { see_packed, s,
	    PACKING_GZIP, 1 << 20 };
	struct archive_rewrite *t = archive_rewrite_new(pull_file, &fd,
	    &target, err);
	enum prof_status status = t == NULL ? PROF_FAIL : PROF_OK;
	struct archive_rewrite_member m;
	struct prof_span start;

	while (status == PROF_OK &&
	    (status = archive_rewrite_next(t, &m)) == PROF_OK) {
		if (!m.plain)
			continue;
		status = archive_rewrite_contents(t, 8, &start);
		if (status == PROF_OK && start.size == 8)
			status = archive_rewrite_replace(t,
			    span_of_text("new"));
	}
	archive_rewrite_free(t);
	if (fd >= 0)
		close(fd);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Bytes in a file without a name, which has none behind its end. */
static enum prof_status
use_scratch(const char *path, struct seen *s, struct prof_error *err)
{
	struct scratch_files set = { .one = NULL };
	void *file = scratch_create(&set, err);
	uint8_t back[10];
	int error;

	(void)path;
	if (file == NULL)
		return PROF_FAIL;
	error = scratch_append(file, big, SMALL);
	if (error == 0)
		error = scratch_read_at(file, SMALL - 9, back, 9);
	if (error == 0)
		see(s, back, 9);
	if (error == 0 && scratch_read_at(file, SMALL - 9, back, 10) == 0)
		error = EINVAL;
	scratch_close(file);
	if (error != 0)
		*err = (struct prof_error){ .code = PROF_E_SYSTEM,
		    .reason = "functions that give an errno value" };
	return error == 0 ? PROF_OK : PROF_FAIL;
}

/* Descriptors that are open. */
static unsigned
open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 100; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

enum {
	WRITES = 1,		/* the file is `old` before each run; fails
				   with all errors, not the first two only */
	SLOW = 2,		/* ... with the first one only */
};

static const struct test {
	const char *name;
	job_fn *job;
	const char *path;
	unsigned how;		/* of the above */
} tests[] = {
	{ "a plain file", read_images, "plain", 0 },
	{ "a plain file in pieces", read_pieces, "plain", 0 },
	{ "gzip", read_images, "gzip", 0 },
	{ "zstd", read_pieces, "zstd", 0 },
	{ "xz", read_images, "xz", 0 },
	{ "tar", read_images, "tar", 0 },
	{ "tar in pieces", read_pieces, "tar", 0 },
	{ "zip", read_images, "zip", 0 },
	{ "a new file", write_output, "out", WRITES },
	{ "a file that must be new", write_exclusive, "out", WRITES },
	{ "a file in place, with a backup", rewrite_backup, "out", WRITES },
	{ "packed bytes", write_gzip, "out", 0 },
	{ "bytes as zstd and xz", write_zstd_xz, "out", SLOW },
	{ "a tar archive, written again", rewrite_tar, "tar", 0 },
	{ "a file without a name", use_scratch, "out", 0 },
};

static const char *const inputs[] = {
	"plain", "gzip", "zstd", "xz", "tar", "zip",
};

static const char old[] = "the old contents";

/* Puts the old file in place. */
static void
prepare(const struct test *t)
{
	unlink("out~");
	unlink("out");
	if ((t->how & WRITES) != 0)
		put_file("out", old, sizeof(old));
}

/* What the new file has to be; taken from the run without a fault. */
static uint8_t *new_file;
static size_t new_size;

/*
 * Status and files of a run fit together.  The new file may be in place after a
 * failure (its folder could not be synced), and the old one may be gone only if
 * the job removed it.
 */
static bool
files_fit(const struct test *t, enum prof_status status)
{
	if ((t->how & WRITES) == 0)
		return true;
	if (access("out~", F_OK) == 0 && !file_is("out~", old, sizeof(old)))
		return false;
	if (access("out", F_OK) != 0)
		return status == PROF_FAIL && t->job == write_exclusive;
	return file_is("out", new_file, new_size) || (status == PROF_FAIL &&
	    file_is("out", old, sizeof(old)));
}

static unsigned
count_left(void)
{
	DIR *d = opendir(".");
	struct dirent *e;
	unsigned n = 0;

	must(d != NULL, ".");
	while ((e = readdir(d)) != NULL) {
		bool known = e->d_name[0] == '.' && (e->d_name[1] == '\0' ||
		    strcmp(e->d_name, "..") == 0);

		for (size_t i = 0; i < COUNT(inputs); i++)
			known = known || strcmp(e->d_name, inputs[i]) == 0;
		n += !known && strcmp(e->d_name, "out") != 0 &&
		    strcmp(e->d_name, "out~") != 0;
	}
	closedir(d);
	return n;
}

/*
 * A named file whose fstat failed may be another program's by then, so that it
 * stays; the next output of that name removes it.
 */
static unsigned
files_left(void)
{
	struct prof_error err = { 0 };

	if (count_left() != 0)
		output_discard(output_open("out", true, &err));
	return count_left();
}

/* A run with a fault: whether it is right.  *calls is the number counted. */
static bool
run_faulty(const struct test *t, const struct failing *how,
    unsigned long *calls)
{
	struct prof_error err = { 0 };
	unsigned descriptors = open_files();
	enum prof_status status;
	bool right;

	prepare(t);
	got.size = 0;
	failing_begin(how);
	status = t->job(t->path, &got, &err);
	*calls = failing_end();
	right = status == PROF_FAIL ? err.code != PROF_E_NONE &&
	    err.reason[0] != '\0' : got.size == want.size &&
	    memcmp(got.bytes, want.bytes, got.size) == 0;
	right = right && files_fit(t, status) && files_left() == 0 &&
	    open_files() == descriptors;
	if (!right)
		printf("# %s: call %lu%s, %s: status %d, %s, %u files left, "
		    "%u descriptors\n", t->name, how->number,
		    how->from_there ? " and all behind it" : "",
		    strerror(how->error), status, err.reason, files_left(),
		    open_files() - descriptors);
	return right;
}

/* The run that the others are compared with. */
static void
run_whole(const struct test *t)
{
	struct prof_error err = { 0 };

	prepare(t);
	want.size = 0;
	must(t->job(t->path, &want, &err) == PROF_OK, err.reason);
	free(new_file);
	new_file = NULL;
	if ((t->how & WRITES) != 0)
		new_file = get_file("out", &new_size);
}

static void
sweep_calls(const struct test *t, enum failing_kind kind, int error)
{
	struct failing how = { .kind = kind, .error = error };
	unsigned long calls, ignored;
	bool right = run_faulty(t, &how, &calls) &&
	    (calls > 0 || kind == FAILING_SYSTEM);

	for (how.number = 1; right && how.number <= calls; how.number++) {
		how.from_there = false;
		right = run_faulty(t, &how, &ignored);
		/* Calls that are interrupted for ever are made for ever. */
		how.from_there = error != EINTR;
		right = right && run_faulty(t, &how, &ignored);
	}
	check(right, "%s: %lu calls, %s", t->name, calls,
	    strerror(error));
}

static void
test_all(const char *names)
{
	static const int errors[] = {
		EIO, EINTR, EPERM, EINVAL, ENOSYS, EEXIST, EXDEV, EOPNOTSUPP,
	};
	const struct failing partial = { .kind = FAILING_SYSTEM,
	    .partial = true };
	unsigned long calls;

	for (size_t i = 0; i < COUNT(tests); i++) {
		size_t count = tests[i].how == WRITES ? COUNT(errors) :
		    tests[i].how == SLOW ? 1 : 2;

		run_whole(&tests[i]);
		sweep_calls(&tests[i], FAILING_MEMORY, ENOMEM);
		for (size_t k = 0; k < count; k++)
			sweep_calls(&tests[i], FAILING_SYSTEM, errors[k]);
		check(run_faulty(&tests[i], &partial, &calls),
		    "%s: %s, a few bytes at a time", tests[i].name, names);
	}
}

int
main(void)
{
	enter_folder();
	failing_wrap_libraries();
	put_file("plain", big, BIG);
	compress_file("gzip", archive_write_add_filter_gzip, big, BIG);
	compress_file("zstd", archive_write_add_filter_zstd, big, BIG);
	compress_file("xz", archive_write_add_filter_xz, big, BIG);
	make_archive("tar", archive_write_set_format_pax, NULL, NULL, members,
	    COUNT(members));
	make_archive("zip", archive_write_set_format_zip, NULL, NULL, members,
	    COUNT(members));
	test_all("files without names");
	temporary_use_names(true);
	test_all("files with names");
	leave_folder();
	return done_testing();
}
