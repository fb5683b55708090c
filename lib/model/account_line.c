#include "model/account_line.h"

#include <string.h>

bool
is_account_line(struct prof_span line)
{
	static const char *const starts[] = { "{\"record\":\"part\",",
	    "{\"record\":\"bad\"," };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		size_t n = strlen(starts[i]);

		if (line.size > n && memcmp(line.data, starts[i], n) == 0)
			return true;
	}
	return false;
}
