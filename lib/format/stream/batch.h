/*
 * format/stream/batch.h - lines of functions, read to become blocks
 *
 * The lines become a block, and new ones are stored, by format/stream/block.h.
 */
#ifndef FORMAT_STREAM_BATCH_H
#define FORMAT_STREAM_BATCH_H

#include "base/json_text.h"
#include "format/program.h"
#include "format/stream/stream.h"

/* Lines of a new block at most. */
enum { STREAM_BLOCK = 256 };

/*
 * The head of a line, all before the counters, and the sizes of what follows.
 * Without a name, the symbol is the text of the guid.
 */
struct stream_head {
	const uint8_t *symbol;
	uint32_t symbol_size;
	uint32_t counts, sites[PROF_VALUE_KINDS];
	uint8_t hash[JSON_TEXT_ID_SIZE];
	bool named;
};

/* Values that were read from the lines of a block, until the batch is reset. */
struct stream_batch {
	struct buf counts, values;	/* values: struct prof_block_values */
	struct buf targets, names;	/* values without guids, their names */
	struct buf heads;		/* of new lines */
};

/* A part of the text. */
struct stream_part {
	size_t lines, bytes;
};

/*
 * Reads at most STREAM_BLOCK lines of a new block into an empty batch; the text
 * ends with a newline.  The part has those that were read: a line that does not
 * fit a block is not among them.  False: out of memory.
 */
bool stream_batch_read_new(struct stream_batch *, struct stream_record *,
    struct prof_span text, struct stream_part *);

/* The same for the lines of a block as long as their heads are the stored. */
bool stream_batch_expect(struct stream_batch *, const struct stream_head *,
    const struct program_block *, struct stream_record *,
    struct prof_span text, struct stream_part *);

/*
 * The guids of at most STREAM_BLOCK symbols, by which functions of a new block
 * are looked up.  Digests of names are computed all at once.
 */
void stream_head_guids(const struct stream_head *, size_t n, uint64_t *guids);

/* Sets the guids of all targets.  False: out of memory. */
bool stream_batch_set_targets(struct stream_batch *, struct stream_record *);

void stream_batch_reset(struct stream_batch *);
void stream_batch_free(struct stream_batch *);

#endif
