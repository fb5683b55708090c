#include "format/stream/forms.h"

const struct stream_form *const stream_forms[MEMBER_TYPES] = {
	[MEMBER_STREAM_VERSION] = &stream_version_form,
	[MEMBER_FRONTEND] = &stream_frontend_form,
	[MEMBER_ENDIAN] = &stream_endian_form,
	[MEMBER_POINTER_BITS] = &stream_pointer_bits_form,
	[MEMBER_VALUES] = &stream_values_form,
	[MEMBER_VTABLE] = &stream_vtable_form,
	[MEMBER_SYMBOLS] = &stream_symbols_form,
	[MEMBER_SEGMENT_ID] = &stream_segment_id_form,
	[MEMBER_SEGMENT_RANGE] = &stream_segment_range_form,
	[MEMBER_PCS] = &stream_pcs_form,
	[MEMBER_STACK_FRAMES] = &stream_stack_frames_form,
	[MEMBER_FRAME_NUMBERS] = &stream_frame_numbers_form,
	[MEMBER_INLINE] = &stream_inline_form,
	[MEMBER_INFO] = &stream_info_form,
	[MEMBER_GUID] = &stream_guid_form,
	[MEMBER_DATA] = &stream_data_form,
};
