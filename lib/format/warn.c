/* Warnings of readers and writers, which go to their context. */
#include <stdarg.h>

#include "base/error.h"
#include "format/codec.h"

static void
warn(struct prof_context *c, struct prof_error e, const char *format,
    va_list ap)
{
	if (c != NULL)
		err_tell(c->warn, c->arg, e, format, ap);
}

void
warn_at(struct prof_context *c, uint64_t offset, const char *format, ...)
{
	struct prof_error e = { .where = PROF_AT_BYTE, .offset = offset };
	va_list ap;

	va_start(ap, format);
	warn(c, e, format, ap);
	va_end(ap);
}

void
warn_line(struct prof_context *c, uint64_t line, const char *format, ...)
{
	struct prof_error e = { .where = PROF_AT_LINE, .offset = line };
	va_list ap;

	va_start(ap, format);
	warn(c, e, format, ap);
	va_end(ap);
}

void
warn_set(struct prof_context *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	warn(c, (struct prof_error){ 0 }, format, ap);
	va_end(ap);
}

void
warn_lost_at(struct prof_context *c, uint64_t offset, const char *format, ...)
{
	struct prof_error e = { .code = PROF_E_UNSUPPORTED,
	    .where = PROF_AT_BYTE, .offset = offset };
	va_list ap;

	va_start(ap, format);
	warn(c, e, format, ap);
	va_end(ap);
}

void
warn_lost(struct prof_context *c, const char *format, ...)
{
	struct prof_error e = { .code = PROF_E_UNSUPPORTED };
	va_list ap;

	va_start(ap, format);
	warn(c, e, format, ap);
	va_end(ap);
}
