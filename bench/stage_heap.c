/* The stage that symbolizes heap profiles. */
#include "config.h"

#include "stage.h"
#include "sym/binary.h"
#include "sym/symbolize.h"
#include "sym/work.h"

static const char *program;
static struct work work;
static const struct binary_search search = { .work = &work };

void
stage_symbolize_with(const char *path)
{
	program = path;
}

static struct binary *
open_program(void)
{
	struct prof_error err = { 0 };
	struct binary *b = binary_open(program, &search, &err);

	if (b == NULL)
		stage_fail(program, &err);
	return b;
}

/* Changes the generated segment to the code of a real program. */
static void
place_segment(struct prof_segment *s, const struct binary *b,
    const struct binary_section *text)
{
	const struct prof_span id = binary_build_id(b);

	if (id.size == 0)
		stage_fail("a program without build id", NULL);
	s->start = text->address;
	s->end = text->address + text->size;
	s->offset = 0;
	s->build_id = (struct prof_span){ stage_copy(id.data, id.size, 1),
	    id.size };
}

static void
place_stack(struct prof_stack *s, const struct prof_segment *from,
    const struct binary_section *text)
{
	uint64_t *pcs = stage_copy(s->pcs, s->pcs_size, sizeof(*pcs));

	for (size_t i = 0; i < s->pcs_size; i++) {
		if (pcs[i] >= from->start && pcs[i] < from->end)
			pcs[i] = text->address + pcs[i] % text->size;
	}
	s->pcs = pcs;
}

static struct stage_run *
placed(const struct stage_run *run)
{
	static struct stage_run to;
	struct prof_segment from = { 0 };
	struct binary_section text;
	struct prof_error err = { 0 };
	struct binary *b;

	if (to.records != NULL)
		return &to;
	to = (struct stage_run){ .is_heap = true, .functions = run->functions,
	    .records_size = run->records_size };
	to.records = stage_copy(run->records, run->records_size,
	    sizeof(*to.records));
	b = open_program();
	if (binary_section(b, ".text", &text, &err) != PROF_OK ||
	    text.size == 0)
		stage_fail("a program without code", &err);
	for (size_t i = 0; i < to.records_size; i++) {
		struct prof_record *r = &to.records[i];

		if (r->kind == PROF_REC_SEGMENT && r->u.segment.id == 0) {
			from = r->u.segment;
			place_segment(&r->u.segment, b, &text);
		} else if (r->kind == PROF_REC_STACK) {
			place_stack(&r->u.stack, &from, &text);
		}
	}
	binary_close(b);
	return &to;
}

/* Reads the debug information anew each time. */
static uint64_t
symbolize(const struct stage_run *run, struct prof_writer *to)
{
	struct binary *const binary = open_program();
	const struct symbolize_options options = {
	    .binaries = &binary, .binary_count = 1, .search = &search };
	struct prof_error err = { 0 };
	struct symbolize *s = symbolize_new(&options, &err);
	uint64_t contexts = 0;

	for (size_t i = 0; s != NULL && i < run->records_size; i++) {
		struct prof_record out;

		if (symbolize_record(s, &run->records[i], &out, &err) ==
		    PROF_FAIL || (to != NULL && prof_put(to, &out, &err) !=
		    PROF_OK))
			stage_fail("symbolize", &err);
		contexts += stage_functions(&out);
	}
	if (s == NULL || symbolize_finish(s, &err) != PROF_OK)
		stage_fail("symbolize", &err);
	symbolize_free(s);
	binary_close(binary);
	return contexts;
}

void
stage_symbolize(struct stage_work *w)
{
	w->functions = symbolize(placed(w->runs), NULL);
}

struct stage_run *
stage_symbolized(struct stage_run *run)
{
	static struct stage_run to = { .is_heap = true };
	struct prof_error err = { 0 };
	struct prof_writer *w;

	if (to.records != NULL)
		return &to;
	w = stage_writer(STREAM, &to.image[STREAM]);
	symbolize(placed(run), w);
	if (prof_finish(w, &err) != PROF_OK)
		stage_fail("symbolize", &err);
	prof_writer_free(w);
	stage_copy_records(&to);
	return &to;
}
