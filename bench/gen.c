/*
 * gen - a stream of one run of a large program, the same for the same seed
 *
 *	gen FUNCTIONS RUN [BUILD [TARGETS]] >run.ndjson
 *
 * Names, hashes and numbers of counters depend on FUNCTIONS alone, counts and
 * values on RUN too: like many profiles of one binary.  A BUILD lacks one
 * function in 50 and has changed another: like binaries of one program, built
 * on different days; 0 is the program itself.  TARGETS is a number: a fourth
 * of the calls through pointers have targets then that no other has.  Shapes
 * follow an instrumented clang: 18 counters a function with a long tail, 70% of
 * them zero, names of some 85 bytes, calls through pointers in every seventh
 * function and memory operations in every twentieth.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t
next(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15;	/* splitmix64 */

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static unsigned
below(uint64_t *state, unsigned n)
{
	return (unsigned)(next(state) >> 33) % n;
}

/* Most functions are small, some are very large. */
static unsigned
number_of_counters(uint64_t *shape)
{
	unsigned n = 1 + below(shape, 17);

	while (n < 2000 && below(shape, 3) == 0)
		n *= 2;
	return n;
}

static void
put_name(unsigned i)
{
	static const char *const spaces[] = {
		"4llvm", "5clang", "5clang7CodeGen", "4llvm3opt",
		"4llvm12_GLOBAL__N_1", "5clang4sema",
	};
	static const char *const arguments[] = {
		"RN4llvm11raw_ostreamE", "PNS_5ValueERNS_9IRBuilderE", "j",
		"NS_8ArrayRefIPKNS_4DeclEEE", "PKNS_4ExprERKNS_12LangOptionsE",
	};
	uint64_t state = i;

	if (i % 4 == 3)
		printf("lib/Part%u/Source%u.cpp;", i / 6000, i / 60);
	printf("_ZN%s14AnalysisResult%uC11VisitMember%08XE%s%s",
	    spaces[below(&state, 6)], i / 60 % 10, i,
	    arguments[below(&state, 5)], arguments[below(&state, 5)]);
}

struct program {
	unsigned functions;
	uint64_t build;			/* 0: there are no others */
	uint64_t targets;		/* of this run */
};

/* Which of 50 the function is in this build; 2 without a build. */
static unsigned
part_of_build(const struct program *p, unsigned i)
{
	uint64_t state = i + p->build * UINT64_C(0x9FB21C651E98DF25);

	return p->build == 0 ? 2 : below(&state, 50);
}

static void
put_target(const struct program *p, unsigned i)
{
	while (part_of_build(p, i) == 0)
		i = (i + 1) % p->functions;
	put_name(i);
}

/* Targets of calls are functions, memory operations have sizes. */
static void
put_site(const struct program *p, bool call, uint64_t *shape, uint64_t *run)
{
	unsigned values = 1 + below(shape, 4);
	uint64_t target = below(shape, p->functions);

	if (p->targets != 0 && below(run, 4) == 0)
		target += p->targets * 7919;

	for (unsigned k = 0; k < values; k++) {
		printf(k == 0 ? "{" : ",{");
		if (call) {
			printf("\"target\":\"");
			put_target(p, (unsigned)((target + k * 131) %
			    p->functions));
			printf("\"");
		} else {
			printf("\"size\":%u", 8U << k);
		}
		printf(",\"count\":%u}", 1 + below(run, 1000));
	}
}

static void
put_sites(const struct program *p, const char *kind, unsigned sites,
    bool live, uint64_t *shape, uint64_t *run)
{
	printf("\"%s\":[", kind);
	for (unsigned k = 0; k < sites; k++) {
		printf(k == 0 ? "[" : ",[");
		if (live)
			put_site(p, kind[0] == 'i', shape, run);
		printf("]");
	}
	printf("]");
}

static void
put_values(const struct program *p, unsigned calls, unsigned operations,
    bool live, uint64_t *shape, uint64_t *run)
{
	printf(",\"values\":{");
	if (calls != 0)
		put_sites(p, "indirect_call_target", calls, live, shape, run);
	if (calls != 0 && operations != 0)
		printf(",");
	if (operations != 0)
		put_sites(p, "mem_op_size", operations, live, shape, run);
	printf("}");
}

static void
put_function(const struct program *p, unsigned i, uint64_t run_seed)
{
	uint64_t shape = i * UINT64_C(0x2545F4914F6CDD1D);
	uint64_t run = shape ^ run_seed * UINT64_C(0xD6E8FEB86659FD93);
	unsigned counters = number_of_counters(&shape);
	unsigned calls = below(&shape, 7) == 0 ? 1 + below(&shape, 4) : 0;
	unsigned operations = below(&shape, 20) == 0 ? 1 + below(&shape, 2) : 0;
	bool live = below(&shape, 100) < 38;
	unsigned changed = part_of_build(p, i) == 1;

	printf("{\"record\":\"function\",\"name\":\"");
	put_name(i);
	printf("\",\"hash\":\"0x%016" PRIx64 "\",\"counts\":[",
	    (next(&shape) >> 4) + changed);
	for (unsigned k = 0; k < counters; k++)
		printf("%s%u", k == 0 ? "" : ",",
		    live && below(&run, 5) != 0 ? below(&run, 50000) : 0);
	printf("]");
	if (calls + operations != 0)
		put_values(p, calls, operations, live, &shape, &run);
	printf("}\n");
}

int
main(int argc, char **argv)
{
	struct program p = { 0 };
	unsigned long functions, run;

	if (argc < 3 || argc > 5 ||
	    (functions = strtoul(argv[1], NULL, 10)) == 0 ||
	    functions > UINT32_MAX) {
		fprintf(stderr, "usage: gen FUNCTIONS RUN [BUILD [TARGETS]]\n");
		return 2;
	}
	p.functions = (unsigned)functions;
	run = strtoul(argv[2], NULL, 10);
	if (argc > 3)
		p.build = strtoul(argv[3], NULL, 10);
	if (argc > 4)
		p.targets = strtoul(argv[4], NULL, 10);
	printf("{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\","
	    "\"level\":\"ir\"}\n"
	    "{\"record\":\"binary\",\"build_id\":"
	    "\"70726f66746f6f6c732062656e6368206d61726b\"}\n");
	for (unsigned i = 0; i < p.functions; i++) {
		if (part_of_build(&p, i) != 0)
			put_function(&p, i, run);
	}
	printf("{\"record\":\"end\",\"last\":true}\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
