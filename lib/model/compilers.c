#include "model/compilers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* LLVM of a compiler from this version on. */
struct compiler_row {
	uint8_t major, minor, patch;
	uint8_t llvm, llvm_minor;
};

/* rustc, from its release notes. */
static const struct compiler_row rustc_rows[] = {
	{ 1, 37, 0, 8, 0 }, { 1, 38, 0, 9, 0 }, { 1, 45, 0, 10, 0 },
	{ 1, 47, 0, 11, 0 }, { 1, 52, 0, 12, 0 }, { 1, 56, 0, 13, 0 },
	{ 1, 60, 0, 14, 0 }, { 1, 65, 0, 15, 0 }, { 1, 70, 0, 16, 0 },
	{ 1, 73, 0, 17, 0 }, { 1, 78, 0, 18, 0 }, { 1, 82, 0, 19, 0 },
	{ 1, 87, 0, 20, 0 }, { 1, 91, 0, 21, 0 }, { 1, 94, 0, 22, 0 },
};

/*
 * Swift, from the branches of swiftlang/llvm-project that its release branches
 * were made of: stable/20190619 (5.2), 20200108 (5.3), 20200714 (5.4),
 * 20210107 (5.5), 20210726 (5.6), 20211026 (5.7), 20220421 (5.8), 20221013
 * (5.9), 20230725 (6.0), 20240723 (6.1), 21.x (6.3); and from the version of
 * clang in the build script before these.
 *
 * The branch of 13 October 2022 is of LLVM 16, but may be older than version 9
 * of indexed files, which came in that month: it counts as LLVM 15, whose
 * version it reads too.
 */
static const struct compiler_row swift_rows[] = {
	{ 4, 2, 0, 6, 0 }, { 5, 0, 0, 7, 0 }, { 5, 1, 0, 8, 0 },
	{ 5, 2, 0, 9, 0 }, { 5, 3, 0, 10, 0 }, { 5, 4, 0, 11, 0 },
	{ 5, 5, 0, 12, 0 }, { 5, 6, 0, 13, 0 }, { 5, 7, 0, 14, 0 },
	{ 5, 8, 0, 15, 0 }, { 6, 0, 0, 17, 0 }, { 6, 1, 0, 19, 0 },
	{ 6, 3, 0, 21, 0 },
};

/*
 * Apple clang and Xcode, from Wikipedia's table of Xcode's toolchains; Apple
 * clang 15 is of the branch of Swift 5.9.
 */
static const struct compiler_row apple_clang_rows[] = {
	{ 8, 0, 0, 3, 9 }, { 9, 0, 0, 4, 0 }, { 9, 1, 0, 5, 0 },
	{ 10, 0, 0, 6, 0 }, { 10, 0, 1, 7, 0 }, { 11, 0, 0, 8, 0 },
	{ 11, 0, 3, 9, 0 }, { 12, 0, 0, 10, 0 }, { 12, 0, 5, 11, 0 },
	{ 13, 0, 0, 12, 0 }, { 13, 1, 0, 13, 0 }, { 14, 0, 0, 14, 0 },
	{ 14, 0, 3, 15, 0 }, { 16, 0, 0, 17, 0 }, { 17, 0, 0, 19, 0 },
	{ 21, 0, 0, 21, 0 },
};
static const struct compiler_row xcode_rows[] = {
	{ 8, 1, 0, 3, 9 }, { 9, 0, 0, 4, 0 }, { 9, 3, 0, 5, 0 },
	{ 10, 0, 0, 6, 0 }, { 10, 2, 0, 7, 0 }, { 11, 0, 0, 8, 0 },
	{ 11, 4, 0, 9, 0 }, { 12, 0, 0, 10, 0 }, { 12, 5, 0, 11, 0 },
	{ 13, 0, 0, 12, 0 }, { 13, 3, 0, 13, 0 }, { 14, 0, 0, 14, 0 },
	{ 14, 3, 0, 15, 0 }, { 16, 0, 0, 17, 0 }, { 16, 3, 0, 19, 0 },
	{ 26, 4, 0, 21, 0 },
};

/* A compiler whose versions are not LLVM's, and the last one known. */
struct compiler {
	const char *name;
	const struct compiler_row *rows;
	size_t size;
	uint8_t last_major, last_minor;
};

#define ROWS(table) (table), COUNT(table)

static const struct compiler
    rustc = { "rustc", ROWS(rustc_rows), 1, 95 },
    swift = { "swift", ROWS(swift_rows), 6, 4 },
    apple_clang = { "apple-clang", ROWS(apple_clang_rows), 21, 0 },
    xcode = { "xcode", ROWS(xcode_rows), 26, 4 };

/* What a name begins with; NULL: the version is that of LLVM. */
static const struct {
	const char *word;
	const struct compiler *compiler;
} words[] = {
	{ "clang", NULL }, { "llvm", NULL }, { "rustc", &rustc },
	{ "rust", &rustc }, { "swift", &swift },
	{ "apple-clang", &apple_clang }, { "appleclang", &apple_clang },
	{ "xcode", &xcode }, { "", NULL },
};

