#include "format/raw/emit.h"

/* Zeros behind a section: none if the version has no field that counts them. */
static uint64_t
raw_emitted_padding(const struct raw_image *im, enum raw_section s, size_t size)
{
	uint8_t padding = raw_sections[s].padding;

	if (padding == RAW_END || (padding != RAW_PAD8 &&
	    !raw_row_has_field(im->row, (enum raw_field)padding)))
		return 0;
	return pad8(size);
}

void
raw_emit_header(const struct raw_image *im,
    const struct prof_span sections[RAW_SECTIONS], struct buf *b)
{
	uint64_t field[RAW_FIELDS];

	memcpy(field, im->field, sizeof(field));
	for (const uint8_t *s = im->row->sections; *s != RAW_S_END; s++) {
		const struct raw_section_info *info = &raw_sections[*s];
		enum raw_section section = (enum raw_section)*s;
		size_t size = sections[*s].size;

		field[info->count] = size / raw_unit_size(im, section);
		if (info->padding != RAW_PAD8)
			field[info->padding] =
			    raw_emitted_padding(im, section, size);
	}
	buf_number(b, im->magic, 8, im->big);
	buf_number(b, im->version_word, 8, im->big);
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		buf_number(b, field[*f], RAW_FIELD_SIZE, im->big);
}

int
raw_emit_sections(const struct raw_image *im,
    const struct prof_span sections[RAW_SECTIONS], prof_sink *sink, void *arg)
{
	static const uint8_t zeros[8];
	int e = 0;

	for (const uint8_t *s = im->row->sections; *s != RAW_S_END && e == 0;
	    s++) {
		const struct prof_span section = sections[*s];
		uint64_t padding = raw_emitted_padding(im,
		    (enum raw_section)*s, section.size);

		e = sink(arg, section.data, section.size);
		if (e == 0 && padding != 0)
			e = sink(arg, zeros, (size_t)padding);
	}
	return e;
}
