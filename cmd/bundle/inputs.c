#include "config.h"

#include "cmd/bundle/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* No content: the input is in none that is wanted. */
#define NO_CONTENT	SIZE_MAX

/* An input, and the content that has it. */
struct input_owner {
	const uint8_t *digest;
	size_t content;
};

struct inputs_builder {
	const struct bundle_set *set;
	struct bundle_inputs *out;
	struct input_owner *owners;	/* of each input, by digest */
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

/* A partial merge. */
struct partial_merge {
	const struct manifest_profile *facts;
	size_t content;
	bool overlaps;			/* with some that are wanted */
};

/* Larger ones first, as they may contain the smaller ones. */
static int
compare_partials(const void *a, const void *b)
{
	const struct manifest_profile *x =
	    ((const struct partial_merge *)a)->facts;
	const struct manifest_profile *y =
	    ((const struct partial_merge *)b)->facts;
	int order;

	if (x->inputs_size != y->inputs_size)
		return x->inputs_size > y->inputs_size ? -1 : 1;
	order = memcmp(x->inputs, y->inputs, x->inputs_size * SHA256_SIZE);
	return order != 0 ? order : memcmp(x->sha256, y->sha256, SHA256_SIZE);
}

static struct input_owner *
inputs_find_owner(const struct inputs_builder *w, const uint8_t *digest)
{
	struct input_owner key = { digest, 0 };

	return w->size == 0 ? NULL : bsearch(&key, w->owners, w->size,
	    sizeof(key), compare_owner_digests);
}

/* How many inputs of a partial merge are in those that are wanted. */
static size_t
inputs_count_owned(const struct inputs_builder *w,
    const struct manifest_profile *p, const struct input_owner **last)
{
	size_t n = 0;

	for (size_t i = 0; i < p->inputs_size; i++) {
		const struct input_owner *o = inputs_find_owner(w,
		    p->inputs[i]);

		if (o->content == NO_CONTENT)
			continue;
		n++;
		*last = o;
	}
	return n;
}

static enum prof_status
err_inputs_overlap(const struct inputs_builder *w,
    const struct partial_merge *partial, const struct input_owner *shared,
    const struct bundle_entry **at)
{
	const struct bundle_entry *other = w->set->contents[shared->content];
	const struct manifest_profile *a = partial->facts, *b = &other->facts;

	*at = w->set->contents[partial->content];
	return err_set(w->err, PROF_E_MISMATCH, "has %zu of its %zu inputs in "
	    "common with %s[%s], which has %zu", count_shared_inputs(a, b),
	    a->inputs_size, w->set->sources[other->source].path,
	    (const char *)b->path.data, b->inputs_size);
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
		out[n++] = (struct partial_merge){ p, i, false };
		*inputs += p->inputs_size;
	}
	if (n > 0)
		qsort(out, n, sizeof(*out), compare_partials);
	return n;
}

/* Lists all inputs of partial merges once, without owner. */
static bool
inputs_list_owners(struct inputs_builder *w, const struct partial_merge *list,
    size_t n, size_t inputs)
{
	size_t kept = 0;

	w->owners = calloc(inputs + w->set->contents_size + 1,
	    sizeof(*w->owners));
	if (w->owners == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < list[i].facts->inputs_size; k++)
			w->owners[w->size++] = (struct input_owner){
			    list[i].facts->inputs[k], NO_CONTENT };
	}
	if (w->size > 0)
		qsort(w->owners, w->size, sizeof(*w->owners),
		    compare_owner_digests);
	for (size_t i = 0; i < w->size; i++) {
		if (kept == 0 || compare_owner_digests(&w->owners[kept - 1],
		    &w->owners[i]) != 0)
			w->owners[kept++] = w->owners[i];
	}
	w->size = kept;
	return true;
}

static void
inputs_add_partial(struct inputs_builder *w, const struct partial_merge *l)
{
	w->out->wanted[l->content] = true;
	for (size_t k = 0; k < l->facts->inputs_size; k++)
		inputs_find_owner(w, l->facts->inputs[k])->content =
		    l->content;
}

/*
 * Wants partial merges, the larger ones first, unless all their inputs are in
 * those that are wanted.  One that has only some of them there is refused, if
 * the smaller ones do not have the rest.
 */
static enum prof_status
inputs_add_partials(struct inputs_builder *w, struct partial_merge *list,
    const struct bundle_entry **at)
{
	size_t inputs, n = inputs_list_partials(w, list, &inputs);
	const struct input_owner *shared = NULL;

	if (!inputs_list_owners(w, list, n, inputs))
		return err_memory(w->err);
	for (size_t i = 0; i < n; i++) {
		list[i].overlaps = inputs_count_owned(w, list[i].facts,
		    &shared) != 0;
		if (!list[i].overlaps)
			inputs_add_partial(w, &list[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (!list[i].overlaps)
			continue;
		if (inputs_count_owned(w, list[i].facts, &shared) !=
		    list[i].facts->inputs_size)
			return err_inputs_overlap(w, &list[i], shared, at);
		w->out->repeated++;
	}
	return PROF_OK;
}

/* Whether a partial merge has the input: the first owners are their inputs. */
static bool
inputs_are_owned(const struct inputs_builder *w, size_t in_partials,
    const struct input_owner *o)
{
	return in_partials != 0 && bsearch(o, w->owners, in_partials,
	    sizeof(*o), compare_owner_digests) != NULL;
}

/* Adds the profiles that are in no partial merge. */
static void
inputs_add_others(struct inputs_builder *w)
{
	size_t in_partials = w->size;

	for (size_t i = 0; i < w->set->contents_size; i++) {
		struct input_owner o = { w->set->contents[i]->identity, i };

		/* Partial merges may know it by its bytes alone. */
		struct input_owner content = { content_facts(w, i)->sha256,
		    i };

		if (content_facts(w, i)->inputs != NULL)
			continue;
		if (inputs_are_owned(w, in_partials, &o) ||
		    inputs_are_owned(w, in_partials, &content)) {
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
	else if (inputs_add_partials(&w, list, at) == PROF_OK) {
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
bundle_inputs_drop(struct bundle_inputs *in, const struct bundle_entry *e)
{
	const struct manifest_profile *p = &e->facts;

	if (p->inputs == NULL)
		inputs_drop_digest(in, e->identity);
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
