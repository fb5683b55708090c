/*
 * Faults of a program's surroundings, by LD_PRELOAD.
 *
 *   FAULT_ALLOCATION=N   the N-th allocation after the start of main fails
 *   FAULT_FROM=1         ... and so does every one after it
 *   FAULT_TRACE=1        prints the call stack of that allocation (stderr)
 *   FAULT_COUNT=FILE     the number of allocations is written to FILE at exit
 *   FAULT_SHORT=1        read and write transfer at most 3 bytes a call
 *   FAULT_PAUSE="OUT IN" at signal 40, a byte goes to descriptor OUT, and the
 *                        program waits until IN ends
 *
 * Allocations are malloc, calloc, realloc and the aligned ones; mmap is left
 * to system call faults.  A line "main" on descriptor -1 marks the end of the
 * loader's work in a trace of system calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* What glibc calls its own allocator, for those who put another before it. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations;
static unsigned long failing;	/* number of the one that fails; 0: none */
static int all_from_there;
static int short_transfers;
static int tracing;
static int count_file = -1;

enum { PAUSE = 40 };	/* a real-time signal, which no program uses */

static int pause_out, pause_in;

static void pause_here(int number)
{
	int before = errno;
	char byte = 0;

	(void)number;
	syscall(SYS_write, pause_out, &byte, 1);
	syscall(SYS_read, pause_in, &byte, 1);
	errno = before;
}

static unsigned long number_of(const char *variable)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULT_COUNT");

	/* At its end, the sandbox of the program would refuse this. */
	if (path)
		count_file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	all_from_there = getenv("FAULT_FROM") != NULL;
	short_transfers = getenv("FAULT_SHORT") != NULL;
	tracing = getenv("FAULT_TRACE") != NULL;
	failing = number_of("FAULT_ALLOCATION");
	/* The first call loads a library; a traced run has to be the same. */
	backtrace((void *[1]){ NULL }, 1);
	if (getenv("FAULT_PAUSE") && sscanf(getenv("FAULT_PAUSE"), "%d %d",
	    &pause_out, &pause_in) == 2)
		sigaction(PAUSE, &(struct sigaction){ .sa_handler =
		    pause_here, .sa_flags = SA_RESTART }, NULL);
	atomic_store(&allocations, 0);
	syscall(SYS_write, -1, "main", 4);
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int length;

	if (count_file < 0)
		return;
	length = snprintf(text, sizeof text, "%lu\n",
	    atomic_load(&allocations));
	syscall(SYS_write, count_file, text, (size_t)length);
}

/* For addr2line: addresses in the program and its libraries. */
static void trace(void)
{
	void *callers[32];
	int size;

	tracing = 0;
	size = backtrace(callers, 32);
	backtrace_symbols_fd(callers, size, 2);
}

static int fails(void)
{
	unsigned long number = atomic_fetch_add(&allocations, 1) + 1;

	if (failing == 0 || number < failing ||
	    (number > failing && !all_from_there))
		return 0;
	if (tracing && number == failing)
		trace();
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
	int before = errno;
	void *memory = memalign(alignment, size);

	errno = before;
	if (!memory)
		return ENOMEM;
	*place = memory;
	return 0;
}

static size_t transferable(size_t size)
{
	return short_transfers && size > 3 ? 3 : size;
}

ssize_t read(int file, void *bytes, size_t size)
{
	return syscall(SYS_read, file, bytes, transferable(size));
}

ssize_t pread(int file, void *bytes, size_t size, off_t place)
{
	return syscall(SYS_pread64, file, bytes, transferable(size), place);
}

ssize_t write(int file, const void *bytes, size_t size)
{
	return syscall(SYS_write, file, bytes, transferable(size));
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
	int i;

	for (i = 0; short_transfers && i < count; i++)
		if (parts[i].iov_len > 0)
			return write(file, parts[i].iov_base,
			    parts[i].iov_len);
	return syscall(SYS_writev, file, parts, count);
}
