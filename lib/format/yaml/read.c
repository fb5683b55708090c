/* Reads heap profiles in YAML, as LLVM 20 to 22 merge and show them. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/list_pool.h"
#include "format/yaml/yaml.h"

/* The line of a function's record, for finding duplicates. */
struct function_line {
	uint64_t guid, line;
};

enum yaml_state {
	AT_DOCUMENT, AT_TOP, AT_HEAP, AT_DATA, AT_SAMPLED, AT_COLD_NAMES,
	AT_COLD_HASHES, AT_END
};

struct yaml_reader {
	struct prof_reader base;
	struct yaml_source source;
	enum yaml_state state;
	struct yaml_map top, data;
	bool empty;			/* the list that is read is empty */
	size_t profiles;
	struct yaml_heap heap;
	size_t next_stack;		/* of heap, to be returned next */
	bool has_function;		/* heap's function is to be returned */
	struct list_pool stacks;	/* ids of stacks that were returned */
	struct function_line *lines;
	size_t lines_size, lines_room;
};

static const char *const top_names[] = {
	"HeapProfileRecords", "DataAccessProfiles"
};
static const struct yaml_keys top_keys =
    YAML_KEYS("the document", top_names, 0);
static const enum yaml_state top_states[] = { AT_HEAP, AT_DATA };

static const char *const data_names[] = {
	"SampledRecords", "KnownColdSymbols", "KnownColdStrHashes"
};
static const struct yaml_keys data_keys =
    YAML_KEYS("DataAccessProfiles", data_names, 0);
static const enum yaml_state data_states[] = {
	AT_SAMPLED, AT_COLD_NAMES, AT_COLD_HASHES
};

/* A document mark, which LLVM needs and no text profile begins with. */
bool
yaml_sniff(struct prof_span first_bytes)
{
	const uint8_t *p = first_bytes.data;

	return first_bytes.size >= 3 && memcmp(p, "---", 3) == 0 &&
	    (first_bytes.size == 3 || p[3] == '\n' || p[3] == '\r' ||
	    p[3] == ' ' || p[3] == '\t');
}

static void
yaml_set_profile(struct yaml_reader *r, struct prof_record *out)
{
	out->kind = PROF_REC_PROFILE;
	out->u.profile = (struct prof_header){
		.kind = PROF_MEMPROF,
		.source.format = "yaml",
	};
	r->profiles++;
}

/*
 * Skips documents without content, as LLVM does: its own output begins with one
 * that holds comments only.  If there is no other document, the profile is
 * empty.
 */
