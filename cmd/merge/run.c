#include "config.h"

#include "cmd/merge/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "bundle/lines.h"
#include "cmd/common/pipeline.h"
#include "cmd/merge/group.h"
#include "io/input.h"
#include "io/scratch.h"
#include "io/temporary.h"
#include "merge/check.h"
#include "merge/merge.h"
#include "merge/worker.h"
#include "model/record.h"
#include "plan/account.h"

static void
merge_set_weighted(const struct cli_given *g)
{
	cli_weighted(g->cli, g->argument);
}

static void
merge_add_subtracted(const struct cli_given *g)
{
	const struct cli_input less = { .path = g->argument,
	    .weight = { 1, 1 }, .subtracted = true };

	cli_add_input(g->cli, &less);
}

static void
merge_set_traces(const struct cli_given *g)
{
	struct cli_merge_options *o = g->run;

	cli_set_traces(g->cli, g->argument, &o->terms.traces);
}

const struct cli_option cli_merge_rows[] = {
	{ 'w', "weight", "W,FILE",
	    "multiply the counts of FILE by W: N, N/M or 0.7",
	    CLI_CALLS(merge_set_weighted) },
	{ 0, "subtract", "FILE", "subtract the counts of FILE, down to 0",
	    CLI_CALLS(merge_add_subtracted) },
	{ 0, "sparse", NULL, "leave out functions with only zero counts",
	    CLI_SETS(struct cli_merge_options, output.sparse) },
	{ 0, "max-traces", "N[,LENGTH]",
	    "keep N temporal traces, and of each\n"
	    "the first LENGTH functions", CLI_CALLS(merge_set_traces) },
	{ 'S', "buffer-size", "SIZE",
	    "sum in SIZE of memory, as 64M, and files in $TMPDIR",
	    CLI_SETS(struct cli_merge_options, buffer) },
	{ 0, "group-by", "binary-id",
	    "write a sum for each set of binaries to folder -o",
	    CLI_SETS_WORD(struct cli_merge_options, group, "binary-id"),
	    .value = 1 },
	MERGE_LEVEL_ROW(struct cli_merge_options, terms.level),
	CLI_SALVAGE_ROW,
	CLI_FAIL_ON_ROW,
	CLI_JOBS_ROW,
	/* The same under the names that llvm-profdata merge has for them. */
	{ 0, "weighted-input", "W,FILE", NULL, CLI_CALLS(merge_set_weighted) },
	{ 'f', "input-files", "LIST", NULL, CLI_CALLS(cli_set_list) },
	{ 0, "num-threads", "N", NULL,
	    CLI_SETS_NUMBER(struct cli, options.jobs, 1, CLI_JOBS_MAX) },
	{ 0, "temporal-profile-trace-reservoir-size", "N", NULL,
	    CLI_CALLS(merge_set_traces) },
	{ 0, "temporal-profile-max-trace-length", "N", NULL,
	    CLI_SETS_NUMBER(struct cli_merge_options, terms.traces.length, 1,
	    UINT64_MAX) },
	{ 0 }
};

/* All zero except while a merge and the writer of its output use it. */
struct cli_spill {
	struct merge_files files;
	struct prof_scratch scratch;	/* for the writer, or unused */
	struct scratch_files scratch_files;	/* of both */
};

/* All zero but for the lock and `parts`. */
struct passed_accounts {
	bool parts;			/* each input is one part of a plan */
	struct passed_account {
		uint64_t number;	/* of the input */
		struct buf lines;
	} *list;
	size_t size, room;
	bool failed;			/* out of memory */
	pthread_mutex_t lock;
};

/* All zero before the first input. */
struct repeats {
	struct bundle_lines bundle;	/* of the file that is read */
	bool any;			/* a file was one */
	bool broken;			/* its manifest cannot be read */
	struct intern seen;		/* identities */
	uint64_t count;			/* profiles that were left out */
};

struct merge_run {
	struct cli *cli;
	struct cli_merge_options *options;
	struct merge *sum;
	struct merge *subtracted;	/* subtracted from the sum, or NULL */
	struct groups *groups;		/* in place of both, or NULL */
	struct cli_spill spill;
	struct passed_accounts accounts;
	struct repeats repeats;		/* unless a plan chooses members */
	bool parallel;
};

