/* Archives and compressed files: what they may hold, and damage to them. */
#include "config.h"

#include "io/archive.h"

#include <locale.h>

#include "io/zstd.h"
#include "tests/support/packed.h"

/* What `PROGRAM </dev/null` writes. */
static void
test_compressed_nothing(void)
{
	static const struct {
		const char *program;
		uint8_t size;
		uint8_t bytes[32];
	} rows[] = {
		{ "gzip", 20, { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3 } },
		{ "bzip2", 14, "BZh9\x17\x72\x45\x38\x50\x90" },
		{ "lzma", 23, { 0x5d, 0, 0, 0x80, 0, 0xff, 0xff, 0xff, 0xff,
		    0xff, 0xff, 0xff, 0xff, 0, 0x83, 0xff, 0xfb, 0xff, 0xff,
		    0xc0 } },
		{ "xz", 32, { 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4, 0xe6, 0xd6,
		    0xb4, 0x46, 0, 0, 0, 0, 0x1c, 0xdf, 0x44, 0x21, 0x1f, 0xb6,
		    0xf3, 0x7d, 1, 0, 0, 0, 0, 4, 0x59, 0x5a } },
		{ "lz4", 15, { 4, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0,
		    0, 5, 0x5d, 0xcc, 2 } },
		{ "zstd", 13, { 0x28, 0xb5, 0x2f, 0xfd, 0x24, 0, 1, 0, 0, 0x99,
		    0xe9, 0xd8, 0x51 } },
	};
	static const struct thing nothing = { .name = NULL };
	const char *path = "nothing";
	struct summary got, want;
	struct prof_error err;

	expect_members(&want, &nothing, 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		put_file(path, rows[i].bytes, rows[i].size);
		check(reads_as(path, BY_IMAGE, &want, &err), "%s of nothing",
		    rows[i].program);
		put_file(path, rows[i].bytes, rows[i].size - 1u);
		summarize(&got, path, NO_LIMIT, BY_IMAGE, &err);
		check(strcmp(got.text, "- truncated\n") == 0,
		    "%s of nothing, cut: %s", rows[i].program, err.reason);
	}
}

static void
append(const char *to, const void *data, size_t size)
{
	FILE *f = fopen(to, "ab");

	must(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0,
	    to);
}

static void
append_file(const char *to, const char *from)
{
	size_t size;
	uint8_t *data = get_file(from, &size);

	append(to, data, size);
	free(data);
}

/* As `cat a.gz b.gz` makes it. */
static void
test_concatenated(void)
{
	static const char *const names[] = { "gzip", "bzip2", "xz", "zstd" };
	struct summary want = { 0 };
	struct prof_error err;

	say_member(&want, NULL, big, 20000);
	for (size_t i = 0; i < COUNT(filters); i++) {
		bool can = false;

		for (size_t k = 0; k < COUNT(names); k++)
			can |= strcmp(filters[i].name, names[k]) == 0;
		if (!can || !compress_file("one", filters[i].add, big, 10000) ||
		    !compress_file("two", filters[i].add, big + 10000, 10000))
			continue;
		append_file("one", "two");
		check(reads_as("one", BY_IMAGE, &want, &err),
		    "two of %s in one", filters[i].name);
	}
	expect_members(&want, members, COUNT(members));
	make_archive("one", archive_write_set_format_pax, NULL, NULL, members,
	    1);
	make_archive("two", archive_write_set_format_pax, NULL, NULL,
	    members + 1, COUNT(members) - 1);
	append_file("one", "two");
	check(reads_as("one", BY_IMAGE, &want, &err),
	    "two tar archives in one");
}

static int
put(void *to, const void *data, size_t size)
{
	return fwrite(data, 1, size, to) == size ? 0 : EIO;
}

/* One frame, with a checksum, behind what is in the file. */
static void
append_zstd(const char *to, const void *data, size_t size)
{
	FILE *f = fopen(to, "ab");
	struct zstd_writer *w = zstd_writer_new(put, f, NULL);

	must(f != NULL && w != NULL && zstd_writer_put(w, data, size) == 0 &&
	    zstd_writer_finish(w) == 0 && fclose(f) == 0, to);
	zstd_writer_free(w);
}

static void
test_zstd_frames(void)
{
	static const char skipped[] = "\x50\x2a\x4d\x18\5\0\0\0small";
	struct summary got, want = { 0 }, nothing = { 0 };
	struct prof_error err;

	put_file("frames", skipped, sizeof(skipped) - 1);
	say_member(&nothing, NULL, big, 0);
	check(reads_as("frames", BY_IMAGE, &nothing, &err),
	    "a frame of zstd that is to be skipped");
	append_zstd("frames", big, 200000);
	append_zstd("frames", big, 0);
	append("frames", skipped, sizeof(skipped) - 1);
	append_zstd("frames", big + 200000, 1000);
	say_member(&want, NULL, big, 201000);
	check(reads_as("frames", BY_IMAGE, &want, &err),
	    "frames of zstd of all kinds");
	check(reads_as("frames", BY_PULL, &want, &err), "and piece by piece");
	append("frames", "more", 4);
	summarize(&got, "frames", NO_LIMIT, BY_IMAGE, &err);
	check(err.code == PROF_E_CORRUPT && err.where == PROF_AT_BYTE,
	    "something behind zstd data: %s", err.reason);
}

