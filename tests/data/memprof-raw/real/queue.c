/* A queue of jobs: allocations of three contexts, which live and die apart. */
#include <stdlib.h>
#include <string.h>

struct job {
	struct job *next;
	char *text;
	int size;
};

static struct job *first, **last = &first;

static inline char *
fill(int size)
{
	char *p = malloc((size_t)size);

	memset(p, size, (size_t)size);
	return p;
}

__attribute__((noinline)) static void
submit(int size)
{
	struct job *j = malloc(sizeof(*j));

	j->next = NULL;
	j->size = size;
	j->text = fill(size);
	*last = j;
	last = &j->next;
}

__attribute__((noinline)) static int
work(void)
{
	struct job *j = first;
	char *scratch = fill(24);
	int sum = j->text[0] + scratch[1];

	first = j->next;
	if (first == NULL)
		last = &first;
	free(scratch);
	free(j->text);
	free(j);
	return sum;
}

int
main(void)
{
	int sum = 0;

	for (int i = 1; i <= 6; i++)
		submit(40 * i);
	for (int i = 0; i < 6; i++)
		sum += work();
	return sum == 0;
}
