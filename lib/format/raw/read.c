/* The reader of raw profiles: images, and the records of one in their order. */
#include "format/raw/raw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/releases.h"

/* Bytes pulled at least; bytes of a header that tell what it is. */
enum { PULLED_LEAST = 1 << 16, HEAD = 16 };

static struct prof_span
raw_window_bytes(const struct raw_window *w)
{
	return (struct prof_span){ w->bytes.data == NULL ? NULL :
	    w->bytes.data + w->start, w->bytes.size - w->start };
}

/* Where the bytes that were pulled so far end in the file. */
static uint64_t
raw_window_end(const struct raw_window *w)
{
	return w->origin + raw_window_bytes(w).size;
}

/*
 * Whether the image at `at` and a head behind it are there; PROF_END if not.
 * Value data show their size only when they are walked through.
 */
static enum prof_status
raw_window_has_image(const struct raw_window *w, size_t at,
    struct prof_error *err)
{
	struct prof_span file = raw_window_bytes(w);
	struct prof_error why = { 0 };
	struct raw_image im;
	size_t end;

	if (file.size - at < HEAD)
		return PROF_END;
	if (raw_image_open(&im, file, at, &why) != PROF_OK)
		return why.code == PROF_E_TRUNCATED ? PROF_END : PROF_OK;
	raw_extent(&im, &end, &why);
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	return why.code == PROF_E_NONE &&
	    file.size - raw_skip_zeros(file, end) >= HEAD ? PROF_OK : PROF_END;
}

/*
 * Bytes to have at the next look at the image: half as many again each time, so
 * that all looks take linear time, up to one more than the limit, which shows
 * that it is passed.
 */
static size_t
raw_window_wanted(const struct raw_window *w, size_t at)
{
	uint64_t have = raw_window_bytes(w).size - at, more = have / 2;

	if (more < PULLED_LEAST)
		more = PULLED_LEAST;
	if (have > w->max_size || w->max_size - have < more)
		more = saturating_add(w->max_size, 1) - have;
	return more > SIZE_MAX - at - have ? SIZE_MAX :
	    (size_t)(at + have + more);
}

/*
 * Moves the bytes that are still needed to the beginning of the buffer, which
 * grows with the bytes that come, whatever a header declares.
 */
static enum prof_status
raw_window_pull(struct raw_window *w, size_t wanted, struct prof_error *err)
{
	struct buf *b = &w->bytes;

	if (w->start != 0) {
		b->size -= w->start;
		memmove(b->data, b->data + w->start, b->size);
		w->start = 0;
	}
	while (b->size < wanted && !w->ended) {
		uint8_t *p = buf_reserve(b, PULLED_LEAST);
		size_t room = b->room - b->size;
		ssize_t n;

		if (p == NULL)
			return err_memory(err);
		if (room > wanted - b->size)
			room = wanted - b->size;
		n = w->pull(w->arg, p, room);
		if (n < 0)
			return err_system(err, errno, "read");
		b->size += (size_t)n;
		w->ended = n == 0;
	}
	return PROF_OK;
}

/*
 * Drops the bytes before the image at *at, and pulls until the image is whole
 * and the next one has begun, or the file ends.  *file becomes what is there,
 * and *at the place of the image in it.  An image that is damaged, or cut by
 * the end of the file, is left to raw_start_image.  PROF_E_LIMIT if it takes
 * more than max_size, or PROF_E_SYSTEM or PROF_E_MEMORY.
 */
static enum prof_status
raw_window_fill(struct raw_window *w, size_t *at, struct prof_span *file,
    struct prof_error *err)
{
	size_t dropped = *at - *at % 8;
	enum prof_status status;

	/* Many small images may follow a large one: no bytes are moved yet. */
	w->start += dropped;
	w->origin += dropped;
	*at -= dropped;
	while (!w->ended &&
	    (status = raw_window_has_image(w, *at, err)) != PROF_OK) {
		if (status == PROF_FAIL || raw_window_pull(w,
		    raw_window_wanted(w, *at), err) != PROF_OK)
			return PROF_FAIL;
		if (raw_window_bytes(w).size - *at > w->max_size)
			return err_set(err, PROF_E_LIMIT, "an image needs more "
			    "than %llu bytes", ull(w->max_size));
	}
	*file = raw_window_bytes(w);
	return PROF_OK;
}

