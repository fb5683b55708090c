/* counters - a profile of counters in memory, as of a kernel or firmware */
#include <errno.h>
#include <libprof/write.h>
#include <stdio.h>
#include <string.h>

static const struct function {
	const char *name;
	uint64_t hash, counts[2];
} functions[] = { { "boot", 24, { 1, 0 } }, { "irq", 25, { 9000, 12 } } };

static int
print(void *arg, const void *data, size_t size)
{
	return fwrite(data, 1, size, arg) == size ? 0 : EIO;
}

static int
write_all(struct prof_output *out, struct prof_item *profile,
    struct prof_item *f, struct prof_item *end)
{
	int bad = prof_item_set_number(profile, PROF_LEVEL, PROF_LEVEL_IR) ||
	    prof_output_put(out, profile);

	for (const struct function *g = functions; g < functions + 2; g++)
		bad = bad || prof_item_set_bytes(f, PROF_NAME, g->name,
		    strlen(g->name)) ||
		    prof_item_set_number(f, PROF_HASH, g->hash) ||
		    prof_item_set_numbers(f, PROF_COUNTS, g->counts, 2) ||
		    prof_output_put(out, f);
	return bad || prof_output_put(out, end) || prof_output_finish(out);
}

int
main(void)
{
	struct prof_item *profile, *f, *end;
	struct prof *p = prof_new();
	struct prof_output *out;
	int bad;

	if (p == NULL)
		return 2;
	profile = prof_item_new(p, PROF_ITEM_PROFILE);
	f = prof_item_new(p, PROF_ITEM_FUNCTION);
	end = prof_item_new(p, PROF_ITEM_END);
	out = prof_output_new(p, "indexed", print, stdout);
	bad = profile == NULL || f == NULL || end == NULL || out == NULL ||
	    write_all(out, profile, f, end);
	if (bad)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_output_free(out);
	prof_item_free(profile);
	prof_item_free(f);
	prof_item_free(end);
	prof_free(p);
	return bad;
}
