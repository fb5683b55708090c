/* cover/segments.c - from regions to segments, and from those to lines */
#include "config.h"

#include "base/error.h"
#include "cover/cover.h"

/* So few sorted runs are merged as they are. */
enum { RUNS_TO_SORT = 8 };

/* Behind all places: columns end before. */
#define PLACE_NONE	UINT64_MAX

void
cover_view_free(struct cover_view *v)
{
	free(v->areas);
	free(v->spare);
	free(v->lists);
	hash_index_free(&v->lists_index);
	free(v->runs);
	free(v->segments);
	free(v->active);
}

/* By start; of equal starts, what contains others is first. */
static bool
area_before(const struct cover_area *a, const struct cover_area *b)
{
	return a->start != b->start ? a->start < b->start :
	    a->end != b->end ? a->end > b->end :
	    a->kind < b->kind;
}

/* Merges two neighbouring sorted runs, the first of `half` areas. */
static void
areas_merge(struct cover_area *list, size_t half, size_t size,
    struct cover_area *spare)
{
	size_t i = 0, k = half;

	/* What is in its place already stays. */
	if (half == size || !area_before(&list[half], &list[half - 1]))
		return;
	while (!area_before(&list[half], &list[i]))
		i++;
	memcpy(spare + i, list + i, (half - i) * sizeof(*list));
	for (size_t n = i; i < half; n++)
		list[n] = k == size || !area_before(&list[k], &spare[i]) ?
		    spare[i++] : list[k++];
}

/* The end of the sorted areas that begin at one. */
static size_t
view_run_end(const struct cover_view *v, size_t at)
{
	for (at++; at < v->areas_size && !area_before(&v->areas[at],
	    &v->areas[at - 1]);)
		at++;
	return at;
}

/* Puts the sorted runs in the order of their first areas. */
static bool
view_sort_runs(struct cover_view *v, size_t runs)
{
	struct cover_area *areas = v->areas;
	size_t size = 0, at, n, room = v->areas_room;

	for (size_t i = 0; i < runs; i++) {
		v->runs[i].item = (uint32_t)v->runs[i].key;
		v->runs[i].key = areas[v->runs[i].item].start;
	}
	if (!number_sort(v->runs, runs))
		return false;
	for (size_t i = 0; i < runs; i++) {
		at = v->runs[i].item;
		n = view_run_end(v, at) - at;
		memcpy(v->spare + size, areas + at, n * sizeof(*areas));
		v->runs[i].key = size;
		size += n;
	}
	v->areas = v->spare;
	v->areas_room = v->spare_room;
	v->spare = areas;
	v->spare_room = room;
	return true;
}

/*
 * Sorts the areas by merging the sorted runs that they consist of: compilers
 * write the regions of a function in order, and functions seldom overlap.
 */
static bool
view_sort(struct cover_view *v)
{
	size_t size = v->areas_size, runs = 0, merged, middle, end;

	for (size_t at = 0; at < size; at = view_run_end(v, at)) {
		if (!ARRAY_ADD(v->runs, runs, v->runs_room,
		    (struct number_sort_item){ .key = at }))
			return false;
	}
	if (runs > 1 && !ARRAY_RESERVE(v->spare, 0, size, v->spare_room))
		return false;
	if (runs >= RUNS_TO_SORT && size <= UINT32_MAX &&
	    !view_sort_runs(v, runs))
		return false;
	for (; runs > 1; runs = merged) {
		merged = 0;
		for (size_t i = 0; i < runs; i += 2) {
			size_t at = (size_t)v->runs[i].key;

			middle = i + 1 < runs ? (size_t)v->runs[i + 1].key :
			    size;
			end = i + 2 < runs ? (size_t)v->runs[i + 2].key : size;
			areas_merge(v->areas + at, middle - at, end - at,
			    v->spare);
			v->runs[merged++].key = at;
		}
	}
	return true;
}

static void
view_add_count(const struct cover_view *v, struct cover_area *to,
    uint64_t count)
{
	to->count = v->once ? (to->count | count) != 0 : to->count + count;
}

/*
 * Sorts the areas, and makes one of those with the same place: counts of the
 * first one's kind are added.  Others are a macro that is all of a statement,
 * which counts once.
 */
static bool
view_join(struct cover_view *v)
{
	struct cover_area *to = v->areas, *a;
	const struct cover_area *end = to + v->areas_size;

	/* Mostly they are in order, and each has a place of its own. */
	for (a = to + 1; a != end && (a->start > a[-1].start ||
	    (a->start == a[-1].start && a->end < a[-1].end));)
		a++;
	if (a == end)
		return true;
	if (!view_sort(v))
		return false;
	to = v->areas;
	end = to + v->areas_size;
	for (a = to + 1; a != end; a++) {
		if (to->start != a->start || to->end != a->end)
			*++to = *a;
		else if (to->kind == a->kind)
			view_add_count(v, to, a->count);
	}
	v->areas_size = (size_t)(to - v->areas) + 1;
	return true;
}