/* Whole frames are no less than a file. */
static void
test_zstd_cuts(void)
{
	struct summary got, first = { 0 }, both = { 0 };
	struct prof_error err;
	size_t size, whole = 0, cut = 0;
	struct stat st;
	uint8_t *data;

	put_file("cuts", NULL, 0);
	append_zstd("cuts", big, 300);
	must(stat("cuts", &st) == 0, "cuts");
	append_zstd("cuts", big + 300, 200);
	data = get_file("cuts", &size);
	say_member(&first, NULL, big, 300);
	say_member(&both, NULL, big, 500);
	for (size_t at = 4; at <= size; at++) {
		put_file("cuts", data, at);
		summarize(&got, "cuts", NO_LIMIT, BY_IMAGE, &err);
		whole += strcmp(got.text, first.text) == 0 &&
		    at == (size_t)st.st_size;
		whole += strcmp(got.text, both.text) == 0 && at == size;
		cut += err.code == PROF_E_TRUNCATED && err.offset == at;
	}
	free(data);
	check(whole == 2 && cut == size - 4 - 1,
	    "zstd is cut in %zu ways, and whole in %zu", cut, whole);
}

struct few {
	const uint8_t *data;
	size_t left;
};

/* A byte in a frame that wants so much memory. */
static void
test_zstd_window(void)
{
	static uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, (27 - 10) << 3,
	    1 << 3 | 1, 0, 0, 'x' };
	struct summary got, want = { 0 };
	struct prof_error err;

	say_member(&want, NULL, "x", 1);
	put_file("window", frame, sizeof(frame));
	check(reads_as("window", BY_IMAGE, &want, &err),
	    "zstd with a window of 128 MiB");
	frame[5] |= 1;
	put_file("window", frame, sizeof(frame));
	summarize(&got, "window", NO_LIMIT, BY_IMAGE, &err);
	check(err.code == PROF_E_LIMIT && strcmp(err.reason,
	    "zstd data needs a window of more than 128 MiB") == 0,
	    "one of more: %s", err.reason);
}

static void
test_encrypted(void)
{
	struct summary got;
	struct prof_error err;

	if (!make_archive("secret", archive_write_set_format_zip, NULL,
	    "zip:encryption=traditional", members, 2)) {
		check(true, "encrypted zip # SKIP cannot be written");
		return;
	}
	summarize(&got, "secret", NO_LIMIT, BY_IMAGE, &err);
	check(strcmp(got.text, "a.profraw unsupported\nb.txt unsupported\n") ==
	    0 && strcmp(err.reason, "is encrypted") == 0, "encrypted zip: %s",
	    err.reason);
}

static void
test_names(void)
{
	char name[400];
	const struct thing things[] = {
		{ .name = name, .data = big, .size = 1 },
		{ .name = "folder/caf\xc3\xa9", .data = big, .size = 2 },
	};
	struct summary want;
	struct prof_error err;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect_members(&want, things, 2);
	make_archive("names", archive_write_set_format_gnutar, NULL, NULL,
	    things, 2);
	check(reads_as("names", BY_IMAGE, &want, &err),
	    "names in a tar archive");
	/* They are marked as UTF-8 in zip, and are UTF-16 in 7z. */
	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return;
	make_archive("zip", archive_write_set_format_zip, NULL, NULL, things,
	    2);
	make_archive("7z", archive_write_set_format_7zip, NULL, NULL, things,
	    2);
	setlocale(LC_ALL, "C");
	check(reads_as("zip", BY_IMAGE, &want, &err), "names in a zip archive");
	check(reads_as("7z", BY_IMAGE, &want, &err), "names in a 7z archive");
}

/*
 * Cut anywhere, an archive fails, or it is too short to be one; what it gave
 * before is right.
 */
static bool
cut_is_seen(const char *path, size_t size, const struct summary *whole,
    bool directory)
{
	struct prof_error err;
	struct summary got;
	char *fail;

	must(truncate(path, (off_t)size) == 0, path);
	summarize(&got, path, NO_LIMIT, BY_IMAGE, &err);
	if (got.text[0] == '-')
		return true;
	if (directory && strcmp(got.text, whole->text) == 0)
		return true;
	fail = strstr(got.text, "truncated\n");
	if (fail == NULL || fail[strlen("truncated\n")] != '\0')
		return false;
	while (fail > got.text && fail[-1] != '\n')
		fail--;
	return strncmp(got.text, whole->text, (size_t)(fail - got.text)) == 0;
}

