#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "cmd/common/messages.h"
#include "cmd/profdata/profdata.h"
#include "io/output.h"

enum { FLUSH_AT = 1 << 16 };

struct profdata_out {
	const char *path;
	struct output *file;
	struct buf text;
	bool terminal;
};

struct profdata_out *
profdata_out_open(struct profdata *p)
{
	struct profdata_out *o = calloc(1, sizeof(*o));
	struct prof_error err = { 0 };

	if (o == NULL)
		profdata_out_of_memory();
	o->path = p->options.output == NULL ? "-" : p->options.output;
	o->file = output_open(o->path, false, &err);
	if (o->file == NULL)
		profdata_fail(o->path, "%s", err.reason);
	o->terminal = strcmp(o->path, "-") == 0 && isatty(STDOUT_FILENO);
	return o;
}

static void
profdata_out_flush(struct profdata_out *o)
{
	int e;

	if (o->text.failed)
		profdata_out_of_memory();
	/* LLVM prints names as they are. */
	if (o->terminal)
		printable_mask_lines(o->text.data, o->text.size);
	e = output_write(o->file, o->text.data, o->text.size);
	if (e != 0)
		profdata_fail(o->path, "%s", strerror(e));
	o->text.size = 0;
}

void
profdata_put(struct profdata_out *o, struct prof_span s)
{
	buf_put(&o->text, s.data, s.size);
	if (o->text.size >= FLUSH_AT)
		profdata_out_flush(o);
}

void
profdata_print(struct profdata_out *o, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(&o->text, format, ap);
	va_end(ap);
	if (o->text.size >= FLUSH_AT)
		profdata_out_flush(o);
}

void
profdata_out_close(struct profdata_out *o)
{
	struct prof_error err = { 0 };

	profdata_out_flush(o);
	if (output_commit(o->file, &err) != PROF_OK)
		profdata_fail(o->path, "%s", err.reason);
	buf_free(&o->text);
	free(o);
}

void
profdata_out_discard(struct profdata_out *o)
{
	output_discard(o->file);
	buf_free(&o->text);
	free(o);
}

int
profdata_printed(void)
{
	return stdio_close(stdout) != 0;
}
