/*
 * codec.h - what a format is to the rest of the library
 *
 * A format is a row of the table in format/registry.c; a codec's own structure begins
 * with struct prof_reader or struct prof_writer and is reached through its
 * operations.
 */
#ifndef FORMAT_CODEC_H
#define FORMAT_CODEC_H

#include "model/guid_cache.h"
#include "prof.h"

struct context_cache;

struct prof_context {
	prof_warn *warn;
	void *arg;
	bool salvage, salvaged;
	bool thorough;		/* see prof_context_thorough */
	bool blocks;		/* see prof_context_blocks */
	bool pairs;		/* see prof_context_pairs */
	prof_consumed *consumed;	/* or NULL */
	void *consumed_arg;
	struct context_cache *cache;	/* of images before */
	struct guids guids;	/* of targets in streams */
};

struct prof_reader {
	const struct reader_ops *ops;
	struct prof_context *context;	/* may be NULL */
	const struct prof_span *selected;	/* NULL: all functions */
	size_t selected_size;
	bool done;			/* PROF_END or PROF_FAIL was given */
};

struct reader_ops {
	enum prof_status (*next)(struct prof_reader *, struct prof_record *,
	    struct prof_error *);
	/*
	 * NULL: prof_next leaves out the functions that are not selected.
	 * Otherwise the codec looks the names up by itself.
	 */
	void (*select)(struct prof_reader *);
	/* As prof_block_functions; NULL: it gives no blocks. */
	const struct prof_function *(*functions)(struct prof_reader *,
	    const struct prof_block *, struct prof_error *);
	/* As prof_block_retain; NULL: there is nothing to hold. */
	void *(*hold)(struct prof_reader *);
	/* As prof_block_name; NULL: the values have their names. */
	struct prof_span (*name)(const struct prof_reader *, uint64_t guid);
	void (*close)(struct prof_reader *);
};

struct prof_writer {
	const struct writer_ops *ops;
	struct prof_context *context;	/* may be NULL */
	prof_sink *sink;
	void *arg;
};

struct writer_ops {
	enum prof_status (*put)(struct prof_writer *,
	    const struct prof_record *, struct prof_error *);
	/* NULL: blocks are put as functions. */
	enum prof_status (*put_block)(struct prof_writer *,
	    const struct prof_block *, struct prof_error *);
	enum prof_status (*finish)(struct prof_writer *, struct prof_error *);
	void (*abort)(struct prof_writer *, const char *reason);  /* or NULL */
	void (*free)(struct prof_writer *);
};

/* Passes a warning on, if there is somebody to take it. */
void warn_at(struct prof_context *, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void warn_line(struct prof_context *, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void warn_set(struct prof_context *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what is dropped. */
void warn_lost_at(struct prof_context *, uint64_t offset, const char *format,
    ...) __attribute__((format(printf, 3, 4)));
void warn_lost(struct prof_context *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Hands bytes to the writer's sink; PROF_E_SYSTEM if it refuses them. */
enum prof_status sink_write(struct prof_writer *, const void *, size_t,
    struct prof_error *);

/* A layout for blocks, other than all before. */
size_t block_layout(void);

/* Names the targets of a block's values of a kind, which are the reader's. */
void block_name_values(const struct prof_block *, int kind,
    const struct prof_sites *);

/* A reader of a whole image, or NULL with the reason. */
typedef struct prof_reader *codec_open(struct prof_context *,
    struct prof_span image, struct prof_error *);

/* Whether all records of an image can be read; no reason is given if not. */
bool codec_decodes(codec_open *, struct prof_span image);

/* How a damaged image is salvaged (format/salvage.c). */
struct repaired;

struct salvage_codec {
	codec_open *open;
	/* Lays down what is whole; NULL: the image is read up to the damage. */
	enum prof_status (*repair)(struct prof_context *, struct prof_span image,
	    struct repaired *, struct prof_error *);
	bool by_lines;		/* the last one ends with newline too */
};

/* A reader of what can be salvaged; of a whole image, the codec's own. */
struct prof_reader *salvage(struct prof_context *, const struct salvage_codec *,
    struct prof_span image, struct prof_error *);

/* The codecs. */
bool raw_sniff(struct prof_span first_bytes);
struct prof_reader *raw_open(struct prof_context *, struct prof_span image,
    struct prof_error *);

enum prof_status raw_repair(struct prof_context *, struct prof_span,
    struct repaired *, struct prof_error *);
/* As prof_length. */
size_t raw_length(struct prof_span bytes, uint64_t *looked);
struct prof_writer *raw_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
extern const unsigned raw_written_oldest, raw_written_newest;

bool indexed_sniff(struct prof_span first_bytes);
struct prof_reader *indexed_open(struct prof_context *, struct prof_span image,
    struct prof_error *);
enum prof_status indexed_repair(struct prof_context *, struct prof_span,
    struct repaired *, struct prof_error *);
size_t indexed_length(struct prof_span bytes, uint64_t *looked);
struct prof_writer *indexed_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
extern const unsigned indexed_oldest, indexed_newest;

/* Text is claimed if it looks like a profile; printable, it may be tried. */
bool text_sniff(struct prof_span first_bytes);
bool text_printable(struct prof_span first_bytes);
struct prof_reader *text_open(struct prof_context *, struct prof_span image,
    struct prof_error *);
struct prof_writer *text_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

bool lprf_sniff(struct prof_span first_bytes);
struct prof_reader *lprf_open(struct prof_context *, struct prof_span image,
    struct prof_error *);
struct prof_writer *lprf_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

bool memprof_raw_sniff(struct prof_span first_bytes);
struct prof_reader *memprof_raw_open(struct prof_context *,
    struct prof_span image, struct prof_error *);
enum prof_status memprof_raw_repair(struct prof_context *, struct prof_span,
    struct repaired *, struct prof_error *);
size_t memprof_raw_length(struct prof_span bytes, uint64_t *looked);
struct prof_writer *memprof_raw_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
extern const unsigned memprof_raw_written_oldest, memprof_raw_written_newest;

bool yaml_sniff(struct prof_span first_bytes);
struct prof_reader *yaml_open(struct prof_context *, struct prof_span image,
    struct prof_error *);
struct prof_writer *yaml_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

bool stream_sniff(struct prof_span first_bytes);
struct prof_reader *stream_open(struct prof_context *, struct prof_span image,
    struct prof_error *);
struct prof_reader *stream_open_pull(struct prof_context *, prof_pull *,
    void *arg, struct prof_error *);
struct prof_writer *stream_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

#endif
