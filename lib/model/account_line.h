/* model/account_line.h - lines of a stream that are about a sum's inputs */
#ifndef MODEL_ACCOUNT_LINE_H
#define MODEL_ACCOUNT_LINE_H

#include "prof.h"

/*
 * Whether a record that readers do not know (PROF_REC_OTHER) is of the account
 * of a part, `part` or `bad` (plan/account.h), which is its first member.
 */
bool is_account_line(struct prof_span line);

/* Whether it is the first one of an account, `part`. */
bool is_account_start(struct prof_span line);

#endif
