#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_text.h"
#include "cmd/common/messages.h"
#include "io/output.h"
#include "io/same_file.h"
#include "io/temporary.h"
#include "prof.h"

void
report_line_names(struct buf *b, const char *file, const char *member)
{
	json_member_name(b, "file", "file_hex", file);
	json_member_name(b, "member", "member_hex", member);
}

void
report_line_place(struct buf *b, const struct prof_error *e)
{
	if (e->where == PROF_AT_BYTE)
		json_member_number(b, "offset", e->offset);
	else if (e->where == PROF_AT_LINE)
		json_member_number(b, "line", e->offset);
}

void
report_line_error(struct buf *b, const struct prof_error *e)
{
	report_line_place(b, e);
	json_member_text(b, "code", err_code_name(e->code));
	json_member_text(b, "reason", e->reason);
}

static bool
damage_is_stdout(const char *report)
{
	return strcmp(report, "-") == 0;
}

static void
damage_print_unwritable(const struct cli *c, int error)
{
	const char *report = c->report.damage.report;

	message_print("%s: %s: %s\n", c->name, damage_is_stdout(report) ?
	    "standard output" : report, strerror(error));
}

/*
 * Whether two paths lead to one regular file, or would if it existed: then they
 * are one name in one folder.
 */
static bool
damage_same_file(const char *a, const char *b)
{
	char one[PATH_MAX], other[PATH_MAX], *name_one, *name_other;
	struct stat x, y;
	bool there = stat(a, &x) == 0;

	if (there != (stat(b, &y) == 0))
		return false;
	if (there)
		return S_ISREG(x.st_mode) && same_file(&x, &y);
	if (output_resolve(a, one) != 0 || output_resolve(b, other) != 0)
		return false;
	name_one = one + path_folder_size(one);
	name_other = other + path_folder_size(other);
	if (strcmp(name_one, name_other) != 0)
		return false;
	/* A slash needs room: without a folder, the path is that of ".". */
	strcpy(name_one, name_one == one ? "." : "");
	strcpy(name_other, name_other == other ? "." : "");
	return stat(one, &x) == 0 && stat(other, &y) == 0 &&
	    same_file(&x, &y);
}

/*
 * Whether the file is empty, or begins as reports of our programs do: with one
 * of the members that come first in lines of reports.
 */
static bool
damage_may_replace(const char *path)
{
	static const char *const starts[] = {
		"{\"file\":", "{\"file_hex\":", "{\"code\":",
		"{\"inputs\":",
		/* Of an account (plan/account.h); a plan has a number here. */
		"{\"plan\":\""
	};
	char bytes[16] = "";
	struct stat st;
	size_t size;
	FILE *f;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (f = fopen(path, "re")) == NULL)
		return true;
	size = fread(bytes, 1, sizeof(bytes) - 1, f);
	fclose(f);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(bytes, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return size == 0;
}

/* Standard output may be the output, if -o names no file. */
static bool
damage_shares_stdout(const struct cli *c, const char *report)
{
	struct stat out, st;

	if (c->output.path != NULL || c->report.damage.prints_nothing)
		return false;
	return damage_is_stdout(report) || strcmp(report, "/dev/stdout") == 0 ||
	    (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) &&
	    stat(report, &st) == 0 && same_file(&st, &out));
}

void
cli_check_report(const struct cli *c, const char *report)
{
	if (report == NULL || damage_is_stdout(report))
		return;
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (damage_same_file(c->inputs.items[i].path, report))
			cli_usage_error(c, "--report %s would replace an input",
			    report);
	}
	if (c->output.path != NULL && damage_same_file(c->output.path, report))
		cli_usage_error(c, "--report %s would replace the output",
		    report);
	if (!damage_may_replace(report))
		cli_usage_error(c, "--report %s would replace a file that is "
		    "not a report", report);
}

bool
cli_is_report(const struct cli *c, const char *path)
{
	const struct cli_damage *d = &c->report.damage;
	struct stat st;

	return d->stream != NULL && d->regular && stat(path, &st) == 0 &&
	    same_file(&st, &d->stat);
}

