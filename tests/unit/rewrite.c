/* A file is replaced only if it still is the one that was read. */
#include "config.h"

#include "io/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "io/read_at.h"
#include "tests/support/failing.h"
#include "tests/support/packed.h"

static const char *change;	/* a command that is run before the commit */

/* Puts "new" in the place of the file, and keeps the old one as `file~`. */
static enum prof_status
replace(const char *path, const char *suffix, struct prof_error *err)
{
	const struct rewrite_options options = { .backup = suffix };
	struct rewrite w;
	enum prof_status status = PROF_FAIL;
	struct output *o;

	*err = (struct prof_error){ 0 };
	if (rewrite_open(&w, path, err) != PROF_OK)
		return PROF_FAIL;
	o = rewrite_output(&w, err);
	if (o != NULL) {
		output_write(o, "new", 3);
		if (change != NULL)
			must(system(change) == 0, change);
		status = rewrite_commit(&w, o, &options, err);
	}
	rewrite_close(&w);
	return status;
}

static const size_t sizes[] = {
	0, 1, 65535, 65536, 65537, 131071, 131072, 131073,
};

/* A backup that was there before; the byte at `changed` is another. */
static void
test_earlier_backup(void)
{
	static uint8_t other[BIG];
	struct prof_error err;

	memcpy(other, big, BIG);
	for (size_t i = 1; i < COUNT(sizes); i++) {
		put_file("file", big, sizes[i]);
		put_file("file~", big, sizes[i]);
		check(replace("file", "~", &err) == PROF_OK &&
		    file_is("file", "new", 3) && file_is("file~", big,
		    sizes[i]), "the same %zu bytes", sizes[i]);

		put_file("file", big, sizes[i]);
		other[sizes[i] - 1] ^= 1;
		put_file("file~", other, sizes[i]);
		check(replace("file", "~", &err) == PROF_FAIL &&
		    err.code == PROF_E_UNSUPPORTED && strcmp(err.reason, "its "
		    "backup (~) already exists, and is another file") == 0 &&
		    file_is("file", big, sizes[i]) && file_is("file~", other,
		    sizes[i]), "%zu bytes, of which the last is another: %s",
		    sizes[i], err.reason);
		other[sizes[i] - 1] ^= 1;

		put_file("file~", big, sizes[i] - 1);
		check(replace("file", "~", &err) == PROF_FAIL &&
		    file_is("file~", big, sizes[i] - 1),
		    "%zu bytes and one less", sizes[i]);
	}
	unlink("file~");
	must(mkdir("file~", 0700) == 0, "file~");
	check(replace("file", "~", &err) == PROF_FAIL &&
	    err.code == PROF_E_UNSUPPORTED, "a folder: %s", err.reason);
	rmdir("file~");
}

