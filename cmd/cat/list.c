#include "config.h"

#include "cmd/cat/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/digits.h"
#include "base/error.h"
#include "base/json_member.h"
#include "io/output.h"
#include "model/releases.h"
#include "model/words.h"

/* Totals over all profiles of an entry. */
struct cat_totals {
	struct prof_source source;	/* of the first profile */
	const char *kind;		/* of all */
	const char *level;		/* of the first that has one; or NULL */
	uint64_t profiles, functions, contexts;
	bool salvaged;
	struct prof_span *ids;		/* of binaries, in the arena */
	size_t ids_size, ids_room;
	struct arena arena;
	bool failed;			/* out of memory */
};

static void
cat_add_id(struct cat_totals *s, struct prof_span id)
{
	if (!arena_keep(&s->arena, &id) ||
	    !ARRAY_ADD(s->ids, s->ids_size, s->ids_room, id))
		s->failed = true;
}

static void
cat_totals_free(struct cat_totals *s)
{
	free(s->ids);
	arena_free(&s->arena);
}

static void
cat_count_record(struct cat_totals *s, const struct prof_record *r)
{
	const struct prof_header *h = &r->u.profile;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (s->profiles++ == 0) {
			s->source = h->source;
			s->kind = words_kind[h->kind];
		} else if (strcmp(s->kind, words_kind[h->kind]) != 0)
			s->kind = words_kind[PROF_MIXED];
		if (s->level == NULL && h->level != PROF_LEVEL_UNKNOWN)
			s->level = words_level[h->level];
		s->salvaged = s->salvaged || (h->flags & PROF_SALVAGED);
		break;
	case PROF_REC_BINARY:
		cat_add_id(s, r->u.build_id);
		break;
	case PROF_REC_FUNCTION:
		s->functions++;
		break;
	case PROF_REC_ALLOCATION:
		s->contexts++;
		break;
	case PROF_REC_MEMPROF_FUNCTION:
		s->contexts += r->u.memprof_function.allocs_size;
		break;
	default:
		break;
	}
}

/* Bytes that would break the line or the terminal become '?'. */
static void
cat_put_name(struct buf *b, const char *name)
{
	for (; *name != '\0'; name++)
		buf_u8(b, (uint8_t)*name < 0x20 || *name == 0x7f ? '?' :
		    (uint8_t)*name);
}

static void
cat_put_number(struct buf *b, uint64_t n, bool known)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "\t%llu", (unsigned long long)n);
	json_text_plain(b, known ? digits : "\t-");
}

static void
cat_put_word(struct buf *b, const char *word)
{
	json_text_plain(b, "\t");
	json_text_plain(b, word == NULL ? "-" : word);
}

static struct llvm_release_range
cat_writers(const struct cat_totals *s)
{
	return llvm_release_writers(s->source.format, s->source.version);
}

/* As 13-16, or one of them. */
static void
cat_put_releases(struct buf *b, const struct cat_totals *s)
{
	const struct llvm_release_range l = cat_writers(s);

	cat_put_word(b, l.first == NULL ? NULL : l.first->name);
	if (l.first != l.last) {
		json_text_plain(b, "-");
		json_text_plain(b, l.last->name);
	}
}

static void
cat_put_ids(struct buf *b, const struct cat_totals *s)
{
	if (s->ids_size == 0)
		cat_put_word(b, NULL);
	for (size_t i = 0; i < s->ids_size; i++) {
		json_text_plain(b, i == 0 ? "\t" : ",");
		digits_append_hex(b, s->ids[i]);
	}
}

static const char *
cat_endian_name(uint8_t endian)
{
	return endian == 'l' ? "little" : endian == 'b' ? "big" : NULL;
}

/* Lists a stream as a stream, not as the format of its source. */
static void
cat_set_stream_format(struct cat_totals *s, struct prof_span image)
{
	if (!prof_is_stream(image))
		return;
	s->source = (struct prof_source){ .format = "stream", .version = 1 };
}

