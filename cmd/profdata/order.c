/* llvm-profdata order */
#include "config.h"

#include <stdlib.h>

#include "base/error.h"
#include "cmd/print/order_list.h"
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

int
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
