/* Output files appear whole or not at all. */
#include "config.h"

#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/temporary.h"
#include "tests/support/test.h"

/* Whether temporary files have names while they are written. */
static bool named;

static char folder[] = "/tmp/test_output.XXXXXX";

/* What is made once, ends the test if it cannot be. */
static void
must(bool done, const char *what)
{
	if (!done) {
		printf("Bail out! %s: %s\n", what, strerror(errno));
		exit(EXIT_FAILURE);
	}
}

static void
put_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	must(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0 &&
	    chmod(path, mode) == 0, path);
}

/* True if the file holds the text, and nothing else. */
static bool
holds(const char *path, const char *text)
{
	char bytes[256] = "";
	FILE *f = fopen(path, "r");
	size_t n;

	if (f == NULL)
		return false;
	n = fread(bytes, 1, sizeof(bytes) - 1, f);
	fclose(f);
	return n == strlen(text) && memcmp(bytes, text, n) == 0;
}

static unsigned
mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

/* Files in the folder, hidden ones too. */
static unsigned
files(void)
{
	DIR *d = opendir(".");
	unsigned n = 0;

	must(d != NULL, ".");
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

static void
remove_files(void)
{
	DIR *d = opendir(".");
	struct dirent *e;

	must(d != NULL, ".");
	while ((e = readdir(d)) != NULL)
		unlink(e->d_name);
	closedir(d);
}

/* A file that is being written. */
static struct output *
begin(const char *text)
{
	struct prof_error err = { 0 };
	struct output *o = output_open("file", true, &err);

	must(o != NULL, err.reason);
	output_write(o, text, strlen(text));
	return o;
}

static bool
write_text(const char *path, const char *text, struct prof_error *err)
{
	struct output *o = output_open(path, true, err);

	if (o == NULL)
		return false;
	output_write(o, text, strlen(text));
	return output_commit(o, err) == PROF_OK;
}

static void
test_replace(void)
{
	static const struct {
		const char *name;
		unsigned umask, old, mode;	/* old 0: not there before */
	} rows[] = {
		{ "new", 022, 0, 0644 },
		{ "new for the group", 002, 0, 0664 },
		{ "new for one", 077, 0, 0600 },
		{ "open to all", 022, 0666, 0666 },
		{ "closed", 022, 0600, 0600 },
		{ "a program", 022, 0755, 0755 },
		{ "read only", 022, 0444, 0444 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		struct output *o;
		bool untouched;

		remove_files();
		if (rows[i].old != 0)
			put_file("file", "old", rows[i].old);
		umask(rows[i].umask);
		o = begin("new");
		output_flush(o);
		untouched = rows[i].old != 0 ? holds("file", "old") :
		    access("file", F_OK) != 0;
		check(untouched && output_commit(o, &err) == PROF_OK &&
		    holds("file", "new") && files() == 1,
		    "%s: whole or untouched", rows[i].name);
		check(mode_of("file") == rows[i].mode, "%s: mode %o",
		    rows[i].name, mode_of("file"));
	}
	umask(022);
}

/* While it is being written, what was secret stays so. */
static void
test_secret(void)
{
	struct prof_error err = { 0 };
	struct output *o;
	struct dirent *e;
	DIR *d;

	remove_files();
	put_file("file", "old", 0600);
	o = output_open("file", true, &err);
	d = opendir(".");
	must(o != NULL && d != NULL, "open");
	while ((e = readdir(d)) != NULL) {
		if (strstr(e->d_name, ".file.") == e->d_name)
			check(mode_of(e->d_name) == 0600, "%s is secret",
			    ".file.*");
	}
	closedir(d);
	output_discard(o);
}

static void
test_discard(void)
{
	struct output *o;

	remove_files();
	o = begin("new");
	output_discard(o);
	check(files() == 0, "what is discarded leaves nothing");
	put_file("file", "old", 0644);
	o = begin("new");
	output_flush(o);
	output_discard(o);
	check(files() == 1 && holds("file", "old"),
	    "nor does it touch what was there");
	output_discard(NULL);
}

static void
test_links(void)
{
	static const struct {
		const char *link, *to, *target;
		bool there;
	} rows[] = {
		{ "link", "file", "file", true },
		{ "link", "file", "file", false },
		{ "link", "sub/file", "sub/file", true },
		{ "sub/link", "file", "sub/file", true },
		{ "sub/link", "../file", "file", false },
		{ "link", "sub/link", "file", false },	/* of the row above */
		{ "link", folder, NULL, true },
	};
	char absolute[64];
	struct prof_error err = { 0 };
	struct stat st;

	remove_files();
	must(mkdir("sub", 0755) == 0, "sub");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *to = rows[i].to, *target = rows[i].target;

		if (target == NULL) {
			snprintf(absolute, sizeof(absolute), "%s/other", to);
			to = absolute;
			target = "other";
		}
		unlink(rows[i].link);
		unlink(target);
		must(symlink(to, rows[i].link) == 0, rows[i].link);
		if (rows[i].there)
			put_file(target, "old", 0640);
		check(write_text(rows[i].link, "new", &err) &&
		    lstat(rows[i].link, &st) == 0 && S_ISLNK(st.st_mode) &&
		    lstat(target, &st) == 0 && S_ISREG(st.st_mode) &&
		    holds(target, "new"), "%s -> %s stays a link",
		    rows[i].link, rows[i].to);
	}
	unlink("a");
	must(symlink("a", "a") == 0, "a");
	check(!write_text("a", "new", &err) && err.code == PROF_E_SYSTEM,
	    "a link to itself: %s", err.reason);
	unlink("sub/link");
	unlink("sub/file");
	rmdir("sub");
}

static void
test_not_regular(void)
{
	struct prof_error err = { 0 };
	char bytes[10];
	pid_t child;
	ssize_t n;
	int fd, status;

	remove_files();
	check(write_text("/dev/null", "text", &err) &&
	    access("/dev/null", W_OK) == 0, "/dev/null");
	must(mkfifo("fifo", 0600) == 0, "fifo");
	child = fork();
	if (child == 0)
		_exit(write_text("fifo", "text", &err) ? 0 : 1);
	fd = open("fifo", O_RDONLY);
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	waitpid(child, &status, 0);
	check(n == 4 && memcmp(bytes, "text", 4) == 0 && status == 0 &&
	    files() == 1, "a fifo is written as it is");
}

/* A child with its standard output in a file; its exit status. */
static int
with_stdout(const char *to, int flags, const char *path, bool commit)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		struct prof_error err = { 0 };
		struct output *o;

		dup2(open(to, flags, 0666), STDOUT_FILENO);
		o = output_open(path, true, &err);
		if (o == NULL)
			_exit(2);
		output_write(o, "text", 4);
		if (!commit)
			output_discard(o);
		_exit(!commit || output_commit(o, &err) == PROF_OK ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_stdout(void)
{
	static const char *const names[] = {
		NULL, "-", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *name = names[i] == NULL ? "no name" : names[i];

		remove_files();
		put_file("out", "before ", 0644);
		check(with_stdout("out", O_WRONLY | O_APPEND, names[i], true) ==
		    0 && holds("out", "before text") && files() == 1,
		    "%s is standard output", name);
		check(with_stdout("out", O_WRONLY | O_TRUNC, names[i], false)
		    == 0 && holds("out", "text"), "%s gets what there is",
		    name);
		check(with_stdout("/dev/full", O_WRONLY, names[i], true) == 1,
		    "%s may be full", name);
	}
}

/* A file that may not grow is much like a full disk. */
static void
test_no_space(void)
{
	static char block[1 << 20];
	const struct rlimit small = { 4096, RLIM_INFINITY };
	struct prof_error err = { 0 };
	struct rlimit before;
	struct output *o;

	remove_files();
	put_file("file", "old", 0644);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	o = output_open("file", true, &err);
	must(o != NULL, err.reason);
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &small);
	output_write(o, block, 100000);
	output_commit(o, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	check(err.code == PROF_E_SYSTEM && holds("file", "old") &&
	    files() == 1, "no space: %s", err.reason);
}

static void
test_trouble(void)
{
	char name[300];
	const struct {
		const char *path, *reason;
	} rows[] = {
		{ "", "cannot open: No such file or directory" },
		{ "nothing/file", "cannot create a file in its folder: "
		    "No such file or directory" },
		{ "nothing/", "cannot open: Is a directory" },
		{ ".", "cannot open: Is a directory" },
		{ "file/file", "cannot open: Not a directory" },
		{ name, "cannot open: File name too long" },
	};

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	remove_files();
	put_file("file", "old", 0644);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };

		check(output_open(rows[i].path, true, &err) == NULL &&
		    strcmp(err.reason, rows[i].reason) == 0, "\"%.20s\": %s",
		    rows[i].path, err.reason);
	}
	check(files() == 1, "nothing is left");
	name[255] = '\0';
	check(write_text(name, "new", &(struct prof_error){ 0 }) &&
	    holds(name, "new"), "the longest of names");
}

