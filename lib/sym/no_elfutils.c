/*
 * In place of what looks into binaries in a build --without-elfutils: none can
 * be opened, so that most of these are never called.
 */
#include "config.h"

#include "base/error.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"

struct correlate {
	char none;
};

static enum prof_status
refuse_binaries(struct prof_error *err)
{
	return err_not_built(err, "elfutils", "finds functions in binaries");
}

struct binary *
binary_open(const char *path, const struct binary_search *search,
    struct prof_error *err)
{
	(void)path;
	(void)search;
	refuse_binaries(err);
	return NULL;
}

void
binary_close(struct binary *b)
{
	(void)b;
}

const char *
binary_path(const struct binary *b)
{
	(void)b;
	return "";
}

struct prof_span
binary_build_id(const struct binary *b)
{
	(void)b;
	return (struct prof_span){ NULL, 0 };
}

enum prof_status
binary_section(struct binary *b, const char *name, struct binary_section *s,
    struct prof_error *err)
{
	(void)b;
	(void)name;
	(void)s;
	return refuse_binaries(err);
}

enum prof_status
binary_visit_names(struct binary *b, binary_visit_name *visit, void *arg,
    struct prof_error *err)
{
	(void)b;
	(void)visit;
	(void)arg;
	return refuse_binaries(err);
}

struct symbolize *
symbolize_new(const struct symbolize_options *options, struct prof_error *err)
{
	(void)options;
	refuse_binaries(err);
	return NULL;
}

enum prof_status
symbolize_record(struct symbolize *s, const struct prof_record *in,
    struct prof_record *out, struct prof_error *err)
{
	(void)s;
	(void)in;
	(void)out;
	return refuse_binaries(err);
}

enum prof_status
symbolize_finish(struct symbolize *s, struct prof_error *err)
{
	(void)s;
	return refuse_binaries(err);
}

void
symbolize_free(struct symbolize *s)
{
	(void)s;
}

/* Not NULL, which means out of memory: each record is refused. */
struct correlate *
correlate_new(struct binary *const *binaries, size_t count,
    const struct binary_search *search, prof_warn *warn, void *warn_arg)
{
	static struct correlate refusing;

	(void)binaries;
	(void)count;
	(void)search;
	(void)warn;
	(void)warn_arg;
	return &refusing;
}

enum prof_status
correlate_put(struct correlate *c, const struct prof_record *r,
    correlate_emit *emit, void *arg, struct prof_error *err)
{
	(void)c;
	(void)r;
	(void)emit;
	(void)arg;
	return refuse_binaries(err);
}

void
correlate_free(struct correlate *c)
{
	(void)c;
}
