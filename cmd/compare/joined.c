#include "config.h"

#include "cmd/compare/joined.h"

#include "io/input.h"
#include "ops/diff/join.h"

static struct input *
joined_open(struct cli *c, const char *path, struct prof_span *image)
{
	struct prof_error ignored = { 0 };
	struct input *in = !cli_is_regular(path) ? NULL :
	    input_open(path, c->options.max_size, NULL, &ignored);
	struct input_member m;

	if (in != NULL && input_next(in, &m, &ignored) == PROF_OK &&
	    prof_sniff(m.start) != NULL && input_map(in, image) == PROF_OK)
		return in;
	input_close(in);
	return NULL;
}

/* A side of the comparison: its file, and the look-up in the image. */
struct joined_side {
	struct input *in;
	struct prof_context *context;	/* releases pages of this input */
	struct prof_lookup *lookup;
};

static bool
joined_open_side(struct cli *c, const char *path, struct joined_side *s)
{
	struct prof_error ignored = { 0 };
	struct prof_span image;

	s->in = joined_open(c, path, &image);
	s->context = s->in == NULL ? NULL :
	    prof_context_share(c->context, cli_warn, c);
	if (s->context == NULL)
		return false;
	prof_context_on_consumed(s->context, input_release, s->in);
	s->lookup = prof_lookup_open(s->context, image, &ignored);
	return s->lookup != NULL;
}

/* Functions are counted once, as they are checked. */
static void
joined_progress(void *arg, size_t functions, bool compared)
{
	cli_progress_functions(arg, compared ? 0 : functions);
}

/* A file that became shorter meanwhile is reported by those who read it. */
static bool
joined_compare(struct cli *c, const struct joined_side sides[OVERLAP_SIDES],
    const struct diff_join_class classes[DIFF_CLASSES])
{
	const struct joined_side *a = &sides[OVERLAP_A];
	const struct joined_side *b = &sides[OVERLAP_B];
	const struct diff_join_watch watch = { joined_progress, c };
	struct prof_error ignored = { 0 };

	cli_progress_begin(c);
	return prof_lookup_header(a->lookup)->level ==
	    prof_lookup_header(b->lookup)->level &&
	    diff_join((struct prof_lookup *[]){ a->lookup, b->lookup },
	    classes, &watch, &ignored) == PROF_OK &&
	    input_failure(a->in)->code == PROF_E_NONE &&
	    input_failure(b->in)->code == PROF_E_NONE;
}

/* The changes of a diff are empty before and, without success, afterwards. */
static bool
joined_fill(struct cli *c, struct diff *d,
    const struct joined_side sides[OVERLAP_SIDES])
{
	uint64_t functions = c->report.progress->functions;
	struct diff_join_class classes[DIFF_CLASSES];
	struct diff_changes before[DIFF_CLASSES];

	for (int i = 0; i < DIFF_CLASSES; i++) {
		before[i] = d->changes[i];
		d->changes[i].most = d->top;
		d->changes[i].copies = true;
		classes[i] = (struct diff_join_class){ &d->overlap[i],
		    diff_changes_add, &d->changes[i] };
	}
	if (joined_compare(c, sides, classes))
		return true;
	c->report.progress->functions = functions;
	for (int i = 0; i < DIFF_CLASSES; i++) {
		diff_changes_free(&d->changes[i]);
		d->changes[i] = before[i];
	}
	return false;
}

/* Whether an option asks for what only those who read records do. */
static bool
joined_needs_records(const struct cli *c)
{
	return c->report.damage.keep_going ||
	    c->report.damage.report != NULL ||
	    c->report.progress->form == CLI_PROGRESS_JSON ||
	    c->output.retargeter != NULL ||
	    c->options.member_glob != NULL || c->inputs.fetch != NULL;
}

bool
diff_join_files(struct cli *c, struct diff *d)
{
	struct joined_side sides[OVERLAP_SIDES] = { { NULL } };
	bool done = !joined_needs_records(c);

	for (int s = 0; s < OVERLAP_SIDES && done; s++)
		done = joined_open_side(c, d->file[s], &sides[s]);
	done = done && joined_fill(c, d, sides);
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		c->inputs.file = d->file[s];
		if (done)
			cli_print_source(c, &prof_lookup_header(
			    sides[s].lookup)->source);
		prof_lookup_close(sides[s].lookup);
		prof_context_free(sides[s].context);
		input_close(sides[s].in);
	}
	c->inputs.file = NULL;
	return done;
}
