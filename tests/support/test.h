/*
 * tests/support/test.h - unit tests that speak TAP
 *
 * A test program is tables and loops that call check() for each row, and ends
 * with `return done_testing();`.
 */
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static unsigned test_count, test_failures;

static inline bool __attribute__((format(printf, 5, 6)))
test_check(bool ok, const char *file, int line, const char *expression,
    const char *format, ...)
{
	va_list ap;

	printf("%s %u - ", ok ? "ok" : "not ok", ++test_count);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	if (!ok) {
		test_failures++;
		printf("# %s:%d: %s\n", file, line, expression);
	}
	fflush(stdout);		/* a crash must not swallow it */
	return ok;
}

/* One result, named by a printf format; gives back the condition. */
#define check(condition, ...)						\
	test_check((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

/* What main returns. */
static inline int
done_testing(void)
{
	printf("1..%u\n", test_count);
	return test_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/*
 * Instead of any check: the program cannot run here.  TAP says so by its plan;
 * the driver takes any status but 0 for a failure.
 */
static inline _Noreturn void
skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	exit(EXIT_SUCCESS);
}

#endif
