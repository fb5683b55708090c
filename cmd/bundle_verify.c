/* prof-bundle verify */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "bundle.h"
#include "bundle_facts.h"
#include "bundle_read.h"

struct verify {
	struct cli *cli;
	struct bundle_reader reader;
	struct arena arena;
};

static void
print_name(const char *name)
{
	for (; *name != '\0'; name++)
		putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' :
		    *name);
}

/* FILE[member]: place: what there is to say of it. */
static void
tell(const struct cli *c, const char *member, const struct prof_error *e)
{
	print_name(c->file);
	if (member != NULL) {
		putchar('[');
		print_name(member);
		putchar(']');
	}
	if (e->where == PROF_AT_BYTE)
		printf(": 0x%llx", (unsigned long long)e->offset);
	else if (e->where == PROF_AT_LINE)
		printf(": line %llu", (unsigned long long)e->offset);
	printf(": %s\n", e->code == PROF_E_NONE ? "good" : e->reason);
}

/* The reason is in err, which is empty then; memory that is out ends all. */
static enum prof_status
tell_bad(struct verify *v)
{
	static const struct cli_tally nothing;
	struct cli *c = v->cli;

	if (c->err.code == PROF_E_MEMORY)
		return PROF_FAIL;
	tell(c, c->member, &c->err);
	return cli_damage_skip(c, &nothing);
}

static enum prof_status
verify_member(struct verify *v, const struct bundle_member *m)
{
	struct cli *c = v->cli;
	struct manifest_profile found = { 0 };
	struct cli_tally tally = { 0 };
	const char *key;

	arena_reset(&v->arena);
	if (bundle_facts(c, m->image, &v->arena, &found, &tally, &c->err)
	    != PROF_OK)
		return tell_bad(v);
	key = bundle_facts_differ(m->lines[0], &found);
	if (key != NULL) {
		err_set(&c->err, PROF_E_MISMATCH, "the manifest tells another "
		    "%s", key);
		return tell_bad(v);
	}
	bundle_keep(c, &tally);
	tell(c, m->name, &c->err);
	return PROF_OK;
}

static enum prof_status
verify_members(struct verify *v)
{
	struct cli *c = v->cli;
	const struct manifest_profile *p;
	enum prof_status status = PROF_OK;
	struct bundle_member m;

	while (status == PROF_OK) {
		enum prof_status next = bundle_next(&v->reader, &m);

		if (next == PROF_END)
			break;
		status = next == PROF_OK ? verify_member(v, &m) : tell_bad(v);
	}
	while (status == PROF_OK &&
	    (p = bundle_missing(&v->reader)) != NULL) {
		c->member = (const char *)p->member.data;
		err_set(&c->err, PROF_E_TRUNCATED, "is missing");
		status = tell_bad(v);
	}
	return status;
}

static enum prof_status
verify_file(struct verify *v, struct buf *memory)
{
	struct cli *c = v->cli;
	enum prof_status status = bundle_open(&v->reader, c, memory);

	if (status == PROF_OK)
		status = bundle_only(&v->reader);
	status = status == PROF_OK ? verify_members(v) : tell_bad(v);
	bundle_close(&v->reader);
	return status;
}

int
bundle_verify(struct cli *c, struct bundle_options *o)
{
	struct verify v = { .cli = c };
	struct buf memory = { 0 };
	enum prof_status status;

	(void)o;
	c->damage.keep_going = c->damage.told = true;
	cli_damage_begin(c);
	cli_progress_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = verify_file(&v, &memory);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END) {
		c->file = NULL;
		status = cli_damage_settle(c);
	}
	if (status == PROF_OK && (ferror(stdout) || fflush(stdout) != 0)) {
		c->output_failed = true;
		status = err_system(&c->err, errno, "cannot write");
	}
	arena_free(&v.arena);
	buf_free(&memory);
	return cli_end(c, status);
}
