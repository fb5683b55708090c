#include "config.h"

#include "base/file_kind.h"

#include <string.h>

#include "base/bytes.h"

#define SAMPLES		"samples of a profiler: llvm-profdata merge --sample " \
			"reads them"
#define DOWNLOAD	"HTML or XML, as of a download that failed"
#define GCC_COVERAGE	"coverage data of GCC: gcov reads it"

/*
 * Magic bytes, those of binaries as in LLVM's identify_magic
 * (BinaryFormat/Magic.cpp).  Those of Mach-O are in mach-o/loader.h and fat.h,
 * those of GCC in gcov-io.h, in both byte orders.
 */
static const struct magic {
	const char *bytes;
	size_t size;
	const char *kind;
} magics[] = {
#define MAGIC(bytes, kind) { bytes, sizeof(bytes) - 1, kind }
	MAGIC("\177ELF", "an ELF file: a program, a library or an object"),
	MAGIC("\xfe\xed\xfa\xce", "a Mach-O file"),
	MAGIC("\xce\xfa\xed\xfe", "a Mach-O file"),
	MAGIC("\xfe\xed\xfa\xcf", "a Mach-O file"),
	MAGIC("\xcf\xfa\xed\xfe", "a Mach-O file"),
	MAGIC("\xbe\xba\xfe\xca", "a universal Mach-O file"),
	MAGIC("\xca\xfe\xba\xbf", "a universal Mach-O file"),
	MAGIC("\xbf\xba\xfe\xca", "a universal Mach-O file"),
	MAGIC("MZ", "a COFF program (PE)"),
	MAGIC("\0\0\xff\xff", "a COFF object"),
	MAGIC("Microsoft C/C++ MSF", "a PDB file"),
	MAGIC("\x01\xdf", "an XCOFF file"),
	MAGIC("\x01\xf7", "an XCOFF file"),
	MAGIC("\0asm", "a WebAssembly module"),
	MAGIC("BC\xc0\xde", "LLVM bitcode"),
	MAGIC("\xde\xc0\x17\x0b", "LLVM bitcode"),
	MAGIC("!<arch>\n", "an archive of objects"),
	MAGIC("!<thin>\n", "an archive of objects"),
	MAGIC("#!", "a script"),
	MAGIC("PERFILE2", "samples of perf (perf.data): perf reads them"),
	MAGIC("adcg", GCC_COVERAGE),
	MAGIC("gcda", GCC_COVERAGE),
	MAGIC("oncg", GCC_COVERAGE),
	MAGIC("gcno", GCC_COVERAGE),
	MAGIC("TN:", "coverage data of lcov"),
	MAGIC("SF:", "coverage data of lcov"),
	MAGIC("version https://git-lfs", "a pointer of Git LFS: "
	    "'git lfs pull' fetches the file"),
	MAGIC("<!", DOWNLOAD),
	MAGIC("<?xml", DOWNLOAD),
	MAGIC("<html", DOWNLOAD),
#undef MAGIC
};

/*
 * Universal Mach-O files and Java class files have the same magic.  The number
 * of architectures follows in the former, the minor and major version in the
 * latter: majors begin at 45.
 */
static bool
file_kind_is_universal(struct prof_span s)
{
	return s.size >= 8 && load_u32(s.data, true) == 0xcafebabe &&
	    load_u32(s.data + 4, true) < 0x2d;
}

/*
 * A COFF object has no magic.  Its header (IMAGE_FILE_HEADER) begins with a
 * machine type and the number of sections; the size of the optional header, at
 * 16, is 0.
 */
static bool
file_kind_is_coff_object(struct prof_span s)
{
	static const uint16_t machines[] = {
		0x014c, 0x8664, 0x01c0, 0x01c2, 0x01c4, 0xaa64, 0xa641,
		0xa64e, 0x0200, 0x5032, 0x5064
	};

	if (s.size < 20 || load_u16(s.data + 16, false) != 0 ||
	    load_u16(s.data + 2, false) == 0)
		return false;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (load_u16(s.data, false) == machines[i])
			return true;
	}
	return false;
}

/*
 * Binary sample profiles begin with a LEB128 number: "SPROF42" and a byte for
 * the encoding, which changes the first two bytes (ProfileData/SampleProf.h).
 */
static bool
file_kind_is_samples(struct prof_span s)
{
	static const uint8_t end[] = { 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8 };

	return s.size >= 8 && memcmp(s.data + 2, end, sizeof(end)) == 0;
}

/* The position behind the decimal digits at pos. */
static size_t
file_kind_skip_digits(struct prof_span s, size_t pos)
{
	while (pos < s.size && s.data[pos] >= '0' && s.data[pos] <= '9')
		pos++;
	return pos;
}

/* Sample profiles in text begin with a line FUNCTION:TOTAL:HEAD. */
static bool
file_kind_is_sample_text(struct prof_span s)
{
	const uint8_t *end = s.size == 0 ? NULL : memchr(s.data, '\n', s.size);
	struct prof_span line = { s.data, end == NULL ? 0 :
	    (size_t)(end - s.data) };
	size_t total = 0, head;

	while (total < line.size && line.data[total] != ':')
		total++;
	head = file_kind_skip_digits(line, total + 1);
	return total != 0 && head > total + 1 && head + 1 < line.size &&
	    line.data[head] == ':' &&
	    file_kind_skip_digits(line, head + 1) == line.size;
}

const char *
file_kind(struct prof_span s)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (s.size >= magics[i].size &&
		    memcmp(s.data, magics[i].bytes, magics[i].size) == 0)
			return magics[i].kind;
	}
	if (file_kind_is_universal(s))
		return "a universal Mach-O file";
	if (file_kind_is_coff_object(s))
		return "a COFF object";
	if (file_kind_is_samples(s) || file_kind_is_sample_text(s))
		return SAMPLES;
	return NULL;
}
