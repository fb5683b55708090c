/*
 * Threads that add to one merge: the sum is that of one thread.  A lock that is
 * not released stops the program, which the alarm then ends; one that is not
 * held, a sanitizer of threads shows.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "merge/worker.h"
#include "tests/support/raw_write.h"
#include "tests/support/streams.h"

enum { INPUTS = 24, FUNCTIONS = 60, THREADS = 3, ROUNDS = 20, SECONDS = 60 };

/* Of each third input, a function is missing, and the blocks differ. */
static void
put_functions(struct buf *b, unsigned input)
{
	for (unsigned i = input % 3 == 0; i < FUNCTIONS; i++)
		buf_print(b, "{\"record\":\"function\",\"name\":\"f%u\","
		    "\"hash\":\"0x%016x\",\"counts\":[%u,%u],\"values\":{"
		    "\"indirect_call_target\":[[{\"target\":\"f%u\","
		    "\"count\":%u}]]}}\n", i, i % 4, i * input, input,
		    1 + input % 11, i + 1);
}

/* Inputs of one program, which differ in what they have besides functions. */
static void
put_stream(struct buf *b, unsigned input)
{
	buf_text(b, "{\"record\":\"profile\",\"stream\":1,\"kind\":\"mixed\","
	    "\"level\":\"ir\",\"temporal\":true}\n");
	buf_print(b, "{\"record\":\"binary\",\"build_id\":\"%02x\"}\n"
	    "{\"record\":\"vtable\",\"name\":\"vtable%u\"}\n"
	    "{\"record\":\"name\",\"name\":\"name%u\"}\n", input % 5,
	    input % 7, input % 3);
	put_functions(b, input);
	buf_print(b, "{\"record\":\"trace\",\"weight\":%u,\"functions\":["
	    "\"f%u\",\"g%u\"]}\n", input + 1, input, input % 4);
	buf_print(b, "{\"record\":\"stack\",\"id\":\"0x%016x\",\"frames\":[{"
	    "\"function\":\"h%u\",\"line\":3}]}\n{\"record\":\"allocation\","
	    "\"stack\":\"0x%016x\",\"info\":{\"alloc_count\":%u}}\n",
	    input + 1, input % 6, input + 1, input);
	buf_text(b, LAST);
}

/* Raw profiles are read in blocks from the first one on. */
static void
put_raw(struct buf *b, unsigned input)
{
	const struct raw_target target = { .version = RAW_USUAL };
	struct prof_writer *w = raw_writer_new(&target, buf_sink, b, NULL);
	struct buf text = { 0 };
	struct prof_record record;
	struct prof_reader *r;

	buf_text(&text, PROFILE);
	put_functions(&text, input);
	buf_text(&text, LAST);
	r = prof_open(NULL, buf_span(&text), NULL);
	while (prof_next(r, &record, NULL) == PROF_OK)
		prof_put(w, &record, NULL);
	check(prof_finish(w, NULL) == PROF_OK, "raw input %u", input);
	prof_close(r);
	prof_writer_free(w);
	buf_free(&text);
}

struct job {
	struct merge *sum;
	struct merge_worker *worker;	/* NULL: the only thread */
	const struct prof_context *context;
	const struct buf *inputs;
	atomic_uint *next;
	enum prof_status status;
	pthread_t thread;
};

static enum prof_status
job_add(const struct job *j, const struct prof_record *r)
{
	struct prof_error err = { 0 };

	return j->worker == NULL ? merge_add(j->sum, r, NULL, &err) :
	    merge_worker_add(j->worker, r, NULL, &err);
}

static enum prof_status
job_read(const struct job *j, struct prof_context *context, unsigned number)
{
	struct prof_reader *r = prof_open(context,
	    buf_span(&j->inputs[number]), NULL);
	struct prof_record record;
	enum prof_status status;

	if (j->worker != NULL)
		merge_worker_begin(j->worker, number);
	while ((status = prof_next(r, &record, NULL)) == PROF_OK &&
	    (status = job_add(j, &record)) == PROF_OK)
		;
	if (j->worker != NULL)
		merge_worker_end(j->worker);
	prof_close(r);
	return status;
}

static void *
job_run(void *arg)
{
	struct job *j = arg;
	struct prof_context *context = prof_context_share(j->context, NULL,
	    NULL);
	unsigned number;

	j->status = PROF_END;
	while (j->status == PROF_END &&
	    (number = atomic_fetch_add(j->next, 1)) < INPUTS)
		j->status = job_read(j, context, number);
	prof_context_free(context);
	return NULL;
}

static bool
write_sum(struct merge *m, struct buf *out)
{
	const struct prof_target target = { .format = "stream" };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);
	bool written = merge_write(m, &(struct merge_output){
	    .sparse = false }, w, NULL) == PROF_OK &&
	    prof_finish(w, NULL) == PROF_OK;

	prof_writer_free(w);
	return written;
}

/* The sum of all inputs, by so many threads; 0: without workers. */
static bool
add_all(const struct buf *inputs, int threads, bool blocks, struct buf *out)
{
	struct prof_context *context = prof_context_new(NULL, NULL);
	struct merge *sum = merge_new(NULL, NULL);
	struct job jobs[THREADS + 1];
	atomic_uint next = 0;
	bool done = true;

	if (blocks)
		prof_context_blocks(context);
	for (int i = 0; i < threads || i == 0; i++)
		jobs[i] = (struct job){ .sum = sum, .context = context,
		    .worker = threads == 0 ? NULL : merge_worker_new(sum),
		    .inputs = inputs, .next = &next };
	for (int i = 1; i < threads; i++)
		done = done && pthread_create(&jobs[i].thread, NULL, job_run,
		    &jobs[i]) == 0;
	job_run(&jobs[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(jobs[i].thread, NULL);
	for (int i = 0; i < threads || i == 0; i++)
		done = done && jobs[i].status == PROF_END;
	done = done && write_sum(sum, out);
	merge_free(sum);
	prof_context_free(context);
	return done;
}

static void
test_threads(const struct buf *inputs, bool blocks, struct prof_span want)
{
	size_t right = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct buf got = { 0 };

		right += add_all(inputs, 1 + round % THREADS, blocks, &got) &&
		    prof_span_equal(buf_span(&got), want);
		buf_free(&got);
	}
	check(right == ROUNDS, "%s: %zu of %d sums are that of one thread",
	    blocks ? "blocks" : "functions", right, ROUNDS);
}

static void
test_inputs(void (*put)(struct buf *, unsigned input))
{
	struct buf inputs[INPUTS] = { { 0 } }, want = { 0 };

	for (unsigned i = 0; i < INPUTS; i++)
		put(&inputs[i], i);
	check(add_all(inputs, 0, false, &want), "the sum of one thread");
	test_threads(inputs, false, buf_span(&want));
	test_threads(inputs, true, buf_span(&want));
	for (unsigned i = 0; i < INPUTS; i++)
		buf_free(&inputs[i]);
	buf_free(&want);
}

int
main(void)
{
	alarm(SECONDS);
	test_inputs(put_stream);
	test_inputs(put_raw);
	return done_testing();
}
