/* The table of formats, and what is the same for all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/md5.h"
#include "format/codec.h"
#include "format/context_cache.h"

static const struct format {
	const char *name;
	bool (*claims)(struct prof_span first_bytes);
	struct prof_reader *(*open)(struct prof_context *, struct prof_span,
	    struct prof_error *);
	struct prof_writer *(*create)(struct prof_context *,
	    const struct prof_target *, prof_sink *, void *,
	    struct prof_error *);
	const unsigned *oldest, *newest;	/* versions written */
	/* Or NULL; see struct salvage_codec, and prof_length. */
	enum prof_status (*mend)(struct prof_context *, struct prof_span,
	    struct mended *, struct prof_error *);
	size_t (*length)(struct prof_span, uint64_t *);
} formats[] = {
	{ "raw", raw_claims, raw_open, raw_writer_new,
	    &raw_written_oldest, &raw_written_newest, raw_mend, raw_length },
	{ "indexed", indexed_claims, indexed_open, indexed_writer_new,
	    &indexed_oldest, &indexed_newest, indexed_mend, indexed_length },
	{ "lprf", lprf_claims, lprf_open, lprf_writer_new,
	    &(const unsigned){ 1 }, &(const unsigned){ 1 }, NULL, NULL },
	{ "memprof-raw", memprof_raw_claims, memprof_raw_open,
	    memprof_raw_writer_new, &memprof_raw_written_oldest,
	    &memprof_raw_written_newest, memprof_raw_mend,
	    memprof_raw_length },
	{ "yaml", yaml_claims, yaml_open, yaml_writer_new,
	    &(const unsigned){ 1 }, &(const unsigned){ 1 }, NULL, NULL },
	{ "text", text_claims, text_open, text_writer_new,
	    &(const unsigned){ 1 }, &(const unsigned){ 1 }, NULL, NULL },
	{ "stream", stream_claims, stream_open, stream_writer_new,
	    &(const unsigned){ 1 }, &(const unsigned){ 1 }, NULL, NULL },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct format *
claimant(struct prof_span first_bytes)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (formats[i].claims(first_bytes))
			return &formats[i];
	}
	return NULL;
}

bool
prof_decodes(struct prof_span image)
{
	struct prof_reader *r = prof_open(NULL, image, NULL);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL &&
	    (status = prof_next(r, &record, NULL)) == PROF_OK)
		;
	prof_close(r);
	return status == PROF_END;
}

static const struct format *
by_name(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

const char *
prof_sniff(struct prof_span first_bytes)
{
	const struct format *f = claimant(first_bytes);

	return f == NULL ? NULL : f->name;
}

bool
prof_is_stream(struct prof_span first_bytes)
{
	return stream_claims(first_bytes);
}

/* Formats that we know by their magic, but do not read. */
static enum prof_status
refuse(struct prof_span image, struct prof_error *err)
{
	if (image.size == 0)
		return err_set(err, PROF_E_FORMAT,
		    "empty file: no profile was written");
	return err_at(err, PROF_E_FORMAT, 0, "not a profile: unknown magic");
}

struct prof_reader *
prof_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	const struct format *f = claimant(image);
	struct salvage_codec codec;

	if (f == NULL && text_printable(image))
		f = by_name("text");
	if (f == NULL) {
		refuse(image, err);
		return NULL;
	}
	if (context == NULL || !context->salvage)
		return f->open(context, image, err);
	codec = (struct salvage_codec){ f->open, f->mend,
	    f->open == text_open };
	return salvage(context, &codec, image, err);
}

size_t
prof_length(struct prof_span bytes, uint64_t *looked)
{
	const struct format *f = claimant(bytes);

	*looked = 0;
	return f == NULL || f->length == NULL ? 0 : f->length(bytes, looked);
}

struct prof_reader *
prof_open_stream(struct prof_context *context, prof_pull *pull, void *arg,
    struct prof_error *err)
{
	return stream_open_pull(context, pull, arg, err);
}

static int
compare_spans(const void *a, const void *b)
{
	return prof_span_compare(*(const struct prof_span *)a,
	    *(const struct prof_span *)b);
}

static bool
is_wanted(const struct prof_reader *r, const struct prof_record *record)
{
	const struct prof_span *name = &record->u.function.symbol.name;

	if (r->selected == NULL || r->ops->select != NULL ||
	    record->kind != PROF_REC_FUNCTION)
		return true;
	return name->data != NULL && bsearch(name, r->selected,
	    r->selected_size, sizeof(*name), compare_spans) != NULL;
}

