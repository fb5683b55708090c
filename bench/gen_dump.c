/*
 * gen_dump - a stream of one run's heap profile, the same for the same seed
 *
 *	gen_dump CONTEXTS RUN >run.ndjson
 *
 * Contexts depend on their number alone: 15 addresses of a program, which share
 * more the further out they are, and one of the C library, whose place depends
 * on RUN.  So do counts and sizes, the order, and which sixteenth of the
 * contexts is left out: like many dumps of one program.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 15 };

static const uint64_t program = 0x400000, library = 0x7f0000000000;

static uint64_t
mix(uint64_t a, uint64_t b)
{
	uint64_t z = a * 0x9E3779B97F4A7C15 ^ b * 0xD6E8FEB86659FD93;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static uint64_t
library_of(unsigned run)
{
	return library + (mix(run, 0) % 0x10000 << 12);
}

static void
put_segments(unsigned run)
{
	uint64_t start = library_of(run);

	printf("{\"record\":\"segment\",\"id\":0,"
	    "\"start\":\"0x%016" PRIx64 "\",\"end\":\"0x%016" PRIx64 "\","
	    "\"offset\":\"0x0000000000000000\",\"build_id\":"
	    "\"70726f66746f6f6c732062656e6368206d61726b\"}\n",
	    program, program + 0x200000);
	printf("{\"record\":\"segment\",\"id\":1,"
	    "\"start\":\"0x%016" PRIx64 "\",\"end\":\"0x%016" PRIx64 "\","
	    "\"offset\":\"0x%016" PRIx64 "\",\"build_id\":"
	    "\"6c6962726172792062656e6368206d61726b0000\"}\n",
	    start, start + 0x155000, start);
}

static bool
is_left_out(unsigned context, unsigned run)
{
	return mix(context, run) % 16 == 0;
}

/* Ids are those of a run: the same one is another context elsewhere. */
static uint64_t
id_of(unsigned place)
{
	return (uint64_t)place * 0x401 % 0xffffff;
}

/* A leaf is of its own; who calls it is one of half as many, and so on. */
static void
put_stack(unsigned place, unsigned context, unsigned run)
{
	printf("{\"record\":\"stack\",\"id\":\"0x%016" PRIx64 "\",\"pcs\":[",
	    id_of(place));
	for (unsigned i = 0; i < LEVELS; i++)
		printf("\"0x%016" PRIx64 "\",", program + 0x1000 +
		    mix(context >> i, i) % 0x1f0000);
	printf("\"0x%016" PRIx64 "\"]}\n", library_of(run) + 0x27249);
}

static void
put_allocation(unsigned place, unsigned context, unsigned run)
{
	uint64_t seed = mix(context, run + UINT64_C(1000));
	uint64_t count = 1 + seed % 8, size = 8 + context % 120;
	uint64_t time = seed / 8 % 1000, life = seed / 8000 % 10;

	printf("{\"record\":\"allocation\",\"stack\":\"0x%016" PRIx64 "\","
	    "\"info\":{\"alloc_count\":%" PRIu64 ","
	    "\"total_access_count\":%" PRIu64 ","
	    "\"min_access_count\":1,\"max_access_count\":3,"
	    "\"total_size\":%" PRIu64 ",\"min_size\":%" PRIu64 ","
	    "\"max_size\":%" PRIu64 ",\"alloc_timestamp\":%" PRIu64 ","
	    "\"dealloc_timestamp\":%" PRIu64 ",\"total_lifetime\":%" PRIu64 ","
	    "\"min_lifetime\":%" PRIu64 ",\"max_lifetime\":%" PRIu64 ",",
	    id_of(place), count, count * 2, count * size, size, size, time,
	    time + life, count * life, life, life);
	printf("\"alloc_cpu_id\":1,\"dealloc_cpu_id\":1,"
	    "\"num_migrated_cpu\":0,\"num_lifetime_overlaps\":0,"
	    "\"num_same_alloc_cpu\":1,\"num_same_dealloc_cpu\":1,"
	    "\"data_type_id\":0,\"total_access_density\":%" PRIu64 ","
	    "\"min_access_density\":1,\"max_access_density\":2,"
	    "\"total_lifetime_access_density\":%" PRIu64 ","
	    "\"min_lifetime_access_density\":1000,"
	    "\"max_lifetime_access_density\":2000,"
	    "\"access_histogram_size\":0}}\n", count * 2, count * 1500);
}

static unsigned
common_factor(unsigned a, unsigned b)
{
	return b == 0 ? a : common_factor(b, a % b);
}

/* Goes through the contexts in an order of the run, by steps of a size. */
static void
put_each(unsigned contexts, unsigned run,
    void (*put)(unsigned place, unsigned context, unsigned run))
{
	unsigned step = (unsigned)(mix(run, 1) % contexts), place = 0;

	while (common_factor(contexts, step) != 1)
		step++;
	for (unsigned i = 0; i < contexts; i++) {
		unsigned context = (unsigned)((uint64_t)i * step % contexts);

		if (!is_left_out(context, run))
			put(++place, context, run);
	}
}

int
main(int argc, char **argv)
{
	unsigned long contexts, run;

	if (argc != 3 || (contexts = strtoul(argv[1], NULL, 10)) == 0 ||
	    contexts > 1000000) {
		fprintf(stderr, "usage: gen_dump CONTEXTS RUN\n");
		return 2;
	}
	run = strtoul(argv[2], NULL, 10);
	printf("{\"record\":\"profile\",\"stream\":1,\"kind\":\"memprof\"}\n");
	put_segments((unsigned)run);
	put_each((unsigned)contexts, (unsigned)run, put_stack);
	put_each((unsigned)contexts, (unsigned)run, put_allocation);
	printf("{\"record\":\"end\",\"last\":true}\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
