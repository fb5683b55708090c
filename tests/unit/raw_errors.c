/*
 * Damaged files of tests/data/bad and memprof-raw/bad: the code of the error of
 * each, which programs do not print, its offset and its reason.  The form of an
 * error file: tests/data/README.md.  And a pipe that breaks.
 */
#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "base/bytes.h"
#include "prof.h"
#include "tests/support/test.h"

static const char *const codes[] = {
	[PROF_E_NONE] = "none", [PROF_E_FORMAT] = "format",
	[PROF_E_VERSION] = "version", [PROF_E_TRUNCATED] = "truncated",
	[PROF_E_CORRUPT] = "corrupt", [PROF_E_MISMATCH] = "mismatch",
	[PROF_E_LIMIT] = "limit", [PROF_E_UNSUPPORTED] = "unsupported",
	[PROF_E_MEMORY] = "memory", [PROF_E_SYSTEM] = "system",
};

/*
 * Reads a file into memory of exactly its size, so that valgrind and the
 * sanitizers report a read behind the end.
 */
static bool
read_file(const char *folder, const char *name, const char *file,
    struct prof_span *out)
{
	char path[4096];
	struct buf b = { 0 };
	uint8_t *copy;
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);
	f = fopen(path, "rb");
	if (f == NULL)
		return false;
	while ((c = getc(f)) != EOF)
		buf_u8(&b, (uint8_t)c);
	fclose(f);
	copy = malloc(b.size);
	if (b.size != 0)
		memcpy(copy, b.data, b.size);
	*out = (struct prof_span){ copy, b.size };
	buf_free(&b);
	return true;
}

static void
release(struct prof_span s)
{
	free((void *)(uintptr_t)s.data);
}

/* Reads all records up to the first error, and returns that error. */
static struct prof_error
error_of(struct prof_span image)
{
	struct prof_error e = { 0 };
	struct prof_reader *r = prof_open(NULL, image, &e);
	struct prof_record record;

	while (r != NULL && prof_next(r, &record, &e) == PROF_OK)
		;
	prof_close(r);
	return e;
}

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
test_error(const char *name, struct prof_span image, struct prof_span expected)
{
	char line[512], code[64], offset[64], reason[256], at[32] = "-";
	struct prof_error e = error_of(image);

	snprintf(line, sizeof(line), "%.*s", (int)expected.size,
	    (const char *)expected.data);
	if (sscanf(line, "%63s %63s %255[^\n]", code, offset, reason) != 3)
		code[0] = offset[0] = reason[0] = '\0';
	if (e.where == PROF_AT_BYTE)
		snprintf(at, sizeof(at), "0x%llx",
		    (unsigned long long)e.offset);
	if (!check(matches(codes[e.code], true, code) &&
	    matches(at, true, offset) && matches(e.reason, false, reason),
	    "%s", name))
		printf("# %s %s %s\n", codes[e.code], at, e.reason);
}

static void
test_folder(const char *top, const char *name)
{
	char folder[2048];
	struct dirent *d;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/tests/data/%s",
	    top == NULL ? "." : top, name);
	dir = opendir(folder);
	if (dir == NULL)
		skip_all("no test data: set top_srcdir");
	while ((d = readdir(dir)) != NULL) {
		struct prof_span image, expected;

		if (!read_file(folder, d->d_name, "input", &image))
			continue;
		if (check(read_file(folder, d->d_name, "error", &expected),
		    "%s has an error file", d->d_name)) {
			test_error(d->d_name, image, expected);
			release(expected);
		}
		release(image);
	}
	closedir(dir);
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
test_broken_pipes(const char *top)
{
	char folder[2048];
	struct prof_span images;
	size_t told = 0;

	snprintf(folder, sizeof(folder), "%s/tests/data",
	    top == NULL ? "." : top);
	if (!check(read_file(folder, "good", "exe-so.profraw", &images),
	    "several images"))
		return;
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
	release(images);
}

int
main(void)
{
	const char *top = getenv("top_srcdir");

	test_broken_pipes(top);

	test_folder(top, "bad");
	check(test_count > 200, "there are samples");
	test_folder(top, "memprof-raw/bad");
	check(test_count > 300, "there are samples of heap profiles");
	return done_testing();
}
