#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/records.h"
#include "merge/merge.h"
#include "ops/scan.h"

void
demand(bool kept, const char *promise)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", promise);
	abort();
}

int
collect(void *arg, const void *data, size_t size)
{
	return arg == NULL ? 0 : buf_sink(arg, data, size);
}

struct prof_span
span_of(const struct buf *b)
{
	return (struct prof_span){ b->data, b->size };
}

/* Each failure has a code and a reason of one line. */
static void
demand_reason(const struct prof_error *e)
{
	demand(e->code != PROF_E_NONE, "a failure has a code");
	demand(e->code != PROF_E_MEMORY, "memory is enough");
	demand(e->reason[0] != '\0', "a failure has a reason");
	for (const char *p = e->reason; *p != '\0'; p++)
		demand(*p >= 0x20 && *p < 0x7f, "a reason is a line of ASCII");
}

static void
take_warning(void *arg, const struct prof_error *warning)
{
	(void)arg;
	demand(warning->reason[0] != '\0', "a warning says something");
}

static struct prof_context *
context_new(void)
{
	struct prof_context *c = prof_context_new(take_warning, NULL);

	demand(c != NULL, "memory is enough");
	return c;
}

static const struct prof_target stream = { .format = "stream" };

static struct prof_writer *
writer_new(struct prof_context *context, const struct prof_target *target,
    struct buf *out)
{
	struct prof_error err = { 0 };
	struct prof_writer *w = prof_writer_new(context, target, collect, out,
	    &err);

	demand(w != NULL, "a writer can be made");
	return w;
}

enum prof_status
fuzz_decode(fuzz_open *open, struct prof_span image, struct buf *out)
{
	struct prof_context *context = context_new();
	struct prof_error err = { 0 };
	struct prof_reader *r = open(context, image, &err);
	struct prof_writer *w = writer_new(context, &stream, out);
	enum prof_status status = r == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK &&
	    (status = prof_next(r, &record, &err)) == PROF_OK)
		demand(prof_put(w, &record, NULL) == PROF_OK,
		    "what is read can be written to a stream");
	if (status == PROF_END) {
		demand(prof_finish(w, NULL) == PROF_OK,
		    "what is whole can be finished");
	} else {
		demand_reason(&err);
		prof_abort(w, err.reason);
	}
	prof_writer_free(w);
	prof_close(r);
	prof_context_free(context);
	return status;
}

/*
 * Whether the reader fails right behind the end of a profile: the stream made
 * of the records then lacks that end, since it was aborted.
 */
static bool
is_cut_behind(struct prof_reader *r, const struct prof_record *last)
{
	struct prof_record record;

	return last->kind == PROF_REC_END &&
	    prof_next(r, &record, NULL) == PROF_FAIL;
}

/*
 * Reads the image once more and compares it with the stream made of it.  The
 * image is at an odd address this time, so that records cannot point to its
 * counters.
 */
static void
compare(fuzz_open *open, struct prof_span image, struct prof_span text)
{
	uint8_t *copy = malloc(image.size + 1);
	struct prof_span moved = { copy + 1, image.size };
	struct prof_context *context = context_new();
	struct prof_reader *a, *b;
	enum prof_status s, t;
	struct prof_record x, y;

	demand(copy != NULL, "memory is enough");
	if (image.size != 0)
		memcpy(copy + 1, image.data, image.size);
	a = open(context, moved, NULL);
	b = prof_open(NULL, text, NULL);
	demand(b != NULL, "a stream can be opened");
	do {
		s = a == NULL ? PROF_FAIL : prof_next(a, &x, NULL);
		t = prof_next(b, &y, NULL);
		demand(s == t || (s == PROF_OK && t == PROF_FAIL &&
		    is_cut_behind(a, &x)),
		    "a stream ends as what it was made of");
		demand(t != PROF_OK || same_record(&x, &y),
		    "a stream has the records it was made of");
	} while (t == PROF_OK);
	prof_close(a);
	prof_close(b);
	prof_context_free(context);
	free(copy);
}