static enum prof_status
raw_start_values(struct raw_reader *r, struct prof_error *err)
{
	r->values_at = r->im.at[RAW_S_VALUES];
	r->has_values = r->facts.sites != 0 &&
	    raw_has_values(&r->im, r->values_at);
	if (r->facts.sites == 0 || r->has_values)
		return PROF_OK;
	warn_at(r->base.context, r->values_at, "records have value sites, but "
	    "there is no value data: all sites are empty");
	/* With value data, each site takes a byte of the file. */
	return raw_check_declared(&r->im, &(struct raw_declared){
	    r->facts.sites, "value sites", r->im.field[RAW_NUM_COUNTERS],
	    "NumCounters" }, err);
}

/* Reads the names of a version whose records address them. */
static enum prof_status
raw_start_addressed_names(const struct raw_image *im, struct cached_names *n,
    struct prof_error *err)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record record;
		struct prof_span name;

		raw_record_get(im, i, &record);
		if (raw_addressed_name(im, i, &record, &name, err) != PROF_OK)
			return PROF_FAIL;
		total += name.size;
		if (raw_check_declared(im, &(struct raw_declared){ total,
		    "bytes of names", im->size[RAW_S_NAMES], "NamesSize" },
		    err) != PROF_OK)
			return PROF_FAIL;
		if (!symtab_add(&n->names.table, name, 0))
			return err_memory(err);
	}
	n->vtable_start = n->names.table.size;
	return PROF_OK;
}

/* Checks all records, unless the image is of a program seen before. */
static enum prof_status
raw_start_records(struct raw_reader *r, struct prof_error *err)
{
	struct prof_context *context = r->base.context;
	struct raw_program *made = NULL;

	lru_cache_release(r->program);
	r->relocation = (struct raw_relocation){ 0 };
	r->program = context == NULL ? NULL :
	    raw_program_find(context, &r->im, r->names, &r->relocation);
	if (r->program != NULL) {
		r->facts = r->program->facts;
		raw_check_rest(&r->im, context);
		return PROF_OK;
	}
	if (context != NULL)
		made = raw_program_new(&r->im, r->names,
		    raw_program_is_worthwhile(context, &r->im));
	if (raw_check(r, made, err) != PROF_OK) {
		lru_cache_release(made);
		return PROF_FAIL;
	}
	if (made != NULL)
		r->program = raw_program_finish(made, context, &r->facts,
		    &r->relocation);
	return PROF_OK;
}

/* Reports a section of which a copy is used from now on. */
static void
raw_start_consume(const struct raw_reader *r, enum raw_section s)
{
	struct prof_span bytes = raw_section(&r->im, s);
	struct consumed consumed;

	consumed_start(&consumed, r->base.context, bytes.data);
	consumed_end(&consumed, bytes.data + bytes.size);
}

/* Opens the image at `start` of a file. */
static enum prof_status
raw_start_image(struct raw_reader *r, struct prof_span file, size_t start,
    struct prof_error *err)
{
	const struct raw_image *im = &r->im;

	if (raw_image_open(&r->im, file, start, err) != PROF_OK)
		return PROF_FAIL;
	lru_cache_release(r->names);
	r->names = im->row->addressed_names ? name_cache_new(err) :
	    name_cache_get(r->base.context, &(struct name_sections){
	    raw_section(im, RAW_S_NAMES), raw_section(im, RAW_S_VNAMES),
	    im->at[RAW_S_NAMES], im->at[RAW_S_VNAMES] }, &r->names_limit, err);
	if (r->names == NULL || (im->row->addressed_names &&
	    raw_start_addressed_names(im, r->names, err) != PROF_OK) ||
	    raw_start_records(r, err) != PROF_OK)
		return PROF_FAIL;
	free(r->repeated);
	r->repeated = NULL;
	/* LLVM adds a counter as often as records have it. */
	if (!r->facts.ascending && (r->base.context == NULL ||
	    !r->base.context->as_llvm) &&
	    (r->repeated = raw_find_repeated(r)) == NULL)
		return err_memory(err);
	/* Counters of blocks are added in place, so they must be aligned. */
	r->blocks = r->program != NULL && r->program->layout.size != 0 &&
	    r->base.context->blocks && ((uintptr_t)file.data +
	    r->im.at[RAW_S_COUNTERS]) % _Alignof(uint64_t) == 0;
	raw_start_consume(r, RAW_S_NAMES);
	if (r->program != NULL && r->program->shared)
		raw_start_consume(r, RAW_S_DATA);
	consumed_start(&r->counts_consumed, r->base.context,
	    file.data + r->im.at[RAW_S_COUNTERS]);
	consumed_start(&r->values_consumed, r->base.context,
	    file.data + r->im.at[RAW_S_VALUES]);
	r->ids_at = r->im.at[RAW_S_IDS];
	r->ids_padded = raw_ids_padded(&r->im);
	r->functions = NULL;
	r->name_hint = 0;
	r->suspicious = 0;
	r->state = AT_PROFILE;
	return raw_start_values(r, err);
}

