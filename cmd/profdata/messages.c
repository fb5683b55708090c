#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/messages.h"
#include "cmd/profdata/profdata.h"

static void
print_message(const char *kind, const char *where, const char *format, va_list
    ap)
{
	message_print("%s: ", kind);
	if (where != NULL)
		message_print("%s: ", where);
	message_vprint_lines(format, ap);
	message_print("\n");
}

void
profdata_fail(const char *where, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, format);
	print_message("error", where, format, ap);
	va_end(ap);
	exit(1);
}

void
profdata_out_of_memory(void)
{
	profdata_fail(NULL, "out of memory");
}

void
profdata_warning(const char *where, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_message("warning", where, format, ap);
	va_end(ap);
}

/*
 * Losses of a format are not reported: llvm-profdata reports none, and scripts
 * take any text on standard error for a failure.
 */
void
profdata_warn(void *arg, const struct prof_error *warning)
{
	static const char limit[] = ": counters are at their limit";
	static const char above[] = "have counters above 2^56";
	const struct profdata *p = arg;
	const char *reason = warning->reason, *hash;
	size_t size = strlen(reason), end = sizeof(limit) - 1;

	if (p->muted || warning->code == PROF_E_UNSUPPORTED)
		return;
	/* merge has named the large counter and each conflict already. */
	if ((p->command == PROFDATA_MERGE && strstr(reason, above) != NULL) ||
	    strstr(reason, "functions are incomplete") != NULL)
		return;
	hash = strstr(reason, ", hash 0x");
	if (size > end && strcmp(reason + size - end, limit) == 0 &&
	    hash != NULL)
		message_print("%s: %.*s: counter overflow\n", p->last_file,
		    (int)(hash - reason), reason);
	else
		profdata_warning(p->file, "%s", reason);
}

/* InstrProf.cpp, getInstrProfErrString. */
const char *
profdata_message(char message[PROFDATA_MESSAGE_SIZE],
    const struct prof_error *e)
{
	static const char *const words[] = {
		[PROF_E_FORMAT] = "unrecognized instrumentation profile "
		    "encoding format",
		[PROF_E_VERSION] = "unsupported instrumentation profile "
		    "format version",
		[PROF_E_TRUNCATED] = "truncated profile data",
		[PROF_E_CORRUPT] = "malformed instrumentation profile data",
	};
	const char *word = (size_t)e->code < sizeof(words) / sizeof(words[0]) ?
	    words[e->code] : NULL;
	char place[40] = "", phrase[PROFDATA_PHRASE_SIZE];

	if (e->where == PROF_AT_BYTE)
		snprintf(place, sizeof(place), "0x%" PRIx64 ": ", e->offset);
	else if (e->where == PROF_AT_LINE)
		snprintf(place, sizeof(place), "line %" PRIu64 ": ",
		    e->offset);
	if ((e->code == PROF_E_TRUNCATED || e->code == PROF_E_CORRUPT ||
	    e->code == PROF_E_VERSION) &&
	    profdata_llvm_phrase(phrase, sizeof(phrase), e->reason))
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s (%s%s)", phrase,
		    place, e->reason);
	else if (word == NULL || e->code == PROF_E_FORMAT)
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s",
		    word == NULL ? e->reason : word);
	else
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s: %s%s", word,
		    place, e->reason);
	return message;
}

void
profdata_fail_reading(const char *where, const struct prof_error *e)
{
	char message[PROFDATA_MESSAGE_SIZE];

	profdata_fail(where, "%s%s", profdata_message(message, e),
	    e->code != PROF_E_FORMAT ? "" : "\nnote: Perhaps you forgot to "
	    "use the --sample or --memory option?");
}
