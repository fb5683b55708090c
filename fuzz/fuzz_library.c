/*
 * Calls the functions of the installed library in an order that the bytes give.
 *
 * The first byte is the number of calls, then comes a byte for each call, and
 * the rest is the image that all inputs read.  The low bits of a call choose
 * the function, its high bits an argument.  Calls follow the rules of the
 * headers: an item is not used after the next one was read, and an object that
 * has failed is only freed.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/calls.h"
#include "fuzz/fuzz.h"
#include "libprof/merge.h"

enum { HANDLES = 2, NAMES = 4 };

/* A handle with one object of each kind; one that is spent is only freed. */
struct user {
	struct prof *p;
	struct prof_input *in;
	const struct prof_item *item;	/* the last one of the input, or NULL */
	struct prof_item *own;
	struct prof_sum *sum;
	struct prof_output *out;
	struct prof_figures *figures;
	struct prof_diff *diff;
	struct prof_filter *filter;
	struct buf written;		/* by out */
	struct prof_span image, rest;	/* rest: not pulled yet */
	bool fresh, sum_spent, out_spent, out_used, diff_spent, filter_spent;
	bool whole;			/* the output has the sum and no more */
};

/* The argument is from 0 to 7. */
typedef void call(struct user *, unsigned argument);

static void
note(void *arg, const struct prof_problem *w)
{
	(void)arg;
	demand(prof_problem_text(w)[0] != '\0', "a warning has a text");
}

/* Gives whether a call succeeded, of which status is the result. */
static bool
worked(const struct user *u, int status)
{
	const struct prof_problem *e = prof_error(u->p);

	demand((status == -1) == (e != NULL),
	    "a call fails if and only if there is an error");
	if (e == NULL)
		return true;
	demand(prof_problem_reason(e)[0] != '\0' &&
	    strstr(prof_problem_text(e), prof_problem_reason(e)) != NULL,
	    "the text of an error has the reason");
	return false;
}

static bool
made(const struct user *u, const void *object)
{
	return worked(u, object == NULL ? -1 : 0);
}

static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct user *u = arg;
	size_t n = u->rest.size < size ? u->rest.size : size;

	n = n < 100 ? n : n / 2;
	if (n == 0)
		return 0;
	memcpy(data, u->rest.data, n);
	u->rest.data += n;
	u->rest.size -= n;
	return (ssize_t)n;
}

static void
call_close(struct user *u, unsigned argument)
{
	(void)argument;
	prof_input_close(u->in);
	u->in = NULL;
	u->item = NULL;
}

static void
call_open(struct user *u, unsigned argument)
{
	call_close(u, argument);
	u->rest = u->image;
	u->in = argument % 2 == 0 ?
	    prof_input_memory(u->p, u->image.data, u->image.size) :
	    prof_input_pull(u->p, pull, u);
	u->fresh = made(u, u->in);
}

static void
call_select(struct user *u, unsigned argument)
{
	static const char *const names[NAMES] = { "main", "f", "foo", "" };
	const char *name = names[argument % NAMES];

	if (u->in == NULL || !u->fresh)
		return;
	worked(u, argument >= NAMES ?
	    prof_input_select_prefix(u->in, name, strlen(name)) :
	    prof_input_select(u->in, name, strlen(name)));
}

static bool
next(struct user *u)
{
	int status;

	u->item = NULL;
	u->fresh = false;
	status = prof_input_next(u->in, &u->item);
	worked(u, status);
	if (status != 1)
		u->item = NULL;
	return status == 1;
}

static void
call_next(struct user *u, unsigned argument)
{
	for (unsigned n = argument * argument + 1; u->in != NULL && n > 0; n--)
		next(u);
}

/* Reads all that an item has, and the parts of its lists. */
static void
read_item(const struct prof_item *item, int depth)
{
	uint64_t number, sum = 0;
	const uint64_t *numbers;
	size_t n;

	for (int field = 1; field < 256; field++) {
		const char *bytes = prof_item_bytes(item,
		    (enum prof_field)field, &n);

		for (size_t i = 0; i < n; i++)
			sum += (unsigned char)bytes[i];
		numbers = prof_item_numbers(item, (enum prof_field)field, &n);
		for (size_t i = 0; i < n; i++)
			sum += numbers[i];
		sum += prof_item_number(item, field, &number) == 0;
		n = prof_item_parts(item, (enum prof_field)field);
		demand(n == 0 || depth < 2, "parts have parts at one level");
		for (size_t i = 0; i < n; i++)
			read_item(prof_item_part(item, (enum prof_field)field,
			    i), depth + 1);
	}
	demand(sum != 1, "the bytes of an item are used");
}