bool
raw_sniff(struct prof_span first_bytes)
{
	struct raw_image im;

	return raw_magic(first_bytes, &im);
}

static bool
raw_is_correlated(const struct raw_image *im)
{
	return im->field[RAW_NUM_DATA] == 0 &&
	    im->field[RAW_NUM_COUNTERS] != 0;
}

static enum prof_status
raw_next_profile(struct raw_reader *r, struct prof_record *out)
{
	const struct raw_image *im = &r->im;
	struct prof_header *h = &out->u.profile;

	out->kind = PROF_REC_PROFILE;
	*h = (struct prof_header){ .kind = PROF_INSTR };
	h->flags = variants_to_flags(im->version_word);
	if (raw_is_correlated(im) && !(h->flags & PROF_DEBUG_INFO_CORRELATED))
		h->flags |= PROF_BINARY_CORRELATED;
	if (im->version_word & VARIANT_IR)
		h->level = PROF_LEVEL_IR;
	else if (im->field[RAW_NUM_DATA] != 0 || raw_is_correlated(im))
		h->level = PROF_LEVEL_FRONTEND;
	if (h->level == PROF_LEVEL_FRONTEND && !r->facts.any_rust) {
		bool narrower = im->row->bitmap_first != 0 &&
		    im->field[RAW_NUM_BITMAP_BYTES] != 0;

		h->frontend_first = narrower ? im->row->bitmap_first :
		    im->row->frontend_first;
		h->frontend_last = narrower ? im->row->bitmap_last :
		    im->row->frontend_last;
		hash_facts_narrow(&r->facts.hashes, h);
	}
	h->wave_size = r->facts.wave_size;
	h->source = (struct prof_source){ .format = "raw",
	    .version = im->row->version, .endian = im->big ? 'b' : 'l',
	    .pointer_bits = (uint8_t)(8 * im->pointer_bytes),
	    .offset = r->window.origin + im->start };
	r->state = AT_BINARY;
	r->index = 0;
	return PROF_OK;
}

/* The function of each state returns a record, or PROF_END behind the last. */
static enum prof_status
raw_next_vtable(struct raw_reader *r, struct prof_record *out)
{
	struct raw_vtable v;

	if (r->index == r->im.field[RAW_NUM_VTABLES])
		return PROF_END;
	raw_vtable_get(&r->im, r->index++, &v);
	out->kind = PROF_REC_VTABLE;
	out->u.vtable = (struct prof_vtable){
	    .symbol = { raw_name(r, v.name_hash), v.name_hash },
	    .has_range = true, .start = v.pointer, .size = v.size };
	return PROF_OK;
}

/* The vtable names that no vtable record has. */
static enum prof_status
raw_next_vtable_name(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct symtab *t = &r->names->names.table;
	size_t start = r->names->vtable_start;

	if (r->index == 0) {
		r->has_record = arena_alloc(&r->long_lived, t->size - start);
		if (r->has_record == NULL)
			return err_memory(err);
		memset(r->has_record, 0, t->size - start);
		for (uint64_t i = 0; i < r->im.field[RAW_NUM_VTABLES]; i++) {
			struct raw_vtable v;
			size_t s;

			raw_vtable_get(&r->im, i, &v);
			s = symtab_find(t, v.name_hash, NULL);
			if (s != SYMTAB_NONE && s >= start)
				r->has_record[s - start] = 1;
		}
	}
	while (r->index < t->size - start && r->has_record[r->index])
		r->index++;
	if (r->index == t->size - start)
		return PROF_END;
	out->kind = PROF_REC_VTABLE;
	out->u.vtable = (struct prof_vtable){
	    .symbol = t->symbols[start + r->index++] };
	return PROF_OK;
}

/*
 * The counters of a correlated profile.  Coverage bytes are returned as stored:
 * time stamps stand among them, and only the binary knows where.
 */
