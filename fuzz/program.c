#include "config.h"

#include "fuzz/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cmd/common/process.h"
#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "fuzz/leftover.h"
#include "fuzz/pair.h"
#include "io/input.h"
#include "io/temporary.h"

enum { ARGUMENTS_MAX = 24, LINE_MAX_BYTES = 256, KEPT_MAX = 8 };

static char folder[PATH_MAX];
static int inside = -1, outside = -1;	/* the folder, and where we came from */
static char kept[KEPT_MAX][NAME_MAX + 1];
static size_t kept_count;

/* The run that exit returns from. */
static jmp_buf back;
static bool running;
static pthread_t runner;

_Noreturn void __real_exit(int);
_Noreturn void __wrap_exit(int);
int __real_fclose(FILE *);
int __wrap_fclose(FILE *);

void
__wrap_exit(int status)
{
	if (running && pthread_equal(runner, pthread_self()))
		longjmp(back, status + 1);
	__real_exit(status);
}

/* Standard output stays open for the next run. */
int
__wrap_fclose(FILE *f)
{
	return running && f == stdout ? fflush(f) : __real_fclose(f);
}

/*
 * Functions that a fuzz target cannot have: signals, the end of the process and
 * its sandbox belong to the fuzzer, which runs other programs in the same
 * process.  All that cleanup.h and sandbox.h declare stands here: in a file of
 * its own the linker would pass over them and take the real ones.
 */
void
cli_cleanup_at_end(void)
{
}

void
cli_expect_end(void)
{
}

void
cli_reach_end(void)
{
}

void
sandbox_prepare(struct sandbox *s, unsigned flags)
{
	(void)flags;
	*s = (struct sandbox){ .rules = -1 };
}

void
sandbox_allow_output(struct sandbox *s, const char *path)
{
	(void)s;
	(void)path;
}

void
sandbox_allow_folder(struct sandbox *s, const char *path)
{
	(void)s;
	(void)path;
}

void
sandbox_enter(const struct sandbox *s)
{
	(void)s;
}

static bool
is_kept(const char *name)
{
	for (size_t i = 0; i < kept_count; i++) {
		if (strcmp(kept[i], name) == 0)
			return true;
	}
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes all files and folders of a folder but those that are kept. */
static void
empty_folder(int at, const char *name, bool all)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		if (all ? strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0 : is_kept(e->d_name))
			continue;
		if (unlinkat(fd, e->d_name, 0) == 0 || errno != EISDIR)
			continue;
		/* A program may unpack a folder without permissions. */
		fchmodat(fd, e->d_name, 0700, 0);
		empty_folder(fd, e->d_name, true);
		unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

static void
remove_folder(void)
{
	empty_folder(AT_FDCWD, folder, true);
	rmdir(folder);
}

/* Libraries that are loaded when they are needed stay, with their memory. */
static void
load_libraries(void)
{
	static const uint8_t zip[22] = "PK\5\6";	/* an empty one */
	struct prof_error err = { 0 };
	struct input *in = input_open(file_of((struct prof_span){ zip,
	    sizeof(zip) }), 0, NULL, &err);
	struct input_member m;

	demand(in != NULL && input_next(in, &m, &err) != PROF_OK,
	    "an empty archive has no members");
	input_close(in);
}

/* In memory if possible, where a program need not wait for a disk. */
static void
make_folder(void)
{
	static const char memory[] = "/dev/shm";

	if (folder[0] != '\0')
		return;
	snprintf(folder, sizeof(folder), "%s/proftools-fuzz-XXXXXX",
	    access(memory, W_OK) == 0 ? memory : temporary_folder());
	demand(mkdtemp(folder) != NULL, "there is a folder");
	inside = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	demand(inside >= 0 && outside >= 0, "folders can be opened");
	setenv("TMPDIR", folder, 1);
	unsetenv("DEBUGINFOD_URLS");
	atexit(remove_folder);
	load_libraries();
}

void
program_put_file(const char *name, struct prof_span bytes)
{
	int fd;

	make_folder();
	fd = openat(inside, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	demand(fd >= 0 && write(fd, bytes.data, bytes.size) ==
	    (ssize_t)bytes.size && close(fd) == 0, "a file can be written");
}

void
program_keep_files(void)
{
	DIR *d;
	struct dirent *e;

	make_folder();
	d = opendir(folder);
	demand(d != NULL, "the folder can be read");
	while ((e = readdir(d)) != NULL && kept_count < KEPT_MAX) {
		if (!is_kept(e->d_name))
			snprintf(kept[kept_count++], sizeof(kept[0]), "%s",
			    e->d_name);
	}
	closedir(d);
}

static int
call_main(const struct program_row *row, char **argv, int argc)
{
	volatile int status;

	status = setjmp(back) - 1;
	if (status >= 0) {
		running = false;
		temporary_remove_all();
		leftover_release();
		return status;
	}
	leftover_begin();
	running = true;
	status = row->main(argc, argv);
	running = false;
	leftover_forget();
	return status;
}

/* Splits the arguments, which fit the line, and gives their number. */
static int
split_arguments(const char *arguments, char line[LINE_MAX_BYTES],
    char *words[ARGUMENTS_MAX])
{
	char *rest = line;
	int n = 0;

	snprintf(line, LINE_MAX_BYTES, "program %s", arguments);
	while (n < ARGUMENTS_MAX - 1 && (words[n] = strsep(&rest, " ")) != NULL)
		n++;
	words[n] = NULL;
	return n;
}

int
program_run(const struct program_row *row)
{
	static FILE *nothing;
	char line[LINE_MAX_BYTES], *words[ARGUMENTS_MAX];
	FILE *out = stdout, *errors = stderr;
	int argc = split_arguments(row->arguments, line, words), status;
	int saved = dup(STDOUT_FILENO);

	make_folder();
	if (nothing == NULL)
		nothing = fopen("/dev/null", "w");
	demand(nothing != NULL && dup2(fileno(nothing), STDOUT_FILENO) != -1 &&
	    fchdir(inside) == 0, "a program can begin");
	runner = pthread_self();
	stdout = stderr = nothing;
	status = call_main(row, words, argc);
	clearerr(nothing);
	stdout = out;
	stderr = errors;
	dup2(saved, STDOUT_FILENO);
	close(saved);
	demand(fchdir(outside) == 0, "the folder is there");
	return status;
}

static void
run_over(const struct program_row *row, struct prof_span bytes)
{
	int status;

	program_put_file("in", bytes);
	status = program_run(row);
	demand(status >= 0 && status <= 2, "a status is 0, 1 or 2");
	empty_folder(inside, ".", false);
}

void
program_run_rows(const struct program_row *rows, size_t count,
    struct prof_span bytes)
{
	size_t row = bytes.size == 0 ? SIZE_MAX :
	    (size_t)bytes.data[0] - PROGRAM_FIRST;
	struct pair p;

	if (row < PROGRAM_ROWS) {
		bytes.data++;
		bytes.size--;
	}
	if (pair_split(bytes, &p)) {
		program_put_file("other", p.second);
		bytes = p.first;
	}
	if (row < PROGRAM_ROWS) {
		run_over(&rows[row % count], bytes);
		return;
	}
	for (size_t i = 0; i < count; i++)
		run_over(&rows[i], bytes);
}
