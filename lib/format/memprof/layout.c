#include "base/error.h"
#include "format/memprof/layout.h"
#include "format/memprof/write.h"

const char *const memprof_word_names[MEMPROF_WORDS] = {
	[MEMPROF_VERSION] = "MemProf version",
	[MEMPROF_RECORD_PAYLOAD] = "RecordPayloadOffset",
	[MEMPROF_RECORD_TABLE] = "RecordTableOffset",
	[MEMPROF_FRAME_PAYLOAD] = "FramePayloadOffset",
	[MEMPROF_FRAME_TABLE] = "FrameTableOffset",
	[MEMPROF_STACK_PAYLOAD] = "CallStackPayloadOffset",
	[MEMPROF_STACK_TABLE] = "CallStackTableOffset",
	[MEMPROF_DATA_ACCESS] = "DataAccessProfOffset",
};

const struct memprof_table_layout memprof_record_table = {
	MEMPROF_RECORD_PAYLOAD, MEMPROF_RECORD_TABLE, true
};
const struct memprof_table_layout memprof_frame_table = {
	MEMPROF_FRAME_PAYLOAD, MEMPROF_FRAME_TABLE, true
};
const struct memprof_table_layout memprof_stack_table = {
	MEMPROF_STACK_PAYLOAD, MEMPROF_STACK_TABLE, false
};

/*
 * Version 0 was checked with files of LLVM 15, 16 and 19, 1 with those of 19, 2
 * and 3 with those of 19 and 22, 4 with those of 22.
 */
static const struct memprof_row rows[] = {
	{	/* LLVM 15 to 19 */
		.version = 0,
		.words = 3,
		.word = { MEMPROF_RECORD_TABLE, MEMPROF_FRAME_PAYLOAD,
		    MEMPROF_FRAME_TABLE },
		.stacks = MEMPROF_FRAME_IDS,
		.full_schema = true,
	}, {	/* LLVM 19 */
		.version = 1,
		.words = 4,
		.word = { MEMPROF_VERSION, MEMPROF_RECORD_TABLE,
		    MEMPROF_FRAME_PAYLOAD, MEMPROF_FRAME_TABLE },
		.stacks = MEMPROF_FRAME_IDS,
		.full_schema = true,
	}, {	/* LLVM 19 to 22 */
		.version = 2,
		.words = 6,
		.word = { MEMPROF_VERSION, MEMPROF_RECORD_TABLE,
		    MEMPROF_FRAME_PAYLOAD, MEMPROF_FRAME_TABLE,
		    MEMPROF_STACK_PAYLOAD, MEMPROF_STACK_TABLE },
		.stacks = MEMPROF_STACK_IDS,
	}, {	/* LLVM 19 to 22 */
		.version = 3,
		.words = 4,
		.word = { MEMPROF_VERSION, MEMPROF_STACK_PAYLOAD,
		    MEMPROF_RECORD_PAYLOAD, MEMPROF_RECORD_TABLE },
		.stacks = MEMPROF_RADIX_INDEX,
	}, {	/* LLVM 21 and 22 */
		.version = 4,
		.words = 5,
		.word = { MEMPROF_VERSION, MEMPROF_STACK_PAYLOAD,
		    MEMPROF_RECORD_PAYLOAD, MEMPROF_RECORD_TABLE,
		    MEMPROF_DATA_ACCESS },
		.stacks = MEMPROF_RADIX_INDEX,
		.summary = true,
		.callees = true,
	},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const unsigned memprof_newest = ROWS - 1;

const struct memprof_row *
memprof_row(uint64_t version)
{
	return version < ROWS ? &rows[version] : NULL;
}

size_t
memprof_word_at(const struct memprof_row *row, enum memprof_word word)
{
	for (size_t i = 0; i < row->words; i++) {
		if (row->word[i] == word)
			return i * 8;
	}
	return SIZE_MAX;
}

size_t
memprof_words_size(const struct memprof_row *row)
{
	return (size_t)row->words * 8;
}

unsigned
memprof_schema_fields(uint32_t schema)
{
	unsigned n = 0;

	for (unsigned field = 1; field < PROF_MIB_FIELDS; field++)
		n += schema >> field & 1;
	return n;
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
	bool wants_newest = in->callees != 0 || in->accesses_size != 0 ||
	    in->cold_size != 0;

	while (newest > file->first && newest + 1 > least &&
	    memprof_row(newest)->callees && !wants_newest)
		newest--;
	return newest;
}

enum prof_status
memprof_choose(struct memprof_choice *choice, const struct memprof_file *file,
    const struct prof_target *target, const struct memprof_built *in,
    struct prof_error *err)
{
	unsigned version = target->memprof_version - 1;
	uint32_t schema = MEMPROF_SCHEMA_HOT_COLD | in->function_fields;
	/* The fields that every reader of the file knows. */
	const uint32_t known = (UINT32_C(1) << (file->field + 1)) - 2;

	if (target->memprof_version == 0)
		version = choice_default_version(file, in, target);
	if (version < file->first || version > file->last)
		return err_set(err, PROF_E_UNSUPPORTED, "readers of indexed "
		    "version %u accept heap profiles (MemProf) of version %u "
		    "to %u, not %u", file->version, file->first, file->last,
		    version);
	choice->built = in;
	choice->row = memprof_row(version);
	if (target->memprof_fields != 0)
		schema = target->memprof_fields;
	else if (choice->row->full_schema || target->memprof_full_schema)
		schema = known;
	choice->schema = schema & known;
	choice->dropped = memprof_schema_fields(schema & ~choice->schema);
	/* LLVM 20 changed the ids, and reads no sections with ids of frames. */
	choice->llvm19_ids =
	    memprof_row(file->first)->stacks == MEMPROF_FRAME_IDS;
	return PROF_OK;
}
