/* The calls of prof/lookup.h: so far, indexed profiles are those that can. */
#include "base/error.h"
#include "format/codec.h"

struct prof_lookup *
prof_lookup_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	if (indexed_sniff(image))
		return indexed_lookup_open(context, image, err);
	err_set(err, PROF_E_UNSUPPORTED, "names cannot be looked up");
	return NULL;
}

const struct prof_header *
prof_lookup_header(const struct prof_lookup *l)
{
	return &l->header;
}

enum prof_status
prof_lookup_check(struct prof_lookup *l, prof_visit_named *visit, void *arg,
    struct prof_error *err)
{
	return l->ops->check(l, visit, arg, err);
}

enum prof_status
prof_lookup_next(struct prof_lookup *l, struct prof_named *out,
    struct prof_error *err)
{
	return l->ops->next(l, out, err);
}

void
prof_lookup_rewind(struct prof_lookup *l)
{
	l->ops->rewind(l);
}

enum prof_status
prof_lookup_find(struct prof_lookup *l, const struct prof_symbol *symbol,
    struct prof_named *out, struct prof_error *err)
{
	return l->ops->find(l, symbol, out, err);
}

void
prof_lookup_close(struct prof_lookup *l)
{
	if (l != NULL)
		l->ops->close(l);
}