/* Allocations of that size are mapped, and unmapped when they are freed. */
enum { SPILL_MAPPED = 1 << 18 };

/*
 * When glibc frees a large allocation, it takes later ones of that size from
 * the heap, where the tables of sums would leave gaps between those of readers:
 * the heap of many inputs became three times the limit.
 */
static void
malloc_map_tables(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, SPILL_MAPPED);
#endif
}

/*
 * With another allocator in front of glibc's (one that is preloaded, or that of
 * a sanitizer), mallopt makes the first use of glibc's, which initialises it
 * without a lock: two threads at once would abort when they end.
 */
static void
malloc_begin(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

/* Functions beyond `bytes` of memory go to temporary files. */
static void
merge_run_spill(struct cli *c, struct cli_spill *s, struct merge *m,
    uint64_t bytes)
{
	size_t limit = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;

	malloc_map_tables();
	s->files = (struct merge_files){ .arg = &s->scratch_files,
	    .create = scratch_create, .write = scratch_append,
	    .rewind = scratch_rewind, .pull = scratch_pull,
	    .read = scratch_read_at, .close = scratch_close };
	s->scratch = (struct prof_scratch){ .arg = &s->scratch_files,
	    .write = scratch_write, .read = scratch_read };
	c->output.target.scratch = &s->scratch;
	if (merge_spill_to(m, limit < SCRATCH_LEAST_MEMORY ?
	    SCRATCH_LEAST_MEMORY : limit, &s->files, &c->err) != PROF_OK)
		cli_out_of_memory(c);
}

/* After a failure: if a temporary file is the reason, the message says so. */
static void
merge_run_blame_spill(struct cli *c, const struct cli_spill *s)
{
	if (!s->scratch_files.failed)
		return;
	c->inputs.file = temporary_folder();
	c->inputs.member = NULL;
	c->output.failed = false;
}

/* The lines of the input, whose records come one after the other. */
static struct buf *
passed_lines(struct passed_accounts *a, uint64_t number)
{
	for (size_t i = a->size; i-- != 0;) {
		if (a->list[i].number == number)
			return &a->list[i].lines;
	}
	if (ARRAY_ADD(a->list, a->size, a->room,
	    (struct passed_account){ .number = number }))
		return &a->list[a->size - 1].lines;
	a->failed = true;
	return NULL;
}

/*
 * Keeps the record of that input if it is one of an account; by any thread.  An
 * input that is a part and has a second account would be counted as the first
 * one says: it fails.
 */
static enum prof_status
passed_accounts_note(struct passed_accounts *a, uint64_t number,
    const struct prof_record *r, struct prof_error *err)
{
	struct buf *lines;
	bool second = false;

	if (r->kind != PROF_REC_OTHER || !is_account_line(r->u.other))
		return PROF_OK;
	pthread_mutex_lock(&a->lock);
	lines = passed_lines(a, number);
	if (lines != NULL) {
		second = a->parts && lines->size != 0 &&
		    is_account_start(r->u.other);
		buf_put(lines, r->u.other.data, r->u.other.size);
		buf_put(lines, "\n", 1);
	}
	pthread_mutex_unlock(&a->lock);
	return second ? err_set(err, PROF_E_FORMAT, "has a second account: "
	    "several parts are in one file") : PROF_OK;
}

static int
compare_passed_accounts(const void *a, const void *b)
{
	const struct passed_account *x = a, *y = b;

	return compare_u64(x->number, y->number);
}

/* Writes the accounts to the report, or in their place that of the sum. */
static enum prof_status
passed_accounts_report(struct passed_accounts *a, struct cli *c,
    const struct account *sum)
{
	struct buf text = { 0 };

	if (c->report.damage.stream == NULL)
		return PROF_OK;
	if (sum != NULL)
		account_put(&text, sum);
	else if (a->size != 0)
		qsort(a->list, a->size, sizeof(*a->list),
		    compare_passed_accounts);
	for (size_t i = 0; sum == NULL && i < a->size; i++) {
		buf_put(&text, a->list[i].lines.data, a->list[i].lines.size);
		a->failed = a->failed || a->list[i].lines.failed;
	}
	a->failed = a->failed || text.failed;
	if (!a->failed)
		cli_damage_report_account(c, &text);
	buf_free(&text);
	return a->failed ? err_memory(&c->err) : PROF_OK;
}

static void
passed_accounts_free(struct passed_accounts *a)
{
	for (size_t i = 0; i < a->size; i++)
		buf_free(&a->list[i].lines);
	free(a->list);
	pthread_mutex_destroy(&a->lock);
}

/* The members of a bundle whose manifest is damaged may be repeated: none of
 * them is read. */
static enum cli_action
repeats_read_manifest(struct repeats *s, struct cli_item *item)
{
	struct prof_span text;

	s->any = true;
	item->status = input_image(item->in, &text, &item->err);
	if (item->status == PROF_OK)
		item->status = bundle_lines_read(&s->bundle, text, &item->err);
	s->broken = item->status != PROF_OK;
	return s->broken ? CLI_READ_MEMBER : CLI_SKIP_MEMBER;
}

/*
 * Whether a member of the bundle was read before.  What is subtracted is
 * another profile than what is added.
 */
static bool
repeats_has_seen(struct repeats *s, const struct cli *c, const char *name)
{
	uint8_t key[SHA256_SIZE + 1] = { c->inputs.current->subtracted };
	struct manifest_profile *const *lines;
	size_t count, before = s->seen.size;

	lines = bundle_lines_of(&s->bundle, name, &count);
	if (count == 0)
		return false;
	if (!manifest_identity(lines[0], key + 1) ||
	    intern_add(&s->seen, key, sizeof(key)) == INDEX_NONE)
		cli_out_of_memory(c);
	return s->seen.size == before;
}

static enum cli_action
repeats_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct merge_run *run = arg;
	struct repeats *s = &run->repeats;
	enum cli_action action;

	if (ordinal == 1 && s->any) {
		bundle_lines_free(&s->bundle);
		s->broken = false;
	}
	if (s->broken)
		return item->end_only ? CLI_READ_MEMBER : CLI_SKIP_MEMBER;
	if (item->status != PROF_OK)
		return CLI_READ_MEMBER;
	if (ordinal == 1 && m->name != NULL &&
	    bundle_is_manifest(m->name, m->start))
		return repeats_read_manifest(s, item);
	action = cli_classify_member(c, m);
	if (action != CLI_READ_MEMBER || !s->bundle.is_bundle ||
	    !repeats_has_seen(s, c, m->name))
		return action;
	s->count++;
	return CLI_SKIP_MEMBER;
}

