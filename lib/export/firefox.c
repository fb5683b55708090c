/*
 * The Firefox Profiler's processed format, version 60: tables whose columns are
 * arrays.  Each quantity that a context knows is a thread, in which each
 * context is a sample with a weight.  Facts:
 * docs-developer/CHANGELOG-formats.md and src/types/profile.ts of the Firefox
 * Profiler's sources, which upgrades all older versions.
 */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/error.h"
#include "base/json_text.h"
#include "export/ranks.h"
#include "export/text.h"
#include "model/mib.h"

/* A stack is a frame below another stack, or a root. */
struct firefox_stack {
	uint32_t frame;
	size_t caller;		/* stack + 1; 0: none */
};

struct firefox {
	const struct heap *heap;
	const struct export_options *options;
	struct export_ranks names, files;
	struct export_ranks functions;		/* by name and file */
	struct export_stack *samples;
	struct firefox_stack *stacks;
	size_t stacks_size, stacks_room;
	size_t *sample_stack;			/* of each: stack + 1, or 0 */
	enum heap_value by;			/* of the thread */
};

/* A column: the same text in all rows, or a function of the row. */
struct firefox_column {
	const char *key, *same;
	void (*put)(struct buf *, const struct firefox *, size_t row);
};

struct firefox_table {
	const char *key;
	struct firefox_column columns[10];
};

static void
firefox_put_columns(struct buf *b, const struct firefox *f,
    const struct firefox_column *c, size_t rows)
{
	for (; c->key != NULL; c++) {
		buf_print(b, "\"%s\":[", c->key);
		for (size_t i = 0; i < rows; i++) {
			if (i != 0)
				buf_u8(b, ',');
			if (c->put != NULL)
				c->put(b, f, i);
			else
				buf_text(b, c->same);
		}
		buf_text(b, "],\n");
	}
}

static void
firefox_put_table(struct buf *b, const struct firefox *f,
    const struct firefox_table *t, size_t rows)
{
	buf_print(b, "\"%s\":{", t->key);
	firefox_put_columns(b, f, t->columns, rows);
	buf_print(b, "\"length\":%zu}", rows);
}

/* An index that is stored plus 1, so that 0 is none. */
static void
firefox_put_index(struct buf *b, size_t index)
{
	if (index == 0)
		buf_text(b, "null");
	else
		digits_append(b, index - 1);
}

static void
firefox_put_stack_frame(struct buf *b, const struct firefox *f, size_t row)
{
	digits_append(b, f->stacks[row].frame);
}

static void
firefox_put_caller(struct buf *b, const struct firefox *f, size_t row)
{
	firefox_put_index(b, f->stacks[row].caller);
}

static void
firefox_put_function(struct buf *b, const struct firefox *f, size_t row)
{
	digits_append(b, f->functions.rank[row]);
}

static void
firefox_put_line(struct buf *b, const struct firefox *f, size_t row)
{
	uint32_t line;

	if (heap_frame_line(&f->heap->frames[row].source, &line) ==
	    HEAP_LINE_UNKNOWN)
		buf_text(b, "null");
	else
		digits_append(b, line);
}

static void
firefox_put_column(struct buf *b, const struct firefox *f, size_t row)
{
	const struct prof_frame *frame = &f->heap->frames[row].source;

	if ((frame->flags & PROF_FRAME_COLUMN) == 0)
		buf_text(b, "null");
	else
		digits_append(b, frame->column);
}

/* Strings are the names of functions, and those of files behind them. */
static void
firefox_put_function_name(struct buf *b, const struct firefox *f, size_t row)
{
	digits_append(b, f->names.rank[f->functions.frame[row]]);
}

static void
firefox_put_source(struct buf *b, const struct firefox *f, size_t row)
{
	uint32_t frame = f->functions.frame[row];

	firefox_put_index(b, f->heap->frames[frame].source.file.size == 0 ? 0 :
	    (size_t)f->files.rank[frame] + 1);
}

static void
firefox_put_file_name(struct buf *b, const struct firefox *f, size_t row)
{
	digits_append(b, f->names.size + row);
}

static void
firefox_put_sample_stack(struct buf *b, const struct firefox *f, size_t row)
{
	firefox_put_index(b, f->sample_stack[row]);
}

static void
firefox_put_time(struct buf *b, const struct firefox *f, size_t row)
{
	(void)f;
	digits_append(b, row);
}

