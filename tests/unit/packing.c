/* Signatures of archives and compressed files. */
#include "io/packing.h"

#include <string.h>

#include "tests/support/test.h"

enum { TAR_BLOCK = 512, CHECKSUM = 148, MAGIC = 257 };

/* A header of tar whose checksum is the sum of its bytes, as it is written. */
static void
put_tar(uint8_t block[TAR_BLOCK], const char *format, unsigned more)
{
	unsigned sum = 8 * ' ' + more;
	char field[16];

	memset(block + CHECKSUM, 0, 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	snprintf(field, sizeof(field), format, sum);
	memcpy(block + CHECKSUM, field, 8);
}

static void
test_tar(void)
{
	static const struct {
		const char *name, *format;	/* of the checksum, 8 bytes */
		unsigned more;
		enum packing packing;
	} rows[] = {
		{ "file", "%06o", 0, PACKING_TAR },
		{ "file", "%07o", 0, PACKING_TAR },
		{ "file", "%08o", 0, PACKING_TAR },
		{ "file", "  %o  ", 0, PACKING_TAR },
		{ "file", "%6o", 0, PACKING_TAR },
		{ "file", "%06o", 1, PACKING_NONE },
		{ "file", "%06o", 8, PACKING_NONE },
		{ "file", "%06o", 512, PACKING_NONE },
		{ "file", "x%06o", 0, PACKING_NONE },
		{ "file", "        ", 0, PACKING_NONE },
		{ "\xff\xfe\xff", "%06o", 0, PACKING_TAR },
	};
	/* The byte behind the header is none of it. */
	static uint8_t block[TAR_BLOCK + 1] = { [TAR_BLOCK] = 0xff };

	for (size_t i = 0; i < COUNT(rows); i++) {
		memset(block, 0, TAR_BLOCK);
		memcpy(block, rows[i].name, strlen(rows[i].name));
		memset(block + TAR_BLOCK - 8, 0xff, 8);
		put_tar(block, rows[i].format, rows[i].more);
		check(packing_of((struct prof_span){ block, TAR_BLOCK }) ==
		    rows[i].packing, "old tar %zu", i);
		check(packing_of((struct prof_span){ block, TAR_BLOCK - 1 }) ==
		    PACKING_NONE, "old tar %zu, cut", i);
	}
}

/* With a magic the checksum does not count. */
static void
test_tar_magic(void)
{
	static const char *const magics[] = { "ustar\00000", "ustar  " };
	static uint8_t block[TAR_BLOCK];

	for (size_t i = 0; i < COUNT(magics); i++) {
		memcpy(block + MAGIC, magics[i], 8);
		check(packing_of((struct prof_span){ block, TAR_BLOCK }) ==
		    PACKING_TAR, "tar %zu", i);
		check(packing_of((struct prof_span){ block, MAGIC + 8 }) ==
		    PACKING_TAR, "the beginning of tar %zu", i);
		check(packing_of((struct prof_span){ block, MAGIC + 7 }) ==
		    PACKING_NONE, "less of tar %zu", i);
	}
}

/* Types and lengths of names that a binary header of cpio may have. */
static void
test_cpio(void)
{
	static const struct {
		unsigned type, name_size;
		enum packing packing;
	} rows[] = {
		{ 0, 2, PACKING_NONE },
		{ 1, 2, PACKING_CPIO },
		{ 2, 2, PACKING_CPIO },
		{ 3, 2, PACKING_NONE },
		{ 4, 2, PACKING_CPIO },
		{ 5, 2, PACKING_NONE },
		{ 6, 2, PACKING_CPIO },
		{ 7, 2, PACKING_NONE },
		{ 8, 2, PACKING_CPIO },
		{ 9, 2, PACKING_NONE },
		{ 10, 2, PACKING_CPIO },
		{ 11, 2, PACKING_NONE },
		{ 12, 2, PACKING_CPIO },
		{ 13, 2, PACKING_NONE },
		{ 15, 2, PACKING_NONE },
		{ 8, 0, PACKING_NONE },
		{ 8, 1, PACKING_NONE },
		{ 8, 4096, PACKING_CPIO },
		{ 8, 4097, PACKING_NONE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t big[26] = { 0x71, 0xc7 }, little[26] = { 0xc7, 0x71 };
		uint8_t type = (uint8_t)(rows[i].type << 4);

		big[6] = little[7] = type;
		big[20] = little[21] = (uint8_t)(rows[i].name_size >> 8);
		big[21] = little[20] = (uint8_t)rows[i].name_size;
		check(packing_of((struct prof_span){ big, 26 }) ==
		    rows[i].packing && packing_of((struct prof_span){ little,
		    26 }) == rows[i].packing, "cpio, type %u, a name of %u "
		    "bytes", rows[i].type, rows[i].name_size);
		check(packing_of((struct prof_span){ big, 25 }) ==
		    PACKING_NONE, "cpio %zu, cut", i);
	}
}

int
main(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum packing packing;
	} rows[] = {
		{ "", 0, PACKING_NONE },
		{ "\x1f\x8b\x08", 3, PACKING_GZIP },
		{ "\x1f\x8b", 2, PACKING_NONE },
		{ "BZh91AY&SY", 10, PACKING_BZIP2 },
		{ "BZh_find_me", 11, PACKING_NONE },
		{ "\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff", 13,
		    PACKING_LZMA },
		{ "\x5d\0\0\xc0\0\1\0\0\0\0\0\0\0", 13, PACKING_LZMA },
		{ "\x5d\0\0\xa0\0\1\0\0\0\0\0\0\0", 13, PACKING_NONE },
		{ "\x5d\0\0\x80\0\1\0\0\0\0\0\0\1", 13, PACKING_NONE },
		{ "]0123456789abcdef", 17, PACKING_NONE },
		{ "\xc7\x71\1\0\1\0\xa4\x81\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0"
		    "\0\0", 26, PACKING_CPIO },
		{ "\x71\xc7\0\1\0\1\x81\xa4\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0"
		    "\0\0", 26, PACKING_CPIO },
		{ "\x71\xc7" "abcdefghijklmnopqrstuvwx", 26, PACKING_NONE },
		{ "!<arch>\n", 8, PACKING_AR },
		{ "!<thin>\n", 8, PACKING_NONE },
		{ "P*M\x18", 4, PACKING_ZSTD },
		{ "\xff" "lprofr\x81", 8, PACKING_NONE },
		{ "\x81" "rforpl\xff", 8, PACKING_NONE },
		{ "\xff" "lprofi\x81", 8, PACKING_NONE },
		{ "{\"record\":\"profile\"}\n", 21, PACKING_NONE },
		{ ":ir\n", 4, PACKING_NONE },
	};
	static uint8_t zeros[512];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_span s = { (const uint8_t *)rows[i].bytes,
		    rows[i].size };

		check(packing_of(s) == rows[i].packing, "signature %zu", i);
	}
	check(packing_of((struct prof_span){ zeros, 512 }) == PACKING_NONE,
	    "512 zeros are no archive");
	test_tar();
	test_tar_magic();
	test_cpio();
	return done_testing();
}