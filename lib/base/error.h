/* base/error.h - filling in a struct prof_error */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>

#include "prof/base.h"

/*
 * Each sets *err unless an earlier failure is there already, and returns
 * PROF_FAIL so that callers can return it in turn.  err may be NULL.
 */
enum prof_status err_at(struct prof_error *err, enum prof_code,
    uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum prof_status err_line(struct prof_error *err, enum prof_code,
    uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum prof_status err_set(struct prof_error *err, enum prof_code,
    const char *format, ...) __attribute__((format(printf, 3, 4)));
enum prof_status err_memory(struct prof_error *err);

/* Fills in the reason of a warning and calls warn, which may be NULL. */
void err_report(prof_warn *, void *arg, struct prof_error, const char *format,
    va_list);

/* strerror(errno_value) behind "what: " as PROF_E_SYSTEM. */
enum prof_status err_system(struct prof_error *err, int errno_value,
    const char *what);

/* A number for %llu in messages. */
static inline unsigned long long
ull(uint64_t n)
{
	return n;
}

/* "truncated", for reports. */
const char *err_code_name(enum prof_code);

/*
 * A name made fit for a message: bytes that do not print become '?', long ones
 * are cut with "...".  buf is at least ERR_NAME_SIZE.
 */
#define ERR_NAME_SIZE 72
const char *err_name(char *buf, struct prof_span name);

#endif
