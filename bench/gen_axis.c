/*
 * gen_axis - a stream that is large in one way, the same for the same numbers
 *
 *	gen_axis functions N COUNTERS LENGTH PROGRAM >run.ndjson
 *	gen_axis targets N TARGETS RUN
 *	gen_axis traces N LENGTH FUNCTIONS
 *	gen_axis contexts N DEPTH RUN
 *
 * `functions` has N with as many COUNTERS each, and names of LENGTH bytes that
 * no other PROGRAM has.  `targets` has N functions with one call each, which
 * had that many TARGETS, functions too.  `traces` has N traces of LENGTH
 * functions, most of which are neighbours.  `contexts` is a heap profile of N
 * stacks of DEPTH frames, which share more the further out they are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static unsigned
draw(unsigned n)
{
	uint64_t z = state += 0x9E3779B97F4A7C15;	/* splitmix64 */

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return (unsigned)((z ^ z >> 31) >> 33) % n;
}

static void
put_head(const char *kind)
{
	printf("{\"record\":\"profile\",\"stream\":1,%s}\n", kind);
}

static void
put_functions(unsigned n, unsigned counters, unsigned length, unsigned program)
{
	state = program;
	put_head("\"kind\":\"instr\",\"level\":\"ir\"");
	for (unsigned i = 0; i < n; i++) {
		printf("{\"record\":\"function\",\"name\":\"_ZN%u", program);
		for (unsigned k = 20; k < length; k++)
			putchar('a' + (int)(k % 26));
		printf("%08XEv\",\"hash\":\"0x%016x\",\"counts\":[", i, i + 1);
		for (unsigned k = 0; k < counters; k++)
			printf("%s%u", k == 0 ? "" : ",",
			    draw(10) < 7 ? 0 : draw(100000));
		printf("]}\n");
	}
}

static void
put_targets(unsigned n, unsigned targets, unsigned run)
{
	state = run;
	put_head("\"kind\":\"instr\",\"level\":\"ir\"");
	for (unsigned i = 0; i < targets; i++)
		printf("{\"record\":\"function\",\"name\":\"_ZN6callee%uEv\","
		    "\"hash\":\"0x0000000000000001\",\"counts\":[1]}\n", i);
	for (unsigned i = 0; i < n; i++) {
		printf("{\"record\":\"function\",\"name\":\"caller%u\","
		    "\"hash\":\"0x0000000000000001\",\"counts\":[1],"
		    "\"values\":{\"indirect_call_target\":[[", i);
		for (unsigned k = 0; k < targets; k++)
			printf("%s{\"target\":\"_ZN6callee%uEv\",\"count\":%u}",
			    k == 0 ? "" : ",", k, 1 + draw(100000));
		printf("]]}}\n");
	}
}

static void
put_traces(unsigned n, unsigned length, unsigned functions)
{
	put_head("\"kind\":\"instr\",\"level\":\"ir\",\"temporal\":true");
	for (unsigned i = 0; i < functions; i++)
		printf("{\"record\":\"function\",\"name\":\"_ZN5start%uEv\","
		    "\"hash\":\"0x0000000000000001\",\"counts\":[1]}\n", i);
	for (unsigned i = 0; i < n; i++) {
		unsigned first = draw(functions);

		printf("{\"record\":\"trace\",\"weight\":1,\"functions\":[");
		for (unsigned k = 0; k < length; k++)
			printf("%s\"_ZN5start%uEv\"", k == 0 ? "" : ",",
			    (first + k + draw(4)) % functions);
		printf("]}\n");
	}
}

static void
put_contexts(unsigned n, unsigned depth, unsigned run)
{
	state = run;
	put_head("\"kind\":\"memprof\"");
	for (unsigned i = 0; i < n; i++) {
		printf("{\"record\":\"stack\",\"id\":\"0x%016x\",\"frames\":[",
		    i + 1);
		for (unsigned k = 0; k < depth; k++) {
			unsigned f = (i >> k) + k * 977;

			printf("%s{\"function\":\"_ZN4heap%uEv\","
			    "\"line_offset\":%u,\"column\":%u}",
			    k == 0 ? "" : ",", f, f % 40, f % 7);
		}
		printf("]}\n{\"record\":\"allocation\",\"stack\":"
		    "\"0x%016x\",\"info\":{\"alloc_count\":%u,"
		    "\"total_size\":%u,\"total_lifetime\":%u}}\n",
		    i + 1, 1 + draw(1000), draw(100000), draw(10000));
	}
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*put)(unsigned, unsigned, unsigned);
	} kinds[] = { { "targets", put_targets }, { "traces", put_traces },
	    { "contexts", put_contexts } };
	unsigned number[4] = { 0 };
	int given = argc - 2;

	for (int i = 0; i < given && i < 4; i++)
		number[i] = (unsigned)strtoul(argv[i + 2], NULL, 10);
	if (given == 4 && strcmp(argv[1], "functions") == 0) {
		put_functions(number[0], number[1], number[2], number[3]);
		given = 0;
	}
	for (size_t i = 0; given == 3 && i < 3; i++) {
		if (strcmp(argv[1], kinds[i].word) == 0) {
			kinds[i].put(number[0], number[1], number[2]);
			given = 0;
		}
	}
	if (given != 0) {
		fprintf(stderr, "usage: gen_axis KIND NUMBER...\n");
		return 2;
	}
	printf("{\"record\":\"end\",\"last\":true}\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
