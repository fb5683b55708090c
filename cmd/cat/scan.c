#include "config.h"

#include "cmd/cat/scan.h"

#include "cmd/common/read.h"
#include "io/input.h"
#include "ops/scan.h"

/* A profile found by scanning, being copied to the output. */
struct cat_found {
	struct cat *cat;
	const struct scan_hit *hit;
};

static enum prof_status
cat_put_found_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	const struct cat_found *f = arg;
	struct prof_record moved;

	if (r->kind != PROF_REC_PROFILE)
		return cli_put(f->cat->cli, r, err);
	moved = *r;
	moved.u.profile.source.offset += f->hit->offset;
	return cli_put(f->cat->cli, &moved, err);
}

static enum prof_status
cat_process_hit(struct cat *cat, const struct scan_hit *hit)
{
	struct cli *c = cat->cli;
	struct cat_found found = { cat, hit };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;

	cat->found++;
	c->inputs.base = hit->offset;
	reader = prof_open(c->context, hit->image, &c->err);
	if (reader != NULL)
		status = cli_read_records(c, reader, cat_put_found_record,
		    &found);
	prof_close(reader);
	if (status == PROF_OK)
		c->inputs.base = 0;
	return status;
}

/* Callbacks of the pipeline, which is serial. */

static enum cli_action
cat_classify_for_scan(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	(void)arg;
	(void)ordinal;
	return item->status != PROF_OK || cli_wants(c, m) ? CLI_READ_MEMBER :
	    CLI_SKIP_MEMBER;
}

/* Failures of the scan are about the input, all others about the output. */
static void *
cat_scan_image(void *arg, const struct cli_bytes *bytes,
    struct prof_error *unused)
{
	struct cat *cat = arg;
	struct prof_error *err = &cat->cli->err;
	struct scan *scan = scan_new(bytes->image, cat->found, err);
	enum prof_status status = PROF_FAIL;
	struct scan_hit hit;

	(void)unused;
	cat->output_failed = true;
	if (scan == NULL)
		return NULL;
	while ((status = scan_next(scan, &hit, err)) == PROF_OK) {
		if (cat_process_hit(cat, &hit) != PROF_OK)
			break;
	}
	cat->output_failed = status == PROF_OK;
	scan_free(scan);
	return NULL;
}

static enum prof_status
cat_commit_image(void *arg, struct cli *c, struct commit_entry *e)
{
	static const struct cli_tally nothing;
	const struct cat *cat = arg;

	cli_tally_join(&c->report.damage.kept, &e->kept);
	if (e->err.code != PROF_E_NONE)
		return cat->output_failed ? PROF_FAIL :
		    cli_damage_skip(c, &nothing);
	c->report.damage.used += !e->end_only;
	return PROF_OK;
}

enum prof_status
cat_scan_inputs(struct cat *cat)
{
	/* A file may be larger than memory, as a core file is: it is mapped. */
	const struct cli_pipeline p = { .arg = cat, .serial = true,
	    .maps = true, .classify = cat_classify_for_scan,
	    .process = cat_scan_image, .commit = cat_commit_image };

	return cli_pipeline_run(cat->cli, &p) != PROF_OK ? PROF_FAIL :
	    cli_damage_settle(cat->cli);
}
