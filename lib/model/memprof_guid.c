#include "model/memprof_guid.h"

#include <string.h>

#include "base/bytes.h"
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
memprof_frame_name(struct prof_span name)
{
	return name.data != NULL ? name : span_of_text("<invalid>");
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

static bool
memprof_is_runtime_file(struct prof_span path)
{
	static const char *const names[] = {
		"memprof_malloc_linux", "memprof_interceptors",
		"memprof_new_delete"
	};

	/* Frames by the million have other files. */
	if (path.size < 4 || memcmp(path.data + path.size - 4, ".cpp", 4) != 0)
		return false;
	path.size -= 4;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]), folder = path.size - n;

		if (path.size >= n &&
		    memcmp(path.data + folder, names[i], n) == 0 &&
		    (folder == 0 || path.data[folder - 1] == '/'))
			return true;
	}
	return false;
}

/*
 * Linkers and compilers differ in which alias of an allocation function the
 * symbol table gives: the runtime defines ___interceptor_malloc,
 * __interceptor_malloc, __interceptor_trampoline_malloc and malloc.
 */
static bool
memprof_is_runtime_function(struct prof_span name)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "memalign",
		"__libc_memalign", "aligned_alloc", "posix_memalign",
		"valloc", "pvalloc", "strdup", "__strdup",
		"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
		"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
		"_ZnwmSt11align_val_tRKSt9nothrow_t",
		"_ZnamSt11align_val_tRKSt9nothrow_t"
	};
	static const char prefix[] = "__interceptor_";
	size_t n = sizeof(prefix) - 1;

	for (size_t skip = 0; skip < 2; skip++) {
		if (name.size > n + skip && name.data[0] == '_' &&
		    memcmp(name.data + skip, prefix, n) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (name.size == strlen(names[i]) &&
		    memcmp(name.data, names[i], name.size) == 0)
			return true;
	}
	return false;
}

bool
memprof_is_runtime(const struct prof_frame *f)
{
	return memprof_is_runtime_file(f->file) || (!memprof_has_place(f) &&
	    memprof_is_runtime_function(f->function.name));
}
