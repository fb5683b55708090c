#include "ops/retarget.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/rust.h"
#include "model/local_name.h"
#include "ops/rename.h"

/*
 * The newest indexed version that each release reads (InstrProf.h,
 * IndexedInstrProf::Version), from the release named on.
 */
static const struct llvm_release {
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
static const struct rustc_release {
	unsigned minor, llvm;
} rustc_releases[] = {
	{ 94, 22 }, { 91, 21 }, { 87, 20 }, { 82, 19 }, { 78, 18 }, { 73, 17 },
	{ 70, 16 }, { 65, 15 }, { 60, 14 }, { 56, 13 }, { 52, 12 }, { 47, 11 },
	{ 45, 10 }, { 38, 9 }, { 37, 8 },
};

static bool
retarget_from_llvm(unsigned major, unsigned minor, struct retarget_options *out)
{
	if (major > NEWEST_LLVM)
		return false;
	for (size_t i = 0; i < sizeof(llvm_releases) /
	    sizeof(llvm_releases[0]); i++) {
		const struct llvm_release *r = &llvm_releases[i];

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
retarget_from_rustc(unsigned major, unsigned minor,
    struct retarget_options *out)
{
	if (major != 1 || minor > NEWEST_RUSTC_MINOR)
		return false;
	for (size_t i = 0; i < sizeof(rustc_releases) /
	    sizeof(rustc_releases[0]); i++) {
		if (minor >= rustc_releases[i].minor)
			return retarget_from_llvm(rustc_releases[i].llvm, 0,
			    out);
	}
	return false;
}

/* "16", "3.9" or "1.70.0" behind a prefix. */
static bool
retarget_parse_version(const char *s, unsigned *major, unsigned *minor)
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
		return retarget_parse_version(release + 6, &major, &minor) &&
		    retarget_from_rustc(major, minor, out);
	if (strncasecmp(release, "clang-", 6) != 0 &&
	    strncasecmp(release, "llvm-", 5) != 0)
		return false;
	return retarget_parse_version(strchr(release, '-') + 1, &major,
	    &minor) && retarget_from_llvm(major, minor, out);
}

/*
 * The first indexed version with the same rule for front-end hashes
 * (CodeGenPGO.cpp, getPGOHashVersion); 0 if the version is unknown.
 */
static unsigned
retarget_hash_rule(unsigned version)
{
	static const uint8_t first[] = { 13, 7, 6, 5, 1 };

	for (size_t i = 0; i < sizeof(first); i++) {
		if (version >= first[i])
			return first[i];
	}
	return 0;
}

/*
 * MASKING_RULE: from this version on, compilers clear bits 60 to 63 of hashes,
 * and RULE_BEFORE is the same rule otherwise.  MC/DC bitmaps exist from
 * MCDC_FIRST on, and are numbered differently from MCDC_RENUMBERED on.
 */
enum {
	MASKING_RULE = 13, RULE_BEFORE = 7, MCDC_FIRST = 11,
	MCDC_RENUMBERED = 12
};
#define HASH_MASK ((uint64_t)0x0FFFFFFFFFFFFFFF)

struct retarget {
	struct retarget_options o;
	struct arena arena;		/* of one record */
	/* Of the profile being read. */
	bool ir, mask;
	unsigned frontend_first, frontend_last;
	struct retarget_changes changes;
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
	unsigned rule = retarget_hash_rule(r->o.version);
	unsigned oldest = retarget_hash_rule(h->frontend_first);
	unsigned newest = retarget_hash_rule(h->frontend_last);
	bool fits = rule >= oldest && rule <= newest;

	r->ir = h->level == PROF_LEVEL_IR;
	r->frontend_first = h->frontend_first;
	r->frontend_last = h->frontend_last;
	r->changes = (struct retarget_changes){ 0 };
	/* Readers of version 13 look for hashes with these bits cleared. */
	r->mask = rule == MASKING_RULE && oldest >= RULE_BEFORE &&
	    !r->o.relabel;
	if (h->frontend_first == 0)
		return PROF_OK;
	if (r->o.relabel) {
		r->changes.relabelled = !fits;
		return PROF_OK;
	}
	if (!fits && !r->mask)
		return err_set(err, PROF_E_MISMATCH, "its front-end hashes "
		    "are of indexed versions %u to %u: a compiler that reads "
		    "version %u would look for others (--format-version %u, "
		    "or --relabel)", h->frontend_first, h->frontend_last,
		    r->o.version, h->frontend_last);
	h->frontend_first = h->frontend_last = r->o.version;
	return PROF_OK;
}

static bool
retarget_rename_local(void *arg, struct arena *arena, struct prof_span *name,
    uint64_t *guid)
{
	const struct retarget *r = arg;
	const uint8_t *at = name->data == NULL ? NULL :
	    local_name_separator(*name);
	struct prof_span copy;

	if (at == NULL || *at == (uint8_t)r->o.separator)
		return true;
	copy = arena_copy(arena, *name);
	if (copy.data == NULL)
		return false;
	((uint8_t *)(uintptr_t)copy.data)[at - name->data] =
	    (uint8_t)r->o.separator;
	*name = copy;
	*guid = prof_guid(copy);
	return true;
}

/* Whether MC/DC bitmaps are numbered as the target expects, if it has any. */
static bool
retarget_bitmaps_fit(const struct retarget *r)
{
	if (r->frontend_first == 0 || r->o.version < MCDC_FIRST)
		return true;
	return r->o.version < MCDC_RENUMBERED ?
	    r->frontend_first < MCDC_RENUMBERED :
	    r->frontend_last >= MCDC_RENUMBERED;
}

bool
retarget_by_function(const struct retarget *r)
{
	return r->ir && r->o.separator != 0;
}

static enum prof_status
retarget_function(struct retarget *r, struct prof_function *f,
    struct prof_error *err)
{
	if (r->mask && (f->hash & ~HASH_MASK) != 0 &&
	    !rust_mangled(f->symbol.name)) {
		r->changes.masked++;
		f->hash &= HASH_MASK;
	}
	if (f->bitmap.size == 0 || retarget_bitmaps_fit(r))
		return PROF_OK;
	r->changes.renumbered++;
	if (r->o.relabel)
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "its MC/DC bitmaps are numbered "
	    "as in indexed versions %u to %u: who reads version %u would read "
	    "others (--format-version %u, or --relabel)", r->frontend_first,
	    r->frontend_last, r->o.version, r->frontend_last);
}

/* Counts definitions only: value targets and traces refer to them. */
static void
retarget_count_renamed(struct retarget *r, const struct prof_record *in,
    const struct prof_record *out)
{
	if (in->kind == PROF_REC_FUNCTION)
		r->changes.renamed += in->u.function.symbol.name.data !=
		    out->u.function.symbol.name.data;
	else if (in->kind == PROF_REC_VTABLE)
		r->changes.renamed += in->u.vtable.symbol.name.data !=
		    out->u.vtable.symbol.name.data;
}

const struct retarget_changes *
retarget_changes(const struct retarget *r)
{
	return &r->changes;
}

enum prof_status
retarget_record(struct retarget *r, const struct prof_record *in,
    struct prof_record *out, struct prof_error *err)
{
	*out = *in;
	arena_reset(&r->arena);
	if (in->kind == PROF_REC_PROFILE)
		return retarget_head(r, &out->u.profile, err);
	if (r->ir && r->o.separator != 0 && rename_record(in, out, &r->arena,
	    retarget_rename_local, r, err) != PROF_OK)
		return PROF_FAIL;
	retarget_count_renamed(r, in, out);
	if (in->kind == PROF_REC_BLOCK && r->mask)
		out->u.block.hash_mask &= HASH_MASK;
	return in->kind == PROF_REC_FUNCTION ?
	    retarget_function(r, &out->u.function, err) : PROF_OK;
}
