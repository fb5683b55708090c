#include "model/memprof_guid.h"

#include <string.h>

#include "base/md5.h"

enum { SUFFIX_SIZE = 6 };

/* Offset of the last occurrence of a text, or the name's size if none. */
static size_t
memprof_last_of(struct prof_span name, const char *text, size_t size)
{
	for (size_t i = name.size; i >= size; i--) {
		if (memcmp(name.data + i - size, text, size) == 0)
			return i - size;
	}
	return name.size;
}

struct prof_span
memprof_canonical_name(struct prof_span name)
{
	static const char suffixes[][SUFFIX_SIZE + 1] = {
		".llvm.", ".part."
	};

	for (size_t i = 0; i < 2; i++) {
		size_t at = memprof_last_of(name, suffixes[i], SUFFIX_SIZE);
		size_t dot = memprof_last_of(name, ".", 1);

		/* Cut only if at most one word follows the suffix. */
		if (at < name.size &&
		    (dot == at || dot == at + SUFFIX_SIZE - 1))
			name.size = at;
	}
	return name;
}

uint64_t
memprof_guid(struct prof_span name)
{
	name = memprof_canonical_name(name);
	return md5_u64(name.data, name.size);
}

struct prof_span
memprof_data_name(struct prof_span symbol)
{
	static const char uniq[] = ".__uniq.";
	const size_t size = sizeof(uniq) - 1;
	size_t from = 0;

	for (size_t i = 0; i + size <= symbol.size && from == 0; i++) {
		if (memcmp(symbol.data + i, uniq, size) == 0)
			from = i + size;
	}
	for (size_t i = from; i < symbol.size; i++) {
		if (symbol.data[i] == '.' && i != 0) {
			symbol.size = i;
			break;
		}
	}
	return symbol;
}

bool
memprof_is_runtime(const struct prof_frame *f)
{
	static const char *const names[] = {
		"memprof_malloc_linux.cpp", "memprof_interceptors.cpp",
		"memprof_new_delete.cpp"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]), folder = f->file.size - n;

		if (f->file.size >= n &&
		    memcmp(f->file.data + folder, names[i], n) == 0 &&
		    (folder == 0 || f->file.data[folder - 1] == '/'))
			return true;
	}
	return false;
}