void
cover_view_begin(struct cover_view *v)
{
	v->areas_size = v->segments_size = v->active_size = 0;
	v->lists_size = v->list_at = 0;
	hash_index_clear(&v->lists_index);
}

/* Whether a list of areas is the last one, but for its counts. */
static bool
view_same_list(const void *arg, uint32_t item)
{
	const struct cover_view *v = arg;
	size_t at = (size_t)v->lists[item].key;
	const struct cover_area *a = v->areas + at, *b = v->areas + v->list_at,
	    *end = v->areas + v->areas_size;

	if (v->lists[item].item != (uint32_t)(end - b))
		return false;
	for (; b != end; a++, b++) {
		if (a->start != b->start || a->end != b->end ||
		    a->kind != b->kind)
			return false;
	}
	return true;
}

/*
 * Ends a list of areas.  The counts of one that was there before are added to
 * it: uses of a macro, and instances of a function, are all the same.
 */
static bool
view_end_list(struct cover_view *v)
{
	size_t size = v->areas_size - v->list_at;
	struct cover_area *to, *a, *end;
	struct hash_index_slot *slot;
	uint64_t hash;

	if (size == 0)
		return true;
	a = v->areas + v->list_at;
	end = a + size;
	if (!hash_index_reserve(&v->lists_index, v->lists_size + 1))
		return false;
	hash = v->lists_index.seed;
	for (const struct cover_area *i = a; i != end; i++)
		hash = hash_mix(hash_mix(hash, i->start), i->end);
	slot = hash_index_slot(&v->lists_index, hash, view_same_list, v);
	if (slot->item == 0) {
		if (!ARRAY_ADD(v->lists, v->lists_size, v->lists_room,
		    (struct number_sort_item){ v->list_at, (uint32_t)size }))
			return false;
		hash_index_fill(&v->lists_index, slot, hash);
		v->list_at = v->areas_size;
		return true;
	}
	to = v->areas + v->lists[slot->item - 1].key;
	for (; a != end; a++, to++)
		view_add_count(v, to, a->count);
	v->areas_size = v->list_at;
	return true;
}

bool
cover_view_add_function(struct cover_view *v, const struct cover_function *f,
    uint32_t path)
{
	const struct cover_region *r = f->regions, *end = r + f->regions_size;
	uint32_t file = INDEX_NONE;

	for (; r != end; r++) {
		if (f->files[r->file] != path)
			continue;
		if (r->file != file && !view_end_list(v))
			return false;
		file = r->file;
		if (!cover_view_add(v, r))
			return false;
	}
	return view_end_list(v);
}

/*
 * Begins a segment with the count of a region, unless it would show what the
 * last one shows.  `skip` marks a place that no region counts.
 */
static bool
view_emit(struct cover_view *v, const struct cover_area *a,
    uint64_t at, bool entry, bool skip)
{
	struct cover_place place = { (uint32_t)(at >> 32), (uint32_t)at };
	bool has_count = !skip && a->kind != COVER_SKIPPED;
	const struct cover_segment *last = v->segments_size == 0 ? NULL :
	    &v->segments[v->segments_size - 1];

	if (last != NULL && !entry && !skip && last->has_count == has_count &&
	    last->count == a->count && !last->entry)
		return true;
	return ARRAY_ADD(v->segments, v->segments_size, v->segments_room,
	    (struct cover_segment){ place, has_count ? a->count : 0, has_count,
	    entry, has_count && a->kind == COVER_GAP });
}

/* Sorts active regions by their end, stably; they mostly are in reverse. */
static void
active_sort(const struct cover_area **list, size_t size,
    const struct cover_area **spare)
{
	size_t half = size / 2, i = 0, k = half;

	if (size < 2)
		return;
	active_sort(list, half, spare);
	active_sort(list + half, size - half, spare);
	memcpy(spare, list, size * sizeof(*list));
	for (size_t n = 0; n < size; n++)
		list[n] = k == size || (i < half && spare[i]->end <=
		    spare[k]->end) ? spare[i++] : spare[k++];
}

/*
 * Closes the active regions from `first` on, which end before or at the start
 * of the next region; at the end there is none (at is PLACE_NONE).
 */
static bool
view_close(struct cover_view *v, uint64_t at, size_t first)
{
	const struct cover_area **active = v->active, *closed, *last;
	size_t size = v->active_size, next;
	uint64_t end;

	active_sort(active + first, size - first, active + size);
	for (size_t i = first + 1; i < size; i = next) {
		end = active[i - 1]->end;
		next = i + 1;
		if (end == at)
			break;
		closed = active[i];
		if (end == closed->end)
			continue;
		/* The last one that ends there counts. */
		while (next < size && active[next]->end == closed->end)
			next++;
		if (!view_emit(v, active[next - 1], end, false, false))
			return false;
	}
	last = active[size - 1];
	v->active_size = first;
	if (last->end == at)
		return true;
	return view_emit(v, first > 0 ? active[first - 1] : last,
	    last->end, false, first == 0);
}

