/* show_keys.h - members of the JSON objects that prof-show prints */
#ifndef CMD_SHOW_KEYS_H
#define CMD_SHOW_KEYS_H

#include "base/bytes.h"
#include "ops/figures.h"
#include "prof.h"

/* A comma unless it is the first of its object, and the key. */
void show_key(struct buf *, const char *key);
void show_number(struct buf *, const char *key, uint64_t);
void show_string(struct buf *, const char *key, const char *text);

/* hex_key if they do not fit a string; nothing if data is NULL. */
void show_bytes(struct buf *, const char *key, const char *hex_key,
    struct prof_span);

/* What data access profiles tell, if there is any. */
void show_data_keys(struct buf *, const struct figures *);

/* The file, and the member; format, version, kind and attributes. */
void show_source_keys(struct buf *, const struct prof_source *);
void show_kind_keys(struct buf *, const struct prof_header *);

#endif
