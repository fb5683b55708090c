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

/* Files by their last component */

static uint64_t
path_last_hash(struct prof_span p)
{
	size_t at = p.size;

	while (at > 0 && p.data[at - 1] != '/')
		at--;
	return hash_span(1, (struct prof_span){ p.data + at, p.size - at });
}

bool
cover_path_index_init(struct cover_path_index *x, const struct cover *c)
{
	uint64_t *last;

	x->cover = c;
	x->next = calloc((size_t)c->paths.size + 1, sizeof(*x->next));
	for (size_t i = 0; i < c->sorted_size && x->next != NULL; i++) {
		last = id_map_add(&x->last, path_last_hash(
		    c->paths.items[c->sorted[i]]), INDEX_NONE);
		if (last == NULL)
			return false;
		x->next[c->sorted[i]] = (uint32_t)*last;
		*last = c->sorted[i];
	}
	return x->next != NULL;
}

void
cover_path_index_free(struct cover_path_index *x)
{
	id_map_free(&x->last);
	free(x->next);
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
cover_path_find(const struct cover_path_index *x, struct prof_span path,
    uint32_t *number, struct prof_error *err)
{
	const uint64_t *last = id_map_find(&x->last, path_last_hash(path));
	const struct prof_span *items = x->cover->paths.items;
	char shown[3][ERR_NAME_SIZE];
	uint32_t other = INDEX_NONE;
	size_t best = 0, size;

	*number = INDEX_NONE;
	for (uint32_t i = last == NULL ? INDEX_NONE : (uint32_t)*last;
	    i != INDEX_NONE; i = x->next[i]) {
		if (path_ends(items[i], path))
			size = path.size + (items[i].size == path.size);
		else if (path_ends(path, items[i]))
			size = items[i].size;
		else
			continue;
		other = size == best ? i : size > best ? INDEX_NONE : other;
		if (size > best)
			*number = i;
		best = size > best ? size : best;
	}
	if (other == INDEX_NONE)
		return PROF_OK;
	return err_set(err, PROF_E_USE, "%s is %s or %s: --path-map or "
	    "--exclude tells which", err_name(shown[0], path),
	    err_name(shown[1], items[*number]), err_name(shown[2],
	    items[other]));
}
