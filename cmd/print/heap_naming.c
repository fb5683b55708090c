#include "config.h"

#include "cmd/print/heap_naming.h"

#include "cmd/common/message_text.h"

void
heap_naming_warn(const struct cli *c, const char *file,
    enum heap_naming naming)
{
	static const char *const hints[] = {
		[HEAP_HASHED] = "functions are known only by their hash: "
		    "--names-from BINARY names them, prof-index --with-sources "
		    "keeps their names",
		[HEAP_ADDRESSES] = "call stacks have addresses only: "
		    "prof-symbolize --binary PROGRAM adds the functions",
	};

	if (naming == HEAP_NAMED || c->options.quiet)
		return;
	if (file == NULL)
		message_print("%s: warning: %s\n", c->name, hints[naming]);
	else
		message_print("%s: %s: warning: %s\n", c->name, file,
		    hints[naming]);
}
