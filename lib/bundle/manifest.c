#include "bundle/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_member.h"
#include "model/words.h"

const char manifest_name[] = "MANIFEST";

static const char manifest_start[] = "{\"bundle\":";

bool
manifest_sniff(struct prof_span s)
{
	return s.size >= sizeof(manifest_start) - 1 &&
	    memcmp(s.data, manifest_start, sizeof(manifest_start) - 1) == 0;
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

bool
manifest_identity(const struct manifest_profile *p,
    uint8_t identity[SHA256_SIZE])
{
	struct sha256 *s;

	memcpy(identity, p->sha256, SHA256_SIZE);
	if (p->run.size == 0)
		return true;
	s = sha256_new();
	if (s == NULL)
		return false;
	sha256_add(s, p->sha256, SHA256_SIZE);
	sha256_add(s, p->run.data, p->run.size);
	sha256_add(s, "", 1);
	sha256_add(s, p->path.data, p->path.size);
	sha256_end(s, identity);
	sha256_free(s);
	return true;
}

static void
manifest_put_digest(struct buf *b, const uint8_t digest[SHA256_SIZE])
{
	json_text_hex(b, (struct prof_span){ digest, SHA256_SIZE });
}

static void
manifest_put_list_comma(struct buf *b, size_t i)
{
	if (i != 0)
		json_text_plain(b, ",");
}

void
manifest_put_head(struct buf *b, uint64_t profiles, uint64_t members)
{
	json_text_plain(b, manifest_start);
	json_text_number(b, MANIFEST_VERSION);
	json_member_number(b, "profiles", profiles);
	json_member_number(b, "members", members);
	json_text_plain(b, "}\n");
}

static void
manifest_put_labels(struct buf *b, const struct manifest_profile *p)
{
	if (p->labels_size == 0)
		return;
	json_member_key(b, "labels");
	json_text_plain(b, "{");
	for (size_t i = 0; i < p->labels_size; i++) {
		manifest_put_list_comma(b, i);
		json_text_string(b, p->labels[i].key);
		json_text_plain(b, ":");
		json_text_string(b, p->labels[i].value);
	}
	json_text_plain(b, "}");
}

static void
manifest_put_facts(struct buf *b, const struct manifest_profile *p)
{
	json_member_key(b, "format");
	json_text_string(b, p->format);
	json_member_number(b, "version", p->version);
	json_member_text(b, "kind", words_kind[p->kind]);
	json_member_number(b, "profiles", p->profiles);
	json_member_key(b, "binary_ids");
	json_text_plain(b, "[");
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		manifest_put_list_comma(b, i);
		json_text_hex(b, p->binary_ids[i]);
	}
	json_text_plain(b, "]");
	json_member_number(b, "functions", p->functions);
	json_member_number(b, "contexts", p->contexts);
	json_member_number(b, "count", p->counts);
	json_member_key(b, "shape");
	json_text_id(b, p->shape);
}

void
manifest_put(struct buf *b, const struct manifest_profile *p)
{
	json_text_plain(b, "{");
	json_member_bytes(b, "path", "path_hex", p->path);
	json_member_bytes(b, "member", "member_hex", p->member);
	json_member_number(b, "size", p->size);
	json_member_key(b, "sha256");
	manifest_put_digest(b, p->sha256);
	if (p->run.size != 0) {
		json_member_key(b, "run");
		json_text_string(b, p->run);
	}
	manifest_put_facts(b, p);
	manifest_put_labels(b, p);
	json_text_plain(b, "}\n");
}
