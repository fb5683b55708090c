/*
 * write-raw FORMAT[:WORD,...] [-o FILE] [INPUT...]: writes profiles of any
 * format as raw or memprof-raw, for tests.  WORD is a version, le or be, 32 or
 * 64.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/support/raw_write.h"

static void
give_up(const char *what, const char *why)
{
	fprintf(stderr, "write-raw: %s: %s\n", what, why);
	exit(2);
}

static struct buf
read_all(const char *name)
{
	FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
	struct buf b = { 0 };
	size_t n = 1;

	while (file != NULL && n != 0) {
		uint8_t *p = buf_reserve(&b, 1 << 16);

		if (p == NULL)
			give_up(name, strerror(ENOMEM));
		n = fread(p, 1, 1 << 16, file);
		b.size += n;
	}
	if (file == NULL || ferror(file))
		give_up(name, strerror(errno));
	if (file != stdin)
		fclose(file);
	return b;
}

/* The words behind the colon. */
static struct raw_target
target_of(char *words, unsigned usual)
{
	struct raw_target t = { .version = usual, .bits = 64 };
	const char *word;

	while ((word = strsep(&words, ",")) != NULL) {
		unsigned n = (unsigned)strtoul(word, NULL, 10);

		if (n == 32 || n == 64)
			t.bits = n;
		else if (n != 0)
			t.version = n;
		else
			t.big = strcmp(word, "be") == 0;
	}
	return t;
}

static void
copy(const char *name, struct prof_writer *w)
{
	struct buf b = read_all(name);
	struct prof_error err = { 0 };
	struct prof_reader *r = prof_open(NULL, buf_span(&b), &err);
	enum prof_status status = PROF_OK;
	struct prof_record record;

	while (r != NULL && status == PROF_OK) {
		status = prof_next(r, &record, &err);
		if (status == PROF_OK)
			status = prof_put(w, &record, &err);
	}
	if (r == NULL || status != PROF_END)
		give_up(name, err.reason);
	prof_close(r);
	buf_free(&b);
}

int
main(int argc, char **argv)
{
	struct prof_error err = { 0 };
	char *words = argc < 2 ? NULL : argv[1];
	const char *format = strsep(&words, ":"), *out = NULL;
	FILE *file = stdout;
	struct raw_target t;
	struct prof_writer *w;
	struct buf b = { 0 };
	int at = 2;

	if (format == NULL)
		give_up("usage", "FORMAT[:WORD,...] [-o FILE] [INPUT...]");
	if (at + 1 < argc && strcmp(argv[at], "-o") == 0) {
		out = argv[at + 1];
		at += 2;
	}
	t = target_of(words, strcmp(format, "raw") == 0 ? RAW_USUAL :
	    RAW_HEAP_USUAL);
	w = (strcmp(format, "raw") == 0 ? raw_writer_new :
	    raw_heap_writer_new)(&t, buf_sink, &b, &err);
	if (w == NULL)
		give_up(format, err.reason);
	if (at == argc)
		copy("-", w);
	for (; at < argc; at++)
		copy(argv[at], w);
	if (prof_finish(w, &err) != PROF_OK)
		give_up(format, err.reason);
	prof_writer_free(w);
	/* The file appears only if all inputs were converted. */
	if (out != NULL && (file = fopen(out, "wb")) == NULL)
		give_up(out, strerror(errno));
	if (b.failed || fwrite(b.data, 1, b.size, file) != b.size ||
	    fclose(file) != 0)
		give_up(format, "cannot be written");
	buf_free(&b);
	return 0;
}