/* Prints how many profiles were left out, if any. */
static void
repeats_print(const struct repeats *s, const struct cli *c)
{
	if (s->count != 0 && !c->options.quiet)
		message_print("%s: profiles that are in several bundles, "
		    "counted once: %llu\n", c->name,
		    (unsigned long long)s->count);
}

static void
repeats_free(struct repeats *s)
{
	bundle_lines_free(&s->bundle);
	intern_free(&s->seen);
}

/*
 * Whether the sum gets the record; PROF_END if not.  It gets no account, only
 * functions of the level of the terms, if they have one.
 */
static enum prof_status
merge_intake_check(enum prof_level *level, struct merge_run *run,
    uint64_t number, const struct prof_record *r, struct prof_error *err)
{
	if (passed_accounts_note(&run->accounts, number, r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_OTHER && is_account_line(r->u.other))
		return PROF_END;
	if (r->kind == PROF_REC_PROFILE) {
		*level = r->u.profile.level;
		/* Tables of heap profiles are large, and freed in turn. */
		if (r->u.profile.kind != PROF_INSTR)
			malloc_map_tables();
	}
	if (r->kind != PROF_REC_FUNCTION && r->kind != PROF_REC_BLOCK)
		return PROF_OK;
	return cli_check_level(run->options->terms.level, *level, err);
}

/* What a worker of the run adds. */
struct merge_intake {
	struct merge_run *run;
	const struct cli *cli;		/* of the worker */
	/* Of several threads; or NULL: there is one, and no lock. */
	struct merge_worker *sum, *subtracted;
	struct merge_worker *at;	/* that of the input; NULL at first */
	struct merge_factor weight;	/* of the input */
	enum prof_level level;		/* of the profile at hand */
	uint64_t number;		/* of the input */
};

static void *
merge_intake_start(void *arg, struct cli *view)
{
	struct merge_run *run = arg;
	struct merge_intake *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->run = run;
	f->cli = view;
	if (!run->parallel)
		return f;
	f->sum = merge_worker_new(run->sum);
	if (run->subtracted != NULL)
		f->subtracted = merge_worker_new(run->subtracted);
	if (f->sum != NULL && (run->subtracted == NULL ||
	    f->subtracted != NULL))
		return f;
	free(f);
	return NULL;
}

/*
 * Called with each record, since nothing is to be done for an input without
 * records.  Several threads take the members of one archive apart.
 */
static void
merge_intake_begin(struct merge_intake *f)
{
	const struct cli_inputs *in = &f->cli->inputs;
	struct merge_run *run = f->run;
	uint64_t number = run->parallel ? in->item : in->number;

	if (number == f->number)
		return;
	f->number = number;
	f->weight = in->current->weight;
	if (run->parallel) {
		f->at = in->current->subtracted ? f->subtracted : f->sum;
		merge_worker_begin(f->at, number);
	}
}

static enum prof_status
merge_intake_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_intake *f = arg;
	struct merge_run *run = f->run;
	enum prof_status status;

	merge_intake_begin(f);
	status = merge_intake_check(&f->level, run, f->number, r, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	if (run->parallel)
		return merge_worker_add(f->at, r, &f->weight, err);
	if (run->groups != NULL)
		return groups_add(run->groups, r, &f->weight, err);
	return merge_add(f->cli->inputs.current->subtracted ?
	    run->subtracted : run->sum, r, &f->weight, err);
}

static void
merge_intake_idle(void *arg)
{
	const struct merge_intake *f = arg;

	if (f->at != NULL)
		merge_worker_release(f->at);
}

static void
merge_intake_end(void *arg)
{
	const struct merge_intake *f = arg;

	if (f->at != NULL)
		merge_worker_end(f->at);
}

static uint64_t
merge_run_refused(void *arg, struct prof_error *why)
{
	const struct merge_run *run = arg;
	uint64_t number = merge_first_refused(run->sum, why), other;
	struct prof_error why_other = { 0 };

	if (run->subtracted == NULL)
		return number;
	other = merge_first_refused(run->subtracted, &why_other);
	if (other < number)
		*why = why_other;
	return other < number ? other : number;
}

/*
 * --group-by and --buffer-size need inputs one after the other.
 * --keep-going uses the parallel run with one thread too, so that the same
 * records are left out for any number of threads.
 */
static bool
merge_run_is_parallel(const struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;
	const struct cli *c = run->cli;

	return !o->group && o->buffer == 0 &&
	    (c->options.jobs > 1 || c->report.damage.keep_going);
}

static enum cli_action
merge_run_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	const struct merge_run *run = arg;
	const struct cli_merge_choice *choice = run->options->choice;

	return choice->classify(choice->arg, c, item, m, ordinal);
}

