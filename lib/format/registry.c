/* The table of formats, and the calls that choose a codec by it. */
#include <fnmatch.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "format/codec.h"

static const struct format {
	const char *name;
	codec_sniff *sniff;
	codec_open *open;
	codec_create *create;		/* NULL: the format is only read */
	codec_versions *versions;	/* NULL: only version 1 is written */
	codec_repair *repair;		/* or NULL; see struct salvage_codec */
	codec_length *length;		/* or NULL */
	bool salvages;			/* without repair: up to the damage */
} formats[] = {
	{ "raw", raw_sniff, raw_open, NULL, NULL,
	    raw_repair, raw_length, true },
	{ "indexed", indexed_sniff, indexed_open, indexed_writer_new,
	    indexed_versions, indexed_repair, indexed_length, true },
	{ "lprf", lprf_sniff, lprf_open, lprf_writer_new,
	    lprf_versions, NULL, NULL, false },
	{ "memprof-raw", memprof_raw_sniff, memprof_raw_open, NULL, NULL,
	    memprof_raw_repair, memprof_raw_length, true },
	{ "yaml", yaml_sniff, yaml_open, yaml_writer_new,
	    NULL, NULL, NULL, false },
	{ "text", text_sniff, text_open, text_writer_new,
	    NULL, NULL, NULL, true },
	{ "stream", stream_sniff, stream_open, stream_writer_new,
	    NULL, NULL, NULL, true },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct format *
format_sniffed(struct prof_span first_bytes)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (formats[i].sniff(first_bytes))
			return &formats[i];
	}
	return NULL;
}

static const struct format *
format_by_name(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

static struct prof_versions
format_versions(const struct format *f)
{
	struct prof_versions versions = { 1, 1, 1 };

	if (f->versions != NULL)
		f->versions(&versions);
	return versions;
}

const char *
prof_format_name(const char *name)
{
	const struct format *f = name == NULL ? NULL : format_by_name(name);

	return f == NULL ? NULL : f->name;
}

const char *
prof_sniff(struct prof_span first_bytes)
{
	const struct format *f = format_sniffed(first_bytes);

	return f == NULL ? NULL : f->name;
}

bool
prof_is_foreign(const char *name, struct prof_span first_bytes)
{
	static const char *const suffixes[] = {
		"*.profraw", "*.profdata", "*.memprofraw", "*.proftext"
	};

	if (name == NULL || prof_sniff(first_bytes) != NULL)
		return false;
	/* What macOS keeps beside a file has the name of the file. */
	if (fnmatch("._*", name, 0) == 0 || fnmatch("*/._*", name, 0) == 0)
		return true;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (fnmatch(suffixes[i], name, 0) == 0)
			return false;
	}
	return true;
}

bool
prof_is_stream(struct prof_span first_bytes)
{
	return stream_sniff(first_bytes);
}

/* NULL, and the reason, if no codec reads what begins so. */
static const struct format *
format_of(struct prof_span first_bytes, struct prof_error *err)
{
	const struct format *f = format_sniffed(first_bytes);
	const char *kind;

	if (f != NULL)
		return f;
	if (text_printable(first_bytes))
		return format_by_name("text");
	kind = file_kind(first_bytes);
	if (first_bytes.size == 0)
		err_set(err, PROF_E_FORMAT,
		    "empty file: its program wrote no profile");
	else if (kind != NULL)
		err_set(err, PROF_E_FORMAT, "not a profile but %s", kind);
	else
		err_set(err, PROF_E_FORMAT, "not a profile: unknown magic");
	return NULL;
}

enum prof_status
prof_recognise(struct prof_span first_bytes, struct prof_error *err)
{
	return format_of(first_bytes, err) == NULL ? PROF_FAIL : PROF_OK;
}

struct prof_reader *
prof_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	const struct format *f = format_of(image, err);
	struct salvage_codec codec;

	if (f == NULL)
		return NULL;
	if (context == NULL || !context->salvage || !f->salvages)
		return f->open(context, image, err);
	codec = (struct salvage_codec){ f->open, f->repair,
	    f->open == text_open };
	return salvage(context, &codec, image, err);
}

enum prof_status
prof_length(struct prof_span bytes, size_t *size, uint64_t *looked,
    struct prof_error *err)
{
	const struct format *f = format_sniffed(bytes);
	struct prof_error why = { 0 };

	*looked = 0;
	*size = f == NULL || f->length == NULL ? 0 :
	    f->length(bytes, looked, &why);
	return why.code == PROF_E_MEMORY ? err_memory(err) : PROF_OK;
}

enum prof_status
prof_decodes(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	return codec_decodes(prof_open, context, image, err);
}

struct prof_reader *
prof_open_stream(struct prof_context *context, prof_pull *pull, void *arg,
    struct prof_error *err)
{
	return stream_open_pull(context, pull, arg, err);
}

bool
prof_has_images(struct prof_span first_bytes)
{
	return raw_sniff(first_bytes);
}

struct prof_reader *
prof_open_images(struct prof_context *context, prof_pull *pull, void *arg,
    uint64_t max_size, struct prof_error *err)
{
	return raw_open_pull(context, pull, arg, max_size, err);
}

bool
prof_writable(const char *format, struct prof_versions *versions)
{
	const struct format *f = format_by_name(format);

	if (f == NULL || f->create == NULL)
		return false;
	*versions = format_versions(f);
	return true;
}

struct prof_writer *
prof_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	const struct format *f = format_by_name(t->format);
	struct prof_target target = *t;
	struct prof_versions versions;

	if (f == NULL || f->create == NULL) {
		err_set(err, PROF_E_UNSUPPORTED, "format %s cannot be written",
		    t->format);
		return NULL;
	}
	versions = format_versions(f);
	if (target.version == 0)
		target.version = versions.usual;
	if (target.version < versions.oldest ||
	    target.version > versions.newest) {
		err_set(err, PROF_E_UNSUPPORTED, "%s version %u cannot be "
		    "written: versions %u to %u can", f->name, target.version,
		    versions.oldest, versions.newest);
		return NULL;
	}
	return f->create(context, &target, sink, arg, err);
}
