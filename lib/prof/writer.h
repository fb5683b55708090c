/* prof/writer.h - writers: records to bytes */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libprof/write.h"	/* prof_sink */
#include "prof/reader.h"

/*
 * Writers.  Records are put in the order of prof-stream(5), from PROFILE to
 * END.  Nothing of the output is valid before prof_finish succeeds.
 */
struct prof_writer;

/*
 * A temporary file for data that a writer needs until it is finished, which
 * then take no memory.  write appends; read returns bytes written before, from
 * an offset.  Both return 0 or an errno value.
 */
struct prof_scratch {
	void *arg;
	prof_sink *write;
	int (*read)(void *arg, uint64_t offset, void *data, size_t size);
};

struct prof_target {
	/* stream, indexed, text, lprf or yaml */
	const char *format;
	unsigned version;	/* of the format; 0 is the newest */
	bool plain;		/* lprf 2: blocks are not compressed */
	/*
	 * lprf 2: the caller promises functions in the order of
	 * prof-stream(5), so that the writer need not store and sort them.
	 */
	bool in_order;
	bool no_vtable_names;	/* indexed, text: names of vtables left out */
	bool no_byte_coverage;	/* text: not said that counters are bytes */
	/*
	 * Heap profiles in indexed files.  memprof_version is the version of
	 * the section plus 1, or 0 for the one that suits the file's version.
	 * memprof_full_schema stores all fields and not only those that
	 * compilers read.
	 */
	unsigned memprof_version;
	bool memprof_full_schema;
	/*
	 * indexed: functions are laid out as llvm-profdata lays them out if it
	 * reads them in the order of the prof_put calls, all functions of one
	 * name being put together.  Temporal traces are not sampled.
	 */
	bool as_arrived;
	/*
	 * The caller promises that names and counts of functions stay valid and
	 * unchanged until prof_finish, so that the writer borrows them instead
	 * of copying, and that functions come in the order of prof-stream(5)
	 * unless as_arrived is set.
	 */
	bool borrows;
	/*
	 * If not 0: lower bound of the section's version, plus 1, unless
	 * readers of the file's version do not know it; and the schema in place
	 * of the usual one (bit 1 << N for field N).
	 */
	unsigned memprof_at_least;
	uint32_t memprof_fields;
	const struct prof_scratch *scratch;	/* indexed: or NULL */
};

struct prof_writer *prof_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);
enum prof_status prof_put(struct prof_writer *, const struct prof_record *,
    struct prof_error *);

/*
 * Takes the place of the prof_put calls for all functions of a name that the
 * caller leaves out.  Up to LLVM 16, llvm-profdata --sparse writes indexed
 * files in the order of a hash map that holds these names too (InstrProfWriter.
 * cpp, writeImpl), so that the order of the others depends on them.  Does
 * nothing for other formats and versions.  The name is borrowed as that of a
 * function is (prof_target.borrows).
 */
enum prof_status prof_omit(struct prof_writer *, const struct prof_symbol *,
    struct prof_error *);
enum prof_status prof_finish(struct prof_writer *, struct prof_error *);

/* What a writer was given, in records. */
struct prof_written {
	uint64_t functions;	/* put, unless the format is of heap profiles */
	uint64_t heap;		/* put: allocations and heap functions */
	uint64_t nameless;	/* of the functions: left out, without a name */
	unsigned memprof_version;	/* as of prof_source, when finished */
};

/* Sums up to the last prof_put. */
struct prof_written prof_writer_written(const struct prof_writer *);

/*
 * Ends a half-written stream with an `abort` record, which makes its reader
 * fail with the reason.  Does nothing for other formats.  Profiles may follow,
 * for the eyes of people and for programs that read lines.
 */
void prof_abort(struct prof_writer *, const char *reason);
void prof_writer_free(struct prof_writer *);	/* after success or failure */

/*
 * The library's own copy of the name of a format, which is valid for ever; NULL
 * for a NULL and for a name that is none.  For callers that keep a header
 * longer than its record, as the text in prof_source belongs to the reader.
 */
const char *prof_format_name(const char *name);

/* Versions of a format that can be written. */
struct prof_versions {
	unsigned oldest, newest;
	/*
	 * Written unless another version is asked for: that of the newest
	 * release of LLVM whose own files were at hand, so that it is read.
	 */
	unsigned usual;
};

/* False if there is no such format. */
bool prof_writable(const char *format, struct prof_versions *);

#endif
