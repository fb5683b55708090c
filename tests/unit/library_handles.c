/*
 * Several objects of one struct prof, and of two: inputs and outputs that are
 * freed while another call uses the same handle, items of the caller in every
 * call that takes items, and the place that an error names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/merge.h"
#include "tests/support/problems.h"
#include "tests/support/test.h"

enum { TAR_BLOCK = 512, TAR_ROOM = 8 };

/* A tar archive of small members. */
struct tar {
	char bytes[TAR_ROOM * TAR_BLOCK];
	size_t size;
};

static const char profile[] = ":ir\nf\n1\n1\n5\n\n";

/* The checksum is the sum of all bytes of the header, its own as spaces. */
static void
tar_add(struct tar *t, const char *name, const char *text)
{
	char *head = t->bytes + t->size, *data = head + TAR_BLOCK;
	unsigned sum = 0;

	memset(head, 0, TAR_BLOCK * 2);
	snprintf(head, 100, "%s", name);
	memcpy(head + 100, "0000644", 8);
	snprintf(head + 124, 12, "%011o", (unsigned)strlen(text));
	memcpy(head + 136, "00000000000", 12);
	memcpy(head + 148, "        0", 9);
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	memcpy(data, text, strlen(text));
	t->size += (size_t)TAR_BLOCK * 2;
}

static int
output_ignore(void *arg, const void *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	return 0;
}

/* The header of the second member is damaged. */
static void
test_damaged_archive(struct prof *p)
{
	struct tar t = { .size = 0 };
	struct prof_sum *sum = prof_sum_new(p);
	const struct prof_item *item;
	struct prof_input *in;
	int status, items = 0;

	tar_add(&t, "a.txt", profile);
	tar_add(&t, "b.txt", profile);
	t.bytes[TAR_BLOCK * 2 + 1] = 'x';
	in = prof_input_memory(p, t.bytes, t.size);
	while ((status = prof_input_next(in, &item)) > 0)
		items++;
	check(items == 3 && status == -1 && prof_error(p) != NULL &&
	    prof_problem_member(prof_error(p)) == NULL,
	    "a header after the first member is damaged");
	prof_input_close(in);
	in = prof_input_memory(p, t.bytes, t.size);
	status = prof_sum_add_input(sum, in, 1, 1);
	check(status == -1 && prof_error(p) != NULL &&
	    prof_problem_member(prof_error(p)) == NULL,
	    "the archive is not added to a sum");
	prof_input_close(in);
	prof_sum_free(sum);
}

static void
test_members(struct prof *p)
{
	static const char *const names[] = { "a.txt", "b.txt" };
	struct tar t = { .size = 0 };
	const struct prof_item *item;
	struct prof_input *in;
	const char *name;
	size_t size, found = 0;

	tar_add(&t, names[0], profile);
	tar_add(&t, names[1], profile);
	t.size += (size_t)TAR_BLOCK * 2;	/* the end of the archive */
	in = prof_input_memory(p, t.bytes, t.size);
	while (prof_input_next(in, &item) > 0) {
		if (prof_item_kind(item) != PROF_ITEM_PROFILE || found == 2)
			continue;
		name = prof_item_bytes(item, PROF_MEMBER, &size);
		found += name != NULL && size == strlen(names[found]) &&
		    memcmp(name, names[found], size) == 0;
	}
	check(found == 2, "headers have the members of an archive in memory");
	prof_input_close(in);
	in = prof_input_memory(p, NULL, 0);
	check(prof_input_next(in, &item) == -1 && prof_error(p) != NULL,
	    "no bytes are no profile");
	prof_input_close(in);
}

/* Puts a function, which has no header before it, to an output of its own. */
static int
visit_output(void *arg, const struct prof_item *item)
{
	struct prof_output *out = prof_output_open(arg, "text", "visited.out");
	int status = out == NULL ? -1 : prof_item_kind(item) ==
	    PROF_ITEM_PROFILE ? 0 : prof_output_put(out, item);

	prof_output_free(out);
	return status;
}

static int
visit_missing(void *arg, const struct prof_item *item)
{
	(void)item;
	return prof_output_open(arg, "text", "/nonexistent/out") == NULL;
}

/* Stops in the second member of an archive, which is closed then. */
static int
visit_archive(void *arg, const struct prof_item *item)
{
	struct tar t = { .size = 0 };
	const struct prof_item *other;
	struct prof_input *in;

	(void)item;
	tar_add(&t, "a.txt", profile);
	tar_add(&t, "b.txt", ":ir\nf\n1\nx\n");
	in = prof_input_memory(arg, t.bytes, t.size);
	while (prof_input_next(in, &other) > 0)
		;
	prof_input_close(in);
	return -1;
}

