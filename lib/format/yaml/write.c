#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "format/codec.h"
#include "model/heap.h"
#include "model/mib.h"
#include "model/symtab.h"
#include "model/memprof/build.h"

/* A document mark, which LLVM needs and no text profile begins with. */
bool
yaml_sniff(struct prof_span first_bytes)
{
	const uint8_t *p = first_bytes.data;

	return first_bytes.size >= 3 && memcmp(p, "---", 3) == 0 &&
	    (first_bytes.size == 3 || p[3] == '\n' || p[3] == '\r' ||
	    p[3] == ' ' || p[3] == '\t');
}

/* The summary and the data accesses. */

static void
yaml_put_access(struct yaml_text *t, const struct prof_data_access *a)
{
	yaml_item(t, 6);
	yaml_key(t, a->data.symbol.data != NULL ? "Symbol" : "Hash");
	if (a->data.symbol.data != NULL)
		yaml_put_string(t, a->data.symbol, false);
	else
		yaml_put_number(t, a->data.hash);
	yaml_line(t, 6);
	yaml_key(t, "AccessCount");
	yaml_put_number(t, a->count);
	if (a->size != 0) {
		yaml_line(t, 6);
		yaml_put(t, "Locations:");
	}
	for (size_t i = 0; i < a->size; i++) {
		yaml_item(t, 10);
		yaml_key(t, "FileName");
		yaml_put_string(t, a->locations[i].file, false);
		yaml_line(t, 10);
		yaml_key(t, "Line");
		yaml_put_number(t, a->locations[i].line);
	}
}

static size_t
yaml_count_cold_names(const struct memprof_built *b)
{
	size_t names = 0;

	for (size_t i = 0; i < b->cold_size; i++)
		names += b->cold_symbols[i].symbol.data != NULL;
	return names;
}

/* The address decides between accesses of one array with equal counts. */
static int
yaml_compare_accesses(const void *a, const void *b)
{
	const struct prof_data_access *x = *(const struct prof_data_access *
	    const *)a;
	const struct prof_data_access *y = *(const struct prof_data_access *
	    const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x > y) - (x < y);
}

static int
yaml_compare_cold(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;

	if (x->symbol.data == NULL || y->symbol.data == NULL)
		return x->symbol.data != NULL ? -1 : y->symbol.data != NULL ?
		    1 : (x->hash > y->hash) - (x->hash < y->hash);
	return prof_span_compare(x->symbol, y->symbol);
}

/* Names first, then hashes. */
static void
yaml_put_cold(struct yaml_text *t, const struct prof_data *cold, size_t names,
    size_t size)
{
	if (names != 0) {
		yaml_line(t, 2);
		yaml_put(t, "KnownColdSymbols:");
	}
	for (size_t i = 0; i < names; i++) {
		yaml_item(t, 6);
		yaml_put_string(t, cold[i].symbol, false);
	}
	if (names == size)
		return;
	yaml_line(t, 2);
	yaml_key(t, "KnownColdStrHashes");
	yaml_flow_begin(t, '[');
	for (size_t i = names; i < size; i++) {
		yaml_flow_member(t);
		yaml_put_number(t, cold[i].hash);
	}
	yaml_flow_end(t, ']');
}

/*
 * Writes data accesses and cold symbols, if there are any, in LLVM's order
 * (IndexedInstrProfReader::getAllMemProfData, LLVM 22): accesses by descending
 * count, equal ones as they came, cold symbols by name, then by hash.  False if
 * out of memory; the working memory stays in the arena.
 */
static bool
yaml_write_data(struct yaml_text *t, const struct memprof_built *b,
    struct arena *a)
{
	const struct prof_data_access **accesses = arena_array(a,
	    b->accesses_size, sizeof(const struct prof_data_access *));
	struct prof_data *cold = arena_array(a, b->cold_size, sizeof(*cold));

