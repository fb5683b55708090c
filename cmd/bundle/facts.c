#include "config.h"

#include "cmd/bundle/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct facts_builder {
	struct arena *arena;
	struct manifest_profile *p;
	struct sha256 *shape;
	struct prof_span *ids;
	size_t ids_size, ids_room;
};

static enum prof_status
facts_add_id(struct facts_builder *f, struct prof_span id,
    struct prof_error *err)
{
	if (id.size == 0)
		return PROF_OK;
	/* The images of a file mostly name the same few. */
	for (size_t i = 0; i < f->ids_size && i < 8; i++) {
		if (prof_span_compare(f->ids[i], id) == 0)
			return PROF_OK;
	}
	return arena_keep(f->arena, &id) &&
	    ARRAY_ADD(f->ids, f->ids_size, f->ids_room, id) ? PROF_OK :
	    err_memory(err);
}

static void
facts_add_number(struct facts_builder *f, uint64_t n)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(n >> 8 * i);
	sha256_add(f->shape, bytes, sizeof(bytes));
}

static void
facts_add_function(struct facts_builder *f, const struct prof_function *fn)
{
	facts_add_number(f, fn->symbol.name.size);
	sha256_add(f->shape, fn->symbol.name.data, fn->symbol.name.size);
	if (fn->symbol.name.size == 0)
		facts_add_number(f, fn->symbol.guid);
	facts_add_number(f, fn->hash);
	facts_add_number(f, fn->counts_size);
}

static enum prof_status
facts_add_record(struct facts_builder *f, const struct prof_record *r,
    struct prof_error *err)
{
	struct manifest_profile *p = f->p;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (p->profiles++ == 0) {
			p->kind = r->u.profile.kind;
			p->version = r->u.profile.source.version;
		} else if (p->kind != r->u.profile.kind)
			p->kind = PROF_MIXED;
		return PROF_OK;
	case PROF_REC_BINARY:
		return facts_add_id(f, r->u.build_id, err);
	case PROF_REC_SEGMENT:
		return facts_add_id(f, r->u.segment.build_id, err);
	case PROF_REC_FUNCTION:
		facts_add_function(f, &r->u.function);
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		facts_add_number(f, r->u.raw_counters.counts_size);
		return PROF_OK;
	default:
		return PROF_OK;
	}
}

static enum prof_status
facts_read_records(struct facts_builder *f, struct cli *c,
    struct prof_span image, struct cli_tally *tally, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(c->context, image, err);
	enum prof_status status = PROF_FAIL;
	struct prof_record r;

	while (reader != NULL &&
	    (status = prof_next(reader, &r, err)) == PROF_OK) {
		cli_tally_add(tally, &r);
		cli_progress_record(c, &r);
		if (facts_add_record(f, &r, err) != PROF_OK) {
			status = PROF_FAIL;
			break;
		}
	}
	prof_close(reader);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Headers in a stream describe its source: its own version is always 1. */
static void
facts_set_format(struct manifest_profile *p, struct prof_span image)
{
	const char *format = prof_sniff(image);

	if (format == NULL)
		format = "text";
	if (strcmp(format, "stream") == 0)
		p->version = 1;
	p->format = span_of_text(format);
}

static enum prof_status
facts_set_ids(struct facts_builder *f, struct prof_error *err)
{
	size_t n = prof_span_unique(f->ids, f->ids_size);
	struct prof_span *ids = arena_array(f->arena, n, sizeof(*ids));

	if (ids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		ids[i] = f->ids[i];
	f->p->binary_ids = ids;
	f->p->binary_ids_size = n;
	return PROF_OK;
}

enum prof_status
bundle_facts(struct cli *c, struct prof_span image,
    const struct bundle_facts *out, struct prof_error *err)
{
	struct manifest_profile *p = out->profile;
	struct cli_tally *tally = out->tally;
	struct facts_builder f = { .arena = out->arena, .p = p,
	    .shape = sha256_new() };
	uint8_t shape[SHA256_SIZE];
	enum prof_status status;

	if (f.shape == NULL)
		return err_memory(err);
	status = facts_read_records(&f, c, image, tally, err);
	if (status == PROF_OK)
		status = facts_set_ids(&f, err);
	sha256_end(f.shape, shape);
	p->shape = 0;
	for (int i = 0; i < 8; i++)
		p->shape = p->shape << 8 | shape[i];
	p->size = image.size;
	p->functions = tally->functions;
	p->contexts = tally->contexts;
	p->counts = tally->counts;
	facts_set_format(p, image);
	sha256_free(f.shape);
	free(f.ids);
	return status;
}

void
bundle_add_tally(struct cli *c, const struct cli_tally *t)
{
	struct cli_damage *d = &c->report.damage;

	d->used++;
	d->kept.functions += t->functions;
	d->kept.contexts += t->contexts;
	if (__builtin_add_overflow(d->kept.counts, t->counts,
	    &d->kept.counts))
		d->kept.counts = UINT64_MAX;
}

const char *
bundle_facts_differ(const struct manifest_profile *a,
    const struct manifest_profile *b)
{
	if (prof_span_compare(a->format, b->format) != 0)
		return "format";
	if (a->version != b->version)
		return "version";
	if (a->kind != b->kind)
		return "kind";
	if (a->profiles != b->profiles)
		return "profiles";
	if (a->functions != b->functions)
		return "functions";
	if (a->contexts != b->contexts)
		return "contexts";
	if (a->counts != b->counts)
		return "count";
	if (a->shape != b->shape)
		return "shape";
	if (a->binary_ids_size != b->binary_ids_size)
		return "binary_ids";
	for (size_t i = 0; i < a->binary_ids_size; i++) {
		if (prof_span_compare(a->binary_ids[i], b->binary_ids[i]) != 0)
			return "binary_ids";
	}
	return NULL;
}
