#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where an error is. */
struct err_place {
	enum prof_where where;
	uint64_t offset;
};

static enum prof_status
err_fill(struct prof_error *err, enum prof_code code, struct err_place place,
    const char *format, va_list ap)
{
	if (err == NULL || err->code != PROF_E_NONE)
		return PROF_FAIL;
	err->code = code;
	err->where = place.where;
	err->offset = place.offset;
	vsnprintf(err->reason, sizeof(err->reason), format, ap);
	return PROF_FAIL;
}

void
err_report(prof_warn *warn, void *arg, struct prof_error e, const char *format,
    va_list ap)
{
	if (warn == NULL)
		return;
	vsnprintf(e.reason, sizeof(e.reason), format, ap);
	warn(arg, &e);
}

enum prof_status
err_at(struct prof_error *err, enum prof_code code, uint64_t offset,
    const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_fill(err, code, (struct err_place){ PROF_AT_BYTE, offset }, format,
	    ap);
	va_end(ap);
	return PROF_FAIL;
}

enum prof_status
err_line(struct prof_error *err, enum prof_code code, uint64_t line,
    const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_fill(err, code, (struct err_place){ PROF_AT_LINE, line }, format,
	    ap);
	va_end(ap);
	return PROF_FAIL;
}

enum prof_status
err_set(struct prof_error *err, enum prof_code code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_fill(err, code, (struct err_place){ PROF_NOWHERE, 0 }, format, ap);
	va_end(ap);
	return PROF_FAIL;
}

enum prof_status
err_repeat(struct prof_error *err, const struct prof_error *failure)
{
	return err_set(err, failure->code, "%s", failure->reason);
}

enum prof_status
err_memory(struct prof_error *err)
{
	return err_set(err, PROF_E_MEMORY, "out of memory");
}

void
err_memory_begin(void)
{
	errno = 0;
}

bool
err_memory_seen(void)
{
	return errno == ENOMEM;
}

enum prof_status
err_if_memory(enum prof_status status, struct prof_error *err)
{
	if (!err_memory_seen())
		return status;
	if (err != NULL)
		*err = (struct prof_error){ 0 };
	return err_memory(err);
}

enum prof_status
err_system(struct prof_error *err, int errno_value, const char *what)
{
	return err_set(err, PROF_E_SYSTEM, "%s: %s", what,
	    strerror(errno_value));
}

const char *
err_name(char *buf, struct prof_span name)
{
	size_t shown = name.size;
	bool cut = shown > ERR_NAME_SIZE - 1;

	if (cut)
		shown = ERR_NAME_SIZE - 4;
	for (size_t i = 0; i < shown; i++) {
		uint8_t c = name.data[i];
		buf[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	memcpy(buf + shown, "...", cut ? 4 : 0);
	if (!cut)
		buf[shown] = '\0';
	return buf;
}

const char *
err_code_name(enum prof_code code)
{
	static const char *const names[] = {
		[PROF_E_NONE] = "none",
		[PROF_E_FORMAT] = "format",
		[PROF_E_VERSION] = "version",
		[PROF_E_TRUNCATED] = "truncated",
		[PROF_E_CORRUPT] = "corrupt",
		[PROF_E_MISMATCH] = "mismatch",
		[PROF_E_LIMIT] = "limit",
		[PROF_E_UNSUPPORTED] = "unsupported",
		[PROF_E_MEMORY] = "memory",
		[PROF_E_SYSTEM] = "system",
		[PROF_E_LIBRARY] = "library",
	};

	return names[code];
}

const char *
err_damage_word(enum prof_code code)
{
	return code == PROF_E_TRUNCATED ? "truncated: " :
	    code == PROF_E_CORRUPT ? "damaged: " : "";
}
