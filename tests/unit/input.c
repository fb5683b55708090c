/* Files and pipes, and the same bytes by any road. */
#include "config.h"

#include "io/input.h"
#include "io/layers.h"

#include <sys/resource.h>
#include <sys/time.h>

#include "tests/support/packed.h"

static void
test_plain(void)
{
	static const struct {
		const char *name;
		size_t size;
	} rows[] = {
		{ "empty", 0 }, { "one", 1 }, { "511", 511 }, { "512", 512 },
		{ "513", 513 }, { "65536", 65536 }, { "big", BIG },
	};
	const char *path = "plain";

	for (size_t i = 0; i < COUNT(rows); i++) {
		put_file(path, big, rows[i].size);
		for (unsigned k = 0; k < SOURCES * 2; k++) {
			struct summary got, want = { 0 };
			struct prof_error err;

			say_member(&want, NULL, big, rows[i].size);
			summarize_from(k / 2, &got, path, k % 2, &err);
			check(same(&got, &want), "plain %s from %s by %s",
			    rows[i].name, source_names[k / 2],
			    k % 2 == BY_IMAGE ? "image" : "pull");
		}
	}
}

static void
test_filters(void)
{
	const char *alone = "alone", *tar = "tar";
	static const struct thing whole = { .data = big, .size = BIG };
	struct summary want, want_tar, got;
	struct prof_error err;

	expect_members(&want, &whole, 1);
	expect_members(&want_tar, members, COUNT(members));
	for (size_t i = 0; i < COUNT(filters); i++) {
		const char *name = filters[i].name;

		if (!compress_file(alone, filters[i].add, big, BIG) ||
		    !make_archive(tar, archive_write_set_format_pax,
		    filters[i].add, NULL, members, COUNT(members))) {
			check(true, "%s # SKIP no such filter", name);
			continue;
		}
		for (unsigned k = 0; k < SOURCES * 2; k++) {
			const char *source = source_names[k / 2];

			summarize_from(k / 2, &got, alone, k % 2, &err);
			check(same(&got, &want), "%s from %s", name, source);
			summarize_from(k / 2, &got, tar, k % 2, &err);
			check(same(&got, &want_tar), "tar.%s from %s", name,
			    source);
		}
	}
}

static void
test_formats(void)
{
	const char *path = "archive", *none = "none";
	struct summary want, refused = { 0 }, got;
	struct prof_error err;

	expect_members(&want, members, COUNT(members));
	say(&refused, "- unsupported\n");
	for (size_t i = 0; i < COUNT(formats); i++) {
		const char *name = formats[i].name;

		if (!make_archive(path, formats[i].set, NULL, NULL, members,
		    COUNT(members))) {
			check(true, "%s # SKIP cannot be written", name);
			continue;
		}
		for (unsigned k = 0; k < SOURCES * 2; k++) {
			bool no = formats[i].seeks && k / 2 >= FROM_PIPE;

			summarize_from(k / 2, &got, path, k % 2, &err);
			check(same(&got, no ? &refused : &want),
			    "%s from %s", name, source_names[k / 2]);
		}
	}
	make_archive(none, archive_write_set_format_zip, NULL, NULL, NULL, 0);
	summarize(&got, none, NO_LIMIT, BY_IMAGE, &err);
	check(got.size == 0, "a zip without members has none");
}

static void
test_limits(void)
{
	static uint8_t zeros[1 << 22];
	static const struct thing things[] = {
		{ .name = "fits", .data = big, .size = 1000 },
		{ .name = "does not", .data = big, .size = 1001 },
		{ .name = "fits too", .data = big + 1, .size = 1000 },
	};
	struct summary got, want = { 0 };
	struct prof_error err;

	put_file("large", big, 1001);
	summarize(&got, "large", 1001, BY_IMAGE, &err);
	check(err.code == PROF_E_NONE, "a file as large as the limit");
	summarize(&got, "large", 1000, BY_IMAGE, &err);
	check(err.code == PROF_E_LIMIT, "a file larger than that: %s",
	    err.reason);
	summarize(&got, "large", 1000, BY_PULL, &err);
	check(err.code == PROF_E_NONE, "which may be pulled");

	say_member(&want, "fits", big, 1000);
	say(&want, "does not limit\n");
	say_member(&want, "fits too", big + 1, 1000);
	make_archive("limits", archive_write_set_format_ustar, NULL, NULL,
	    things, COUNT(things));
	summarize(&got, "limits", 1000, BY_IMAGE, &err);
	check(same(&got, &want), "limit of members: %s", err.reason);
	summarize(&got, "limits", 1000, BY_PULL, &err);
	check(same(&got, &want), "also of those that are pulled");

	for (size_t i = 0; i < COUNT(filters); i++) {
		if (!compress_file("bomb", filters[i].add, zeros,
		    sizeof(zeros)))
			continue;
		summarize(&got, "bomb", 1 << 20, BY_IMAGE, &err);
		check(err.code == PROF_E_LIMIT, "%s bomb: %s", filters[i].name,
		    err.reason);
		summarize(&got, "bomb", 1 << 20, BY_PULL, &err);
		check(err.code == PROF_E_LIMIT, "%s bomb, pulled",
		    filters[i].name);
	}
}

