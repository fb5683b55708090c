/* Signatures of archives and compressed files. */
#include "io/packing.h"

#include "tests/support/test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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
	return done_testing();
}