/* Reads all inputs: sum and subtracted are then complete. */
static enum prof_status
merge_run_read(struct merge_run *run)
{
	const struct cli_merge_choice *choice = run->options->choice;
	const struct cli_pipeline work = { .arg = run,
	    .serial = !run->parallel,
	    .start = merge_intake_start, .stop = free,
	    .classify = choice == NULL ? repeats_classify :
		merge_run_classify,
	    .add = merge_intake_add,
	    .end = run->parallel ? merge_intake_end : NULL,
	    .idle = run->parallel ? merge_intake_idle : NULL,
	    .refused = run->parallel ? merge_run_refused : NULL,
	    .merges = true, .merge_ids_first = run->options->group,
	    .level = run->options->terms.level };
	struct cli *c = run->cli;

	if (cli_pipeline_run(c, &work) != PROF_OK)
		return PROF_FAIL;
	return choice == NULL ? PROF_OK : choice->settle(choice->arg);
}

static struct merge *
merge_run_new_sum(const struct merge_run *run)
{
	struct merge *m = merge_new(cli_warn, run->cli);

	if (m == NULL)
		cli_out_of_memory(run->cli);
	merge_limit_traces(m, &run->options->terms.traces);
	return m;
}

/* Creates the second sum if an input is subtracted. */
static void
merge_run_begin_subtracted(struct merge_run *run)
{
	const struct cli_inputs *in = &run->cli->inputs;
	size_t i = 0;

	while (i < in->size && !in->items[i].subtracted)
		i++;
	if (i < in->size)
		run->subtracted = merge_run_new_sum(run);
}

