/* look-up FILE NAME - counters of one function, with a few pages of the file */
#include <libprof/read.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	const struct prof_item *item;
	struct prof_input *in;
	const uint64_t *counts;
	size_t size;
	uint64_t hash;
	int status = -1;

	if (p == NULL || argc != 3)
		return 2;
	prof_set(p, PROF_MAP_FILES, 1);
	in = prof_input_open(p, argv[1]);
	if (in != NULL && prof_input_select(in, argv[2], strlen(argv[2])) == 0)
		while ((status = prof_input_next(in, &item)) > 0) {
			if (prof_item_kind(item) != PROF_ITEM_FUNCTION)
				continue;
			prof_item_number(item, PROF_HASH, &hash);
			counts = prof_item_numbers(item, PROF_COUNTS, &size);
			printf("%016llx", (unsigned long long)hash);
			for (size_t i = 0; i < size; i++)
				printf(" %llu", (unsigned long long)counts[i]);
			putchar('\n');
		}
	if (status < 0)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_input_close(in);
	prof_free(p);
	return status < 0;
}
