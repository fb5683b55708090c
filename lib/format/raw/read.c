#include "format/raw/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/context_cache.h"
#include "model/releases.h"
#include "model/variants.h"

bool
raw_sniff(struct prof_span first_bytes)
{
	struct raw_image im;

	return raw_magic(first_bytes, &im);
}

/* Bytes that can only be padding before the end or the next image. */
static size_t
skip_zeros(const struct raw_reader *r, size_t at)
{
	while (at < r->im.file.size && r->im.file.data[at] == 0)
		at++;
	return at;
}

static bool
is_magic(const struct raw_reader *r, size_t at)
{
	struct raw_image im;

	return raw_magic((struct prof_span){ r->im.file.data + at,
	    r->im.file.size - at }, &im);
}

/*
 * Continuous mode and buffers written by hand count value sites, but have no
 * value data (compiler-rt, __llvm_profile_write_buffer).
 */
static enum prof_status
look_for_values(struct raw_reader *r, struct prof_error *err)
{
	size_t at;

	r->values_at = r->im.at[RAW_S_VALUES];
	at = skip_zeros(r, r->values_at);
	r->has_values = r->facts.sites != 0 &&
	    r->im.row->values != RAW_VALUES_NONE &&
	    at < r->im.file.size && !is_magic(r, at);
	if (r->facts.sites == 0 || r->has_values)
		return PROF_OK;
	warn_at(r->base.context, r->values_at, "records have value sites, but "
	    "there is no value data: all sites are empty");
	/* Elsewhere each site takes a byte of the value data. */
	return raw_check_program(&r->im, r->facts.sites, "value sites",
	    r->im.field[RAW_NUM_COUNTERS], "NumCounters", err);
}

/* Ids of v6 and v7 were padded by some compilers and not by others. */
static bool
ids_fill_section(const struct raw_image *im, bool padded)
{
	struct cursor c = { .data = im->file.data, .pos = im->at[RAW_S_IDS],
	    .size = im->at[RAW_S_IDS] + im->size[RAW_S_IDS],
	    .big = im->big };

	while (cur_left(&c) > 0 && !c.failed) {
		uint64_t length = cur_u64(&c);

		if (length == 0)
			return false;
		cur_bytes(&c, length);
		if (padded)
			cur_bytes(&c, pad8(length));
	}
	return !c.failed;
}

static struct prof_span
section(const struct raw_image *im, enum raw_section s)
{
	return (struct prof_span){ im->file.data + im->at[s], im->size[s] };
}

/* v1 and v2 say in each record where its name is. */
static enum prof_status
addressed_names(const struct raw_image *im, struct cached_names *n,
    struct prof_error *err)
{
	uint64_t claimed = 0;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record record;
		struct prof_span name;

		raw_record_get(im, i, &record);
		if (raw_addressed_name(im, i, &record, &name, err) != PROF_OK)
			return PROF_FAIL;
		claimed += name.size;
		if (raw_check_program(im, claimed, "bytes of names",
		    im->size[RAW_S_NAMES], "NamesSize", err) != PROF_OK)
			return PROF_FAIL;
		if (!symtab_add(&n->names.table, name, 0))
			return err_memory(err);
	}
	n->vtable_start = n->names.table.size;
	return PROF_OK;
}

static enum prof_status
load_names(struct raw_reader *r, struct prof_error *err)
{
	const struct raw_image *im = &r->im;

	lru_cache_release(r->names);
	if (im->row->addressed_names) {
		r->names = name_cache_new(err);
		return r->names == NULL ? PROF_FAIL :
		    addressed_names(im, r->names, err);
	}
	r->names = name_cache_get(r->base.context, &(struct name_sections){
	    section(im, RAW_S_NAMES), section(im, RAW_S_VNAMES),
	    im->at[RAW_S_NAMES], im->at[RAW_S_VNAMES] }, &r->names_limit, err);
	return r->names == NULL ? PROF_FAIL : PROF_OK;
}

