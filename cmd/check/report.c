#include "config.h"

#include "cmd/check/report.h"

#include <inttypes.h>

#include "base/digits.h"
#include "base/error.h"
#include "base/json_member.h"
#include "model/releases.h"
#include "cmd/common/report_line.h"
#include "cmd/print/json_members.h"
#include "cmd/print/people_text.h"

/* Bytes of a binary id that are printed. */
enum { CHECK_ID_BYTES = 32 };

enum check_state
check_state(const struct check_result *r)
{
	if (r->error.code != PROF_E_NONE)
		return CHECK_BAD;
	return r->reason_count == 0 ? CHECK_OK : CHECK_SUSPECT;
}

static void
check_print_name(struct buf *b, const struct check_result *r, const char *state)
{
	const struct prof_source s = { .file = span_of_text(r->file),
	    .member = span_of_text(r->member) };

	show_source(b, &s);
	show_print(b, ": %s: ", state);
}

static void
check_print_place(struct buf *b, const struct check_result *r,
    const char *state, const struct prof_error *e)
{
	check_print_name(b, r, state);
	if (e->where == PROF_AT_BYTE)
		show_print(b, "0x%" PRIx64 ": ", e->offset);
	else if (e->where == PROF_AT_LINE)
		show_print(b, "line %" PRIu64 ": ", e->offset);
}

static void
check_print_bad(struct buf *b, const struct check_result *r)
{
	check_print_place(b, r, "bad", &r->error);
	show_print(b, "%s", r->error.reason);
	if (r->broken_rule != STREAM_RULE_NONE)
		show_print(b, " (rule %d of prof-stream)", r->broken_rule);
	show_print(b, "\n");
}

static void
check_print_suspicion(struct buf *b, const struct check_result *r,
    const struct prof_error *e)
{
	check_print_place(b, r, "suspect", e);
	show_print(b, "%s\n", e->reason);
}

static void
check_print_number(struct buf *b, uint64_t n, const char *one, const char *many)
{
	if (n != 0)
		show_print(b, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

static void
check_print_ids(struct buf *b, const struct intern *ids)
{
	for (size_t i = 0; i < ids->size && i < 2; i++) {
		struct prof_span id = ids->items[i];

		id.size = id.size < CHECK_ID_BYTES ? id.size : CHECK_ID_BYTES;
		show_print(b, i == 0 ? ", binary " : " ");
		digits_append_hex(b, id);
	}
	if (ids->size > 2)
		show_print(b, " and %zu more", ids->size - 2);
}

/* The header, with the copy of its format, which outlives the record. */
static struct prof_header
check_header_of(const struct check *c)
{
	struct prof_header h = c->header;

	if (*c->format != '\0')
		h.source.format = c->format;
	return h;
}

static void
check_print_sound(struct buf *b, const struct check_result *r)
{
	const struct check *c = r->found;
	const struct prof_header h = check_header_of(c);
	const struct llvm_release_range l = llvm_release_writers(
	    h.source.format, h.source.version);

	check_print_name(b, r, "ok");
	if (r->format != NULL && strcmp(r->format, "stream") == 0 &&
	    h.source.format != NULL)
		show_print(b, "stream of ");
	show_kind(b, &h);
	if (l.first != NULL)
		show_print(b, ", LLVM %s%s%s", l.first->name,
		    l.first == l.last ? "" : " to ",
		    l.first == l.last ? "" : l.last->name);
	if (c->profiles > 1)
		check_print_number(b, c->profiles, "profile", "profiles");
	check_print_number(b, c->functions, "function", "functions");
	check_print_number(b, c->raw_counters, "counter", "counters");
	check_print_number(b, c->heap_functions, "heap function",
	    "heap functions");
	check_print_number(b, c->contexts, "heap context", "heap contexts");
	check_print_ids(b, &c->binary_ids);
	show_print(b, "\n");
}

void
check_print(struct buf *b, const struct check_result *r, bool quiet)
{
	uint64_t printed = r->reason_count < CHECK_REASONS ? r->reason_count :
	    CHECK_REASONS;

	switch (check_state(r)) {
	case CHECK_BAD:
		check_print_bad(b, r);
		break;
	case CHECK_SUSPECT:
		for (uint64_t i = 0; i < printed; i++)
			check_print_suspicion(b, r, &r->reasons[i]);
		if (printed == r->reason_count)
			break;
		check_print_name(b, r, "suspect");
		show_print(b, "%" PRIu64 " reasons more\n",
		    r->reason_count - printed);
		break;
	default:
		if (!quiet)
			check_print_sound(b, r);
	}
}

static void
check_json_facts(struct buf *b, const struct check *c)
{
	const struct prof_header h = check_header_of(c);
	const struct llvm_release_range l = llvm_release_writers(
	    h.source.format, h.source.version);

	show_kind_keys(b, &h);
	if (l.first != NULL) {
		json_member_text(b, "llvm_first", l.first->name);
		json_member_text(b, "llvm_last", l.last->name);
	}
	json_member_number(b, "profiles", c->profiles);
	json_member_number(b, "functions", c->functions);
	json_member_number(b, "counters", c->counters + c->raw_counters);
	json_member_number(b, "contexts", c->contexts);
	json_member_key(b, "binary_ids");
	json_text_plain(b, "[");
	for (size_t i = 0; i < c->binary_ids.size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_hex(b, c->binary_ids.items[i]);
	}
	json_text_plain(b, "]");
}

static void
check_json_suspicions(struct buf *b, const struct check_result *r)
{
	json_member_key(b, "suspect");
	json_text_plain(b, "[");
	for (uint64_t i = 0; i < r->reason_count && i < CHECK_REASONS; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		report_line_place(b, &r->reasons[i]);
		json_member_text(b, "reason", r->reasons[i].reason);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

void
check_report(struct buf *b, const struct check_result *r)
{
	static const char *const states[] = {
		[CHECK_OK] = "ok", [CHECK_SUSPECT] = "suspect",
		[CHECK_BAD] = "bad",
	};

	json_text_plain(b, "{");
	report_line_names(b, r->file, r->member);
	json_member_text(b, "state", states[check_state(r)]);
	if (r->sha256 != NULL)
		json_member_text(b, "sha256", r->sha256);
	if (r->error.code != PROF_E_NONE) {
		report_line_error(b, &r->error);
		if (r->broken_rule != STREAM_RULE_NONE)
			json_member_number(b, "rule", r->broken_rule);
	} else if (r->found->profiles != 0)
		check_json_facts(b, r->found);
	if (r->reason_count != 0)
		check_json_suspicions(b, r);
	json_text_plain(b, "}\n");
}

void
check_report_sums(struct buf *b, const uint64_t states[3], uint64_t skipped)
{
	json_text_plain(b, "{");
	report_line_inputs(b, states[CHECK_OK] +
	    states[CHECK_SUSPECT] + states[CHECK_BAD]);
	json_member_number(b, "ok", states[CHECK_OK]);
	json_member_number(b, "suspect", states[CHECK_SUSPECT]);
	json_member_number(b, "bad", states[CHECK_BAD]);
	json_member_number(b, "skipped", skipped);
	json_text_plain(b, "}\n");
}