	if (accesses == NULL || cold == NULL)
		return false;
	if (b->accesses_size + b->cold_size == 0)
		return true;
	for (size_t i = 0; i < b->accesses_size; i++)
		accesses[i] = &b->accesses[i];
	qsort(accesses, b->accesses_size, sizeof(*accesses),
	    yaml_compare_accesses);
	for (size_t i = 0; i < b->cold_size; i++)
		cold[i] = b->cold_symbols[i];
	qsort(cold, b->cold_size, sizeof(*cold), yaml_compare_cold);
	yaml_line(t, 0);
	yaml_put(t, "DataAccessProfiles:");
	if (b->accesses_size != 0) {
		yaml_line(t, 2);
		yaml_put(t, "SampledRecords:");
	}
	for (size_t i = 0; i < b->accesses_size; i++)
		yaml_put_access(t, accesses[i]);
	yaml_put_cold(t, cold, yaml_count_cold_names(b), b->cold_size);
	return true;
}

static void
yaml_put_figure(struct yaml_text *t, const char *name, uint64_t n)
{
	yaml_line(t, 0);
	yaml_put(t, "#   ");
	yaml_put(t, name);
	yaml_put(t, ": ");
	yaml_put_number(t, n);
}

/*
 * Writes the summary, which is a document of comments, and the beginning of the
 * next document, as MemProfSummary::printSummaryYaml.  False if out of memory.
 */
static bool
yaml_write_summary(struct yaml_text *t, const struct memprof_built *b)
{
	static const char *const names[MEMPROF_SUMMARY_FIELDS] = {
		[MEMPROF_CONTEXTS] = "Total contexts",
		[MEMPROF_COLD_CONTEXTS] = "Total cold contexts",
		[MEMPROF_HOT_CONTEXTS] = "Total hot contexts",
		[MEMPROF_MAX_COLD_SIZE] = "Maximum cold context total size",
		[MEMPROF_MAX_WARM_SIZE] = "Maximum warm context total size",
		[MEMPROF_MAX_HOT_SIZE] = "Maximum hot context total size",
	};
	uint64_t fields[MEMPROF_SUMMARY_FIELDS];
	size_t cold_names = yaml_count_cold_names(b);

	if (!memprof_summarize(b, fields))
		return false;
	yaml_put(t, "---\n# MemProfSummary:");
	for (size_t i = 0; i < MEMPROF_SUMMARY_FIELDS; i++)
		yaml_put_figure(t, names[i], fields[i]);
	if (b->accesses_size + b->cold_size != 0) {
		yaml_put_figure(t, "Num hot symbols and string literals",
		    b->accesses_size);
		yaml_put_figure(t, "Num known cold symbols", cold_names);
		yaml_put_figure(t, "Num known cold string literals",
		    b->cold_size - cold_names);
	}
	yaml_put(t, "\n---");
	return true;
}

/* YAML is UTF-8: other bytes above 0x7f cannot be written. */
static enum prof_status
yaml_check_utf8(struct prof_span s, const char *what, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return utf8_valid(s) ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED, "%s "
	    "'%s' is not UTF-8, which YAML requires", what, err_name(shown, s));
}

