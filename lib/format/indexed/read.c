#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/name_section.h"
#include "model/symtab.h"
#include "format/codec.h"
#include "format/indexed/block.h"
#include "format/indexed/check.h"
#include "format/indexed/function.h"
#include "format/indexed/losses.h"
#include "format/indexed/memprof_read.h"
#include "format/indexed/run.h"
#include "format/indexed/summary.h"
#include "format/memprof/summary_check.h"
#include "format/context_cache.h"
#include "model/variants.h"

enum state {
	AT_PROFILE, AT_BINARY, AT_VTABLE, AT_FUNCTION, AT_TRACE, AT_HEAP,
	AT_END, AT_STOP
};

struct indexed_reader {
	struct prof_reader base;
	struct indexed_image im;
	enum state state;
	struct cursor ids, traces;	/* parts not yet returned */
	struct names vtables;
	size_t next_vtable;
	struct symtab names;		/* of functions and vtables */
	bool names_loaded;
	struct symtab traced;		/* names found for traces */
	struct indexed_heap_reader heap;
	enum prof_status names_status;	/* of indexed_name_target */
	struct prof_error *err;		/* for it */
	struct indexed_walk walk;	/* if the program is not known */
	struct indexed_run run;		/* of functions found by it */
	struct indexed_blocks blocks;	/* used if the program is known */
	struct arena arena;		/* of one record */
};

bool
indexed_sniff(struct prof_span first_bytes)
{
	return first_bytes.size >= 8 &&
	    load_u64(first_bytes.data, false) == INDEXED_MAGIC;
}

/* A file without functions is a heap profile if it has the section. */
static enum prof_kind
indexed_kind(const struct indexed_reader *r)
{
	if (!r->heap.is_open ||
	    (!r->heap.has_data && r->im.table.entries != 0))
		return PROF_INSTR;
	return r->im.table.entries == 0 ? PROF_MEMPROF : PROF_MIXED;
}

/*
 * Checks everything that was not checked when the image was opened.  Blocks of
 * a known program are compared later, as they are read; a look-up checks only
 * the records that it finds.
 */
static enum prof_status
indexed_check_all(struct indexed_reader *r, struct indexed_facts *facts,
    bool want_facts, struct prof_error *err)
{
	bool thorough = r->base.context != NULL && r->base.context->thorough;

	if (r->walk.lookup)
		return PROF_OK;
	if (indexed_blocks_open(&r->blocks, &r->arena,
	    want_facts || thorough ? facts : NULL, err) != PROF_OK)
		return PROF_FAIL;
	if (thorough && indexed_summary_check(&r->im, &r->arena,
	    r->base.context, err) != PROF_OK)
		return PROF_FAIL;
	if (indexed_heap_open(&r->heap, &r->im, err) != PROF_OK)
		return PROF_FAIL;
	if (!r->heap.is_open || !thorough)
		return PROF_OK;
	return memprof_summary_check(&r->heap.section.section,
	    r->base.context, err);
}

static enum prof_status
indexed_next_profile(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct indexed_image *im = &r->im;
	struct prof_header *h = &out->u.profile;
	struct indexed_facts facts = { 0 };
	enum prof_level level = indexed_level(im);

	indexed_warn_of_bits(im, r->base.context);
	if (indexed_check_all(r, &facts, level == PROF_LEVEL_FRONTEND, err) !=
	    PROF_OK)
		return PROF_FAIL;
	out->kind = PROF_REC_PROFILE;
	*h = (struct prof_header){ .kind = indexed_kind(r), .level = level };
	h->flags = variants_to_flags(im->version_word &
	    ~indexed_unknown_bits(im));
	if (level == PROF_LEVEL_FRONTEND && !facts.any_rust)
		indexed_set_frontend(im->row, &facts, h);
	h->has_trace_stream_size = indexed_has(im, INDEXED_TRACES);
	h->trace_stream_size = im->trace_stream_size;
	h->source = (struct prof_source){ .format = "indexed",
	    .version = im->row->version, .endian = 'l' };
	indexed_heap_describe(&r->heap, &h->source);
	return PROF_OK;
}

static enum prof_status
indexed_next_binary(struct indexed_reader *r, struct prof_record *out)
{
	uint64_t length;

	if (cur_left(&r->ids) == 0)
		return PROF_END;
	length = cur_u64(&r->ids);
	out->kind = PROF_REC_BINARY;
	out->u.build_id = (struct prof_span){ cur_bytes(&r->ids, length),
	    (size_t)length };
	cur_bytes(&r->ids, pad8(length));
	return PROF_OK;
}

static enum prof_status
indexed_load_vtables(struct indexed_reader *r, struct prof_error *err)
{
	struct names_limit limit = codec_names_limit(r->base.context,
	    r->im.file.size);
	struct prof_span names = r->im.vtable_names;

	if (names.size == 0)
		return PROF_OK;
	return names_read(&r->vtables, names,
	    (uint64_t)(names.data - r->im.file.data), &limit, err);
}

