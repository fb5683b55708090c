#include "model/memprof/ids.h"

#include "base/blake3.h"

static void
ids_store(uint8_t *to, uint64_t n, size_t width)
{
	for (size_t i = 0; i < width; i++)
		to[i] = (uint8_t)(n >> 8 * i);
}

void
memprof_frame_bytes(const struct memprof_frame *f,
    uint8_t bytes[MEMPROF_FRAME_SIZE])
{
	ids_store(bytes, f->guid, 8);
	ids_store(bytes + 8, f->line_offset, 4);
	ids_store(bytes + 12, f->column, 4);
	bytes[16] = f->is_inline;
}

uint64_t
memprof_frame_id(const struct memprof_frame *f)
{
	uint8_t bytes[MEMPROF_FRAME_SIZE];

	memprof_frame_bytes(f, bytes);
	return blake3_u64(bytes, sizeof(bytes));
}

void
memprof_frame_ids(const uint8_t *frames, size_t n, uint64_t *ids)
{
	struct prof_span inputs[64];
	size_t most = sizeof(inputs) / sizeof(inputs[0]);

	for (size_t at = 0, some; at < n; at += some) {
		some = n - at < most ? n - at : most;
		for (size_t i = 0; i < some; i++)
			inputs[i] = (struct prof_span){
			    frames + (at + i) * MEMPROF_FRAME_SIZE,
			    MEMPROF_FRAME_SIZE };
		blake3_u64_many(inputs, some, ids + at);
	}
}

uint64_t
memprof_frame_id_llvm15(const struct memprof_frame *f)
{
	const uint64_t parts[] = { f->guid, f->line_offset, f->column,
	    f->is_inline };
	uint64_t id = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		id ^= parts[i] + 0x9e3779b97f4a7c15 + (id << 6) + (id >> 2);
	return id;
}

uint64_t
memprof_stack_id(const struct buf *frame_ids)
{
	return frame_ids->failed ? 0 :
	    blake3_u64(frame_ids->data, frame_ids->size);
}
