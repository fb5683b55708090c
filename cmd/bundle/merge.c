/* prof-bundle merge */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/bundle/facts.h"
#include "cmd/bundle/contents.h"
#include "cmd/bundle/inputs.h"
#include "cmd/bundle/scan.h"
#include "cmd/bundle/write.h"
#include "cmd/common/consume.h"
#include "cmd/common/message_text.h"
#include "cmd/common/suffix.h"
#include "merge/worker.h"

struct bundle_merge_run {
	struct cli *cli;
	const struct bundle_options *options;
	bool bundle;			/* the output is a bundle */
	struct bundle_set set;
	struct bundle_inputs inputs;
	struct bundle_contents *contents;
	struct merge *sum;
	bool dropped;			/* the second reading left one out */
	struct buf stream;		/* the sum, for a bundle */
};

static void *
bundle_merge_worker_start(void *arg, struct cli *view)
{
	struct bundle_merge_run *run = arg;

	/* The first reading has printed the same messages already. */
	view->options.verbose = view->options.verbose &&
	    !view->report.damage.keep_going;
	prof_context_blocks(view->context);
	prof_context_pairs(view->context);
	return merge_worker_new(run->sum);
}

static void
bundle_merge_worker_stop(void *arg)
{
	(void)arg;
}

static enum prof_status
bundle_merge_next(void *arg, struct cli *c, struct cli_item *item,
    struct buf *memory)
{
	struct bundle_merge_run *run = arg;

	(void)c;
	return bundle_contents_next(run->contents, item, memory);
}

static enum prof_status
bundle_merge_member_begin(void *arg, uint64_t number, struct prof_error *err)
{
	(void)err;
	merge_worker_begin(arg, number);
	return PROF_OK;
}

static enum prof_status
bundle_merge_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	return merge_worker_add(arg, r, NULL, err);
}

static enum prof_status
bundle_merge_check_header(void *arg, const struct prof_header *h,
    bool functions, struct prof_error *err)
{
	return merge_worker_admit(arg, h, functions, err);
}

static void
bundle_merge_idle(void *arg)
{
	merge_worker_release(arg);
}

static void
bundle_merge_member_end(void *arg)
{
	merge_worker_end(arg);
}

static uint64_t
bundle_merge_refused(void *arg, struct prof_error *why)
{
	const struct bundle_merge_run *run = arg;

	return merge_first_refused(run->sum, why);
}

static void
bundle_merge_left_out(void *arg, const struct commit_entry *entry)
{
	struct bundle_merge_run *run = arg;
	const struct bundle_entry *e = entry->note;

	run->dropped = true;
	bundle_inputs_drop(&run->inputs, e);
}

/* Adds the wanted contents, except those that do not fit the sum so far. */
static enum prof_status
bundle_merge_read_contents(struct bundle_merge_run *run)
{
	const struct cli_pipeline work = { .arg = run,
	    .start = bundle_merge_worker_start,
	    .stop = bundle_merge_worker_stop, .next = bundle_merge_next,
	    .verify = bundle_contents_expect,
	    .begin = bundle_merge_member_begin, .add = bundle_merge_add,
	    .merges = true, .check = bundle_merge_check_header,
	    .idle = bundle_merge_idle, .end = bundle_merge_member_end,
	    .refused = bundle_merge_refused,
	    .left_out = bundle_merge_left_out };
	struct cli *c = run->cli;
	enum prof_status status;

	/* The second reading counts the contents that the first one counted. */
	for (size_t i = 0; i < run->set.contents_size; i++)
		c->report.damage.used -= run->inputs.wanted[i];
	c->report.damage.kept = (struct cli_tally){ 0 };
	run->contents = bundle_contents_new(c, &run->set, run->inputs.wanted);
	status = cli_pipeline_run(c, &work);
	bundle_contents_free(run->contents);
	return status == PROF_OK ? merge_join_workers(run->sum, &c->err) :
	    PROF_FAIL;
}

static void
bundle_merge_print_repeated(const struct bundle_merge_run *run)
{
	const struct cli *c = run->cli;

	uint64_t repeated = run->inputs.repeated + run->set.repeated;

	if (repeated != 0 && !c->options.quiet)
		message_print("%s: %llu profiles are already in the sum: "
		    "counted once\n", c->name, (unsigned long long)repeated);
}

/* Chooses the profiles of the sum. */
static enum prof_status
bundle_merge_choose(struct bundle_merge_run *run)
{
	struct cli *c = run->cli;
	const struct bundle_entry *at;
	enum prof_status status;

	/* The second reading finds damage too; --keep-going must know first. */
	if (bundle_scan(c, run->options, c->report.damage.keep_going ?
	    BUNDLE_DECODED : BUNDLE_DIGESTS, &run->set) != PROF_OK)
		return PROF_FAIL;
	status = cli_consume_ready(c);
	if (status != PROF_OK)
		return status;
	if (run->set.size == 0)
		return err_set(&c->err, PROF_E_FORMAT, "no profile can be "
		    "merged");
	if (bundle_set_settle(&run->set, &c->err) != PROF_OK)
		return PROF_FAIL;
	bundle_set_sort_by_place(&run->set);
	if (bundle_inputs(&run->inputs, &run->set, &at, &c->err) == PROF_OK)
		return PROF_OK;
	if (at != NULL) {
		c->inputs.file = run->set.sources[at->source].path;
		c->inputs.member = (const char *)at->facts.path.data;
	}
	return PROF_FAIL;
}

