/*
 * prof-show --heap --json: one object a line; numbers, names and frames as in
 * prof-stream(5).
 */
#include "config.h"

#include "base/jtext.h"
#include "base/mib.h"
#include "show_heap.h"
#include "show_keys.h"

static const char *const classes[HEAP_CLASSES] = {
	[HEAP_COLD] = "cold", [HEAP_WARM] = "warm", [HEAP_HOT] = "hot",
	[HEAP_UNKNOWN] = "unknown",
};

static void
start(const struct show_heap *s, const char *what)
{
	jtext_plain(s->text, "{");
	show_string(s->text, "heap", what);
	show_key(s->text, "source");
	jtext_plain(s->text, "{");
	show_source_keys(s->text, &s->header->source);
	jtext_plain(s->text, "}");
}

static void
put_values(struct buf *b, const struct heap_figures *g)
{
	static const char *const keys[HEAP_VALUES] = {
		[HEAP_BYTES] = "bytes", [HEAP_COUNT] = "count",
		[HEAP_LIFETIME] = "lifetime", [HEAP_ACCESSES] = "accesses",
	};

	for (int i = 0; i < HEAP_VALUES; i++) {
		if (g->known[i])
			show_number(b, keys[i], g->values[i]);
	}
	if (g->known[HEAP_LIFETIME]) {
		show_key(b, "average_lifetime");
		jtext_real(b, heap_average_lifetime(g));
	}
}

static void
put_classes(struct buf *b, const struct heap_figures *g)
{
	show_key(b, "classes");
	jtext_plain(b, "{");
	for (int i = 0; i < HEAP_CLASSES; i++) {
		show_key(b, classes[i]);
		jtext_plain(b, "{");
		show_number(b, "contexts", g->class_contexts[i]);
		show_number(b, "bytes", g->class_bytes[i]);
		show_number(b, "max_bytes", g->class_max[i]);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "}");
}

static void
put_figures(struct buf *b, const struct heap_figures *g)
{
	show_number(b, "contexts", g->contexts);
	put_values(b, g);
	put_classes(b, g);
}

static void
summary(const struct show_heap *s)
{
	start(s, "summary");
	show_kind_keys(s->text, s->header);
	show_number(s->text, "sites", s->sites.size);
	put_figures(s->text, &s->figures);
	show_data_keys(s->text, s->others);
	jtext_plain(s->text, "}\n");
}

static void
put_address(const struct show_heap *s, const struct heap_frame *f)
{
	struct buf *b = s->text;

	if (!f->has_address)
		return;
	if (f->module != HEAP_NO_MODULE) {
		const struct heap_module *m = &s->heap.modules[f->module];

		if (m->build_id.size != 0) {
			show_key(b, "build_id");
			jtext_hex(b, m->build_id);
		} else
			show_number(b, "segment", m->segment);
	}
	show_key(b, "address");
	jtext_id(b, f->address);
}

static void
put_function(const struct show_heap *s, const struct prof_symbol *f)
{
	struct buf plain = { 0 };

	if (f->name.size != 0)
		show_bytes(s->text, "function", "function_hex", f->name);
	if (f->guid != 0) {
		show_key(s->text, "guid");
		jtext_id(s->text, f->guid);
	}
	if (f->name.size == 0 || s->style->name == NULL)
		return;
	s->style->name(&plain, f->name);
	show_bytes(s->text, "demangled", "demangled_hex",
	    (struct prof_span){ plain.data, plain.size });
	s->text->failed |= plain.failed;
	buf_free(&plain);
}

static void
put_frame(const struct show_heap *s, uint32_t n)
{
	const struct heap_frame *frame = &s->heap.frames[n];
	const struct prof_frame *f = &frame->source;
	const struct {
		unsigned flag;
		const char *key;
		uint32_t value;
	} numbers[] = {
		{ PROF_FRAME_LINE, "line", f->line },
		{ PROF_FRAME_START_LINE, "start_line", f->start_line },
		{ PROF_FRAME_LINE_OFFSET, "line_offset", f->line_offset },
		{ PROF_FRAME_COLUMN, "column", f->column },
		{ PROF_FRAME_DISCRIMINATOR, "discriminator",
		    f->discriminator },
	};

	jtext_plain(s->text, "{");
	put_function(s, &f->function);
	if (f->file.size != 0)
		show_bytes(s->text, "file", "file_hex", f->file);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if ((f->flags & numbers[i].flag) != 0)
			show_number(s->text, numbers[i].key,
			    numbers[i].value);
	}
	if (!heap_is_source(frame))
		put_address(s, frame);
	if ((f->flags & PROF_FRAME_INLINE) != 0) {
		show_key(s->text, "inline");
		jtext_plain(s->text, "true");
	}
	jtext_plain(s->text, "}");
}

static void
put_frame_key(const struct show_heap *s, uint32_t frame)
{
	if (frame == HEAP_NO_FRAME)
		return;
	show_key(s->text, "frame");
	put_frame(s, frame);
}

static void
site(const struct show_heap *s, const struct heap_site *site)
{
	start(s, "site");
	put_frame_key(s, site->frame);
	put_figures(s->text, &site->figures);
	jtext_plain(s->text, "}\n");
}

static void
caller(const struct show_heap *s, const struct heap_caller *c, size_t level,
    bool among)
{
	(void)level;
	(void)among;
	start(s, "caller");
	show_number(s->text, "depth", c->depth);
	put_frame_key(s, c->frame);
	show_number(s->text, "contexts", c->figures.contexts);
	put_values(s->text, &c->figures);
	jtext_plain(s->text, "}\n");
}

static void
put_info(const struct show_heap *s, const struct prof_mib *m)
{
	struct buf *b = s->text;

	show_key(b, "info");
	jtext_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			show_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		show_key(b, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		jtext_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	jtext_plain(b, "}");
}

static void
context(const struct show_heap *s, const struct heap_context *c)
{
	start(s, "context");
	show_string(s->text, "class",
	    classes[heap_classify(&c->info, s->style->hot)]);
	if (s->style->stacks) {
		show_number(s->text, "site", c->site);
		show_key(s->text, "frames");
		jtext_plain(s->text, "[");
		for (size_t i = 0; i < c->size; i++) {
			jtext_plain(s->text, i == 0 ? "" : ",");
			put_frame(s, c->frames[i]);
		}
		jtext_plain(s->text, "]");
	}
	put_info(s, &c->info);
	jtext_plain(s->text, "}\n");
}

static void
others(const struct show_heap *s, const struct heap_figures *g, size_t sites)
{
	start(s, "others");
	show_number(s->text, "sites", sites);
	put_figures(s->text, g);
	jtext_plain(s->text, "}\n");
}

const struct show_heap_face show_heap_json = {
	summary, site, caller, context, others
};
