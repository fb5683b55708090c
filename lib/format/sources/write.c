/* Writes the section of source files. */
#include "config.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "format/sources/writer.h"

uint32_t
sources_crc(struct prof_span s)
{
	return (uint32_t)crc32_z(0, s.data, s.size);
}

static bool
sources_fits(uint64_t value, uint8_t bits)
{
	return value < (UINT64_C(1) << bits) - 1;
}

/* An entry; all ones if a field does not fit: see the overflow table. */
static uint64_t
sources_packed_entry(struct sources_widths w, const struct sources_place *p)
{
	if (!sources_fits(p->file, w.file) || !sources_fits(p->line, w.line) ||
	    !sources_fits(p->discriminator, w.discriminator))
		return UINT64_MAX;
	return p->file << (w.line + w.discriminator) |
	    (uint64_t)p->line << w.discriminator | p->discriminator;
}

static void
sources_emit_stacks(const struct sources_writer *w, struct buf *out)
{
	uint32_t first = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		buf_u64le(out, w->stacks[i].id);
		buf_u32le(out, first);
		buf_u32le(out, (uint32_t)w->stacks[i].size);
		first += (uint32_t)w->stacks[i].size;
	}
	for (size_t i = 0; i < w->stacks_size; i++) {
		for (size_t k = 0; k < w->stacks[i].size; k++)
			buf_u64le(out, sources_packed_entry(w->widths,
			    &w->stacks[i].places[k]));
	}
}

/* Writes the overflow table unless out is NULL; returns its items. */
static uint64_t
sources_emit_overflow(const struct sources_writer *w, struct buf *out)
{
	uint64_t entry = 0, count = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		for (size_t k = 0; k < w->stacks[i].size; k++, entry++) {
			const struct sources_place *p =
			    &w->stacks[i].places[k];

			if (sources_packed_entry(w->widths, p) != UINT64_MAX)
				continue;
			count++;
			if (out == NULL)
				continue;
			buf_u64le(out, entry);
			buf_u32le(out, (uint32_t)p->file);
			buf_u32le(out, p->line);
			buf_u32le(out, p->discriminator);
			buf_u32le(out, 0);
		}
	}
	return count;
}

static void
sources_emit_nodes(const struct sources_writer *w, struct buf *out)
{
	buf_u64le(out, 0);
	for (uint32_t i = 1; i < w->nodes.size; i++) {
		const uint32_t *n = w->nodes.items[i].numbers;

		buf_u32le(out, n[0] - 1);
		buf_u32le(out, n[1] == 0 ? 0 : n[1] + 1);
	}
}

static void
sources_emit_names(const struct sources_writer *w, struct buf *out)
{
	for (size_t i = 0; i < w->names.size; i++) {
		const struct prof_symbol *s = &w->names.symbols[i];

		buf_u64le(out, s->guid);
		buf_u32le(out, sources_name_offset(w, s->name));
		buf_u32le(out, 0);
	}
}

/* The sizes of section and portable entries are filled in at the end. */
static void
sources_emit_header(const struct sources_writer *w, uint64_t entries,
    struct buf *out)
{
	buf_put(out, SOURCES_MAGIC, 8);
	buf_u32le(out, SOURCES_VERSION);
	buf_u32le(out, SOURCES_HEADER);
	buf_u8(out, w->widths.file);
	buf_u8(out, w->widths.line);
	buf_u8(out, w->widths.discriminator);
	buf_u8(out, w->entries_size != 0 ? SOURCES_PORTABLE : 0);
	buf_u32le(out, 0);
	buf_u64le(out, w->stacks_size);
	buf_u64le(out, entries);
	buf_u64le(out, sources_emit_overflow(w, NULL));
	buf_u64le(out, w->nodes.size);
	buf_u64le(out, w->text.size);
	buf_u64le(out, 0);
	buf_u64le(out, 0);
	buf_u64le(out, w->names.size);
	buf_u64le(out, 0);
}

static void
sources_emit_trailer(struct buf *out, size_t begin, uint64_t offset)
{
	uint64_t size = out->size - begin + SOURCES_TRAILER;
	uint32_t crc;

	if (out->failed)
		return;
	buf_set_u64le(out, begin + SOURCES_AT_SIZE, size);
	crc = sources_crc((struct prof_span){ out->data + begin,
	    out->size - begin });
	buf_u64le(out, offset + begin);
	buf_u64le(out, size);
	buf_u32le(out, crc);
	buf_u32le(out, SOURCES_VERSION);
	buf_put(out, SOURCES_END_MAGIC, 8);
}

static void
sources_emit_portable(struct sources_writer *w, struct prof_context *context,
    struct buf *out, size_t begin)
{
	size_t before = out->size;
	uint64_t saturated = 0;

	if (w->entries_size == 0)
		return;
	sources_entries_put(out, w->entries, w->entries_size, &saturated);
	if (!out->failed)
		buf_set_u64le(out, begin + SOURCES_AT_PORTABLE_SIZE,
		    out->size - before);
	if (saturated != 0)
		warn_lost(context, "%llu values are too large for the types "
		    "of the RFC, and became the largest",
		    (unsigned long long)saturated);
}

enum prof_status
sources_write(struct sources_writer *w, struct prof_context *context,
    uint64_t offset, struct buf *out, struct prof_error *err)
{
	uint64_t entries;
	size_t begin;

	if (!sources_resolve(w, &entries))
		return err_memory(err);
	if (entries > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "source files of %llu "
		    "frames: the limit is 4294967295",
		    (unsigned long long)entries);
	if (w->bad_paths != 0)
		warn_lost(context, "%llu names of source files are too long "
		    "or have a NUL: left out",
		    (unsigned long long)w->bad_paths);
	buf_zeros(out, (size_t)pad8(offset + out->size));
	begin = out->size;
	sources_emit_header(w, entries, out);
	sources_emit_stacks(w, out);
	sources_emit_overflow(w, out);
	sources_emit_nodes(w, out);
	buf_put(out, w->text.data, w->text.size);
	sources_emit_names(w, out);
	sources_emit_portable(w, context, out, begin);
	sources_emit_trailer(out, begin, offset);
	return out->failed ? err_memory(err) : PROF_OK;
}