static int
bundle_merge_buf_sink(void *buf, const void *data, size_t size)
{
	buf_put(buf, data, size);
	return 0;
}

/* Writes the sum to memory, because a tar header has the member's size. */
static enum prof_status
bundle_merge_write_stream(struct bundle_merge_run *run)
{
	static const struct merge_output plain = { .correlated = true };
	struct cli *c = run->cli;

	c->output.writer = prof_writer_new(c->context, &c->output.target,
	    bundle_merge_buf_sink, &run->stream, &c->err);
	if (c->output.writer == NULL ||
	    cli_put_sum(c, run->sum, &plain) != PROF_OK ||
	    prof_finish(c->output.writer, &c->err) != PROF_OK)
		return PROF_FAIL;
	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	return run->stream.failed ? err_memory(&c->err) : PROF_OK;
}

static enum prof_status
bundle_merge_describe(struct bundle_merge_run *run, struct bundle_set *out,
    struct arena *arena)
{
	static const char path[] = "merged.ndjson";
	struct cli *c = run->cli;
	struct manifest_profile p = { .inputs_size = run->inputs.size,
	    .path = { (const uint8_t *)path, sizeof(path) - 1 },
	    .labels = run->options->labels,
	    .labels_size = run->options->labels_size };
	struct prof_span image = buf_span(&run->stream);
	struct cli_tally tally = { 0 };
	const struct bundle_facts facts = { &p, arena, &tally };

	p.inputs = (const uint8_t (*)[SHA256_SIZE])run->inputs.digests;
	sha256_of(image, p.sha256);
	if (bundle_facts(c, image, &facts, &c->err) != PROF_OK ||
	    bundle_set_source(out, path, false, &c->err) != PROF_OK ||
	    bundle_set_add(out, &p, 1, &c->err) != PROF_OK)
		return PROF_FAIL;
	return bundle_set_settle(out, &c->err);
}

static enum prof_status
bundle_merge_write_bundle(struct bundle_merge_run *run)
{
	struct cli *c = run->cli;
	struct prof_span image;
	struct bundle_set out = { .size = 0 };
	struct arena arena = { 0 };
	enum prof_status status = bundle_merge_write_stream(run);

	image = buf_span(&run->stream);
	if (status == PROF_OK)
		status = bundle_merge_describe(run, &out, &arena);
	if (status == PROF_OK)
		status = bundle_output_open(c);
	if (status == PROF_OK)
		status = bundle_write_one(c, &out, image,
		    run->options->packing, c->output.file);
	if (status == PROF_OK)
		status = bundle_output_commit(c);
	arena_free(&arena);
	bundle_set_free(&out);
	return status;
}

static enum prof_status
bundle_merge_write_profile(struct bundle_merge_run *run)
{
	struct cli *c = run->cli;
	const struct merge_output plain = { .correlated =
	    strcmp(c->output.target.format, "stream") == 0 };

	if (cli_open_file(c) != PROF_OK ||
	    cli_put_sum(c, run->sum, &plain) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

static enum prof_status
bundle_merge_inputs(struct bundle_merge_run *run)
{
	enum prof_status status = bundle_merge_choose(run);

	if (status == PROF_OK)
		status = bundle_merge_read_contents(run);
	if (status != PROF_OK)
		return status;
	if (run->dropped && run->cli->inputs.consume != NULL)
		cli_consume_nothing(run->cli);
	bundle_inputs_settle(&run->inputs);
	bundle_merge_print_repeated(run);
	return run->bundle ? bundle_merge_write_bundle(run) :
	    bundle_merge_write_profile(run);
}

/* Removes the inputs of --consume, unless one was left out after its note. */
static bool
bundle_merge_consume(struct bundle_merge_run *run)
{
	struct cli *c = run->cli;

	if (c->inputs.consume == NULL || !run->dropped)
		return cli_consume_end(c);
	if (!c->options.quiet)
		message_print("%s: the sum is not complete: the inputs are "
		    "kept\n", c->name);
	return false;
}

int
bundle_merge(struct cli *c, struct bundle_options *o)
{
	struct bundle_merge_run run = { .cli = c, .options = o,
	    .sum = merge_new(cli_warn, c) };
	enum prof_status status;
	int code;

	if (run.sum == NULL)
		cli_out_of_memory(c);
	if (c->output.target.format == NULL && c->output.path != NULL)
		c->output.target.format = suffix_format(c->output.path);
	run.bundle = c->output.target.format == NULL;
	if (run.bundle)
		c->output.target.format = "stream";
	else if (o->packs || o->labels_size != 0)
		cli_usage_error(c, "labels and compression need a bundle as "
		    "output, not a profile");
	cli_prepare_output(c);
	if (o->consume)
		cli_consume_begin(c, false);
	status = bundle_merge_inputs(&run);
	if (status == PROF_OK && !bundle_merge_consume(&run))
		c->report.unclean = true;
	code = cli_end(c, status == PROF_END ? PROF_OK : status);
	merge_free(run.sum);
	bundle_set_free(&run.set);
	bundle_inputs_free(&run.inputs);
	buf_free(&run.stream);
	return code;
}
