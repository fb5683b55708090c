/* base/json_member.h - members of JSON objects */
#ifndef BASE_JSON_MEMBER_H
#define BASE_JSON_MEMBER_H

#include "base/json_text.h"

/*
 * Each function appends a member: a comma unless the member is the first of its
 * object, the key, which must need no escapes, and the value.
 */

/* Appends the key and its colon; the caller appends the value. */
void json_member_key(struct buf *, const char *key);

void json_member_number(struct buf *, const char *key, uint64_t);
void json_member_id(struct buf *, const char *key, uint64_t);
void json_member_flag(struct buf *, const char *key);		/* true */

/* Appends nothing if text is NULL. */
void json_member_text(struct buf *, const char *key, const char *text);

/*
 * A string; bytes that no string can hold are written in hex under hex_key.
 * Appends nothing if data is NULL.
 */
void json_member_bytes(struct buf *, const char *key, const char *hex_key,
    struct prof_span);

/* The same of a name that ends with NUL, or is NULL. */
void json_member_name(struct buf *, const char *key, const char *hex_key,
    const char *name);

#endif
