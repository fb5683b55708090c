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

static const struct packing_suffix *
packing_suffix_of(const char *path)
{
	for (size_t i = 0; i < COUNT(packings); i++) {
		if (suffix_ends(path, strlen(path), packings[i].suffix))
			return &packings[i];
	}
	return NULL;
}

enum packing
suffix_packing(const char *path)
{
	const struct packing_suffix *p = packing_suffix_of(path);

	return p == NULL ? PACKING_NONE : p->packing;
}

bool
suffix_is(const char *path, const char *suffix)
{
	const struct packing_suffix *p = packing_suffix_of(path);

	return suffix_ends(path, strlen(path) - (p == NULL ? 0 :
	    strlen(p->suffix) + 1), suffix);
}

const char *
suffix_format(const char *path)
{
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (suffix_is(path, formats[i].suffix))
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
