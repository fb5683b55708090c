#include "model/releases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/record.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define RELEASE(text, major_number, minor_number) .name = text, \
    .major = (major_number), .minor = (minor_number)
#define OLD_RULES .summary_rule = SUMMARY_SKIP_COUNTER, .separator = ':', \
    .value_sort = VALUE_SORT_LIST
#define RULES_16 .summary_rule = SUMMARY_SKIP_RECORD, .separator = ':', \
    .value_sort = VALUE_SORT_LIST
#define RULES_17 RULES_16, .text_coverage = true
#define RULES_18 .summary_rule = SUMMARY_SKIP_RECORD, .separator = ';', \
    .value_sort = VALUE_SORT_LIST, .text_coverage = true
#define RULES_19 .summary_rule = SUMMARY_SKIP_RECORD, .separator = ';', \
    .value_sort = VALUE_SORT_ARRAY, .text_coverage = true
#define MEMPROF(first, last, written, field) .memprof_first = (first), \
    .memprof_last = (last), .memprof_written = (written), \
    .memprof_field = (field)

/*
 * InstrProfData.inc, InstrProf.h, MemProfData.inc and MemProf.h of each
 * release.  LLVM 23 is known by its raw version only.
 */
static const struct llvm_release releases[] = {
	{ RELEASE("3.5", 3, 5), .raw = 1, .indexed = 1,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("3.6", 3, 6), .raw = 1, .indexed = 2,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("3.7", 3, 7), .raw = 1, .indexed = 2,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("3.8", 3, 8), .raw = 2, .indexed = 3, .value_kinds = 1,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("3.9", 3, 9), .raw = 4, .raw_before = 3, .indexed = 4,
	    .value_kinds = 1, .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("4", 4, 0), .raw = 4, .indexed = 4, .value_kinds = 1,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("5", 5, 0), .raw = 4, .indexed = 4, .value_kinds = 2,
	    .hash_rule = HASH_RULE_3_5, OLD_RULES },
	{ RELEASE("6", 6, 0), .raw = 4, .indexed = 5, .value_kinds = 2,
	    .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("7", 7, 0), .raw = 4, .indexed = 5, .value_kinds = 2,
	    .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("8", 8, 0), .raw = 4, .indexed = 5, .value_kinds = 2,
	    .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("9", 9, 0), .raw = 4, .indexed = 5, .value_kinds = 2,
	    .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("10", 10, 0), .raw = 5, .indexed = 5, .value_kinds = 2,
	    .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("11", 11, 0), .raw = 5, .indexed = 6, .value_kinds = 2,
	    .hash_rule = HASH_RULE_11, OLD_RULES },
	{ RELEASE("12", 12, 0), .raw = 5, .indexed = 7, .value_kinds = 2,
	    .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("13", 13, 0), .raw = 7, .raw_before = 6, .indexed = 7,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("14", 14, 0), .raw = 8, .indexed = 7, .memprof_raw = 1,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("15", 15, 0), .raw = 8, .indexed = 8, .memprof_raw = 1,
	    MEMPROF(0, 0, 0, PROF_MIB_DATA_TYPE_ID),
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("16", 16, 0), .raw = 8, .indexed = 9, .memprof_raw = 2,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY),
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, RULES_16 },
	{ RELEASE("17", 17, 0), .raw = 8, .indexed = 10, .memprof_raw = 3,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY),
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, RULES_17 },
	{ RELEASE("18", 18, 0), .raw = 9, .indexed = 11, .memprof_raw = 3,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY),
	    .value_kinds = 2, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_18, RULES_18 },
	{ RELEASE("19", 19, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(0, 3, 0, PROF_MIB_ACCESS_HISTOGRAM),
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("20", 20, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(2, 3, 3, PROF_MIB_ACCESS_HISTOGRAM),
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("21", 21, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(2, 4, 3, PROF_MIB_ACCESS_HISTOGRAM),
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("22", 22, 0), .raw = 10, .indexed = 13,
	    .indexed_previous = 11, .memprof_raw = 5,
	    MEMPROF(2, 4, 3, PROF_MIB_ACCESS_HISTOGRAM),
	    .value_kinds = 3, .hash_rule = HASH_RULE_MASKED,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("23", 23, 0), .raw = 11, .value_kinds = 3 },
};

static bool
release_writes(const struct llvm_release *r, const char *format,
    uint64_t version)
{
	if (strcmp(format, "raw") == 0)
		return r->raw == version || r->raw_before == version;
	if (strcmp(format, "indexed") == 0)
		return r->indexed == version;
	return strcmp(format, "memprof-raw") == 0 && r->memprof_raw == version;
}

struct llvm_release_range
llvm_release_hashing(enum hash_rule oldest, enum hash_rule newest)
{
	struct llvm_release_range range = { NULL, NULL };

	for (size_t i = 0; i < COUNT(releases); i++) {
		if (releases[i].hash_rule < oldest ||
		    releases[i].hash_rule > newest)
			continue;
		if (range.first == NULL)
			range.first = &releases[i];
		range.last = &releases[i];
	}
	return range;
}

struct llvm_release_range
llvm_release_writers(const char *format, uint64_t version)
{
	struct llvm_release_range range = { NULL, NULL };

	if (format == NULL || version == 0)
		return range;
	for (size_t i = 0; i < COUNT(releases); i++) {
		if (!release_writes(&releases[i], format, version))
			continue;
		if (range.first == NULL)
			range.first = &releases[i];
		range.last = &releases[i];
	}
	return range;
}

const struct llvm_release *
llvm_release_reading(unsigned indexed)
{
	for (size_t i = 0; i < COUNT(releases); i++) {
		if (releases[i].indexed >= indexed)
			return &releases[i];
	}
	return NULL;
}

static const struct llvm_release *
llvm_release_oldest(void)
{
	return &releases[0];
}

const struct llvm_release *
llvm_release_newest(void)
{
	size_t i = COUNT(releases) - 1;

	while (releases[i].indexed == 0)
		i--;
	return &releases[i];
}

const struct llvm_release *
llvm_release_numbered(unsigned major, unsigned minor)
{
	const struct llvm_release *found = NULL;
	const struct llvm_release *newest = llvm_release_newest();

	if (major > newest->major)
		return NULL;
	for (const struct llvm_release *r = releases; r <= newest; r++) {
		if (major > r->major ||
		    (major == r->major && minor >= r->minor))
			found = r;
	}
	return found;
}

/* The newest release that reads no newer indexed version than this one. */
static const struct llvm_release *
release_up_to(unsigned indexed)
{
	const struct llvm_release *r = llvm_release_newest();

	while (r > releases && r->indexed > indexed)
		r--;
	return r->indexed > indexed ? NULL : r;
}

enum hash_rule
llvm_hash_rule(unsigned indexed)
{
	const struct llvm_release *r = release_up_to(indexed);

	return r == NULL ? HASH_RULE_UNKNOWN : r->hash_rule;
}

enum bitmap_rule
llvm_bitmap_rule(unsigned indexed)
{
	const struct llvm_release *r = release_up_to(indexed);

	return r == NULL ? BITMAP_NONE : r->bitmap_rule;
}

static void
version_range_add(struct version_range *range, unsigned version)
{
	if (range->first == 0)
		range->first = version;
	range->last = version;
}

const char *
version_range_text(struct version_range v, char text[VERSION_RANGE_SIZE])
{
	if (v.first == v.last)
		snprintf(text, VERSION_RANGE_SIZE, "version %u", v.first);
	else
		snprintf(text, VERSION_RANGE_SIZE, "versions %u to %u",
		    v.first, v.last);
	return text;
}

struct version_range
llvm_hash_versions(enum hash_rule rule)
{
	struct version_range range = { 0, 0 };

	for (size_t i = 0; i < COUNT(releases); i++) {
		if (releases[i].hash_rule == rule)
			version_range_add(&range, releases[i].indexed);
	}
	return range;
}

struct version_range
llvm_bitmap_versions(enum bitmap_rule rule)
{
	struct version_range range = { 0, 0 };

	for (size_t i = 0; i < COUNT(releases); i++) {
		if (releases[i].bitmap_rule == rule)
			version_range_add(&range, releases[i].indexed);
	}
	return range;
}

void
llvm_exclude_masked_hashes(struct prof_header *h)
{
	unsigned masked = llvm_hash_versions(HASH_RULE_MASKED).first;

	if (h->frontend_first < masked && h->frontend_last >= masked)
		h->frontend_last = masked - 1;
}

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

/* Codes as in CodeGenPGO.cpp, PGOHash::HashType. */
enum {
	CODE_BITS = 6, CODES = 10,
	CODE_AND = 14, CODE_OR = 15,	/* operators */
	CODE_LAST_3_5 = 16, CODE_LAST = 32
};

/*
 * Whether a node with that code has the same code and counters by both rules:
 * from LLVM 12 on the operators have a counter more.
 */
static bool
code_is_shared(unsigned code, enum hash_rule own, enum hash_rule other)
{
	if (code == CODE_AND || code == CODE_OR)
		return (own < HASH_RULE_12) == (other < HASH_RULE_12);
	return code != 0 &&
	    code <= (other == HASH_RULE_3_5 ? CODE_LAST_3_5 : CODE_LAST);
}

bool
frontend_hash_survives(uint64_t hash, enum hash_rule own, enum hash_rule other)
{
	const unsigned mask = (1U << CODE_BITS) - 1;

	if (own == other)
		return true;
	if (own == HASH_RULE_3_5 || hash >> (CODE_BITS * CODES) != 0)
		return false;
	for (; hash != 0; hash >>= CODE_BITS) {
		if (!code_is_shared((unsigned)hash & mask, own, other))
			return false;
	}
	return true;
}

static const struct {
	unsigned flag;
	uint64_t bit;
} pairs[] = {
	{ PROF_CONTEXT_SENSITIVE, VARIANT_CONTEXT_SENSITIVE },
	{ PROF_ENTRY_FIRST, VARIANT_ENTRY_FIRST },
	{ PROF_LOOP_ENTRIES, VARIANT_LOOP_ENTRIES },
	{ PROF_BYTE_COVERAGE, VARIANT_BYTE_COVERAGE },
	{ PROF_FUNCTION_ENTRY_ONLY, VARIANT_FUNCTION_ENTRY_ONLY },
	{ PROF_TEMPORAL, VARIANT_TEMPORAL },
	{ PROF_DEBUG_INFO_CORRELATED, VARIANT_DEBUG_INFO_CORRELATED },
};

unsigned
variants_to_flags(uint64_t version_word)
{
	unsigned flags = 0;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (version_word & pairs[i].bit)
			flags |= pairs[i].flag;
	}
	return flags;
}

uint64_t
variants_from_flags(unsigned flags)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (flags & pairs[i].flag)
			bits |= pairs[i].bit;
	}
	return bits;
}
