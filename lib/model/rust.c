#include "model/rust.h"

#include <string.h>

enum { HASH_PART = 20 };	/* 17h, 16 digits, E */

static bool
rust_is_hash_part(const uint8_t *p)
{
	if (memcmp(p, "17h", 3) != 0 || p[HASH_PART - 1] != 'E')
		return false;
	for (size_t i = 3; i < HASH_PART - 1; i++) {
		if (!(p[i] >= '0' && p[i] <= '9') &&
		    !(p[i] >= 'a' && p[i] <= 'f'))
			return false;
	}
	return true;
}

/* The hash part stands at the end, or before a suffix such as .llvm.123. */
static bool
rust_is_legacy(struct prof_span name)
{
	const uint8_t *end, *dot;

	if (name.size < 3 + HASH_PART || memcmp(name.data, "_ZN", 3) != 0)
		return false;
	end = name.data + name.size;
	if (rust_is_hash_part(end - HASH_PART))
		return true;
	dot = name.data + 3 + HASH_PART;
	while ((dot = memchr(dot, '.', (size_t)(end - dot))) != NULL) {
		if (rust_is_hash_part(dot - HASH_PART))
			return true;
		dot++;
	}
	return false;
}

bool
rust_mangled(struct prof_span name)
{
	if (name.size > 2 && name.data[0] == '_' && name.data[1] == 'R' &&
	    memchr("CMXYNIB0123456789", name.data[2], 17) != NULL)
		return true;
	return rust_is_legacy(name);
}
