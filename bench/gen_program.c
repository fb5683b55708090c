/*
 * gen_program - a C program of many functions
 *
 *	gen_program FUNCTIONS >program.c
 *
 * Functions loop, branch, switch, copy bytes and call others directly and
 * through pointers.  The program takes a number, by which it chooses what it
 * calls and how often: like many runs of one program.
 */
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS_MAX = 100000 };

static unsigned
mix(unsigned a, unsigned b)
{
	unsigned long n = (a * 2654435761UL ^ b * 40503UL) & 0xffffffff;

	return (unsigned)(n * 2246822519UL >> 8 & 0xffffff);
}

static void
put_switch(unsigned i)
{
	printf("\tswitch (x %% %u) {\n", 3 + i % 5);
	for (unsigned k = 0; k < 2 + i % 5; k++)
		printf("\tcase %u:\n\t\tsum += x * %u;\n\t\tbreak;\n", k,
		    mix(i, k) % 90 + 3);
	printf("\tdefault:\n\t\tsum ^= %u;\n\t}\n", mix(i, 77));
}

static void
put_branches(unsigned i)
{
	for (unsigned k = 0; k < i % 4; k++)
		printf("\tif ((x ^ sum) %% %u == %u || (x > %u && sum & %u))\n"
		    "\t\tsum = sum * 5 + %u;\n\telse\n\t\tsum += %u;\n",
		    k + 2, mix(i, k) % (k + 2), mix(i, k + 9) % 4000,
		    1U << k, mix(i, k + 5), k);
}

/* Calls go to functions before this one, so that they end. */
static void
put_calls(unsigned i)
{
	if (i < 8)
		return;
	printf("\tif (x %% 7 == 0 && depth < 6)\n"
	    "\t\tsum += f%u(x / 2, depth + 1);\n", mix(i, 1) % (i - 1));
	if (i % 7 == 3)
		printf("\tif (depth < 6)\n"
		    "\t\tsum += table[(x + run) %% 5 + %u](x / 3, "
		    "depth + 1);\n", mix(i, 2) % (i - 6));
}

static void
put_function(unsigned i)
{
	printf("APART unsigned function_of_part_%u_f%u(unsigned x, "
	    "unsigned depth) {\n\tunsigned sum = x + %u;\n"
	    "\tfor (unsigned k = 0; k < x %% %u; k++)\n"
	    "\t\tsum = sum * 31 + bytes[k];\n", i / 40, i, i, 3 + i % 9);
	if (i % 20 == 11)
		printf("\tmemcpy(bytes + 512, bytes, x %% 300 + 1);\n");
	if (i % 3 == 0)
		put_switch(i);
	put_branches(i);
	put_calls(i);
	printf("\treturn sum;\n}\n");
}

int
main(int argc, char **argv)
{
	unsigned functions = argc == 2 ? (unsigned)atoi(argv[1]) : 0;

	if (functions < 16 || functions > FUNCTIONS_MAX) {
		fprintf(stderr, "usage: gen_program FUNCTIONS\n");
		return 2;
	}
	printf("#include <stdlib.h>\n#include <string.h>\n"
	    "#define APART static __attribute__((noinline))\n"
	    "static unsigned char bytes[1024];\nstatic unsigned run;\n"
	    "static volatile unsigned sink;\n"
	    "typedef unsigned function(unsigned, unsigned);\n"
	    "extern function *table[];\n");
	for (unsigned i = 0; i < functions; i++)
		printf("#define f%u function_of_part_%u_f%u\n", i, i / 40, i);
	for (unsigned i = 0; i < functions; i++)
		put_function(i);
	printf("function *table[] = {\n");
	for (unsigned i = 0; i < functions; i++)
		printf("\tf%u,\n", i);
	printf("};\n"
	    "int main(int argc, char **argv) {\n"
	    "\trun = argc > 1 ? (unsigned)atoi(argv[1]) : 0;\n"
	    "\tmemset(bytes, (int)run + 1, sizeof(bytes));\n"
	    "\tfor (unsigned i = 0; i < %u; i++)\n"
	    "\t\tif ((i * 2654435761u + run * 40503u) %% 10 < 4)\n"
	    "\t\t\tsink += table[i]((i + run) %% 5000, 0);\n"
	    "\treturn 0;\n}\n", functions);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
