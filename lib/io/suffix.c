#include "config.h"

#include "io/suffix.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct packing_suffix {
	const char *suffix;
	enum packing packing;
};

static const struct packing_suffix packings[] = {
	{ "gz", PACKING_GZIP }, { "tgz", PACKING_GZIP },
	{ "xz", PACKING_XZ }, { "txz", PACKING_XZ },
	{ "zst", PACKING_ZSTD }, { "tzst", PACKING_ZSTD },
};

/*
 * The first row of a format names files that a program names itself.  Formats
 * that are only read come last.
 */
static const struct format_suffix {
	const char *suffix, *format;
} formats[] = {
	{ "ndjson", "stream" }, { "jsonl", "stream" },
	{ "profdata", "indexed" }, { "proftext", "text" },
	{ "yaml", "yaml" }, { "lprf", "lprf" },
	{ "json", "stream" },
	{ "profraw", "raw" }, { "memprofraw", "memprof-raw" },
};

/* Whether a name of `size` bytes ends with a dot and the suffix. */
static bool
suffix_ends(const char *name, size_t size, const char *suffix)
{
	size_t n = strlen(suffix);

	return size > n && name[size - n - 1] == '.' &&
	    memcmp(name + size - n, suffix, n) == 0;
}

/* The compression that a suffix names; *size is of the path without it. */
static enum packing
suffix_split(const char *path, size_t *size)
{
	*size = strlen(path);
	for (size_t i = 0; i < COUNT(packings); i++) {
		if (suffix_ends(path, *size, packings[i].suffix)) {
			*size -= strlen(packings[i].suffix) + 1;
			return packings[i].packing;
		}
	}
	return PACKING_NONE;
}

enum packing
suffix_packing(const char *path)
{
	size_t size;

	return suffix_split(path, &size);
}

bool
suffix_is(const char *path, const char *suffix)
{
	size_t size;

	suffix_split(path, &size);
	return suffix_ends(path, size, suffix);
}

const char *
suffix_format(const char *path)
{
	size_t size;

	suffix_split(path, &size);
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (suffix_ends(path, size, formats[i].suffix))
			return formats[i].format;
	}
	return NULL;
}

const char *
suffix_of_format(const char *format)
{
	size_t i = 0;

	while (i < COUNT(formats) && strcmp(formats[i].format, format) != 0)
		i++;
	return i < COUNT(formats) ? formats[i].suffix : format;
}

const char *
suffix_format_named(const char *word)
{
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (strcmp(formats[i].format, word) == 0 ||
		    strcmp(formats[i].suffix, word) == 0)
			return formats[i].format;
	}
	return NULL;
}

/* Rows behind the first of a format are other names of its files. */
void
suffix_formats(const char *names[SUFFIX_FORMATS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(formats) && n < SUFFIX_FORMATS; i++) {
		if (suffix_of_format(formats[i].format) == formats[i].suffix)
			names[n++] = formats[i].format;
	}
	names[n] = NULL;
}
