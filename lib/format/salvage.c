/*
 * Damaged images, read as far as they are whole.
 *
 * An image is read once to see whether there is any damage; one without is read
 * as ever.  Of the others some codecs mend an image (salvage.h).  What is
 * written piece by piece, as streams and texts are, is given up to the damage.
 */
#include "format/salvage.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

struct salvager {
	struct prof_reader base;
	struct prof_reader *inner;
	struct repaired repaired;		/* what inner reads, if anything */
	/* Without: profiles that are whole, and records behind them. */
	uint64_t whole, rest;
	uint64_t contents;		/* records but heads and ends */
	uint64_t profile, record;	/* where we are */
};

bool
repaired_begin(struct repaired *m, uint64_t from, bool damaged)
{
	struct repaired_part *p =
	    array_room(m->parts, m->count, &m->room, sizeof(*p));

	if (p == NULL)
		return false;
	m->parts = p;
	buf_pad8(&m->image);
	p[m->count++] = (struct repaired_part){ m->image.size, from, damaged };
	return true;
}

void
repaired_free(struct repaired *m)
{
	buf_free(&m->image);
	free(m->parts);
}

/* Counts what an image gives before it fails, or ends. */
static enum prof_status
survey(struct salvager *s, codec_open *open, struct prof_span image,
    struct prof_error *why)
{
	struct prof_reader *r = open(NULL, image, why);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL && (status = prof_next(r, &record, why)) == PROF_OK) {
		s->rest++;
		s->contents += record.kind != PROF_REC_PROFILE &&
		    record.kind != PROF_REC_END;
		if (record.kind == PROF_REC_END) {
			s->whole++;
			s->rest = 0;
		}
	}
	prof_close(r);
	return status;
}

/* The part that begins there, or the first. */
static const struct repaired_part *
part_at(const struct repaired *m, uint64_t at)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->parts[i].at == at)
			return &m->parts[i];
	}
	return &m->parts[0];
}

/* Of dumps that may make one profile, one says it for all. */
static bool
any_damaged(const struct repaired *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->parts[i].damaged)
			return true;
	}
	return false;
}

static enum prof_status
next_mended(struct salvager *s, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = prof_next(s->inner, out, err);
	struct prof_header *h = &out->u.profile;
	const struct repaired_part *part;

	if (status != PROF_OK || out->kind != PROF_REC_PROFILE)
		return status;
	part = part_at(&s->repaired, h->source.offset);
	h->source.offset = part->from;
	if (part->damaged ||
	    (h->kind != PROF_INSTR && any_damaged(&s->repaired)))
		h->flags |= PROF_SALVAGED;
	return PROF_OK;
}

static enum prof_status
next_of_prefix(struct salvager *s, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status;

	if (s->profile == s->whole && s->record == s->rest) {
		if (s->rest == 0)
			return PROF_END;
		s->rest = s->record = 0;
		out->kind = PROF_REC_END;
		return PROF_OK;
	}
	status = prof_next(s->inner, out, err);
	if (status != PROF_OK)
		return status;
	s->record++;
	/* Behind the last whole one there may have been another. */
	if (out->kind == PROF_REC_PROFILE && (s->profile == s->whole ||
	    (s->rest == 0 && s->profile + 1 == s->whole)))
		out->u.profile.flags |= PROF_SALVAGED;
	if (out->kind == PROF_REC_END) {
		s->profile++;
		s->record = 0;
	}
	return PROF_OK;
}

static enum prof_status
salvager_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct salvager *s = (struct salvager *)base;

	return s->repaired.count != 0 ? next_mended(s, out, err) :
	    next_of_prefix(s, out, err);
}

static void
salvager_close(struct prof_reader *base)
{
	struct salvager *s = (struct salvager *)base;

	prof_close(s->inner);
	repaired_free(&s->repaired);
	free(s);
}

