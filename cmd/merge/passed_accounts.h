/*
 * cmd/merge/passed_accounts.h - accounts of parts that a merge reads
 *
 * A sum leaves out the accounts of its inputs (plan/account.h); the report has
 * them, in the order of the inputs.
 */
#ifndef CMD_MERGE_PASSED_ACCOUNTS_H
#define CMD_MERGE_PASSED_ACCOUNTS_H

#include <pthread.h>

#include "base/bytes.h"
#include "plan/account.h"

struct cli;

/* All zero but for the lock and `parts`. */
struct passed_accounts {
	bool parts;			/* each input is one part of a plan */
	struct passed_account {
		uint64_t number;	/* of the input */
		struct buf lines;
	} *list;
	size_t size, room;
	bool failed;			/* out of memory */
	pthread_mutex_t lock;
};

/*
 * Keeps the record of that input if it is one of an account; by any thread.  An
 * input that is a part and has a second account would be counted as the first
 * one says: it fails.
 */
enum prof_status passed_accounts_note(struct passed_accounts *,
    uint64_t number, const struct prof_record *, struct prof_error *);

/* Writes the accounts to the report, or in their place that of the sum. */
enum prof_status passed_accounts_report(struct passed_accounts *, struct cli *,
    const struct account *sum);

void passed_accounts_free(struct passed_accounts *);

#endif
