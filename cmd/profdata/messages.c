/* Text of llvm-profdata: its messages, in the words of LLVM, and its output. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/common/messages.h"
#include "io/output.h"

/*
 * LLVM's phrases, from InstrProfReader.cpp of LLVM 22: of the first row whose
 * part is in our own reason, which is more precise.
 */

#define MALFORMED "malformed instrumentation profile data"
#define CORRUPT_HEADER \
	"invalid instrumentation profile data (file header is corrupt)"

static const struct {
	const char *part, *words;
} phrases[] = {
	{ "NumCounters is 0", MALFORMED ": number of counters is zero" },
	{ "the number of counters is 0",
	    MALFORMED ": number of counters is zero" },
	{ "are not the header of another",
	    MALFORMED ": not enough space for another header" },
	{ "do not begin with the magic of the first",
	    "invalid instrumentation profile data (bad magic)" },
	{ "is not a flag of text profiles", CORRUPT_HEADER },
	{ "header of version", CORRUPT_HEADER },
	{ "header: ", CORRUPT_HEADER },
	{ "binary id: 8 bytes of a length",
	    MALFORMED ": not enough data to read binary id length" },
	{ "binary id: length is 0", MALFORMED ": binary id length is 0" },
	{ "binary id: length",
	    MALFORMED ": not enough data to read binary id data" },
	{ "BinaryIdsSize", CORRUPT_HEADER },
	{ "NumData", CORRUPT_HEADER },
	{ "NumCounters", CORRUPT_HEADER },
	{ "NumBitmapBytes", CORRUPT_HEADER },
	{ "NamesSize", CORRUPT_HEADER },
	{ "is not a counter", MALFORMED ": count is invalid" },
	{ "is not a function's hash",
	    MALFORMED ": function hash is not a valid integer" },
	{ "is not a number of counters",
	    MALFORMED ": number of counters is not a valid integer" },
	{ "is not a number of bitmap bytes",
	    MALFORMED ": number of bitmap bytes is not a valid integer" },
	{ "is not a bitmap byte",
	    MALFORMED ": bitmap byte is not a valid integer" },
	{ "is not a number of value kinds",
	    MALFORMED ": number of value kinds is invalid" },
	{ "is not a value kind", MALFORMED ": value kind is invalid" },
	{ "counters at offset", MALFORMED
	    ": number of counters is greater than the maximum" },
	{ "counters offset", MALFORMED ": counter offset is out of range" },
	{ "raw versions", "raw profile version mismatch" },
};

void
profdata_out_of_memory(void)
{
	llvm_fail(NULL, "out of memory");
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

	if (p->cli.report.muted || (warning->code == PROF_E_UNSUPPORTED &&
	    strstr(reason, "incomplete in the debug info") == NULL))
		return;
	/* merge has named the large counter and each conflict already. */
	if (p->command == PROFDATA_MERGE && strstr(reason, above) != NULL)
		return;
	hash = strstr(reason, ", hash 0x");
	if (size > end && strcmp(reason + size - end, limit) == 0 &&
	    hash != NULL)
		message_print("%s: %.*s: counter overflow\n",
		    p->last_file == NULL ? "" : p->last_file,
		    (int)(hash - reason), reason);
	else
		llvm_warn(p->cli.inputs.file, "%s", reason);
}

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
		[PROF_E_CORRUPT] = MALFORMED,
	};
	const size_t rows = sizeof(phrases) / sizeof(phrases[0]);
	const char *word = (size_t)e->code < sizeof(words) / sizeof(words[0]) ?
	    words[e->code] : NULL;
	char place[40] = "";
	size_t i = 0;

	if (e->where == PROF_AT_BYTE)
		snprintf(place, sizeof(place), "0x%" PRIx64 ": ", e->offset);
	else if (e->where == PROF_AT_LINE)
		snprintf(place, sizeof(place), "line %" PRIu64 ": ",
		    e->offset);
	while (i < rows && strstr(e->reason, phrases[i].part) == NULL)
		i++;
	if (word == NULL || e->code == PROF_E_FORMAT)
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s",
		    word == NULL ? e->reason : word);
	else if (i < rows)
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s (%s%s)",
		    phrases[i].words, place, e->reason);
	else
		snprintf(message, PROFDATA_MESSAGE_SIZE, "%s: %s%s", word,
		    place, e->reason);
	return message;
}

void
profdata_fail_reading(const struct profdata *p, const char *where,
    const struct prof_error *e)
{
	char message[PROFDATA_MESSAGE_SIZE];

	llvm_fail(where, "%s%s%s%s", profdata_message(message, e),
	    e->code != PROF_E_FORMAT ? "" : "\nnote: Perhaps you forgot to "
	    "use the --sample ", e->code != PROF_E_FORMAT ||
	    !profdata_since(p, 14) ? "" : "or --memory ",
	    e->code != PROF_E_FORMAT ? "" : "option?");
}

enum { FLUSH_AT = 1 << 16 };

struct profdata_out *
profdata_out_open(struct profdata *p)
{
	struct profdata_out *o = &p->out;

	o->cli = &p->cli;
	if (cli_open_bytes(o->cli, false) != PROF_OK)
		llvm_fail(p->cli.output.path, "%s", p->cli.err.reason);
	o->terminal = strcmp(p->cli.output.path, "-") == 0 &&
	    isatty(STDOUT_FILENO);
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
	e = output_write(o->cli->output.file, o->text.data, o->text.size);
	if (e != 0)
		llvm_fail(o->cli->output.path, "%s", strerror(e));
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
	profdata_out_flush(o);
	if (cli_commit_output(o->cli, NULL) != PROF_OK)
		llvm_fail(o->cli->output.path, "%s", o->cli->err.reason);
	buf_free(&o->text);
}

int
profdata_printed(void)
{
	return stdio_close(stdout) != 0;
}
