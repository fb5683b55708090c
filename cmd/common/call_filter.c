#include "config.h"

#include "cmd/common/call_filter.h"

#ifdef SANDBOX
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Numbers of system calls mean something for one architecture only.  Others
 * than these have no filter.
 */
#if defined(__x86_64__) && !defined(__ILP32__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define THIS_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define THIS_ARCH AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THIS_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#endif
#endif

#ifdef THIS_ARCH
/*
 * file_setattr(2) of Linux 6.17.  Nobody has looked at calls behind it: they
 * fail with ENOSYS, as on an older kernel, for which libraries are prepared.
 */
enum { NEWEST_CALL = 469 };

/*
 * A list of what is refused, not of what is allowed: libraries use other calls
 * with each release, on each architecture and below valgrind, and one that is
 * missing in a list of allowed calls would make good input fail.  Of the first
 * three, some uses are refused.
 */
static const uint16_t restricted[] = {
	SYS_clone, SYS_clone3, SYS_ioctl,
	/* Programs, processes, and looking into others. */
	SYS_execve, SYS_execveat,
#ifdef SYS_fork
	SYS_fork, SYS_vfork,
#endif
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
	SYS_pidfd_open, SYS_pidfd_getfd, SYS_unshare, SYS_setns,
	SYS_personality,
	/* Changes of files that Landlock does not know. */
#ifdef SYS_chmod
	SYS_chmod, SYS_chown, SYS_lchown,
#endif
#ifdef SYS_chown32
	SYS_chown32, SYS_lchown32,
#endif
	SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr,
	SYS_removexattr, SYS_lremovexattr,
	/* File systems. */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount,
	SYS_open_tree, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
	SYS_mount_setattr, SYS_quotactl, SYS_swapon, SYS_swapoff,
	SYS_open_by_handle_at,
	/* The computer. */
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
	SYS_reboot, SYS_sethostname, SYS_setdomainname, SYS_acct, SYS_syslog,
	SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
#ifdef SYS_clock_settime64
	SYS_clock_settime64, SYS_clock_adjtime64,
#endif
#ifdef SYS_iopl
	SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
	/* Interfaces with a history of holes; io_uring opens sockets. */
	SYS_io_uring_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	SYS_add_key, SYS_keyctl, SYS_request_key,
	/* The network: programs that ask servers do not forbid these calls. */
#ifdef SYS_socketcall
	SYS_socketcall,
#endif
	SYS_socket,
};

#ifdef SYS_socketcall
enum { NETWORK_CALLS = 2 };
#else
enum { NETWORK_CALLS = 1 };
#endif

enum {
	CALLS = sizeof(restricted) / sizeof(restricted[0]),
	HEAD = 5, LEAF = 4
};

/* The lower half of an argument of the call. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i))
#else
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i) + 4)
#endif

#ifdef __s390x__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define JUMP(test, value, yes, no) BPF_JUMP(BPF_JMP | BPF_##test | BPF_K, \
	    (value), (uint8_t)(yes), (uint8_t)(no))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

/*
 * Ends of the filter.  Threads may be created, processes not.  clone3(2) keeps
 * its flags in memory, where a filter cannot look: it does not exist here, and
 * the C library creates threads with clone(2).  TIOCSTI would type into the
 * terminal of the user.
 */
enum { CHECK_CLONE = 0, CHECK_IOCTL = 2, ALLOW = 4, REFUSE, UNKNOWN, ENDS };

static const struct sock_filter ends[ENDS] = {
	[CHECK_CLONE] = LOAD(ARGUMENT(CLONE_FLAGS)),
	JUMP(JSET, CLONE_THREAD, ALLOW - 2, REFUSE - 2),
	[CHECK_IOCTL] = LOAD(ARGUMENT(1)),
	JUMP(JEQ, TIOCSTI, REFUSE - 4, ALLOW - 4),
	[ALLOW] = RETURN(SECCOMP_RET_ALLOW),
	[REFUSE] = RETURN(SECCOMP_RET_ERRNO | EPERM),
	[UNKNOWN] = RETURN(SECCOMP_RET_ERRNO | ENOSYS),
};

static unsigned
filter_end_of(uint16_t call)
{
	switch (call) {
	case SYS_clone:
		return CHECK_CLONE;
	case SYS_clone3:
		return UNKNOWN;
	case SYS_ioctl:
		return CHECK_IOCTL;
	default:
		return REFUSE;
	}
}

/*
 * A binary search for the call among n: at its start, the kernel tries a filter
 * with each call there is, which takes longer than all else if a filter has one
 * comparison behind the other.  Jumps of those that are found lead to an end,
 * counted from the first end.  Returns where the search ends.
 */
static unsigned
filter_put_search(struct sock_filter *f, unsigned at, const uint16_t *calls,
    unsigned n)
{
	const unsigned start = at, half = n / 2;

	if (n > LEAF) {
		at = filter_put_search(f, start + 1, calls, half);
		f[start] = (struct sock_filter)JUMP(JGE, calls[half],
		    at - (start + 1), 0);
		return filter_put_search(f, at, calls + half, n - half);
	}
	for (unsigned i = 0; i < n; i++)
		f[at++] = (struct sock_filter)JUMP(JEQ, calls[i],
		    filter_end_of(calls[i]), 0);
	f[at++] = ends[ALLOW];
	return at;
}

static void
filter_put_ends(struct sock_filter *f, unsigned at)
{
	for (unsigned i = HEAD; i < at; i++) {
		if (BPF_OP(f[i].code) == BPF_JEQ)
			f[i].jt = (uint8_t)(f[i].jt + at - (i + 1));
	}
	memcpy(f + at, ends, sizeof(ends));
}

static int
compare_calls(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

void
call_filter_enter(bool network)
{
	const unsigned n = network ? CALLS - NETWORK_CALLS : CALLS;
	struct sock_filter f[HEAD + 2 * CALLS + ENDS] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		JUMP(JEQ, THIS_ARCH, 0, 2),
		LOAD(offsetof(struct seccomp_data, nr)),
		JUMP(JGT, NEWEST_CALL, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog program = { .filter = f };
	uint16_t calls[CALLS];
	unsigned end;

	memcpy(calls, restricted, sizeof(calls));
	qsort(calls, n, sizeof(calls[0]), compare_calls);
	end = filter_put_search(f, HEAD, calls, n);
	filter_put_ends(f, end);
	program.len = (unsigned short)(end + ENDS);
	/* Without this flag, kernels before 5.16 slow the processor down. */
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}
#else
void
call_filter_enter(bool network)
{
	(void)network;
}
#endif
