/*
 * cmd/common/message_text.h - text for a terminal that may contain foreign text
 *
 * Names of functions, files and archive members, and values of options may hold
 * any byte: those that change the state of a terminal are printed as '?'.  Only
 * this file and progress.c write to standard error (tests/programs/lint.bats).
 */
#ifndef CMD_COMMON_MESSAGE_TEXT_H
#define CMD_COMMON_MESSAGE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * As fprintf and vfprintf of masked text, to standard error if the file is
 * NULL; a newline at the begin and at the end of the format stays.  Text above
 * 1 KB is cut there if memory is out.
 */
void message_print_to(FILE *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void message_vprint_to(FILE *, const char *format, va_list)
    __attribute__((format(printf, 2, 0)));

/* The same to standard error. */
void message_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void message_vprint(const char *format, va_list)
    __attribute__((format(printf, 1, 0)));

/* To standard error, with printable_mask_lines: messages of several lines. */
void message_vprint_lines(const char *format, va_list)
    __attribute__((format(printf, 1, 0)));

/* Writes to standard error what message_print_to made of several messages. */
void message_repeat(const char *text, size_t size);

#endif
