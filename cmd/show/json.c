/*
 * prof-show --json: one object a line; numbers and names as in prof-stream(5).
 */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/json_members.h"
#include "cmd/print/profile_json.h"
#include "cmd/show/show.h"

static void
show_json_summary(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct figures *g,
    const struct heap_figures *heap, const struct summary_entry *entries,
    const struct buf *ids)
{
	const struct profile_figures p = { h, g, heap, entries, ids };

	(void)style;
	profile_json_summary(b, &p);
	json_text_plain(b, "\n");
}

static void
show_json_function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f, double share)
{
	(void)share;
	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	profile_json_function(b, f, (style->counts ? PROFILE_COUNTS : 0U) |
	    (style->values ? PROFILE_VALUES : 0U) |
	    (style->demangle ? PROFILE_DEMANGLED : 0U));
	json_text_plain(b, "}\n");
}

static void
show_json_heading(struct buf *b, const struct show_style *style,
    const struct prof_header *h)
{
	(void)b;
	(void)style;
	(void)h;
}

const struct show_face show_json = { show_json_heading, show_json_function,
    show_json_summary };
