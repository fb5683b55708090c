/* What a release's compiler needs: versions, names of locals, hashes. */
#include "ops/retarget.h"

#include <string.h>

#include "base/bytes.h"
#include "model/releases.h"
#include "tests/support/images.h"

/* First release of each row; version 0: not known. */
static const struct {
	const char *release;
	unsigned version;
	char separator;
} releases[] = {
	{ "clang-3.5", 1, ':' }, { "clang-3.5.2", 1, ':' },
	{ "clang-3.6", 2, ':' }, { "clang-3.7", 2, ':' },
	{ "clang-3.8", 3, ':' }, { "clang-3.9", 4, ':' }, { "clang-4", 4, ':' },
	{ "clang-4.0", 4, ':' }, { "clang-5", 4, ':' }, { "clang-6", 5, ':' },
	{ "clang-6.0", 5, ':' }, { "clang-7", 5, ':' }, { "clang-10", 5, ':' },
	{ "clang-11", 6, ':' }, { "clang-12", 7, ':' }, { "clang-13", 7, ':' },
	{ "clang-14", 7, ':' }, { "clang-15", 8, ':' }, { "clang-16", 9, ':' },
	{ "clang-17", 10, ':' }, { "clang-18", 11, ';' },
	{ "clang-19", 12, ';' }, { "clang-20", 12, ';' },
	{ "clang-21", 12, ';' }, { "clang-22", 13, ';' },
	{ "clang-22.1", 13, ';' }, { "LLVM-16", 9, ':' },
	{ "llvm-16.0.6", 9, ':' }, { "CLANG-16", 9, ':' },
	{ "clang-3.4", 0, 0 }, { "clang-3", 0, 0 }, { "clang-2.9", 0, 0 },
	{ "clang-0", 0, 0 }, { "clang-23", 0, 0 }, { "clang-99999", 0, 0 },
	{ "clang-18446744073709551632", 0, 0 }, { "clang-", 0, 0 },
	{ "clang", 0, 0 }, { "clang-16.", 0, 0 }, { "clang-16.0.", 0, 0 },
	{ "clang-16.0.0.1", 0, 0 }, { "clang--16", 0, 0 },
	{ "clang-+16", 0, 0 }, { "clang- 16", 0, 0 }, { "clang-16 ", 0, 0 },
	{ "clang-.9", 0, 0 }, { "clang-16git", 0, 0 }, { "clang16", 9, ':' },
	{ "16", 9, ':' }, { "3.9", 4, ':' }, { "llvm22", 13, ';' },
	{ "clang++-16", 9, ':' }, { "rustc-1.80", 11, ';' },
	{ "rustc-1.96", 0, 0 }, { "gcc-12", 0, 0 }, { "", 0, 0 },
	{ "llvm-", 0, 0 }, { "-16", 0, 0 },
};

static void
test_releases(void)
{
	for (size_t i = 0; i < COUNT(releases); i++) {
		struct retarget_options o = { .relabel = true };
		const struct llvm_release *r =
		    compiler_named(releases[i].release);
		bool known = r != NULL;

		if (known)
			retarget_release(r, &o);
		check(known == (releases[i].version != 0) &&
		    o.version == releases[i].version &&
		    o.separator == releases[i].separator && o.relabel,
		    "\"%s\" is version %u", releases[i].release,
		    releases[i].version);
	}
}

