/* prof-order - an order of functions for the linker, from temporal traces */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/order_list.h"

static const char usage[] =
"usage: prof-order [options] [FILE...]\n"
"Orders functions so that a program starts with few page faults.\n"
"\n"
"      --form FORM       names (default), symbols for a linker, or llvm\n"
"      --test-traces N   try the order on the last N traces, do not use them\n"
"  -o, --output FILE     write FILE, whole or not at all\n"
CLI_ALLOW_EMPTY_USAGE
CLI_USAGE;

enum { FORM = CLI_OWN, TEST_TRACES };

static const struct option options[] = {
	{ "form", required_argument, NULL, FORM },
	{ "test-traces", required_argument, NULL, TEST_TRACES },
	{ "output", required_argument, NULL, 'o' },
	CLI_ALLOW_EMPTY_LONG,
	CLI_LONG, { 0 }
};

struct order_run {
	struct cli cli;
	enum order_form form;
	size_t test_traces;
	struct order *order;
	bool empty;			/* no function is in the list */
};

static void
order_set_form(struct order_run *r)
{
	static const char *const words[] = {
		[ORDER_NAMES] = "names", [ORDER_SYMBOLS] = "symbols",
		[ORDER_LLVM] = "llvm", [ORDER_LLVM_19] = "llvm-19",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(optarg, words[i]) == 0) {
			r->form = (enum order_form)i;
			return;
		}
	}
	cli_usage_error(&r->cli, "--form takes names, symbols, llvm or "
	    "llvm-19");
}

static void
order_set_test_traces(struct order_run *r)
{
	char *end;
	unsigned long n = strtoul(optarg, &end, 10);

	if (*optarg < '0' || *optarg > '9' || *end != '\0' || n == 0 ||
	    n > UINT32_MAX)
		cli_usage_error(&r->cli, "--test-traces takes a number above "
		    "0");
	r->test_traces = n;
}

static void
order_option(struct order_run *r, int o)
{
	if (o == FORM)
		order_set_form(r);
	else if (o == TEST_TRACES)
		order_set_test_traces(r);
	else
		cli_option(&r->cli, o);
}

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
	if (r->form >= ORDER_LLVM)
		order_list_head(b, r->order,
		    r->test_traces == 0 ? NULL : &area);
	else if (r->test_traces != 0)
		fprintf(stderr, "%s: area under the curve of page faults: "
		    "%llu\n", c->name, (unsigned long long)area);
	if (!order_list(b, r->order, r->form, &left_out))
		return err_memory(&c->err);
	if (left_out != 0 && !c->options.quiet)
		fprintf(stderr, "%s: warning: %zu of %zu functions have no "
		    "name that is known\n", c->name, left_out,
		    order_size(r->order));
	r->empty = left_out == order_size(r->order);
	return PROF_OK;
}

static enum prof_status
prof_order_run(struct order_run *r)
{
	struct cli *c = &r->cli;
	struct buf b = { 0 };
	enum prof_status status;

	if (cli_open_text(c, false) != PROF_OK)
		return PROF_FAIL;
	if (cli_read(c, order_add_record, r) != PROF_OK)
		return PROF_FAIL;
	if (r->test_traces != 0 && r->test_traces >= order_traces(r->order))
		return err_set(&c->err, PROF_E_FORMAT, "--test-traces %zu "
		    "leaves none of the %zu traces", r->test_traces,
		    order_traces(r->order));
	status = order_run(r->order, r->test_traces,
	    r->form == ORDER_LLVM_19 ? PARTITION_SELECT : PARTITION_SORT,
	    &c->err);
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
	int o, exit_status;

	cli_start(&r.cli, "prof-order", usage, NULL);
	if (r.order == NULL)
		cli_out_of_memory(&r.cli);
	while ((o = getopt_long(argc, argv, CLI_LETTERS "o:", options, NULL))
	    != -1)
		order_option(&r, o);
	cli_operands(&r.cli, argc - optind, argv + optind);

	exit_status = cli_end(&r.cli, prof_order_run(&r));
	if (exit_status == CLI_DONE && r.empty &&
	    !r.cli.output.allow_empty) {
		if (!r.cli.options.quiet)
			fprintf(stderr, "%s: %s\n", r.cli.name,
			    order_traces(r.order) == 0 ?
			    "there are no temporal traces" :
			    "the list is empty");
		exit_status = CLI_NO;
	}
	order_free(r.order);
	return exit_status;
}
