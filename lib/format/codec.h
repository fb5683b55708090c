/*
 * format/codec.h - the interface between a codec and the rest of the library
 *
 * A codec reads and writes one format.  Its functions are the row of the format
 * in the table of format/registry.c.  The reader and the writer of a codec are
 * structures of its own, which begin with struct prof_reader or struct
 * prof_writer and are reached through the operations these point to.
 */
#ifndef FORMAT_CODEC_H
#define FORMAT_CODEC_H

#include "base/bytes.h"
#include "model/symtab.h"
#include "model/name_section.h"
#include "prof.h"

struct context_cache;
struct lprf2_packer;

struct prof_context {
	prof_warn *warn;
	void *arg;			/* of warn */
	bool salvage;			/* damaged images are repaired */
	bool salvaged;			/* some image was */
	bool thorough;			/* see prof_context_thorough */
	bool blocks;			/* see prof_context_blocks */
	bool frame_numbers;		/* see prof_context_frame_numbers */
	bool without_targets;		/* see prof_context_without_targets */
	bool as_llvm;			/* see prof_context_as_llvm */
	/* See prof_context_limit_counts; 0: none. */
	uint64_t max_raw_count, max_count;
	prof_consumed *consumed;	/* or NULL */
	void *consumed_arg;
	uint64_t origin;		/* added to offsets of warnings */
	uint64_t part;			/* see prof_context_part; or 0 */
	struct context_cache *cache;	/* shared with other contexts */
	struct guid_cache guids;	/* of value targets */
	/* Inflates blocks of LPRF; made by the first reader that needs it. */
	struct lprf2_packer *lprf_packer;
};

/* The limit of the names of an image; the context may be NULL. */
static inline struct names_limit
codec_names_limit(const struct prof_context *c, size_t image_size)
{
	return names_limit_of(image_size, c == NULL ? 1 : c->part);
}

/* The guid of a target, whose name is likely to repeat: it is cached. */
static inline uint64_t
codec_target_guid(struct prof_context *c, struct prof_span name)
{
	return c == NULL ? prof_guid(name) : guid_cache_of(&c->guids, name);
}

struct prof_reader {
	const struct reader_ops *ops;
	struct prof_context *context;	/* may be NULL */
	const struct prof_span *selected;	/* both NULL: all functions */
	size_t selected_size;
	bool done;			/* PROF_END or PROF_FAIL was returned */
	/*
	 * Bytes of the input that were read so far, by the codec of a format
	 * that refers to names: prof_next limits names by it.  0: names stand
	 * where they are used, and have no limit.
	 */
	uint64_t input_size;
	uint64_t names_size;		/* of all records: record_names_size */
	struct prof_span function_name;	/* of the last one; not to be read */
	uint64_t line;			/* of the last record; 0: no lines */
};

struct reader_ops {
	size_t size;			/* bytes of the reader */
	bool raw;			/* counters are as a run left them */
	enum prof_status (*next)(struct prof_reader *, struct prof_record *,
	    struct prof_error *);
	/*
	 * Looks the selected names up, for a codec that can reach a function
	 * by name.  NULL: the reader returns all functions.
	 */
	void (*select)(struct prof_reader *);
	/* As prof_block_unnamed; NULL: the reader returns no blocks. */
	const struct prof_function *(*functions)(struct prof_reader *,
	    const struct prof_block *, struct prof_error *);
	/* As prof_block_retain; NULL: names need no reference. */
	void *(*retain)(struct prof_reader *);
	/* As prof_block_name; NULL: values of blocks carry their names. */
	struct prof_span (*name)(const struct prof_reader *, uint64_t guid);
	/* Frees what the reader holds; prof_close frees the reader. */
	void (*close)(struct prof_reader *);
};

struct prof_writer {
	const struct writer_ops *ops;
	struct prof_context *context;	/* may be NULL */
	prof_sink *sink;
	void *arg;			/* of sink */
	/* The first two by prof_put, the others by the codec. */
	struct prof_written written;
};

struct writer_ops {
	size_t size;			/* bytes of the writer */
	bool heap_only;			/* the format holds no functions */
	enum prof_status (*put)(struct prof_writer *,
	    const struct prof_record *, struct prof_error *);
	/* As prof_omit; NULL: omitted names do not change the output. */
	enum prof_status (*omit)(struct prof_writer *,
	    const struct prof_symbol *, struct prof_error *);
	enum prof_status (*finish)(struct prof_writer *, struct prof_error *);
	void (*abort)(struct prof_writer *, const char *reason);  /* or NULL */
	/* Frees what the writer holds; prof_writer_free frees the writer. */
	void (*free)(struct prof_writer *);
};

/*
 * A reader or writer with these operations, all zero behind its first member;
 * NULL if out of memory.  prof_close or prof_writer_free frees it.
 */
void *codec_reader_new(const struct reader_ops *, struct prof_context *,
    struct prof_error *);
void *codec_writer_new(const struct writer_ops *, struct prof_context *,
    prof_sink *, void *arg, struct prof_error *);

/*
 * Warnings: the place and the code are those of the error, whose byte offset is
 * one of the image.  The context may be NULL or without a prof_warn; nothing is
 * reported then.
 */
