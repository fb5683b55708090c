/* hottest FILE... - the ten functions of the highest counts in all files */
#include <libprof/merge.h>
#include <stdio.h>

enum { TOP = 10 };

struct top {
	uint64_t count;
	char name[256];
};

static int
consider(void *arg, const struct prof_item *item)
{
	struct top *top = arg, new = { 0, "" };
	size_t n, size;
	const uint64_t *counts = prof_item_numbers(item, PROF_COUNTS, &n);
	const char *name = prof_item_bytes(item, PROF_NAME, &size);
	int i = TOP;

	if (prof_item_kind(item) != PROF_ITEM_FUNCTION || name == NULL)
		return 0;
	while (n-- > 0)
		new.count = counts[n] > new.count ? counts[n] : new.count;
	snprintf(new.name, sizeof(new.name), "%.*s", (int)size, name);
	for (; i > 0 && top[i - 1].count < new.count; i--)
		if (i < TOP)
			top[i] = top[i - 1];
	if (i < TOP)
		top[i] = new;
	return 0;
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_sum *sum = p == NULL ? NULL : prof_sum_new(p);
	struct top top[TOP] = { { 0, "" } };
	int status = sum == NULL ? -1 : 0;

	for (int i = 1; i < argc && status == 0; i++) {
		struct prof_input *in = prof_input_open(p, argv[i]);

		status = in == NULL ? -1 : prof_sum_add_input(sum, in, 1, 1);
		prof_input_close(in);
	}
	if (status == 0)
		status = prof_sum_visit(sum, consider, top);
	if (status != 0)
		fprintf(stderr, "%s\n", p == NULL ? "out of memory" :
		    prof_problem_text(prof_error(p)));
	for (int i = 0; status == 0 && i < TOP && top[i].count != 0; i++)
		printf("%llu %s\n", (unsigned long long)top[i].count,
		    top[i].name);
	prof_sum_free(sum);
	prof_free(p);
	return status == 0 ? 0 : 1;
}