enum prof_status
prof_next(struct prof_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status;

	if (r->done)
		return PROF_END;
	do {
		status = r->ops->next(r, out, err);
	} while (status == PROF_OK && !is_wanted(r, out));
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

size_t
block_layout(void)
{
	static size_t layouts;

	return __atomic_add_fetch(&layouts, 1, __ATOMIC_RELAXED);
}

const struct prof_function *
prof_block_functions(const struct prof_block *b, struct prof_error *err)
{
	return b->reader->ops->functions(b->reader, b, err);
}

struct prof_span
prof_block_name(const struct prof_block *b, const struct prof_value *v)
{
	if (v->name.data != NULL || b->reader->ops->name == NULL)
		return v->name;
	return b->reader->ops->name(b->reader, v->value);
}

void *
prof_block_hold(const struct prof_block *b)
{
	return b->reader->ops->hold == NULL ? NULL :
	    b->reader->ops->hold(b->reader);
}

void
prof_let_go(void *held)
{
	shelf_release(held);
}

void
block_name_values(const struct prof_block *b, int kind,
    const struct prof_sites *sites)
{
	for (size_t i = 0; i < sites->size && kind != PROF_MEM_OP_SIZE; i++) {
		const struct prof_site *site = &sites->sites[i];
		struct prof_value *v = (void *)(uintptr_t)site->values;

		for (size_t k = 0; k < site->size; k++)
			v[k].name = prof_block_name(b, &v[k]);
	}
}

void
prof_close(struct prof_reader *r)
{
	if (r != NULL)
		r->ops->close(r);
}

bool
prof_writable(const char *format, unsigned *oldest, unsigned *newest)
{
	const struct format *f = by_name(format);

	if (f == NULL || f->create == NULL)
		return false;
	*oldest = *f->oldest;
	*newest = *f->newest;
	return true;
}

struct prof_writer *
prof_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	const struct format *f = by_name(t->format);
	struct prof_target target = *t;

	if (f == NULL || f->create == NULL) {
		err_set(err, PROF_E_UNSUPPORTED, "format %s cannot be written",
		    t->format);
		return NULL;
	}
	if (target.version == 0)
		target.version = *f->newest;
	if (target.version < *f->oldest || target.version > *f->newest) {
		err_set(err, PROF_E_UNSUPPORTED,
		    "%s version %u cannot be written: %u to %u can",
		    f->name, target.version, *f->oldest, *f->newest);
		return NULL;
	}
	return f->create(context, &target, sink, arg, err);
}

static enum prof_status
put_block(struct prof_writer *w, const struct prof_block *b,
    struct prof_error *err)
{
	const struct prof_function *f;
	enum prof_status status;

	if (w->ops->put_block != NULL)
		return w->ops->put_block(w, b, err);
	f = prof_block_functions(b, err);
	status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = w->ops->put(w, &(struct prof_record){
		    .kind = PROF_REC_FUNCTION, .u.function = f[i] }, err);
	return status;
}

/* Nor pairs. */
static enum prof_status
put_pairs(struct prof_writer *w, const struct prof_pairs *p,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < p->size && status == PROF_OK; i++) {
		status = w->ops->put(w, &(struct prof_record){
		    .kind = PROF_REC_STACK, .u.stack = p->stacks[i] }, err);
		if (status == PROF_OK)
			status = w->ops->put(w, &(struct prof_record){
			    .kind = PROF_REC_ALLOCATION,
			    .u.allocation = p->allocations[i] }, err);
	}
	return status;
}

enum prof_status
prof_put(struct prof_writer *w, const struct prof_record *record,
    struct prof_error *err)
{
	switch (record->kind) {
	case PROF_REC_BLOCK:
		return put_block(w, &record->u.block, err);
	case PROF_REC_PAIRS:
		return put_pairs(w, &record->u.pairs, err);
	default:
		return w->ops->put(w, record, err);
	}
}

enum prof_status
prof_finish(struct prof_writer *w, struct prof_error *err)
{
	return w->ops->finish(w, err);
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
	if (w != NULL)
		w->ops->free(w);
}

enum prof_status
sink_write(struct prof_writer *w, const void *data, size_t size,
    struct prof_error *err)
{
	int e = w->sink(w->arg, data, size);

	return e == 0 ? PROF_OK : err_system(err, e, "write");
}

struct prof_context *
prof_context_new(prof_warn *warn, void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->warn = warn;
	c->arg = arg;
	c->kept = kept_new();
	if (c->kept != NULL)
		return c;
	free(c);
	return NULL;
}

struct prof_context *
prof_context_beside(const struct prof_context *other, prof_warn *warn,
    void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	*c = *other;
	c->guids = (struct guids){ 0 };
	c->warn = warn;
	c->arg = arg;
	c->kept = kept_hold(other->kept);
	return c;
}

void
prof_context_forget(struct prof_context *c)
{
	kept_forget(c->kept);
	guids_free(&c->guids);
}

void
prof_context_passed(struct prof_context *c, prof_passed *passed, void *arg)
{
	c->passed = passed;
	c->passed_arg = arg;
}

void
prof_context_blocks(struct prof_context *c)
{
	c->blocks = true;
}

void
prof_context_pairs(struct prof_context *c)
{
	c->pairs = true;
}

void
prof_context_salvage(struct prof_context *c, bool salvage)
{
	c->salvage = salvage;
}

bool
prof_context_salvaged(const struct prof_context *c)
{
	return c->salvaged;
}

void
prof_context_free(struct prof_context *c)
{
	if (c == NULL)
		return;
	kept_release(c->kept);
	guids_free(&c->guids);
	free(c);
}

void
prof_context_thorough(struct prof_context *c)
{
	c->thorough = true;
}

uint64_t
prof_guid(struct prof_span name)
{
	return md5_u64(name.data, name.size);
}

uint64_t
prof_symbol_guid(const struct prof_symbol *s)
{
	if (s->guid != 0 || s->name.data == NULL)
		return s->guid;
	return prof_guid(s->name);
}

int
prof_span_compare(struct prof_span a, struct prof_span b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common == 0 ? 0 : memcmp(a.data, b.data, common);

	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

bool
prof_span_equal(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void
prof_span_sort(struct prof_span *spans, size_t count)
{
	if (count > 1)
		qsort(spans, count, sizeof(*spans), compare_spans);
}

bool
prof_is_pseudo(const struct prof_function *f)
{
	return f->counts_size > 0 && f->counts[0] >= PROF_COUNT_WARM;
}
