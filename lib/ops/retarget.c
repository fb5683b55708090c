#include "ops/retarget.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * The newest indexed version that each release reads (InstrProf.h,
 * IndexedInstrProf::Version), from the release named on.
 */
static const struct release {
	unsigned major, minor;
	unsigned version;
	char separator;
} llvm_releases[] = {
	{ 22, 0, 13, ';' },
	{ 19, 0, 12, ';' },
	{ 18, 0, 11, ';' },
	{ 17, 0, 10, ':' },
	{ 16, 0, 9, ':' },
	{ 15, 0, 8, ':' },
	{ 12, 0, 7, ':' },
	{ 11, 0, 6, ':' },
	{ 6, 0, 5, ':' },
	{ 3, 9, 4, ':' },
	{ 3, 8, 3, ':' },
	{ 3, 6, 2, ':' },
	{ 3, 5, 1, ':' },
};

enum { NEWEST_LLVM = 22, NEWEST_RUSTC_MINOR = 95 };
const char retarget_releases[] =
    "clang-3.5 to clang-22, rustc-1.37 to rustc-1.95";

/* LLVM major version that rustc 1.N was released with, from that N on. */
static const struct rustc {
	unsigned minor, llvm;
} rustc_releases[] = {
	{ 94, 22 }, { 91, 21 }, { 87, 20 }, { 82, 19 }, { 78, 18 }, { 73, 17 },
	{ 70, 16 }, { 65, 15 }, { 60, 14 }, { 56, 13 }, { 52, 12 }, { 47, 11 },
	{ 45, 10 }, { 38, 9 }, { 37, 8 },
};

static bool
from_llvm(unsigned major, unsigned minor, struct retarget_options *out)
{
	if (major > NEWEST_LLVM)
		return false;
	for (size_t i = 0; i < sizeof(llvm_releases) /
	    sizeof(llvm_releases[0]); i++) {
		const struct release *r = &llvm_releases[i];

		if (major > r->major ||
		    (major == r->major && minor >= r->minor)) {
			out->version = r->version;
			out->separator = r->separator;
			return true;
		}
	}
	return false;
}

static bool
from_rustc(unsigned major, unsigned minor, struct retarget_options *out)
{
	if (major != 1 || minor > NEWEST_RUSTC_MINOR)
		return false;
	for (size_t i = 0; i < sizeof(rustc_releases) /
	    sizeof(rustc_releases[0]); i++) {
		if (minor >= rustc_releases[i].minor)
			return from_llvm(rustc_releases[i].llvm, 0, out);
	}
	return false;
}

/* "16", "3.9" or "1.70.0" behind a prefix. */
static bool
parse_version(const char *s, unsigned *major, unsigned *minor)
{
	unsigned *numbers[] = { major, minor, &(unsigned){ 0 } };

	*minor = 0;
	for (size_t i = 0; i < 3; i++) {
		char *end;
		unsigned long n;

		if (*s < '0' || *s > '9')
			return false;
		n = strtoul(s, &end, 10);
		if (n > 9999)
			return false;
		*numbers[i] = (unsigned)n;
		if (*end == '\0')
			return true;
		if (*end != '.')
			return false;
		s = end + 1;
	}
	return false;
}

bool
retarget_release(const char *release, struct retarget_options *out)
{
	unsigned major, minor;

	if (strncasecmp(release, "rustc-", 6) == 0)
		return parse_version(release + 6, &major, &minor) &&
		    from_rustc(major, minor, out);
	if (strncasecmp(release, "clang-", 6) != 0 &&
	    strncasecmp(release, "llvm-", 5) != 0)
		return false;
	return parse_version(strchr(release, '-') + 1, &major, &minor) &&
	    from_llvm(major, minor, out);
}

/*
 * Versions whose front-end hashes are made by one rule; bitmaps of MC/DC are
 * numbered in another way from 12 on.
 */
static unsigned
hash_rule(unsigned version)
{
	static const uint8_t first[] = { 13, 7, 6, 5, 1 };

	for (size_t i = 0; i < sizeof(first); i++) {
		if (version >= first[i])
			return first[i];
	}
	return 0;
}

enum { MASKING_RULE = 13, RULE_BEFORE = 7, MCDC_RENUMBERED = 12 };
#define HASH_MASK 0x0FFFFFFFFFFFFFFF

struct retarget {
	struct retarget_options o;
	struct arena arena;		/* of one record */
	bool ir, mask;			/* of the profile being read */
	unsigned bitmap_last;		/* newest version its bitmaps fit, or 0 */
};

struct retarget *
retarget_new(const struct retarget_options *o)
{
	struct retarget *r = calloc(1, sizeof(*r));

	if (r != NULL)
		r->o = *o;
	return r;
}

void
retarget_free(struct retarget *r)
{
	if (r != NULL)
		arena_free(&r->arena);
	free(r);
}

static enum prof_status
retarget_head(struct retarget *r, struct prof_header *h,
    struct prof_error *err)
{
	unsigned rule = hash_rule(r->o.version);
	unsigned oldest = hash_rule(h->frontend_first);
	unsigned newest = hash_rule(h->frontend_last);

