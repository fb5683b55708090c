/*
 * Each byte of small images is changed, and each image is cut at each byte;
 * some are the binaries of correlated profiles.
 * What a reader makes of it - records, warnings, an error - stands in
 * tests/data/golden/sweep: a line for all bytes whose outcomes differ only by
 * numbers, with the first of them, how many they are, and a digest of the whole
 * outcomes.  `make update-golden` writes these files; SWEEP=1 prints all
 * outcomes.
 */
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "prof.h"
#include "sym/correlate.h"
#include "sym/work.h"
#include "tests/support/images.h"

enum { OUTCOME = 4096, SHAPE = 160 };

/* How a byte of an image is changed; CUT leaves out what begins there. */
enum sweep_change { CUT, FLIP, FULL, CHANGES };

static const char *const changes[] = { "cut", "flip", "full" };

struct sweep_sample {
	const char *name;	/* of the golden file */
	const char *file;	/* in tests/data */
	const char *format;	/* what the file is made into, or NULL */
	unsigned version;
	bool salvage;
	const char *binary;	/* changed in place of the file; or NULL */
};

/* What a reader makes of an image. */
struct sweep_outcome {
	uint32_t records;	/* digest of their stream */
	char text[OUTCOME];	/* warnings, and an error or "read" */
};

static const struct sweep_sample samples[] = {
	{ "raw-11", .file = "good/v11-32be.profraw" },
	{ "raw-9", .file = "good/v9-64le.profraw" },
	{ "raw-5", .file = "good/v5-32le.profraw" },
	{ "raw-1", .file = "good/v1-64be.profraw" },
	{ "raw-uniform", .file = "good/uniform.profraw" },
	{ "raw-images", .file = "good/temporal-images.profraw" },
	{ "raw-salvaged", "good/v10-64le.profraw", .salvage = true },
	{ "heap-5", .file = "memprof-raw/good/v5-le.memprofraw" },
	{ "heap-1", .file = "memprof-raw/good/v1-be.memprofraw" },
	{ "heap-salvaged", "memprof-raw/good/three.memprofraw",
	    .salvage = true },
	{ "indexed-13", "good/v10-64le.ndjson", .format = "indexed",
	    .version = 13 },
	{ "indexed-4", "good/v4-64le.ndjson", .format = "indexed",
	    .version = 4 },
	{ "indexed-1", "good/v1-64be.ndjson", .format = "indexed",
	    .version = 1 },
	{ "indexed-salvaged", "good/v10-64le.ndjson", .format = "indexed",
	    .version = 12, .salvage = true },
	{ "indexed-heap-4", .file = "memprof/v4.mixed.profdata" },
	{ "indexed-heap-2", .file = "memprof/v2.yaml.profdata" },
	{ "lprf-2", "good/v10-64le.ndjson", .format = "lprf", .version = 2 },
	{ "text", "good/v10-64le.ndjson", .format = "text" },
	{ "text-salvaged", "good/v10-64le.ndjson", .format = "text",
	    .salvage = true },
	{ "yaml", .file = "memprof/sample.yaml" },
	{ "binary", "good/correlated-binary.profraw",
	    .binary = "correlate/program" },
	{ "binary-11", "good/correlated-v11-32be.profraw",
	    .binary = "correlate/v11-32be" },
	{ "binary-9", "good/correlated-v9-32be.profraw",
	    .binary = "correlate/v9-32be" },
	{ "stream", .file = "good/v10-64le.ndjson" },
	{ "stream-heap", .file = "heap/app.ndjson" },
	{ "stream-salvaged", "good/v6-64le.ndjson", .salvage = true },
};

static void
sweep_say(char *to, const char *format, ...)
{
	size_t used = strlen(to);
	va_list ap;

	va_start(ap, format);
	vsnprintf(to + used, OUTCOME - used, format, ap);
	va_end(ap);
}

static void
sweep_say_error(char *to, const char *what, const struct prof_error *e)
{
	sweep_say(to, " %s %s", what, code_name(e->code));
	if (e->where != PROF_NOWHERE)
		sweep_say(to, "%s%llu", e->where == PROF_AT_BYTE ? " byte " :
		    " line ", ull(e->offset));
	sweep_say(to, ": %s;", e->reason);
}

static void
sweep_warn(void *arg, const struct prof_error *warning)
{
	sweep_say_error(arg, "warning", warning);
}

static enum prof_status
sweep_put(void *writer, const struct prof_record *record,
    struct prof_error *e)
{
	return prof_put(writer, record, e);
}

/*
 * Reads an image and writes what it holds, or with a correlate what that makes
 * of it; the error is in *e.
 */
