#include "format/lprf/decoder.h"

#include "base/error.h"

/* The place of an error is the block: its sections may be inflated. */
enum prof_status
lprf2_bad(const struct lprf2_decoder *r, size_t section, size_t function,
    const char *what)
{
	return err_at(r->err, PROF_E_CORRUPT, r->block.at, "block: section "
	    "%c: function %zu of %u: %s", LPRF2_LETTERS[section], function + 1,
	    r->block.size, what);
}

enum prof_status
lprf2_section(struct lprf2_decoder *r, size_t section, struct cursor *c)
{
	const struct prof_span *s = &r->block.sections[section];

	if (r->packer != NULL && lprf2_inflate_section(&r->block, section,
	    r->packer, r->arena, r->err) != PROF_OK)
		return PROF_FAIL;
	*c = (struct cursor){ .data = s->data, .size = s->size };
	return PROF_OK;
}

bool
lprf2_get_size(struct cursor *c, size_t *n)
{
	uint64_t count = cur_uleb(c);

	if (c->failed || count > cur_left(c))
		return false;
	*n = (size_t)count;
	return true;
}

bool
lprf2_get_text(struct cursor *c, struct prof_span *s)
{
	if (!lprf2_get_size(c, &s->size))
		return false;
	s->data = cur_bytes(c, s->size);
	return true;
}
