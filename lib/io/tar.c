#include "config.h"

#include "io/tar.h"

#include <stdio.h>
#include <string.h>

enum {
	NAME_SIZE = 100,
	SIZE = 124, SIZE_SIZE = 12,
	CHECKSUM = 148, CHECKSUM_SIZE = 8,
	TYPE = 156,
	MAGIC = 257,
	PREFIX = 345, PREFIX_SIZE = 155,
	/* GNU: flags for one more block of the sparse map. */
	SPARSE_MORE = 482, SPARSE_MORE_STILL = 504,
};

/* The largest number in 11 octal digits. */
#define OCTAL_MAX (((uint64_t)1 << 33) - 1)

static bool
tar_parse_octal(const uint8_t *field, size_t size, uint64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < size && field[i] == ' ')
		i++;
	/* At most 12 octal digits, which fit 64 bits. */
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*out = *out << 3 | (uint64_t)(field[i] - '0');
	return i == size || field[i] == ' ' || field[i] == '\0';
}

/* GNU and others: the first bit is set, and the rest is a binary number. */
static bool
tar_parse_base256(const uint8_t *field, size_t size, uint64_t *out)
{
	*out = field[0] & 0x7f;
	for (size_t i = 1; i < size; i++) {
		if (*out >> 56 != 0)
			return false;
		*out = *out << 8 | field[i];
	}
	return true;
}

bool
tar_size(const uint8_t block[TAR_BLOCK], uint64_t *size)
{
	const uint8_t *field = block + SIZE;

	return (field[0] & 0x80) != 0 ? tar_parse_base256(field, SIZE_SIZE,
	    size) : tar_parse_octal(field, SIZE_SIZE, size);
}

/* The sum of all bytes, with the checksum field counted as spaces. */
static unsigned
tar_checksum(const uint8_t block[TAR_BLOCK], bool as_signed)
{
	unsigned n = CHECKSUM_SIZE * ' ';

	for (unsigned i = 0; i < TAR_BLOCK; i++) {
		if (i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE)
			continue;
		n += block[i];
		if (as_signed && block[i] >= 0x80)
			n -= 0x100;
	}
	return n;
}

bool
tar_is_header(const uint8_t block[TAR_BLOCK])
{
	uint64_t stored;

	if (!tar_parse_octal(block + CHECKSUM, CHECKSUM_SIZE, &stored))
		return false;
	/* Some old programs summed bytes as signed numbers. */
	return stored == tar_checksum(block, false) ||
	    stored == (tar_checksum(block, true) & 07777777);
}

char
tar_type(const uint8_t block[TAR_BLOCK])
{
	return block[TYPE] == '\0' ? '0' : (char)block[TYPE];
}

void
tar_set_size(uint8_t block[TAR_BLOCK], uint64_t size)
{
	uint8_t *field = block + SIZE;
	char digits[SIZE_SIZE + 12];

	if (size <= OCTAL_MAX) {
		snprintf(digits, sizeof(digits), "%011llo",
		    (unsigned long long)size);
		memcpy(field, digits, SIZE_SIZE);
	} else {
		for (unsigned i = SIZE_SIZE; i-- > 0; size >>= 8)
			field[i] = (uint8_t)size;
		field[0] |= 0x80;
	}
	snprintf(digits, sizeof(digits), "%06o", tar_checksum(block, false));
	memcpy(block + CHECKSUM, digits, 7);
	block[CHECKSUM + 7] = ' ';
}

static size_t
tar_put_field(char *to, const uint8_t *field, size_t size)
{
	size_t n = strnlen((const char *)field, size);

	memcpy(to, field, n);
	return n;
}

size_t
tar_name(const uint8_t block[TAR_BLOCK], char name[TAR_NAME_MAX + 1])
{
	/* GNU headers have other members at the offset of prefix. */
	bool posix = memcmp(block + MAGIC, "ustar", 6) == 0;
	size_t n = 0;

	if (posix && block[PREFIX] != '\0') {
		n = tar_put_field(name, block + PREFIX, PREFIX_SIZE);
		name[n++] = '/';
	}
	n += tar_put_field(name + n, block, NAME_SIZE);
	name[n] = '\0';
	return n;
}

bool
tar_sparse_block_follows(const uint8_t block[TAR_BLOCK], bool is_header)
{
	return block[is_header ? SPARSE_MORE : SPARSE_MORE_STILL] != 0;
}

enum prof_status
tar_next_record(struct prof_span *rest, struct tar_record *r)
{
	const uint8_t *data = rest->data, *end, *equals;
	size_t size = 0, i = 0;

	if (rest->size == 0)
		return PROF_END;
	for (; i < rest->size && data[i] >= '0' && data[i] <= '9'; i++) {
		size = size * 10 + (size_t)(data[i] - '0');
		if (size > rest->size)
			return PROF_FAIL;
	}
	/* A record has at least a space, an equals sign and a newline. */
	if (i == 0 || size < i + 3 || data[i] != ' ' ||
	    data[size - 1] != '\n')
		return PROF_FAIL;
	i++;
	end = data + size - 1;
	equals = memchr(data + i, '=', size - 1 - i);
	if (equals == NULL)
		return PROF_FAIL;
	r->whole = (struct prof_span){ data, size };
	r->key = (struct prof_span){ data + i, (size_t)(equals - data) - i };
	r->value = (struct prof_span){ equals + 1,
	    (size_t)(end - equals) - 1 };
	rest->data += size;
	rest->size -= size;
	return PROF_OK;
}
