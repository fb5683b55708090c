#include "ops/retarget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/releases.h"
#include "model/symtab.h"
#include "ops/rename.h"

void
retarget_release(const struct llvm_release *r, struct retarget_options *out)
{
	out->version = r->indexed;
	out->separator = r->separator;
}

struct retarget {
	struct retarget_options o;
	struct arena arena;		/* of one record */
	/* Of the profile being read. */
	bool ir, mask;
	bool doubtful;			/* its hashes are of another rule */
	bool unsure;			/* they may be of a later rule */
	struct hash_facts facts;	/* of an unsure profile */
	uint64_t functions, lost;	/* of a doubtful profile */
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

/* Says who computes these hashes, who reads the file, and what can be done. */
static enum prof_status
retarget_refuse_hashes(const struct retarget *r, struct prof_error *err)
{
	const struct version_range hashes = { r->frontend_first,
	    r->frontend_last };
	struct llvm_release_range own = llvm_release_hashing(
	    llvm_hash_rule(hashes.first), llvm_hash_rule(hashes.last));
	struct llvm_release_range readers = llvm_release_writers("indexed",
	    r->o.version);
	char versions[VERSION_RANGE_SIZE], clangs[CLANGS_SIZE];
	char reader[CLANGS_SIZE];

	llvm_clangs_text(readers, reader);
	return err_set(err, PROF_E_MISMATCH, "its front-end hashes are of "
	    "indexed %s (%s): version %u%s%s%s would lose up to %llu of %llu "
	    "functions, whose hash differs. Use --for clang-%s, profile with "
	    "the compiler in use or -fprofile-generate, or accept the loss "
	    "by --to indexed:relabel",
	    version_range_text(hashes, versions), llvm_clangs_text(own, clangs),
	    r->o.version, reader[0] != '\0' ? " (" : "", reader,
	    reader[0] != '\0' ? ")" : "", (unsigned long long)r->lost,
	    (unsigned long long)r->functions, own.last->name);
}

static void
retarget_count_lost(struct retarget *r, const struct prof_function *f)
{
	r->functions++;
	r->lost += !rust_mangled(f->symbol.name) && !frontend_hash_survives(
	    f->hash, llvm_hash_rule(r->frontend_first),
	    llvm_hash_rule(r->o.version));
	hash_facts_add(&r->facts, f->hash);
}

/*
 * A profile whose hashes are or may be of another rule is read to its end, so
 * that the message can say how many functions would be lost.  If none would, it
 * is as good.
 */
static enum prof_status
retarget_judge_record(struct retarget *r, const struct prof_record *in,
    struct prof_error *err)
{
	const struct prof_block *b = &in->u.block;
	const struct prof_function *f = &in->u.function;
	size_t size = in->kind == PROF_REC_FUNCTION;

	if (in->kind == PROF_REC_END && r->unsure && !r->facts.any_flags)
		r->changes.unsure = r->facts.digests;
	if (in->kind == PROF_REC_END)
		return !r->doubtful || r->lost == 0 ? PROF_OK :
		    retarget_refuse_hashes(r, err);
	if (in->kind == PROF_REC_BLOCK) {
		f = prof_block_functions(b, err);
		if (f == NULL)
			return PROF_FAIL;
		size = b->size;
	}
	for (size_t i = 0; i < size; i++)
		retarget_count_lost(r, &f[i]);
	return PROF_OK;
}

static void
retarget_head(struct retarget *r, struct prof_header *h)
{
	enum hash_rule rule = llvm_hash_rule(r->o.version);
	enum hash_rule oldest = llvm_hash_rule(h->frontend_first);
	enum hash_rule newest = llvm_hash_rule(h->frontend_last);
	bool fits = rule >= oldest && rule <= newest;

	r->ir = h->level == PROF_LEVEL_IR;
	r->frontend_first = h->frontend_first;
	r->frontend_last = h->frontend_last;
	r->changes = (struct retarget_changes){ 0 };
	r->functions = r->lost = 0;
	/* The rule before differs in the bits that are masked only. */
	r->mask = rule == HASH_RULE_MASKED && oldest >= HASH_RULE_12 &&
	    !r->o.relabel;
	r->doubtful = h->frontend_first != 0 && !fits && !r->mask &&
	    !r->o.relabel;
	r->unsure = h->frontend_first != 0 && fits && !r->o.relabel &&
	    newest == HASH_RULE_MASKED && rule < newest;
	r->facts = (struct hash_facts){ 0 };
	if (h->frontend_first == 0)
		return;
	if (r->o.relabel)
		r->changes.relabelled = !fits;
	else if (!r->doubtful)
		h->frontend_first = h->frontend_last = r->o.version;
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
	enum bitmap_rule rule = llvm_bitmap_rule(r->o.version);

	if (r->frontend_first == 0 || rule == BITMAP_NONE)
		return true;
	return llvm_bitmap_rule(r->frontend_first) <= rule &&
	    (rule == BITMAP_18 || llvm_bitmap_rule(r->frontend_last) >= rule);
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
	char versions[VERSION_RANGE_SIZE];

	if (r->mask && (f->hash & ~FRONTEND_HASH_MASK) != 0 &&
	    !rust_mangled(f->symbol.name)) {
		r->changes.masked++;
		f->hash &= FRONTEND_HASH_MASK;
	}
	if (f->bitmap.size == 0 || retarget_bitmaps_fit(r))
		return PROF_OK;
	r->changes.renumbered++;
	if (r->o.relabel)
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "its MC/DC bitmaps are "
	    "numbered as in indexed %s: readers of version %u would read other "
	    "numbers (--to indexed:%u, or indexed:relabel)",
	    version_range_text((struct version_range){ r->frontend_first,
	    r->frontend_last }, versions), r->o.version, r->frontend_last);
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
	const struct rename rename = { retarget_rename_local, r, &r->arena };

	*out = *in;
	arena_reset(&r->arena);
	if (in->kind == PROF_REC_PROFILE) {
		retarget_head(r, &out->u.profile);
		return PROF_OK;
	}
	if ((r->doubtful || r->unsure) &&
	    retarget_judge_record(r, in, err) != PROF_OK)
		return PROF_FAIL;
	if (r->ir && r->o.separator != 0 && rename_record(in, out,
	    &rename, err) != PROF_OK)
		return PROF_FAIL;
	retarget_count_renamed(r, in, out);
	if (in->kind == PROF_REC_BLOCK && r->mask)
		out->u.block.hash_mask &= FRONTEND_HASH_MASK;
	return in->kind == PROF_REC_FUNCTION ?
	    retarget_function(r, &out->u.function, err) : PROF_OK;
}