/* Records of a known program need not be looked at again. */
static enum prof_status
check_records(struct raw_reader *r, struct prof_error *err)
{
	struct prof_context *context = r->base.context;
	struct raw_lesson *lesson = NULL;
	struct raw_visitor visitor;

	lru_cache_release(r->program);
	r->program = context == NULL ? NULL :
	    raw_program_find(context, &r->im, r->names, &r->moved);
	if (r->program != NULL) {
		r->facts = r->program->facts;
		raw_check_rest(&r->im, context);
		return PROF_OK;
	}
	if (context != NULL)
		lesson = raw_program_begin(&r->im, r->names, &visitor);
	if (raw_check(&r->im, &r->names->names.table, context,
	    lesson == NULL ? NULL : &visitor, &r->facts, err) != PROF_OK) {
		if (lesson != NULL)
			raw_program_abandon(lesson);
		return PROF_FAIL;
	}
	if (lesson != NULL)
		r->program = raw_program_end(lesson, context, &r->facts);
	r->moved = (struct raw_moved){ .together = r->program != NULL };
	return PROF_OK;
}

/* Counters are added as they lie in the image. */
static bool
has_blocks(const struct raw_reader *r)
{
	return r->program != NULL && r->program->blocks_size != 0 &&
	    r->base.context->blocks && ((uintptr_t)r->im.file.data +
	    r->im.at[RAW_S_COUNTERS]) % _Alignof(uint64_t) == 0;
}

/* What is kept of the section takes its place. */
static void
pass_section(const struct raw_reader *r, enum raw_section s)
{
	struct prof_span bytes = section(&r->im, s);
	struct consumed consumed;

	consumed_start(&consumed, r->base.context, bytes.data);
	consumed_end(&consumed, bytes.data + bytes.size);
}

static enum prof_status
start_image(struct raw_reader *r, struct prof_span file, size_t start,
    struct prof_error *err)
{
	if (raw_image_open(&r->im, file, start, err) != PROF_OK ||
	    load_names(r, err) != PROF_OK || check_records(r, err) != PROF_OK)
		return PROF_FAIL;
	r->blocks = has_blocks(r);
	pass_section(r, RAW_S_NAMES);
	if (r->program != NULL)
		pass_section(r, RAW_S_DATA);
	consumed_start(&r->counts_passed, r->base.context,
	    file.data + r->im.at[RAW_S_COUNTERS]);
	consumed_start(&r->values_passed, r->base.context,
	    file.data + r->im.at[RAW_S_VALUES]);
	r->ids_at = r->im.at[RAW_S_IDS];
	r->ids_padded = r->im.row->ids != RAW_IDS_LOOSE ||
	    !ids_fill_section(&r->im, false);
	r->functions = NULL;
	r->name_hint = 0;
	r->suspicious = 0;
	r->state = AT_PROFILE;
	return look_for_values(r, err);
}

static bool
is_correlated(const struct raw_image *im)
{
	return im->field[RAW_NUM_DATA] == 0 &&
	    im->field[RAW_NUM_COUNTERS] != 0;
}

static void
set_frontend_versions(const struct raw_reader *r, struct prof_header *h)
{
	const struct raw_row *row = r->im.row;

	h->frontend_first = row->frontend_first;
	h->frontend_last = row->frontend_last;
	if (row->bitmap_first != 0 && r->im.field[RAW_NUM_BITMAP_BYTES] != 0) {
		h->frontend_first = row->bitmap_first;
		h->frontend_last = row->bitmap_last;
	}
	if (r->facts.any_hash_flags)
		llvm_exclude_masked_hashes(h);
}

static enum prof_status
next_profile(struct raw_reader *r, struct prof_record *out)
{
	const struct raw_image *im = &r->im;
	struct prof_header *h = &out->u.profile;

	out->kind = PROF_REC_PROFILE;
	*h = (struct prof_header){ .kind = PROF_INSTR };
	h->flags = variants_to_flags(im->version_word);
	if (is_correlated(im) && !(h->flags & PROF_DEBUG_INFO_CORRELATED))
		h->flags |= PROF_BINARY_CORRELATED;
	if (im->version_word & VARIANT_IR)
		h->level = PROF_LEVEL_IR;
	else if (im->field[RAW_NUM_DATA] != 0 || is_correlated(im))
		h->level = PROF_LEVEL_FRONTEND;
	if (h->level == PROF_LEVEL_FRONTEND && !r->facts.any_rust)
		set_frontend_versions(r, h);
	h->wave_size = r->facts.wave_size;
	h->source = (struct prof_source){ .format = "raw",
	    .version = im->row->version, .endian = im->big ? 'b' : 'l',
	    .pointer_bits = (uint8_t)(8 * im->pointer_bytes),
	    .offset = im->start };
	r->state = AT_BINARY;
	r->index = 0;
	return PROF_OK;
}

