#include "format/memprof-raw/emit.h"

/* Bytes of a section: its count, its entries, zeros up to a multiple of 8. */
static uint64_t
emit_section_size(const struct mraw_entries *s)
{
	return MRAW_COUNT + s->bytes.size + pad8(s->bytes.size);
}

void
mraw_emit(const struct mraw_row *row, bool big,
    const struct mraw_entries sections[MRAW_SECTIONS], struct buf *out)
{
	uint64_t header[MRAW_HEADER_MEMBERS] = {
		[MRAW_HEADER_MAGIC] = MRAW_MAGIC,
		[MRAW_HEADER_VERSION] = row->version,
	};
	uint64_t at = MRAW_HEADER;

	for (int s = 0; s < MRAW_SECTIONS; s++) {
		header[MRAW_HEADER_OFFSETS + s] = at;
		at += emit_section_size(&sections[s]);
	}
	header[MRAW_HEADER_TOTAL_SIZE] = at;
	for (int i = 0; i < MRAW_HEADER_MEMBERS; i++)
		buf_number(out, header[i], 8, big);
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		const struct prof_span bytes = sections[s].bytes;

		buf_number(out, sections[s].count, 8, big);
		buf_put(out, bytes.data, bytes.size);
		buf_zeros(out, (size_t)pad8(bytes.size));
	}
}
