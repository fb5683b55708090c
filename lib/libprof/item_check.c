/* Items of the caller: whether a reader could have returned them. */
#include <string.h>

#include "base/error.h"
#include "libprof/private.h"

/* Writes a stream of the record, which may be that of the profile, alone. */
static enum prof_status
item_write_alone(const struct prof_record *r, struct buf *text,
    struct prof_error *err)
{
	const struct prof_target stream = { .format = "stream" };
	const struct prof_record head = { .kind = PROF_REC_PROFILE,
	    .u.profile = { .kind = PROF_MIXED, .level = PROF_LEVEL_IR } };
	const struct prof_record end = { .kind = PROF_REC_END };
	struct prof_writer *w = prof_writer_new(NULL, &stream, buf_sink,
	    text, err);
	enum prof_status status = w == NULL ? PROF_FAIL : PROF_OK;

	if (status == PROF_OK && r->kind != PROF_REC_PROFILE)
		status = prof_put(w, &head, err);
	if (status == PROF_OK)
		status = prof_put(w, r, err);
	if (status == PROF_OK)
		status = prof_put(w, &end, err);
	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	return status;
}

/* The text of unknown members that a record has, if it can have any. */
static struct prof_span
item_extra(const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_PROFILE:
		return r->u.profile.extra;
	case PROF_REC_FUNCTION:
		return r->u.function.extra;
	default:
		return (struct prof_span){ NULL, 0 };
	}
}

/* Whether a stream has that record and no other one. */
static bool
item_is_alone(const struct buf *text, const struct prof_record *r,
    struct prof_error *why)
{
	const size_t records = r->kind == PROF_REC_PROFILE ? 2 : 3;
	struct prof_reader *in = prof_open(NULL, buf_span(text), why);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record back;
	bool same = true;
	size_t n = 0;

	while (status == PROF_OK) {
		status = prof_next(in, &back, why);
		if (status == PROF_OK && ++n + 1 == records)
			same = back.kind == r->kind && prof_span_equal(
			    item_extra(&back), item_extra(r));
	}
	prof_close(in);
	if (status == PROF_END && (!same || n != records))
		err_set(why, PROF_E_USE, "its unknown members are not members "
		    "of JSON");
	return status == PROF_END && same && n == records;
}

/* Whether a symbol is one: a stream has its name, or else its guid. */
static bool
item_symbol_is_one(const struct prof_symbol *s)
{
	return s->name.size == 0 || s->guid == 0 ||
	    s->guid == prof_guid(s->name);
}

static bool
item_symbols_are_one(const struct prof_record *r)
{
	const struct prof_trace *t = &r->u.trace;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
		return item_symbol_is_one(&r->u.function.symbol);
	case PROF_REC_VTABLE:
		return item_symbol_is_one(&r->u.vtable.symbol);
	case PROF_REC_TRACE:
		for (size_t i = 0; i < t->size; i++) {
			if (!item_symbol_is_one(&t->functions[i]))
				return false;
		}
		return true;
	default:
		return true;
	}
}

/* Whether a reader could return the item; readers' own items pass. */
static enum prof_status
item_check_content(const struct prof_item *item, struct prof_error *err)
{
	const struct prof_record *r = item_record(item);
	struct prof_error why = { 0 };
	struct buf text = { 0 };
	bool good, lacks_memory;

	if (item->own == NULL || r == NULL || r->kind == PROF_REC_END)
		return PROF_OK;
	if (!item_symbols_are_one(r))
		return err_set(err, PROF_E_USE, "no profile has such an item: "
		    "its guid is not that of its name");
	good = item_write_alone(r, &text, &why) == PROF_OK &&
	    item_is_alone(&text, r, &why);
	/* The writer tells of its sink only that it has failed. */
	lacks_memory = text.failed;
	buf_free(&text);
	if (good)
		return PROF_OK;
	if (lacks_memory)
		return err_memory(err);
	return err_is_lack(why.code) ? err_repeat(err, &why) :
	    err_set(err, PROF_E_USE, "no profile has such an item: %s",
	    why.reason);
}

/* The reason why an item of that kind may not follow; NULL if it may. */
static const char *
item_follow(struct item_order *order, enum prof_item_kind kind)
{
	bool begins = kind == PROF_ITEM_PROFILE;

	if (kind >= PROF_ITEM_SITE)
		return "a part of an item is put, not an item";
	if (begins && order->inside)
		return "a profile begins before the one before it has ended";
	if (!begins && !order->inside)
		return "an item is outside a profile";
	order->inside = kind != PROF_ITEM_END;
	order->ended = !order->inside;
	return NULL;
}

enum prof_status
item_check(struct item_order *order, const struct prof_item *item,
    struct prof_error *err)
{
	const char *misuse;

	if (item_check_content(item, err) != PROF_OK)
		return PROF_FAIL;
	misuse = item_follow(order, item->kind);
	return misuse == NULL ? PROF_OK :
	    err_set(err, PROF_E_USE, "%s", misuse);
}
