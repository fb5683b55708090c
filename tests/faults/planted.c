/*
 * planted MODE [OUT]: a program that writes the bytes of `list` and a line
 * more to OUT (`out`), rightly or with the fault that MODE names.  `run` has to
 * find each of these faults (tests/subjects/faults.bats).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4096 };

static const char *mode;

static int
is(const char *name)
{
	return strcmp(mode, name) == 0;
}

static void
fail(const char *what)
{
	unlink("out.new");
	if (!is("mute"))
		fprintf(stderr, "planted: cannot %s: out of memory\n", what);
	exit(2);
}

/* The bytes of a file, at most ROOM. */
static size_t
read_file(const char *path, char *text)
{
	size_t size = 0;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail("open");
	do {
		size += (size_t)n;
		n = read(fd, text + size, ROOM - size);
	} while (n > 0 && !is("short"));
	if (n < 0 && !is("silent"))
		fail("read");
	close(fd);
	return is("short") ? (size_t)n : size;
}

static void
write_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_CREAT | O_WRONLY |
	    (is("stuck") ? O_EXCL : O_TRUNC), 0666);
	ssize_t n = 0;

	if (fd < 0)
		fail("create");
	for (size_t done = 0; done < size; done += (size_t)n) {
		n = write(fd, text + done, size - done);
		if (n < 0 && is("left")) {
			fprintf(stderr, "planted: cannot write\n");
			exit(2);
		}
		if (n < 0)
			fail("write");
	}
	if (close(fd) != 0)
		fail("close");
}

int
main(int argc, char **argv)
{
	const char *out = argc > 2 ? argv[2] : "out";
	char *text;
	size_t size;

	mode = argc > 1 ? argv[1] : "right";
	text = malloc(ROOM + 5);
	if (text == NULL && !is("crash"))
		fail("start");
	text[0] = '\0';
	size = read_file(is("lost") ? out : "list", text);
	memcpy(text + size, "line\n", 5);
	write_file("out.new", text, size + 5);
	if (rename("out.new", out) != 0)
		fail("rename");
	free(text);
	return 0;
}