void
cli_damage_begin(struct cli *c)
{
	struct cli_damage *d = &c->report.damage;

	if (d->report == NULL || d->stream != NULL)
		return;
	if (damage_shares_stdout(c, d->report))
		cli_usage_error(c, "--report %s would be mixed with the "
		    "output on standard output", d->report);
	cli_check_report(c, d->report);
	d->stream = damage_is_stdout(d->report) ? stdout :
	    fopen(d->report, "we");
	d->regular = d->stream != NULL && fstat(fileno(d->stream), &d->stat) ==
	    0 && S_ISREG(d->stat.st_mode);
	if (d->stream != NULL)
		return;
	damage_print_unwritable(c, errno);
	exit(CLI_TROUBLE);
}

/* Flushes, so that readers of the report see each line at once. */
static void
damage_write_line(struct cli *c, struct buf *line)
{
	struct cli_damage *d = &c->report.damage;

	if (line->failed)
		cli_out_of_memory(c);
	fwrite(line->data, 1, line->size, d->stream);
	if (d->error == 0)
		d->error = stdio_flush(d->stream);
	buf_free(line);
}

/* Appends an error as a JSON line; record: its kind of record, or NULL. */
static void
damage_put_error(struct buf *b, const struct cli *c, const char *record,
    const struct prof_error *e)
{
	json_text_plain(b, "{");
	json_member_text(b, "record", record);
	report_line_names(b, c->inputs.file, c->inputs.member);
	report_line_error(b, e);
	json_text_plain(b, "}\n");
}

static void
damage_report_error(struct cli *c, const struct prof_error *e)
{
	struct buf b = { 0 };

	if (c->report.damage.stream == NULL)
		return;
	damage_put_error(&b, c, NULL, e);
	damage_write_line(c, &b);
}

static void
damage_report_totals(struct cli *c)
{
	const struct cli_damage *d = &c->report.damage;
	struct buf b = { 0 };

	if (d->stream == NULL)
		return;
	json_text_plain(&b, "{");
	json_member_number(&b, "inputs", d->used + d->bad);
	json_member_number(&b, "used", d->used);
	json_member_number(&b, "bad", d->bad);
	json_member_number(&b, "skipped", c->report.skipped);
	if (d->summed) {
		json_member_number(&b, "overflows", d->losses.overflows);
		json_member_number(&b, "mismatches", d->losses.mismatches);
	}
	json_text_plain(&b, "}\n");
	damage_write_line(c, &b);
}

void
cli_damage_report_account(struct cli *c, const struct buf *lines)
{
	static const char record[] = "\"record\":";
	const uint8_t *p = lines->data, *end, *comma;
	struct buf b = { 0 };

	if (lines->size == 0)
		return;
	end = p + lines->size;
	for (const uint8_t *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		comma = memmem(p, (size_t)(newline - p), record,
		    sizeof(record) - 1) != p + 1 ? NULL :
		    memchr(p, ',', (size_t)(newline - p));
		buf_put(&b, p, 1);
		p = comma == NULL ? p + 1 : comma + 1;
		buf_put(&b, p, (size_t)(newline + 1 - p));
	}
	if (c->report.damage.stream != NULL && (b.size != 0 || b.failed))
		damage_write_line(c, &b);
	buf_free(&b);
}

enum prof_status
cli_damage_settle(struct cli *c)
{
	const struct cli_damage *d = &c->report.damage;
	const uint64_t all = d->used + d->bad;

	/* All counted: bad / all > max / 100, without division. */
	if (!d->limited || !(d->percent ? (double)d->bad * 100 >
	    (double)d->max_bad * (double)all : d->bad > d->max_bad))
		return PROF_OK;
	c->inputs.file = c->inputs.member = NULL;
	return err_set(&c->err, PROF_E_LIMIT, "bad inputs: %llu of %llu: "
	    "--keep-going allows %llu%s", ull(d->bad), ull(all),
	    ull(d->max_bad), d->percent ? "%" : "");
}

