/* base/json_member.h - members of JSON objects */
#ifndef BASE_JSON_MEMBER_H
#define BASE_JSON_MEMBER_H

#include "base/json_text.h"

/*
 * Each appends a member: a comma unless it is the first of its object, the key,
 * which needs no escapes, and the value.
 */

/* Only as far as the value. */
void jkey(struct buf *, const char *key);

void jkey_number(struct buf *, const char *key, uint64_t);
void jkey_id(struct buf *, const char *key, uint64_t);
void jkey_flag(struct buf *, const char *key);		/* true */

/* Nothing if there is no text. */
void jkey_text(struct buf *, const char *key, const char *text);

/* Under hex_key if no string can hold them; nothing if data is NULL. */
void jkey_bytes(struct buf *, const char *key, const char *hex_key,
    struct prof_span);

/* The same of the name of a file or member, or NULL. */
void jkey_name(struct buf *, const char *key, const char *hex_key,
    const char *name);

/* What is known of where a frame is in the source. */
void jkey_place(struct buf *, const struct prof_frame *);

#endif
