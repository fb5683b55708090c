/*
 * The public interface: each item of each sample, made again field by field, is
 * written as it was read; copies grow; misuse and damage are errors with a
 * place.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/merge.h"
#include "tests/support/problems.h"
#include "tests/support/test.h"

/* Above all fields, and past the end of each group. */
enum { FIELDS = 256 };

struct text {
	char *data;
	size_t size;
};

static int
text_add(void *arg, const void *data, size_t size)
{
	struct text *t = arg;

	t->data = realloc(t->data, t->size + size + 1);
	memcpy(t->data + t->size, data, size);
	t->size += size;
	t->data[t->size] = '\0';
	return 0;
}

static void
remake_numbers(struct prof_item *to, const struct prof_item *from)
{
	const uint64_t *numbers;
	uint64_t number;
	size_t size;

	for (int f = 0; f < FIELDS; f++) {
		if (prof_item_number(from, f, &number))
			prof_item_set_number(to, f, number);
	}
	for (int f = 0; f < FIELDS; f++) {
		numbers = prof_item_numbers(from, (enum prof_field)f, &size);
		if (numbers != NULL)
			prof_item_set_numbers(to, (enum prof_field)f, numbers,
			    size);
	}
}

static void
remake(struct prof_item *to, const struct prof_item *from)
{
	const char *bytes;
	size_t size;

	remake_numbers(to, from);
	for (int f = 0; f < FIELDS; f++) {
		enum prof_field field = (enum prof_field)f;

		bytes = prof_item_bytes(from, field, &size);
		if (bytes != NULL)
			prof_item_set_bytes(to, field, bytes, size);
		for (size_t i = 0; i < prof_item_parts(from, field); i++)
			remake(prof_item_add(to, field),
			    prof_item_part(from, field, i));
	}
}

/* Of a profile, members of "source" that only a reader sets. */
static void
drop_source(char *stream)
{
	char *source = stream;

	while ((source = strstr(source, "\"source\":{")) != NULL) {
		char *end = strchr(source, '}');

		memmove(source, end, strlen(end) + 1);
	}
}

/* Writes the items of a file to one output as they are, to another remade. */
static int
write_both(struct prof *p, const char *path, struct prof_output *as_read,
    struct prof_output *remade)
{
	struct prof_input *in = prof_input_open(p, path);
	const struct prof_item *item;
	int status = -1, bad = 0;

	while (bad == 0 && (status = prof_input_next(in, &item)) > 0) {
		struct prof_item *made = prof_item_new(p, prof_item_kind(item));
		struct prof_item *copy;

		if (made == NULL)
			continue;	/* an item that nobody makes */
		copy = prof_item_copy(p, item);
		remake(made, item);
		bad = prof_output_put(as_read, copy) ||
		    prof_output_put(remade, made);
		prof_item_free(copy);
		prof_item_free(made);
	}
	if (bad == 0 && status == 0)
		bad = prof_output_finish(as_read) ||
		    prof_output_finish(remade);
	prof_input_close(in);
	return bad || status < 0 ? -1 : 0;
}

static void
test_remade(struct prof *p, const char *top, const char *name)
{
	char path[4096];
	struct text read = { 0 }, made = { 0 };
	struct prof_output *as_read = prof_output_new(p, "stream", text_add,
	    &read);
	struct prof_output *remade = prof_output_new(p, "stream", text_add,
	    &made);
	int bad;

	snprintf(path, sizeof(path), "%s/tests/data/%s", top, name);
	bad = write_both(p, path, as_read, remade);
	if (bad == 0) {
		drop_source(read.data);
		drop_source(made.data);
	}
	if (bad != 0 && prof_error(p) != NULL &&
	    prof_problem_code(prof_error(p)) == PROF_E_LIBRARY)
		check(true, "%s # SKIP %s", name,
		    prof_problem_reason(prof_error(p)));
	else
		check(bad == 0 && read.size > 0 &&
		    strcmp(read.data, made.data) == 0,
		    "%s: all fields are read and set", name);
	prof_output_free(as_read);
	prof_output_free(remade);
	free(read.data);
	free(made.data);
}

