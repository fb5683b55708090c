#include "base/sha256.h"

#include <stdlib.h>

#include <nettle/sha2.h>

struct sha256 {
	struct sha256_ctx ctx;
};

void
sha256_of(struct prof_span s, uint8_t out[SHA256_SIZE])
{
	struct sha256 h;

	sha256_init(&h.ctx);
	sha256_add(&h, s.data, s.size);
	sha256_end(&h, out);
}

struct sha256 *
sha256_new(void)
{
	struct sha256 *h = malloc(sizeof(*h));

	if (h != NULL)
		sha256_init(&h->ctx);
	return h;
}

void
sha256_add(struct sha256 *h, const void *data, size_t size)
{
	if (size > 0)
		sha256_update(&h->ctx, size, data);
}

void
sha256_end(struct sha256 *h, uint8_t out[SHA256_SIZE])
{
	sha256_digest(&h->ctx, SHA256_SIZE, out);
}

void
sha256_free(struct sha256 *h)
{
	free(h);
}

void
sha256_text(const uint8_t digest[SHA256_SIZE], char out[SHA256_TEXT + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_SIZE; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[SHA256_TEXT] = '\0';
}
