/* prof-order - an order of functions for the linker, from temporal traces */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"

struct order_run {
	struct cli cli;
	enum order_form form;
	size_t test_traces;
	struct order *order;
	bool empty;			/* no function is in the list */
};

static const struct cli_option options[] = {
	{ 0, "to", "FORMAT",
	    "write names (default), symbols for a linker, or llvm",
	    CLI_SETS_WORD(struct order_run, form, [ORDER_NAMES] = "names",
	    [ORDER_SYMBOLS] = "symbols", [ORDER_LLVM] = "llvm") },
	{ 0, "test-traces", "N",
	    "test the order with the last N traces",
	    CLI_SETS_NUMBER(struct order_run, test_traces, 1, UINT32_MAX) },
	CLI_OUTPUT_ROW,
	CLI_JOBS_ROW,
	CLI_ALLOW_EMPTY_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-order", NULL,
"usage: prof-order [options] [FILE...]\n"
"Orders functions so that a program starts with few page faults.\n",
	.limits_counts = true,
	.examples =
"  prof-order -o names.txt startup.profraw\n"
"  prof-order --to symbols -o app.order startup.profraw\n",
	.tables = { options, cli_options }
};

static enum prof_status
order_add_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct order_run *run = arg;

	return order_add(run->order, r, err);
}

/* Prints the area on standard error, unless the form has a place for it. */
static enum prof_status
order_write_list(struct order_run *r, struct buf *b)
{
	struct cli *c = &r->cli;
	uint64_t area;
	size_t left_out;

	if (r->test_traces != 0 && !order_area(r->order, &area))
		return err_memory(&c->err);
	if (r->form == ORDER_LLVM)
		order_list_head(b, r->order,
		    r->test_traces == 0 ? NULL : &area);
	else if (r->test_traces != 0)
		message_print("%s: area under the curve of page faults: "
		    "%llu\n", c->name, (unsigned long long)area);
	if (!order_list(b, r->order, r->form, &left_out))
		return err_memory(&c->err);
	if (left_out != 0 && !c->options.quiet)
		message_print("%s: warning: functions without a known name: "
		    "%zu of %zu\n", c->name, left_out, order_size(r->order));
	r->empty = left_out == order_size(r->order);
	return PROF_OK;
}

static enum prof_status
prof_order_run(struct order_run *r)
{
	struct cli *c = &r->cli;
	struct buf b = { 0 };
	enum prof_status status;

	if (cli_open_bytes(c, false) != PROF_OK)
		return PROF_FAIL;
	if (cli_read(c, order_add_record, r) != PROF_OK)
		return PROF_FAIL;
	if (r->test_traces != 0 && r->test_traces >= order_traces(r->order))
		return err_set(&c->err, PROF_E_FORMAT, "--test-traces %zu "
		    "leaves no trace of %zu", r->test_traces,
		    order_traces(r->order));
	status = order_run(r->order, r->test_traces, cli_jobs(c), &c->err);
	if (status == PROF_OK)
		status = order_write_list(r, &b);
	if (status == PROF_OK)
		status = cli_write_text(c, &b);
	buf_free(&b);
	return status;
}

int
main(int argc, char **argv)
{
	struct order_run r = { .order = order_new() };
	int exit_status;

	cli_start(&r.cli, &program);
	if (r.order == NULL)
		cli_out_of_memory(&r.cli);
	cli_parse(&r.cli, &r, &argc, &argv);
	cli_operands(&r.cli, argc, argv);
	cli_restrict(&r.cli, NULL);

	exit_status = cli_end(&r.cli, prof_order_run(&r));
	if (exit_status == CLI_DONE && r.empty &&
	    !r.cli.output.allow_empty) {
		if (!r.cli.options.quiet)
			message_print("%s: %s\n", r.cli.name,
			    order_traces(r.order) == 0 ? "there are no "
			    "temporal traces: clang -fprofile-generate with "
			    "-ftemporal-profile, or -mllvm -pgo-temporal-"
			    "instrumentation before LLVM 22, makes programs "
			    "write them" : "the list is empty");
		exit_status = CLI_NO;
	}
	order_free(r.order);
	return exit_status;
}