static void
cat_put_people(struct buf *b, const struct cli *c, const struct cat_entry *e,
    const struct cat_totals *s, const struct prof_error *bad)
{
	cat_put_name(b, c->inputs.file);
	if (c->inputs.member != NULL) {
		json_text_plain(b, "[");
		cat_put_name(b, c->inputs.member);
		json_text_plain(b, "]");
	}
	cat_put_number(b, e->offset, true);
	cat_put_number(b, e->length, true);
	if (bad != NULL) {
		cat_put_word(b, "bad");
		cat_put_word(b, bad->reason);
	} else {
		cat_put_word(b, s->source.format);
		cat_put_number(b, s->source.version, s->source.version != 0);
		cat_put_word(b, cat_endian_name(s->source.endian));
		cat_put_number(b, s->source.pointer_bits,
		    s->source.pointer_bits != 0);
		cat_put_word(b, s->kind);
		cat_put_number(b, s->functions, true);
		cat_put_number(b, s->contexts, true);
		cat_put_word(b, s->level);
		cat_put_releases(b, s);
		cat_put_ids(b, s);
		if (s->salvaged)
			cat_put_word(b, words_flag_key(PROF_SALVAGED));
	}
	json_text_plain(b, "\n");
}

static void
cat_put_counts(struct buf *b, const struct cat_totals *s)
{
	const struct llvm_release_range l = cat_writers(s);

	json_member_text(b, "format", s->source.format);
	if (s->source.version != 0)
		json_member_number(b, "version", s->source.version);
	json_member_text(b, "endian", cat_endian_name(s->source.endian));
	if (s->source.pointer_bits != 0)
		json_member_number(b, "pointer_bits", s->source.pointer_bits);
	json_member_text(b, "kind", s->kind);
	json_member_text(b, "level", s->level);
	if (l.first != NULL) {
		json_member_text(b, "llvm_first", l.first->name);
		json_member_text(b, "llvm_last", l.last->name);
	}
	json_member_number(b, "profiles", s->profiles);
	json_member_number(b, "functions", s->functions);
	json_member_number(b, "contexts", s->contexts);
	json_member_key(b, "binary_ids");
	for (size_t i = 0; i < s->ids_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		json_text_hex(b, s->ids[i]);
	}
	json_text_plain(b, s->ids_size == 0 ? "[]" : "]");
	if (s->salvaged)
		json_member_flag(b, words_flag_key(PROF_SALVAGED));
}

static void
cat_put_json(struct buf *b, const struct cli *c, const struct cat_entry *e,
    const struct cat_totals *s, const struct prof_error *bad)
{
	json_text_plain(b, "{");
	json_member_name(b, "file", "file_hex", c->inputs.file);
	json_member_name(b, "member", "member_hex", c->inputs.member);
	json_member_number(b, "offset", e->offset);
	json_member_number(b, "length", e->length);
	if (bad == NULL) {
		cat_put_counts(b, s);
	} else {
		json_member_text(b, "code", err_code_name(bad->code));
		json_member_text(b, "reason", bad->reason);
	}
	json_text_plain(b, "}\n");
}

static enum prof_status
cat_write_line(struct cat *cat, struct buf *line)
{
	struct cli *c = cat->cli;
	int e = 0;

	if (line->failed)
		err_memory(&c->err);
	else if ((e = output_write(c->output.file, line->data, line->size)) !=
	    0)
		err_system(&c->err, e, "write");
	c->output.failed = e != 0;
	buf_free(line);
	return c->err.code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
}

enum prof_status
cat_list(struct cat *cat, const struct cat_entry *e, struct prof_span image,
    struct prof_reader *reader)
{
	struct cli *c = cat->cli;
	enum prof_status status = PROF_FAIL;
	struct prof_error bad;
	struct cat_totals sums = { 0 };
	struct buf line = { 0 };
	struct prof_record r;

	while (reader != NULL &&
	    (status = prof_next(reader, &r, &c->err)) == PROF_OK)
		cat_count_record(&sums, &r);
	if (sums.failed)
		err_memory(&c->err);
	bad = c->err;
	if (err_is_lack(bad.code)) {
		cat_totals_free(&sums);
		return PROF_FAIL;
	}
	sums.ids_size = prof_span_unique(sums.ids, sums.ids_size);
	c->err = (struct prof_error){ 0 };
	c->report.unclean = c->report.unclean || status == PROF_FAIL;
	cat_set_stream_format(&sums, image);
	(cat->json ? cat_put_json : cat_put_people)(&line, c, e, &sums,
	    status == PROF_FAIL ? &bad : NULL);
	cat_totals_free(&sums);
	return cat_write_line(cat, &line);
}
