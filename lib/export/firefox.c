/*
 * The Firefox Profiler's processed format, version 60: tables whose columns are
 * arrays.  Each quantity that a context knows is a thread, in which each
 * context is a sample with a weight.  Facts:
 * docs-developer/CHANGELOG-formats.md and src/types/profile.ts of the Firefox
 * Profiler's sources, which upgrades all older versions.
 */
#include "config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "export/shared.h"
#include "ops/heap/view.h"

/* A stack is a frame below another stack, or a root. */
struct firefox_stack {
	uint32_t frame;
	size_t caller;		/* stack + 1; 0: none */
};

struct firefox {
	const struct heap *heap;
	const struct export_options *options;
	struct export_ranks names, files, functions;
	struct export_stack *samples;
	struct firefox_stack *stacks;
	size_t stacks_size, stacks_room;
	size_t *sample_stack;			/* of each: stack + 1, or 0 */
	enum heap_value by;			/* of the thread */
};

/* What a column has in each row, if not the same. */
enum firefox_cell {
	STACK_FRAME, STACK_PREFIX, FRAME_FUNCTION, FRAME_LINE, FRAME_COLUMN,
	FUNCTION_NAME, FUNCTION_SOURCE, SOURCE_FILE, SAMPLE_STACK, SAMPLE_TIME,
	SAMPLE_WEIGHT
};

struct firefox_column {
	const char *key, *same;		/* same in all rows, or NULL */
	enum firefox_cell cell;
};

/* Columns of the tables that have rows; an empty key ends them. */
static const struct firefox_column firefox_stacks[] = {
	{ "frame", NULL, STACK_FRAME },
	{ "prefix", NULL, STACK_PREFIX },
	{ 0 }
}, firefox_frames[] = {
	{ .key = "address", .same = "-1" },
	{ .key = "inlineDepth", .same = "0" },
	{ .key = "category", .same = "0" },
	{ .key = "subcategory", .same = "0" },
	{ "func", NULL, FRAME_FUNCTION },
	{ .key = "nativeSymbol", .same = "null" },
	{ .key = "innerWindowID", .same = "null" },
	{ "line", NULL, FRAME_LINE },
	{ "column", NULL, FRAME_COLUMN },
	{ 0 }
}, firefox_functions[] = {
	{ "name", NULL, FUNCTION_NAME },
	{ .key = "isJS", .same = "false" },
	{ .key = "relevantForJS", .same = "false" },
	{ .key = "resource", .same = "-1" },
	{ "source", NULL, FUNCTION_SOURCE },
	{ .key = "lineNumber", .same = "null" },
	{ .key = "columnNumber", .same = "null" },
	{ 0 }
}, firefox_sources[] = {
	{ .key = "uuid", .same = "null" },
	{ "filename", NULL, SOURCE_FILE },
	{ 0 }
}, firefox_samples[] = {
	{ "stack", NULL, SAMPLE_STACK },
	{ "time", NULL, SAMPLE_TIME },
	{ "weight", NULL, SAMPLE_WEIGHT },
	{ 0 }
};

static void
firefox_put_cell(struct buf *b, const struct firefox *f, enum firefox_cell cell,
    size_t row)
{
	const struct heap_frame *frames = f->heap->frames;
	uint64_t n = row;
	bool known = true;
	uint32_t line;

	switch (cell) {
	case STACK_FRAME:
		n = f->stacks[row].frame;
		break;
	case STACK_PREFIX:
		known = f->stacks[row].caller != 0;
		n = f->stacks[row].caller - 1;
		break;
	case FRAME_FUNCTION:
		n = f->functions.rank[row];
		break;
	case FRAME_LINE:
		known = heap_frame_line(&frames[row].source, &line) !=
		    HEAP_LINE_UNKNOWN;
		n = line;
		break;
	case FRAME_COLUMN:
		known = (frames[row].source.flags & PROF_FRAME_COLUMN) != 0;
		n = frames[row].source.column;
		break;
	/* Strings are the names of functions, and then those of files. */
	case FUNCTION_NAME:
		n = f->names.rank[f->functions.frame[row]];
		break;
	case FUNCTION_SOURCE:
		n = f->functions.frame[row];
		known = frames[n].source.file.size != 0;
		n = f->files.rank[n];
		break;
	case SOURCE_FILE:
		n = f->names.size + row;
		break;
	case SAMPLE_STACK:
		known = f->sample_stack[row] != 0;
		n = f->sample_stack[row] - 1;
		break;
	case SAMPLE_TIME:
		break;
	case SAMPLE_WEIGHT:
		n = f->samples[row].context->info.value[heap_fields[f->by]];
		break;
	}
	if (known)
		digits_append(b, n);
	else
		buf_text(b, "null");
}

