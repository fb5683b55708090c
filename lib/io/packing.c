/*
 * Signatures of packed files, none of which begins a profile.  libarchive's own
 * recognition is too lax: it takes 512 zero bytes, with which a memory dump may
 * begin, for a tar archive.
 */
#include "io/packing.h"

#include <string.h>

#include "base/bytes.h"

static const struct packing_magic {
	enum packing packing;
	uint16_t at;
	uint8_t size;
	char bytes[9];
} magics[] = {
	{ PACKING_GZIP, 0, 3, "\x1f\x8b\x08" },		/* RFC 1952, deflate */
	{ PACKING_COMPRESS, 0, 2, "\x1f\x9d" },
	{ PACKING_XZ, 0, 6, "\xfd" "7zXZ\0" },
	{ PACKING_LZ4, 0, 4, "\x04\x22\x4d\x18" },
	{ PACKING_LZ4, 0, 4, "\x02\x21\x4c\x18" },	/* lz4 -l */
	{ PACKING_ZSTD, 0, 4, "\x28\xb5\x2f\xfd" },	/* RFC 8878 */
	{ PACKING_ZSTD, 0, 4, "\x50\x2a\x4d\x18" },	/* pzstd */
	{ PACKING_TAR, 257, 8, "ustar\0" "00" },	/* POSIX.1 pax */
	{ PACKING_TAR, 257, 8, "ustar  " },		/* GNU, with the NUL */
	{ PACKING_CPIO, 0, 6, "070701" },		/* newc */
	{ PACKING_CPIO, 0, 6, "070702" },		/* newc with sums */
	{ PACKING_CPIO, 0, 6, "070707" },		/* odc, POSIX.1 */
	{ PACKING_AR, 0, 8, "!<arch>\n" },
	{ PACKING_ZIP, 0, 4, "PK\3\4" },
	{ PACKING_ZIP, 0, 4, "PK\5\6" },		/* without members */
	{ PACKING_7Z, 0, 6, "7z\xbc\xaf\x27\x1c" },
};

/* "BZh", level, then the magic of a block or, if empty, of the end. */
static bool
packing_is_bzip2(struct prof_span s)
{
	const uint8_t *p = s.data;

	return s.size >= 10 && memcmp(p, "BZh", 3) == 0 &&
	    p[3] >= '1' && p[3] <= '9' &&
	    (memcmp(p + 4, "1AY&SY", 6) == 0 ||
	    memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/*
 * The lzma format has no magic.  As in xz, a file is lzma if it begins with the
 * usual properties, a dictionary size that is 2^n or 2^n + 2^(n-1), and a size
 * of contents that is below 256 GiB or unknown.
 */
static bool
packing_is_lzma(struct prof_span s)
{
	uint32_t dictionary, low;
	uint64_t size;

	if (s.size < 13 || s.data[0] != 0x5d)
		return false;
	dictionary = load_u32(s.data + 1, false);
	size = load_u64(s.data + 5, false);
	low = dictionary & -dictionary;
	return dictionary >= 4096 &&
	    (dictionary == low || dictionary == low * 3) &&
	    (size == UINT64_MAX || size >> 38 == 0);
}

/* Old tar headers have no magic: their checksum (octal, at 148) decides. */
static bool
packing_is_old_tar(struct prof_span s)
{
	const uint8_t *p = s.data, *field;
	unsigned sum = 0, stored = 0, digits = 0, i = 0;

	if (s.size < 512)
		return false;
	field = p + 148;
	for (unsigned k = 0; k < 512; k++)
		sum += k >= 148 && k < 156 ? ' ' : p[k];
	while (i < 8 && field[i] == ' ')
		i++;
	for (; i < 8 && field[i] >= '0' && field[i] <= '7'; i++, digits++)
		stored = stored * 8 + (field[i] - '0');
	return digits > 0 && stored == sum;
}

/* The magic has two bytes only: file type and name length are checked too. */
static bool
packing_is_binary_cpio(struct prof_span s)
{
	bool big = s.size >= 26 && s.data[0] == 0x71;
	unsigned type, name_size;

	if (s.size < 26 || load_u16(s.data, big) != 070707)
		return false;
	type = load_u16(s.data + 6, big) >> 12;
	name_size = load_u16(s.data + 20, big);
	return (type == 1 || type == 2 || type == 4 || type == 6 ||
	    type == 8 || type == 10 || type == 12) &&
	    name_size > 1 && name_size <= 4096;
}

static const struct packing_check {
	enum packing packing;
	bool (*is)(struct prof_span first_bytes);
} checks[] = {
	{ PACKING_BZIP2, packing_is_bzip2 },
	{ PACKING_LZMA, packing_is_lzma },
	{ PACKING_TAR, packing_is_old_tar },
	{ PACKING_CPIO, packing_is_binary_cpio },
};

enum packing
packing_of(struct prof_span s)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct packing_magic *m = &magics[i];

		if (s.size >= (size_t)m->at + m->size &&
		    memcmp(s.data + m->at, m->bytes, m->size) == 0)
			return m->packing;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (checks[i].is(s))
			return checks[i].packing;
	}
	return PACKING_NONE;
}
