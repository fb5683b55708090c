#include "format/manifest.h"

#include <stdlib.h>

#include "base/jtext.h"

const char manifest_name[] = "MANIFEST";

const char *const manifest_kinds[3] = {
	[PROF_INSTR] = "instr",
	[PROF_MEMPROF] = "memprof",
	[PROF_MIXED] = "mixed",
};

static const char claim[] = "{\"bundle\":";

bool
manifest_claims(struct prof_span s)
{
	return s.size >= sizeof(claim) - 1 &&
	    memcmp(s.data, claim, sizeof(claim) - 1) == 0;
}

bool
manifest_path_is_safe(struct prof_span path)
{
	const uint8_t *p = path.data, *end = p + path.size;

	if (path.size == 0 || memchr(p, '\0', path.size) != NULL)
		return false;
	for (;;) {
		const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((slash == NULL ? end : slash) - p);

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (slash == NULL)
			return true;
		p = slash + 1;
	}
}

static void
put_key(struct buf *b, const char *key)
{
	jtext_plain(b, b->size == 0 || b->data[b->size - 1] == '{' ? "\"" : ",\"");
	jtext_plain(b, key);
	jtext_plain(b, "\":");
}

static void
put_number(struct buf *b, const char *key, uint64_t n)
{
	put_key(b, key);
	jtext_number(b, n);
}

/* The bytes as a string, or in hex if no string can hold them. */
static void
put_path(struct buf *b, const char *key, const char *hex_key,
    struct prof_span path)
{
	put_key(b, jtext_fits(path) ? key : hex_key);
	if (jtext_fits(path))
		jtext_string(b, path);
	else
		jtext_hex(b, path);
}

static void
put_digest(struct buf *b, const uint8_t digest[SHA256_SIZE])
{
	jtext_hex(b, (struct prof_span){ digest, SHA256_SIZE });
}

static void
put_list_comma(struct buf *b, size_t i)
{
	if (i != 0)
		jtext_plain(b, ",");
}

void
manifest_put_head(struct buf *b, uint64_t profiles, uint64_t members)
{
	jtext_plain(b, claim);
	jtext_number(b, MANIFEST_VERSION);
	put_number(b, "profiles", profiles);
	put_number(b, "members", members);
	jtext_plain(b, "}\n");
}

static void
put_labels(struct buf *b, const struct manifest_profile *p)
{
	if (p->labels_size == 0)
		return;
	put_key(b, "labels");
	jtext_plain(b, "{");
	for (size_t i = 0; i < p->labels_size; i++) {
		put_list_comma(b, i);
		jtext_string(b, p->labels[i].key);
		jtext_plain(b, ":");
		jtext_string(b, p->labels[i].value);
	}
	jtext_plain(b, "}");
}

static void
put_inputs(struct buf *b, const struct manifest_profile *p)
{
	if (p->inputs == NULL)
		return;
	put_key(b, "inputs");
	jtext_plain(b, "[");
	for (size_t i = 0; i < p->inputs_size; i++) {
		put_list_comma(b, i);
		put_digest(b, p->inputs[i]);
	}
	jtext_plain(b, "]");
}

static void
put_facts(struct buf *b, const struct manifest_profile *p)
{
	put_key(b, "format");
	jtext_string(b, p->format);
	put_number(b, "version", p->version);
	put_key(b, "kind");
	jtext_plain(b, "\"");
	jtext_plain(b, manifest_kinds[p->kind]);
	jtext_plain(b, "\"");
	put_number(b, "profiles", p->profiles);
	put_key(b, "binary_ids");
	jtext_plain(b, "[");
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		put_list_comma(b, i);
		jtext_hex(b, p->binary_ids[i]);
	}
	jtext_plain(b, "]");
	put_number(b, "functions", p->functions);
	put_number(b, "contexts", p->contexts);
	put_number(b, "count", p->counts);
	put_key(b, "shape");
	jtext_id(b, p->shape);
}

void
manifest_put(struct buf *b, const struct manifest_profile *p)
{
	jtext_plain(b, "{");
	put_path(b, "path", "path_hex", p->path);
	put_path(b, "member", "member_hex", p->member);
	put_number(b, "size", p->size);
	put_key(b, "sha256");
	put_digest(b, p->sha256);
	put_facts(b, p);
	put_labels(b, p);
	put_inputs(b, p);
	jtext_plain(b, "}\n");
}
