#include "config.h"

#include "sym/foreign.h"

#include <string.h>

#include "base/bytes.h"

/*
 * Magic bytes, as in LLVM's identify_magic (BinaryFormat/Magic.cpp).  Those of
 * Mach-O are in mach-o/loader.h and fat.h.
 */
static const struct magic {
	const char *bytes;
	size_t size;
	const char *kind;
} magics[] = {
#define MAGIC(bytes, kind) { bytes, sizeof(bytes) - 1, kind }
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
#undef MAGIC
};

/*
 * Universal Mach-O files and Java class files have the same magic.  The number
 * of architectures follows in the former, the minor and major version in the
 * latter: majors begin at 45.
 */
static bool
foreign_is_universal(struct prof_span s)
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
foreign_is_coff_object(struct prof_span s)
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

const char *
foreign_kind(struct prof_span s)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (s.size >= magics[i].size &&
		    memcmp(s.data, magics[i].bytes, magics[i].size) == 0)
			return magics[i].kind;
	}
	if (foreign_is_universal(s))
		return "a universal Mach-O file";
	if (foreign_is_coff_object(s))
		return "a COFF object";
	return NULL;
}
