#include "config.h"

#include "cli_merge.h"

struct run {
	struct cli *cli;
	struct cli_merge_options *options;
	struct merge *sum, *less;	/* less: what is subtracted, or NULL */
	const struct cli_input *input;	/* the last one counted */
};

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The product of two fractions; false if its parts are too large. */
static bool
multiply(const struct merge_factor *a, const struct merge_factor *b,
    struct merge_factor *out)
{
	uint64_t x = common_divisor(a->times, b->parts);
	uint64_t y = common_divisor(b->times, a->parts);

	if (__builtin_mul_overflow(a->times / x, b->times / y, &out->times) ||
	    __builtin_mul_overflow(a->parts / y, b->parts / x, &out->parts))
		return false;
	return out->parts == 1 || (out->parts <= UINT32_MAX &&
	    out->times <= UINT32_MAX);
}

static void
scale_inputs(struct run *run)
{
	struct cli *c = run->cli;

	for (size_t i = 0; i < c->input_count; i++) {
		struct cli_input *in = &c->inputs[i];

		if (!multiply(&in->weight, &run->options->scale, &in->weight))
			cli_usage_error(c, "the weight of %s times the scale "
			    "is too fine or too large", in->path);
		if (in->subtracted && run->less == NULL) {
			run->less = merge_new(cli_warn, c);
			if (run->less == NULL)
				cli_out_of_memory(c);
		}
	}
}

static enum prof_status
add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct run *run = arg;
	const struct cli_input *in = run->cli->input;
	struct merge *m = in->subtracted ? run->less : run->sum;
	struct prof_record limited = *r;
	enum prof_status status;

	if (in != run->input)
		merge_next_input(m);
	run->input = in;
	if (r->kind == PROF_REC_FUNCTION) {
		status = limit_function(&run->options->limit,
		    &limited.u.function, err);
		if (status != PROF_OK)
			return status == PROF_END ? PROF_OK : PROF_FAIL;
	}
	return merge_add(m, &limited, &in->weight, err);
}

int
cli_merge(struct cli *c, struct cli_merge_options *o)
{
	struct run run = { c, o, merge_new(cli_warn, c), NULL, NULL };
	enum prof_status status;

	if (run.sum == NULL)
		cli_out_of_memory(c);
	o->limit.warn = cli_warn;
	o->limit.warn_arg = c;
	scale_inputs(&run);
	status = cli_open_output(c);
	if (status == PROF_OK)
		status = cli_read(c, add, &run);
	if (status == PROF_OK && run.less != NULL)
		status = merge_subtract(run.sum, run.less, &c->err);
	if (status == PROF_OK)
		status = merge_write(run.sum, &o->output, c->writer, &c->err);
	if (status == PROF_OK)
		status = cli_finish(c);
	merge_free(run.sum);
	merge_free(run.less);
	arena_free(&o->limit.arena);
	return cli_end(c, status);
}
