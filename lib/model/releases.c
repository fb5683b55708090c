#include "model/releases.h"

#include <stddef.h>
#include <string.h>

/*
 * InstrProfData.inc, InstrProf.h and MemProfData.inc of the releases.  Raw
 * versions 3 and 6 and indexed version 3 were in use between releases only.
 */
static const struct releases table[] = {
	{ "raw", 1, "3.5", "3.7" },
	{ "raw", 2, "3.8", "3.8" },
	{ "raw", 3, "3.9", "3.9" },
	{ "raw", 4, "3.9", "9" },
	{ "raw", 5, "10", "12" },
	{ "raw", 6, "13", "13" },
	{ "raw", 7, "13", "13" },
	{ "raw", 8, "14", "17" },
	{ "raw", 9, "18", "18" },
	{ "raw", 10, "19", "22" },
	{ "raw", 11, "23", "23" },
	{ "indexed", 1, "3.5", "3.5" },
	{ "indexed", 2, "3.6", "3.7" },
	{ "indexed", 3, "3.8", "3.8" },
	{ "indexed", 4, "3.9", "5" },
	{ "indexed", 5, "6", "10" },
	{ "indexed", 6, "11", "11" },
	{ "indexed", 7, "12", "14" },
	{ "indexed", 8, "15", "15" },
	{ "indexed", 9, "16", "16" },
	{ "indexed", 10, "17", "17" },
	{ "indexed", 11, "18", "18" },
	{ "indexed", 12, "19", "21" },
	{ "indexed", 13, "22", "22" },
	{ "memprof-raw", 1, "14", "15" },
	{ "memprof-raw", 2, "16", "16" },
	{ "memprof-raw", 3, "17", "18" },
	{ "memprof-raw", 4, "19", "21" },
	{ "memprof-raw", 5, "22", "22" },
};

const struct releases *
releases_of(const char *format, uint64_t version)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (format != NULL && table[i].version == version &&
		    strcmp(table[i].format, format) == 0)
			return &table[i];
	}
	return NULL;
}
