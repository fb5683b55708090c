#include "base/error.h"
#include "format/memprof/write.h"

/* Whether the profile has data that only the newest version can hold. */
static bool
choice_wants_newest(const struct memprof_built *in)
{
	return in->callees != 0 || in->accesses_size != 0 ||
	    in->cold_size != 0;
}

/*
 * LLVM's default, which is a version without callees, unless that would lose
 * data or be older than the target allows.
 */
static unsigned
choice_default_version(const struct memprof_file *file,
    const struct memprof_built *in, const struct prof_target *target)
{
	unsigned newest = file->last;
	unsigned least = target->memprof_at_least;

	while (newest > file->first && newest + 1 > least &&
	    memprof_row(newest)->callees && !choice_wants_newest(in))
		newest--;
	return newest;
}

/* The fields that every reader of the file knows. */
static uint32_t
choice_known_fields(const struct memprof_file *file)
{
	return (UINT32_C(1) << (file->field + 1)) - 2;
}

static uint32_t
choice_schema(const struct memprof_choice *choice,
    const struct memprof_file *file, const struct prof_target *target,
    const struct memprof_built *in)
{
	uint32_t schema = MEMPROF_SCHEMA_HOT_COLD | in->function_fields;

	if (target->memprof_fields != 0)
		schema = target->memprof_fields;
	else if (choice->row->full_schema || target->memprof_full_schema)
		schema = choice_known_fields(file);
	return schema;
}

enum prof_status
memprof_choose(struct memprof_choice *choice, const struct memprof_file *file,
    const struct prof_target *target, const struct memprof_built *in,
    struct prof_error *err)
{
	unsigned version = target->memprof_version - 1;
	uint32_t schema;

	if (target->memprof_version == 0)
		version = choice_default_version(file, in, target);
	if (version < file->first || version > file->last)
		return err_set(err, PROF_E_UNSUPPORTED, "readers of indexed "
		    "version %u accept heap profiles (MemProf) of version %u "
		    "to %u, not %u", file->version, file->first, file->last,
		    version);
	choice->built = in;
	choice->row = memprof_row(version);
	schema = choice_schema(choice, file, target, in);
	choice->schema = schema & choice_known_fields(file);
	choice->dropped = memprof_schema_fields(schema & ~choice->schema);
	/* LLVM 20 changed the ids, and reads no sections with ids of frames. */
	choice->llvm19_ids =
	    memprof_row(file->first)->stacks == MEMPROF_FRAME_IDS;
	return PROF_OK;
}
