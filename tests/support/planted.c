/*
 * What a program does once bad input has taken it over, by LD_PRELOAD: before
 * the first bytes are read, PLANT says what is tried with the file PLANT_PATH.
 * "planted: " and the error go to standard error.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *path;

static int
failed_with(int result)
{
	return result == -1 ? errno : 0;
}

static int
plant_create(void)
{
	return failed_with(open(path, O_WRONLY | O_CREAT, 0600));
}

static int
plant_write(void)
{
	return failed_with(open(path, O_WRONLY));
}

static int
plant_truncate(void)
{
	return failed_with(truncate(path, 0));
}

static int
plant_remove(void)
{
	return failed_with(unlink(path));
}

static int
plant_link(void)
{
	return failed_with(symlink("/etc/passwd", path));
}

static int
plant_folder(void)
{
	return failed_with(mkdir(path, 0700));
}

static int
plant_rename(void)
{
	return failed_with(rename("planted", path));
}

static int
plant_read(void)
{
	return failed_with(open(path, O_RDONLY));
}

static int
plant_program(void)
{
	char *const argv[] = { (char *)"true", NULL };

	return failed_with(execv(path, argv));
}

static void *
nothing(void *arg)
{
	return arg;
}

static int
plant_thread(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, nothing, NULL);

	return error != 0 ? error : pthread_join(thread, NULL);
}

/* To a port of this machine where nobody listens. */
static int
plant_internet(void)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int s = socket(AF_INET, SOCK_STREAM, 0);

	return failed_with(connect(s, (const struct sockaddr *)&to,
	    sizeof(to)));
}

static int
plant_signal(void)
{
	return failed_with(kill(getppid(), 0));
}

/* Not an attack: whether this kernel has a version of Landlock. */
static int
plant_landlock(void)
{
	return syscall(444, NULL, 0, 1) < atoi(path) ? ENOSYS : 0;
}

static const struct {
	const char *name;
	int (*try)(void);
} plants[] = {
	{ "create", plant_create }, { "write", plant_write },
	{ "truncate", plant_truncate }, { "remove", plant_remove },
	{ "link", plant_link }, { "folder", plant_folder },
	{ "rename", plant_rename }, { "read", plant_read },
	{ "program", plant_program }, { "thread", plant_thread },
	{ "internet", plant_internet }, { "signal", plant_signal },
	{ "landlock", plant_landlock },
};

static void
planted_try(void)
{
	static int tried;
	const char *name = getenv("PLANT");

	if (name == NULL || tried)
		return;
	tried = 1;
	path = getenv("PLANT_PATH");
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
		if (strcmp(plants[i].name, name) == 0)
			fprintf(stderr, "planted: %s\n",
			    strerror(plants[i].try()));
	}
}

ssize_t
read(int fd, void *bytes, size_t size)
{
	planted_try();
	return syscall(SYS_read, fd, bytes, size);
}

ssize_t
pread(int fd, void *bytes, size_t size, off_t place)
{
	planted_try();
	return syscall(SYS_pread64, fd, bytes, size, place);
}
