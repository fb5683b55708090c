/* The reader of indexed profiles. */
#include "format/indexed/indexed.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/memprof/read.h"
#include "model/name_section.h"
#include "model/record.h"
#include "model/value_sites.h"

struct indexed_selection {
	const struct prof_span *names;	/* see prof_select */
	size_t names_size;
	struct disk_hash_item *items;	/* in the order of the file */
	size_t size, next;		/* next: the one to return next */
};

static int
compare_item_offsets(const void *a, const void *b)
{
	const struct disk_hash_item *x = a, *y = b;

	return (x->data > y->data) - (x->data < y->data);
}

/*
 * Looks the names up and checks the records of those that are there: nothing
 * but the buckets of these names is read.  Resets the arena.
 */
static enum prof_status
indexed_look_up(struct indexed_selection *out, const struct indexed_image *im,
    struct arena *a, struct prof_error *err)
{
	struct disk_hash_item *item;

	out->items = calloc(out->names_size + 1, sizeof(*out->items));
	if (out->items == NULL)
		return err_memory(err);
	for (size_t i = 0; i < out->names_size; i++) {
		enum prof_status status;

		item = &out->items[out->size];
		status = disk_hash_find(&im->table, out->names[i], item, err);
		if (status == PROF_OK)
			status = indexed_check_item(im, item, a, NULL, err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		out->size += status == PROF_OK;
	}
	qsort(out->items, out->size, sizeof(*out->items), compare_item_offsets);
	return PROF_OK;
}

/* A position in the records.  image and items.table are to be set. */
struct indexed_walk {
	const struct indexed_image *image;
	struct disk_hash_walk items;
	bool lookup;			/* selected names, unless one lacks */
	struct indexed_selection selection;	/* if lookup is set */
	struct disk_hash_item item;
	struct cursor records;		/* the unread records of item */
	size_t skip;			/* the first records are passed over */
	size_t seen;			/* records read, or passed over */
	struct consumed consumed;	/* of a walk through all items */
};

static enum prof_status
indexed_walk_item(struct indexed_walk *w, struct prof_error *err)
{
	const uint8_t *data = w->image->file.data;
	enum prof_status status = disk_hash_next(&w->items, &w->item, err);

	if (status == PROF_OK) {
		consumed_to(&w->consumed, data + w->records.pos);
		return PROF_OK;
	}
	/* Look-ups of value targets have touched most items once more. */
	consumed_start(&w->consumed, w->consumed.context, data);
	consumed_end(&w->consumed, data + w->image->table.head);
	return status;
}

/* The next item: of those that prof_select has named if all exist, or any. */
static enum prof_status
indexed_next_item(struct indexed_walk *w, struct arena *a,
    struct prof_error *err)
{
	struct indexed_selection *selection = &w->selection;

	if (w->lookup && selection->items == NULL) {
		if (indexed_look_up(selection, w->image, a, err) != PROF_OK)
			return PROF_FAIL;
		w->lookup = selection->size == selection->names_size;
	}
	if (!w->lookup)
		return indexed_walk_item(w, err);
	if (selection->next == selection->size)
		return PROF_END;
	w->item = selection->items[selection->next++];
	return PROF_OK;
}

/*
 * The next record, of walk->item; or PROF_END.  The arena is for a look-up of
 * selected names.
 */
static enum prof_status
indexed_walk_next(struct indexed_walk *w, struct arena *a,
    struct indexed_record *record, struct prof_error *err)
{
	enum prof_status status;

	do {
		if (cur_left(&w->records) == 0) {
			status = indexed_next_item(w, a, err);
			if (status != PROF_OK)
				return status;
			w->records = indexed_item_data(w->image, &w->item);
		}
		status = indexed_record_read(w->image->row, &w->records,
		    record, err);
		if (status != PROF_OK)
			return status;
	} while (w->seen++ < w->skip);
	return PROF_OK;
}

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
	bool has_heap_section;
	bool has_heap_data;		/* in that section */
	struct memprof_section_reader heap;
	enum prof_status names_status;	/* of indexed_name_target */
	struct prof_error *err;		/* for it */
	struct indexed_walk walk;	/* if the program is not known */
	struct indexed_blocks blocks;	/* used if the program is known */
	struct arena arena;		/* of one record */
};

bool
indexed_sniff(struct prof_span first_bytes)
{
	return first_bytes.size >= 8 &&
	    load_u64(first_bytes.data, false) == INDEXED_MAGIC;
}

/*
 * Checks the heap profile, if there is one.  *end is the offset behind all
 * sections, of which it may be the last.
 */
static enum prof_status
indexed_open_heap(struct indexed_reader *r, size_t *end, struct prof_error *err)
{
	const struct indexed_image *im = &r->im;
	size_t limit = im->memprof + im->memprof_size, last;

	*end = im->end;
	if (!indexed_has(im, INDEXED_MEMPROF))
		return PROF_OK;
	r->has_heap_section = true;
	if (memprof_section_read(&r->heap, (struct prof_span){
	    im->file.data, limit }, im->memprof, err) != PROF_OK)
		return PROF_FAIL;
	r->has_heap_data = memprof_section_has_data(&r->heap);
	last = r->heap.data.end;
	if (!indexed_has(im, INDEXED_BINARY_IDS))
		*end = last;
	else if (last != limit)
		return err_at(err, PROF_E_CORRUPT, last, "%zu bytes follow the "
		    "heap profile (MemProf)", limit - last);
	return PROF_OK;
}

