/*
 * gen_heap - a C program with many allocation contexts
 *
 *	gen_heap LEVELS >program.c
 *
 * Functions call two of the next level each, LEVELS deep, and those of the last
 * level allocate: 2^LEVELS contexts of LEVELS + 2 frames.  The program takes a
 * number, by which it leaves out a sixteenth of the contexts and chooses sizes:
 * like many runs of one program.
 */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, LEVELS_MAX = 24 };

/* Which function of the next level the i-th one calls first, or second. */
static unsigned
callee(unsigned level, unsigned i, unsigned which)
{
	unsigned long n = (level * WIDTH + i) * 2UL + which;

	return (unsigned)(n * 2654435761UL % 4294967291UL % WIDTH);
}

static void
put_level(unsigned level, unsigned levels)
{
	for (unsigned i = 0; i < WIDTH; i++) {
		printf("LEVEL void f%u_%u(unsigned path) {\n", level, i);
		if (level == levels)
			printf("\tallocate(path);\n");
		for (unsigned k = 0; level < levels && k < 2; k++)
			printf("\tf%u_%u(path * 2 + %u);\n", level + 1,
			    callee(level, i, k), k);
		printf("}\n");
	}
}

int
main(int argc, char **argv)
{
	unsigned levels = argc == 2 ? (unsigned)atoi(argv[1]) : 0;

	if (levels == 0 || levels > LEVELS_MAX) {
		fprintf(stderr, "usage: gen_heap LEVELS\n");
		return 2;
	}
	printf("#include <stdlib.h>\n"
	    "#define LEVEL static __attribute__((noinline, optnone))\n"
	    "static unsigned run;\n"
	    "static void *volatile sink;\n"
	    "LEVEL void allocate(unsigned path) {\n"
	    "\tif ((path ^ run * 97u) * 2654435761u >> 28 == 0)\n"
	    "\t\treturn;\n"
	    "\tchar *p = malloc(8 + (path + run) %% 120);\n"
	    "\tp[0] = 1;\n"
	    "\tsink = p;\n"
	    "\tif ((path + run) %% 64 != 0)\n"
	    "\t\tfree(p);\n"
	    "}\n");
	for (unsigned level = levels; level > 0; level--)
		put_level(level, levels);
	printf("int main(int argc, char **argv) {\n"
	    "\trun = argc > 1 ? (unsigned)atoi(argv[1]) : 0;\n"
	    "\tf1_0(0);\n"
	    "\tf1_1(1);\n"
	    "\treturn 0;\n"
	    "}\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
