#include "format/lprf/blocks.h"

enum { WINDOW = 1 << 15, BLOCK_MAX = 1 << 22 };

/* The bytes at the next block, so many of them; NULL if they are not there. */
static const uint8_t *
lprf2_blocks_bytes(struct lprf2_blocks *b, uint64_t size)
{
	uint64_t left = b->end - b->at, wanted = size > WINDOW ? size : WINDOW;

	if (size > left || size > BLOCK_MAX)
		return NULL;
	if (b->at >= b->window_at &&
	    b->at + size <= b->window_at + b->window.size)
		return b->window.data + (b->at - b->window_at);
	b->window.size = 0;
	if (wanted > left)
		wanted = left;
	if (buf_reserve(&b->window, (size_t)wanted) == NULL ||
	    b->source.read(b->source.arg, b->at, b->window.data,
	    (size_t)wanted) != 0)
		return NULL;
	b->window.size = (size_t)wanted;
	b->window_at = b->at;
	return b->window.data;
}

enum prof_status
lprf2_blocks_open(struct lprf2_blocks *b, const struct lprf2_source *source)
{
	uint8_t bytes[LPRF2_TRAILER];

	*b = (struct lprf2_blocks){ .source = *source };
	if (source->size < LPRF2_HEADER + LPRF2_TRAILER ||
	    source->read(source->arg, 0, bytes, LPRF2_HEADER) != 0 ||
	    lprf2_get_header((struct prof_span){ bytes, LPRF2_HEADER },
	    NULL) != PROF_OK)
		return PROF_FAIL;
	b->end = source->size - LPRF2_TRAILER;
	b->at = LPRF2_HEADER;
	return source->read(source->arg, b->end, bytes, LPRF2_TRAILER) == 0 ?
	    lprf2_parse_trailer(bytes, b->end, &b->trailer, NULL) : PROF_FAIL;
}

enum prof_status
lprf2_blocks_next(struct lprf2_blocks *b, struct lprf2_block *block)
{
	const uint8_t *p;
	uint64_t size;

	if (b->at == b->end)
		return PROF_END;
	p = lprf2_blocks_bytes(b, LPRF2_BLOCK_HEAD);
	if (p == NULL)
		return PROF_FAIL;
	size = lprf2_block_size(p);
	p = lprf2_blocks_bytes(b, size);
	if (p == NULL || lprf2_get_block((struct prof_span){ p, (size_t)size },
	    0, size, block, NULL) != PROF_OK)
		return PROF_FAIL;
	block->at = b->at;
	b->at += size;
	return PROF_OK;
}

void
lprf2_blocks_free(struct lprf2_blocks *b)
{
	lprf2_outline_free(&b->outline);
	buf_free(&b->window);
}