/* What compilers print for --version; NULL: of no release that is known. */
static const struct {
	const char *text, *release;
} banners[] = {
	{ "clang version 16.0.6\nTarget: x86_64-pc-linux-gnu\n", "16" },
	{ "Debian clang version 16.0.6 (15~deb12u1)\n", "16" },
	{ "Ubuntu clang version 18.1.3 (1ubuntu1)\n", "18" },
	{ "clang version 3.9.1 (tags/RELEASE_391/final)\n", "3.9" },
	{ "clang version 22.0.0git (https://example.org/llvm)\n", "22" },
	{ "clang version 23.0.0\n", NULL },
	{ "clang version 17.0.0 (https://github.com/swiftlang/llvm-project"
	    ".git 10999b6d034fe318f3d56c83bddb6572593a8bb0)\n", NULL },
	{ "Apple clang version 16.0.0 (clang-1600.0.26.6)\n", NULL },
	{ "Apple LLVM version 10.0.0 (clang-1000.10.44.4)\n", NULL },
	{ "rustc 1.95.0 (0123abcd 2026-04-14)", "22" },
	{ "rustc 1.96.0 (0123abcd 2026-06-01)\n", NULL },
	{ "rustc 1.95.0-nightly (0123abcd 2026-02-14)\n", NULL },
	{ "rustc 1.85.0 (0123abcd 2025-02-17) (built from a source tarball)\n",
	    NULL }, { "rustc 1.63.0\n", NULL },
	{ "rustc 1.95.0 (0123abcd 2026-04-14)\nbinary: rustc\n"
	    "release: 1.95.0\nLLVM version: 22.1.0\n", "22" },
	{ "Swift version 6.1 (swift-6.1-RELEASE)\nTarget: x\n", NULL },
	{ "Debian LLVM version 19.1.7\n  Optimized build.\n", "19" },
	{ "gcc (Debian 14.2.0-19) 14.2.0\n", NULL },
	{ "clang version x\n", NULL }, { "clang version", NULL },
	{ "clang version 99999999999999999999\n", NULL }, { "", NULL },
};

static void
test_banners(void)
{
	for (size_t i = 0; i < COUNT(banners); i++) {
		const struct llvm_release *r =
		    compiler_of_banner(banners[i].text);
		const char *want = banners[i].release;

		check(r == NULL ? want == NULL : want != NULL &&
		    strcmp(r->name, want) == 0, "%s", banners[i].text);
	}
}

/* Begins a profile. */
static enum prof_status
begin(struct retarget *r, enum prof_level level, unsigned first,
    unsigned last, struct prof_header *out, struct prof_error *err)
{
	struct prof_record in = { .kind = PROF_REC_PROFILE }, changed;
	enum prof_status status;

	in.u.profile.level = level;
	in.u.profile.frontend_first = first;
	in.u.profile.frontend_last = last;
	status = retarget_record(r, &in, &changed, err);
	*out = changed.u.profile;
	return status;
}

/* A name and what it is with ':' and with ';'. */
static const struct {
	const char *colon, *semicolon;
} names[] = {
	{ "main", "main" }, { "a.c:f", "a.c;f" }, { "d/a.c:f", "d/a.c;f" },
	{ "<unknown>:f", "<unknown>;f" }, { "C:/a.c:f", "C:/a.c;f" },
	{ "C:\\d\\a.c:f", "C:\\d\\a.c;f" },
	{ "a.m:-[Class sel]", "a.m;-[Class sel]" },
	{ "a.m:-[Class a:b:]", "a.m;-[Class a:b:]" },
	{ "a.m:+[Class a:]", "a.m;+[Class a:]" },
	{ "C:/a.m:+[Class(Cat) a:]", "C:/a.m;+[Class(Cat) a:]" },
	{ "a.m:__15+[C a:b:]_block_invoke",
	    "a.m;__15+[C a:b:]_block_invoke" },
	{ "-[Class a:b:]", "-[Class a:b:]" },
	{ "+[Class a:]", "+[Class a:]" },
	{ "a.c:f.llvm.123", "a.c;f.llvm.123" },
	{ "a b.c:f g", "a b.c;f g" }, { "f", "f" }, { "", "" },
};

