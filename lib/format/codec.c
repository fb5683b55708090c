/* What all codecs share: the calls of readers and writers, and blocks. */
#include "format/codec.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "format/program.h"
#include "model/record.h"
#include "model/value_sites.h"

void *
codec_reader_new(const struct reader_ops *ops, struct prof_context *context,
    struct prof_error *err)
{
	struct prof_reader *r = calloc(1, ops->size);

	if (r == NULL)
		err_memory(err);
	else
		*r = (struct prof_reader){ .ops = ops, .context = context };
	return r;
}

void *
codec_writer_new(const struct writer_ops *ops, struct prof_context *context,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct prof_writer *w = calloc(1, ops->size);

	if (w == NULL)
		err_memory(err);
	else
		*w = (struct prof_writer){ .ops = ops, .context = context,
		    .sink = sink, .arg = arg };
	return w;
}

/*
 * Many references to one long name would take the memory of a profile that is
 * hundreds of times as large.  Blocks of codecs that look targets up have no
 * names of targets.  Whether a function comes in a block depends on the cache,
 * so that those of single functions do not count either where there may be
 * blocks.
 */
static enum prof_status
codec_count_names(struct prof_reader *r, const struct prof_record *record,
    struct prof_error *err)
{
	const struct prof_span last = r->function_name;
	uint64_t limit, repeated = 0, names = 0;

	/*
	 * A function that has the name of the one before, in the same place.  A
	 * name of sound profiles has few hashes, and each of them takes some 8
	 * bytes even in LPRF and 24 or more in other formats: the names would
	 * need thousands of bytes on average to be hundreds of times as large.
	 */
	if (record->kind == PROF_REC_FUNCTION) {
		r->function_name = record->u.function.symbol.name;
		if (r->function_name.data == last.data &&
		    r->function_name.size == last.size)
			repeated = last.size;
	}
	if (repeated == 0 && !record_may_have_names(record))
		return PROF_OK;
	if (record->kind != PROF_REC_FUNCTION || r->ops->name == NULL ||
	    r->context == NULL || !r->context->blocks)
		names = record_names_size(record);
	r->names_size = saturating_add(r->names_size, names + repeated);
	if (r->names_size <= EXPANSION_FREE)
		return PROF_OK;
	limit = expansion_limit(r->input_size);
	if (r->names_size <= limit)
		return PROF_OK;
	return err_set(err, PROF_E_LIMIT, "names of functions, targets and "
	    "frames repeat to more than %llu bytes", (unsigned long long)limit);
}

static enum prof_status
codec_check_counts(const struct prof_reader *r,
    const struct prof_function *f, uint64_t limit, struct prof_error *err)
{
	size_t i = !r->ops->raw && prof_is_pseudo(f) ? 1 : 0;
	char name[ERR_NAME_SIZE];

	while (i < f->counts_size && f->counts[i] <= limit)
		i++;
	return i >= f->counts_size ? PROF_OK : err_set(err, PROF_E_LIMIT,
	    "%s, hash 0x%016llx: counter %zu is %llu, above %llu "
	    "(--max-count): wrapped or overwritten",
	    symbol_words(name, &f->symbol), (unsigned long long)f->hash, i,
	    (unsigned long long)f->counts[i], (unsigned long long)limit);
}

/* Compares the counters of a record with the limit of the context. */
static enum prof_status
codec_limit_counts(const struct prof_reader *r,
    const struct prof_record *record, struct prof_error *err)
{
	uint64_t limit = r->context == NULL ? 0 : r->ops->raw ?
	    r->context->max_raw_count : r->context->max_count;
	const struct prof_block *b = &record->u.block;
	const struct prof_function *f = &record->u.function;
	enum prof_status status = PROF_OK;

	if (limit == 0)
		return PROF_OK;
	if (record->kind == PROF_REC_FUNCTION)
		return codec_check_counts(r, f, limit, err);
	if (record->kind == PROF_REC_RAW_COUNTERS)
		return codec_check_counts(r, &(struct prof_function){
		    .symbol = { span_of_text("correlated counters"), 0 },
		    .counts = record->u.raw_counters.counts,
		    .counts_size = record->u.raw_counters.counts_size },
		    limit, err);
	if (record->kind != PROF_REC_BLOCK || b->any_bits <= limit)
		return PROF_OK;
	f = prof_block_unnamed(b, err);
	for (size_t i = 0; f != NULL && i < b->size && status == PROF_OK; i++)
		status = codec_check_counts(r, &f[i], limit, err);
	return f == NULL ? PROF_FAIL : status;
}

