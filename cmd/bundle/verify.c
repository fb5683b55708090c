/* prof-bundle verify */
#include "config.h"

#include <stdio.h>

#include "base/error.h"
#include "cmd/bundle/bundle.h"
#include "cmd/bundle/facts.h"
#include "cmd/bundle/members.h"
#include "cmd/bundle/write.h"
#include "cmd/common/message_text.h"

/* Prints "FILE[member]: place: reason", or "good" in place of the reason. */
static void
verify_print_result(const struct cli *c, const struct prof_error *e)
{
	cli_print_input(c, stdout);
	if (e->where == PROF_AT_BYTE)
		printf(": 0x%llx", (unsigned long long)e->offset);
	else if (e->where == PROF_AT_LINE)
		printf(": line %llu", (unsigned long long)e->offset);
	message_print_to(stdout, ": %s\n", e->code == PROF_E_NONE ? "good" :
	    e->reason);
}

/* Prints the reason in err and clears it; lack of memory ends the run. */
static enum prof_status
verify_print_bad(struct bundle_members *b, struct cli *c,
    const struct cli_tally *tally)
{
	static const struct cli_tally nothing;

	(void)b;
	(void)tally;
	if (err_is_lack(c->err.code))
		return PROF_FAIL;
	verify_print_result(c, &c->err);
	return cli_damage_skip(c, &nothing);
}

static enum prof_status
verify_member(struct bundle_members *b, struct cli *c,
    const struct bundle_found *found)
{
	const char *key = bundle_facts_differ(found->member.lines[0],
	    &found->facts);

	if (key != NULL) {
		err_set(&c->err, PROF_E_MISMATCH, "the manifest has a "
		    "different value for %s", key);
		return verify_print_bad(b, c, NULL);
	}
	bundle_add_tally(c, &found->tally);
	verify_print_result(c, &c->err);
	return PROF_OK;
}

static enum prof_status
verify_print_missing(struct bundle_members *b, struct cli *c,
    const struct manifest_profile *p)
{
	c->inputs.member = (const char *)p->member.data;
	err_set(&c->err, PROF_E_TRUNCATED, "is missing");
	return verify_print_bad(b, c, NULL);
}

int
bundle_verify(struct cli *c, struct bundle_options *o)
{
	static const struct bundle_visitor visitor = { .member = verify_member,
	    .bad = verify_print_bad, .missing = verify_print_missing };
	struct bundle_members members = { .visitor = &visitor, .decode = true,
	    .bundles = true };
	enum prof_status status;

	(void)o;
	c->report.damage.keep_going = c->report.damage.reports_itself = true;
	status = bundle_members_read(&members, c);
	if (status == PROF_OK)
		status = cli_damage_settle(c);
	if (status == PROF_OK)
		status = bundle_flush_text(c);
	return cli_end(c, status);
}
