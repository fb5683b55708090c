/* Contexts: options of readers, caches shared by inputs, and warnings. */
#include <stdarg.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/codec.h"
#include "format/context_cache.h"
#include "format/stream/block.h"

struct prof_context *
prof_context_new(prof_warn *warn, void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->warn = warn;
	c->arg = arg;
	c->cache = context_cache_new();
	if (c->cache != NULL)
		return c;
	free(c);
	return NULL;
}

struct prof_context *
prof_context_share(const struct prof_context *other, prof_warn *warn,
    void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	*c = *other;
	/* The input that the other context is reading is none of this one's. */
	c->salvaged = false;
	c->broken_rule = STREAM_RULE_NONE;
	c->origin = c->part = 0;
	c->guids = (struct guid_cache){ 0 };
	c->stream = NULL;
	c->warn = warn;
	c->arg = arg;
	c->cache = context_cache_retain(other->cache);
	return c;
}

void
prof_context_clear_cache(struct prof_context *c)
{
	context_cache_clear(c->cache);
	stream_blocks_forget(c);
	guid_cache_free(&c->guids);
}

void
prof_context_on_consumed(struct prof_context *c, prof_consumed *consumed,
    void *arg)
{
	c->consumed = consumed;
	c->consumed_arg = arg;
}

void
prof_context_blocks(struct prof_context *c)
{
	c->blocks = true;
}

void
prof_context_pairs(struct prof_context *c)
{
	c->pairs = true;
}

void
prof_context_frame_numbers(struct prof_context *c)
{
	c->frame_numbers = true;
}

void
prof_context_without_targets(struct prof_context *c)
{
	c->without_targets = true;
}

void
prof_context_llvm_text(struct prof_context *c)
{
	c->llvm_text = true;
}

void
prof_context_salvage(struct prof_context *c, bool salvage)
{
	c->salvage = salvage;
}

bool
prof_context_salvaged(const struct prof_context *c)
{
	return c->salvaged;
}

void
prof_context_free(struct prof_context *c)
{
	if (c == NULL)
		return;
	context_cache_release(c->cache);
	guid_cache_free(&c->guids);
	stream_blocks_forget(c);
	free(c);
}

void
prof_context_part(struct prof_context *c, uint64_t ordinal)
{
	c->part = ordinal;
}

void
prof_context_thorough(struct prof_context *c, bool thorough)
{
	c->thorough = thorough;
}

void
context_break_rule(struct prof_context *c, enum stream_rule rule)
{
	if (c != NULL)
		c->broken_rule = rule;
}

enum stream_rule
context_broken_rule(const struct prof_context *c)
{
	return c->broken_rule;
}

static void
context_warn(struct prof_context *c, struct prof_error e, const char *format,
    va_list ap)
{
	if (c != NULL)
		err_report(c->warn, c->arg, e, format, ap);
}

static uint64_t
context_place(const struct prof_context *c, uint64_t offset)
{
	return c == NULL ? offset : c->origin + offset;
}

void
warn_at(struct prof_context *c, uint64_t offset, const char *format, ...)
{
	struct prof_error e = { .where = PROF_AT_BYTE,
	    .offset = context_place(c, offset) };
	va_list ap;

	va_start(ap, format);
	context_warn(c, e, format, ap);
	va_end(ap);
}

void
warn_line(struct prof_context *c, uint64_t line, const char *format, ...)
{
	struct prof_error e = { .where = PROF_AT_LINE, .offset = line };
	va_list ap;

	va_start(ap, format);
	context_warn(c, e, format, ap);
	va_end(ap);
}

void
warn_set(struct prof_context *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	context_warn(c, (struct prof_error){ 0 }, format, ap);
	va_end(ap);
}

void
warn_lost_at(struct prof_context *c, uint64_t offset, const char *format, ...)
{
	struct prof_error e = { .code = PROF_E_UNSUPPORTED,
	    .where = PROF_AT_BYTE, .offset = context_place(c, offset) };
	va_list ap;

	va_start(ap, format);
	context_warn(c, e, format, ap);
	va_end(ap);
}

void
warn_lost(struct prof_context *c, const char *format, ...)
{
	struct prof_error e = { .code = PROF_E_UNSUPPORTED };
	va_list ap;

	va_start(ap, format);
	context_warn(c, e, format, ap);
	va_end(ap);
}
