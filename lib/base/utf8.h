/* base/utf8.h - UTF-8 by RFC 3629: nothing overlong, no surrogates */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>

#include "prof/base.h"

bool utf8_valid(struct prof_span);

#endif