/* PROF_E_UNSUPPORTED if a symbol or file is not UTF-8, as YAML must be. */
static enum prof_status
yaml_check_data(const struct memprof_built *b, struct prof_error *err)
{
	for (size_t i = 0; i < b->accesses_size; i++) {
		const struct prof_data_access *a = &b->accesses[i];

		if (yaml_check_utf8(a->data.symbol, "symbol", err) != PROF_OK)
			return PROF_FAIL;
		for (size_t k = 0; k < a->size; k++) {
			if (yaml_check_utf8(
				a->locations[k].file, "file", err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	for (size_t i = 0; i < b->cold_size; i++) {
		if (yaml_check_utf8(b->cold_symbols[i].symbol, "symbol", err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * Heap profiles, byte for byte as llvm-profdata show --memory of LLVM 22.
 */

/* The text is written to the sink in pieces of about this size. */
enum { FLUSH_SIZE = 1 << 16 };

/* A name that a frame of a stack has. */
struct yaml_named {
	uint64_t stack;			/* id */
	uint32_t name;			/* number in texts */
};

struct yaml_writer {
	struct prof_writer base;
	struct memprof_build *build;
	struct intern texts;		/* names of frames */
	uint64_t *guids;		/* of texts */
	struct yaml_named *named;
	size_t guids_room, named_size, named_room;
	struct symtab names;		/* of functions; copies in the arena */
	struct arena arena;
	bool began, has_sources, salvaged;
	uint64_t others;		/* records that are not of the heap */
	struct memprof_built built;
	struct yaml_text text;
};

/*
 * A name can be written in place of a guid, as LLVM hashes such names: it must
 * be UTF-8, must not look like a number, and must have that guid.
 */
static bool
yaml_name_fits(const struct prof_symbol *s, uint64_t guid)
{
	return s->name.size != 0 &&
	    (s->name.data[0] < '0' || s->name.data[0] > '9') &&
	    (s->guid == 0 || s->guid == guid) && utf8_valid(s->name);
}

/* Of two names with one guid, the first one in the order of bytes stays. */
static enum prof_status
yaml_add_name(struct yaml_writer *w, struct prof_span name, uint64_t guid,
    struct prof_error *err)
{
	size_t at = symtab_find(&w->names, guid, NULL);
	struct prof_span *old;

	if (at == SYMTAB_NONE)
		return symtab_keep(&w->names, &w->arena, name, guid) ?
		    PROF_OK : err_memory(err);
	old = &w->names.symbols[at].name;
	if (prof_span_compare(name, *old) >= 0)
		return PROF_OK;
	if (!arena_keep(&w->arena, &name))
		return err_memory(err);
	*old = name;
	return PROF_OK;
}

/* Notes the names of a stack, which count if the stack is written. */
static enum prof_status
yaml_note_stack(struct yaml_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	for (size_t i = 0; i < s->frames_size; i++) {
		const struct prof_frame *f = &s->frames[i];
		struct yaml_named named = { .stack = s->id };
		size_t size = w->texts.size;

		if (f->file.size != 0 || (f->flags & (PROF_FRAME_LINE |
		    PROF_FRAME_DISCRIMINATOR)) != 0)
			w->has_sources = true;
		if (f->function.name.size == 0)
			continue;
		named.name = intern_add(&w->texts, f->function.name.data,
		    f->function.name.size);
		if (named.name == INDEX_NONE ||
		    !ARRAY_ROOM(w->guids, named.name, w->guids_room))
			return err_memory(err);
		if (w->texts.size != size)
			w->guids[size] = memprof_guid(f->function.name);
		if (yaml_name_fits(&f->function, w->guids[named.name]) &&
		    !ARRAY_ADD(w->named, w->named_size, w->named_room, named))
			return err_memory(err);
	}
	return PROF_OK;
}

/*
 * Names functions by the stacks that are written, and by no others: YAML does
 * not hold these, so that a merge of YAML files would not know their names.
 */
static enum prof_status
yaml_name_stacks(struct yaml_writer *w, struct prof_error *err)
{
	for (size_t i = 0; i < w->named_size; i++) {
		const struct yaml_named *n = &w->named[i];
		uint64_t guid = w->guids[n->name];

		if (memprof_build_shows(w->build, n->stack, guid) &&
		    yaml_add_name(w, w->texts.items[n->name], guid, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
yaml_write_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct yaml_writer *w = (struct yaml_writer *)base;

	if (r->kind == PROF_REC_PROFILE) {
		if (w->began)
			return err_set(err, PROF_E_MISMATCH,
			    "YAML holds one profile: use prof-merge");
		w->began = true;
		w->salvaged = (r->u.profile.flags & PROF_SALVAGED) != 0;
		if (r->u.profile.folded)
			memprof_build_fold(w->build);
		return PROF_OK;
	}
	if (r->kind == PROF_REC_END || r->kind == PROF_REC_NAME)
		return PROF_OK;
	if (r->kind == PROF_REC_RAW_COUNTERS)
		return err_set(err, PROF_E_UNSUPPORTED, "counters of a "
		    "correlated profile have no functions yet");
	if (!heap_has_kind(r->kind)) {
		w->others++;
		return PROF_OK;
	}
	if (r->kind == PROF_REC_STACK &&
	    yaml_note_stack(w, &r->u.stack, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_MEMPROF_FUNCTION) {
		const struct prof_symbol *s = &r->u.memprof_function.symbol;
		uint64_t guid = memprof_guid(s->name);

		if (yaml_name_fits(s, guid) &&
		    yaml_add_name(w, s->name, guid, err) != PROF_OK)
			return PROF_FAIL;
	}
	return memprof_build_put(w->build, r, err);
}

static void
yaml_put_function(struct yaml_writer *w, uint64_t guid, bool in_flow)
{
	struct prof_span name = symtab_name(&w->names, guid);

	if (name.data != NULL)
		yaml_put_string(&w->text, name, in_flow);
	else
		yaml_put_hex(&w->text, guid);
}

/* Writes a stack as the first key of a list's item. */
static void
yaml_put_stack(struct yaml_writer *w, const char *key, uint32_t stack)
{
	const struct memprof_stack *s = &w->built.stacks[stack];
	struct yaml_text *t = &w->text;

	yaml_item(t, 8);
	if (s->size == 0) {
		yaml_key(t, key);
		yaml_put(t, "[]");
		return;
	}
	yaml_put(t, key);
	yaml_put(t, ":");
	for (uint32_t i = 0; i < s->size; i++) {
		const struct memprof_frame *f = &w->built.frames[s->frames[i]];

		yaml_item(t, 12);
		yaml_flow_begin(t, '{');
		yaml_flow_member(t);
		yaml_put(t, "Function: ");
		yaml_put_function(w, f->guid, true);
		yaml_flow_member(t);
		yaml_put(t, "LineOffset: ");
		yaml_put_number(t, f->line_offset);
		yaml_flow_member(t);
		yaml_put(t, "Column: ");
		yaml_put_number(t, f->column);
		yaml_flow_member(t);
		yaml_put(t, f->is_inline ? "IsInlineFrame: true" :
		    "IsInlineFrame: false");
		yaml_flow_end(t, '}');
	}
}

/* The histogram's address is written with its size; the histogram is not. */
static void
yaml_put_mib(struct yaml_text *t, const struct prof_mib *m)
{
	yaml_line(t, 8);
	if ((m->fields >> 1) == 0) {
		yaml_key(t, "MemInfoBlock");
		yaml_put(t, "{}");
		return;
	}
	yaml_put(t, "MemInfoBlock:");
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++) {
		if (!mib_has(m, i) && !(i == PROF_MIB_ACCESS_HISTOGRAM &&
		    mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE)))
			continue;
		yaml_line(t, 10);
		yaml_key(t, mib_fields[i].name);
		yaml_put_number(t, m->value[i]);
	}
}

static void
yaml_put_record(struct yaml_writer *w, const struct memprof_record *r)
{
	struct yaml_text *t = &w->text;

	yaml_item(t, 4);
	yaml_key(t, "GUID");
	yaml_put_function(w, r->guid, false);
	if (r->allocs_size != 0) {
		yaml_line(t, 4);
		yaml_put(t, "AllocSites:");
	}
	for (size_t i = 0; i < r->allocs_size; i++) {
		yaml_put_stack(w, "Callstack", r->allocs[i].stack);
		yaml_put_mib(t, r->allocs[i].info);
	}
	if (r->calls_size != 0) {
		yaml_line(t, 4);
		yaml_put(t, "CallSites:");
	}
	for (size_t i = 0; i < r->calls_size; i++) {
		const struct memprof_call *c = &r->calls[i];

		yaml_put_stack(w, "Frames", c->stack);
		if (c->callees_size == 0)
			continue;
		yaml_line(t, 8);
		yaml_key(t, "CalleeGuids");
		yaml_flow_begin(t, '[');
		for (size_t k = 0; k < c->callees_size; k++) {
			yaml_flow_member(t);
			yaml_put_function(w, c->callees[k], true);
		}
		yaml_flow_end(t, ']');
	}
}

/* Writes the text so far to the sink, so that it need not be in memory. */
static enum prof_status
yaml_flush(struct yaml_writer *w, struct prof_error *err)
{
	struct yaml_text *t = &w->text;
	enum prof_status status = t->out.failed ? err_memory(err) :
	    sink_write(&w->base, t->out.data, t->out.size, err);

	t->out.size = t->line = 0;
	return status;
}

static void
yaml_warn_losses(const struct yaml_writer *w)
{
	if (w->others != 0)
		warn_lost(w->base.context, "YAML cannot hold other records "
		    "than those of heap profiles: dropped %llu",
		    (unsigned long long)w->others);
	if (w->has_sources)
		warn_lost(w->base.context, "YAML does not support source "
		    "files: they are dropped");
	if (w->built.histograms != 0)
		warn_lost(w->base.context, "YAML cannot hold access "
		    "histograms: dropped %llu",
		    (unsigned long long)w->built.histograms);
	if (w->salvaged)
		warn_lost(w->base.context, "YAML cannot say that a profile "
		    "was salvaged");
}

static enum prof_status
yaml_write_finish(struct prof_writer *base, struct prof_error *err)
{
	struct yaml_writer *w = (struct yaml_writer *)base;
	const struct memprof_built *b = &w->built;
	struct yaml_text *t = &w->text;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (yaml_name_stacks(w, err) != PROF_OK ||
	    memprof_build_finish(w->build, &w->built, err) != PROF_OK)
		return PROF_FAIL;
	memprof_losses_warn(base->context, &b->losses);
	if (yaml_check_data(b, err) != PROF_OK)
		return PROF_FAIL;
	yaml_warn_losses(w);
	if (!yaml_write_summary(t, b))
		return err_memory(err);
	if (b->records_size + b->accesses_size + b->cold_size == 0)
		yaml_put(t, "\n{}");
	if (b->records_size != 0) {
		yaml_line(t, 0);
		yaml_put(t, "HeapProfileRecords:");
	}
	for (uint32_t i = 0; i < b->records_size; i++) {
		yaml_put_record(w, &b->records[i]);
		if ((t->out.size >= FLUSH_SIZE || t->out.failed) &&
		    yaml_flush(w, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (!yaml_write_data(t, b, &w->arena))
		return err_memory(err);
	yaml_put(t, "\n...\n");
	return yaml_flush(w, err);
}

static void
yaml_write_free(struct prof_writer *base)
{
	struct yaml_writer *w = (struct yaml_writer *)base;

	memprof_build_free(w->build);
	intern_free(&w->texts);
	free(w->guids);
	free(w->named);
	symtab_free(&w->names);
	arena_free(&w->arena);
	buf_free(&w->text.out);
}

static const struct writer_ops yaml_write_ops = {
	.size = sizeof(struct yaml_writer),
	.heap_only = true,
	.put = yaml_write_put,
	.finish = yaml_write_finish,
	.free = yaml_write_free,
};

struct prof_writer *
yaml_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct yaml_writer *w = codec_writer_new(&yaml_write_ops, context,
	    sink, arg, err);

	(void)t;
	if (w == NULL)
		return NULL;
	w->build = memprof_build_new();
	if (w->build == NULL) {
		prof_writer_free(&w->base);
		err_memory(err);
		return NULL;
	}
	return &w->base;
}