static enum prof_status
indexed_next_vtable(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct symtab *names = &r->vtables.table;

	if (r->next_vtable == 0 && indexed_load_vtables(r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->next_vtable == names->size)
		return PROF_END;
	out->kind = PROF_REC_VTABLE;
	out->u.vtable = (struct prof_vtable){
	    .symbol = names->symbols[r->next_vtable++] };
	return PROF_OK;
}

/*
 * Loads the names of all functions and vtables.  Single guids are looked up in
 * the hash table of the file; the names are needed if a bucket of that table is
 * damaged or too long, and for heap profiles, which look up many guids.
 */
static enum prof_status
indexed_load_names(struct indexed_reader *r, struct prof_error *err)
{
	struct disk_hash_walk walk = { .table = &r->im.table };
	const struct symtab *vtables = &r->vtables.table;
	struct disk_hash_item item;
	enum prof_status status;

	if (r->names_loaded)
		return PROF_OK;
	while ((status = disk_hash_next(&walk, &item, err)) == PROF_OK) {
		if (!symtab_add(&r->names, item.key, item.hash))
			return err_memory(err);
	}
	for (size_t i = 0; i < vtables->size; i++) {
		if (!symtab_add(&r->names, vtables->symbols[i].name,
		    vtables->symbols[i].guid))
			return err_memory(err);
	}
	r->names_loaded = true;
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
indexed_name_of_guid(struct indexed_reader *r, uint64_t guid, struct prof_span
    *name, struct prof_error *err)
{
	struct disk_hash_item item;
	enum prof_status status = PROF_FAIL;

	if (!r->names_loaded)
		status = disk_hash_find_hash(&r->im.table, guid, &item);
	if (status == PROF_FAIL && indexed_load_names(r, err) != PROF_OK)
		return PROF_FAIL;
	*name = status == PROF_OK ? item.key : symtab_name(
	    status == PROF_END ? &r->vtables.table : &r->names, guid);
	return PROF_OK;
}

static void
indexed_name_target(void *arg, enum prof_value_kind kind, struct prof_value *v)
{
	struct indexed_reader *r = arg;

	if (kind != PROF_MEM_OP_SIZE && r->names_status == PROF_OK)
		r->names_status = indexed_name_of_guid(r, v->value, &v->name,
		    r->err);
}

static enum prof_status
indexed_next_function(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct indexed_record record;
	enum prof_status status;

	status = indexed_walk_next(&r->walk, &r->arena, &record, err);
	if (status != PROF_OK)
		return status;
	r->err = err;
	out->kind = PROF_REC_FUNCTION;
	status = indexed_function_read(&r->im, &record,
	    &(struct indexed_function_from){ &r->walk.item, &r->arena,
	    r->walk.records.pos, &(struct values_resolver){
	    indexed_name_target, r } }, &out->u.function, err);
	return status != PROF_OK ? status : r->names_status;
}

static enum prof_status
indexed_next_block(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;

	if (r->blocks.program != NULL)
		status = indexed_blocks_next(&r->blocks, &r->arena,
		    &out->u.block, err);
	if (status == PROF_END && r->blocks.program == NULL) {
		r->walk.skip = r->blocks.returned;
		if (!indexed_run_next(&r->run, &r->walk, &r->arena,
		    &out->u.block))
			return indexed_next_function(r, out, err);
		status = PROF_OK;
	}
	out->kind = PROF_REC_BLOCK;
	out->u.block.reader = &r->base;
	/* The program lacks the names of vtables: this reader has them. */
	out->u.block.lends_targets = r->vtables.table.size != 0;
	return status;
}

static const struct prof_function *
indexed_block_functions(struct prof_reader *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	if (b->layout == 0)
		return program_set_functions(b, r->run.functions);
	return indexed_blocks_functions(&r->blocks, b, &r->arena, err);
}

static void *
indexed_retain(struct prof_reader *base)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	lru_cache_retain(r->blocks.program);
	return r->blocks.program;
}

static struct prof_span
indexed_block_name(const struct prof_reader *base, uint64_t guid)
{
	struct indexed_reader *r = (void *)(uintptr_t)base;
	struct prof_value v = { .value = guid };

	if (r->blocks.program != NULL)
		return indexed_blocks_name(&r->blocks, guid);
	indexed_name_target(r, PROF_INDIRECT_CALL_TARGET, &v);
	return v.name;
}

static const struct symtab *
indexed_block_names(const struct prof_reader *base)
{
	const struct indexed_reader *r = (const struct indexed_reader *)base;

	return r->blocks.program != NULL ? &r->blocks.program->names :
	    &r->names;
}

/* Keeps the name, but not of a guid of 0, which a table takes for none. */
static enum prof_status
indexed_name_traced(struct indexed_reader *r, struct prof_symbol *f,
    struct prof_error *err)
{
	size_t at = r->names_loaded ? SYMTAB_NONE :
	    symtab_find(&r->traced, f->guid, NULL);

	if (at != SYMTAB_NONE) {
		f->name = r->traced.symbols[at].name;
		return PROF_OK;
	}
	if (indexed_name_of_guid(r, f->guid, &f->name, err) != PROF_OK)
		return PROF_FAIL;
	if (f->guid == 0 || r->names_loaded ||
	    symtab_add(&r->traced, f->name, f->guid))
		return PROF_OK;
	return err_memory(err);
}

static enum prof_status
indexed_next_trace(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_symbol *functions;
	uint64_t weight;
	size_t size;

	if (cur_left(&r->traces) == 0)
		return PROF_END;
	weight = cur_u64(&r->traces);
	size = (size_t)cur_u64(&r->traces);
	functions = arena_array(&r->arena, size, sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	for (size_t i = 0; i < size; i++) {
		functions[i].guid = cur_u64(&r->traces);
		if (indexed_name_traced(r, &functions[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	out->kind = PROF_REC_TRACE;
	out->u.trace = (struct prof_trace){ weight, functions, size };
	return PROF_OK;
}

/*
 * Frames of a heap profile have guids only.  Functions with counters have
 * names: frames of the same guid get them.
 */
static enum prof_status
indexed_next_heap(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	if (!r->heap.has_data)
		return PROF_END;
	if (r->im.table.entries != 0 && indexed_load_names(r, err) != PROF_OK)
		return PROF_FAIL;
	r->heap.section.names = &r->names;
	return memprof_section_next(&r->heap.section, &r->arena, out, err);
}

/* The next record of the present state, or PROF_END. */
static enum prof_status
indexed_next_of_state(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	switch (r->state) {
	case AT_PROFILE:
		r->state = AT_BINARY;
		return indexed_next_profile(r, out, err);
	case AT_BINARY:
		return indexed_next_binary(r, out);
	case AT_VTABLE:
		return indexed_next_vtable(r, out, err);
	case AT_FUNCTION:
		return r->base.context != NULL && r->base.context->blocks &&
		    !r->walk.lookup ? indexed_next_block(r, out, err) :
		    indexed_next_function(r, out, err);
	case AT_TRACE:
		return indexed_next_trace(r, out, err);
	case AT_HEAP:
		return indexed_next_heap(r, out, err);
	default:
		r->state = AT_STOP;
		out->kind = PROF_REC_END;
		return PROF_OK;
	}
}

/*
 * Of an image that is assumed to be of a known program, other parts than the
 * records are read first.  If both are damaged, the error is the one of an
 * image whose program is not known, of which all records are checked first.
 */
static enum prof_status
indexed_explain(struct indexed_reader *r, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (r->blocks.assumed && indexed_check(&r->im, &r->arena, NULL, &why)
	    != PROF_OK && err != NULL && err->code != PROF_E_MEMORY)
		*err = why;
	return PROF_FAIL;
}

static enum prof_status
indexed_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	arena_reset(&r->arena);
	if (r->names_status != PROF_OK)
		return err_memory(err);
	for (; r->state != AT_STOP; r->state++) {
		enum prof_status status = indexed_next_of_state(r, out, err);

		if (status == PROF_FAIL)
			return indexed_explain(r, err);
		if (status == PROF_OK)
			return PROF_OK;
	}
	return PROF_END;
}

static void
indexed_select(struct prof_reader *base)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	r->walk.lookup = base->prefixes_size == 0;
	r->walk.selection.names = base->selected;
	r->walk.selection.names_size = base->selected_size;
}

static void
indexed_close(struct prof_reader *base)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	indexed_heap_close(&r->heap);
	free(r->walk.selection.items);
	indexed_blocks_free(&r->blocks);
	names_free(&r->vtables);
	symtab_free(&r->names);
	symtab_free(&r->traced);
	arena_free(&r->arena);
}

static const struct reader_ops indexed_ops = {
	.size = sizeof(struct indexed_reader),
	.next = indexed_next,
	.select = indexed_select,
	.functions = indexed_block_functions,
	.retain = indexed_retain,
	.name = indexed_block_name,
	.names = indexed_block_names,
	.close = indexed_close,
};

struct prof_reader *
indexed_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct indexed_reader *r = codec_reader_new(&indexed_ops, context, err);

	if (r == NULL)
		return NULL;
	if (indexed_image_open(&r->im, image, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	r->base.input_size = image.size;
	r->ids = r->im.ids;
	r->traces = r->im.traces;
	r->walk.base = &r->base;
	r->walk.image = &r->im;
	r->walk.items.table = &r->im.table;
	consumed_start(&r->walk.consumed, context, image.data);
	r->blocks.context = context;
	r->blocks.image = &r->im;
	r->blocks.vtables = &r->vtables.table;
	return &r->base;
}