enum prof_status
cli_damage_skip(struct cli *c)
{
	struct cli_damage *d = &c->report.damage;

	d->bad++;
	/* Lack of memory, and failures of output, do not make an input bad. */
	if (!d->keep_going || err_is_lack(c->err.code) || c->output.failed)
		return PROF_FAIL;
	cli_print_error(c, &c->err);
	damage_report_error(c, &c->err);
	if (d->account != NULL)
		damage_put_error(d->account, c, "bad", &c->err);
	c->err = (struct prof_error){ 0 };
	/* A share of the inputs is known behind the last of them. */
	return d->percent ? PROF_OK : cli_damage_settle(c);
}

bool
cli_damage_pass(struct cli *c)
{
	if (err_is_lack(c->err.code) || c->output.failed)
		return false;
	c->report.damage.bad++;
	c->report.damage.damaged |= c->err.where != PROF_NOWHERE &&
	    *err_damage_word(c->err.code) != '\0';
	cli_print_error(c, &c->err);
	damage_report_error(c, &c->err);
	c->err = (struct prof_error){ 0 };
	c->report.trouble = true;
	return true;
}

enum prof_status
cli_damage_sum(struct cli *c, const struct merge_losses *losses)
{
	struct cli_damage *d = &c->report.damage;
	unsigned refused;

	d->summed = true;
	d->losses.overflows += losses->overflows;
	d->losses.mismatches += losses->mismatches;
	refused = d->fail_on & ((d->losses.overflows != 0 ? CLI_OVERFLOW : 0u) |
	    (d->losses.mismatches != 0 ? CLI_MISMATCH : 0u));
	if (refused == 0)
		return PROF_OK;
	c->inputs.file = c->inputs.member = NULL;
	if (refused & CLI_OVERFLOW)
		return err_set(&c->err, PROF_E_LIMIT, "--fail-on overflow: "
		    "records of the sum with counts at their limits: %llu",
		    (unsigned long long)d->losses.overflows);
	return err_set(&c->err, PROF_E_MISMATCH, "--fail-on mismatch: "
	    "functions whose records have different shapes: %llu",
	    (unsigned long long)d->losses.mismatches);
}

/* 0 if all that was written has reached the file, else an errno value. */
static int
damage_write_error(const struct cli_damage *d)
{
	int copy;

	if (d->error != 0)
		return d->error;
	/* Some file systems report lack of space when a file is closed. */
	copy = fcntl(fileno(d->stream), F_DUPFD_CLOEXEC, 0);
	return copy >= 0 && close(copy) == 0 ? 0 : errno;
}

static void
damage_close(struct cli_damage *d)
{
	if (d->stream != stdout)
		fclose(d->stream);
	d->stream = NULL;
}

enum prof_status
cli_damage_flush(struct cli *c)
{
	struct cli_damage *d = &c->report.damage;
	int error;

	if (d->stream == NULL)
		return PROF_OK;
	damage_report_totals(c);
	error = damage_write_error(d);
	d->flushed = error == 0;
	if (d->flushed)
		return PROF_OK;
	err_system(&c->err, error, "cannot write");
	c->inputs.file = damage_is_stdout(d->report) ? "standard output" :
	    d->report;
	c->inputs.member = NULL;
	c->output.failed = false;
	damage_close(d);
	return PROF_FAIL;
}

bool
cli_damage_end(struct cli *c, const struct prof_error *e)
{
	struct cli_damage *d = &c->report.damage;
	int error = 0;

	if (d->stream == NULL)
		return true;
	if (e->code != PROF_E_NONE)
		damage_report_error(c, e);
	if (e->code != PROF_E_NONE || !d->flushed) {
		damage_report_totals(c);
		error = damage_write_error(d);
	}
	if (error != 0)
		damage_print_unwritable(c, error);
	damage_close(d);
	return error == 0;
}