static void
test_trouble(void)
{
	static const struct {
		const char *path, *reason;
	} rows[] = {
		{ "no such file", "cannot open: No such file or directory" },
		{ ".", "cannot read: Is a directory" },
		{ "/proc/self/mem", "cannot read: Input/output error" },
		{ "large/x", "cannot open: Not a directory" },
	};

	put_file("large", big, 10);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err;
		struct summary got;

		summarize(&got, rows[i].path, NO_LIMIT, BY_IMAGE, &err);
		check(strcmp(got.text, "- system\n") == 0 &&
		    strcmp(err.reason, rows[i].reason) == 0, "%s: %s",
		    rows[i].path, err.reason);
	}
}

static void
test_map(void)
{
	struct prof_error err = { 0 };
	struct input *in = input_open("image", NO_LIMIT, NULL, &err);
	struct input_member m;
	struct prof_span image = { 0 };

	put_file("image", big, BIG);
	check(input_next(in, &m, &err) == PROF_OK &&
	    input_map(in, &image) == PROF_OK && image.size == BIG &&
	    memcmp(image.data, big, BIG) == 0, "a file is mapped");
	check(input_next(in, &m, &err) == PROF_END, "once");
	input_close(in);

	compress_file("gz", archive_write_add_filter_gzip, big, BIG);
	in = input_open("gz", NO_LIMIT, NULL, &err);
	check(input_next(in, &m, &err) == PROF_OK &&
	    input_map(in, &image) == PROF_FAIL &&
	    input_image(in, &image, &err) == PROF_OK && image.size == BIG,
	    "what is packed is not");
	input_close(in);

	put_file("image", big, 0);
	in = input_open("image", NO_LIMIT, NULL, &err);
	check(input_next(in, &m, &err) == PROF_OK &&
	    input_map(in, &image) == PROF_FAIL, "nor what is empty");
	input_close(in);
}

/*
 * Somebody writes a part, and the rest only when we have said that we have seen
 * the part.
 */
static void
test_live(const char *name, const char *path, size_t part, size_t seen)
{
	int fds[2], more[2], stdin_before = dup(STDIN_FILENO);
	struct prof_error err = { 0 };
	struct input *in = input_open("-", NO_LIMIT, NULL, &err);
	struct input_member m;
	uint8_t bytes[5000];
	size_t size, got = 0;
	uint8_t *data = get_file(path, &size);
	int status = -1;
	pid_t child;
	ssize_t n;

	must(pipe(fds) == 0 && pipe(more) == 0, "pipe");
	child = fork();
	if (child == 0) {
		char c;

		close(fds[0]);
		close(more[1]);
		alarm(20);		/* the one who fails to read waits */
		_exit(write(fds[1], data, part) == (ssize_t)part &&
		    read(more[0], &c, 1) == 1 &&
		    write(fds[1], data + part, size - part) ==
		    (ssize_t)(size - part) ? 0 : 1);
	}
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	n = input_next(in, &m, &err) == PROF_OK ? 1 : -1;
	while (got < seen && n > 0) {
		n = input_pull(in, bytes, sizeof(bytes));
		got += n > 0 ? (size_t)n : 0;
	}
	n = write(more[1], "x", 1);
	do {
		while (n > 0)
			n = input_pull(in, bytes, sizeof(bytes));
		n = 1;
	} while (input_next(in, &m, &err) == PROF_OK);
	close(more[0]);
	close(more[1]);
	check(waitpid(child, &status, 0) == child && status == 0 &&
	    got >= seen && err.code == PROF_E_NONE, "%s is read as it comes",
	    name);
	input_close(in);
	dup2(stdin_before, STDIN_FILENO);
	close(stdin_before);
	free(data);
}

