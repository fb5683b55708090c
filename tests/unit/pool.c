/* The ordered pool: commits in order, one item at a time, and how runs end. */
#include "io/pool.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/support/images.h"

enum { ITEMS = 1000, THREADS = 4 };

struct item {
	struct pool_item pool;
	uint64_t value;
};

struct run {
	struct pool pool;
	uint64_t taken, committed, dropped, fails_at;
	uint64_t every;			/* so many items hold the source */
	bool waits;			/* process waits for its turn */
	bool in_order;
	atomic_bool inside;		/* take and commit, each */
	atomic_bool alone;
};

static struct pool_item *
take(void *arg, unsigned thread)
{
	struct run *r = arg;
	struct item *item;

	(void)thread;
	if (atomic_exchange(&r->inside, true))
		r->alone = false;
	item = r->taken == ITEMS ? NULL : calloc(1, sizeof(*item));
	if (item != NULL) {
		item->value = ++r->taken;
		item->pool.holds_source = r->every != 0 &&
		    item->value % r->every == 0;
	}
	atomic_store(&r->inside, false);
	return item == NULL ? NULL : &item->pool;
}

static void
process(void *arg, unsigned thread, struct pool_item *p)
{
	struct run *r = arg;
	struct item *item = (struct item *)p;

	if (thread >= THREADS || item->value != p->number)
		r->in_order = false;
	for (uint64_t i = item->value % 3; i != 0; i--)
		sched_yield();
	if (r->waits && pool_is_first(&r->pool, p) &&
	    r->committed + 1 != p->number)
		r->in_order = false;
}

static bool
commit(void *arg, struct pool_item *p)
{
	struct run *r = arg;

	if (p->number != r->committed + 1)
		r->in_order = false;
	if (p->number == r->fails_at)
		return false;
	r->committed++;
	return true;
}

static void
drop(void *arg, struct pool_item *p)
{
	struct run *r = arg;

	r->dropped++;
	free(p);
}

static bool
run_pool(struct run *r, unsigned threads)
{
	const struct pool_work work = { r, take, process, commit, drop };

	r->in_order = r->alone = true;
	return pool_run(&r->pool, &work, threads);
}

int
main(void)
{
	static const struct {
		unsigned threads;
		uint64_t every, fails_at;
		bool waits;
	} rows[] = {
		{ 1, 0, 0, false }, { THREADS, 0, 0, false },
		{ THREADS, 3, 0, false }, { THREADS, 0, 0, true },
		{ THREADS, 5, 700, true }, { 1, 0, 1, false },
		{ THREADS, 1, ITEMS, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run r = { .every = rows[i].every,
		    .fails_at = rows[i].fails_at, .waits = rows[i].waits };
		bool good = run_pool(&r, rows[i].threads);
		uint64_t want = r.fails_at == 0 ? ITEMS : r.fails_at - 1;

		check(good == (r.fails_at == 0), "row %zu: the end", i);
		check(r.in_order && r.alone, "row %zu: the order", i);
		check(r.committed == want && r.dropped == r.taken,
		    "row %zu: %llu committed, %llu of %llu dropped", i,
		    ull(r.committed), ull(r.dropped), ull(r.taken));
	}
	return done_testing();
}
