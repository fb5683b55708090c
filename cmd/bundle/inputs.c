#include "config.h"

#include "cmd/bundle/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* An input, and the content that has it. */
struct input_owner {
	const uint8_t *digest;
	size_t content;
};

struct inputs_builder {
	const struct bundle_set *set;
	struct bundle_inputs *out;
	struct input_owner *owners;	/* inputs of the wanted contents */
	size_t size;
	struct prof_error *err;
};

static const struct manifest_profile *
content_facts(const struct inputs_builder *w, size_t content)
{
	return &w->set->contents[content]->facts;
}

static int
compare_owner_digests(const void *a, const void *b)
{
	const struct input_owner *x = a, *y = b;

	return memcmp(x->digest, y->digest, SHA256_SIZE);
}

static int
compare_input_lists(const struct manifest_profile *a,
    const struct manifest_profile *b)
{
	if (a->inputs_size != b->inputs_size)
		return a->inputs_size < b->inputs_size ? -1 : 1;
	return memcmp(a->inputs, b->inputs, a->inputs_size * SHA256_SIZE);
}

static size_t
count_shared_inputs(const struct manifest_profile *a,
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
err_inputs_overlap(const struct inputs_builder *w, const struct input_owner *x,
    const struct input_owner *y, const struct bundle_entry **at)
{
	const struct manifest_profile *a = content_facts(w, x->content);
	const struct manifest_profile *b = content_facts(w, y->content);
	const struct bundle_entry *other = w->set->contents[y->content];

	*at = w->set->contents[x->content];
	return err_set(w->err, PROF_E_MISMATCH, "has %zu of its %zu inputs in "
	    "common with %s[%s], which has %zu", count_shared_inputs(a, b),
	    a->inputs_size, w->set->sources[other->source].path,
	    (const char *)b->path.data, b->inputs_size);
}

/* A partial merge. */
struct partial_merge {
	const struct manifest_profile *facts;
	size_t content;
};

static int
compare_partials(const void *a, const void *b)
{
	const struct partial_merge *x = a, *y = b;
	int order = compare_input_lists(x->facts, y->facts);

	return order != 0 ? order :
	    memcmp(x->facts->sha256, y->facts->sha256, SHA256_SIZE);
}

static size_t
inputs_list_partials(const struct inputs_builder *w, struct partial_merge *out,
    size_t *inputs)
{
	size_t n = 0;

	*inputs = 0;
	for (size_t i = 0; i < w->set->contents_size; i++) {
		const struct manifest_profile *p = content_facts(w, i);

		if (p->inputs == NULL)
			continue;
		out[n++] = (struct partial_merge){ p, i };
		*inputs += p->inputs_size;
	}
	if (n > 0)
		qsort(out, n, sizeof(*out), compare_partials);
	return n;
}

static void
inputs_add_partial(struct inputs_builder *w, const struct partial_merge *l)
{
	w->out->wanted[l->content] = true;
	for (size_t k = 0; k < l->facts->inputs_size; k++)
		w->owners[w->size++] = (struct input_owner){
		    l->facts->inputs[k], l->content };
}

/* Of partial merges with equal inputs, the first by digest is used. */
static enum prof_status
inputs_add_partials(struct inputs_builder *w, struct partial_merge *list)
{
	size_t inputs, n = inputs_list_partials(w, list, &inputs);

	w->owners = calloc(inputs + w->set->contents_size + 1,
	    sizeof(*w->owners));
	if (w->owners == NULL)
		return err_memory(w->err);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_input_lists(list[i - 1].facts,
		    list[i].facts) == 0)
			w->out->repeated++;
		else
			inputs_add_partial(w, &list[i]);
	}
	return PROF_OK;
}

static enum prof_status
inputs_check_overlap(struct inputs_builder *w, const struct bundle_entry **at)
{
	if (w->size > 0)
		qsort(w->owners, w->size, sizeof(*w->owners),
		    compare_owner_digests);
	for (size_t i = 1; i < w->size; i++) {
		if (compare_owner_digests(&w->owners[i - 1], &w->owners[i]) ==
		    0)
			return err_inputs_overlap(w, &w->owners[i - 1],
			    &w->owners[i], at);
	}
	return PROF_OK;
}

/* Adds the profiles that are in no partial merge. */
static void
inputs_add_others(struct inputs_builder *w)
{
	size_t in_partials = w->size;

	for (size_t i = 0; i < w->set->contents_size; i++) {
		struct input_owner o = { content_facts(w, i)->sha256, i };

		if (content_facts(w, i)->inputs != NULL)
			continue;
		if (in_partials > 0 && bsearch(&o, w->owners, in_partials,
		    sizeof(o), compare_owner_digests) != NULL) {
			w->out->repeated++;
			continue;
		}
		w->out->wanted[i] = true;
		w->owners[w->size++] = o;
	}
}

static enum prof_status
inputs_list_digests(struct inputs_builder *w)
{
	struct bundle_inputs *out = w->out;

	if (w->size > 0)
		qsort(w->owners, w->size, sizeof(*w->owners),
		    compare_owner_digests);
	out->digests = calloc(w->size + 1, SHA256_SIZE);
	out->dropped = calloc(w->size + 1, sizeof(*out->dropped));
	if (out->digests == NULL || out->dropped == NULL)
		return err_memory(w->err);
	for (size_t i = 0; i < w->size; i++)
		memcpy(out->digests[i], w->owners[i].digest, SHA256_SIZE);
	out->size = w->size;
	return PROF_OK;
}

enum prof_status
bundle_inputs(struct bundle_inputs *out, const struct bundle_set *set,
    const struct bundle_entry **at, struct prof_error *err)
{
	struct inputs_builder w = { .set = set, .out = out, .err = err };
	struct partial_merge *list = calloc(set->contents_size + 1,
	    sizeof(*list));
	enum prof_status status = PROF_FAIL;

	*at = NULL;
	out->wanted = calloc(set->contents_size + 1, sizeof(*out->wanted));
	if (list == NULL || out->wanted == NULL)
		err_memory(err);
	else if (inputs_add_partials(&w, list) == PROF_OK &&
	    inputs_check_overlap(&w, at) == PROF_OK) {
		inputs_add_others(&w);
		status = inputs_list_digests(&w);
	}
	free(list);
	free(w.owners);
	return status;
}

static int
compare_sha256(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_SIZE);
}

static void
inputs_drop_digest(struct bundle_inputs *in, const uint8_t *digest)
{
	const uint8_t (*found)[SHA256_SIZE] = bsearch(digest, in->digests,
	    in->size, SHA256_SIZE, compare_sha256);

	if (found != NULL)
		in->dropped[found - (const uint8_t (*)[SHA256_SIZE])
		    in->digests] = true;
}

void
bundle_inputs_drop(struct bundle_inputs *in, const struct manifest_profile *p)
{
	if (p->inputs == NULL)
		inputs_drop_digest(in, p->sha256);
	for (size_t i = 0; i < p->inputs_size; i++)
		inputs_drop_digest(in, p->inputs[i]);
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
