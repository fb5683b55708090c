/*
 * Damages files over and over, and checks the promises of fuzz.h: no bytes make
 * the library crash, take long, or use much more memory than their size.
 *
 *	mutations [-n COUNT] [-s SEED] [-i INDEX] [-o FOLDER] FILE|FOLDER...
 *
 * Files that are not profiles are left out.  The others are first checked
 * undamaged, as part of the COUNT.  A child process does the work: if it dies,
 * the damaged file is written to the folder of -o, and another child continues
 * with the next one.  -i repeats one mutation in this process, for a debugger.
 */
#include "config.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/budget.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

enum { OPEN_FOLDERS = 16, NAMES_MAX = 32, LOOK_UPS = 4 };

/* Memory that a profile may take: sixteen times its size, and 64 MiB. */
#define MEMORY_LIMIT(size) ((size_t)16 * (size) + ((size_t)64 << 20))

struct file {
	char *path;
	struct prof_span bytes;
	struct prof_span names[NAMES_MAX];
	size_t names_size;
};

static struct file *files;
static size_t files_size;
static uint64_t seed;

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "mutations: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *
need(void *memory)
{
	if (memory == NULL)
		fail("memory");
	return memory;
}

static struct prof_span
copy_of(struct prof_span s)
{
	uint8_t *p = need(malloc(s.size + 1));

	if (s.size != 0)
		memcpy(p, s.data, s.size);
	return (struct prof_span){ p, s.size };
}

/* Names to look up: those of the file before it is damaged. */
static void
note_names(struct file *f)
{
	struct prof_reader *r = prof_open(NULL, f->bytes, NULL);
	struct prof_record record;

	while (r != NULL && f->names_size < NAMES_MAX &&
	    prof_next(r, &record, NULL) == PROF_OK) {
		if (record.kind == PROF_REC_FUNCTION)
			f->names[f->names_size++] =
			    copy_of(record.u.function.symbol.name);
	}
	prof_close(r);
}

static struct prof_span
read_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = need(malloc(size + 1));

	if (f == NULL || fread(bytes, 1, size, f) != size)
		fail(path);
	fclose(f);
	return (struct prof_span){ bytes, size };
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	struct prof_span bytes;

	(void)where;
	if (type != FTW_F)
		return 0;
	bytes = read_file(path, (size_t)st->st_size);
	if (prof_sniff(bytes) == NULL) {
		free((void *)(uintptr_t)bytes.data);
		return 0;
	}
	files = need(realloc(files, (files_size + 1) * sizeof(*files)));
	files[files_size] = (struct file){ .bytes = bytes,
	    .path = need(strdup(path)) };
	note_names(&files[files_size++]);
	return 0;
}

/* Sorted by path: mutations must not depend on the order of a folder. */
static int
compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void
free_files(void)
{
	for (size_t i = 0; i < files_size; i++) {
		for (size_t k = 0; k < files[i].names_size; k++)
			free((void *)(uintptr_t)files[i].names[k].data);
		free((void *)(uintptr_t)files[i].bytes.data);
		free(files[i].path);
	}
	free(files);
}

/* Makes the mutation of a number; the first ones are the undamaged files. */
static const struct file *
make(uint64_t index, struct chance *c, struct buf *out)
{
	const struct file *f = &files[index % files_size];

	*c = (struct chance){ seed * 1000003 + index };
	if (index < files_size)
		buf_put(out, f->bytes.data, f->bytes.size);
	else
		mutate(c, f->bytes, files[chance(c, files_size)].bytes, out);
	if (out->failed)
		need(NULL);
	return f;
}

static void
look_up(const struct file *f, struct chance *c, struct prof_span image)
{
	struct prof_span name = { image.data, 0 };

	for (int i = 0; i < LOOK_UPS && f->names_size > 0; i++)
		fuzz_select(prof_open, image,
		    f->names[chance(c, f->names_size)]);
	name.data += chance(c, image.size);
	name.size = (size_t)chance(c, 32);
	if (name.size > image.size - (size_t)(name.data - image.data))
		name.size = 0;
	fuzz_select(prof_open, image, name);
}

