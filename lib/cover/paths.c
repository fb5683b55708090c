/* cover/paths.c - paths of files: under other names, and found by their end */
#include "config.h"

#include "base/error.h"
#include "cover/cover.h"

uint32_t
cover_add_path(struct cover *c, struct prof_span path)
{
	const struct cover_options *o = &c->options;
	const struct cover_path_map *m, *best = NULL;
	uint32_t original = intern_add(&c->paths, path.data, path.size), number;
	struct buf b = { 0 };
	uint64_t *place;

	/* The longest of the names that are whole components at its begin. */
	for (size_t i = 0; i < o->path_maps_size; i++) {
		m = &o->path_maps[i];
		if (path.size >= m->from.size && memcmp(path.data, m->from.data,
		    m->from.size) == 0 && (path.size == m->from.size ||
		    path.data[m->from.size] == '/') && (best == NULL ||
		    m->from.size > best->from.size))
			best = m;
	}
	if (best == NULL || original == INDEX_NONE)
		return original;
	path.data += best->from.size;
	path.size -= best->from.size;
	if (best->to.size == 0 && path.size > 0) {
		path.data++;
		path.size--;
	}
	buf_put(&b, best->to.data, best->to.size);
	buf_put(&b, path.data, path.size);
	number = b.failed ? INDEX_NONE : intern_add(&c->paths, b.data, b.size);
	buf_free(&b);
	place = number == INDEX_NONE ? NULL : id_map_add(&c->originals, number,
	    original);
	if (place == NULL)
		return INDEX_NONE;
	/* Of several, the one that is first in the order of bytes. */
	if (prof_span_compare(c->paths.items[original],
	    c->paths.items[*place]) < 0)
		*place = original;
	return number;
}

struct prof_span
cover_original_path(const struct cover *c, uint32_t path)
{
	const uint64_t *place = id_map_find(&c->originals, path);

	return c->paths.items[place == NULL ? path : *place];
}

/* Whether a path is the last components of another one, or all of them. */
static bool
path_ends(struct prof_span path, struct prof_span end)
{
	size_t at = path.size - end.size;

	return path.size >= end.size && memcmp(path.data + at, end.data,
	    end.size) == 0 && (at == 0 || path.data[at - 1] == '/');
}

enum prof_status
cover_path_find(const struct cover *c, struct prof_span path,
    uint32_t *number, struct prof_error *err)
{
	const struct prof_span *items = c->paths.items;
	char shown[3][ERR_NAME_SIZE];
	uint32_t other = INDEX_NONE;
	size_t best = 0, size;

	*number = INDEX_NONE;
	for (size_t i = 0; i < c->sorted_size; i++) {
		struct prof_span p = items[c->sorted[i]];

		if (path_ends(p, path))
			size = path.size + (p.size == path.size);
		else if (path_ends(path, p))
			size = p.size;
		else
			continue;
		other = size == best ? c->sorted[i] : size > best ?
		    INDEX_NONE : other;
		if (size > best)
			*number = c->sorted[i];
		best = size > best ? size : best;
	}
	if (other == INDEX_NONE)
		return PROF_OK;
	return err_set(err, PROF_E_USE, "%s is %s or %s: --path-map or "
	    "--exclude tells which", err_name(shown[0], path),
	    err_name(shown[1], items[*number]), err_name(shown[2],
	    items[other]));
}
