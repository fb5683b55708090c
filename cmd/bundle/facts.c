#include "config.h"

#include "cmd/bundle/facts.h"

#include "base/error.h"
#include "bundle/manifest_facts.h"

static enum prof_status
facts_read_records(struct manifest_facts *f, struct cli *c,
    struct prof_span image, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(c->context, image, err);
	enum prof_status status = PROF_FAIL;
	struct prof_record r;

	while (reader != NULL &&
	    (status = prof_next(reader, &r, err)) == PROF_OK) {
		cli_progress_record(c, &r);
		if (manifest_facts_add(f, &r, err) != PROF_OK) {
			status = PROF_FAIL;
			break;
		}
	}
	prof_close(reader);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
bundle_facts(struct cli *c, struct prof_span image,
    const struct bundle_facts *out, struct prof_error *err)
{
	struct manifest_profile *p = out->profile;
	struct manifest_facts f;
	enum prof_status status;

	if (manifest_facts_begin(&f, p, out->arena, err) != PROF_OK)
		return PROF_FAIL;
	status = facts_read_records(&f, c, image, err);
	/* The first failure stays in err. */
	if (manifest_facts_end(&f, prof_sniff(image), err) != PROF_OK)
		status = PROF_FAIL;
	p->size = image.size;
	*out->tally = (struct cli_tally){ p->functions, p->contexts,
	    p->counts };
	return status;
}

void
bundle_add_tally(struct cli *c, const struct cli_tally *t)
{
	c->report.damage.used++;
	cli_tally_join(&c->report.damage.kept, t);
}