static enum prof_status
add_all(struct merge *m, struct prof_reader *r, struct prof_error *err)
{
	enum prof_status status;
	struct prof_record record;

	while ((status = prof_next(r, &record, err)) == PROF_OK) {
		if (merge_add(m, &record, NULL, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status;
}

bool
fuzz_merge(fuzz_open *open, struct prof_span image,
    const struct prof_target *target, struct buf *out)
{
	const struct merge_output plain = { .sparse = false };
	struct prof_context *context = context_new();
	struct merge *m = merge_new(take_warning, NULL);
	struct prof_error err = { 0 };
	struct prof_reader *r = open(context, image, &err);
	struct prof_writer *w = writer_new(context, target, out);
	bool written;

	demand(m != NULL, "memory is enough");
	written = r != NULL && add_all(m, r, &err) == PROF_END &&
	    merge_write(m, &plain, w, &err) == PROF_OK &&
	    prof_finish(w, &err) == PROF_OK;
	if (!written)
		demand_reason(&err);
	prof_writer_free(w);
	prof_close(r);
	merge_free(m);
	prof_context_free(context);
	return written;
}

size_t
fuzz_select(fuzz_open *open, struct prof_span image, struct prof_span name)
{
	struct prof_error err = { 0 };
	struct prof_reader *r = open(NULL, image, &err);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;
	size_t found = 0, others = 0;

	if (r != NULL) {
		prof_select(r, &name, 1);
		while ((status = prof_next(r, &record, &err)) == PROF_OK) {
			if (record.kind != PROF_REC_FUNCTION)
				continue;
			if (prof_span_equal(record.u.function.symbol.name,
			    name))
				found++;
			else
				others++;
		}
	}
	if (status == PROF_FAIL)
		demand_reason(&err);
	prof_close(r);
	return others == 0 ? found : 0;
}

/* A function of a merged stream is found in the indexed file made of it. */
static void
demand_found(struct prof_span indexed, const struct prof_function *f)
{
	struct prof_reader *r = prof_open(NULL, indexed, NULL);
	enum prof_status status;
	struct prof_record found;

	demand(r != NULL, "an indexed file that was written can be opened");
	prof_select(r, &f->symbol.name, 1);
	do {
		status = prof_next(r, &found, NULL);
		demand(status == PROF_OK, "a function that was written is "
		    "found");
	} while (found.kind != PROF_REC_FUNCTION ||
	    found.u.function.hash != f->hash);
	demand(same_numbers(f->counts, f->counts_size,
	    found.u.function.counts, found.u.function.counts_size),
	    "a function that was found has its counters");
	prof_close(r);
}

/* Looks up the first record of each name: a look-up reads all of a name. */
static void
look_all_up(struct prof_span merged, struct prof_span indexed)
{
	struct prof_reader *r = prof_open(NULL, merged, NULL);
	const struct prof_function *f;
	enum prof_status status = PROF_FAIL;
	struct prof_record record;
	struct buf last = { 0 };

	while (r != NULL && (status = prof_next(r, &record, NULL)) == PROF_OK) {
		f = &record.u.function;
		if (record.kind != PROF_REC_FUNCTION ||
		    prof_span_equal(f->symbol.name, span_of(&last)))
			continue;
		demand_found(indexed, f);
		last.size = 0;
		buf_put(&last, f->symbol.name.data, f->symbol.name.size);
	}
	demand(status == PROF_END, "a merged stream is whole");
	prof_close(r);
	buf_free(&last);
}

/*
 * A file and another made of it are the same.  Raw files are not the same to
 * the byte: vtables known only as values are written last, and are in order
 * when the file is written again.
 */
static void
demand_same(struct prof_span a, struct prof_span b, bool to_the_byte)
{
	struct buf x = { 0 }, y = { 0 };

	demand(!to_the_byte || prof_span_equal(a, b),
	    "a file is the same to the byte when written again");
	demand(fuzz_merge(prof_open, a, &stream, &x) &&
	    fuzz_merge(prof_open, b, &stream, &y) &&
	    prof_span_equal(span_of(&x), span_of(&y)),
	    "a file has the same records when written again");
	buf_free(&x);
	buf_free(&y);
}

/*
 * Whether records may change their order when written again: that of stacks
 * depends on ids, which depend on names and frames that indexed files drop; and
 * that of data symbols on suffixes, which these drop, too.
 */
static bool
may_reorder(struct prof_span image)
{
	struct prof_reader *r = prof_open(NULL, image, NULL);
	struct prof_record record;
	bool may = false;

	while (r != NULL && !may && prof_next(r, &record, NULL) == PROF_OK)
		may = record.kind == PROF_REC_STACK ||
		    record.kind == PROF_REC_DATA_ACCESS ||
		    record.kind == PROF_REC_COLD_SYMBOL;
	prof_close(r);
	return may;
}

/*
 * Writes a file of the format, if the profile fits it, and checks it.  A text
 * file of a front-end profile without functions is empty, as in LLVM.
 */
static void
write_and_read(struct prof_span merged, const struct prof_target *target)
{
	struct buf once = { 0 }, twice = { 0 };

	if (fuzz_merge(prof_open, merged, target, &once) && once.size != 0) {
		if (strcmp(target->format, "indexed") == 0)
			look_all_up(merged, span_of(&once));
		demand(fuzz_merge(prof_open, span_of(&once), target, &twice),
		    "a file that was written is whole");
		demand_same(span_of(&once), span_of(&twice),
		    !may_reorder(span_of(&once)));
	}
	buf_free(&once);
	buf_free(&twice);
}

/* Writes all versions of a format. */
static void
write_all(struct prof_span merged, const char *format)
{
	struct prof_target target = { .format = format };
	struct prof_versions versions = { 0 };

	demand(prof_writable(format, &versions), "all formats can be written");
	for (target.version = versions.oldest;
	    target.version <= versions.newest; target.version++)
		write_and_read(merged, &target);
}

/*
 * Salvaging any bytes ends with the end of a profile or a reason; profiles of a
 * damaged image are marked as salvaged.
 */
static void
salvage_image(struct prof_span image, bool whole)
{
	struct prof_context *context = context_new();
	struct prof_error err = { 0 };
	struct prof_record record;
	enum prof_status status = PROF_FAIL;
	struct prof_reader *r;
	bool any = false;

	prof_context_salvage(context, true);
	r = prof_open(context, image, &err);
	while (r != NULL &&
	    (status = prof_next(r, &record, &err)) == PROF_OK) {
		if (record.kind == PROF_REC_PROFILE)
			any = any || (record.u.profile.flags & PROF_SALVAGED);
	}
	if (status == PROF_FAIL)
		demand_reason(&err);
	else if (!whole)
		demand(any, "what is salvaged of a damaged image says so");
	prof_close(r);
	prof_context_free(context);
}

void
fuzz_scan(struct prof_span image)
{
	struct prof_error err = { 0 };
	struct scan *s = scan_new(image, 0, &err);
	enum prof_status status;
	struct scan_hit hit;

	demand(s != NULL, "memory is enough");
	while ((status = scan_next(s, &hit, &err)) == PROF_OK)
		demand(fuzz_decode(prof_open, hit.image, NULL) == PROF_END,
		    "a profile that was found is whole");
	if (status == PROF_FAIL)
		demand_reason(&err);
	scan_free(s);
}

void
fuzz_image(fuzz_open *open, struct prof_span image)
{
	static const char *const formats[] = {
		"stream", "indexed", "text", "lprf", "yaml"
	};
	struct buf text = { 0 }, merged = { 0 };

	fuzz_decode(open, image, &text);
	salvage_image(image, fuzz_decode(prof_open, image, NULL) == PROF_END);
	fuzz_scan(image);
	compare(open, image, span_of(&text));
	if (fuzz_merge(open, image, &stream, &merged)) {
		for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			write_all(span_of(&merged), formats[i]);
	}
	buf_free(&text);
	buf_free(&merged);
}