/* What happens between the first read and the commit. */
static void
test_changes(void)
{
	static const struct {
		const char *change;
		const char *reason;	/* NULL: the file is replaced */
	} rows[] = {
		{ NULL, NULL },
		{ "touch -r file stamp && touch -r stamp file", NULL },
		{ "chmod 600 file", NULL },
		{ "rm file", "it is gone" },
		{ "mv file other", "it is gone" },
		{ "rm file && ln -s file file", "cannot find it again: "
		    "Too many levels of symbolic links" },
		{ "cp -p file other && mv other file", "it was changed by "
		    "another program in the meantime" },
		{ "touch -r file stamp && printf x >>file && "
		    "touch -r stamp file", "it was changed by another program "
		    "in the meantime" },
		{ "touch -d 2001-01-01 file", "it was changed by another "
		    "program in the meantime" },
		{ "t=$(stat -c %Y file) && n=$(stat -c %y file) && "
		    "case $n in *.0*) f=9 ;; *) f=0 ;; esac && "
		    "touch -d @$t.$f file", "it was changed by another "
		    "program in the meantime" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err;
		enum prof_status status;

		unlink("file~");
		unlink("file");
		put_file("file", "old", 3);
		change = rows[i].change;
		status = replace("file", "~", &err);
		change = NULL;
		check(rows[i].reason == NULL ? status == PROF_OK &&
		    file_is("file", "new", 3) && file_is("file~", "old", 3) :
		    status == PROF_FAIL && err.code == PROF_E_SYSTEM &&
		    strcmp(err.reason, rows[i].reason) == 0 &&
		    access("file~", F_OK) != 0, "%s: %s",
		    rows[i].change == NULL ? "no change" : rows[i].change,
		    err.reason);
	}
}

static void
test_lock(void)
{
	struct prof_error err;
	int fd;

	unlink("file~");
	put_file("file", "old", 3);
	fd = open("file", O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && flock(fd, LOCK_SH) == 0, "flock");
	check(replace("file", "~", &err) == PROF_FAIL && err.code ==
	    PROF_E_SYSTEM && strcmp(err.reason, "another program holds a lock "
	    "on it, or is replacing it") == 0 && file_is("file", "old", 3) &&
	    access("file~", F_OK) != 0, "a lock: %s", err.reason);
	close(fd);
	check(replace("file", "~", &err) == PROF_OK &&
	    file_is("file", "new", 3), "no lock any more");
}

static void
test_open(void)
{
	static const struct {
		const char *path;
		enum prof_code code;
		const char *reason;
	} rows[] = {
		{ "nothing", PROF_E_SYSTEM,
		    "cannot open: No such file or directory" },
		{ ".", PROF_E_UNSUPPORTED, "not a regular file" },
		{ "fifo", PROF_E_UNSUPPORTED, "not a regular file" },
		{ "/dev/null", PROF_E_UNSUPPORTED, "not a regular file" },
	};

	must(mkfifo("fifo", 0600) == 0, "fifo");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		struct rewrite w;

		check(rewrite_open(&w, rows[i].path, &err) == PROF_FAIL &&
		    err.code == rows[i].code && strcmp(err.reason,
		    rows[i].reason) == 0, "%s: %s", rows[i].path, err.reason);
	}
	unlink("fifo");
}

/* The first bytes, and all bytes of a file that may have become shorter. */
static void
test_read(void)
{
	static const struct {
		size_t size, start;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 7, 7 }, { 8, 8 }, { 9, 8 } };
	struct failing how = { .kind = FAILING_SYSTEM, .error = EINTR };
	struct buf memory = { 0 };
	struct prof_error err = { 0 };
	struct rewrite w;

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t start[8];
		size_t size = 99;

		put_file("file", "123456789", rows[i].size);
		must(rewrite_open(&w, "file", &err) == PROF_OK, err.reason);
		check(rewrite_start(&w, start, &size, &err) == PROF_OK &&
		    size == rows[i].start && memcmp(start, "12345678", size) ==
		    0, "the start of %zu bytes: %zu", rows[i].size, size);
		check(rewrite_read(&w, &memory, &err) == PROF_OK &&
		    w.image.size == rows[i].size && memory.size == rows[i].size
		    && memcmp(w.image.data, "123456789", rows[i].size) == 0,
		    "all of %zu bytes", rows[i].size);
		rewrite_close(&w);
	}
	for (how.number = 1; how.number < 3; how.number++) {
		put_file("file", big, 1000);
		must(rewrite_open(&w, "file", &err) == PROF_OK, err.reason);
		failing_begin(&how);
		check(rewrite_read(&w, &memory, &err) == PROF_OK &&
		    w.image.size == 1000 && memcmp(w.image.data, big, 1000) ==
		    0, "call %lu is interrupted: %s", how.number, err.reason);
		failing_end();
		rewrite_close(&w);
	}
	must(rewrite_open(&w, "file", &err) == PROF_OK &&
	    truncate("file", 5) == 0, "file");
	check(rewrite_read(&w, &memory, &err) == PROF_FAIL &&
	    err.code == PROF_E_TRUNCATED && err.where == PROF_AT_BYTE &&
	    err.offset == 5 && strcmp(err.reason, "it was cut to 5 bytes while "
	    "it was read") == 0, "a file that is cut: %s", err.reason);
	rewrite_close(&w);
	buf_free(&memory);
}

int
main(void)
{
	enter_folder();
	test_earlier_backup();
	test_changes();
	test_lock();
	test_open();
	test_read();
	leave_folder();
	return done_testing();
}