static void
test_streaming(void)
{
	const char *lines = "{\"record\":\"profile\"}\n{\"record\":\"end\"}\n";
	size_t size;

	put_file("lines", lines, strlen(lines));
	test_live("a line", "lines", 21, 21);
	put_file("lines", big, BIG);
	test_live("a part", "lines", 1000, 1000);
	if (make_archive("live", archive_write_set_format_ustar,
	    archive_write_add_filter_zstd, NULL, members, COUNT(members))) {
		free(get_file("live", &size));
		test_live("tar.zst", "live", size - 10, 50000);
	}
	if (compress_file("live", archive_write_add_filter_gzip, big, BIG)) {
		free(get_file("live", &size));
		test_live("gzip", "live", size / 2, 1000);
	}
}

static void
on_alarm(int signal)
{
	(void)signal;
}

/* Signals, and a standard input that does not wait. */
static void
test_interrupted(void)
{
	const struct sigaction act = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 500 }, { 0, 500 } },
	    never = { 0 };
	struct prof_error err;
	struct summary got, want = { 0 };
	int stdin_before = dup(STDIN_FILENO), fds[2];
	pid_t child;

	say_member(&want, NULL, big, 50000);
	put_file("slow", big, 50000);
	must(pipe(fds) == 0, "pipe");
	child = fork();
	if (child == 0) {
		for (size_t at = 0; at < 50000; at += 10000) {
			usleep(5000);
			if (write(fds[1], big + at, 10000) != 10000)
				_exit(1);
		}
		_exit(0);
	}
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	summarize(&got, "-", NO_LIMIT, BY_IMAGE, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	waitpid(child, NULL, 0);
	check(same(&got, &want), "interrupted and not ready: %s", err.reason);
	dup2(stdin_before, STDIN_FILENO);
	close(stdin_before);
}

/* As large as files are that are mapped; zeros follow behind the data. */
enum { MAPPED = 16 << 20 };

static void
put_mapped_file(const char *path)
{
	put_file(path, big, BIG);
	must(truncate(path, MAPPED) == 0, "truncate");
}

/* A file that is cut while it is looked at: no crash, and it is told. */
static void
test_shrinking_to(off_t left)
{
	struct input *in;
	struct input_member m;
	struct prof_span image = { NULL, 0 };
	struct prof_error err = { 0 };
	uint64_t sum = 0;

	put_mapped_file("shrinks");
	in = input_open("shrinks", 0, NULL, &err);
	input_in_place(in);
	check(input_next(in, &m, &err) == PROF_OK &&
	    input_image(in, &image, &err) == PROF_OK &&
	    image.size == MAPPED && memcmp(image.data, big, BIG) == 0,
	    "a file in place");
	check(input_failure(in)->code == PROF_E_NONE, "it is whole");
	check(truncate("shrinks", left) == 0, "%d bytes are left", (int)left);
	for (size_t i = 0; i < image.size; i++)
		sum += image.data[i];
	check(sum == (left == 0 ? 0 : big[0]), "zeros stand for what is gone");
	check(input_failure(in)->code == PROF_E_TRUNCATED, "the input knows");
	check(input_next(in, &m, &err) == PROF_FAIL &&
	    err.code == PROF_E_TRUNCATED && input_next(in, &m, &err) ==
	    PROF_END, "and says so once");
	input_close(in);
}

static void
test_shrinking(void)
{
	put_mapped_file("shrinks");
	if (!bus_errors_have_addresses("shrinks")) {
		check(true, "a file that shrinks # SKIP "
		    "SIGBUS comes without its address");
		return;
	}
	test_shrinking_to(1);
	test_shrinking_to(0);
}

int
main(void)
{
	enter_folder();
	test_plain();
	test_filters();
	test_formats();
	test_limits();
	test_trouble();
	test_map();
	for (int i = 0; i < 3; i++)
		test_shrinking();
	test_streaming();
	test_interrupted();
	leave_folder();
	return done_testing();
}
