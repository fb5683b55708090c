/*
 * format/stream/forms.h - the forms of types that one or two members have
 *
 * profile_forms.c, function_forms.c and heap_forms.c have them.
 */
#ifndef FORMAT_STREAM_FORMS_H
#define FORMAT_STREAM_FORMS_H

#include "format/stream/parts.h"
#include "model/record_members.h"

typedef void stream_put_member(struct stream_output *,
    const struct record_member *, const void *structure);

struct stream_form {
	enum prof_status (*parse)(struct stream_record *,
	    const struct jval *object, const struct record_member *,
	    void *structure);
	/* NULL for rows that are no members. */
	stream_put_member *put;
};

extern const struct stream_form stream_version_form, stream_frontend_form;
extern const struct stream_form stream_endian_form, stream_pointer_bits_form;
extern const struct stream_form stream_values_form, stream_vtable_form;
extern const struct stream_form stream_symbols_form;
extern const struct stream_form stream_segment_id_form;
extern const struct stream_form stream_segment_range_form;
extern const struct stream_form stream_pcs_form, stream_stack_frames_form;
extern const struct stream_form stream_frame_numbers_form, stream_inline_form;
extern const struct stream_form stream_info_form, stream_guid_form;
extern const struct stream_form stream_data_form;

/* The form of each type; NULL for types of any number of members. */
extern const struct stream_form *const stream_forms[MEMBER_TYPES];

#endif
