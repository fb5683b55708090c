/*
 * format/values_json.h - value sites in JSON, as in prof-stream(5)
 *
 * Streams and `prof-show --json` have them under the same keys and in the same
 * order.
 */
#ifndef FORMAT_VALUES_JSON_H
#define FORMAT_VALUES_JSON_H

#include "base/bytes.h"
#include "prof.h"

/* Appends the object of the kinds that have sites. */
void values_put_json(struct buf *, const struct prof_sites[PROF_VALUE_KINDS]);

#endif
