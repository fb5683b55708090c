#include "config.h"

#include "cmd/merge/passed_accounts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "model/account_line.h"

/* The lines of the input, whose records come one after the other. */
static struct buf *
passed_lines(struct passed_accounts *a, uint64_t number)
{
	for (size_t i = a->size; i-- != 0;) {
		if (a->list[i].number == number)
			return &a->list[i].lines;
	}
	if (ARRAY_ADD(a->list, a->size, a->room,
	    (struct passed_account){ .number = number }))
		return &a->list[a->size - 1].lines;
	a->failed = true;
	return NULL;
}

enum prof_status
passed_accounts_note(struct passed_accounts *a, uint64_t number,
    const struct prof_record *r, struct prof_error *err)
{
	struct buf *lines;
	bool second = false;

	if (r->kind != PROF_REC_OTHER || !is_account_line(r->u.other))
		return PROF_OK;
	pthread_mutex_lock(&a->lock);
	lines = passed_lines(a, number);
	if (lines != NULL) {
		second = a->parts && lines->size != 0 &&
		    is_account_start(r->u.other);
		buf_put(lines, r->u.other.data, r->u.other.size);
		buf_put(lines, "\n", 1);
	}
	pthread_mutex_unlock(&a->lock);
	return second ? err_set(err, PROF_E_FORMAT, "has a second account: "
	    "several parts are in one file") : PROF_OK;
}

static int
compare_passed_accounts(const void *a, const void *b)
{
	const struct passed_account *x = a, *y = b;

	return compare_u64(x->number, y->number);
}

enum prof_status
passed_accounts_report(struct passed_accounts *a, struct cli *c,
    const struct account *sum)
{
	struct buf text = { 0 };

	if (c->report.damage.stream == NULL)
		return PROF_OK;
	if (sum != NULL)
		account_put(&text, sum);
	else if (a->size != 0)
		qsort(a->list, a->size, sizeof(*a->list),
		    compare_passed_accounts);
	for (size_t i = 0; sum == NULL && i < a->size; i++) {
		buf_put(&text, a->list[i].lines.data, a->list[i].lines.size);
		a->failed = a->failed || a->list[i].lines.failed;
	}
	a->failed = a->failed || text.failed;
	if (!a->failed)
		cli_damage_report_account(c, &text);
	buf_free(&text);
	return a->failed ? err_memory(&c->err) : PROF_OK;
}

void
passed_accounts_free(struct passed_accounts *a)
{
	for (size_t i = 0; i < a->size; i++)
		buf_free(&a->list[i].lines);
	free(a->list);
	pthread_mutex_destroy(&a->lock);
}
