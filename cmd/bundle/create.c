/* prof-bundle create and add */
#include "config.h"

#include <string.h>

#include "base/error.h"
#include "cmd/bundle/scan.h"
#include "cmd/bundle/write.h"
#include "cmd/common/message_text.h"
#include "io/rewrite.h"

static enum prof_status
settle_created_set(struct cli *c, struct bundle_set *set)
{
	if (set->size == 0)
		return err_set(&c->err, PROF_E_FORMAT, "no profile to put "
		    "into the bundle");
	if (bundle_set_settle(set, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (set->repeated != 0 && !c->options.quiet)
		message_print("%s: repeated profiles, stored once: %llu\n",
		    c->name, (unsigned long long)set->repeated);
	return PROF_OK;
}

static enum prof_status
create_write_file(struct cli *c, const struct bundle_set *set,
    const struct bundle_options *o)
{
	if (bundle_output_open(c) != PROF_OK ||
	    bundle_write(c, set, o->packing, c->output.file) != PROF_OK)
		return PROF_FAIL;
	return bundle_output_commit(c);
}

int
bundle_create(struct cli *c, struct bundle_options *o)
{
	struct bundle_set set = { .size = 0 };
	enum prof_status status = bundle_scan(c, o, false, &set);
	int code;

	if (status == PROF_OK)
		status = settle_created_set(c, &set);
	if (status == PROF_OK)
		status = create_write_file(c, &set, o);
	code = cli_end(c, status);
	bundle_set_free(&set);
	return code;
}

/* The packing that the bundle has, and keeps unless an option names another. */
static enum prof_status
packing_of_bundle(struct cli *c, const struct rewrite *w, enum packing *out)
{
	uint8_t bytes[8];
	size_t size;

	if (rewrite_start(w, bytes, &size, &c->err) != PROF_OK)
		return PROF_FAIL;
	*out = packing_of((struct prof_span){ bytes, size });
	if (*out == PACKING_GZIP || *out == PACKING_XZ || *out == PACKING_ZSTD)
		return PROF_OK;
	*out = PACKING_NONE;
	return PROF_OK;
}

/* Makes the bundle the first input, before those that were named. */
static void
add_own_input(struct cli *c, const char *bundle)
{
	const struct cli_input own = { .path = bundle, .weight = { 1, 1 } };

	cli_add_input(c, &own);
	memmove(c->inputs.items + 1, c->inputs.items, (c->inputs.size - 1) *
	    sizeof(own));
	c->inputs.items[0] = own;
}

static enum prof_status
add_rewrite_bundle(struct cli *c, const struct bundle_set *set,
    enum packing packing, const struct rewrite *w)
{
	c->output.file = rewrite_output(w, &c->err);
	if (c->output.file == NULL)
		return bundle_output_failed(c);
	if (bundle_write(c, set, packing, c->output.file) != PROF_OK)
		return PROF_FAIL;
	return cli_commit_output(c, w);
}

static enum prof_status
add_to_bundle(struct cli *c, const struct bundle_options *o, const struct
    rewrite *w, struct bundle_set *set)
{
	enum packing packing = o->packing;
	enum prof_status status;

	if (!o->packs && packing_of_bundle(c, w, &packing) != PROF_OK)
		return PROF_FAIL;
	add_own_input(c, w->path);
	status = bundle_scan(c, o, true, set);
	if (status == PROF_OK)
		status = settle_created_set(c, set);
	return status != PROF_OK ? status :
	    add_rewrite_bundle(c, set, packing, w);
}

int
bundle_add(struct cli *c, struct bundle_options *o, const char *bundle)
{
	struct bundle_set set = { .size = 0 };
	enum prof_status status;
	struct rewrite w;
	int code;

	c->output.path = bundle;
	status = rewrite_open(&w, bundle, &c->err);
	if (status != PROF_OK)
		bundle_output_failed(c);
	else {
		status = add_to_bundle(c, o, &w, &set);
		rewrite_close(&w);
	}
	code = cli_end(c, status);
	bundle_set_free(&set);
	return code;
}