static void
sweep_copy(struct prof_context *context, struct prof_span image,
    struct correlate *correlate, const struct prof_target *target,
    struct buf *out, struct prof_error *e)
{
	struct prof_writer *w = prof_writer_new(NULL, target, buf_sink, out, e);
	struct prof_reader *r = prof_open(context, image, e);
	struct prof_record record;
	enum prof_status status = PROF_FAIL;

	while (r != NULL &&
	    (status = prof_next(r, &record, e)) == PROF_OK) {
		if ((correlate == NULL ? prof_put(w, &record, e) :
		    correlate_put(correlate, &record, sweep_put, w, e)) !=
		    PROF_OK)
			break;
	}
	if (status == PROF_END)
		prof_finish(w, e);
	prof_close(r);
	prof_writer_free(w);
}

/* The same with a binary, which is opened from a file. */
static void
sweep_correlate(const struct sweep_sample *s, struct prof_span image,
    struct sweep_outcome *outcome, struct buf *records, struct prof_error *e)
{
	static const struct prof_target stream = { .format = "stream" };
	FILE *f = fopen("binary", "wb");
	struct correlate *correlate = NULL;
	struct buf profile = { 0 };
	struct work work = { .input = 0 };
	const struct binary_search search = { .work = &work };
	struct binary *b = NULL;

	read_sample(s->file, &profile);
	if (f != NULL) {
		fwrite(image.data, 1, image.size, f);
		fclose(f);
		b = binary_open("binary", &search, e);
	}
	if (b != NULL) {
		correlate = correlate_new(&b, 1, &search, sweep_warn,
		    outcome->text);
		sweep_copy(NULL, buf_span(&profile), correlate, &stream,
		    records, e);
	}
	correlate_free(correlate);
	binary_close(b);
	buf_free(&profile);
}

/* The image in memory of exactly its size: what is read behind it is found. */
static void
sweep_read(const struct sweep_sample *s, struct prof_span image,
    struct sweep_outcome *out)
{
	static const struct prof_target stream = { .format = "stream" };
	struct prof_context *context = prof_context_new(sweep_warn, out->text);
	struct prof_span copy = exact(image);
	struct prof_error e = { 0 };
	struct buf records = { 0 };

	out->text[0] = '\0';
	prof_context_salvage(context, s->salvage);
	prof_context_thorough(context, true);
	if (s->binary != NULL)
		sweep_correlate(s, image, out, &records, &e);
	else
		sweep_copy(context, copy, NULL, &stream, &records, &e);
	out->records = (uint32_t)md5_u64(records.data, records.size);
	if (e.code == PROF_E_NONE)
		sweep_say(out->text, " read");
	else
		sweep_say_error(out->text, "error", &e);
	buf_free(&records);
	prof_context_free(context);
	release(copy);
}

static struct prof_span
sweep_apply(struct buf *changed, struct prof_span image, size_t at,
    enum sweep_change change)
{
	changed->size = 0;
	buf_put(changed, image.data, image.size);
	if (change == CUT)
		return (struct prof_span){ changed->data, at };
	if (change == FLIP)
		changed->data[at] ^= 1;
	else
		changed->data[at] = 0xff;
	return (struct prof_span){ changed->data, image.size };
}

/* Bytes whose outcomes differ in numbers, quoted text and keys only. */
struct sweep_class {
	char shape[SHAPE];
	size_t count, first;
	struct buf exact;	/* all of it, of each byte */
};

struct sweep_classes {
	struct sweep_class *of;
	size_t size;
};

/* Length of what came from the image and not from the reader. */
static size_t
sweep_foreign(const char *text, const char *p)
{
	static const char *const before[] = { " '", " \"", "unknown key " };
	static const char *const end[] = { "'", "\"", " " };

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(before[i]);

		if ((size_t)(p - text) >= n &&
		    memcmp(p - n, before[i], n) == 0 &&
		    strpbrk(p, end[i]) != NULL)
			return strcspn(p, end[i]);
	}
	return 0;
}

static void
sweep_shape(const char *text, char shape[SHAPE])
{
	const char *p = text;
	size_t used = 0;

	while (*p != '\0' && used < SHAPE - 1) {
		size_t n = strncmp(p, "0x", 2) == 0 ? 2 : 0;

		n += strspn(p + n, n == 0 ? "0123456789" :
		    "0123456789abcdef");
		shape[used++] = n > 0 ? 'N' : *p >= ' ' && *p <= '~' ? *p : '?';
		p += n == 0 ? 1 : n;
		p += sweep_foreign(text, p);
	}
	shape[used] = '\0';
}