static void
firefox_put_weight(struct buf *b, const struct firefox *f, size_t row)
{
	digits_append(b, f->samples[row].context->info.value[
	    heap_fields[f->by]]);
}

static const struct firefox_table firefox_stacks = { "stackTable", {
	{ "frame", NULL, firefox_put_stack_frame },
	{ "prefix", NULL, firefox_put_caller },
	{ 0 } } };
static const struct firefox_table firefox_frames = { "frameTable", {
	{ "address", "-1", NULL },
	{ "inlineDepth", "0", NULL },
	{ "category", "0", NULL },
	{ "subcategory", "0", NULL },
	{ "func", NULL, firefox_put_function },
	{ "nativeSymbol", "null", NULL },
	{ "innerWindowID", "null", NULL },
	{ "line", NULL, firefox_put_line },
	{ "column", NULL, firefox_put_column },
	{ 0 } } };
static const struct firefox_table firefox_functions = { "funcTable", {
	{ "name", NULL, firefox_put_function_name },
	{ "isJS", "false", NULL },
	{ "relevantForJS", "false", NULL },
	{ "resource", "-1", NULL },
	{ "source", NULL, firefox_put_source },
	{ "lineNumber", "null", NULL },
	{ "columnNumber", "null", NULL },
	{ 0 } } };
static const struct firefox_table firefox_resources = { "resourceTable", {
	{ .key = "lib" }, { .key = "name" }, { .key = "host" },
	{ .key = "type" }, { 0 } } };
static const struct firefox_table firefox_symbols = { "nativeSymbols", {
	{ .key = "libIndex" }, { .key = "address" }, { .key = "name" },
	{ .key = "functionSize" }, { 0 } } };
static const struct firefox_table firefox_sources = { "sources", {
	{ "uuid", "null", NULL },
	{ "filename", NULL, firefox_put_file_name },
	{ 0 } } };
static const struct firefox_table firefox_samples = { "samples", {
	{ "stack", NULL, firefox_put_sample_stack },
	{ "time", NULL, firefox_put_time },
	{ "weight", NULL, firefox_put_weight },
	{ 0 } } };
static const struct firefox_table firefox_markers = { "markers", {
	{ .key = "data" }, { .key = "name" }, { .key = "startTime" },
	{ .key = "endTime" }, { .key = "phase" }, { .key = "category" },
	{ 0 } } };

static void
firefox_key_file(struct buf *b, const struct heap *h, uint32_t frame,
    const struct export_options *o)
{
	(void)o;
	export_text(b, h->frames[frame].source.file);
}

static void
firefox_key_function(struct buf *b, const struct heap *h, uint32_t frame,
    const struct export_options *o)
{
	export_key_name(b, h, frame, o);
	buf_u8(b, '\0');
	firefox_key_file(b, h, frame, o);
}

/*
 * Adds the stacks of a sample that the one before does not share.  The path has
 * the stacks (+ 1) of the frames of both.
 */
static bool
firefox_add_stack(struct firefox *f, size_t sample, size_t *path)
{
	const struct export_stack *s = &f->samples[sample];
	size_t depth = export_stack_depth(s), before = sample == 0 ? 0 :
	    export_stack_depth(s - 1), i = 0;

	while (i < depth && i < before &&
	    export_stack_frame(s, i) == export_stack_frame(s - 1, i))
		i++;
	for (; i < depth; i++) {
		if (!ARRAY_ADD(f->stacks, f->stacks_size, f->stacks_room,
		    (struct firefox_stack){ export_stack_frame(s, i),
		    i == 0 ? 0 : path[i - 1] }))
			return false;
		path[i] = f->stacks_size;
	}
	f->sample_stack[sample] = depth == 0 ? 0 : path[depth - 1];
	return true;
}

static bool
firefox_add_stacks(struct firefox *f)
{
	const size_t n = f->heap->contexts_size;
	size_t deepest = 0, *path;
	bool done = true;

	for (size_t i = 0; i < n; i++) {
		if (deepest < export_stack_depth(&f->samples[i]))
			deepest = export_stack_depth(&f->samples[i]);
	}
	path = calloc(deepest + 1, sizeof(*path));
	f->sample_stack = calloc(n + 1, sizeof(*f->sample_stack));
	done = path != NULL && f->sample_stack != NULL;
	for (size_t i = 0; i < n && done; i++)
		done = firefox_add_stack(f, i, path);
	free(path);
	return done;
}