	r->ir = h->level == PROF_LEVEL_IR;
	r->mask = false;
	r->bitmap_last = 0;
	if (h->frontend_first == 0 || r->o.relabel)
		return PROF_OK;
	/* Masked or not by the compiler, v13 finds them masked. */
	r->mask = rule == MASKING_RULE && oldest >= RULE_BEFORE;
	r->bitmap_last = h->frontend_last;
	if (!r->mask && (rule < oldest || rule > newest))
		return err_set(err, PROF_E_MISMATCH, "its front-end hashes "
		    "are of indexed versions %u to %u: a compiler that reads "
		    "version %u would look for others (--format-version %u, "
		    "or --relabel)", h->frontend_first, h->frontend_last,
		    r->o.version, h->frontend_last);
	h->frontend_first = h->frontend_last = r->o.version;
	return PROF_OK;
}

/*
 * Where the file part of a local name ends, or NULL.  Up to LLVM 17 that is the
 * last ':' before the function; Objective-C methods have more behind it, and
 * begin with -[ or +[.
 */
static const uint8_t *
separator_in(struct prof_span name)
{
	const uint8_t *p = name.size == 0 ? NULL :
	    memchr(name.data, ';', name.size);
	const uint8_t *colon = NULL;

	if (p != NULL || name.size < 2 || ((name.data[0] == '-' ||
	    name.data[0] == '+') && name.data[1] == '['))
		return p;
	for (size_t i = 0; i + 1 < name.size; i++) {
		if (name.data[i] != ':')
			continue;
		colon = name.data + i;
		if (i + 2 < name.size && (colon[1] == '-' ||
		    colon[1] == '+') && colon[2] == '[')
			break;
	}
	return colon;
}

/* False if out of memory. */
static bool
rename(struct retarget *r, struct prof_span *name, uint64_t *guid)
{
	const uint8_t *at;
	struct prof_span copy;

	if (name->data == NULL || (at = separator_in(*name)) == NULL ||
	    *at == (uint8_t)r->o.separator)
		return true;
	copy = arena_copy(&r->arena, *name);
	if (copy.data == NULL)
		return false;
	((uint8_t *)(uintptr_t)copy.data)[at - name->data] =
	    (uint8_t)r->o.separator;
	*name = copy;
	*guid = prof_guid(copy);
	return true;
}

static bool
rename_targets(struct retarget *r, struct prof_sites *s)
{
	struct prof_site *sites = arena_array(&r->arena, s->size,
	    sizeof(*sites));

	if (sites == NULL)
		return false;
	for (size_t i = 0; i < s->size; i++) {
		size_t n = s->sites[i].size;
		struct prof_value *v = arena_array(&r->arena, n, sizeof(*v));

		if (v == NULL)
			return false;
		for (size_t k = 0; k < n; k++) {
			v[k] = s->sites[i].values[k];
			if (!rename(r, &v[k].name, &v[k].value))
				return false;
		}
		sites[i] = (struct prof_site){ v, n };
	}
	s->sites = sites;
	return true;
}

static enum prof_status
retarget_function(struct retarget *r, struct prof_function *f,
    struct prof_error *err)
{
	if (r->mask)
		f->hash &= HASH_MASK;
	if (f->bitmap.size != 0 && r->bitmap_last != 0 &&
	    r->bitmap_last < MCDC_RENUMBERED &&
	    r->o.version >= MCDC_RENUMBERED)
		return err_set(err, PROF_E_MISMATCH, "its MC/DC bitmaps are "
		    "numbered as up to indexed version %d: a compiler that "
		    "reads version %u would read others (--format-version "
		    "%d, or --relabel)", MCDC_RENUMBERED - 1, r->o.version,
		    MCDC_RENUMBERED - 1);
	if (!r->ir || r->o.separator == 0)
		return PROF_OK;
	if (!rename(r, &f->symbol.name, &f->symbol.guid) ||
	    !rename_targets(r, &f->values[PROF_INDIRECT_CALL_TARGET]) ||
	    !rename_targets(r, &f->values[PROF_VTABLE_TARGET]))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
retarget_trace(struct retarget *r, struct prof_trace *t,
    struct prof_error *err)
{
	struct prof_symbol *f = arena_array(&r->arena, t->size, sizeof(*f));

	if (f == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++) {
		f[i] = t->functions[i];
		if (!rename(r, &f[i].name, &f[i].guid))
			return err_memory(err);
	}
	t->functions = f;
	return PROF_OK;
}

enum prof_status
retarget_record(struct retarget *r, const struct prof_record *in,
    struct prof_record *out, struct prof_error *err)
{
	*out = *in;
	arena_reset(&r->arena);
	switch (in->kind) {
	case PROF_REC_PROFILE:
		return retarget_head(r, &out->u.profile, err);
	case PROF_REC_FUNCTION:
		return retarget_function(r, &out->u.function, err);
	case PROF_REC_VTABLE:
		if (r->ir && r->o.separator != 0 &&
		    !rename(r, &out->u.vtable.symbol.name,
		    &out->u.vtable.symbol.guid))
			return err_memory(err);
		return PROF_OK;
	case PROF_REC_TRACE:
		if (r->ir && r->o.separator != 0)
			return retarget_trace(r, &out->u.trace, err);
		return PROF_OK;
	default:
		return PROF_OK;
	}
}