static struct sweep_class *
sweep_class_of(struct sweep_classes *c, const char *outcome, size_t at)
{
	char shape[SHAPE];
	size_t i = 0;

	sweep_shape(outcome, shape);
	while (i < c->size && strcmp(c->of[i].shape, shape) != 0)
		i++;
	if (i == c->size) {
		c->of = realloc(c->of, ++c->size * sizeof(*c->of));
		c->of[i] = (struct sweep_class){ .first = at };
		memcpy(c->of[i].shape, shape, SHAPE);
	}
	return &c->of[i];
}

static void
sweep_report(struct sweep_classes *c, enum sweep_change change,
    struct buf *report)
{
	for (size_t i = 0; i < c->size; i++) {
		struct sweep_class *class = &c->of[i];

		buf_print(report, "%s 0x%zx %zu %08x%s\n", changes[change],
		    class->first, class->count,
		    (uint32_t)md5_u64(class->exact.data, class->exact.size),
		    class->shape);
		buf_free(&class->exact);
	}
	free(c->of);
	*c = (struct sweep_classes){ 0 };
}

/* A line for each class; SWEEP=1 prints what is behind the digests. */
static void
sweep_image(const struct sweep_sample *s, struct prof_span image,
    struct buf *report)
{
	static struct sweep_outcome outcome;
	struct sweep_classes classes = { 0 };
	struct buf changed = { 0 };

	for (enum sweep_change change = 0; change < CHANGES; change++) {
		for (size_t i = 0; i < image.size; i++) {
			struct sweep_class *class;

			sweep_read(s, sweep_apply(&changed, image, i, change),
			    &outcome);
			class = sweep_class_of(&classes, outcome.text, i);
			class->count++;
			buf_print(&class->exact, "%zx %08x%s\n", i,
			    outcome.records, outcome.text);
			if (getenv("SWEEP") != NULL)
				printf("# %s %s 0x%zx %08x%s\n", s->name,
				    changes[change], i, outcome.records,
				    outcome.text);
		}
		sweep_report(&classes, change, report);
	}
	buf_free(&changed);
}

static void
sweep_print_difference(const char *got, const char *want)
{
	while (*got != '\0' && *got == *want) {
		got++;
		want++;
	}
	printf("# at '%.*s' instead of '%.*s'\n", (int)strcspn(got, "\n"), got,
	    (int)strcspn(want, "\n"), want);
}

static void
test_sample(const struct sweep_sample *s)
{
	char golden[256];
	struct buf image = { 0 }, report = { 0 }, want = { 0 };
	struct prof_error e = { 0 };

	read_sample(s->binary == NULL ? s->file : s->binary, &image);
	if (s->format != NULL) {
		struct buf made = { 0 };

		sweep_copy(NULL, buf_span(&image), NULL, &(struct prof_target){
		    .format = s->format, .version = s->version, .plain = true },
		    &made, &e);
		buf_free(&image);
		image = made;
	}
	check(image.size > 0 && e.code == PROF_E_NONE, "%s: %s", s->name,
	    e.reason);
	sweep_image(s, buf_span(&image), &report);
	buf_u8(&report, '\0');
	snprintf(golden, sizeof(golden), "golden/sweep/%s", s->name);
	if (getenv("UPDATE_GOLDEN") != NULL) {
		FILE *f;

		mkdir(sample_path("golden/sweep"), 0777);
		f = fopen(sample_path(golden), "w");
		if (f != NULL) {
			fwrite(report.data, 1, report.size - 1, f);
			fclose(f);
		}
	}
	read_sample(golden, &want);
	buf_u8(&want, '\0');
	if (strstr((const char *)report.data, "was built without ") != NULL)
		check(true, "%s # SKIP a library is not in this build",
		    s->name);
	else if (!check(want.size == report.size && memcmp(want.data,
	    report.data, want.size) == 0, "%s: as in %s", s->name, golden))
		sweep_print_difference((const char *)report.data,
		    (const char *)want.data);
	buf_free(&image);
	buf_free(&report);
	buf_free(&want);
}

int
main(void)
{
	char folder[] = "/tmp/test_sweep.XXXXXX", top[PATH_MAX];
	/* Files that stayed open would soon leave no descriptor. */
	const struct rlimit few = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &few);
	if (realpath(sample_path("../.."), top) == NULL ||
	    setenv("top_srcdir", top, 1) != 0 || mkdtemp(folder) == NULL ||
	    chdir(folder) != 0)
		skip_all("no folder for files");
	for (size_t i = 0; i < COUNT(samples); i++)
		test_sample(&samples[i]);
	unlink("binary");
	rmdir(folder);
	return done_testing();
}
