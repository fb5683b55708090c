/* base/base64.h - base64 (RFC 4648, section 4) */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/bytes.h"

/* Appends the text of the bytes: one line, with '=' at its end. */
void base64_put(struct buf *, struct prof_span);

#endif