static void
on_signal(int signal)
{
	temporary_remove_all();
	_exit(100 + signal);
}

static void
test_signals(void)
{
	pid_t child;
	int fds[2], status;
	char c;

	remove_files();
	put_file("one", "old", 0644);
	must(pipe(fds) == 0, "pipe");
	child = fork();
	if (child == 0) {
		struct prof_error err = { 0 };
		struct output *one, *two;

		signal(SIGTERM, on_signal);
		write_text("three", "new", &err);
		one = output_open("one", true, &err);
		two = output_open("two", true, &err);
		output_write(one, "new", 3);
		output_flush(two);
		c = one != NULL && two != NULL;
		if (write(fds[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	must(read(fds[0], &c, 1) == 1 && c == 1, "child");
	check(files() == (named ? 4 : 2), "two files are on their way");
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 100 + SIGTERM &&
	    files() == 2 && holds("one", "old") && holds("three", "new"),
	    "a signal leaves none of them");
	close(fds[0]);
	close(fds[1]);
}

/* What a killed run has left goes with the next one, unless it is in use. */
static void
test_left_behind(void)
{
	struct prof_error err = { 0 };
	struct output *o;
	int fd;

	remove_files();
	put_file("file", "old", 0644);
	put_file(".file.00000000", "left", 0600);
	put_file(".file.00000002", "left", 0600);
	put_file(".other.00000000", "other", 0600);
	write_text("file", "new", &err);
	check(files() == 2 && holds("file", "new") &&
	    holds(".other.00000000", "other"), "files left behind are gone");
	put_file(".file.00000000", "used", 0600);
	fd = open(".file.00000000", O_RDONLY);
	must(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0, "lock");
	o = begin("newer");
	check(files() == (named ? 4 : 3) && (!named ||
	    access(".file.00000001", F_OK) == 0), "a name beside one in use");
	check(output_commit(o, &err) == PROF_OK && holds("file", "newer") &&
	    holds(".file.00000000", "used") && files() == 3,
	    "one in use stays");
	close(fd);
	remove_files();
}

static void
test_exclusive(void)
{
	struct prof_error err = { 0 };
	struct output *o;

	remove_files();
	for (int i = 0; i < 2; i++) {
		o = output_open("file", true, &err);
		must(o != NULL, err.reason);
		output_write(o, i == 0 ? "old" : "new", 3);
		check(output_commit_exclusive(o, &err) == (i == 0 ? PROF_OK :
		    PROF_FAIL) && holds("file", "old") && files() == 1,
		    "only the first gets the name: %s", err.reason);
	}
}

static void
test_names(void)
{
	static const struct {
		const char *path;
		bool ours;
	} rows[] = {
		{ ".file.0123abcd", true }, { "a.b/.c.d.00000000", true },
		{ "./.file.01234567", true }, { "file.0123abcd", false },
		{ ".file.0123ABCD", false }, { ".file.0123abc", false },
		{ ".file.0123abcde", false }, { ".0123abcd", false },
		{ "..0123abcd", false }, { ".file", false },
		{ ".", false }, { "", false }, { ".a.00000000/b", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(temporary_is_name(rows[i].path) == rows[i].ours,
		    "\"%s\": %s", rows[i].path, rows[i].ours ? "a temporary" :
		    "no temporary");
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void
test_outputs(void)
{
	test_replace();
	test_secret();
	test_discard();
	test_links();
	test_not_regular();
	test_stdout();
	test_no_space();
	test_trouble();
	test_signals();
	test_left_behind();
	test_exclusive();
}

int
main(void)
{
	int probe;

	must(mkdtemp(folder) != NULL && chdir(folder) == 0, folder);
	named = true;
	temporary_use_names(true);
	test_outputs();
	probe = open(".", O_TMPFILE | O_WRONLY, 0600);
	if (probe >= 0) {
		close(probe);
		named = false;
		temporary_use_names(false);
		test_outputs();
	}
	test_names();
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
