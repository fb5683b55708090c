/* cmd/common/refused_option.h - why an option is refused, and what to take */
#ifndef CMD_COMMON_REFUSED_OPTION_H
#define CMD_COMMON_REFUSED_OPTION_H

#include <getopt.h>

struct cli;

/*
 * Prints why getopt_long has refused the option before or at argv[optind], with
 * the most similar long option, and exits.
 *
 * refusal is what getopt_long returned: ':' if an argument is missing, or '?'.
 * known is the long name of the option with the value of optopt, or NULL if
 * there is none; longs are all options.
 */
void cli_refuse_option(const struct cli *, int refusal, const char *known,
    const struct option *longs, char *const *argv)
    __attribute__((noreturn));

/*
 * Exits with a message if the option, with two dashes, is one that users expect
 * in every program and that only some have.
 */
void cli_refuse_option_of_others(const struct cli *, const char *argument);

#endif