static enum prof_status
yaml_next_document(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_source *y = &r->source;

	while (y->now.kind == YAML_DOCUMENT) {
		if (yaml_advance(y, err) != PROF_OK ||
		    yaml_read_map(y, &r->top, &top_keys, err) != PROF_OK)
			return PROF_FAIL;
		if (!r->top.empty) {
			r->state = AT_TOP;
			yaml_set_profile(r, out);
			return PROF_OK;
		}
		if (yaml_advance(y, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->profiles != 0)
		return PROF_END;
	r->state = AT_END;
	yaml_set_profile(r, out);
	return PROF_OK;
}

static int
yaml_compare_lines(const void *a, const void *b)
{
	const struct function_line *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Warns of functions with several records, of which LLVM reads the first. */
static void
yaml_warn_repeats(struct yaml_reader *r)
{
	const struct function_line *first = NULL;
	size_t repeats = 0;

	if (r->lines_size != 0)
		qsort(r->lines, r->lines_size, sizeof(*r->lines),
		    yaml_compare_lines);
	for (size_t i = 1; i < r->lines_size; i++) {
		const struct function_line *p = &r->lines[i];

		if (p->guid != p[-1].guid)
			continue;
		if (first == NULL || p->line < first->line)
			first = p;
		repeats++;
	}
	if (first != NULL)
		warn_line(r->base.context, first->line, "GUID 0x%llx occurs "
		    "again%s: LLVM reads only the first record of a function",
		    (unsigned long long)first->guid,
		    repeats > 1 ? ", and others do" : "");
	r->lines_size = 0;
}

/* Warns if "..." is missing, which LLVM writes last: the file may be cut. */
static enum prof_status
yaml_end_document(struct yaml_reader *r, struct prof_error *err)
{
	struct yaml_source *y = &r->source;
	struct yaml_event end = y->now;

	if (yaml_advance(y, err) != PROF_OK)
		return PROF_FAIL;
	if (end.implicit && y->now.kind == YAML_STREAM_DONE)
		warn_line(r->base.context, end.line, "there is no \"...\" at "
		    "the end: the file may be truncated");
	return PROF_OK;
}

static enum prof_status
yaml_set_end(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	if (r->state != AT_END && yaml_end_document(r, err) != PROF_OK)
		return PROF_FAIL;
	yaml_warn_repeats(r);
	list_pool_free(&r->stacks);
	r->stacks = (struct list_pool){ 0 };
	r->state = AT_DOCUMENT;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

/* The next stack of the function that was read, then the function. */
static enum prof_status
yaml_next_of_heap(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct yaml_heap *h = &r->heap;

	while (r->next_stack < h->stacks_size) {
		const struct yaml_stack *s = &h->stacks[r->next_stack++];
		uint32_t known = r->stacks.size;
		uint32_t at = list_pool_add_u64(&r->stacks, s->id);

		if (at == INDEX_NONE)
			return err_memory(err);
		if (at != known)
			continue;
		out->kind = PROF_REC_STACK;
		out->u.stack = (struct prof_stack){ .id = s->id,
		    .frames = s->size == 0 ? NULL : h->frames + s->first,
		    .frames_size = s->size };
		return PROF_OK;
	}
	if (!r->has_function)
		return PROF_END;
	r->has_function = false;
	out->kind = PROF_REC_MEMPROF_FUNCTION;
	out->u.memprof_function = (struct prof_memprof_function){
		.symbol = h->symbol,
		.alloc_sites = h->allocs, .allocs_size = h->allocs_size,
		.call_sites = h->calls, .calls_size = h->calls_size,
	};
	return PROF_OK;
}

static enum prof_status
yaml_read_function_record(struct yaml_reader *r, struct prof_error *err)
{
	uint64_t line = r->source.now.line;

	if (yaml_heap_read(&r->heap, &r->source, err) != PROF_OK)
		return PROF_FAIL;
	if (!ARRAY_ADD(r->lines, r->lines_size, r->lines_room,
	    (struct function_line){ r->heap.symbol.guid, line }))
		return err_memory(err);
	r->next_stack = 0;
	r->has_function = true;
	return PROF_OK;
}

static enum prof_status
yaml_read_cold(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_data *d = &out->u.cold_symbol;
	uint64_t line = r->source.now.line;

	out->kind = PROF_REC_COLD_SYMBOL;
	*d = (struct prof_data){ 0 };
	if (r->state == AT_COLD_HASHES)
		return yaml_read_number(&r->source, data_names[2], UINT64_MAX,
		    &d->hash, err);
	if (yaml_read_text(&r->source, data_names[1], &d->symbol, err) !=
	    PROF_OK)
		return PROF_FAIL;
	return d->symbol.size != 0 ? PROF_OK : err_line(err, PROF_E_CORRUPT,
	    line, "%s: an empty name", data_names[1]);
}

/* Reads an item of a list; out->kind stays PROF_REC_OTHER without a record. */
static enum prof_status
yaml_step_list(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = yaml_next_item(&r->source, r->empty, err);

	if (status == PROF_END) {
		r->state = r->state == AT_HEAP ? AT_TOP : AT_DATA;
		return PROF_OK;
	}
	if (status != PROF_OK)
		return PROF_FAIL;
	if (r->state == AT_HEAP)
		return yaml_read_function_record(r, err);
	if (r->state != AT_SAMPLED)
		return yaml_read_cold(r, out, err);
	out->kind = PROF_REC_DATA_ACCESS;
	return yaml_access_read(&r->source, &out->u.data_access,
	    r->base.context, err);
}

static enum prof_status
yaml_step_map(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	bool at_top = r->state == AT_TOP;
	struct yaml_map *m = at_top ? &r->top : &r->data;
	enum prof_status status = yaml_next_key(&r->source, m, err);

	if (status == PROF_END && at_top)
		return yaml_set_end(r, out, err);
	if (status == PROF_END) {
		r->state = AT_TOP;
		return PROF_OK;
	}
	if (status != PROF_OK)
		return PROF_FAIL;
	r->state = at_top ? top_states[m->key] : data_states[m->key];
	if (r->state == AT_DATA)
		return yaml_read_map(&r->source, &r->data, &data_keys, err);
	return yaml_read_list(&r->source, m->keys->names[m->key], &r->empty,
	    err);
}

static enum prof_status
yaml_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_reader *r = (struct yaml_reader *)base;
	enum prof_status status = yaml_next_of_heap(r, out, err);

	if (status != PROF_END)
		return status;
	if (r->state == AT_DOCUMENT)
		return yaml_next_document(r, out, err);
	if (r->state == AT_END)
		return yaml_set_end(r, out, err);
	arena_reset(&r->source.arena);
	out->kind = PROF_REC_OTHER;
	do {
		status = r->state == AT_TOP || r->state == AT_DATA ?
		    yaml_step_map(r, out, err) : yaml_step_list(r, out, err);
		if (status == PROF_OK && r->has_function)
			return yaml_next_of_heap(r, out, err);
	} while (status == PROF_OK && out->kind == PROF_REC_OTHER);
	return status;
}

static void
yaml_close(struct prof_reader *base)
{
	struct yaml_reader *r = (struct yaml_reader *)base;

	yaml_events_free(r->source.events);
	arena_free(&r->source.arena);
	yaml_heap_free(&r->heap);
	list_pool_free(&r->stacks);
	free(r->lines);
}

static const struct reader_ops yaml_ops = {
	.size = sizeof(struct yaml_reader),
	.next = yaml_next,
	.close = yaml_close,
};

struct prof_reader *
yaml_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct yaml_reader *r = codec_reader_new(&yaml_ops, context, err);

	if (r == NULL)
		return NULL;
	r->source.events = yaml_events_new(image, err);
	if (r->source.events == NULL ||
	    yaml_advance(&r->source, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}
