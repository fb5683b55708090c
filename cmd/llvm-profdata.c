/* llvm-profdata - for scripts that call LLVM's program of that name */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/print/print.h"
#include "cmd/profdata/profdata.h"

static enum prof_status
order_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	return order_add(arg, r, err);
}

static void
print_order(struct profdata *p, struct order *order)
{
	struct profdata_out *out = profdata_out_open(p);
	struct buf b = { 0 };
	size_t left_out;
	uint64_t area;
	bool test = p->options.test_traces != 0;

	if (test && !order_area(order, &area))
		profdata_out_of_memory();
	order_list_head(&b, order, test ? &area : NULL);
	if (!order_list(&b, order, ORDER_LLVM, &left_out))
		profdata_out_of_memory();
	profdata_put(out, buf_span(&b));
	profdata_out_close(out);
	buf_free(&b);
}

/* llvm-profdata order */
static int
profdata_order(struct profdata *p)
{
	const char *path = p->options.operand_count == 0 ? "" :
	    p->options.operands[0];
	struct order *order = order_new();
	char message[PROFDATA_MESSAGE_SIZE];
	struct prof_error err = { 0 };
	size_t test;

	if (order == NULL)
		profdata_out_of_memory();
	profdata_require(NULL, path);
	if (profdata_read(p, path, order_record, order, &err) != PROF_OK)
		llvm_fail(path, "%s", profdata_message(message, &err));
	test = (size_t)p->options.test_traces;
	if (test != 0 && test >= order_traces(order))
		llvm_fail(NULL, "--num-test-traces must be smaller than "
		    "the total number of traces: expected: < %zu, actual: "
		    "%zu", order_traces(order), test);
	if (order_run(order, test, 1, &err) != PROF_OK)
		llvm_fail(path, "%s", profdata_message(message, &err));
	print_order(p, order);
	order_free(order);
	return 0;
}

int
main(int argc, char **argv)
{
	static int (*const commands[])(struct profdata *) = {
		[PROFDATA_MERGE] = profdata_merge,
		[PROFDATA_ORDER] = profdata_order,
		[PROFDATA_OVERLAP] = profdata_overlap,
		[PROFDATA_SHOW] = profdata_show,
	};
	struct profdata p = { .tool = { "llvm-profdata", .commandless = 17 },
	    .cli.program = &profdata_program, .beside.work = &p.work,
	    .options = { .reservoir = 100, .trace_length = 10000,
	    .overlap_cutoff = UINT64_MAX } };
	struct profdata_options *o = &p.options;
	int status;

	llvm_start(&p.tool, &p.cli, &argc, &argv);
	p.command = cli_parse(&p.cli, &p, &argc, &argv);
	o->operands = argv;
	o->operand_count = (size_t)argc;
	if (p.cli.output.path == NULL)
		p.cli.output.path = "-";
	cli_restrict(&p.cli, &(struct cli_writes){
	    .servers = o->debuginfod });
	p.cli.context = prof_context_new(profdata_warn, &p);
	if (p.cli.context == NULL)
		profdata_out_of_memory();
	prof_context_as_llvm(p.cli.context);
	status = commands[p.command](&p);
	free(o->weighted.items);
	free(o->cutoffs.items);
	free(o->debug_dirs.items);
	prof_context_free(p.cli.context);
	cli_names_free(p.cli.inputs.names);
	free(p.cli.inputs.items);
	free(p.last_file);
	return status;
}