static enum prof_status
raw_next_raw_counters(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_raw_counters *c = &out->u.raw_counters;
	size_t at = r->im.at[RAW_S_COUNTERS];
	size_t n = (size_t)r->im.field[RAW_NUM_COUNTERS];

	if (!raw_is_correlated(&r->im))
		return PROF_END;
	out->kind = PROF_REC_RAW_COUNTERS;
	*c = (struct prof_raw_counters){ .counts_size = n };
	if (raw_counter_width(&r->im) == 8) {
		c->counts = raw_counts(r, at, n);
		if (c->counts != NULL)
			c->counts = raw_ordinary_counts(r, c->counts, n);
	} else {
		uint64_t *counts = arena_array(&r->arena, n, sizeof(*counts));

		for (size_t i = 0; i < n && counts != NULL; i++)
			counts[i] = r->im.file.data[at + i];
		c->counts = counts;
	}
	if (c->counts == NULL)
		return err_memory(err);
	if (r->im.size[RAW_S_BITMAP] != 0)
		c->bitmap = raw_section(&r->im, RAW_S_BITMAP);
	return PROF_OK;
}

static int
raw_compare_stamps(const void *a, const void *b)
{
	const struct raw_stamp *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->symbol.guid > y->symbol.guid) -
	    (x->symbol.guid < y->symbol.guid);
}

/* The end of the image with its value data and zeros behind these. */
static size_t
raw_reader_image_end(const struct raw_reader *r)
{
	size_t at = r->values_at;

	if (r->im.row->values == RAW_VALUES_SIZED)
		at = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES];
	return raw_skip_zeros(r->im.file, at);
}

/* The time stamps of all images make one trace, returned by the last image. */
static enum prof_status
raw_next_trace(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_symbol *functions;

	if (raw_reader_image_end(r) < r->im.file.size || r->stamp_count == 0)
		return PROF_END;
	functions = arena_array(&r->arena, r->stamp_count,
	    sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	qsort(r->stamps, r->stamp_count, sizeof(*r->stamps),
	    raw_compare_stamps);
	for (size_t i = 0; i < r->stamp_count; i++)
		functions[i] = r->stamps[i].symbol;
	out->kind = PROF_REC_TRACE;
	out->u.trace = (struct prof_trace){ 1, functions, r->stamp_count };
	return PROF_OK;
}

static enum prof_status
raw_next_end(struct raw_reader *r, struct prof_record *out)
{
	size_t blocks_end = r->values_at;
	size_t values_end = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES];

	if (r->suspicious != 0)
		warn_at(r->base.context, raw_member_at(&r->im,
		    r->first_suspicious, RAW_COUNTER_PTR), "functions with "
		    "counters above 2^56, wrapped or overwritten: %llu",
		    (unsigned long long)r->suspicious);
	if (r->im.row->values == RAW_VALUES_SIZED && r->has_values &&
	    blocks_end != values_end)
		warn_at(r->base.context, blocks_end, "value data: %zu bytes "
		    "of ValueDataSize are left over", values_end - blocks_end);
	out->kind = PROF_REC_END;
	r->state = AT_NEXT_IMAGE;
	return PROF_OK;
}

/* Of a file that is pulled, makes the image at *at the first in memory. */
static enum prof_status
raw_pull_image(struct raw_reader *r, size_t *at, struct prof_span *file,
    struct prof_error *err)
{
	struct raw_window *w = &r->window;
	uint64_t before = raw_window_end(w);

	if (w->pull == NULL)
		return PROF_OK;
	if (raw_window_fill(w, at, file, err) != PROF_OK)
		return PROF_FAIL;
	r->base.input_size = raw_window_end(w);
	names_limit_grow(&r->names_limit, raw_window_end(w) - before);
	if (r->base.context != NULL)
		r->base.context->origin = w->origin;
	return PROF_OK;
}

/* Opens the next image; PROF_END at the end of the file. */
static enum prof_status
raw_next_image(struct raw_reader *r, struct prof_error *err)
{
	size_t at = raw_reader_image_end(r), left;
	struct prof_span file = r->im.file;
	struct raw_image next;

	if (raw_pull_image(r, &at, &file, err) != PROF_OK)
		return PROF_FAIL;
	left = file.size - at;
	if (left == 0)
		return PROF_END;
	if (left < 16)
		return err_at(err, PROF_E_CORRUPT, at, "%zu bytes after the "
		    "profile are not the header of another", left);
	if (r->im.row->aligned && at % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, at, "data after the profile "
		    "does not begin at a multiple of 8 bytes");
	if (!raw_magic((struct prof_span){ file.data + at, left }, &next) ||
	    next.magic != r->first_magic || next.big != r->first_big)
		return err_at(err, PROF_E_CORRUPT, at, "bytes after the "
		    "profile do not begin with the magic of the first");
	return raw_start_image(r, file, at, err);
}