/* No profile is in the sum: the lines to insert are all of the output. */
static enum prof_status
merge_run_write_account(struct cli *c)
{
	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	if (cli_write_insertion(&c->output.insertion, &c->err) == PROF_OK)
		return cli_commit_output(c, NULL);
	c->output.failed = c->err.code == PROF_E_SYSTEM;
	return PROF_FAIL;
}

static enum prof_status
merge_run_write(struct merge_run *run)
{
	struct cli *c = run->cli;

	if (c->output.insertion.put != NULL && c->report.damage.used == 0)
		return merge_run_write_account(c);
	if (run->subtracted != NULL &&
	    merge_subtract(run->sum, run->subtracted, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (cli_put_sum(c, run->sum, &run->options->output) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

/* Opens the output, or prepares the outputs of groups. */
static enum prof_status
merge_run_begin_output(struct merge_run *run)
{
	struct cli *c = run->cli;

	/* The sum outlives the writer, unless runs are spilled. */
	c->output.target.borrows = run->options->buffer == 0;
	c->output.target.in_order = true;
	if (!run->options->group)
		return cli_open_output(c);
	if (run->subtracted != NULL)
		cli_usage_error(c, "--subtract cannot be used with --group-by");
	cli_prepare_output(c);
	run->groups = groups_new(c, &run->options->terms.traces);
	return PROF_OK;
}

/* Groups need all functions in memory. */
static void
merge_run_begin_sum(struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;

	if (o->buffer != 0 && o->group)
		cli_usage_error(run->cli, "--buffer-size cannot be used with "
		    "--group-by");
	run->sum = merge_run_new_sum(run);
	if (o->buffer != 0)
		merge_run_spill(run->cli, &run->spill, run->sum, o->buffer);
}

static enum prof_status
merge_run_all(struct merge_run *run)
{
	enum prof_status status = merge_run_read(run);

	prof_context_clear_cache(run->cli->context);
	if (status == PROF_OK)
		repeats_print(&run->repeats, run->cli);
	if (status == PROF_OK)
		status = passed_accounts_report(&run->accounts, run->cli,
		    run->options->account);
	if (status != PROF_OK)
		return status;
	return run->groups == NULL ? merge_run_write(run) :
	    groups_write(run->groups, &run->options->output);
}

int
cli_merge(struct cli *c, struct cli_merge_options *o)
{
	struct merge_run run = { .cli = c, .options = o,
	    .accounts = { .parts = o->account != NULL,
		.lock = PTHREAD_MUTEX_INITIALIZER } };
	enum prof_status status;

	c->options.jobs = cli_input_jobs(c);
	run.parallel = merge_run_is_parallel(&run);
	o->output.targets_by_guid = strcmp(c->output.target.format,
	    "indexed") == 0;
	prof_context_salvage(c->context, c->options.salvage);
	malloc_begin();
	merge_run_begin_sum(&run);
	merge_run_begin_subtracted(&run);
	/* Groups take single functions. */
	if (!o->group)
		prof_context_blocks(c->context);
	prof_context_frame_numbers(c->context);
	status = merge_run_begin_output(&run);
	if (status == PROF_OK)
		status = merge_run_all(&run);
	if (status == PROF_FAIL)
		merge_run_blame_spill(c, &run.spill);
	if (o->buffer != 0)
		scratch_finish(&run.spill.scratch_files);
	merge_free(run.sum);
	if (run.subtracted != NULL)
		merge_free(run.subtracted);
	if (run.groups != NULL)
		groups_free(run.groups);
	passed_accounts_free(&run.accounts);
	if (run.repeats.any)
		repeats_free(&run.repeats);
	return cli_end(c, status);
}
