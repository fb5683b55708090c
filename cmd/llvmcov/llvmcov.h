/*
 * cmd/llvmcov/llvmcov.h - llvm-cov for scripts that call LLVM's
 *
 * LLVM's options, output, messages and exit statuses over lib/cover.  Facts are
 * those of llvm/tools/llvm-cov/CodeCoverage.cpp, LLVM 13 to 22.
 */
#ifndef CMD_LLVMCOV_LLVMCOV_H
#define CMD_LLVMCOV_LLVMCOV_H

#include "cmd/common/llvm_options.h"
#include "cmd/cover/run.h"

enum llvmcov_command { LLVMCOV_EXPORT, LLVMCOV_REPORT, LLVMCOV_SHOW };

enum llvmcov_format { LLVMCOV_TEXT, LLVMCOV_HTML, LLVMCOV_LCOV };

enum { LLVMCOV_BRANCH_COUNTS = 1, LLVMCOV_BRANCH_PERCENTS };

struct llvmcov {
	struct llvm_tool tool;
	struct cli cli;
	enum llvmcov_command command;

	/* Values of options. */
	const char *profile, *folder, *output_dir, *title;
	const char *sources_word;	/* of the command line: --sources */
	struct cli_list objects, sources, ignored, equivalences, arches;
	struct cli_list demangler, names, name_regexes;
	bool empty_profile, show_functions;
	uint64_t unused;
	bool color, color_given;
	bool regions, counts, counts_given, counts_or_regions;
	unsigned format, branches;
	struct cover_json_options json;
	struct cover_lcov_options lcov;
	struct cover_report_options report;
	struct cover_show_options show;

	struct cover_binaries binaries;
	struct cover_counts *counted;
	struct cover cover;
	struct buf output;		/* path */
	struct prof_span *local;	/* paths of the cover as they are here,
					   with NUL behind each */
};

extern const struct cli_program llvmcov_program;

/* Prints "error: WHERE: ..." (WHERE may be NULL); exits with 1. */
void llvmcov_fail(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* Files and functions that options select (cmd/llvmcov/select.c) */

/*
 * Leaves the paths that the options select in `sorted` of the cover: sources in
 * their order, if some are named and covered.  False: sources were named, but
 * all were left out.
 */
bool llvmcov_select_files(struct llvmcov *);

/* Whether a function passes one of the filters by name. */
bool llvmcov_selects(void *llvmcov, uint32_t function);

#endif
