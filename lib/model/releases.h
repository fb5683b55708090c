/*
 * model/releases.h - the table of LLVM releases: what each writes and reads
 *
 * --for, --compat, the hash rules of retargeting, prof-check's "LLVM 14 to 17",
 * the heap profiles of an indexed file and the record sizes of raw profiles
 * all ask this table.  A new release is one row of model/releases.c.
 */
#ifndef MODEL_RELEASES_H
#define MODEL_RELEASES_H

#include "model/summary.h"
#include "prof.h"

/*
 * How clang hashes the control flow of a function.  Compilers know the rule by
 * the version of the indexed file (CodeGenPGO.cpp, PGOHashVersion).
 */
enum hash_rule {
	HASH_RULE_UNKNOWN,
	HASH_RULE_3_5, HASH_RULE_6, HASH_RULE_11, HASH_RULE_12,
	HASH_RULE_MASKED	/* LLVM 22: bits 60 to 63 are 0 */
};

/* How the bits of MC/DC bitmaps are numbered. */
enum bitmap_rule { BITMAP_NONE, BITMAP_18, BITMAP_19 };

/* How llvm-profdata sorts the values of a site before it adds others. */
enum value_sort {
	VALUE_SORT_NONE,	/* not known */
	VALUE_SORT_LIST,	/* std::list::sort, which is stable */
	VALUE_SORT_ARRAY	/* std::sort */
};

struct llvm_release {
	const char *name;		/* "3.9", "16" */
	uint8_t major, minor;
	uint8_t rustc;			/* 1.N, the first made of it, or 0 */
	uint8_t raw;			/* version that its runtime writes */
	uint8_t raw_before;		/* of its trunk only, or 0 */
	uint8_t indexed;		/* newest version read; 0: unknown */
	/* Indexed version that --write-prev-version writes, or 0. */
	uint8_t indexed_previous;
	uint8_t memprof_raw;		/* version its runtime writes, or 0 */
	/* Versions of MemProf sections that are read, and the one written. */
	uint8_t memprof_first, memprof_last, memprof_written;
	/* Last field of allocation statistics; 0: no MemProf sections. */
	uint8_t memprof_field;
	uint8_t value_kinds;		/* of struct prof_function.values */
	enum hash_rule hash_rule;
	enum bitmap_rule bitmap_rule;
	enum summary_rule summary_rule;
	char separator;			/* of local names in IR profiles */
	enum value_sort value_sort;
	bool text_coverage;		/* text says that counters are bytes */
};

/* Releases from first to last; both NULL if there are none. */
struct llvm_release_range {
	const struct llvm_release *first, *last;
};

/*
 * The releases that write a version of "raw", "indexed" or "memprof-raw";
 * format may be NULL.
 */
struct llvm_release_range llvm_release_writers(const char *format,
    uint64_t version);

/* The releases whose clang hashes by one of these rules, which is known. */
struct llvm_release_range llvm_release_hashing(enum hash_rule oldest,
    enum hash_rule newest);

enum { CLANGS_SIZE = 48 };

/* "clang 16" or "clang 12 to 21"; empty if the range is.  Returns text. */
const char *llvm_clangs_text(struct llvm_release_range,
    char text[CLANGS_SIZE]);

/* The first release that reads an indexed version, or NULL. */
const struct llvm_release *llvm_release_reading(unsigned indexed);

/* The last release whose indexed version is known. */
const struct llvm_release *llvm_release_newest(void);

/* The release of a number; minor counts before LLVM 4 only.  NULL: unknown. */
const struct llvm_release *llvm_release_numbered(unsigned major,
    unsigned minor);

/*
 * The rules of an indexed version; a version that is newer than the table
 * counts as the newest.
 */
enum hash_rule llvm_hash_rule(unsigned indexed);
enum bitmap_rule llvm_bitmap_rule(unsigned indexed);

/* The indexed versions that stand for a rule. */
struct version_range {
	unsigned first, last;
};

enum { VERSION_RANGE_SIZE = 48 };

/* "version 13" or "versions 7 to 12"; returns text. */
const char *version_range_text(struct version_range,
    char text[VERSION_RANGE_SIZE]);

struct version_range llvm_hash_versions(enum hash_rule);
struct version_range llvm_bitmap_versions(enum bitmap_rule);

/* What front-end hashes tell of the rule that they follow. */
struct hash_facts {
	bool any_flags;			/* bits 60 to 63 in some hash */
	uint64_t digests;		/* without these bits */
};

void hash_facts_add(struct hash_facts *, uint64_t hash);

/*
 * Takes the versions of masked hashes from the header if some hash has one of
 * bits 60 to 63, or else all other versions if so many digests are without them
 * that chance does not explain it; nothing if none would be left.
 */
void hash_facts_narrow(const struct hash_facts *, struct prof_header *);

/*
 * The release of a compiler by the name that people give it: clang, clang++,
 * LLVM or rustc in any case, '-' or nothing, and a version of one to three
 * numbers, which may stand alone.  NULL if it is not known.
 */
const struct llvm_release *compiler_named(const char *name);

/*
 * The LLVM release of the compiler that printed the text for --version, or NULL
 * if the text names none.  rustc prints the release for -vV; that of a rustc of
 * the Rust project is known.
 */
const struct llvm_release *compiler_of_banner(const char *banner);

/*
 * Hashes that clang computes of a function's source.
 *
 * clang gives each node of the source a code of 6 bits.  Up to 10 codes, packed
 * into a word, are the hash; of more codes the hash is an MD5 digest
 * (CodeGenPGO.cpp, PGOHash).
 */

/* LLVM 22 clears bits 60 to 63 of a hash; LLVM 12 to 21 use all 64 bits. */
#define FRONTEND_HASH_MASK ((uint64_t)0x0FFFFFFFFFFFFFFF)

/*
 * Whether the other rule is certain to give the function the same hash and the
 * same counters.  A digest may stay as it was by chance, and so may a packed
 * hash of HASH_RULE_3_5, if the function has no node that later rules count:
 * false.
 */
bool frontend_hash_survives(uint64_t hash, enum hash_rule own,
    enum hash_rule other);

#endif
