/* Uses of memory that nobody wrote, which tests/memory/run has to find. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int decide(const unsigned char *block)
{
	return block[7] == 1;
}

/* planted branch|write|outside: 0 where nobody looks. */
int main(int argc, char **argv)
{
	unsigned char *volatile block = malloc(16);
	int result = 0;

	if (argc < 2 || block == NULL)
		return 2;
	if (strcmp(argv[1], "branch") == 0 && decide(block))
		result = 1;
	if (strcmp(argv[1], "write") == 0 && write(1, block, 16) != 16)
		result = 1;
	if (strcmp(argv[1], "outside") == 0)
		block[16] = 1;
	free(block);
	return result;
}