/* The steps of programs, each within its budget, then the other promises. */
static void
hold(const struct file *f, struct chance *c, struct prof_span image)
{
	const size_t limit = MEMORY_LIMIT(image.size);
	struct prof_target indexed = { .format = "indexed" };
	const struct prof_target stream = { .format = "stream" };
	struct prof_versions versions = { 0 };

	prof_writable("indexed", &versions);
	indexed.version = versions.oldest + (unsigned)chance(c,
	    versions.newest + 1 - versions.oldest);
	budget_begin("decoding");
	fuzz_decode(prof_open, image, NULL);
	budget_end(limit);
	budget_begin("merging");
	fuzz_merge(prof_open, image, &stream, NULL);
	budget_end(limit);
	budget_begin("merging to an indexed file");
	fuzz_merge(prof_open, image, &indexed, NULL);
	budget_end(limit);
	budget_begin("looking up");
	look_up(f, c, image);
	budget_end(limit);
	fuzz_image(prof_open, image);
	if (prof_is_stream(image))
		LLVMFuzzerTestOneInput(image.data, image.size);
}

static void
run(uint64_t index)
{
	struct buf b = { 0 };
	struct chance c;
	const struct file *f = make(index, &c, &b);
	/* As large as the image, so that a read behind it is seen. */
	struct prof_span image = { need(malloc(b.size + (b.size == 0))),
	    b.size };

	if (b.size != 0)
		memcpy((void *)(uintptr_t)image.data, b.data, b.size);
	buf_free(&b);
	hold(f, &c, image);
	free((void *)(uintptr_t)image.data);
}

/* Runs mutations up to `end` in a child; true if it came there. */
static bool
run_in_child(volatile uint64_t *index, uint64_t end)
{
	pid_t child = fork();
	int status = 0;

	if (child < 0)
		fail("fork");
	if (child == 0) {
		for (; *index < end; ++*index)
			run(*index);
		exit(EXIT_SUCCESS);
	}
	if (waitpid(child, &status, 0) < 0)
		fail("waitpid");
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static void
keep(uint64_t index, const char *folder)
{
	struct buf b = { 0 };
	struct chance c;
	const struct file *f = make(index, &c, &b);
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/mutation-%llu-%llu", folder,
	    (unsigned long long)seed, (unsigned long long)index);
	printf("mutation %llu of seed %llu, from %s: kept in %s\n",
	    (unsigned long long)index, (unsigned long long)seed, f->path,
	    path);
	fflush(stdout);
	out = fopen(path, "wb");
	if (out == NULL || fwrite(b.data, 1, b.size, out) != b.size ||
	    fclose(out) != 0)
		fail(path);
	buf_free(&b);
}

/* Gives the number of mutations that broke something. */
static uint64_t
run_all(uint64_t count, const char *folder)
{
	volatile uint64_t *index = mmap(NULL, sizeof(*index),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t broken = 0;

	if (index == MAP_FAILED)
		fail("mmap");
	while (*index < count && !run_in_child(index, count)) {
		if (*index == count)
			return broken + 1;	/* of all: a leak */
		keep(*index, folder);
		broken++;
		++*index;
	}
	return broken;
}

static uint64_t
number(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	if (*text == '\0' || *end != '\0') {
		errno = EINVAL;
		fail(text);
	}
	return v;
}

int
main(int argc, char **argv)
{
	uint64_t count = 1000, one = UINT64_MAX, broken = 0;
	const char *folder = ".";
	int option;

	while ((option = getopt(argc, argv, "n:s:i:o:")) != -1) {
		switch (option) {
		case 'n':
			count = number(optarg);
			break;
		case 's':
			seed = number(optarg);
			break;
		case 'i':
			one = number(optarg);
			break;
		case 'o':
			folder = optarg;
			break;
		default:
			return 2;
		}
	}
	for (; optind < argc; optind++) {
		if (nftw(argv[optind], visit, OPEN_FOLDERS, 0) == -1)
			fail(argv[optind]);
	}
	if (files_size == 0)
		return 2;
	qsort(files, files_size, sizeof(*files), compare_files);
	if (one != UINT64_MAX)
		run(one);
	else
		broken = run_all(count, folder);
	printf("%llu mutations of %zu files, %llu broke something\n",
	    (unsigned long long)(one == UINT64_MAX ? count : 1), files_size,
	    (unsigned long long)broken);
	free_files();
	return broken == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
