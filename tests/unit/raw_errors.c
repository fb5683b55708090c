/*
 * Damaged files of tests/data/bad and memprof-raw/bad: the code of the error of
 * each, which programs do not print, its offset and its reason.  The form of an
 * error file: tests/data/README.md.  And a pipe that breaks.
 */
#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "tests/support/images.h"

static bool
matches(const char *text, bool whole, const char *expression)
{
	char anchored[512];
	regex_t regex;
	bool found;

	snprintf(anchored, sizeof(anchored), "^(%s)$", expression);
	if (regcomp(&regex, whole ? anchored : expression,
	    REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	found = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static void
test_error(const char *name, const struct buf *image, const char *expected)
{
	char code[64] = "", offset[64] = "", reason[256] = "", at[32] = "-";
	struct prof_span bytes = exact(buf_span(image));
	struct prof_error e = { 0 };

	read_image(NULL, bytes, &e);
	if (sscanf(expected, "%63s %63s %255[^\n]", code, offset, reason) != 3)
		code[0] = '\0';
	if (e.where == PROF_AT_BYTE)
		snprintf(at, sizeof(at), "0x%llx", ull(e.offset));
	if (!check(matches(code_name(e.code), true, code) &&
	    matches(at, true, offset) && matches(e.reason, false, reason),
	    "%s", name))
		printf("# %s %s %s\n", code_name(e.code), at, e.reason);
	release(bytes);
}

static void
test_folder(const char *folder, unsigned samples)
{
	DIR *dir = opendir(sample_path(folder));
	unsigned tested = 0;
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		struct buf image = { 0 }, expected = { 0 };
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s/input", folder, d->d_name);
		if (d->d_name[0] == '.' || !read_sample(path, &image))
			continue;
		snprintf(path, sizeof(path), "%s/%s/error", folder, d->d_name);
		read_sample(path, &expected);
		buf_u8(&expected, '\0');
		test_error(d->d_name, &image, (const char *)expected.data);
		tested++;
		buf_free(&image);
		buf_free(&expected);
	}
	if (dir != NULL)
		closedir(dir);
	check(tested > samples, "%s: %u samples", folder, tested);
}

/* A pull that gives the bytes and then fails. */
static ssize_t
pull_broken(void *arg, void *data, size_t size)
{
	struct prof_span *left = arg;
	size_t n = left->size < size ? left->size : size;

	if (n == 0) {
		errno = EIO;
		return -1;
	}
	memcpy(data, left->data, n);
	left->data += n;
	left->size -= n;
	return (ssize_t)n;
}

/* Wherever a pipe breaks, also between two images, that is an error. */
static void
test_broken_pipes(void)
{
	struct buf images = { 0 };
	size_t told = 0;

	check(read_sample("good/exe-so.profraw", &images), "several images");
	for (size_t size = 0; size <= images.size; size++) {
		struct prof_span left = { images.data, size };
		struct prof_error e = { 0 };
		struct prof_reader *r = prof_open_images(NULL, pull_broken,
		    &left, UINT64_MAX, &e);
		enum prof_status status = PROF_FAIL;
		struct prof_record record;

		while (r != NULL && (status = prof_next(r, &record, &e)) ==
		    PROF_OK)
			;
		told += status == PROF_FAIL && e.code == PROF_E_SYSTEM;
		prof_close(r);
	}
	check(told == images.size + 1, "%zu of %zu broken pipes are told",
	    told, images.size + 1);
	buf_free(&images);
}

int
main(void)
{
	test_broken_pipes();
	test_folder("bad", 100);
	test_folder("memprof-raw/bad", 50);
	return done_testing();
}
