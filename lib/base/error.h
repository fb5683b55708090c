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

/* The code and reason of another failure, without its position. */
enum prof_status err_repeat(struct prof_error *err,
    const struct prof_error *failure);

/*
 * For libraries that do not tell lack of memory from other failures, or from
 * absence.  Between err_memory_begin and err_memory_seen their calls stand; the
 * latter is whether an allocation failed, which errno shows.  err_if_memory
 * replaces the status and any error by "out of memory" in that case.
 */
void err_memory_begin(void);
bool err_memory_seen(void);
enum prof_status err_if_memory(enum prof_status, struct prof_error *);

/* Fills in the reason of a warning and calls warn, which may be NULL. */
void err_report(prof_warn *, void *arg, struct prof_error, const char *format,
    va_list);

/* strerror(errno_value) behind "what: " as PROF_E_SYSTEM. */
enum prof_status err_system(struct prof_error *err, int errno_value,
    const char *what);

/* Whether a failure says nothing of the input: memory or a library lacks. */
static inline bool
err_is_lack(enum prof_code code)
{
	return code == PROF_E_MEMORY || code == PROF_E_LIBRARY;
}

/* A number for %llu in messages. */
static inline unsigned long long
ull(uint64_t n)
{
	return n;
}

/* "truncated", for reports. */
const char *err_code_name(enum prof_code);

/*
 * How the message of a damaged input begins: "truncated: " or "damaged: ".  The
 * reasons of other codes say themselves what is wrong: "not a profile: ...".
 */
const char *err_damage_word(enum prof_code);

/*
 * A name made fit for a message: bytes that do not print become '?', long ones
 * are cut with "...".  buf is at least ERR_NAME_SIZE.
 */
#define ERR_NAME_SIZE 72
const char *err_name(char *buf, struct prof_span name);

/* The reason of PROF_E_FORMAT where there was nothing to sum or to show. */
#define ERR_NO_PROFILE "no profile in the input"

#endif
