/* cmd/common/ask_compiler.h - the release of a compiler that is installed */
#ifndef CMD_COMMON_ASK_COMPILER_H
#define CMD_COMMON_ASK_COMPILER_H

struct cli;
struct llvm_release;

/*
 * Runs `PROGRAM --version`, and nothing else, without a shell, for the compiler
 * of a command line as $CC holds it: a path, or a name in $PATH, with options
 * that are left out and a launcher (ccache) in front that is left out too.  The
 * program gets ten seconds, and no more than the first 4 KB of its output
 * count.  NULL if there is no such program; one that does not name a known
 * release is a usage error.  Called while options are parsed: later the sandbox
 * refuses to start programs.
 */
const struct llvm_release *cli_ask_compiler(const struct cli *,
    const char *command);

#endif
