#include "model/local_name.h"

#include <string.h>

/*
 * Up to LLVM 17 the separator is the last ':' before the function; Objective-C
 * methods and blocks inside them, as __15+[Class a:b:]_block_invoke, have more
 * of them behind their bracket.
 */
const uint8_t *
local_name_separator(struct prof_span name)
{
	const uint8_t *p = name.size == 0 ? NULL :
	    memchr(name.data, ';', name.size);
	const uint8_t *colon = NULL;

	if (p != NULL)
		return p;
	for (size_t i = 0; i + 1 < name.size; i++) {
		if (name.data[i] == ':')
			colon = name.data + i;
		else if ((name.data[i] == '-' || name.data[i] == '+') &&
		    name.data[i + 1] == '[')
			break;
	}
	return colon;
}

struct prof_span
local_name_split(struct prof_span name, struct prof_span *file)
{
	const uint8_t *at = local_name_separator(name);
	size_t size;

	*file = (struct prof_span){ NULL, 0 };
	if (at == NULL)
		return name;
	size = (size_t)(at - name.data);
	*file = (struct prof_span){ name.data, size };
	return (struct prof_span){ at + 1, name.size - size - 1 };
}
