#include "format/lprf/names.h"

/* Bytes that both begin with. */
static size_t
lprf2_shared(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && load_u64(a + i, false) == load_u64(b + i, false))
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

size_t
lprf2_put_suffix(struct buf *out, struct buf *last, struct prof_span name)
{
	size_t shared = lprf2_shared(last->data, name.data,
	    last->size < name.size ? last->size : name.size);

	buf_uleb(out, shared);
	buf_uleb(out, name.size - shared);
	buf_put(out, name.data + shared, name.size - shared);
	last->size = shared;
	buf_put(last, name.data + shared, name.size - shared);
	return shared;
}

const char *
lprf2_next_suffix(struct lprf2_names *n, struct lprf2_suffix *s)
{
	uint64_t shared = cur_uleb(&n->in), size = cur_uleb(&n->in);

	s->text = (struct prof_span){ cur_bytes(&n->in, size), (size_t)size };
	if (n->in.failed)
		return "its name exceeds the section";
	if (shared > n->last || shared + size == 0)
		return "its name is empty, or shares more than the one before "
		    "it has";
	s->shared = (size_t)shared;
	n->last = s->shared + s->text.size;
	return NULL;
}

/*
 * The last name was below, and so differs from this one behind `same` bytes, or
 * ends there.  One that shares more differs alike.  One that shares fewer is
 * above the last name in a byte that the last one has in common with this one.
 */
int
lprf2_place_next(struct lprf2_place *p, const struct lprf2_suffix *s)
{
	const uint8_t *rest = p->name.data + p->same;
	size_t left = p->name.size - p->same, n;

	if (s->shared != p->same)
		return s->shared > p->same ? -1 : 1;
	n = lprf2_shared(s->text.data, rest, left < s->text.size ? left :
	    s->text.size);
	p->same += n;
	if (n < left && n < s->text.size)
		return s->text.data[n] < rest[n] ? -1 : 1;
	return (s->text.size > left) - (s->text.size < left);
}
