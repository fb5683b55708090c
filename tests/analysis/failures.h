/*
 * Included before each file that is analysed: these functions, whose bodies the
 * analysers do not see, always return PROF_FAIL, so that what stands behind a
 * test of their status is not reached.
 */
#include "config.h"

#include "base/error.h"

#define err_at(...)		((void)err_at(__VA_ARGS__), PROF_FAIL)
#define err_line(...)		((void)err_line(__VA_ARGS__), PROF_FAIL)
#define err_memory(...)		((void)err_memory(__VA_ARGS__), PROF_FAIL)
#define err_not_built(...)	((void)err_not_built(__VA_ARGS__), PROF_FAIL)
#define err_set(...)		((void)err_set(__VA_ARGS__), PROF_FAIL)
#define err_system(...)		((void)err_system(__VA_ARGS__), PROF_FAIL)
