/* base/json_member.h - members of JSON objects */
#ifndef BASE_JSON_MEMBER_H
#define BASE_JSON_MEMBER_H

#include "base/json_text.h"

/*
 * Each appends a member: a comma unless it is the first of its object, the key,
 * which needs no escapes, and the value.
 */

/* Only as far as the value. */
void json_member_key(struct buf *, const char *key);

void json_member_number(struct buf *, const char *key, uint64_t);
void json_member_id(struct buf *, const char *key, uint64_t);
void json_member_flag(struct buf *, const char *key);		/* true */

/* Nothing if there is no text. */
void json_member_text(struct buf *, const char *key, const char *text);

/* Under hex_key if no string can hold them; nothing if data is NULL. */
void json_member_bytes(struct buf *, const char *key, const char *hex_key,
    struct prof_span);

/* The same of the name of a file or member, or NULL. */
void json_member_name(struct buf *, const char *key, const char *hex_key,
    const char *name);

#endif
