#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/lprf/lprf.h"
#include "format/lprf/v2.h"
#include "format/lprf/write2.h"
#include "model/value_sites.h"

/* A function; data is an offset in lprf_writer.data. */
struct lprf_entry {
	struct prof_span name;
	uint64_t hash, data;
};

struct lprf_writer {
	struct prof_writer base;
	struct arena names;
	struct lprf_entry *entries;
	size_t size, room;
	uint64_t max_count;		/* the largest first counter */
	struct buf data;		/* hash, number and counters of each */
	bool began, warned;
};

/* Warns once that everything but names, hashes and counters is dropped. */
static void
lprf_warn_once(struct lprf_writer *w, bool lost)
{
	if (!lost || w->warned)
		return;
	w->warned = true;
	warn_lost(w->base.context, "LPRF holds names, hashes and counters: "
	    "other data is dropped");
}

static bool
lprf_function_exceeds(const struct prof_function *f)
{
	return value_sites_count(f->values) != 0 || f->bitmap.size != 0 ||
	    f->uniform_size != 0;
}

static enum prof_status
lprf_put_function(struct lprf_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct lprf_entry *e;

	if (f->symbol.name.data == NULL) {
		w->base.written.nameless++;
		return PROF_OK;
	}
	lprf_warn_once(w, lprf_function_exceeds(f));
	if (f->counts_size == 0 || f->symbol.name.size == 0 ||
	    f->symbol.name.size > UINT32_MAX)
		return err_set(err, PROF_E_UNSUPPORTED, "LPRF cannot hold a "
		    "function without name or counters");
	if (!ARRAY_ROOM(w->entries, w->size, w->room))
		return err_memory(err);
	e = &w->entries[w->size++];
	*e = (struct lprf_entry){ arena_copy(&w->names, f->symbol.name),
	    f->hash, w->data.size };
	if (f->counts[0] > w->max_count)
		w->max_count = f->counts[0];
	buf_u64le(&w->data, f->hash);
	buf_u64le(&w->data, f->counts_size);
	for (size_t i = 0; i < f->counts_size; i++)
		buf_u64le(&w->data, f->counts[i]);
	return e->name.data == NULL || w->data.failed ? err_memory(err) :
	    PROF_OK;
}

static enum prof_status
lprf_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct lprf_writer *w = (struct lprf_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (w->began)
			return err_set(err, PROF_E_MISMATCH,
			    "LPRF holds one profile: use prof-merge");
		w->began = true;
		lprf_warn_once(w, r->u.profile.level != PROF_LEVEL_UNKNOWN ||
		    r->u.profile.flags != 0);
		return PROF_OK;
	case PROF_REC_FUNCTION:
		return lprf_put_function(w, &r->u.function, err);
	case PROF_REC_NAME:
	case PROF_REC_END:
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, LPRF_NO_FUNCTIONS);
	default:
		lprf_warn_once(w, true);
		return PROF_OK;
	}
}

static int
lprf_compare_entries(const void *a, const void *b)
{
	const struct lprf_entry *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

static bool
lprf_has_duplicates(const struct lprf_writer *w)
{
	for (size_t i = 1; i < w->size; i++) {
		if (lprf_compare_entries(&w->entries[i - 1], &w->entries[i]) ==
		    0)
			return true;
	}
	return false;
}

/* Bytes of a function's counter data. */
static size_t
lprf_data_size(const struct lprf_writer *w, const struct lprf_entry *e)
{
	const uint8_t *p = w->data.data + e->data;

	return (size_t)(LPRF_HEAD + 8 * load_u64(p + 8, false));
}

static void
lprf_write_index(const struct lprf_writer *w, struct buf *out)
{
	uint64_t index = LPRF_HEADER, data;

	for (size_t i = 0; i < w->size; i++)
		index += 4 + w->entries[i].name.size + 8;
	index += pad8(index);
	buf_u32le(out, LPRF_MAGIC);
	buf_u32le(out, LPRF_VERSION);
	buf_u64le(out, index);
	buf_u64le(out, w->max_count);
	data = index;
	for (size_t i = 0; i < w->size; i++) {
		const struct lprf_entry *e = &w->entries[i];

		buf_u32le(out, (uint32_t)e->name.size);
		buf_put(out, e->name.data, e->name.size);
		buf_u64le(out, data);
		data += lprf_data_size(w, e);
	}
	buf_pad8(out);
}

static enum prof_status
lprf_finish(struct prof_writer *base, struct prof_error *err)
{
	struct lprf_writer *w = (struct lprf_writer *)base;
	enum prof_status status;
	struct buf head = { 0 };

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (w->size != 0)
		qsort(w->entries, w->size, sizeof(*w->entries),
		    lprf_compare_entries);
	if (lprf_has_duplicates(w))
		return err_set(err, PROF_E_MISMATCH, "a name and hash occur "
		    "twice: use prof-merge");
	writer_warn_nameless(base, "LPRF");
	lprf_write_index(w, &head);
	status = head.failed ? err_memory(err) :
	    sink_write(&w->base, head.data, head.size, err);
	for (size_t i = 0; i < w->size && status == PROF_OK; i++)
		status = sink_write(&w->base,
		    w->data.data + w->entries[i].data,
		    lprf_data_size(w, &w->entries[i]), err);
	buf_free(&head);
	return status;
}

static void
lprf_free(struct prof_writer *base)
{
	struct lprf_writer *w = (struct lprf_writer *)base;

	arena_free(&w->names);
	buf_free(&w->data);
	free(w->entries);
}

static const struct writer_ops lprf_ops = {
	.size = sizeof(struct lprf_writer),
	.put = lprf_put,
	.finish = lprf_finish,
	.free = lprf_free,
};

struct prof_writer *
lprf_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	if (t->version == LPRF2_VERSION)
		return lprf2_writer_new(context, t, sink, arg, err);
	return codec_writer_new(&lprf_ops, context, sink, arg, err);
}

void
lprf_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ LPRF_VERSION, LPRF2_VERSION,
	    LPRF2_VERSION };
}
