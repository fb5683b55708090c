/* llvm-profdata - for scripts that call LLVM's program of that name */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/messages.h"
#include "cmd/common/process.h"
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
	const char *path = p->options.operands.size == 0 ? "" :
	    p->options.operands.items[0];
	struct order *order = order_new();
	char message[PROFDATA_MESSAGE_SIZE];
	struct prof_error err = { 0 };
	struct partition_how how = { PARTITION_SORT, 1 };
	size_t test;

	if (order == NULL)
		profdata_out_of_memory();
	profdata_require_file(path);
	if (profdata_read(p, path, order_record, order, &err) != PROF_OK)
		profdata_fail(path, "%s", profdata_message(message, &err));
	test = (size_t)p->options.test_traces;
	if (test != 0 && test >= order_traces(order))
		profdata_fail(NULL, "--num-test-traces must be smaller than "
		    "the total number of traces: expected: < %zu, actual: "
		    "%zu", order_traces(order), test);
	if (!profdata_since(p, 20))
		how.rule = PARTITION_SELECT;
	if (order_run(order, test, how, &err) != PROF_OK)
		profdata_fail(path, "%s", profdata_message(message, &err));
	print_order(p, order);
	order_free(order);
	return 0;
}

static const struct {
	const char *name;
	enum profdata_command command;
	int (*run)(struct profdata *);
} commands[] = {
	{ "merge", PROFDATA_MERGE, profdata_merge },
	{ "show", PROFDATA_SHOW, profdata_show },
	{ "overlap", PROFDATA_OVERLAP, profdata_overlap },
	{ "order", PROFDATA_ORDER, profdata_order },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* Reports a missing or unknown command, as LLVM's program words it. */
static int
profdata_report_command(const struct profdata *p, const char *word)
{
	if (word == NULL)
		message_print(profdata_since(p, 17) ? "%s: No subcommand "
		    "specified! Run llvm-profdata --help for usage.\n" :
		    "%s: No command specified!\n", p->name);
	else if (profdata_since(p, 17))
		message_print("%s: Unknown subcommand '%s'.  Try: '%s "
		    "--help'\n", p->name, word, p->name);
	else
		message_print("%s: Unknown command!\n", p->name);
	if (!profdata_since(p, 17))
		message_print("USAGE: %s <merge|show|overlap> [args...]\n",
		    p->name);
	return 1;
}

static void
profdata_restrict(const struct profdata *p)
{
	struct sandbox s;

	sandbox_prepare(&s, p->options.debuginfod ? SANDBOX_NETWORK : 0);
	sandbox_allow_output(&s, p->options.output);
	sandbox_enter(&s);
}

static int
profdata_run_command(struct profdata *p, size_t i, int argc, char **argv)
{
	int status;

	p->command = commands[i].command;
	p->command_name = commands[i].name;
	profdata_parse(p, argc, argv);
	profdata_restrict(p);
	p->context = prof_context_new(profdata_warn, p);
	if (p->context == NULL)
		profdata_out_of_memory();
	prof_context_llvm_text(p->context);
	status = commands[i].run(p);
	profdata_free(p);
	return status;
}

int
main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct profdata p = { .name = slash == NULL ? argv[0] : slash + 1,
	    .beside.work = &p.work };
	int at = 1;

	cli_cleanup_at_end();
	profdata_expand_response_files(&argc, &argv);
	if (argc > at && strncmp(argv[at], "--compat=", 9) == 0)
		p.options.compat = argv[at++] + 9;
	profdata_choose_release(&p);
	if (argc <= at)
		return profdata_report_command(&p, NULL);
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[at], commands[i].name) == 0)
			return profdata_run_command(&p, i, argc - at - 1,
			    argv + at + 1);
	}
	if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-help") == 0 ||
	    strcmp(argv[at], "-h") == 0)
		profdata_help_all(&p);
	if (strcmp(argv[at], "--version") == 0 ||
	    strcmp(argv[at], "-version") == 0) {
		profdata_print_version(&p);
	}
	return profdata_report_command(&p, argv[at]);
}
