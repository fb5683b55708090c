#include "format/indexed/store.h"

#include "base/error.h"

enum { PIECE = 1 << 18 };

enum prof_status
indexed_store_drain(struct indexed_store *s, bool all, struct prof_error *err)
{
	int e;

	if (s->bytes.failed)
		return err_memory(err);
	if (s->scratch == NULL || s->bytes.size < (all ? 1 : PIECE))
		return PROF_OK;
	e = s->scratch->write(s->scratch->arg, s->bytes.data, s->bytes.size);
	if (e != 0)
		return err_system(err, e, "write");
	s->written += s->bytes.size;
	s->bytes.size = 0;
	return PROF_OK;
}

enum prof_status
indexed_store_get(const struct indexed_store *s, uint64_t offset, size_t size,
    struct buf *out, struct prof_error *err)
{
	int e;

	if (size == 0)
		return PROF_OK;
	if (s->scratch == NULL) {
		buf_put(out, s->bytes.data + offset, size);
		return PROF_OK;
	}
	if (buf_reserve(out, size) == NULL)
		return err_memory(err);
	e = s->scratch->read(s->scratch->arg, offset, out->data + out->size,
	    size);
	if (e != 0)
		return err_system(err, e, "read");
	out->size += size;
	return PROF_OK;
}
