/* Members of the JSON objects that prof-show prints. */
#include "config.h"

#include "base/jtext.h"
#include "show_keys.h"

static const char *const flag_keys[PROF_FLAGS] = {
	"context_sensitive", "entry_first", "loop_entries", "byte_coverage",
	"function_entry_only", "temporal", "debug_info_correlated",
	"binary_correlated", "salvaged",
};

void
show_key(struct buf *b, const char *key)
{
	if (b->size != 0 && b->data[b->size - 1] != '{')
		jtext_plain(b, ",");
	jtext_plain(b, "\"");
	jtext_plain(b, key);
	jtext_plain(b, "\":");
}

void
show_number(struct buf *b, const char *key, uint64_t n)
{
	show_key(b, key);
	jtext_number(b, n);
}

void
show_string(struct buf *b, const char *key, const char *text)
{
	show_key(b, key);
	jtext_string(b, (struct prof_span){ (const uint8_t *)text,
	    strlen(text) });
}

void
show_bytes(struct buf *b, const char *key, const char *hex_key,
    struct prof_span bytes)
{
	if (bytes.data == NULL)
		return;
	if (jtext_fits(bytes)) {
		show_key(b, key);
		jtext_string(b, bytes);
	} else {
		show_key(b, hex_key);
		jtext_hex(b, bytes);
	}
}

void
show_source_keys(struct buf *b, const struct prof_source *s)
{
	show_bytes(b, "file", "file_hex", s->file);
	show_bytes(b, "member", "member_hex", s->member);
	if (s->offset != 0)
		show_number(b, "offset", s->offset);
}

void
show_kind_keys(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_IR] = "ir", [PROF_LEVEL_FRONTEND] = "frontend",
		[PROF_LEVEL_UNKNOWN] = NULL,
	};
	static const char *const kinds[] = {
		[PROF_INSTR] = "instr", [PROF_MEMPROF] = "memprof",
		[PROF_MIXED] = "mixed",
	};
	const struct prof_source *s = &h->source;

	if (s->format != NULL)
		show_string(b, "format", s->format);
	if (s->version != 0)
		show_number(b, "version", s->version);
	if (s->endian != 0)
		show_string(b, "endian", s->endian == 'b' ? "big" : "little");
	if (s->pointer_bits != 0)
		show_number(b, "pointer_bits", s->pointer_bits);
	show_string(b, "kind", kinds[h->kind]);
	if (levels[h->level] != NULL)
		show_string(b, "level", levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1) {
			show_key(b, flag_keys[i]);
			jtext_plain(b, "true");
		}
	}
}

void
show_data_keys(struct buf *b, const struct figures *g)
{
	if ((g->data_accesses | g->cold_symbols | g->cold_literals) == 0)
		return;
	show_number(b, "data_accesses", g->data_accesses);
	show_number(b, "cold_symbols", g->cold_symbols);
	show_number(b, "cold_literals", g->cold_literals);
}
