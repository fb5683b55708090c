#include "config.h"

#include "cmd/bundle/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* An input, and the content that brings it. */
struct owned {
	const uint8_t *digest;
	size_t content;
};

struct work {
	const struct bundle_set *set;
	struct bundle_inputs *out;
	struct owned *owned;		/* of the partial merges that are used */
	size_t size;
	struct prof_error *err;
};

static const struct manifest_profile *
facts_of(const struct work *w, size_t content)
{
	return &w->set->contents[content]->facts;
}

static int
by_digest(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return memcmp(x->digest, y->digest, SHA256_SIZE);
}

static int
compare_lists(const struct manifest_profile *a,
    const struct manifest_profile *b)
{
	if (a->inputs_size != b->inputs_size)
		return a->inputs_size < b->inputs_size ? -1 : 1;
	return memcmp(a->inputs, b->inputs, a->inputs_size * SHA256_SIZE);
}

static size_t
shared_inputs(const struct manifest_profile *a,
    const struct manifest_profile *b)
{
	size_t i = 0, k = 0, n = 0;

	while (i < a->inputs_size && k < b->inputs_size) {
		int order = memcmp(a->inputs[i], b->inputs[k], SHA256_SIZE);

		n += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	return n;
}

static enum prof_status
overlap(const struct work *w, const struct owned *x, const struct owned *y,
    const struct bundle_entry **at)
{
	const struct manifest_profile *a = facts_of(w, x->content);
	const struct manifest_profile *b = facts_of(w, y->content);
	const struct bundle_entry *other = w->set->contents[y->content];

	*at = w->set->contents[x->content];
	return err_set(w->err, PROF_E_MISMATCH, "has %zu of its %zu inputs in "
	    "common with %s[%s], which has %zu", shared_inputs(a, b),
	    a->inputs_size, w->set->sources[other->source].path,
	    (const char *)b->path.data, b->inputs_size);
}

/* A partial merge. */
struct listed {
	const struct manifest_profile *facts;
	size_t content;
};

static int
by_list(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = compare_lists(x->facts, y->facts);

	return order != 0 ? order :
	    memcmp(x->facts->sha256, y->facts->sha256, SHA256_SIZE);
}

static size_t
list_partials(const struct work *w, struct listed *out, size_t *inputs)
{
	size_t n = 0;

	*inputs = 0;
	for (size_t i = 0; i < w->set->contents_size; i++) {
		const struct manifest_profile *p = facts_of(w, i);

		if (p->inputs == NULL)
			continue;
		out[n++] = (struct listed){ p, i };
		*inputs += p->inputs_size;
	}
	if (n > 0)
		qsort(out, n, sizeof(*out), by_list);
	return n;
}

static void
take_partial(struct work *w, const struct listed *l)
{
	w->out->wanted[l->content] = true;
	for (size_t k = 0; k < l->facts->inputs_size; k++)
		w->owned[w->size++] = (struct owned){ l->facts->inputs[k],
		    l->content };
}

/* Of those with the same inputs, the first in the order of digests. */
static enum prof_status
take_partials(struct work *w, struct listed *list)
{
	size_t inputs, n = list_partials(w, list, &inputs);

	w->owned = calloc(inputs + w->set->contents_size + 1,
	    sizeof(*w->owned));
	if (w->owned == NULL)
		return err_memory(w->err);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_lists(list[i - 1].facts, list[i].facts)
		    == 0)
			w->out->repeated++;
		else
			take_partial(w, &list[i]);
	}
	return PROF_OK;
}

static enum prof_status
check_overlap(struct work *w, const struct bundle_entry **at)
{
	if (w->size > 0)
		qsort(w->owned, w->size, sizeof(*w->owned), by_digest);
	for (size_t i = 1; i < w->size; i++) {
		if (by_digest(&w->owned[i - 1], &w->owned[i]) == 0)
			return overlap(w, &w->owned[i - 1], &w->owned[i], at);
	}
	return PROF_OK;
}

/* Profiles that no partial merge has. */
static void
take_others(struct work *w)
{
	size_t in_partials = w->size;

	for (size_t i = 0; i < w->set->contents_size; i++) {
		struct owned o = { facts_of(w, i)->sha256, i };

		if (facts_of(w, i)->inputs != NULL)
			continue;
		if (in_partials > 0 && bsearch(&o, w->owned, in_partials,
		    sizeof(o), by_digest) != NULL) {
			w->out->repeated++;
			continue;
		}
		w->out->wanted[i] = true;
		w->owned[w->size++] = o;
	}
}

static enum prof_status
list_inputs(struct work *w)
{
	struct bundle_inputs *out = w->out;

	if (w->size > 0)
		qsort(w->owned, w->size, sizeof(*w->owned), by_digest);
	out->digests = calloc(w->size + 1, SHA256_SIZE);
	out->dropped = calloc(w->size + 1, sizeof(*out->dropped));
	if (out->digests == NULL || out->dropped == NULL)
		return err_memory(w->err);
	for (size_t i = 0; i < w->size; i++)
		memcpy(out->digests[i], w->owned[i].digest, SHA256_SIZE);
	out->size = w->size;
	return PROF_OK;
}

enum prof_status
bundle_inputs(struct bundle_inputs *out, const struct bundle_set *set,
    const struct bundle_entry **at, struct prof_error *err)
{
	struct work w = { .set = set, .out = out, .err = err };
	struct listed *list = calloc(set->contents_size + 1, sizeof(*list));
	enum prof_status status = PROF_FAIL;

	*at = NULL;
	out->wanted = calloc(set->contents_size + 1, sizeof(*out->wanted));
	if (list == NULL || out->wanted == NULL)
		err_memory(err);
	else if (take_partials(&w, list) == PROF_OK &&
	    check_overlap(&w, at) == PROF_OK) {
		take_others(&w);
		status = list_inputs(&w);
	}
	free(list);
	free(w.owned);
	return status;
}

static int
compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_SIZE);
}

static void
drop(struct bundle_inputs *in, const uint8_t *digest)
{
	const uint8_t (*found)[SHA256_SIZE] = bsearch(digest, in->digests,
	    in->size, SHA256_SIZE, compare_digests);

	if (found != NULL)
		in->dropped[found - (const uint8_t (*)[SHA256_SIZE])
		    in->digests] = true;
}

void
bundle_inputs_drop(struct bundle_inputs *in, const struct manifest_profile *p)
{
	if (p->inputs == NULL)
		drop(in, p->sha256);
	for (size_t i = 0; i < p->inputs_size; i++)
		drop(in, p->inputs[i]);
}

void
bundle_inputs_settle(struct bundle_inputs *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->size; i++) {
		if (!in->dropped[i])
			memmove(in->digests[n++], in->digests[i], SHA256_SIZE);
	}
	in->size = n;
}

void
bundle_inputs_free(struct bundle_inputs *in)
{
	free(in->wanted);
	free(in->dropped);
	free(in->digests);
	*in = (struct bundle_inputs){ .wanted = NULL };
}