static const struct reader_ops salvager_ops = {
	.next = salvager_next,
	.close = salvager_close,
};

static void
tell(struct prof_context *context, const struct prof_error *why)
{
	if (why->where == PROF_AT_LINE)
		warn_line(context, why->offset, "damaged: %s", why->reason);
	else
		warn_at(context, why->offset, "damaged: %s", why->reason);
}

static enum prof_status
mend(struct salvager *s, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *why)
{
	struct prof_context *context = s->base.context;
	struct prof_error e = { 0 };

	if (codec->repair(context, image, &s->repaired, &e) == PROF_OK) {
		/* What was whole by itself may have stood in a wrong place. */
		if (!any_damaged(&s->repaired) && s->repaired.count != 0)
			s->repaired.parts[s->repaired.count - 1].damaged = true;
		if (s->repaired.image.failed)
			err_memory(&e);
		else
			s->inner = codec->open(context, (struct prof_span){
			    s->repaired.image.data, s->repaired.image.size }, &e);
	}
	/* Else the first reason says more. */
	if (e.code == PROF_E_MEMORY || e.code == PROF_E_LIMIT)
		*why = e;
	return s->inner == NULL ? PROF_FAIL : PROF_OK;
}

/* Up to a line that ends there, and an empty one behind it if `empty`. */
static size_t
end_of_lines(struct prof_span s, bool empty)
{
	while (s.size > 0 && (s.data[s.size - 1] != '\n' ||
	    (empty && (s.size == 1 || s.data[s.size - 2] != '\n'))))
		s.size--;
	return s.size;
}

/*
 * A last line without end is cut, whatever it looks like, and so is its
 * function: llvm-profdata puts an empty line between them.
 */
static struct prof_span
whole_lines(struct prof_span image)
{
	size_t lines = end_of_lines(image, false);
	size_t functions = end_of_lines(image, true);

	if (lines != image.size && lines != 0)
		image.size = functions != 0 ? functions : lines;
	return image;
}

static enum prof_status
open_prefix(struct salvager *s, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *why)
{
	/* A head alone is nothing: garbage may look like one of a text. */
	if (s->contents == 0)
		return err_set(why, PROF_E_TRUNCATED, "nothing is whole");
	if (s->rest != 0)
		warn_lost(s->base.context, "%llu records of a profile that is "
		    "not whole are salvaged, and %llu whole profiles before "
		    "it", (unsigned long long)s->rest - 1,
		    (unsigned long long)s->whole);
	else
		warn_lost(s->base.context, "%llu whole profiles are salvaged, "
		    "what is behind them is lost",
		    (unsigned long long)s->whole);
	s->inner = codec->open(s->base.context, image, why);
	return s->inner == NULL ? PROF_FAIL : PROF_OK;
}

struct prof_reader *
salvage(struct prof_context *context, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *err)
{
	struct prof_span lines = codec->by_lines ? whole_lines(image) : image;
	struct salvager *s = calloc(1, sizeof(*s));
	struct prof_error why = { 0 };
	enum prof_status status;
	bool cut;

	if (s == NULL) {
		err_memory(err);
		return NULL;
	}
	s->base = (struct prof_reader){ .ops = &salvager_ops,
	    .context = context };
	status = survey(s, codec->open, lines, &why);
	cut = lines.size != image.size;
	if (status == PROF_END && !cut) {
		free(s);
		return codec->open(context, image, err);
	}
	if (status == PROF_END)
		warn_lost_at(context, lines.size, "damaged: the last line is "
		    "cut off: its function is lost");
	else
		tell(context, &why);
	status = codec->repair != NULL ? mend(s, codec, image, &why) :
	    open_prefix(s, codec, lines, &why);
	if (status == PROF_OK) {
		context->salvaged = true;
		return &s->base;
	}
	if (err != NULL && err->code == PROF_E_NONE)
		*err = why;
	salvager_close(&s->base);
	return NULL;
}
