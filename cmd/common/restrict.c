#include "config.h"

#include "cmd/common/restrict.h"

#include "cmd/common/cli.h"
#include "cmd/common/sandbox.h"
#include "io/temporary.h"

/* A list may name files anywhere, and is read later. */
static bool
restrict_has_lists(const struct cli *c)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (c->inputs.items[i].kind != CLI_FILE)
			return true;
	}
	return false;
}

/* A folder whose files are replaced, or the folder of a file. */
static void
restrict_allow_inputs(const struct cli *c, struct sandbox *s)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		const char *path = c->inputs.items[i].path;

		sandbox_allow_output(s, path);
		if (c->options.recursive && *path != '\0')
			sandbox_allow_folder(s, path);
	}
}

void
cli_restrict(const struct cli *c, const struct cli_writes *more)
{
	static const struct cli_writes none;
	const struct cli_writes *w = more == NULL ? &none : more;
	unsigned flags = (w->servers ? SANDBOX_NETWORK : 0u) |
	    (w->removes ? SANDBOX_REMOVE : 0u) |
	    (w->replaces && restrict_has_lists(c) ? SANDBOX_WRITE : 0u);
	struct sandbox s;

	/* The command would inherit the restrictions, and could not run. */
	if (c->inputs.fetch != NULL)
		return;
	sandbox_prepare(&s, flags);
	sandbox_allow_output(&s, c->output.path);
	sandbox_allow_output(&s, c->report.damage.report);
	sandbox_allow_output(&s, w->file);
	if (w->folder != NULL)
		sandbox_allow_folder(&s, w->folder);
	if (w->temporaries)
		sandbox_allow_folder(&s, temporary_folder());
	if (w->replaces)
		restrict_allow_inputs(c, &s);
	sandbox_enter(&s);
}
