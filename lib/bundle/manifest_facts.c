#include "bundle/manifest_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum prof_status
manifest_facts_begin(struct manifest_facts *f, struct manifest_profile *p,
    struct arena *arena, struct prof_error *err)
{
	*f = (struct manifest_facts){ .profile = p, .arena = arena,
	    .shape = sha256_new() };
	return f->shape == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
facts_add_id(struct manifest_facts *f, struct prof_span id,
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
facts_add_number(struct manifest_facts *f, uint64_t n)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(n >> 8 * i);
	sha256_add(f->shape, bytes, sizeof(bytes));
}

static void
facts_add_function(struct manifest_facts *f, const struct prof_function *fn)
{
	uint64_t *counts = &f->profile->counts;

	f->profile->functions++;
	/* Pseudo counts are flags and not added. */
	for (size_t i = 0; i < fn->counts_size && !prof_is_pseudo(fn); i++) {
		if (__builtin_add_overflow(*counts, fn->counts[i], counts))
			*counts = UINT64_MAX;
	}
	facts_add_number(f, fn->symbol.name.size);
	sha256_add(f->shape, fn->symbol.name.data, fn->symbol.name.size);
	if (fn->symbol.name.size == 0)
		facts_add_number(f, fn->symbol.guid);
	facts_add_number(f, fn->hash);
	facts_add_number(f, fn->counts_size);
}

enum prof_status
manifest_facts_add(struct manifest_facts *f, const struct prof_record *r,
    struct prof_error *err)
{
	struct manifest_profile *p = f->profile;

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
	case PROF_REC_ALLOCATION:
		p->contexts++;
		return PROF_OK;
	default:
		return PROF_OK;
	}
}

enum prof_status
manifest_facts_end(struct manifest_facts *f, const char *format,
    struct prof_error *err)
{
	struct manifest_profile *p = f->profile;
	uint8_t shape[SHA256_SIZE];
	struct prof_span *ids;

	sha256_end(f->shape, shape);
	p->shape = 0;
	for (int i = 0; i < 8; i++)
		p->shape = p->shape << 8 | shape[i];
	p->format = span_of_text(format == NULL ? "text" : format);
	/* Headers in a stream describe its source: its own version is 1. */
	if (format != NULL && strcmp(format, "stream") == 0)
		p->version = 1;
	p->binary_ids_size = prof_span_unique(f->ids, f->ids_size);
	p->binary_ids = ids = arena_array(f->arena, p->binary_ids_size,
	    sizeof(*ids));
	for (size_t i = 0; ids != NULL && i < p->binary_ids_size; i++)
		ids[i] = f->ids[i];
	sha256_free(f->shape);
	free(f->ids);
	return ids == NULL ? err_memory(err) : PROF_OK;
}

const char *
manifest_facts_differ(const struct manifest_profile *a,
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
