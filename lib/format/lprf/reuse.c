#include "format/lprf/reuse.h"

#include <stdlib.h>

#include "format/codec.h"
#include "format/lprf/outline.h"
#include "model/record_copy.h"

/* Bytes and records of a block that is worth it. */
enum { BYTES_MAX = 1 << 12, RECORDS_MAX = 16 };

struct lprf2_reuse *
lprf2_reuse_take(struct prof_context *c)
{
	struct lprf2_reuse *u = c == NULL ? NULL : c->lprf2;

	if (u == NULL)
		return calloc(1, sizeof(*u));
	c->lprf2 = NULL;
	return u;
}

void
lprf2_reuse_leave(struct prof_context *c, struct lprf2_reuse *u)
{
	if (c != NULL && c->lprf2 == NULL)
		c->lprf2 = u;
	else
		lprf2_reuse_free(u);
}

void
lprf2_reuse_free(struct lprf2_reuse *u)
{
	if (u == NULL)
		return;
	lprf2_packer_free(u->packer);
	buf_free(&u->head);
	arena_free(&u->arena);
	free(u);
}

bool
lprf2_reuse_has(const struct lprf2_reuse *u, const struct lprf2_block *b)
{
	const struct prof_span head = buf_span(&u->head);

	return u->size != 0 && u->size == u->wanted && u->size == b->size &&
	    u->raw == b->raw[LPRF2_N] && lprf2_has_names_only(b) &&
	    prof_span_equal(head, b->sections[LPRF2_N]);
}

void
lprf2_reuse_begin(struct lprf2_reuse *u, const struct lprf2_block *b)
{
	const struct prof_span *s = &b->sections[LPRF2_N];

	arena_reset(&u->arena);
	u->size = u->wanted = 0;
	u->head.size = 0;
	u->raw = b->raw[LPRF2_N];
	if (b->size > RECORDS_MAX || s->size > BYTES_MAX)
		return;
	buf_put(&u->head, s->data, s->size);
	u->records = arena_array(&u->arena, b->size, sizeof(*u->records));
	if (!u->head.failed && u->records != NULL)
		u->wanted = b->size;
}

void
lprf2_reuse_note(struct lprf2_reuse *u, const struct prof_record *r)
{
	struct prof_record copy = *r;

	if (u->size == u->wanted)
		return;
	if ((r->kind == PROF_REC_PROFILE || r->kind == PROF_REC_BINARY ||
	    r->kind == PROF_REC_VTABLE) && record_copy(&u->arena, r->kind,
	    &copy.u))
		u->records[u->size++] = copy;
	else
		u->size = u->wanted = 0;
}