static void
call_read_item(struct user *u, unsigned argument)
{
	const struct prof_item *item = argument % 2 == 0 ? u->item : u->own;

	if (item != NULL)
		read_item(item, 0);
}

static void
call_copy_item(struct user *u, unsigned argument)
{
	(void)argument;
	if (u->item == NULL)
		return;
	prof_item_free(u->own);
	u->own = prof_item_copy(u->p, u->item);
	made(u, u->own);
}

static void
call_new_item(struct user *u, unsigned argument)
{
	static const enum prof_item_kind kinds[] = {
		PROF_ITEM_PROFILE, PROF_ITEM_FUNCTION, PROF_ITEM_SEGMENT,
		PROF_ITEM_STACK, PROF_ITEM_ALLOCATION, PROF_ITEM_HEAP_FUNCTION,
		PROF_ITEM_TRACE, PROF_ITEM_END
	};

	prof_item_free(u->own);
	u->own = prof_item_new(u->p, kinds[argument]);
	made(u, u->own);
}

/* Sets a field of each type, most of which no item of the kind has. */
static void
set_fields(const struct user *u, struct prof_item *item, unsigned argument)
{
	static const uint64_t numbers[] = { 3, 0, UINT64_MAX };
	static const enum prof_field fields[][2] = {
		{ PROF_KIND, PROF_COUNTS }, { PROF_HASH, PROF_COUNTS },
		{ PROF_ID, PROF_PCS }, { PROF_STACK, PROF_HISTOGRAM },
		{ PROF_START, PROF_SEGMENTS }, { PROF_LINE, PROF_CALLEES },
		{ PROF_VALUE, PROF_UNIFORM_COUNTS }, { PROF_GUID, PROF_PCS }
	};

	worked(u, prof_item_set_number(item, (int)fields[argument][0],
	    argument));
	worked(u, prof_item_set_number(item, PROF_FRONTEND_FIRST, argument +
	    5));
	worked(u, prof_item_set_number(item, PROF_FRONTEND_LAST, 8));
	worked(u, prof_item_set_numbers(item, fields[argument][1], numbers,
	    argument % 4));
	worked(u, prof_item_set_bytes(item, argument % 2 == 0 ? PROF_NAME :
	    PROF_BITMAP, "main", 4));
}

static void
call_set_item(struct user *u, unsigned argument)
{
	if (u->own != NULL && argument == 0)
		prof_item_clear(u->own);
	else if (u->own != NULL)
		set_fields(u, u->own, argument);
}

static void
call_add_part(struct user *u, unsigned argument)
{
	struct prof_item *part;

	if (u->own == NULL)
		return;
	part = prof_item_add(u->own,
	    (enum prof_field)((unsigned)PROF_CALL_TARGETS + argument));
	if (made(u, part))
		set_fields(u, part, argument);
}

static void
call_new_sum(struct user *u, unsigned argument)
{
	prof_sum_free(u->sum);
	u->sum = prof_sum_new(u->p);
	u->sum_spent = !made(u, u->sum);
	if (!u->sum_spent && argument != 0)
		worked(u, prof_sum_set(u->sum, (enum prof_sum_option)(argument %
		    4), argument == 3 ? 1 << 20 : 1));
}

static void
call_sum_input(struct user *u, unsigned argument)
{
	if (u->sum == NULL || u->sum_spent || u->in == NULL || !u->fresh)
		return;
	u->fresh = false;
	u->sum_spent = !worked(u, prof_sum_add_input(u->sum, u->in,
	    argument + 1, argument % 2 + 1));
}

/* The item that is put somewhere: of the input, or the caller's own. */
static const struct prof_item *
item_to_put(const struct user *u, unsigned argument)
{
	return argument % 2 == 0 ? u->item : u->own;
}

static void
call_sum_item(struct user *u, unsigned argument)
{
	const struct prof_item *item = item_to_put(u, argument);

	if (u->sum != NULL && !u->sum_spent && item != NULL)
		u->sum_spent = !worked(u, prof_sum_add(u->sum, item));
}

static int
collect_written(void *arg, const void *data, size_t size)
{
	struct user *u = arg;

	return collect(&u->written, data, size);
}