/*
 * Checks everything that was not checked when the image was opened; a look-up
 * checks only the records that it finds.
 */
static enum prof_status
indexed_check_all(struct indexed_reader *r, struct indexed_facts *facts,
    struct prof_error *err)
{
	bool thorough = r->base.context != NULL && r->base.context->thorough;
	size_t end;

	if (r->walk.lookup)
		return PROF_OK;
	if (indexed_blocks_open(&r->blocks, &r->arena, facts, err) != PROF_OK)
		return PROF_FAIL;
	if (thorough && indexed_summary_check(&r->im, &r->arena,
	    r->base.context, err) != PROF_OK)
		return PROF_FAIL;
	if (indexed_open_heap(r, &end, err) != PROF_OK)
		return PROF_FAIL;
	/* LLVM's readers do not look at them either. */
	if (end != r->im.file.size)
		warn_lost_at(r->base.context, end, "%zu bytes follow the last "
		    "section: ignored", r->im.file.size - end);
	return !r->has_heap_section || !thorough ? PROF_OK :
	    memprof_section_check_summary(&r->heap, r->base.context, err);
}

static enum prof_status
indexed_next_profile(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct indexed_image *im = &r->im;
	struct prof_header *h = &out->u.profile;
	struct indexed_facts facts = { 0 };
	enum prof_level level = indexed_level(im);
	uint64_t unknown = indexed_unknown_bits(im);

	if (unknown != 0)
		warn_lost_at(r->base.context, 8, "variant bits 0x%016llx are "
		    "unknown in version %u: ignored", ull(unknown),
		    im->row->version);
	if (indexed_check_all(r, &facts, err) != PROF_OK)
		return PROF_FAIL;
	out->kind = PROF_REC_PROFILE;
	*h = (struct prof_header){ .kind = PROF_INSTR, .level = level };
	/* A file without functions is a heap profile if it has the section. */
	if (im->table.entries == 0 && r->has_heap_section)
		h->kind = PROF_MEMPROF;
	else if (r->has_heap_data)
		h->kind = PROF_MIXED;
	h->flags = variants_to_flags(im->version_word & ~unknown);
	if (level == PROF_LEVEL_FRONTEND && !facts.any_rust)
		indexed_set_frontend(im->row, &facts, h);
	h->has_trace_stream_size = indexed_has(im, INDEXED_TRACES);
	h->trace_stream_size = im->trace_stream_size;
	h->source = (struct prof_source){ .format = "indexed",
	    .version = im->row->version, .endian = 'l' };
	if (r->has_heap_section) {
		h->source.memprof_version = r->heap.section.row->version + 1u;
		h->source.memprof_fields = r->heap.section.schema;
	}
	return PROF_OK;
}

static enum prof_status
indexed_next_vtable(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct symtab *names = &r->vtables.table;
	struct prof_span section = r->im.vtable_names;
	struct names_limit limit = codec_names_limit(r->base.context,
	    r->im.file.size);

	if (r->next_vtable == 0 && section.size != 0 &&
	    names_read(&r->vtables, section, (uint64_t)(section.data -
	    r->im.file.data), &limit, err) != PROF_OK)
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
		return indexed_next_function(r, out, err);
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
	const struct indexed_reader *r = (const struct indexed_reader *)base;

	return indexed_blocks_name(&r->blocks, guid);
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
	if (!r->has_heap_data)
		return PROF_END;
	if (r->im.table.entries != 0 && indexed_load_names(r, err) != PROF_OK)
		return PROF_FAIL;
	r->heap.names = &r->names;
	return memprof_section_next(&r->heap, &r->arena, out, err);
}

/* The next record of the present state, or PROF_END. */
static enum prof_status
indexed_next_of_state(struct indexed_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	uint64_t length;

	switch (r->state) {
	case AT_PROFILE:
		r->state = AT_BINARY;
		return indexed_next_profile(r, out, err);
	case AT_BINARY:
		if (cur_left(&r->ids) == 0)
			return PROF_END;
		length = cur_u64(&r->ids);
		out->kind = PROF_REC_BINARY;
		out->u.build_id = (struct prof_span){ cur_bytes(&r->ids,
		    length), (size_t)length };
		cur_bytes(&r->ids, pad8(length));
		return PROF_OK;
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

static enum prof_status
indexed_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	arena_reset(&r->arena);
	for (; r->state != AT_STOP; r->state++) {
		enum prof_status status = indexed_next_of_state(r, out, err);

		if (status != PROF_END)
			return status;
	}
	return PROF_END;
}

static void
indexed_select(struct prof_reader *base)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	r->walk.lookup = true;
	r->walk.selection.names = base->selected;
	r->walk.selection.names_size = base->selected_size;
}

static void
indexed_close(struct prof_reader *base)
{
	struct indexed_reader *r = (struct indexed_reader *)base;

	if (r->has_heap_section)
		memprof_section_close(&r->heap);
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
	r->walk.image = &r->im;
	r->walk.items.table = &r->im.table;
	consumed_start(&r->walk.consumed, context, image.data);
	r->blocks.context = context;
	r->blocks.image = &r->im;
	r->blocks.vtables = &r->vtables.table;
	return &r->base;
}