/* A copy of a list has no room of its own. */
static void
test_copy_grows(struct prof *p)
{
	struct prof_item *f = prof_item_new(p, PROF_ITEM_FUNCTION), *copy;
	uint64_t sum = 0, value;

	for (unsigned i = 0; i < 3; i++)
		prof_item_set_number(prof_item_add(prof_item_add(f,
		    PROF_CALL_TARGETS), PROF_VALUES), PROF_VALUE, i);
	copy = prof_item_copy(p, f);
	prof_item_free(f);
	for (unsigned i = 3; i < 100; i++) {
		struct prof_item *site = i % 2 == 0 ?
		    prof_item_add(copy, PROF_CALL_TARGETS) :
		    (struct prof_item *)(uintptr_t)prof_item_part(copy,
		    PROF_CALL_TARGETS, 2);

		prof_item_set_number(prof_item_add(site, PROF_VALUES),
		    PROF_VALUE, i);
	}
	for (size_t i = 0; i < prof_item_parts(copy, PROF_CALL_TARGETS); i++) {
		const struct prof_item *site = prof_item_part(copy,
		    PROF_CALL_TARGETS, i);

		for (size_t k = 0; k < prof_item_parts(site, PROF_VALUES); k++)
			sum += prof_item_number(prof_item_part(site,
			    PROF_VALUES, k), PROF_VALUE, &value) ? value : 0;
	}
	check(sum == 99 * 100 / 2, "sites and values are added to a copy");
	prof_item_clear(copy);
	check(prof_item_parts(copy, PROF_CALL_TARGETS) == 0 &&
	    !prof_item_number(copy, PROF_GUID, &value),
	    "a cleared item has no fields");
	prof_item_free(copy);
}

static void
test_misuse(struct prof *p)
{
	struct prof_item *f = prof_item_new(p, PROF_ITEM_FUNCTION);
	struct prof_item *h = prof_item_new(p, PROF_ITEM_PROFILE);
	struct prof_item *end = prof_item_new(p, PROF_ITEM_END);
	struct text text = { 0 };
	struct prof_output *out = prof_output_new(p, "indexed", text_add,
	    &text);
	struct prof_sum *sum = prof_sum_new(p);

	check(prof_item_new(p, PROF_ITEM_FRAME) == NULL &&
	    prof_item_new(p, (enum prof_item_kind)999) == NULL &&
	    failed(p, -1, PROF_E_USE, "cannot be made"), "a part alone");
	check(failed(p, prof_item_set_number(f, PROF_LINE, 1), PROF_E_USE,
	    "no such field"), "a function has no line");
	check(failed(p, prof_item_set_number(h, PROF_VERSION, 3), PROF_E_USE,
	    "no such field"), "the version of a source is that of its file");
	check(failed(p, prof_item_set_number(h, PROF_KIND, 3), PROF_E_USE,
	    "too large"), "there is no kind 3");
	check(failed(p, prof_set(p, (enum prof_option)99, 1), PROF_E_USE,
	    "option"), "there is no option 99");
	check(prof_output_new(p, "elf", text_add, &text) == NULL &&
	    failed(p, -1, PROF_E_USE, "format"), "nor a format elf");
	check(failed(p, prof_output_put(out, f), PROF_E_USE, "outside"),
	    "a function outside of a profile is not put");
	check(failed(p, prof_sum_add(sum, f), PROF_E_USE, "outside"),
	    "nor added");
	check(failed(p, prof_output_set(out, PROF_OUT_VERSION, 99),
	    PROF_E_USE, "version"), "nor a version 99");
	check(prof_output_put(out, h) == 0 && prof_error(p) == NULL &&
	    failed(p, prof_output_put(out, h), PROF_E_USE, "before"),
	    "a profile does not begin inside of another");
	check(failed(p, prof_output_finish(out), PROF_E_USE, "not ended"),
	    "a profile without an end is not finished");
	check(failed(p, prof_output_set(out, PROF_OUT_VERSION, 5),
	    PROF_E_USE, "already"), "options come first");
	check(prof_output_put(out, end) == 0 &&
	    failed(p, prof_output_put(out, h), PROF_E_USE, "one profile"),
	    "an indexed file holds one profile");
	prof_sum_free(sum);
	prof_output_free(out);
	prof_item_free(end);
	prof_item_free(h);
	prof_item_free(f);
	free(text.data);
}

