/* base/crc32c.h - the CRC-32C of RFC 3720, a checksum of blocks */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include "prof/base.h"

uint32_t crc32c(struct prof_span);

#endif
