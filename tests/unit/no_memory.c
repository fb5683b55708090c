/*
 * Memory runs out: any one allocation of a conversion or merge fails, or all
 * from there on.  The output and the warnings are the same then, or the error
 * says that there is not enough memory.  Likewise with writes to the output and
 * uses of temporary files.
 */
#include <errno.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "merge/merge.h"
#include "merge/worker.h"
#include "ops/scan.h"
#include "prof.h"
#include "tests/support/failing.h"
#include "tests/support/images.h"

enum {
	MOST = 1 << 20,			/* bytes of an input or output */
	FILES = 64,			/* of a spilled merge */
	FILE_MOST = 1 << 16,
	RUNS = 150			/* of a job, about */
};

/* Memory of its own, so that the test itself asks for none. */
struct bytes {
	uint8_t *data;
	size_t size, most;
};

static int
bytes_put(void *arg, const void *data, size_t size)
{
	struct bytes *b = arg;

	if (size > b->most - b->size) {
		printf("Bail out! output too large\n");
		exit(EXIT_FAILURE);
	}
	if (size != 0)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

/* The sink of writers, which may fail. */
static int
output_put(void *arg, const void *data, size_t size)
{
	return failing_now(FAILING_SYSTEM) ? errno :
	    bytes_put(arg, data, size);
}

static void
bytes_warn(void *arg, const struct prof_error *warning)
{
	bytes_put(arg, warning->reason, strlen(warning->reason));
}

/* How a job reads its inputs, or writes them. */
enum {
	BLOCKS = 1 << 0,	/* functions in blocks */
	SALVAGE = 1 << 1,
	THOROUGH = 1 << 2,
	SELECT = 1 << 3,	/* only functions of some names */
	MERGED = 1 << 4,	/* a merge, in place of a copy of one input */
	SPILLED = 1 << 5,	/* ... of which most goes to files */
	WORKER = 1 << 6,	/* ... through a worker */
	AS_READ = 1 << 7,	/* ... in the order of the inputs */
	LESS = 1 << 8,		/* ... less the last input */
	SCANNED = 1 << 9	/* the inputs are searched for profiles */
};

struct job {
	const char *name;
	struct prof_span images[3];	/* as many as have data */
	unsigned how;
	struct prof_target target;
};

/* Files of a spilled merge. */
static struct bytes_file {
	uint8_t data[FILE_MOST];
	size_t size, pos;
} files[FILES];
static size_t files_made;

/* The first error stays. */
static enum prof_status
fail(struct prof_error *err, enum prof_code code)
{
	if (err->code == PROF_E_NONE)
		*err = (struct prof_error){ .code = code, .reason = "failed" };
	return PROF_FAIL;
}

static void *
file_create(void *arg, struct prof_error *err)
{
	struct bytes_file *f = &files[files_made++ % FILES];

	(void)arg;
	if (failing_now(FAILING_SYSTEM)) {
		fail(err, PROF_E_SYSTEM);
		return NULL;
	}
	f->size = f->pos = 0;
	return f;
}

static int
file_write(void *arg, const void *data, size_t size)
{
	struct bytes_file *f = arg;
	struct bytes b = { f->data, f->size, sizeof(f->data) };

	if (failing_now(FAILING_SYSTEM))
		return errno;
	bytes_put(&b, data, size);
	f->size = b.size;
	return 0;
}

static enum prof_status
file_rewind(void *arg, struct prof_error *err)
{
	((struct bytes_file *)arg)->pos = 0;
	return failing_now(FAILING_SYSTEM) ?
	    fail(err, PROF_E_SYSTEM) : PROF_OK;
}

static ssize_t
file_pull(void *arg, void *data, size_t size)
{
	struct bytes_file *f = arg;

	if (failing_now(FAILING_SYSTEM))
		return -1;
	if (size > f->size - f->pos)
		size = f->size - f->pos;
	memcpy(data, f->data + f->pos, size);
	f->pos += size;
	return (ssize_t)size;
}

static void
file_close(void *arg)
{
	(void)arg;
}

static const struct merge_files spill_files = {
	.create = file_create, .write = file_write, .rewind = file_rewind,
	.pull = file_pull, .close = file_close,
};

/* What a run of a job uses; any of it may be NULL. */
struct run {
	const struct job *job;
	struct prof_context *context;
	struct prof_writer *writer;
	struct merge *merge, *less;
	struct merge_worker *worker;
};

static enum prof_status
put_block(struct run *r, const struct prof_block *b, struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < b->size; i++) {
		struct prof_record record = { .kind = PROF_REC_FUNCTION,
		    .u.function = f[i] };

		status = prof_put(r->writer, &record, err);
	}
	return status;
}