/*
 * What stands before the version in a banner, the more special ones first.  The
 * clang of a Swift toolchain names versions that are not those of its LLVM.
 */
static const struct {
	const char *text;
	const struct compiler *compiler;
	bool meaningless;
} banners[] = {
	{ "github.com/apple/llvm-project", NULL, true },
	{ "github.com/swiftlang/llvm-project", NULL, true },
	{ "Apple clang version ", &apple_clang, false },
	{ "Apple LLVM version ", &apple_clang, false },
	{ "Swift version ", &swift, false },
	{ "rustc ", &rustc, false },
	{ "clang version ", NULL, false },
	{ "LLVM version ", NULL, false },
};

enum { NUMBERS = 3 };

/*
 * "16", "3.9" or "1.70.0"; those that are missing are 0.  Returns what follows,
 * or NULL if there is no number.
 */
static const char *
compiler_parse_version(const char *s, unsigned version[NUMBERS])
{
	memset(version, 0, NUMBERS * sizeof(*version));
	for (size_t i = 0; i < NUMBERS; i++) {
		char *end;
		unsigned long n;

		if (*s < '0' || *s > '9')
			return NULL;
		n = strtoul(s, &end, 10);
		if (n > 9999)
			return NULL;
		version[i] = (unsigned)n;
		if (*end != '.' || i == NUMBERS - 1)
			return end;
		s = end + 1;
	}
	return NULL;
}

static uint64_t
compiler_order(unsigned major, unsigned minor, unsigned patch)
{
	return ((uint64_t)major << 32) | (uint64_t)minor << 16 | patch;
}

static const struct llvm_release *
compiler_release(const struct compiler *c, const unsigned version[NUMBERS])
{
	uint64_t order = compiler_order(version[0], version[1], version[2]);
	const struct compiler_row *found = NULL;

	if (c == NULL)
		return llvm_release_numbered(version[0], version[1]);
	if (compiler_order(version[0], version[1], 0) >
	    compiler_order(c->last_major, c->last_minor, 0))
		return NULL;
	for (size_t i = 0; i < c->size; i++) {
		const struct compiler_row *r = &c->rows[i];

		if (order >= compiler_order(r->major, r->minor, r->patch))
			found = r;
	}
	return found == NULL ? NULL :
	    llvm_release_numbered(found->llvm, found->llvm_minor);
}

/* False if this is no word with a version behind it and nothing else. */
static bool
compiler_parse_name(const char *name, const struct compiler **compiler,
    unsigned version[NUMBERS])
{
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t size = strlen(words[i].word);
		const char *s = name + size, *end;

		if (strncasecmp(name, words[i].word, size) != 0)
			continue;
		if (size != 0 && *s == '-')
			s++;
		end = compiler_parse_version(s, version);
		*compiler = words[i].compiler;
		if (end != NULL && *end == '\0')
			return true;
	}
	return false;
}

const struct llvm_release *
compiler_named(const char *name)
{
	const struct compiler *c;
	unsigned version[NUMBERS];

	return compiler_parse_name(name, &c, version) ?
	    compiler_release(c, version) : NULL;
}

const struct llvm_release *
compiler_of_banner(const char *banner)
{
	unsigned version[NUMBERS];

	for (size_t i = 0; i < COUNT(banners); i++) {
		const char *at = strstr(banner, banners[i].text);

		if (at == NULL)
			continue;
		if (banners[i].meaningless || compiler_parse_version(at +
		    strlen(banners[i].text), version) == NULL)
			return NULL;
		return compiler_release(banners[i].compiler, version);
	}
	return NULL;
}

bool
compiler_nearest(const char *name, char nearest[COMPILER_NAME_SIZE])
{
	const struct compiler *c;
	unsigned version[NUMBERS];
	bool newer;

	if (!compiler_parse_name(name, &c, version))
		return false;
	newer = version[0] > (c == NULL ? llvm_release_newest()->major :
	    c->rows[0].major) || (c != NULL &&
	    version[0] == c->rows[0].major && version[1] > c->rows[0].minor);
	if (c == NULL)
		snprintf(nearest, COMPILER_NAME_SIZE, "clang-%s", newer ?
		    llvm_release_newest()->name : llvm_release_oldest()->name);
	else
		snprintf(nearest, COMPILER_NAME_SIZE, "%s-%u.%u", c->name,
		    newer ? c->last_major : c->rows[0].major,
		    newer ? c->last_minor : c->rows[0].minor);
	return true;
}

void
compiler_names(char text[COMPILER_NAMES_SIZE])
{
	static const struct compiler *const all[] = {
		&rustc, &swift, &apple_clang, &xcode
	};
	size_t n = (size_t)snprintf(text, COMPILER_NAMES_SIZE,
	    "clang-%s to clang-%s", llvm_release_oldest()->name,
	    llvm_release_newest()->name);

	for (size_t i = 0; i < COUNT(all); i++) {
		const struct compiler *c = all[i];

		n += (size_t)snprintf(text + n, COMPILER_NAMES_SIZE - n,
		    ", %s-%u.%u to %s-%u.%u", c->name, c->rows[0].major,
		    c->rows[0].minor, c->name, c->last_major, c->last_minor);
	}
}