/* Each state's function gives a record, or PROF_END if it has no more. */
static enum prof_status
next_binary(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct cursor c = { .data = r->im.file.data, .pos = r->ids_at,
	    .size = r->im.at[RAW_S_IDS] + r->im.size[RAW_S_IDS],
	    .big = r->im.big };
	uint64_t length;
	const uint8_t *id;

	if (cur_left(&c) == 0)
		return PROF_END;
	length = cur_u64(&c);
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, r->ids_at, "binary id: 8 "
		    "bytes of a length exceed the %zu left of BinaryIdsSize",
		    c.size - r->ids_at);
	if (length == 0)
		return err_at(err, PROF_E_CORRUPT, r->ids_at,
		    "binary id: length is 0");
	id = cur_bytes(&c, length);
	if (r->ids_padded)
		cur_bytes(&c, pad8(length));
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, r->ids_at, "binary id: "
		    "length %llu exceeds the %zu bytes left of BinaryIdsSize",
		    (unsigned long long)length, c.size - r->ids_at - 8);
	r->ids_at = c.pos;
	out->kind = PROF_REC_BINARY;
	out->u.build_id = (struct prof_span){ id, (size_t)length };
	return PROF_OK;
}

static enum prof_status
next_vtable(struct raw_reader *r, struct prof_record *out)
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

/* Names of the vtable names section that no vtable record has. */
static enum prof_status
next_vtable_name(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct symtab *t = &r->names->names.table;
	size_t start = r->names->vtable_start;

	if (r->index == 0) {
		r->named = arena_alloc(&r->kept, t->size - start);
		if (r->named == NULL)
			return err_memory(err);
		memset(r->named, 0, t->size - start);
		for (uint64_t i = 0; i < r->im.field[RAW_NUM_VTABLES]; i++) {
			struct raw_vtable v;
			size_t s;

			raw_vtable_get(&r->im, i, &v);
			s = symtab_find(t, v.name_hash, NULL);
			if (s != SYMTAB_NONE && s >= start)
				r->named[s - start] = 1;
		}
	}
	while (r->index < t->size - start && r->named[r->index])
		r->index++;
	if (r->index == t->size - start)
		return PROF_END;
	out->kind = PROF_REC_VTABLE;
	out->u.vtable = (struct prof_vtable){
	    .symbol = t->symbols[start + r->index++] };
	return PROF_OK;
}

/*
 * Counters that are bytes are given as they are: time stamps stand among them,
 * and only the binary knows where.
 */
static const uint64_t *
loose_counts(struct raw_reader *r, size_t at, size_t n)
{
	uint64_t *counts;

	if (raw_counter_width(&r->im) == 8)
		return raw_counts(r, at, n);
	counts = arena_array(&r->arena, n, sizeof(*counts));
	for (size_t i = 0; i < n && counts != NULL; i++)
		counts[i] = r->im.file.data[at + i];
	return counts;
}

static enum prof_status
next_raw_counters(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_raw_counters *c = &out->u.raw_counters;

	if (!is_correlated(&r->im))
		return PROF_END;
	out->kind = PROF_REC_RAW_COUNTERS;
	*c = (struct prof_raw_counters){ .counts_size =
	    (size_t)r->im.field[RAW_NUM_COUNTERS] };
	c->counts = loose_counts(r, r->im.at[RAW_S_COUNTERS],
	    c->counts_size);
	if (c->counts == NULL)
		return err_memory(err);
	if (r->im.size[RAW_S_BITMAP] != 0)
		c->bitmap = section(&r->im, RAW_S_BITMAP);
	return PROF_OK;
}

static int
compare_stamps(const void *a, const void *b)
{
	const struct raw_stamp *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->symbol.guid > y->symbol.guid) -
	    (x->symbol.guid < y->symbol.guid);
}

/* Where this image ends: behind its value data, and zeros. */
static size_t
image_end(const struct raw_reader *r)
{
	size_t at = r->values_at;

	if (r->im.row->values == RAW_VALUES_SIZED)
		at = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES];
	return skip_zeros(r, at);
}

