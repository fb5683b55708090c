/* base/xml.h - text inside XML 1.0 */
#ifndef BASE_XML_H
#define BASE_XML_H

#include "base/bytes.h"

/*
 * Appends UTF-8 without control characters (base/printable.h) for elements and
 * for attributes in double quotes.  U+FFFE and U+FFFF, which XML has not,
 * become U+FFFD, the replacement character.
 */
void xml_put(struct buf *, struct prof_span);

#endif
