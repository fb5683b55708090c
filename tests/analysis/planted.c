/*
 * Faults that the analysers have to find: the comment names those that do.  It
 * stands on the line that they report.
 */
#include <stdlib.h>
#include <string.h>

int planted_use_after_free(void);
int planted_double_free(void);
int planted_leak(int n);
int planted_index(int n);
int planted_null(const int *p);
int planted_no_memory(size_t n);
void planted_size(int *p, unsigned n);
int planted_realloc(int n);
int planted_endless(int n);
int planted_unset(int n);

int
planted_use_after_free(void)
{
	int *p = malloc(sizeof(*p));

	if (p == NULL)
		return 0;
	*p = 1;
	free(p);
	return *p;	/* gcc */
}

int
planted_double_free(void)
{
	int *p = malloc(sizeof(*p));

	if (p == NULL)
		return 0;
	free(p);
	free(p);	/* gcc cppcheck */
	return 0;
}

int
planted_leak(int n)
{
	char *text = malloc(16);

	if (text == NULL)
		return 0;
	memset(text, 0, 16);
	if (n > 1)
		return 1;	/* gcc cppcheck */
	free(text);
	return 0;
}

int
planted_index(int n)
{
	static const int table[4] = { 1, 2, 3, 4 };

	if (n < 0 || n > 4)
		return 0;
	return n == 4 ? table[n] : 0;	/* cppcheck */
}

int
planted_null(const int *p)
{
	if (p == NULL)
		return *p;	/* cppcheck */
	return p[1];
}

int
planted_no_memory(size_t n)
{
	int *p = malloc(n * sizeof(*p)), first;

	p[0] = 1;	/* gcc */
	first = p[n / 2];
	free(p);
	return first;
}

void
planted_size(int *p, unsigned n)
{
	memset(p, '0', n);	/* clang-tidy */
}

int
planted_realloc(int n)
{
	char *p = malloc(16);

	p = realloc(p, (size_t)n);	/* clang-tidy cppcheck */
	if (p == NULL)
		return 0;
	free(p);
	return 1;
}

int
planted_endless(int n)
{
	int i = 0, sum = 0;

	while (i < n)	/* clang-tidy */
		sum++;
	return sum;
}

int
planted_unset(int n)
{
	int value;

	if (n > 1)
		value = n;
	return value;	/* cppcheck */
}
