#include "config.h"

#include "cmd/bundle/scan.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/bundle/facts.h"
#include "cmd/bundle/members.h"
#include "cmd/common/message_text.h"

enum { SCAN_TIME_SIZE = 24 };		/* of a time as text */

struct scan {
	const struct bundle_options *options;
	struct bundle_set *set;
};

/* The name without the suffix of its compression, which input removes. */
static struct prof_span
path_without_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".gz", ".xz", ".zst", ".bz2", ".lz4", ".lzma", ".Z"
	};
	struct prof_span path = span_of_text(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (path.size > n &&
		    memcmp(name + path.size - n, suffixes[i], n) == 0) {
			path.size -= n;
			break;
		}
	}
	return path;
}

/* Whether the file is the bundle to which `add` adds. */
static bool
scan_is_own(const struct bundle_members *b)
{
	return b->own && b->files == 0;
}

static enum prof_status
scan_begin_file(struct bundle_members *b, struct cli *c,
    const struct commit_entry *entry)
{
	const struct scan *s = b->arg;

	return bundle_set_source(s->set, c->inputs.file, entry->member != NULL,
	    &c->err);
}

/* Labels of the options go to new profiles; the bundle's keep their own. */
static enum prof_status
scan_add_profile(const struct bundle_members *b, struct cli *c,
    struct manifest_profile *p, uint64_t ordinal)
{
	const struct scan *s = b->arg;
	const struct bundle_options *o = s->options;

	if (bundle_set_label(s->set, p, o->labels,
	    scan_is_own(b) ? 0 : o->labels_size, &c->err) != PROF_OK)
		return PROF_FAIL;
	return bundle_set_add(s->set, p, ordinal, &c->err);
}

/* What tells the run of a profile that is in no bundle; NULL: no memory. */
static const char *
scan_run(struct bundle_set *set, const struct bundle_options *o, int64_t time)
{
	char *text;

	if (o->dedup == BUNDLE_BY_CONTENT)
		return "";
	if (o->run.size != 0)
		return (const char *)o->run.data;
	text = arena_alloc(&set->arena, SCAN_TIME_SIZE);
	if (text != NULL)
		snprintf(text, SCAN_TIME_SIZE, "@%lld", (long long)time);
	return text;
}

/* A profile of a bundle keeps the paths and labels that it had there. */
static enum prof_status
scan_add_lines(const struct bundle_members *b, struct cli *c,
    const struct bundle_found *found)
{
	const struct bundle_member *m = &found->member;

	for (size_t i = 0; i < m->lines_size; i++) {
		struct manifest_profile p = found->facts;

		p.path = m->lines[i]->path;
		p.run = m->lines[i]->run;
		p.labels = m->lines[i]->labels;
		p.labels_size = m->lines[i]->labels_size;
		if (scan_add_profile(b, c, &p, m->ordinal) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static void
scan_print_profile(const struct cli *c, const struct manifest_profile *p)
{
	if (!c->options.verbose)
		return;
	message_print("%s: ", c->name);
	cli_print_input(c, NULL);
	message_print(": %.*s version %llu\n", (int)p->format.size,
	    (const char *)p->format.data, (unsigned long long)p->version);
}

static enum prof_status
scan_add_member(struct bundle_members *b, struct cli *c,
    const struct bundle_found *found)
{
	const struct bundle_member *m = &found->member;
	const struct scan *s = b->arg;
	struct manifest_profile p = found->facts;
	const char *run;

	bundle_add_tally(c, &found->tally);
	scan_print_profile(c, &p);
	if (m->lines_size > 0)
		return scan_add_lines(b, c, found);
	p.path = path_without_suffix(m->name == NULL ? c->inputs.file :
	    m->name);
	run = scan_run(s->set, s->options, found->time);
	if (run == NULL)
		return err_memory(&c->err);
	p.run = span_of_text(run);
	return scan_add_profile(b, c, &p, m->ordinal);
}

/* Damage of the bundle to add to ends the run: nothing of it may be lost. */
static enum prof_status
scan_skip_bad(struct bundle_members *b, struct cli *c,
    const struct cli_tally *tally)
{
	bool keep_going = c->report.damage.keep_going;
	enum prof_status status;

	if (scan_is_own(b))
		c->report.damage.keep_going = false;
	status = cli_damage_skip(c, tally);
	c->report.damage.keep_going = keep_going;
	return status;
}

static enum prof_status
scan_report_missing(struct bundle_members *b, struct cli *c,
    const struct manifest_profile *p)
{
	static const struct cli_tally nothing;

	c->inputs.member = NULL;
	err_set(&c->err, PROF_E_TRUNCATED, "%s is in the manifest, but not in "
	    "the bundle", (const char *)p->member.data);
	return scan_skip_bad(b, c, &nothing);
}

enum prof_status
bundle_scan(struct cli *c, const struct bundle_options *o,
    bool own, struct bundle_set *set)
{
	static const struct bundle_visitor visitor = { scan_begin_file,
	    scan_add_member, scan_skip_bad, scan_report_missing };
	struct scan s = { .options = o, .set = set };
	struct bundle_members members = { .visitor = &visitor, .arg = &s,
	    .own = own };
	bool muted = c->report.muted;
	enum prof_status status;

	set->distinct = o->dedup == BUNDLE_DISTINCT;
	/* Warnings are of losses in decoding; the bundle keeps the bytes. */
	c->report.muted = true;
	status = bundle_members_read(&members, c);
	c->report.muted = muted;
	return status == PROF_OK ? cli_damage_settle(c) : PROF_FAIL;
}
