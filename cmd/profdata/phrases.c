/*
 * LLVM's phrases for damaged profiles, from InstrProfReader.cpp of LLVM 22.  A
 * part of our own reason, which is more precise, selects the phrase.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/profdata/profdata.h"

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
};

/* The phrases for counters outside of their section. */
static bool
phrase_counters_outside(char *words, size_t size, const char *reason)
{
	const char *record = strstr(reason, ": ");
	uint64_t count, offset, bytes;

	record = record == NULL ? reason : record + 2;
	if (sscanf(record, "%" SCNu64 " counters at offset %" SCNu64 " exceed "
	    "the section's %" SCNu64, &count, &offset, &bytes) == 3 &&
	    offset <= bytes) {
		snprintf(words, size, MALFORMED ": number of counters %" PRIu64
		    " is greater than the maximum number of counters %" PRIu64,
		    count, (bytes - offset) / 8);
		return true;
	}
	if (sscanf(record, "counters offset %" SCNu64 " is outside the "
	    "section's %" SCNu64, &offset, &bytes) != 2)
		return false;
	if (offset > INT32_MAX && offset <= UINT32_MAX)
		offset |= (uint64_t)UINT32_MAX << 32;
	if (offset > INT64_MAX)
		snprintf(words, size, MALFORMED ": counter offset %" PRId64
		    " is negative", (int64_t)offset);
	else
		snprintf(words, size, MALFORMED ": counter offset %" PRIu64
		    " is greater than the maximum counter offset %" PRIu64,
		    offset, bytes == 0 ? 0 : bytes - 1);
	return true;
}

/* LLVM reads one version of raw profiles, which its phrase names. */
static bool
phrase_other_version(char *words, size_t size, const char *reason)
{
	uint64_t version;

	if (strstr(reason, "raw versions") == NULL || sscanf(reason,
	    "Version %" SCNu64 " is unknown", &version) != 1)
		return false;
	snprintf(words, size, "raw profile version mismatch: Profile uses raw "
	    "profile format version = %" PRIu64 "; expected version = 10\n"
	    "PLEASE update this tool to version in the raw profile, or "
	    "regenerate raw profile with expected version.", version);
	return true;
}

bool
profdata_llvm_phrase(char *words, size_t size, const char *reason)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		if (strstr(reason, phrases[i].part) == NULL)
			continue;
		snprintf(words, size, "%s", phrases[i].words);
		return true;
	}
	return phrase_counters_outside(words, size, reason) ||
	    phrase_other_version(words, size, reason);
}