/* Whether a function with such a field is refused by an output and by a sum. */
static bool
is_refused(struct prof *p, enum prof_item_kind kind, enum prof_field field,
    const char *bytes, uint64_t guid, const char *reason)
{
	struct prof_item *head = prof_item_new(p, PROF_ITEM_PROFILE);
	struct prof_item *item = prof_item_new(p, kind);
	struct text text = { 0 };
	struct prof_output *out = prof_output_new(p, "stream", text_add,
	    &text);
	struct prof_sum *sum = prof_sum_new(p);
	bool refused;

	prof_item_set_bytes(item, PROF_NAME, "f", 1);
	prof_item_set_bytes(item, field, bytes, strlen(bytes));
	if (guid != 0)
		prof_item_set_number(item, PROF_GUID, guid);
	prof_output_put(out, head);
	prof_sum_add(sum, head);
	refused = failed(p, prof_output_put(out, item), PROF_E_USE, reason) &&
	    failed(p, prof_sum_add(sum, item), PROF_E_USE, reason);
	prof_sum_free(sum);
	prof_output_free(out);
	prof_item_free(item);
	prof_item_free(head);
	free(text.data);
	return refused;
}

/* What no reader returns would make a file that no reader takes. */
static void
test_made_items(struct prof *p)
{
	static const struct {
		enum prof_item_kind kind;
		enum prof_field field;
		const char *bytes;
		uint64_t guid;
		const char *reason;
	} rows[] = {
		{ PROF_ITEM_FUNCTION, PROF_EXTRA, "none", 0, "not JSON" },
		{ PROF_ITEM_FUNCTION, PROF_EXTRA, "\"counts\":[9]", 0, "" },
		{ PROF_ITEM_FUNCTION, PROF_EXTRA, "\"bitmap\":\"2a\"", 0,
		    "unknown members" },
		{ PROF_ITEM_FUNCTION, PROF_EXTRA, "\"k\":1}\n{\"record\":"
		    "\"vtable\",\"name\":\"v\"", 0, "unknown members" },
		{ PROF_ITEM_FUNCTION, PROF_NAME, "f", 7, "its guid" },
		{ PROF_ITEM_VTABLE, PROF_NAME, "f", 7, "its guid" },
		{ PROF_ITEM_NAME, PROF_NAME, "", 0, "name" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(is_refused(p, rows[i].kind, rows[i].field,
		    rows[i].bytes, rows[i].guid, rows[i].reason),
		    "item %zu that no reader returns is refused: %s", i,
		    prof_error(p) == NULL ? "" :
		    prof_problem_text(prof_error(p)));
}

/* A prof_pull that yields few bytes at a time. */
static ssize_t
pull_some(void *arg, void *data, size_t size)
{
	struct text *t = arg;
	size_t n = t->size < 7 ? t->size : 7;

	if (n > size)
		n = size;
	memcpy(data, t->data, n);
	t->data += n;
	t->size -= n;
	return (ssize_t)n;
}

static unsigned
count_functions(struct prof_input *in)
{
	const struct prof_item *item;
	unsigned n = 0;

	while (prof_input_next(in, &item) > 0)
		n += prof_item_kind(item) == PROF_ITEM_FUNCTION;
	prof_input_close(in);
	return n;
}

static void
test_sources(struct prof *p)
{
	char profile[] = ":ir\nf\n1\n1\n5\n\ng\n2\n2\n0\n7\n\n";
	size_t size = sizeof(profile) - 1;
	struct text text = { profile, size };
	struct prof_input *in;

	check(count_functions(prof_input_memory(p, profile, size)) == 2,
	    "an image in memory");
	check(count_functions(prof_input_pull(p, pull_some, &text)) == 2,
	    "the same, pulled");
	in = prof_input_memory(p, profile, size);
	prof_input_select(in, "g", 1);
	prof_input_select(in, "absent", 6);
	check(count_functions(in) == 1 && prof_error(p) == NULL,
	    "one function of it, of two names");
	prof_set(p, PROF_MAX_BYTES, 20);
	text = (struct text){ profile, size };
	check(count_functions(prof_input_pull(p, pull_some, &text)) == 0 &&
	    failed(p, -1, PROF_E_LIMIT, "20"), "no more bytes than allowed");
	prof_set(p, PROF_MAX_BYTES, 0);
}

/* The functions f0 to f(n-1), 1 counter each, in another format. */
static struct text
many_functions(struct prof *p, const char *format, unsigned n)
{
	struct text text = { 0 };
	struct prof_output *out = prof_output_new(p, format, text_add, &text);
	struct prof_item *head = prof_item_new(p, PROF_ITEM_PROFILE);
	struct prof_item *f = prof_item_new(p, PROF_ITEM_FUNCTION);
	struct prof_item *end = prof_item_new(p, PROF_ITEM_END);
	char name[16];

	prof_item_set_number(head, PROF_LEVEL, PROF_LEVEL_IR);
	prof_output_put(out, head);
	for (unsigned i = 0; i < n; i++) {
		uint64_t count = i;

		snprintf(name, sizeof(name), "f%u", i);
		prof_item_set_bytes(f, PROF_NAME, name, strlen(name));
		prof_item_set_number(f, PROF_HASH, i);
		prof_item_set_numbers(f, PROF_COUNTS, &count, 1);
		prof_output_put(out, f);
	}
	prof_output_put(out, end);
	prof_output_finish(out);
	prof_output_free(out);
	prof_item_free(head);
	prof_item_free(f);
	prof_item_free(end);
	return text;
}

static void
test_prefixes(struct prof *p)
{
	static const char *const formats[] = { "indexed", "stream", "lprf" };

	for (size_t i = 0; i < 3; i++) {
		struct text t = many_functions(p, formats[i], 200);
		struct prof_input *in = prof_input_memory(p, t.data, t.size);

		prof_input_select_prefix(in, "f1", 2);
		prof_input_select_prefix(in, "f19", 3);
		prof_input_select(in, "f7", 2);
		prof_input_select(in, "absent", 6);
		check(count_functions(in) == 112 && prof_error(p) == NULL,
		    "%s: functions whose names begin so, and one", formats[i]);
		in = prof_input_memory(p, t.data, t.size);
		prof_input_select_prefix(in, "g", 1);
		check(count_functions(in) == 0 && prof_error(p) == NULL,
		    "%s: none begins with g", formats[i]);
		free(t.data);
	}
}

static int
visit_counts(void *arg, const struct prof_item *item)
{
	size_t size;
	const uint64_t *counts = prof_item_numbers(item, PROF_COUNTS, &size);
	uint64_t *sum = arg;

	for (size_t i = 0; i < size; i++)
		*sum += counts[i];
	return size == 2 ? -1 : 0;
}

static int
sum_add(struct prof *p, struct prof_sum *sum, const char *text, uint64_t times,
    uint64_t parts)
{
	struct prof_input *in = prof_input_memory(p, text, strlen(text));
	int status = prof_sum_add_input(sum, in, times, parts);

	prof_input_close(in);
	return status;
}

/* The bytes of the sum of three inputs; none: it failed. */
static struct text
sum_bytes(struct prof *p, const struct text *input, uint64_t memory)
{
	struct text text = { 0 };
	struct prof_output *out = prof_output_new(p, "indexed", text_add,
	    &text);
	struct prof_sum *sum = prof_sum_new(p);
	int status = memory == 0 ? 0 :
	    prof_sum_set(sum, PROF_SUM_MEMORY, memory);

	for (unsigned i = 0; i < 3 && status == 0; i++)
		status = sum_add(p, sum, input->data, i + 1, 1);
	if (status == 0)
		status = prof_sum_write(sum, out);
	prof_sum_free(sum);
	if (status == 0)
		status = prof_output_finish(out);
	if (status != 0)
		text.size = 0;
	prof_output_free(out);
	return text;
}

static int
text_refuse(void *arg, const void *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	return ENOSPC;
}

/* The sum is gone when the output is finished, whatever came of it. */
static void
test_sum_refused(struct prof *p)
{
	struct text t = many_functions(p, "stream", 1000);
	struct prof_output *out = prof_output_new(p, "indexed", text_refuse,
	    NULL);
	struct prof_sum *sum = prof_sum_new(p);

	check(sum_add(p, sum, t.data, 1, 1) == 0 &&
	    failed(p, prof_sum_write(sum, out), PROF_E_SYSTEM, "No space"),
	    "a sum that the sink refuses");
	prof_sum_free(sum);
	check(failed(p, prof_output_finish(out), PROF_E_USE,
	    "the sum was not written"), "its output is not finished");
	prof_output_free(out);
	free(t.data);
}

static void
test_bounded(struct prof *p)
{
	struct text t = many_functions(p, "stream", 1000);
	struct text free_sum = sum_bytes(p, &t, 0);
	struct text bounded = sum_bytes(p, &t, 4096);
	struct prof_sum *sum = prof_sum_new(p);
	const char *folder = getenv("TMPDIR");
	char *before = folder == NULL ? NULL : strdup(folder);

	check(free_sum.size != 0 && free_sum.size == bounded.size &&
	    memcmp(free_sum.data, bounded.data, bounded.size) == 0,
	    "a sum in bounded memory is the same");
	setenv("TMPDIR", "/nonexistent", 1);
	free(bounded.data);
	bounded = sum_bytes(p, &t, 4096);
	check(bounded.size == 0 && failed(p, -1, PROF_E_SYSTEM,
	    "/nonexistent: cannot make a temporary file"),
	    "it is made in temporary files");
	if (before == NULL)
		unsetenv("TMPDIR");
	else
		setenv("TMPDIR", before, 1);
	free(before);
	check(prof_sum_set(sum, PROF_SUM_MEMORY, 1) == 0 &&
	    failed(p, prof_sum_set(sum, PROF_SUM_MEMORY, 1), PROF_E_USE,
	    "already"), "the memory is bounded once");
	prof_sum_free(sum);
	free(free_sum.data);
	free(bounded.data);
	free(t.data);
}

static void
test_figures(struct prof *p)
{
	static const char text[] = ":ir\nf\n1\n1\n90\n\ng\n2\n3\n0\n7\n3\n\n"
	    "hot\n3\n1\n18446744073709551615\n\n";
	struct prof_input *in = prof_input_memory(p, text, sizeof(text) - 1);
	struct prof_figures *g = prof_figures_new(p);
	const struct prof_item *item;
	uint64_t least, counters;

	while (prof_input_next(in, &item) > 0)
		check(prof_figures_add(g, item) == 0, "an item is counted");
	prof_input_close(in);
	check(prof_figures_get(g, PROF_FIG_FUNCTIONS) == 3 &&
	    prof_figures_get(g, PROF_FIG_PSEUDO_FUNCTIONS) == 1 &&
	    prof_figures_get(g, PROF_FIG_COUNTERS) == 4 &&
	    prof_figures_get(g, PROF_FIG_ZERO_COUNTERS) == 1 &&
	    prof_figures_get(g, PROF_FIG_TOTAL_COUNT) == 100 &&
	    prof_figures_get(g, PROF_FIG_MAX_INTERNAL_COUNT) == 7 &&
	    prof_figures_get(g, (enum prof_figure)99) == 0, "figures");
	check(prof_figures_cutoff(g, 950000, &least, &counters) == 0 &&
	    least == 7 && counters == 2, "two counters make 95 percent");
	check(failed(p, prof_figures_cutoff(g, 1000001, &least, &counters),
	    PROF_E_USE, "1000000"), "no more than all");
	prof_figures_free(g);
}

static int
diff_side(struct prof *p, struct prof_diff *d, int side, const char *text)
{
	struct prof_input *in = prof_input_memory(p, text, strlen(text));
	const struct prof_item *item;
	int status;

	while ((status = prof_input_next(in, &item)) > 0) {
		status = prof_diff_add(d, side, item);
		if (status != 0)
			break;
	}
	prof_input_close(in);
	return status;
}

static void
test_diff(struct prof *p)
{
	static const char *const sides[] = {
		":ir\nf\n1\n1\n50\n\ng\n2\n1\n50\n\n",
		":ir\nf\n1\n1\n25\n\nh\n2\n1\n75\n\n" };
	struct prof_diff *d = prof_diff_new(p);
	const struct prof_change *c;
	double overlap;
	size_t size;

	check(diff_side(p, d, 0, sides[0]) == 0 &&
	    diff_side(p, d, 1, sides[1]) == 0, "two sides are added");
	check(failed(p, prof_diff_add(d, 2, NULL), PROF_E_USE, "side"),
	    "there is no third one");
	check(diff_side(p, d, 1, "f\n1\n1\n2\n") == -1 &&
	    failed(p, -1, PROF_E_MISMATCH, "compared"),
	    "a front end's profile does not compare");
	prof_diff_free(d);
	d = prof_diff_new(p);
	diff_side(p, d, 0, sides[0]);
	diff_side(p, d, 1, sides[1]);
	check(prof_diff_compare(d) == 0, "the sides are compared");
	overlap = prof_diff_overlap(d, PROF_DIFF_FUNCTIONS);
	check(overlap > 0.2499 && overlap < 0.2501, "a quarter is common");
	check(prof_diff_in_state(d, PROF_DIFF_FUNCTIONS,
	    PROF_NO_LONGER_RUN) == 1 && prof_diff_in_state(d,
	    PROF_DIFF_FUNCTIONS, PROF_NEWLY_RUN) == 1 &&
	    prof_diff_in_state(d, PROF_DIFF_FUNCTIONS,
	    (enum prof_change_state)99) == 0 &&
	    prof_diff_number(d, PROF_DIFF_FUNCTIONS, PROF_DIFF_COMMON) == 1 &&
	    prof_diff_number(d, PROF_DIFF_HEAP, PROF_DIFF_OF_OLD) == 0,
	    "numbers of functions");
	c = prof_diff_change(d, PROF_DIFF_FUNCTIONS, 0);
	check(prof_change_state(c) == PROF_NEWLY_RUN &&
	    strcmp(prof_change_word(PROF_NEWLY_RUN), "newly run") == 0 &&
	    prof_change_word((enum prof_change_state)99) == NULL &&
	    prof_change_name(c, 0, &size) == NULL && size == 0 &&
	    strncmp(prof_change_name(c, 1, &size), "h", 1) == 0 && size == 1 &&
	    prof_change_count(c, 1) == 75 && prof_change_count(c, 0) == 0 &&
	    prof_change_hash(c, 1) == 2 && prof_change_hash(c, 0) == 0 &&
	    prof_change_guid(c, 1) == prof_name_guid("h", 1),
	    "the largest change");
	check(prof_diff_change(d, PROF_DIFF_FUNCTIONS, 2) != NULL &&
	    prof_diff_change(d, PROF_DIFF_FUNCTIONS, 3) == NULL,
	    "there are three");
	prof_diff_free(d);
}

static int
put_item(void *out, const struct prof_item *item)
{
	return prof_output_put(out, item);
}

/* A local function of an IR profile has another name since LLVM 18. */
static void
test_upgrade(struct prof *p)
{
	static const char text[] = ":ir\na.c:f\n1\n1\n5\n\n";
	struct prof_input *in = prof_input_memory(p, text, sizeof(text) - 1);
	struct prof_filter *filter = prof_upgrade_new(p, 18, 0);
	struct text result = { 0 };
	struct prof_output *out = prof_output_new(p, "text", text_add,
	    &result);
	const struct prof_item *item;

	check(failed(p, prof_symbolizer_add(filter, "/bin/sh"), PROF_E_USE,
	    "not a symbolizer"), "binaries are for symbolizers");
	while (prof_input_next(in, &item) > 0)
		check(prof_filter_put(filter, item, put_item, out) == 0,
		    "an item is made fit");
	check(prof_filter_finish(filter) == 0 &&
	    prof_output_finish(out) == 0 &&
	    strstr(result.data, "\na.c;f\n") != NULL, "for LLVM 18");
	check(failed(p, prof_filter_finish(filter), PROF_E_USE, "already"),
	    "a filter is finished once");
	check(prof_upgrade_new(p, 99, 0) == NULL &&
	    failed(p, -1, PROF_E_USE, "not known") &&
	    prof_release_version(18, 0) == 11 &&
	    prof_release_version(99, 0) == 0, "releases and their versions");
	prof_input_close(in);
	prof_output_free(out);
	prof_filter_free(filter);
	free(result.data);
}

static void
test_places(struct prof *p)
{
	static const char bad[] = ":ir\nf\n1\nx\n";
	struct prof_input *in = prof_input_memory(p, bad, sizeof(bad) - 1);
	const struct prof_item *item;
	uint64_t line = 0;
	int status;

	while ((status = prof_input_next(in, &item)) > 0)
		;
	check(status == -1 && prof_problem_place(prof_error(p), &line) ==
	    PROF_AT_LINE && line == 4 &&
	    strncmp(prof_problem_text(prof_error(p)), "line 4: ", 8) == 0 &&
	    prof_problem_file(prof_error(p)) == NULL, "the place of an error");
	check(prof_input_next(in, &item) == 0 && prof_error(p) == NULL,
	    "nothing follows it");
	prof_input_close(in);
	in = prof_input_open(p, "/nonexistent/file");
	check(prof_input_next(in, &item) == -1 &&
	    strcmp(prof_problem_file(prof_error(p)), "/nonexistent/file") == 0,
	    "the file of an error");
	prof_input_close(in);
}

static void
test_sum(struct prof *p)
{
	static const char one[] = ":ir\nf\n1\n1\n5\n\n";
	struct prof_sum *sum = prof_sum_new(p);
	struct prof_input *in = prof_input_memory(p, one, strlen(one));
	uint64_t total = 0;

	check(prof_sum_add_input(sum, in, 3, 1) == 0, "three times 5");
	check(failed(p, prof_sum_add_input(sum, in, 1, 1), PROF_E_USE,
	    "already"), "an input is added once");
	prof_input_close(in);
	check(failed(p, sum_add(p, sum, one, 0, 1), PROF_E_USE, "weight"),
	    "not 0 times");
	check(sum_add(p, sum, one, 2, 5) == 0 &&
	    prof_sum_visit(sum, visit_counts, &total) == 0 && total == 17,
	    "and two fifths of 5 make 17");
	check(failed(p, prof_sum_visit(sum, visit_counts, &total), PROF_E_USE,
	    "written"), "a sum is taken once");
	prof_sum_free(sum);
	sum = prof_sum_new(p);
	check(sum_add(p, sum, one, 1, 1) == 0 && failed(p, sum_add(p, sum,
	    one + strlen(":ir\n"), 1, 1), PROF_E_MISMATCH, "front"),
	    "IR and a front end's do not mix");
	check(failed(p, prof_sum_visit(sum, visit_counts, &total), PROF_E_USE,
	    "adding to the sum has failed"), "and there is no sum then");
	prof_sum_free(sum);
}

/* What handles a signal; sanitizers have handlers of their own. */
static void
note_handlers(void (**handlers)(int))
{
	struct sigaction action;

	for (int s = 1; s < NSIG; s++)
		handlers[s] = sigaction(s, NULL, &action) == 0 ?
		    action.sa_handler : SIG_DFL;
}

/* After all that: nothing of the process has changed. */
static void
test_process(void (**before)(int))
{
	void (*after[NSIG])(int);
	int changed = 0;

	note_handlers(after);
	for (int s = 1; s < NSIG; s++)
		changed += after[s] != before[s];
	check(changed == 0, "no signal has another handler");
	check(strcmp(setlocale(LC_ALL, NULL), "C") == 0, "the locale is C");
}

int
main(void)
{
	static const char *const samples[] = { "good/kinds.profraw",
		"good/ids.profraw", "good/correlated-v11.profraw",
		"good/temporal.profraw", "good/v11-64le.profraw",
		"memprof/v2.llvm22.profdata",
		"memprof/v4.mixed.profdata", "memprof/sample.yaml",
		"symbolize/app-22.memprofraw", "heap/app.ndjson" };
	const char *top = getenv("top_srcdir");
	void (*handlers[NSIG])(int);
	struct prof *p;

	note_handlers(handlers);
	p = prof_new();

	if (top == NULL)
		skip_all("no test data: set top_srcdir");
	for (size_t i = 0; i < COUNT(samples); i++)
		test_remade(p, top, samples[i]);
	test_copy_grows(p);
	test_misuse(p);
	test_made_items(p);
	test_sources(p);
	test_prefixes(p);
	test_places(p);
	test_sum(p);
	test_sum_refused(p);
	test_bounded(p);
	test_figures(p);
	test_diff(p);
	test_upgrade(p);
	prof_free(p);
	test_process(handlers);
	return done_testing();
}
