#include "base/error.h"
#include "format/memprof/write.h"

/* Its readers know call sites with callees, and data accesses. */
static bool
wants_newest(const struct memprof_built *in)
{
	return in->callees != 0 || in->accesses_size != 0 ||
	    in->cold_size != 0;
}

/* LLVM's own default, unless that would lose something or step back. */
static unsigned
default_version(const struct memprof_file *file, const struct memprof_built *in,
    const struct prof_target *target)
{
	unsigned newest = file->last;
	unsigned least = target->memprof_at_least;

	while (newest > file->first && newest + 1 > least &&
	    memprof_row(newest)->callees && !wants_newest(in))
		newest--;
	return newest;
}

/* The fields that every reader of the file knows. */
static uint32_t
known_fields(const struct memprof_file *file)
{
	return (UINT32_C(1) << (file->field + 1)) - 2;
}

static uint32_t
choose_schema(const struct memprof_choice *choice,
    const struct memprof_file *file, const struct prof_target *target,
    const struct memprof_built *in)
{
	uint32_t schema = MEMPROF_SCHEMA_HOT_COLD | in->function_fields;

	if (target->memprof_fields != 0)
		schema = target->memprof_fields;
	else if (choice->row->full_schema || target->memprof_full_schema)
		schema = known_fields(file);
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
		version = default_version(file, in, target);
	if (version < file->first || version > file->last)
		return err_set(err, PROF_E_UNSUPPORTED, "readers of indexed "
		    "version %u know heap profiles (MemProf) of version %u to "
		    "%u, not %u", file->version, file->first,
		    file->last, version);
	choice->row = memprof_row(version);
	schema = choose_schema(choice, file, target, in);
	choice->schema = schema & known_fields(file);
	choice->dropped = memprof_schema_fields(schema & ~choice->schema);
	/* LLVM 20 changed them, and no longer reads what was before 2. */
	choice->llvm19_ids = file->first < 2;
	return PROF_OK;
}