static void
test_cut_archives(void)
{
	static const struct thing small[] = {
		{ .name = "one", .data = big, .size = 700 },
		{ .name = "two", .data = big + 1, .size = 1024 },
		{ .name = "three", .data = big + 2, .size = 3 },
	};
	const char *path = "archive", *cut = "cut";
	struct summary whole;

	expect_members(&whole, small, COUNT(small));
	for (size_t i = 0; i < COUNT(formats); i++) {
		size_t size, seen = 0, cuts = 0;
		uint8_t *data;

		if (!make_archive(path, formats[i].set, NULL, NULL, small,
		    COUNT(small)))
			continue;
		data = get_file(path, &size);
		put_file(cut, data, size);
		/*
		 * A tar needs no more than one of its blocks of zeros.  That
		 * an ar archive ends between two members cannot be seen; this
		 * step does not meet such a place.
		 */
		for (size_t at = size - 1; at > 512; at -= 11, cuts++) {
			bool padding = at + 1024 > size && data[at] == 0 &&
			    i < 4;

			seen += padding || cut_is_seen(cut, at, &whole,
			    formats[i].directory);
		}
		free(data);
		check(seen == cuts, "%s is cut in %zu ways", formats[i].name,
		    cuts);
	}
}

/* Cuts the file in half; offset counts in what is compressed. */
static void
check_half(const char *path, const char *name, bool offset)
{
	struct prof_error err;
	struct summary got;
	struct stat st;

	must(stat(path, &st) == 0 && truncate(path, st.st_size / 2) == 0, path);
	summarize(&got, path, NO_LIMIT, BY_PULL, &err);
	check(err.code == PROF_E_TRUNCATED && (!offset ||
	    (err.where == PROF_AT_BYTE &&
	    err.offset == (uint64_t)st.st_size / 2)),
	    "half of %s: %s", name, err.reason);
}

static void
test_cut_streams(void)
{
	for (size_t i = 0; i < COUNT(filters); i++) {
		const char *name = filters[i].name;

		if (!compress_file("half", filters[i].add, big, BIG))
			continue;
		if (strcmp(name, "compress") != 0)	/* it knows no end */
			check_half("half", name, true);
		make_archive("half", archive_write_set_format_ustar,
		    filters[i].add, NULL, members, COUNT(members));
		check_half("half", name, false);
	}
}

/* A changed byte is known, or does not change the contents. */
static void
test_flips(void)
{
	static const struct {
		const char *name;
		enable_fn *format, *filter;
	} rows[] = {
		{ "gzip", NULL, archive_write_add_filter_gzip },
		{ "bzip2", NULL, archive_write_add_filter_bzip2 },
		{ "xz", NULL, archive_write_add_filter_xz },
		{ "lz4", NULL, archive_write_add_filter_lz4 },
		{ "zstd", NULL, NULL },
		{ "zip", archive_write_set_format_zip, NULL },
		{ "7z", archive_write_set_format_7zip, NULL },
	};
	const struct thing one = { .name = "one", .data = big, .size = 5000 };
	const char *path = "flip";

	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned wrong = 0, flips = 0;
		char contents[40];
		uint8_t *data;
		size_t size;

		if (rows[i].format != NULL)
			make_archive(path, rows[i].format, NULL, NULL, &one, 1);
		else if (rows[i].filter != NULL)
			compress_file(path, rows[i].filter, one.data, one.size);
		else {
			put_file(path, NULL, 0);
			append_zstd(path, one.data, one.size);
		}
		snprintf(contents, sizeof(contents), " 5000 %08x\n",
		    sum_of(one.data, one.size));
		data = get_file(path, &size);
		/* Behind the magic: else it would be another file. */
		for (size_t at = 15; at < size; at += 7, flips++) {
			struct prof_error err;
			struct summary got;

			data[at] ^= 0x10;
			put_file(path, data, size);
			data[at] ^= 0x10;
			summarize(&got, path, 1 << 20, BY_IMAGE, &err);
			if (err.code == PROF_E_NONE && got.size > 0 &&
			    strstr(got.text, contents) == NULL)
				wrong++;
		}
		free(data);
		check(wrong == 0, "%s: %u of %u flips unseen", rows[i].name,
		    wrong, flips);
	}
}

static void
test_damaged_archive(void)
{
	struct summary want = { 0 };
	struct prof_error err;
	uint8_t *data;
	size_t size;

	make_archive("damaged", archive_write_set_format_ustar, NULL, NULL,
	    members, COUNT(members));
	data = get_file("damaged", &size);
	data[512 + 100352 + 3] ^= 1;		/* the second header's name */
	put_file("damaged", data, size);
	free(data);
	say_member(&want, "a.profraw", big, 100000);
	say(&want, "- corrupt\n");
	check(reads_as("damaged", BY_IMAGE, &want, &err) && err.where ==
	    PROF_AT_BYTE, "a damaged tar header: %s", err.reason);
}

int
main(void)
{
	enter_folder();
	test_compressed_nothing();
	test_concatenated();
	test_zstd_frames();
	test_zstd_cuts();
	test_zstd_window();
	test_encrypted();
	test_names();
	test_cut_archives();
	test_cut_streams();
	test_flips();
	test_damaged_archive();
	leave_folder();
	return done_testing();
}
