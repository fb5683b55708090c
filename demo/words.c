/*
 * words - counts the words of its standard input
 *
 * usage: words [-a | -l] [-n NUMBER]
 *
 * Prints the NUMBER (10) most frequent words; with -a the first ones of the
 * alphabet, with -l the longest.  It is what the sample was profiled with:
 * small, with branches, loops, calls through pointers and copies of sizes that
 * only a run knows.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 64, SLOTS = 4096 };

struct word {
	struct word *next;
	unsigned long count;
	size_t length;
	char text[];
};

static struct word *table[SLOTS];
static size_t word_count;

static unsigned
hash(const char *text, size_t length)
{
	unsigned h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h % SLOTS;
}

static struct word *
new_word(const char *text, size_t length)
{
	struct word *w = malloc(sizeof(*w) + length + 1);

	if (w == NULL) {
		fputs("words: out of memory\n", stderr);
		exit(2);
	}
	memcpy(w->text, text, length);
	w->text[length] = '\0';
	w->length = length;
	w->count = 0;
	word_count++;
	return w;
}

void
count_word(const char *text, size_t length)
{
	struct word **slot = &table[hash(text, length)], *w;

	for (w = *slot; w != NULL; w = w->next)
		if (w->length == length && memcmp(w->text, text, length) == 0)
			break;
	if (w == NULL) {
		w = new_word(text, length);
		w->next = *slot;
		*slot = w;
	}
	w->count++;
}

void
read_words(FILE *in)
{
	char text[LONGEST];
	size_t length = 0;
	int c;

	while ((c = getc(in)) != EOF) {
		if (isalpha(c) && length < LONGEST) {
			text[length++] = (char)tolower(c);
		} else if (length > 0) {
			count_word(text, length);
			length = 0;
		}
	}
	if (length > 0)
		count_word(text, length);
}

static int
by_text(const struct word *a, const struct word *b)
{
	return strcmp(a->text, b->text);
}

static int
by_count(const struct word *a, const struct word *b)
{
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return by_text(a, b);
}

static int
by_length(const struct word *a, const struct word *b)
{
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return by_text(a, b);
}

typedef int order(const struct word *, const struct word *);

/* Sorts by merging; room is as large as words. */
void
sort_words(struct word **words, struct word **room, size_t n, order *compare)
{
	size_t half = n / 2, left = 0, right = half;

	if (n < 2)
		return;
	sort_words(words, room, half, compare);
	sort_words(words + half, room, n - half, compare);
	for (size_t i = 0; i < n; i++) {
		if (right == n || (left < half &&
		    compare(words[left], words[right]) <= 0))
			room[i] = words[left++];
		else
			room[i] = words[right++];
	}
	memcpy(words, room, n * sizeof(*words));
}

void
print_words(order *compare, size_t number)
{
	struct word **words = calloc(word_count * 2 + 1, sizeof(*words));
	size_t n = 0;

	if (words == NULL) {
		fputs("words: out of memory\n", stderr);
		exit(2);
	}
	for (size_t i = 0; i < SLOTS; i++)
		for (struct word *w = table[i]; w != NULL; w = w->next)
			words[n++] = w;
	sort_words(words, words + n, n, compare);
	for (size_t i = 0; i < n && i < number; i++)
		printf("%7lu %s\n", words[i]->count, words[i]->text);
	free(words);
}

int
main(int argc, char **argv)
{
	order *compare = by_count;
	size_t number = 10;
	int option;

	while ((option = getopt(argc, argv, "aln:")) != -1) {
		switch (option) {
		case 'a':
			compare = by_text;
			break;
		case 'l':
			compare = by_length;
			break;
		case 'n':
			number = strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	}
	read_words(stdin);
	print_words(compare, number);
	return 0;
}