enum prof_status
prof_next(struct prof_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status;

	if (r->done)
		return PROF_END;
	status = r->ops->next(r, out, err);
	if (status == PROF_OK && r->input_size != 0)
		status = codec_count_names(r, out, err);
	if (status == PROF_OK)
		status = codec_limit_counts(r, out, err);
	r->done = status != PROF_OK;
	return status;
}

void
prof_select(struct prof_reader *r, const struct prof_span *names, size_t n)
{
	r->selected = names;
	r->selected_size = n;
	if (r->ops->select != NULL)
		r->ops->select(r);
}

enum prof_status
codec_decodes(codec_open *open, struct prof_context *context,
    struct prof_span image, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct prof_reader *r = open(context, image, &why);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL &&
	    (status = prof_next(r, &record, &why)) == PROF_OK)
		;
	prof_close(r);
	if (status == PROF_END)
		return PROF_OK;
	return why.code == PROF_E_MEMORY ? err_memory(err) : PROF_END;
}

void
prof_locate(const struct prof_reader *r, struct prof_error *err)
{
	if (r->line == 0 || err->where != PROF_NOWHERE ||
	    err->code == PROF_E_MEMORY)
		return;
	err->where = PROF_AT_LINE;
	err->offset = r->line;
}

void
prof_close(struct prof_reader *r)
{
	if (r == NULL)
		return;
	r->ops->close(r);
	free(r);
}

const struct prof_function *
prof_block_unnamed(const struct prof_block *b, struct prof_error *err)
{
	return b->reader->ops->functions(b->reader, b, err);
}

const struct prof_function *
prof_block_functions(const struct prof_block *b, struct prof_error *err)
{
	const struct prof_function *f = prof_block_unnamed(b, err);

	if (f != NULL)
		prof_block_name_targets(b);
	return f;
}

void
prof_block_name_targets(const struct prof_block *b)
{
	for (size_t i = 0; i < b->values_size; i++) {
		struct value_walk walk = { 0 };
		struct prof_value *v;

		while ((v = (struct prof_value *)(uintptr_t)value_next_target(
		    &walk, b->values[i].values)) != NULL)
			v->name = prof_block_name(b, v);
	}
}

struct prof_span
prof_block_name(const struct prof_block *b, const struct prof_value *v)
{
	if (v->name.data != NULL || b->reader->ops->name == NULL)
		return v->name;
	return b->reader->ops->name(b->reader, v->value);
}

void *
prof_block_retain(const struct prof_block *b)
{
	return b->reader->ops->retain == NULL ? NULL :
	    b->reader->ops->retain(b->reader);
}

void
prof_release(void *held)
{
	lru_cache_release(held);
}

static enum prof_status
codec_put_block(struct prof_writer *w, const struct prof_block *b,
    struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = w->ops->put(w, &(struct prof_record){
		    .kind = PROF_REC_FUNCTION, .u.function = f[i] }, err);
	return status;
}

enum prof_status
prof_put(struct prof_writer *w, const struct prof_record *record,
    struct prof_error *err)
{
	size_t functions = record->kind == PROF_REC_BLOCK ?
	    record->u.block.size : record->kind == PROF_REC_FUNCTION;

	if (!w->ops->heap_only)
		w->written.functions += functions;
	if (record->kind == PROF_REC_BLOCK)
		return codec_put_block(w, &record->u.block, err);
	w->written.heap += record->kind == PROF_REC_ALLOCATION ||
	    record->kind == PROF_REC_MEMPROF_FUNCTION;
	return w->ops->put(w, record, err);
}

enum prof_status
prof_omit(struct prof_writer *w, const struct prof_symbol *symbol,
    struct prof_error *err)
{
	return w->ops->omit == NULL ? PROF_OK : w->ops->omit(w, symbol, err);
}

enum prof_status
prof_finish(struct prof_writer *w, struct prof_error *err)
{
	return w->ops->finish(w, err);
}

struct prof_written
prof_writer_written(const struct prof_writer *w)
{
	return w->written;
}

void
writer_warn_nameless(const struct prof_writer *w, const char *format)
{
	if (w->written.nameless != 0)
		warn_lost(w->context, "%s cannot hold functions without a "
		    "name: dropped %llu of %llu", format,
		    (unsigned long long)w->written.nameless,
		    (unsigned long long)w->written.functions);
}

void
prof_abort(struct prof_writer *w, const char *reason)
{
	if (w != NULL && w->ops->abort != NULL)
		w->ops->abort(w, reason);
}

void
prof_writer_free(struct prof_writer *w)
{
	if (w == NULL)
		return;
	w->ops->free(w);
	free(w);
}

enum prof_status
sink_write(struct prof_writer *w, const void *data, size_t size,
    struct prof_error *err)
{
	int e = w->sink(w->arg, data, size);

	return e == 0 ? PROF_OK : err_system(err, e, "write");
}