static void
firefox_put_strings(struct buf *b, const struct export_ranks *r)
{
	for (size_t i = 0; i < r->size; i++) {
		json_text_string(b, export_ranks_text(r, i));
		buf_text(b, ",\n");
	}
}

static void
firefox_put_shared(struct buf *b, const struct firefox *f)
{
	const struct {
		const struct firefox_table *table;
		size_t rows;
	} tables[] = {
		{ &firefox_stacks, f->stacks_size },
		{ &firefox_frames, f->heap->frames_size },
		{ &firefox_functions, f->functions.size },
		{ &firefox_resources, 0 },
		{ &firefox_symbols, 0 },
		{ &firefox_sources, f->files.size },
	};

	buf_text(b, "\"shared\":{\"stringArray\":[\n");
	firefox_put_strings(b, &f->names);
	firefox_put_strings(b, &f->files);
	buf_text(b, "\"\"]");
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		buf_text(b, ",\n");
		firefox_put_table(b, f, tables[i].table, tables[i].rows);
	}
	buf_text(b, "},\n");
}

static void
firefox_put_thread(struct buf *b, struct firefox *f, size_t number)
{
	const struct export_value *v = &export_values[f->by];
	const size_t n = f->heap->contexts_size;

	buf_print(b, "%s{\"name\":\"%s\",\"isMainThread\":%s,"
	    "\"processType\":\"default\",\"processName\":\"heap\","
	    "\"processStartupTime\":0,\"processShutdownTime\":null,"
	    "\"registerTime\":0,\"unregisterTime\":null,"
	    "\"pausedRanges\":[],\"pid\":\"0\",\"tid\":%zu,\n"
	    "\"samples\":{\"weightType\":\"%s\",\n", number == 0 ? "" : ",\n",
	    v->title, number == 0 ? "true" : "false", number, v->weight);
	firefox_put_columns(b, f, firefox_samples.columns, n);
	buf_print(b, "\"length\":%zu},\n", n);
	firefox_put_table(b, f, &firefox_markers, 0);
	buf_text(b, "}");
}

static bool
firefox_is_known(const struct heap *h, enum heap_value v)
{
	for (size_t i = 0; i < h->contexts_size; i++) {
		if (mib_has(&h->contexts[i].info, heap_fields[v]))
			return true;
	}
	return false;
}

/* The thread of the weight that was asked for comes first. */
static void
firefox_put_threads(struct buf *b, struct firefox *f)
{
	size_t number = 0;

	buf_text(b, "\"threads\":[\n");
	f->by = f->options->by;
	firefox_put_thread(b, f, number++);
	for (int v = 0; v < HEAP_VALUES; v++) {
		f->by = (enum heap_value)v;
		if (f->by != f->options->by && firefox_is_known(f->heap, f->by))
			firefox_put_thread(b, f, number++);
	}
	buf_text(b, "]}\n");
}

static void
firefox_put(struct buf *b, struct firefox *f)
{
	buf_text(b, "{\"meta\":{\"preprocessedProfileVersion\":60,"
	    "\"version\":33,\"product\":\"heap profile\","
	    "\"importedFrom\":\"" PACKAGE_STRING "\",\"interval\":1,"
	    "\"startTime\":0,\"processType\":0,\"stackwalk\":1,"
	    "\"symbolicated\":true,\"symbolicationNotSupported\":true,"
	    "\"usesOnlyOneStackType\":true,"
	    "\"sourceCodeIsNotOnSearchfox\":true,"
	    "\"keepProfileThreadOrder\":true,"
	    "\"initialSelectedThreads\":[0],\"markerSchema\":[],\n"
	    "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	    "\"subcategories\":[\"Other\"]}]},\n\"libs\":[],\n");
	firefox_put_shared(b, f);
	firefox_put_threads(b, f);
}

enum prof_status
export_firefox(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct firefox f = { .heap = h, .options = o };
	bool done = export_ranks_make(&f.names, h, export_key_name, o) &&
	    export_ranks_make(&f.files, h, firefox_key_file, o) &&
	    export_ranks_make(&f.functions, h, firefox_key_function, o) &&
	    (f.samples = export_stacks(h, NULL)) != NULL &&
	    firefox_add_stacks(&f);

	if (done)
		firefox_put(b, &f);
	export_ranks_free(&f.names);
	export_ranks_free(&f.files);
	export_ranks_free(&f.functions);
	free(f.samples);
	free(f.stacks);
	free(f.sample_stack);
	return !done || b->failed ? err_memory(err) : PROF_OK;
}