static void
call_new_output(struct user *u, unsigned argument)
{
	static const char *const formats[8] = {
		"stream", "indexed", "text", "lprf", "yaml",
		"raw", "none", ""	/* not written */
	};

	prof_output_free(u->out);
	u->written.size = 0;
	u->out = prof_output_new(u->p, formats[argument], collect_written, u);
	u->out_spent = !made(u, u->out);
	u->out_used = u->whole = false;
}

static void
call_set_output(struct user *u, unsigned argument)
{
	static const uint64_t values[] = { 0, 1, 2, 5, 8, 12, 32, 13 };

	if (u->out == NULL || u->out_spent || u->out_used)
		return;
	for (int option = 1; option < 9; option++)
		worked(u, prof_output_set(u->out,
		    (enum prof_output_option)option, values[argument]));
}

static void
call_write_sum(struct user *u, unsigned argument)
{
	(void)argument;
	if (u->sum == NULL || u->sum_spent || u->out == NULL || u->out_spent ||
	    u->out_used)
		return;
	u->out_used = u->sum_spent = true;
	u->whole = worked(u, prof_sum_write(u->sum, u->out));
	u->out_spent = !u->whole;
}

/* Passes items of a sum or filter on; one time in two frees the input first. */
static int
visit(void *arg, const struct prof_item *item)
{
	struct user *u = arg;

	if (prof_item_kind(item) == PROF_ITEM_END && u->in != NULL &&
	    u->item == NULL)
		call_close(u, 0);
	read_item(item, 0);
	return 0;
}

static void
call_visit_sum(struct user *u, unsigned argument)
{
	(void)argument;
	if (u->sum == NULL || u->sum_spent)
		return;
	u->sum_spent = true;
	worked(u, prof_sum_visit(u->sum, visit, u));
	demand(prof_sum_mismatches(u->sum) < UINT64_MAX,
	    "mismatches are counted");
}

static void
call_put(struct user *u, unsigned argument)
{
	const struct prof_item *item = item_to_put(u, argument);

	if (u->out == NULL || u->out_spent || u->whole || item == NULL)
		return;
	u->out_used = true;
	worked(u, prof_output_put(u->out, item));
}

static void
call_put_all(struct user *u, unsigned argument)
{
	(void)argument;
	while (u->in != NULL && u->out != NULL && !u->out_spent && !u->whole &&
	    next(u))
		call_put(u, 0);
}

/* What was written as one sum can be read. */
static void
read_again(const struct user *u)
{
	struct prof *p = prof_new();
	const struct prof_item *item;
	struct prof_input *in = prof_input_memory(p, u->written.data,
	    u->written.size);
	int status = 1;

	prof_set(p, PROF_THOROUGH, 1);
	while (status == 1)
		status = prof_input_next(in, &item);
	demand(status == 0, "a sum that was written can be read");
	prof_input_close(in);
	prof_free(p);
}

static void
call_finish(struct user *u, unsigned argument)
{
	(void)argument;
	if (u->out == NULL || u->out_spent)
		return;
	u->out_spent = u->out_used = true;
	if (worked(u, prof_output_finish(u->out)) && u->whole)
		read_again(u);
}

static void
call_figures(struct user *u, unsigned argument)
{
	const struct prof_item *item = item_to_put(u, argument);
	uint64_t least, counters;

	if (u->figures == NULL)
		u->figures = prof_figures_new(u->p);
	if (u->figures != NULL && item != NULL &&
	    !worked(u, prof_figures_add(u->figures, item))) {
		prof_figures_free(u->figures);
		u->figures = NULL;
	}
	for (int i = 0; u->figures != NULL && i < 40; i++)
		prof_figures_get(u->figures, (enum prof_figure)i);
	if (u->figures != NULL)
		worked(u, prof_figures_cutoff(u->figures, argument * 125000,
		    &least, &counters));
}

static void
call_diff_all(struct user *u, unsigned argument)
{
	if (u->diff == NULL) {
		u->diff = prof_diff_new(u->p);
		u->diff_spent = !made(u, u->diff);
	}
	if (argument >= 4 && u->own != NULL && !u->diff_spent)
		u->diff_spent = !worked(u, prof_diff_add(u->diff,
		    (int)argument % 2, u->own));
	while (u->in != NULL && !u->diff_spent && next(u))
		u->diff_spent = !worked(u, prof_diff_add(u->diff,
		    (int)argument % 2, u->item));
}

