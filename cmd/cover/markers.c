/* cmd/cover/markers.c - comments that exclude lines of sources */
#include "config.h"

#include "base/error.h"
#include "cmd/cover/page.h"
#include "cmd/cover/run.h"

void
cover_tell(const struct cli *c, uint64_t line, const char *format, ...)
{
	struct prof_error warning = { .offset = line };
	va_list args;

	if (line > 0)
		warning.where = PROF_AT_LINE;
	va_start(args, format);
	vsnprintf(warning.reason, sizeof(warning.reason), format, args);
	va_end(args);
	cli_warn((void *)(uintptr_t)c, &warning);
}

struct marked {
	const struct cli *cli;
	struct cover_excluded *of;
	uint32_t started[2];		/* lines of _START and _BR_START */
	bool failed;
};

/* What stands behind the prefix of a marker on a line. */
static void
marked_take(struct marked *m, const char *word, size_t size, uint32_t line)
{
	static const char *const words[] = { "_LINE", "_START", "_STOP",
	    "_BR_LINE", "_BR_START", "_BR_STOP" };
	unsigned kind = 0;
	struct cover_line_set *set;
	uint32_t *started;

	while (kind < 6 && (strlen(words[kind]) != size || memcmp(words[kind],
	    word, size) != 0))
		kind++;
	if (kind == 6)
		return;
	set = kind < 3 ? &m->of->lines : &m->of->branches;
	started = &m->started[kind / 3];
	if (kind % 3 == 0 && *started == 0) {
		m->failed |= !cover_lines_add(set, line, line);
	} else if (kind % 3 == 1) {
		if (*started != 0)
			cover_tell(m->cli, line, "a marker %s inside another, "
			    "of line %u", words[kind], *started);
		*started = *started == 0 ? line : *started;
	} else if (kind % 3 == 2 && *started == 0) {
		cover_tell(m->cli, line, "a marker %s without a start",
		    words[kind]);
	} else if (kind % 3 == 2) {
		m->failed |= !cover_lines_add(set, *started, line);
		*started = 0;
	}
}

bool
cover_read_markers(const struct cli *c, struct prof_span text,
    const char *prefix, struct cover_excluded *of)
{
	struct marked m = { .cli = c, .of = of };
	const char *p = (const char *)text.data, *end = p + text.size, *word;
	const char *counted = p;
	size_t size = strlen(prefix), length;
	uint32_t line = 1;

	while ((word = memmem(p, (size_t)(end - p), prefix, size)) != NULL) {
		for (; counted != word; counted++)
			line += *counted == '\n';
		p = word += size;
		for (length = 0; word + length != end && (word[length] == '_' ||
		    (word[length] >= 'A' && word[length] <= 'Z')); length++)
			;
		marked_take(&m, word, length, line);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (m.started[i] == 0)
			continue;
		cover_tell(c, m.started[i], "a marker %s without a stop: the "
		    "rest of the file is excluded", i > 0 ? "_BR_START" :
		    "_START");
		m.failed |= !cover_lines_add(i > 0 ? &of->branches :
		    &of->lines, m.started[i], UINT32_MAX);
	}
	return !m.failed;
}