static bool
is_renamed(char separator, const char *from, const char *to)
{
	const struct retarget_options o = { 13, separator, false };
	struct retarget *r = retarget_new(&o);
	struct prof_record in = { .kind = PROF_REC_FUNCTION }, out;
	struct prof_header head;
	bool right;

	begin(r, PROF_LEVEL_IR, 0, 0, &head, NULL);
	in.u.function.symbol.name = span(from);
	right = retarget_record(r, &in, &out, NULL) == PROF_OK &&
	    prof_span_equal(out.u.function.symbol.name, span(to)) &&
	    prof_symbol_guid(&out.u.function.symbol) == prof_guid(span(to)) &&
	    retarget_changes(r)->renamed == (strcmp(from, to) != 0);
	retarget_free(r);
	return right;
}

static void
test_names(void)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *colon = names[i].colon;
		const char *semicolon = names[i].semicolon;

		check(is_renamed(';', colon, semicolon) &&
		    is_renamed(';', semicolon, semicolon), "to %s",
		    semicolon);
		check(is_renamed(':', semicolon, colon) &&
		    is_renamed(':', colon, colon), "to %s", colon);
	}
}

/* The two names that one function has on both sides of LLVM 18 become one. */
static void
test_two_names(void)
{
	const struct retarget_options o = { 13, ';', false };
	struct retarget *r = retarget_new(&o);
	struct prof_value values[] = {
		{ prof_guid(span("a.c:g")), 2, span("a.c:g") },
		{ prof_guid(span("h")), 4, span("h") },
		{ prof_guid(span("a.c;g")), 3, span("a.c;g") },
	};
	struct prof_site site = { values, 3 };
	struct prof_record in = { .kind = PROF_REC_FUNCTION }, out;
	struct prof_header head;

	begin(r, PROF_LEVEL_IR, 0, 0, &head, NULL);
	in.u.function.symbol.guid = 1;
	in.u.function.values[PROF_INDIRECT_CALL_TARGET] =
	    (struct prof_sites){ &site, 1 };
	check(retarget_record(r, &in, &out, NULL) == PROF_OK,
	    "a site with two names of one function");
	site = out.u.function.values[PROF_INDIRECT_CALL_TARGET].sites[0];
	check(site.size == 2, "has one target less");
	check(site.values[0].count == 5 &&
	    prof_span_equal(site.values[0].name, span("a.c;g")),
	    "whose counts are added, the larger first");
	check(site.values[1].count == 4, "and the other target as it was");
	retarget_free(r);
}

static void
test_names_that_stay(void)
{
	static const struct {
		const char *what;
		char separator;
		enum prof_level level;
	} rows[] = {
		{ "without a release", 0, PROF_LEVEL_IR },
		{ "of the front end", ';', PROF_LEVEL_FRONTEND },
		{ "of no known level", ';', PROF_LEVEL_UNKNOWN },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct retarget_options o = { 13, rows[i].separator,
		    false };
		struct retarget *r = retarget_new(&o);
		struct prof_record in = { .kind = PROF_REC_FUNCTION }, out;
		struct prof_header head;

		begin(r, rows[i].level, 0, 0, &head, NULL);
		in.u.function.symbol.name = span("a.c:f");
		retarget_record(r, &in, &out, NULL);
		check(prof_span_equal(out.u.function.symbol.name,
		    span("a.c:f")), "names stay: %s", rows[i].what);
		retarget_free(r);
	}
}