static enum prof_status
put_record(struct run *r, const struct prof_record *record, bool last,
    struct prof_error *err)
{
	static const struct merge_factor half = { 3, 2 };

	if (r->job->how & LESS && last)
		return merge_add(r->less, record, NULL, err);
	if (r->worker != NULL)
		return merge_worker_add(r->worker, record, &half, err);
	if (r->job->how & MERGED)
		return merge_add(r->merge, record, last ? &half : NULL, err);
	return record->kind == PROF_REC_BLOCK ?
	    put_block(r, &record->u.block, err) :
	    prof_put(r->writer, record, err);
}

static enum prof_status
put_image(struct run *r, struct prof_span image, bool last,
    struct prof_error *err)
{
	static const struct prof_span names[] = {
		{ (const uint8_t *)"bar", 3 }, { (const uint8_t *)"foo", 3 },
		{ (const uint8_t *)"main", 4 },
	};
	struct prof_reader *reader = prof_open(r->context, image, err);
	enum prof_status status = reader == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	if (reader != NULL && r->job->how & SELECT)
		prof_select(reader, names, COUNT(names));
	while (status == PROF_OK &&
	    (status = prof_next(reader, &record, err)) == PROF_OK)
		status = put_record(r, &record, last, err);
	prof_close(reader);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
put_hits(struct run *r, struct prof_span image, struct prof_error *err)
{
	struct scan *s = scan_new(image, 0, err);
	enum prof_status status = s == NULL ? PROF_FAIL : PROF_OK;
	struct scan_hit hit;

	while (status == PROF_OK &&
	    (status = scan_next(s, &hit, err)) == PROF_OK)
		status = put_image(r, hit.image, false, err);
	scan_free(s);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
put_images(struct run *r, struct prof_error *err)
{
	const struct prof_span *images = r->job->images;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < COUNT(r->job->images) &&
	    images[i].data != NULL; i++) {
		if (r->worker != NULL)
			merge_worker_begin(r->worker, i);
		status = r->job->how & SCANNED ? put_hits(r, images[i], err) :
		    put_image(r, images[i], i > 0 &&
		    (i + 1 == COUNT(r->job->images) ||
		    images[i + 1].data == NULL), err);
		if (r->worker != NULL)
			merge_worker_end(r->worker);
	}
	return status;
}

static enum prof_status
begin_run(struct run *r, struct bytes *out, struct bytes *warnings,
    struct prof_error *err)
{
	unsigned how = r->job->how;

