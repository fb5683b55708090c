/* Manifests of bundles, and what they are made of. */
#include "config.h"

#include "bundle/manifest.h"

#include <string.h>

#include "tests/support/images.h"

/* FIPS 180-4, and the digest of a million letters in pieces of 1000. */
static void
test_digest(void)
{
	static const struct {
		const char *text, *digest;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		    "27ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
		    "b00361a396177a9cb410ff61f20015ad" },
	};
	static const char million[] = "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0";
	struct sha256 *h = sha256_new();
	uint8_t digest[SHA256_SIZE], letters[1000];
	char text[SHA256_TEXT + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		sha256_of(span(rows[i].text), digest);
		sha256_text(digest, text);
		check(strcmp(text, rows[i].digest) == 0, "digest of '%s'",
		    rows[i].text);
	}
	memset(letters, 'a', sizeof(letters));
	for (int i = 0; i < 1000; i++)
		sha256_add(h, letters, sizeof(letters));
	sha256_end(h, digest);
	sha256_text(digest, text);
	check(strcmp(text, million) == 0, "digest of pieces");
	sha256_add(h, "abc", 3);
	sha256_end(h, digest);
	sha256_text(digest, text);
	check(strcmp(text, rows[1].digest) == 0, "the next digest begins");
	sha256_free(h);
}

static void
test_paths(void)
{
	static const struct {
		struct prof_span path;
		bool safe;
	} rows[] = {
		{ SPAN("a"), true }, { SPAN("a/b"), true },
		{ SPAN("..."), true }, { SPAN("a/..b"), true },
		{ SPAN(".a"), true }, { SPAN("-"), true },
		{ SPAN(""), false }, { SPAN("/"), false },
		{ SPAN("/a"), false }, { SPAN("a/"), false },
		{ SPAN("a//b"), false }, { SPAN("."), false },
		{ SPAN(".."), false }, { SPAN("./a"), false },
		{ SPAN("../a"), false }, { SPAN("a/.."), false },
		{ SPAN("a/../b"), false }, { SPAN("a\0b"), false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(manifest_path_is_safe(rows[i].path) == rows[i].safe,
		    "path %zu, '%s'", i, (const char *)rows[i].path.data);
}

static void
test_claim(void)
{
	check(manifest_sniff(span("{\"bundle\":1}")), "a head");
	check(!manifest_sniff(span("{\"bundle\"")), "half a head");
	check(!manifest_sniff(span("{\"record\":\"profile\"}")),
	    "the head of a stream");
	check(prof_sniff(span("{\"bundle\":1,\"profiles\":0}")) == NULL,
	    "no format of profiles claims a manifest");
}

/* What is written is read as it was. */
static void
test_round_trip(void)
{
	static const struct prof_span ids[] = { SPAN("\x01"), SPAN("\xff\0") };
	const struct manifest_profile p = {
		.path = SPAN("x/\xff"), .member = SPAN("x/y"),
		.sha256 = { 9, 8, 7 }, .size = UINT64_MAX,
		.format = SPAN("raw"), .version = 10, .kind = PROF_MIXED,
		.profiles = 2, .binary_ids = ids, .binary_ids_size = 2,
		.functions = 3, .contexts = 4, .counts = UINT64_MAX - 1,
	};
	struct prof_error err = { 0 };
	struct manifest m = { .size = 0 };
	struct buf text = { 0 }, again = { 0 };

	manifest_put_head(&text, 1, 1);
	manifest_put(&text, &p);
	check(manifest_read(&m, buf_span(&text), &err) == PROF_OK && m.size ==
	    1, "read: %s", err.reason);
	manifest_put_head(&again, 1, 1);
	if (m.size == 1)
		manifest_put(&again, &m.profiles[0]);
	check(text.size == again.size &&
	    memcmp(text.data, again.data, text.size) == 0, "and written");
	manifest_free(&m);
	buf_free(&text);
	buf_free(&again);
}

/* A manifest cut anywhere is no manifest. */
static void
test_cut(void)
{
	const struct manifest_profile p = { .path = SPAN("a"),
	    .member = SPAN("a"), .format = SPAN("raw") };
	struct manifest m = { .size = 0 };
	struct buf text = { 0 };
	size_t accepted = 0;

	manifest_put_head(&text, 2, 1);
	manifest_put(&text, &p);
	manifest_put(&text, &p);
	for (size_t n = 0; n <= text.size; n++) {
		struct prof_error err = { 0 };

		if (manifest_read(&m, (struct prof_span){ text.data, n },
		    &err) == PROF_OK)
			accepted += n == text.size ? 1 : 1000;
	}
	check(accepted == 1, "only the whole manifest is read");
	manifest_free(&m);
	buf_free(&text);
}

int
main(void)
{
	test_digest();
	test_paths();
	test_claim();
	test_round_trip();
	test_cut();
	return done_testing();
}