/* A front-end profile with hashes of first to last, in a version. */
static const struct {
	unsigned first, last, version;
	enum { KEPT, MASKED, REFUSED } what;
} hashes[] = {
	{ 0, 0, 1, KEPT }, { 0, 0, 7, KEPT }, { 0, 0, 13, KEPT },
	{ 1, 4, 1, KEPT }, { 1, 4, 4, KEPT }, { 1, 4, 5, REFUSED },
	{ 1, 4, 7, REFUSED }, { 1, 4, 13, REFUSED },
	{ 1, 5, 4, KEPT }, { 1, 5, 5, KEPT }, { 1, 5, 6, REFUSED },
	{ 5, 5, 4, REFUSED }, { 5, 5, 5, KEPT }, { 5, 5, 13, REFUSED },
	{ 5, 7, 5, KEPT }, { 5, 7, 6, KEPT }, { 5, 7, 7, KEPT },
	{ 5, 7, 9, KEPT }, { 5, 7, 4, REFUSED }, { 5, 7, 13, REFUSED },
	{ 6, 6, 5, REFUSED }, { 6, 6, 6, KEPT }, { 6, 6, 7, REFUSED },
	{ 7, 12, 6, REFUSED }, { 7, 12, 7, KEPT }, { 7, 12, 12, KEPT },
	{ 7, 12, 13, MASKED }, { 11, 11, 7, KEPT }, { 11, 11, 13, MASKED },
	{ 12, 13, 11, KEPT }, { 12, 13, 12, KEPT }, { 12, 13, 13, MASKED },
	{ 13, 13, 13, MASKED }, { 13, 13, 12, REFUSED },
	{ 13, 13, 1, REFUSED },
};

static void
test_hash(size_t i, bool relabel)
{
	const struct retarget_options o = { hashes[i].version, 0, relabel };
	const uint64_t hash = 0xF000000000000018;
	struct retarget *r = retarget_new(&o);
	struct prof_record in = { .kind = PROF_REC_FUNCTION }, out;
	const struct prof_record end = { .kind = PROF_REC_END };
	struct prof_record unused;
	struct prof_error e = { 0 };
	struct prof_header head;
	bool known = hashes[i].first != 0, kept = relabel || !known;
	bool refused = !relabel && hashes[i].what == REFUSED;

	begin(r, PROF_LEVEL_FRONTEND, hashes[i].first, hashes[i].last, &head,
	    NULL);
	in.u.function.hash = hash;
	check(retarget_record(r, &in, &out, NULL) == PROF_OK &&
	    (retarget_record(r, &end, &unused, &e) == PROF_FAIL) == refused &&
	    e.code == (refused ? PROF_E_MISMATCH : PROF_E_NONE),
	    "hashes of %u to %u in version %u%s", hashes[i].first,
	    hashes[i].last, hashes[i].version, relabel ? ", relabelled" : "");
	if (!refused) {
		check(out.u.function.hash == (hashes[i].what == MASKED &&
		    !relabel ? 0x18 : hash), "the hash");
		check(kept ? head.frontend_first == hashes[i].first &&
		    head.frontend_last == hashes[i].last :
		    head.frontend_first == hashes[i].version &&
		    head.frontend_last == hashes[i].version,
		    "and what is known of it then");
	}
	retarget_free(r);
}