	r->context = prof_context_new(bytes_warn, warnings);
	if (r->context == NULL)
		return fail(err, PROF_E_MEMORY);
	prof_context_salvage(r->context, how & SALVAGE);
	if (how & THOROUGH)
		prof_context_thorough(r->context, true);
	if (how & BLOCKS)
		prof_context_blocks(r->context);
	r->writer = prof_writer_new(r->context, &r->job->target, output_put,
	    out, err);
	if (r->writer == NULL)
		return PROF_FAIL;
	if (!(how & MERGED))
		return PROF_OK;
	r->merge = merge_new(bytes_warn, warnings);
	r->less = merge_new(bytes_warn, warnings);
	if (r->merge == NULL || r->less == NULL)
		return fail(err, PROF_E_MEMORY);
	files_made = 0;
	if (how & SPILLED && merge_spill_to(r->merge, 1, &spill_files, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (how & WORKER && (r->worker = merge_worker_new(r->merge)) == NULL)
		return fail(err, PROF_E_MEMORY);
	return PROF_OK;
}

static enum prof_status
write_sum(struct run *r, struct prof_error *err)
{
	const bool as_read = r->job->how & AS_READ;
	const struct merge_output o = { .heap_as_read = as_read,
	    .traces_as_read = as_read, .as_arrived = as_read };

	if (r->job->how & LESS && merge_subtract(r->merge, r->less, err) !=
	    PROF_OK)
		return PROF_FAIL;
	return merge_write(r->merge, &o, r->writer, err);
}

static enum prof_status
run_job(const struct job *job, struct bytes *out, struct bytes *warnings,
    struct prof_error *err)
{
	struct run r = { .job = job };
	enum prof_status status;

	out->size = warnings->size = 0;
	status = begin_run(&r, out, warnings, err);
	if (status == PROF_OK)
		status = put_images(&r, err);
	if (status == PROF_OK && r.merge != NULL)
		status = write_sum(&r, err);
	if (status == PROF_OK)
		status = prof_finish(r.writer, err);
	prof_writer_free(r.writer);
	merge_free(r.merge);
	merge_free(r.less);
	prof_context_free(r.context);
	return status;
}

static struct bytes
bytes_new(size_t most)
{
	struct bytes b = { malloc(most), 0, most };

	if (b.data == NULL) {
		printf("Bail out! no memory\n");
		exit(EXIT_FAILURE);
	}
	return b;
}

static bool
same_output(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* How a job ended. */
struct result {
	struct bytes out, warnings;
	struct prof_error error;
	enum prof_status status;
};

/* With a fault, whose error has that code. */
static bool
is_right(const struct result *got, const struct result *want,
    enum prof_code code)
{
	if (got->status == PROF_FAIL && got->error.code == code)
		return got->error.reason[0] != '\0';
	return got->status == want->status &&
	    got->error.code == want->error.code &&
	    (got->status != PROF_OK || same_output(&got->out, &want->out)) &&
	    same_output(&got->warnings, &want->warnings);
}

/* Runs a job, one of whose calls may fail; the calls counted. */
static unsigned long
run_failing(const struct job *job, const struct failing *how,
    struct result *got)
{
	got->error = (struct prof_error){ 0 };
	failing_begin(how);
	got->status = run_job(job, &got->out, &got->warnings, &got->error);
	return failing_end();
}

static struct result want, got;

/* All calls of a kind fail in turn; *failures counts the runs that failed. */
static bool
sweep_job(const struct job *job, struct failing how, enum prof_code code,
    unsigned long *failures)
{
	unsigned long calls = run_failing(job, &how, &want);
	unsigned long step = 1 + calls / RUNS;

	for (how.number = 1; how.number <= calls; how.number += step) {
		for (int from = 0; from < 2; from++) {
			how.from_there = from == 1;
			run_failing(job, &how, &got);
			*failures += got.status != want.status;
			if (is_right(&got, &want, code))
				continue;
			printf("# call %lu%s: status %d, %s\n", how.number,
			    from == 1 ? " and all from there" : "", got.status,
			    got.error.reason);
			return false;
		}
	}
	return true;
}

static void
test_job(const struct job *job)
{
	const struct failing memory = { .kind = FAILING_MEMORY };
	const struct failing writes = { .kind = FAILING_SYSTEM,
	    .error = ENOSPC };
	/* Blocks may come as single records then: the order differs. */
	const bool in_order = job->how & MERGED || !(job->how & BLOCKS);
	unsigned long failures = 0;

	check((!in_order ||
	    sweep_job(job, memory, PROF_E_MEMORY, &failures)) &&
	    sweep_job(job, writes, PROF_E_SYSTEM, &failures) &&
	    (failures > 0 || want.status == PROF_FAIL),
	    "%s to %s %u, how 0x%x: %lu failures", job->name,
	    job->target.format, job->target.version, job->how, failures);
}

/* A file of tests/data; of no bytes if there is none. */
static struct prof_span
read_bytes(const char *name)
{
	struct buf b = { 0 };

	read_sample(name, &b);
	return buf_span(&b);
}

/* Writes an image in all versions of a format, and reads those. */
static void
test_targets(const char *name, struct prof_span image, const char *format,
    unsigned how)
{
	struct job job = { .name = name, .images = { image, image },
	    .how = MERGED | how, .target.format = format };
	struct prof_versions v = { 0 };
	struct bytes written = bytes_new(MOST), warnings = bytes_new(MOST);

	if (!check(prof_writable(format, &v), "%s can be written", format))
		return;
	for (unsigned n = v.oldest; n <= v.newest; n++) {
		struct prof_error err = { 0 };
		struct job back = { .name = name, .how = THOROUGH | SALVAGE,
		    .target.format = "stream" };

		job.target.version = n;
		test_job(&job);
		if (run_job(&job, &written, &warnings, &err) != PROF_OK)
			continue;
		back.images[0] = (struct prof_span){ written.data,
		    written.size };
		test_job(&back);
		back.how = BLOCKS | MERGED | WORKER;
		back.images[1] = back.images[0];
		test_job(&back);
		back.how = SELECT;
		back.images[1].data = NULL;
		test_job(&back);
	}
	free(written.data);
	free(warnings.data);
}

/* The jobs of one file: it is copied, merged with itself, and searched. */
static void
test_image(const char *name, struct prof_span image, unsigned how)
{
	const struct job jobs[] = {
		{ name, { image }, how, { .format = "stream" } },
		{ name, { image }, how | BLOCKS, { .format = "stream" } },
		{ name, { image, image }, how | BLOCKS | MERGED,
		    { .format = "stream" } },
	};

	for (size_t i = 0; i < COUNT(jobs); i++)
		test_job(&jobs[i]);
}

/* All files of a folder with that ending, or the inputs in its folders. */
static void
test_folder(const char *folder, const char *ending, unsigned how)
{
	DIR *dir = opendir(sample_path(folder));
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		size_t size = strlen(d->d_name), end = strlen(ending);
		struct prof_span image;
		char name[1024];

		if (d->d_name[0] == '.' || size < end ||
		    strcmp(d->d_name + size - end, ending) != 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s%s", folder, d->d_name,
		    *ending == '\0' ? "/input" : "");
		image = read_bytes(name);
		if (image.data != NULL)
			test_image(d->d_name, image, how);
		release(image);
	}
	if (dir != NULL)
		closedir(dir);
}

/* A file in all formats. */
static void
test_formats(const char *file, unsigned how)
{
	static const char *const formats[] = {
		"stream", "indexed", "text", "lprf", "yaml",
	};
	struct prof_span image = read_bytes(file);

	if (!check(image.data != NULL, "%s is there", file))
		return;
	for (size_t i = 0; i < COUNT(formats); i++)
		test_targets(file, image, formats[i], how);
	release(image);
}

int
main(void)
{
	failing_wrap_libraries();
	want.out = bytes_new(MOST), got.out = bytes_new(MOST);
	want.warnings = bytes_new(MOST), got.warnings = bytes_new(MOST);
	test_folder("good", ".profraw", 0);
	test_folder("bad", "", SALVAGE);
	test_folder("memprof-raw/good", ".memprofraw", 0);
	test_folder("memprof-raw/bad", "", SALVAGE);
	test_folder("memprof", ".profdata", THOROUGH);
	test_folder("memprof", ".yaml", 0);
	test_folder("memprof", ".proftext", 0);
	test_formats("sample.ndjson", 0);
	test_formats("sample.ndjson", AS_READ);
	test_formats("sample.ndjson", SPILLED);
	test_formats("sample.ndjson", LESS);
	test_formats("heap/sample.ndjson", 0);
	test_formats("heap/app.ndjson", 0);
	test_formats("heap/app.ndjson", AS_READ);
	test_formats("memprof/v4.mixed.profdata", 0);
	test_formats("memprof-raw/good/versions.memprofraw", 0);
	test_formats("good/temporal.profraw", 0);
	test_formats("good/temporal.profraw", SPILLED | BLOCKS);
	test_formats("good/temporal-nameless.profraw", SPILLED | BLOCKS);
	test_formats("good/correlated-v11.profraw", 0);
	test_formats("good/values.profraw", BLOCKS);
	test_formats("good/values.profraw", SPILLED);
	return done_testing();
}
