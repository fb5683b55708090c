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

/* The last rustc 1.N whose LLVM is known. */
enum { RUSTC_LAST = 95 };

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
	    .rustc = 37, .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("9", 9, 0), .raw = 4, .indexed = 5, .value_kinds = 2,
	    .rustc = 38, .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("10", 10, 0), .raw = 5, .indexed = 5, .value_kinds = 2,
	    .rustc = 45, .hash_rule = HASH_RULE_6, OLD_RULES },
	{ RELEASE("11", 11, 0), .raw = 5, .indexed = 6, .value_kinds = 2,
	    .rustc = 47, .hash_rule = HASH_RULE_11, OLD_RULES },
	{ RELEASE("12", 12, 0), .raw = 5, .indexed = 7, .value_kinds = 2,
	    .rustc = 52, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("13", 13, 0), .raw = 7, .raw_before = 6, .indexed = 7,
	    .value_kinds = 2,
	    .rustc = 56, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("14", 14, 0), .raw = 8, .indexed = 7, .memprof_raw = 1,
	    .value_kinds = 2,
	    .rustc = 60, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("15", 15, 0), .raw = 8, .indexed = 8, .memprof_raw = 1,
	    MEMPROF(0, 0, 0, PROF_MIB_DATA_TYPE_ID), .rustc = 65,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, OLD_RULES },
	{ RELEASE("16", 16, 0), .raw = 8, .indexed = 9, .memprof_raw = 2,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY), .rustc = 70,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, RULES_16 },
	{ RELEASE("17", 17, 0), .raw = 8, .indexed = 10, .memprof_raw = 3,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY), .rustc = 73,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12, RULES_17 },
	{ RELEASE("18", 18, 0), .raw = 9, .indexed = 11, .memprof_raw = 3,
	    MEMPROF(0, 0, 0, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY), .rustc = 78,
	    .value_kinds = 2, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_18, RULES_18 },
	{ RELEASE("19", 19, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(0, 3, 0, PROF_MIB_ACCESS_HISTOGRAM), .rustc = 82,
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("20", 20, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(2, 3, 3, PROF_MIB_ACCESS_HISTOGRAM), .rustc = 87,
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("21", 21, 0), .raw = 10, .indexed = 12,
	    .indexed_previous = 11, .memprof_raw = 4,
	    MEMPROF(2, 4, 3, PROF_MIB_ACCESS_HISTOGRAM), .rustc = 91,
	    .value_kinds = 3, .hash_rule = HASH_RULE_12,
	    .bitmap_rule = BITMAP_19, RULES_19 },
	{ RELEASE("22", 22, 0), .raw = 10, .indexed = 13,
	    .indexed_previous = 11, .memprof_raw = 5,
	    MEMPROF(2, 4, 3, PROF_MIB_ACCESS_HISTOGRAM), .rustc = 94,
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

const char *
llvm_clangs_text(struct llvm_release_range r, char text[CLANGS_SIZE])
{
	text[0] = '\0';
	if (r.first != NULL)
		snprintf(text, CLANGS_SIZE, r.first == r.last ? "clang %s" :
		    "clang %s to %s", r.first->name, r.last->name);
	return text;
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

static const struct llvm_release *
llvm_release_of_rustc(unsigned major, unsigned minor)
{
	const struct llvm_release *found = NULL;

	for (size_t i = 0; i < COUNT(releases); i++) {
		if (releases[i].rustc != 0 && releases[i].rustc <= minor)
			found = &releases[i];
	}
	return major != 1 || minor > RUSTC_LAST ? NULL : found;
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

const struct llvm_release *
compiler_named(const char *name)
{
	static const char *const words[] = {
		"clang", "clang++", "llvm", "", "rustc"
	};
	unsigned version[NUMBERS];

	for (size_t i = 0; i < COUNT(words); i++) {
		size_t size = strlen(words[i]);
		const char *s = name + size, *end;

		if (strncasecmp(name, words[i], size) != 0)
			continue;
		if (size != 0 && *s == '-')
			s++;
		end = compiler_parse_version(s, version);
		if (end != NULL && *end == '\0')
			return strcmp(words[i], "rustc") == 0 ?
			    llvm_release_of_rustc(version[0], version[1]) :
			    llvm_release_numbered(version[0], version[1]);
	}
	return NULL;
}

const struct llvm_release *
compiler_of_banner(const char *banner)
{
	/* Compilers whose version is not that of their LLVM. */
	static const char *const others[] = {
		"github.com/apple/", "github.com/swiftlang/", "Apple "
	};
	/* What stands before the version; rustc -vV prints the second. */
	static const char *const before[] = {
		"clang version ", "LLVM version: ", "LLVM version "
	};
	unsigned version[NUMBERS];
	const char *end;

	for (size_t i = 0; i < COUNT(others); i++) {
		if (strstr(banner, others[i]) != NULL)
			return NULL;
	}
	for (size_t i = 0; i < COUNT(before); i++) {
		const char *at = strstr(banner, before[i]);

		if (at != NULL)
			return compiler_parse_version(at + strlen(before[i]),
			    version) == NULL ? NULL :
			    llvm_release_numbered(version[0], version[1]);
	}
	if (strncmp(banner, "rustc ", 6) != 0)
		return NULL;
	end = compiler_parse_version(banner + 6, version);
	/*
	 * A distribution's rustc, which may be made of another LLVM, prints no
	 * commit, or "(built from a source tarball)" behind it.
	 */
	return end == NULL || strncmp(end, " (", 2) != 0 ||
	    strchr(end + 2, '(') != NULL ? NULL :
	    llvm_release_of_rustc(version[0], version[1]);
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

/* Chance leaves bits 60 to 63 out of so many once in 65536 profiles. */
enum { DIGESTS_ENOUGH = 4 };

void
hash_facts_add(struct hash_facts *facts, uint64_t hash)
{
	if ((hash & ~FRONTEND_HASH_MASK) != 0)
		facts->any_flags = true;
	else if (!frontend_hash_survives(hash, HASH_RULE_MASKED, HASH_RULE_12))
		facts->digests++;
}

void
hash_facts_narrow(const struct hash_facts *facts, struct prof_header *h)
{
	unsigned masked = llvm_hash_versions(HASH_RULE_MASKED).first;

	if (h->frontend_first >= masked || h->frontend_last < masked)
		return;
	if (facts->any_flags)
		h->frontend_last = masked - 1;
	else if (facts->digests >= DIGESTS_ENOUGH)
		h->frontend_first = masked;
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