/* A visitor may use the struct prof that it is called with. */
static void
test_visitors(struct prof *p)
{
	static const struct {
		const char *name;
		prof_visitor *visit;
		enum prof_code code;
	} rows[] = {
		{ "an output that is freed", visit_output, PROF_E_USE },
		{ "an output that cannot be opened", visit_missing,
		    PROF_E_SYSTEM },
		{ "an archive that is closed", visit_archive,
		    PROF_E_CORRUPT },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_sum *sum = prof_sum_new(p);
		struct prof_filter *filter = prof_upgrade_new(p, 18, 0);
		struct prof_input *in = prof_input_memory(p, profile,
		    sizeof(profile) - 1);
		const struct prof_item *item;
		int status = 0;

		prof_sum_add_input(sum, in, 1, 1);
		prof_input_close(in);
		check(failed(p, prof_sum_visit(sum, rows[i].visit, p),
		    rows[i].code, ""), "a visitor of a sum has %s",
		    rows[i].name);
		in = prof_input_memory(p, profile, sizeof(profile) - 1);
		while (status == 0 && prof_input_next(in, &item) > 0)
			status = prof_filter_put(filter, item, rows[i].visit,
			    p);
		check(failed(p, status, rows[i].code, ""),
		    "a visitor of a filter has %s", rows[i].name);
		prof_input_close(in);
		prof_filter_free(filter);
		prof_sum_free(sum);
	}
}

static int
visit_nothing(void *arg, const struct prof_item *item)
{
	(void)arg;
	(void)item;
	return 0;
}

/* No profile has front-end hashes of versions 13 to 2. */
static void
test_made_items(struct prof *p)
{
	struct prof_item *head = prof_item_new(p, PROF_ITEM_PROFILE);
	struct prof_filter *filter = prof_upgrade_new(p, 11, 0);
	struct prof_figures *figures = prof_figures_new(p);
	struct prof_diff *diff = prof_diff_new(p);

	prof_item_set_number(head, PROF_LEVEL, PROF_LEVEL_FRONTEND);
	prof_item_set_number(head, PROF_FRONTEND_FIRST, 13);
	prof_item_set_number(head, PROF_FRONTEND_LAST, 2);
	check(failed(p, prof_filter_put(filter, head, visit_nothing, NULL),
	    PROF_E_USE, "no profile has such an item"), "a filter refuses it");
	check(failed(p, prof_figures_add(figures, head), PROF_E_USE,
	    "no profile has such an item"), "figures refuse it");
	check(failed(p, prof_diff_add(diff, 1, head), PROF_E_USE,
	    "no profile has such an item"), "a comparison refuses it");
	prof_diff_free(diff);
	prof_figures_free(figures);
	prof_filter_free(filter);
	prof_item_free(head);
}

static struct prof_sum *
sum_of_profile(struct prof *p)
{
	struct prof_sum *sum = prof_sum_new(p);
	struct prof_input *in = prof_input_memory(p, profile,
	    sizeof(profile) - 1);

	prof_sum_add_input(sum, in, 1, 1);
	prof_input_close(in);
	return sum;
}

static void
test_two_handles(struct prof *p)
{
	struct prof *other = prof_new();
	struct prof_sum *sum = sum_of_profile(p);
	struct prof_output *out = prof_output_new(other, "text",
	    output_ignore, NULL);

	check(failed(p, prof_sum_write(sum, out), PROF_E_USE,
	    "the output belongs to another struct prof"),
	    "a sum is not written to the output of another handle");
	prof_output_free(out);
	out = prof_output_new(p, "text", output_ignore, NULL);
	check(prof_sum_write(sum, out) == 0 && prof_output_finish(out) == 0,
	    "it can still be written");
	prof_output_free(out);
	prof_sum_free(sum);
	prof_free(other);
}

/* More than an output keeps before it writes. */
static struct prof_sum *
sum_of_counters(struct prof *p)
{
	static uint64_t counts[100000];
	static const enum prof_item_kind kinds[] = { PROF_ITEM_PROFILE,
	    PROF_ITEM_FUNCTION, PROF_ITEM_END };
	struct prof_sum *sum = prof_sum_new(p);

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct prof_item *item = prof_item_new(p, kinds[i]);

		if (kinds[i] == PROF_ITEM_FUNCTION) {
			prof_item_set_bytes(item, PROF_NAME, "f", 1);
			prof_item_set_numbers(item, PROF_COUNTS, counts,
			    COUNT(counts));
		}
		prof_sum_add(sum, item);
		prof_item_free(item);
	}
	return sum;
}

static void
test_outputs(struct prof *p)
{
	struct prof_output *out = prof_output_open(p, "indexed", "/dev/full");
	struct prof_sum *sum = sum_of_counters(p);

	check(prof_output_set(out, PROF_OUT_MEMPROF_VERSION, 5) == 0 &&
	    prof_output_set(out, PROF_OUT_MEMPROF_VERSION, 0) == 0 &&
	    failed(p, prof_output_set(out, PROF_OUT_MEMPROF_VERSION, 200),
	    PROF_E_USE, "no such value"), "there is no heap version 199");
	check(failed(p, prof_sum_write(sum, out), PROF_E_SYSTEM,
	    "/dev/full: "), "a sum that is not written names the file");
	prof_sum_free(sum);
	prof_output_free(out);
}

int
main(void)
{
	struct prof *p = prof_new();

	test_damaged_archive(p);
	test_members(p);
	test_visitors(p);
	test_made_items(p);
	test_two_handles(p);
	test_outputs(p);
	prof_free(p);
	return done_testing();
}