void context_warn(struct prof_context *, struct prof_error, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

#define warn_at(context, at, ...) \
	context_warn(context, (struct prof_error){ .where = PROF_AT_BYTE, \
	    .offset = at }, __VA_ARGS__)
#define warn_line(context, line, ...) \
	context_warn(context, (struct prof_error){ .where = PROF_AT_LINE, \
	    .offset = line }, __VA_ARGS__)
#define warn_set(context, ...) \
	context_warn(context, (struct prof_error){ 0 }, __VA_ARGS__)

/* Warnings of data that is dropped. */
#define warn_lost_at(context, at, ...) \
	context_warn(context, (struct prof_error){ .where = PROF_AT_BYTE, \
	    .code = PROF_E_UNSUPPORTED, .offset = at }, __VA_ARGS__)
#define warn_lost(context, ...) \
	context_warn(context, (struct prof_error){ \
	    .code = PROF_E_UNSUPPORTED }, __VA_ARGS__)

/* Warns of all that the builder of a heap profile left out or changed. */
struct memprof_losses;
void memprof_losses_warn(struct prof_context *, const struct memprof_losses *);

/* Warns of functions that were left out since they have no name, if any. */
void writer_warn_nameless(const struct prof_writer *, const char *format);

/* Passes bytes to the writer's sink; PROF_E_SYSTEM if the sink fails. */
enum prof_status sink_write(struct prof_writer *, const void *, size_t,
    struct prof_error *);

/*
 * Reports to prof_context_on_consumed: the bytes of an image that a reader will
 * not read again, so that their pages can be given back.  Reports are only a
 * hint and come in steps of CONSUMED_STEP bytes.
 */
enum { CONSUMED_STEP = 1 << 20 };

/* One walk through an image.  All zero: nothing is reported. */
struct consumed {
	const struct prof_context *context;	/* or NULL */
	const uint8_t *reported;	/* the bytes before are */
};

static inline void
consumed_start(struct consumed *p, const struct prof_context *context,
    const uint8_t *at)
{
	*p = (struct consumed){ context, at };
}

/* Reports the bytes before `at`, even if they are less than a step. */
static inline void
consumed_end(struct consumed *p, const uint8_t *at)
{
	const struct prof_context *c = p->context;

	if (c != NULL && c->consumed != NULL && at > p->reported)
		c->consumed(c->consumed_arg, (struct prof_span){ p->reported,
		    (size_t)(at - p->reported) });
	p->reported = at;
}

/* Reports the bytes before `at` if they are a step or more. */
static inline void
consumed_to(struct consumed *p, const uint8_t *at)
{
	if (p->context != NULL && at - p->reported >= CONSUMED_STEP)
		consumed_end(p, at);
}

/* Opens a reader of a whole image; NULL on failure. */
typedef struct prof_reader *codec_open(struct prof_context *,
    struct prof_span image, struct prof_error *);

/*
 * PROF_OK if an image is read to its end without an error, PROF_END if not;
 * PROF_FAIL if there is not enough memory to say.  The context may be NULL.
 */
enum prof_status codec_decodes(codec_open *, struct prof_context *,
    struct prof_span image, struct prof_error *);

/*
 * A codec repairs a damaged image by writing its intact parts as an image
 * without damage (format/salvage.c).  The repaired image is then read like any
 * other, with all the checks.  Losses are reported as warnings with offsets in
 * the damaged image.
 */

/* One of the profiles of an image, or of the dumps of a heap profile. */
struct repaired_part {
	uint64_t at;			/* offset in the repaired image */
	uint64_t from;			/* offset in the damaged image */
	bool damaged;			/* something of the part is lost */
};

/* A repaired image; all zero is empty. */
struct repaired {
	struct buf image;
	struct repaired_part *parts;
	size_t count, room;
};

/*
 * Begins a part, at a multiple of 8 bytes of the repaired image.  False if out
 * of memory.  Appending to the image may fail later: see buf.failed.
 */
bool repaired_begin(struct repaired *, uint64_t from, bool damaged);

/* Writes the intact parts of a damaged image as an image without damage. */
typedef enum prof_status codec_repair(struct prof_context *,
    struct prof_span image, struct repaired *, struct prof_error *);

struct salvage_codec {
	codec_open *open;
	codec_repair *repair;	/* NULL: the image is read up to the damage */
	/* Records are lines: an image that ends within a line was cut. */
	bool by_lines;
};

/*
 * A reader of the intact parts of a damaged image, or the codec's own reader if
 * there is no damage.  NULL if nothing is intact.
 */
struct prof_reader *salvage(struct prof_context *, const struct salvage_codec *,
    struct prof_span image, struct prof_error *);

/*
 * The codecs, whose rows are in format/registry.c.  X_sniff recognises a format
 * by the first bytes of an image, X_length is prof_length of one format (it may
 * report why the bytes end there), X_versions are the versions that can be
 * written.
 */
typedef bool codec_sniff(struct prof_span first_bytes);
typedef struct prof_writer *codec_create(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
typedef void codec_versions(struct prof_versions *);
typedef size_t codec_length(struct prof_span bytes, uint64_t *looked,
    struct prof_error *);

codec_sniff raw_sniff, indexed_sniff, lprf_sniff, memprof_raw_sniff,
    yaml_sniff, text_sniff, stream_sniff;
codec_open raw_open, indexed_open, lprf_open, memprof_raw_open, yaml_open,
    text_open, stream_open;
codec_create indexed_writer_new, lprf_writer_new, yaml_writer_new,
    text_writer_new, stream_writer_new;
codec_versions indexed_versions, lprf_versions;
codec_repair raw_repair, indexed_repair, memprof_raw_repair;
codec_length raw_length, indexed_length, memprof_raw_length;

/* Readers of pulled bytes; max_size is the limit of one raw image, in bytes. */
struct prof_reader *raw_open_pull(struct prof_context *, prof_pull *, void *arg,
    uint64_t max_size, struct prof_error *);
struct prof_reader *stream_open_pull(struct prof_context *, prof_pull *,
    void *arg, struct prof_error *);

extern const unsigned indexed_oldest, indexed_newest;	/* read, written */

/*
 * Text has no magic: text_sniff looks for a profile's first lines.  An image
 * that no codec recognises is read as text if text_printable.
 */
bool text_printable(struct prof_span first_bytes);

#endif
