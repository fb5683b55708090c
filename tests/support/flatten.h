/* tests/support/flatten.h - readers that give blocks, record by record */
#ifndef FLATTEN_H
#define FLATTEN_H

#include "prof.h"

struct flat {
	struct prof_reader *reader;
	const struct prof_function *functions;	/* of the block at hand */
	size_t next, size;
	size_t blocks;			/* seen */
};

/* The next record, of those that are no blocks. */
static inline enum prof_status
flat_next(struct flat *f, struct prof_record *out, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (f->next == f->size) {
		status = prof_next(f->reader, out, err);
		if (status == PROF_OK && out->kind == PROF_REC_BLOCK) {
			f->blocks++;
			f->next = 0;
			f->size = out->u.block.size;
			f->functions = prof_block_functions(&out->u.block,
			    err);
			if (f->functions == NULL)
				return PROF_FAIL;
		}
	}
	if (f->next < f->size) {
		out->kind = PROF_REC_FUNCTION;
		out->u.function = f->functions[f->next++];
	}
	return status;
}

#endif