/* The stamps of all images of a file make one trace, in the last. */
static enum prof_status
next_trace(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_symbol *functions;

	if (image_end(r) < r->im.file.size || r->stamp_count == 0)
		return PROF_END;
	functions = arena_array(&r->arena, r->stamp_count,
	    sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	qsort(r->stamps, r->stamp_count, sizeof(*r->stamps), compare_stamps);
	for (size_t i = 0; i < r->stamp_count; i++)
		functions[i] = r->stamps[i].symbol;
	out->kind = PROF_REC_TRACE;
	out->u.trace = (struct prof_trace){ 1, functions, r->stamp_count };
	return PROF_OK;
}

static enum prof_status
next_end(struct raw_reader *r, struct prof_record *out)
{
	size_t blocks_end = r->values_at;
	size_t values_end = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES];

	if (r->suspicious != 0)
		warn_at(r->base.context, raw_member_at(&r->im,
		    r->first_suspicious, RAW_COUNTER_PTR), "%llu functions "
		    "have counters above 2^56: wrapped or overwritten",
		    (unsigned long long)r->suspicious);
	if (r->im.row->values == RAW_VALUES_SIZED && r->has_values &&
	    blocks_end != values_end)
		warn_at(r->base.context, blocks_end, "value data: %zu bytes "
		    "of ValueDataSize are left over", values_end - blocks_end);
	out->kind = PROF_REC_END;
	r->state = AT_NEXT_IMAGE;
	return PROF_OK;
}

/* PROF_END at the end of the file, else the next image is open. */
static enum prof_status
next_image(struct raw_reader *r, struct prof_error *err)
{
	size_t at = image_end(r), left = r->im.file.size - at;
	struct prof_span file = r->im.file;
	struct raw_image next;

	if (left == 0)
		return PROF_END;
	if (left < 16)
		return err_at(err, PROF_E_CORRUPT, at, "%zu bytes behind the "
		    "profile are no header of another", left);
	if (r->im.row->aligned && at % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, at, "what follows the "
		    "profile does not begin at a multiple of 8 bytes");
	if (!raw_magic((struct prof_span){ file.data + at, left }, &next) ||
	    next.magic != r->first_magic || next.big != r->first_big)
		return err_at(err, PROF_E_CORRUPT, at, "%zu bytes behind the "
		    "profile do not begin with the magic of the first", left);
	return start_image(r, file, at, err);
}

static enum prof_status
raw_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct raw_reader *r = (struct raw_reader *)base;
	enum prof_status status = PROF_END;

	arena_reset(&r->arena);
	for (;;) {
		switch (r->state) {
		case AT_NEXT_IMAGE:
			status = next_image(r, err);
			if (status != PROF_OK)
				return status;
			continue;
		case AT_PROFILE:
			return next_profile(r, out);
		case AT_BINARY:
			status = next_binary(r, out, err);
			break;
		case AT_VTABLE:
			status = next_vtable(r, out);
			break;
		case AT_VTABLE_NAME:
			status = next_vtable_name(r, out, err);
			break;
		case AT_FUNCTION:
			status = r->blocks ? raw_next_block(r, out, err) :
			    raw_next_function(r, out, err);
			break;
		case AT_RAW_COUNTERS:
			status = next_raw_counters(r, out, err);
			r->state = AT_TRACE;
			break;
		case AT_TRACE:
			status = next_trace(r, out, err);
			r->state = AT_END;
			break;
		default:
			return next_end(r, out);
		}
		if (status != PROF_END)
			return status;
		/* The states that count their records end here. */
		if (r->state < AT_RAW_COUNTERS) {
			r->state++;
			r->index = 0;
		}
	}
}

static void
raw_close(struct prof_reader *base)
{
	struct raw_reader *r = (struct raw_reader *)base;

	lru_cache_release(r->names);
	lru_cache_release(r->program);
	raw_addresses_free(&r->addresses);
	arena_free(&r->arena);
	arena_free(&r->kept);
	free(r->stamps);
	free(r);
}

static const struct reader_ops raw_ops = {
	.next = raw_next,
	.functions = raw_block_functions,
	.retain = raw_block_retain,
	.name = raw_block_name,
	.close = raw_close,
};

struct prof_reader *
raw_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct raw_reader *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->base = (struct prof_reader){ .ops = &raw_ops, .context = context };
	r->names_limit = names_limit_of(image.size);
	if (start_image(r, image, 0, err) != PROF_OK) {
		raw_close(&r->base);
		return NULL;
	}
	r->first_magic = r->im.magic;
	r->first_big = r->im.big;
	return &r->base;
}