/* Appends the columns and the number of rows. */
static void
firefox_put_columns(struct buf *b, const struct firefox *f,
    const struct firefox_column *c, size_t rows)
{
	for (; c->key != NULL; c++) {
		buf_print(b, "\"%s\":[", c->key);
		for (size_t i = 0; i < rows; i++) {
			if (i != 0)
				buf_u8(b, ',');
			if (c->same == NULL)
				firefox_put_cell(b, f, c->cell, i);
			else
				buf_text(b, c->same);
		}
		buf_text(b, "],\n");
	}
	buf_print(b, "\"length\":%zu}", rows);
}

/* Makes the stacks: each sample adds those that the one before lacks. */
static bool
firefox_add_stacks(struct firefox *f)
{
	const size_t n = f->heap->contexts_size;
	size_t before = 0, top = 0, i;

	f->sample_stack = calloc(n + 1, sizeof(*f->sample_stack));
	for (size_t k = 0; k < n && f->sample_stack != NULL; k++) {
		const struct export_stack *s = &f->samples[k];
		size_t depth = export_stack_depth(s);

		for (i = 0; i < depth && i < before; i++) {
			if (export_stack_frame(s, i) !=
			    export_stack_frame(s - 1, i))
				break;
		}
		/* From the stack of the sample before to what both share. */
		for (; before > i; before--)
			top = f->stacks[top - 1].caller;
		for (; before < depth; before++) {
			if (!ARRAY_ADD(f->stacks, f->stacks_size,
			    f->stacks_room, (struct firefox_stack){
			    export_stack_frame(s, before), top }))
				return false;
			top = f->stacks_size;
		}
		f->sample_stack[k] = top;
	}
	return f->sample_stack != NULL;
}

static void
firefox_put_shared(struct buf *b, const struct firefox *f)
{
	const struct export_ranks *strings[] = { &f->names, &f->files };

	buf_text(b, "\"shared\":{\"stringArray\":[\n");
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < strings[k]->size; i++) {
			json_text_string(b, strings[k]->text[i]);
			buf_text(b, ",\n");
		}
	}
	buf_text(b, "\"\"],\n\"stackTable\":{");
	firefox_put_columns(b, f, firefox_stacks, f->stacks_size);
	buf_text(b, ",\n\"frameTable\":{");
	firefox_put_columns(b, f, firefox_frames, f->heap->frames_size);
	buf_text(b, ",\n\"funcTable\":{");
	firefox_put_columns(b, f, firefox_functions, f->functions.size);
	buf_text(b, ",\n\"resourceTable\":{\"lib\":[],\n\"name\":[],\n"
	    "\"host\":[],\n\"type\":[],\n\"length\":0},\n"
	    "\"nativeSymbols\":{\"libIndex\":[],\n\"address\":[],\n"
	    "\"name\":[],\n\"functionSize\":[],\n\"length\":0},\n"
	    "\"sources\":{");
	firefox_put_columns(b, f, firefox_sources, f->files.size);
	buf_text(b, "},\n");
}

static void
firefox_put(struct buf *b, struct firefox *f)
{
	struct heap_figures figures = heap_figures_of(f->heap, true);
	const enum heap_value by = f->options->by;
	size_t number = 0;

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
	buf_text(b, "\"threads\":[\n");
	/* The thread of the weight that was asked for comes first. */
	for (int v = -1; v < HEAP_VALUES; v++) {
		f->by = v < 0 ? by : (enum heap_value)v;
		if (v >= 0 && (f->by == by || !figures.known[v]))
			continue;
		buf_print(b, "%s{\"name\":\"%s\",\"isMainThread\":%s,"
		    "\"processType\":\"default\",\"processName\":\"heap\","
		    "\"processStartupTime\":0,\"processShutdownTime\":null,"
		    "\"registerTime\":0,\"unregisterTime\":null,"
		    "\"pausedRanges\":[],\"pid\":\"0\",\"tid\":%zu,\n"
		    "\"samples\":{\"weightType\":\"%s\",\n",
		    v < 0 ? "" : ",\n", export_values[f->by].title,
		    v < 0 ? "true" : "false", number++,
		    export_values[f->by].weight);
		firefox_put_columns(b, f, firefox_samples,
		    f->heap->contexts_size);
		buf_text(b, ",\n\"markers\":{\"data\":[],\n\"name\":[],\n"
		    "\"startTime\":[],\n\"endTime\":[],\n\"phase\":[],\n"
		    "\"category\":[],\n\"length\":0}}");
	}
	buf_text(b, "]}\n");
}

enum prof_status
export_firefox(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct firefox f = { .heap = h, .options = o };
	bool done = export_ranks_make(&f.names, h, NULL, EXPORT_NAME, o) &&
	    export_ranks_make(&f.files, h, NULL, EXPORT_FILE, o) &&
	    export_ranks_make(&f.functions, h, NULL, EXPORT_FUNCTION, o) &&
	    (f.samples = export_stacks(h, NULL, NULL)) != NULL &&
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
