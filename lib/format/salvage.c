/*
 * Readers of damaged images.
 *
 * An image is first read to its end, to find out whether there is any damage.
 * An image without damage is then read by the codec as usual.  A damaged image
 * is repaired if the codec can do that; texts and streams, which are written
 * record by record, are read up to the damage.
 */
#include "format/codec.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"

struct salvager {
	struct prof_reader base;
	struct prof_reader *inner;	/* of the repaired image, if any */
	struct repaired repaired;	/* count is 0: read up to the damage */
	/* What the survey of the image found before the damage. */
	uint64_t whole;			/* complete profiles */
	uint64_t rest;			/* records behind these */
	uint64_t contents;		/* records but heads and ends */
	/* Position: complete profiles read, records of the next one. */
	uint64_t profile, record;
};

bool
repaired_begin(struct repaired *m, uint64_t from, bool damaged)
{
	buf_pad8(&m->image);
	return ARRAY_ADD(m->parts, m->count, m->room,
	    (struct repaired_part){ m->image.size, from, damaged });
}

/* Counts the profiles and records of an image up to an error or the end. */
static enum prof_status
salvage_survey(struct salvager *s, codec_open *open, struct prof_span image,
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

/*
 * The part that begins at an offset of the repaired image, or the first.  Parts
 * are in the order of their offsets.
 */
static const struct repaired_part *
repaired_part_at(const struct repaired *m, uint64_t at)
{
	size_t i = numbers_below(m->parts, m->count, sizeof(*m->parts), at);

	return i < m->count && m->parts[i].at == at ? &m->parts[i] :
	    &m->parts[0];
}

static bool
repaired_is_damaged(const struct repaired *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->parts[i].damaged)
			return true;
	}
	return false;
}

static enum prof_status
salvager_next_repaired(struct salvager *s, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = prof_next(s->inner, out, err);
	struct prof_header *h = &out->u.profile;
	const struct repaired_part *part;

	if (status != PROF_OK || out->kind != PROF_REC_PROFILE)
		return status;
	part = repaired_part_at(&s->repaired, h->source.offset);
	h->source.offset = part->from;
	/* The dumps of a heap profile may be merged: damage is of all. */
	if (part->damaged ||
	    (h->kind != PROF_INSTR && repaired_is_damaged(&s->repaired)))
		h->flags |= PROF_SALVAGED;
	return PROF_OK;
}

static enum prof_status
salvager_next_prefix(struct salvager *s, struct prof_record *out,
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
	/*
	 * The survey gets no blocks.  A block does not contain what is behind
	 * the damage: it ends before it.
	 */
	s->record += out->kind == PROF_REC_BLOCK ? out->u.block.size : 1;
	/*
	 * The profile that is cut is marked.  If there are no records of it,
	 * the last complete one is, since another may have followed.
	 */
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

	return s->repaired.count != 0 ? salvager_next_repaired(s, out, err) :
	    salvager_next_prefix(s, out, err);
}

static void
salvager_close(struct prof_reader *base)
{
	struct salvager *s = (struct salvager *)base;

	prof_close(s->inner);
	buf_free(&s->repaired.image);
	free(s->repaired.parts);
}

static const struct reader_ops salvager_ops = {
	.size = sizeof(struct salvager),
	.next = salvager_next,
	.close = salvager_close,
};

static enum prof_status
salvage_repair(struct salvager *s, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *why)
{
	struct prof_context *context = s->base.context;
	struct prof_error e = { 0 };
	enum prof_status status = codec->repair(context, image, &s->repaired,
	    &e);

	if (status == PROF_OK) {
		/* The parts are intact, so the damage is around them. */
		if (!repaired_is_damaged(&s->repaired) &&
		    s->repaired.count != 0)
			s->repaired.parts[s->repaired.count - 1].damaged = true;
		if (s->repaired.image.failed)
			err_memory(&e);
		else
			s->inner = codec->open(context,
			    buf_span(&s->repaired.image), &e);
	}
	/* Other errors say less than the first one in the damaged image. */
	if (err_is_lack(e.code) || e.code == PROF_E_LIMIT)
		*why = e;
	return s->inner == NULL ? PROF_FAIL : PROF_OK;
}

/* Size up to the last end of line, or with `empty` the last empty line. */
static size_t
salvage_lines_end(struct prof_span s, bool empty)
{
	while (s.size > 0 && (s.data[s.size - 1] != '\n' ||
	    (empty && (s.size == 1 || s.data[s.size - 2] != '\n'))))
		s.size--;
	return s.size;
}

/*
 * An image whose last line has no newline was cut there.  The function of that
 * line is dropped: llvm-profdata puts an empty line between functions.
 */
static struct prof_span
salvage_whole_lines(struct prof_span image)
{
	size_t lines = salvage_lines_end(image, false);
	size_t functions = salvage_lines_end(image, true);

	if (lines != image.size && lines != 0)
		image.size = functions != 0 ? functions : lines;
	return image;
}

static enum prof_status
salvage_open_prefix(struct salvager *s, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *why)
{
	/* Garbage may look like the header of a text profile. */
	if (s->contents == 0)
		return err_set(why, PROF_E_TRUNCATED, "nothing is complete");
	if (s->rest != 0)
		warn_lost(s->base.context, "salvaged records of an incomplete "
		    "profile: %llu, complete profiles before it: %llu",
		    (unsigned long long)s->rest - 1,
		    (unsigned long long)s->whole);
	else
		warn_lost(s->base.context, "salvaged complete profiles: %llu, "
		    "all that follows is lost",
		    (unsigned long long)s->whole);
	s->inner = codec->open(s->base.context, image, why);
	return s->inner == NULL ? PROF_FAIL : PROF_OK;
}

struct prof_reader *
salvage(struct prof_context *context, const struct salvage_codec *codec,
    struct prof_span image, struct prof_error *err)
{
	struct prof_span lines =
	    codec->by_lines ? salvage_whole_lines(image) : image;
	struct salvager *s = codec_reader_new(&salvager_ops, context, err);
	struct prof_error why = { 0 };
	enum prof_status status;
	bool cut;

	if (s == NULL)
		return NULL;
	status = salvage_survey(s, codec->open, lines, &why);
	cut = lines.size != image.size;
	if (status == PROF_FAIL && err_is_lack(why.code)) {
		prof_close(&s->base);
		err_repeat(err, &why);
		return NULL;
	}
	if (status == PROF_END && !cut) {
		prof_close(&s->base);
		return codec->open(context, image, err);
	}
	if (status == PROF_END)
		warn_lost_at(context, lines.size, "damaged: the last line is "
		    "cut off: its function is lost");
	else if (why.where == PROF_AT_LINE)
		warn_line(context, why.offset, "damaged: %s", why.reason);
	else
		warn_at(context, why.offset, "damaged: %s", why.reason);
	status = codec->repair == NULL ? salvage_open_prefix(s, codec, lines,
	    &why) : salvage_repair(s, codec, image, &why);
	if (status == PROF_OK) {
		context->salvaged = true;
		return &s->base;
	}
	if (err != NULL && err->code == PROF_E_NONE)
		*err = why;
	prof_close(&s->base);
	return NULL;
}