/*
 * Moves the active regions that end at a place or before it behind the others,
 * in their order; returns the number of the others.
 */
static size_t
active_split(struct cover_view *v, uint64_t at)
{
	const struct cover_area **active = v->active;
	size_t stay = 0, gone = 0;

	for (size_t i = 0; i < v->active_size; i++) {
		if (active[i]->end <= at)
			active[v->active_size + gone++] = active[i];
		else
			active[stay++] = active[i];
	}
	memcpy(active + stay, active + v->active_size, gone * sizeof(*active));
	return stay;
}

/*
 * Regions that overlap in parts, which no compiler writes, would take a time
 * that grows with the square of their number.
 */
enum { STEPS_PER_REGION = 1024 };

/* The sweep of SegmentBuilder (CoverageMapping.cpp, LLVM 22). */
static enum prof_status
view_sweep(struct cover_view *v, struct prof_error *err)
{
	const struct cover_area *a = v->areas, *end = a + v->areas_size;
	uint64_t steps = 0, soonest = PLACE_NONE;
	size_t first;
	bool is_last, skip, ok = true;

	for (; a != end && ok; a++) {
		if (!ARRAY_RESERVE(v->active, v->active_size,
		    v->active_size + 2, v->active_room))
			return err_memory(err);
		if (v->active_size > 0 && soonest <= a->start) {
			steps += v->active_size;
			if (steps / STEPS_PER_REGION > v->areas_size)
				return err_set(err, PROF_E_LIMIT, "regions of "
				    "a file overlap more than %d times each",
				    STEPS_PER_REGION);
			first = active_split(v, a->start);
			ok = view_close(v, a->start, first);
			soonest = PLACE_NONE;
			for (size_t i = 0; i < v->active_size; i++) {
				if (v->active[i]->end < soonest)
					soonest = v->active[i]->end;
			}
		}
		is_last = a + 1 == end;
		if (a->start == a->end) {
			/* Without length: it shows what is around it. */
			skip = is_last || a->kind == COVER_SKIPPED;
			ok = ok && view_emit(v, v->active_size == 0 ? a :
			    v->active[v->active_size - 1], a->start,
			    a->kind != COVER_GAP, skip);
			if (ok && skip && v->active_size > 0)
				ok = view_emit(v, v->active[v->active_size -
				    1], a->start, false, false);
			continue;
		}
		if (is_last || a->start != a[1].start)
			ok = ok && view_emit(v, a, a->start,
			    a->kind != COVER_GAP, false);
		v->active[v->active_size++] = a;
		if (a->end < soonest)
			soonest = a->end;
	}
	if (ok && v->active_size > 0)
		ok = ARRAY_RESERVE(v->active, v->active_size, v->active_size,
		    v->active_room) && view_close(v, PLACE_NONE, 0);
	return ok ? PROF_OK : err_memory(err);
}

enum prof_status
cover_view_end(struct cover_view *v, struct prof_error *err)
{
	if (v->areas_size == 0)
		return PROF_OK;
	return view_join(v) ? view_sweep(v, err) : err_memory(err);
}

void
cover_lines_start(struct cover_lines *l, const struct cover_view *v,
    unsigned release)
{
	*l = (struct cover_lines){ .view = v, .release = release };
	if (v->segments_size > 0)
		l->line = v->segments[0].at.line;
}

static bool
segment_starts_region(const struct cover_segment *s)
{
	return s->has_count && s->entry && !s->gap;
}

/* Since LLVM 17, a line on which a gap begins counts, too. */
enum { RELEASE_GAPS_COUNT = 17 };

/*
 * The lines without a segment up to the next one with some have the count of
 * the last segment, or none.  A line with segments is alone: its count is the
 * largest of what comes into it and what begins on it (LineCoverageStats).
 */
bool
cover_lines_next(struct cover_lines *l)
{
	const struct cover_segment *s, *first, *end;
	bool starts = false, entry_counts = false;
	const struct cover_view *v = l->view;

	l->line += l->size;
	if (l->next == v->segments_size)
		return false;
	s = first = &v->segments[l->next];
	end = v->segments + v->segments_size;
	l->mapped = l->wrapped != NULL && l->wrapped->has_count;
	l->count = l->wrapped != NULL ? l->wrapped->count : 0;
	if (s->at.line != l->line) {
		l->size = s->at.line - l->line;
		return true;
	}
	l->size = 1;
	for (; s != end && s->at.line == l->line; s++) {
		entry_counts |= s->entry && s->has_count;
		if (!segment_starts_region(s))
			continue;
		starts = true;
		if (s->count > l->count)
			l->count = s->count;
	}
	l->mapped = (l->mapped || starts) && (first->has_count ||
	    !first->entry);
	if (l->release >= RELEASE_GAPS_COUNT)
		l->mapped |= entry_counts;
	if (!l->mapped)
		l->count = 0;
	l->wrapped = s - 1;
	l->next = (size_t)(s - v->segments);
	return true;
}