static void
read_change(const struct prof_change *change)
{
	size_t size;
	const char *name = prof_change_name(change, 1, &size);

	demand((name == NULL) == (size == 0), "a name has a size");
	demand(prof_change_share(change, 0) >= 0 &&
	    prof_change_share(change, 1) <= 1.0000001,
	    "shares are from 0 to 1");
}

static void
call_compare(struct user *u, unsigned argument)
{
	enum prof_diff_subject subject = (enum prof_diff_subject)(argument % 3);
	const struct prof_change *change;

	if (u->diff == NULL)
		return;
	if (!u->diff_spent && worked(u, prof_diff_compare(u->diff))) {
		demand(prof_diff_overlap(u->diff, subject) >= 0,
		    "an overlap is at least 0");
		for (size_t i = 0; (change = prof_diff_change(u->diff, subject,
		    i)) != NULL; i++)
			read_change(change);
	}
	prof_diff_free(u->diff);
	u->diff = NULL;
}

static void
call_new_filter(struct user *u, unsigned argument)
{
	static const unsigned releases[] = { 3, 9, 13, 16, 19, 22 };

	prof_filter_free(u->filter);
	u->filter = argument >= 6 ? prof_symbolizer_new(u->p) :
	    prof_upgrade_new(u->p, releases[argument], argument == 0 ? 5 : 0);
	u->filter_spent = !made(u, u->filter);
	if (!u->filter_spent && argument == 7)
		worked(u, prof_symbolizer_set(u->filter, PROF_SYM_DROP, 1));
}

static void
call_filter(struct user *u, unsigned argument)
{
	if (u->filter == NULL)
		return;
	if (argument >= 4 && u->own != NULL && !u->filter_spent)
		u->filter_spent = !worked(u, prof_filter_put(u->filter, u->own,
		    visit, u));
	while (u->in != NULL && !u->filter_spent && next(u))
		u->filter_spent = !worked(u, prof_filter_put(u->filter, u->item,
		    visit, u));
	if (argument % 2 == 0 || u->filter_spent)
		return;
	u->filter_spent = true;
	worked(u, prof_filter_finish(u->filter));
}

/* An option, or another limit; a limit of 0 is the usual one. */
static void
call_set(struct user *u, unsigned argument)
{
	worked(u, prof_set(u->p, (enum prof_option)(argument / 2),
	    argument % 2));
}

static void
free_objects(struct user *u)
{
	prof_sum_free(u->sum);
	prof_output_free(u->out);
	prof_figures_free(u->figures);
	prof_diff_free(u->diff);
	prof_filter_free(u->filter);
	prof_item_free(u->own);
	prof_input_close(u->in);
	buf_free(&u->written);
	*u = (struct user){ .p = u->p, .image = u->image };
}

static void
call_free(struct user *u, unsigned argument)
{
	(void)argument;
	free_objects(u);
}

static call *const calls[] = {
	call_open, call_select, call_next, call_read_item, call_copy_item,
	call_new_item, call_set_item, call_add_part, call_new_sum,
	call_sum_input, call_sum_item, call_new_output, call_set_output,
	call_write_sum, call_visit_sum, call_put, call_put_all, call_finish,
	call_figures, call_diff_all, call_compare, call_new_filter,
	call_filter, call_set, call_close, call_free
};

/* The bits of a call: 5 for the function, 3 for the argument. */
enum { FUNCTION_BITS = 5 };

/* A function beyond the last one stands for a change to the other handle. */
static void
run_calls(struct user *users, struct prof_span bytes)
{
	size_t at = 0;

	for (size_t i = 0; i < bytes.size; i++) {
		unsigned function = bytes.data[i] & ((1 << FUNCTION_BITS) - 1);

		if (function < sizeof(calls) / sizeof(calls[0]))
			calls[function](&users[at], (unsigned)bytes.data[i] >>
			    FUNCTION_BITS);
		else
			at = (at + 1) % HANDLES;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = calls_end(data, size);
	struct user users[HANDLES] = { { .p = prof_new() } };

	users[1].p = prof_share(users[0].p);
	for (int i = 0; i < HANDLES; i++) {
		prof_listen(users[i].p, note, NULL);
		users[i].image = (struct prof_span){ data + n, size - n };
	}
	if (n != 0)
		run_calls(users, (struct prof_span){ data + 1, n - 1 });
	for (int i = 0; i < HANDLES; i++) {
		free_objects(&users[i]);
		prof_free(users[i].p);
	}
	return 0;
}