static enum prof_status
raw_next_record(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;

	arena_reset(&r->arena);
	for (;;) {
		switch (r->state) {
		case AT_NEXT_IMAGE:
			status = raw_next_image(r, err);
			if (status != PROF_OK)
				return status;
			continue;
		case AT_PROFILE:
			return raw_next_profile(r, out);
		case AT_BINARY:
			out->kind = PROF_REC_BINARY;
			status = raw_ids_next(&r->im, r->ids_padded,
			    &r->ids_at, &out->u.build_id, err);
			break;
		case AT_VTABLE:
			status = raw_next_vtable(r, out);
			break;
		case AT_VTABLE_NAME:
			status = raw_next_vtable_name(r, out, err);
			break;
		case AT_FUNCTION:
			status = r->blocks ? raw_next_block(r, out, err) :
			    raw_next_function(r, out, err);
			break;
		case AT_RAW_COUNTERS:
			status = raw_next_raw_counters(r, out, err);
			r->state = AT_TRACE;
			break;
		case AT_TRACE:
			status = raw_next_trace(r, out, err);
			r->state = AT_END;
			break;
		default:
			return raw_next_end(r, out);
		}
		if (status != PROF_END)
			return status;
		/* The states before have many records, the others one. */
		if (r->state < AT_RAW_COUNTERS) {
			r->state++;
			r->index = 0;
		}
	}
}

/* Places in messages are those of the file, whatever of it is in memory. */
static enum prof_status
raw_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct raw_reader *r = (struct raw_reader *)base;
	bool first = err != NULL && err->code == PROF_E_NONE;
	enum prof_status status;

	if (r->window.pull == NULL)
		return raw_next_record(r, out, err);
	if (base->context != NULL)
		base->context->origin = r->window.origin;
	status = raw_next_record(r, out, err);
	if (base->context != NULL)
		base->context->origin = 0;
	if (status == PROF_FAIL && first && err->where == PROF_AT_BYTE)
		err->offset += r->window.origin;
	return status;
}

static void
raw_close(struct prof_reader *base)
{
	struct raw_reader *r = (struct raw_reader *)base;

	lru_cache_release(r->names);
	lru_cache_release(r->program);
	raw_addresses_free(&r->addresses);
	arena_free(&r->arena);
	arena_free(&r->long_lived);
	buf_free(&r->window.bytes);
	free(r->stamps);
	free(r->repeated);
}

static const struct reader_ops raw_ops = {
	.size = sizeof(struct raw_reader),
	.raw = true,
	.next = raw_next,
	.functions = raw_block_functions,
	.retain = raw_block_retain,
	.name = raw_block_name,
	.close = raw_close,
};

/* Opens the first image; frees the reader on failure. */
static struct prof_reader *
raw_open_first(struct raw_reader *r, struct prof_span file,
    struct prof_error *err)
{
	size_t at = 0;

	if (raw_pull_image(r, &at, &file, err) != PROF_OK ||
	    raw_start_image(r, file, at, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	r->first_magic = r->im.magic;
	r->first_big = r->im.big;
	return &r->base;
}

struct prof_reader *
raw_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct raw_reader *r = codec_reader_new(&raw_ops, context, err);

	if (r == NULL)
		return NULL;
	r->base.input_size = image.size;
	r->names_limit = codec_names_limit(context, image.size);
	return raw_open_first(r, image, err);
}

struct prof_reader *
raw_open_pull(struct prof_context *context, prof_pull *pull, void *arg,
    uint64_t max_size, struct prof_error *err)
{
	struct raw_reader *r = codec_reader_new(&raw_ops, context, err);

	if (r == NULL)
		return NULL;
	r->names_limit = names_limit_of(0, 1);
	r->window = (struct raw_window){ .pull = pull, .arg = arg,
	    .max_size = max_size };
	return raw_open_first(r, (struct prof_span){ NULL, 0 }, err);
}