/* What the versions 12 to 13 of a raw header become by the hashes. */
static void
test_hash_facts(void)
{
	/* There is no code 33, and 32 is the last. */
	static const uint64_t flagged = 1ULL << 60, digest = 33, packed = 32;
	static const struct {
		uint64_t hashes[5];
		unsigned first, last;
	} rows[] = {
		{ { packed, packed, packed, packed, packed }, 12, 13 },
		{ { digest, digest, digest, packed, packed }, 12, 13 },
		{ { digest, digest, packed, digest, digest }, 13, 13 },
		{ { digest, digest, flagged, digest, digest }, 12, 12 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_header h = { .frontend_first = 12,
		    .frontend_last = 13 }, old = { .frontend_first = 7,
		    .frontend_last = 12 };
		struct hash_facts facts = { 0 };

		for (size_t k = 0; k < COUNT(rows[i].hashes); k++)
			hash_facts_add(&facts, rows[i].hashes[k]);
		hash_facts_narrow(&facts, &h);
		hash_facts_narrow(&facts, &old);
		check(h.frontend_first == rows[i].first && h.frontend_last ==
		    rows[i].last && old.frontend_first == 7 &&
		    old.frontend_last == 12, "hashes %zu", i);
	}
}

/* Ten codes of 6 bits, each 1: the longest hash that is no digest. */
#define TEN_CODES ((uint64_t)0x0041041041041041)

static void
test_survival(void)
{
	static const struct {
		uint64_t hash;
		enum hash_rule own, other;
		bool survives;
	} rows[] = {
		{ 0, HASH_RULE_MASKED, HASH_RULE_12, true },
		{ 0x18, HASH_RULE_MASKED, HASH_RULE_12, true },
		{ 32, HASH_RULE_11, HASH_RULE_6, true },
		{ 33, HASH_RULE_11, HASH_RULE_6, false },
		{ 1 << 6, HASH_RULE_11, HASH_RULE_6, false },
		{ 16, HASH_RULE_6, HASH_RULE_3_5, true },
		{ 14, HASH_RULE_6, HASH_RULE_3_5, true },
		{ 14, HASH_RULE_12, HASH_RULE_11, false },
		{ 15 << 6 | 1, HASH_RULE_11, HASH_RULE_12, false },
		{ 14, HASH_RULE_12, HASH_RULE_MASKED, true },
		{ 17, HASH_RULE_6, HASH_RULE_3_5, false },
		{ 0, HASH_RULE_3_5, HASH_RULE_6, false },
		{ 0, HASH_RULE_3_5, HASH_RULE_3_5, true },
		{ TEN_CODES, HASH_RULE_12, HASH_RULE_11, true },
		{ TEN_CODES + 63, HASH_RULE_12, HASH_RULE_11, false },
		{ (uint64_t)1 << 60, HASH_RULE_12, HASH_RULE_11, false },
		{ UINT64_MAX, HASH_RULE_12, HASH_RULE_12, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(frontend_hash_survives(rows[i].hash, rows[i].own,
		    rows[i].other) == rows[i].survives, "hash %llx of rule %d "
		    "by rule %d", ull(rows[i].hash), (int)rows[i].own,
		    (int)rows[i].other);
}

/* Each profile by itself; what is no name passes as it is. */
static void
test_profiles(void)
{
	const struct retarget_options o = { 13, ';', false };
	struct retarget *r = retarget_new(&o);
	struct prof_record in = { .kind = PROF_REC_FUNCTION }, out;
	struct prof_header head;

	in.u.function.symbol.name = span("a.c:f");
	in.u.function.hash = 0xF000000000000018;
	begin(r, PROF_LEVEL_FRONTEND, 7, 12, &head, NULL);
	retarget_record(r, &in, &out, NULL);
	check(out.u.function.hash == 0x18 && prof_span_equal(
	    out.u.function.symbol.name, span("a.c:f")), "front end");
	begin(r, PROF_LEVEL_IR, 0, 0, &head, NULL);
	retarget_record(r, &in, &out, NULL);
	check(out.u.function.hash == 0xF000000000000018 && prof_span_equal(
	    out.u.function.symbol.name, span("a.c;f")), "IR behind it");
	begin(r, PROF_LEVEL_FRONTEND, 7, 12, &head, NULL);
	retarget_record(r, &in, &out, NULL);
	check(out.u.function.hash == 0x18 && prof_span_equal(
	    out.u.function.symbol.name, span("a.c:f")), "and again");
	in = (struct prof_record){ .kind = PROF_REC_BINARY,
	    .u.build_id = span("id:") };
	check(retarget_record(r, &in, &out, NULL) == PROF_OK &&
	    prof_span_equal(out.u.build_id, span("id:")), "a binary id");
	retarget_free(r);
	retarget_free(NULL);
}

int
main(void)
{
	test_releases();
	test_banners();
	test_names();
	test_two_names();
	test_names_that_stay();
	for (size_t i = 0; i < COUNT(hashes); i++) {
		test_hash(i, false);
		test_hash(i, true);
	}
	test_survival();
	test_hash_facts();
	test_profiles();
	return done_testing();
}
