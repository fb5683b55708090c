#include "model/words.h"

const char *const words_kind[WORDS_KINDS] = {
	[PROF_INSTR] = "instr",
	[PROF_MEMPROF] = "memprof",
	[PROF_MIXED] = "mixed",
};

const char *const words_level[WORDS_LEVELS] = {
	[PROF_LEVEL_UNKNOWN] = "",
	[PROF_LEVEL_IR] = "ir",
	[PROF_LEVEL_FRONTEND] = "frontend",
};

const char *const words_level_profile[WORDS_LEVELS] = {
	[PROF_LEVEL_IR] = "an IR profile",
	[PROF_LEVEL_FRONTEND] = "a front-end profile",
};

const char *const words_value_kind[PROF_VALUE_KINDS] = {
	[PROF_INDIRECT_CALL_TARGET] = "indirect_call_target",
	[PROF_MEM_OP_SIZE] = "mem_op_size",
	[PROF_VTABLE_TARGET] = "vtable_target",
};

const char *const words_value_kind_llvm[PROF_VALUE_KINDS] = {
	[PROF_INDIRECT_CALL_TARGET] = "IPVK_IndirectCallTarget",
	[PROF_MEM_OP_SIZE] = "IPVK_MemOPSize",
	[PROF_VTABLE_TARGET] = "IPVK_VTableTarget",
};

const char *const words_flag[PROF_FLAGS] = {
	"context_sensitive", "entry_first", "loop_entries", "byte_coverage",
	"function_entry_only", "temporal", "debug_info_correlated",
	"binary_correlated", "salvaged",
};

const char *const words_flag_text[PROF_FLAGS] = {
	"context-sensitive", "entry first", "loop entries", "byte coverage",
	"function entry only", "temporal", "debug info correlated",
	"binary correlated", "salvaged",
};
