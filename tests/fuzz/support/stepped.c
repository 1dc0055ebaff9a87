/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The executing process is a traced child.  Its pages are shared with this
 * process, so that they are filled and compared without the kernel; all its
 * other memory is unmapped, so that any other access faults.  It may make no
 * system call.
 */
#include "stepped.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"

#define STEPS_MAX	8u	/* for the copy of one instruction */
#define LAST		UINT64_C(0x7ffffffff000)
#define FLAGS		0x202u	/* those that are always set */
#define FLAGS_ANY	0xcd5u	/* arithmetic flags, and direction */

/* Sorted by address; `page` counts text first, then data of struct stepped. */
enum { TEXTS = 4, PAGES = 8 };
static const struct {
	uint64_t at;
	unsigned page;
} pages[PAGES] = {
	{ STEPPED_TEXT - STEPPED_GIB, 1 },
	{ STEPPED_TEXT - STEPPED_PAGE, 6 },
	{ STEPPED_TEXT, 0 },
	{ STEPPED_TEXT + STEPPED_PAGE, 4 },
	{ STEPPED_TEXT + 2 * STEPPED_PAGE, 5 },
	{ STEPPED_TEXT + (64 << 20), 7 },
	{ STEPPED_TEXT + STEPPED_GIB, 2 },
	{ STEPPED_TEXT + 3 * STEPPED_GIB, 3 }
};
#define STACK	(STEPPED_TEXT + (64 << 20) + STEPPED_PAGE / 2)

static uint8_t (*shared)[STEPPED_PAGE];
static uint8_t image[PAGES - TEXTS][STEPPED_PAGE];
static struct user_regs_struct first;
static uint8_t vectors[16384];
static size_t nvectors_bytes;
static pid_t child;

/* Returns the next random number (splitmix64). */
static uint64_t
next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31);
}

/* Returns a word as in programs: an address of data, or a small number. */
static uint64_t
word(uint64_t *seed)
{
	uint64_t z = next(seed);

	switch (z % 4) {
	case 0:
		return (z >> 8);
	case 1:
		return (z >> 8 & 3);
	default:
		return (STEPPED_TEXT + STEPPED_PAGE + (z >> 8) %
		    (2 * STEPPED_PAGE - 512) / 64 * 64);
	}
}

/* --------------------------------------------------------------- the child */

/* Permits munmap() only, which the parent makes the child call. */
static int
forbid(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	};
	const struct sock_fprog filter = {
		.len = sizeof(program) / sizeof(program[0]),
		.filter = program
	};

	return (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : -1);
}

/* Unregisters rseq: the kernel writes to its memory, which is unmapped. */
static void
leave_rseq(void)
{
	if (__rseq_size != 0)
		(void)syscall(SYS_rseq, (char *)__builtin_thread_pointer() +
		    __rseq_offset, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

static _Noreturn void
be_child(int file)
{
	unsigned i;

	for (i = 0; i < PAGES; i++)
		if (mmap((void *)pages[i].at, STEPPED_PAGE, PROT_READ |
		    (pages[i].page < TEXTS ? PROT_EXEC : PROT_WRITE),
		    MAP_SHARED | MAP_FIXED_NOREPLACE, file,
		    (off_t)(pages[i].page * STEPPED_PAGE)) !=
		    (void *)pages[i].at)
			_exit(1);
	leave_rseq();
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0 || forbid() != 0)
		_exit(2);
	__asm__ volatile ("int3");
	_exit(3);
}

/* -------------------------------------------------------------- the parent */

static bool
wait_for(int *status)
{
	while (waitpid(child, status, 0) != child)
		if (errno != EINTR)
			return (false);
	return (WIFSTOPPED(*status));
}

static void
set(struct user_regs_struct *r)
{
	struct iovec v = { vectors, nvectors_bytes };

	FUZZ_CHECK(ptrace(PTRACE_SETREGS, child, 0, r) == 0);
	FUZZ_CHECK(ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &v) == 0);
}

/* Calls munmap(start, end - start) in the child, on the first text page. */
static void
unmap(uint64_t start, uint64_t end)
{
	struct user_regs_struct r = first;
	int status;

	if (start == end)
		return;
	memcpy(stepped_text(STEPPED_TEXT), "\x0f\x05\xcc", 3);
	r.orig_rax = (uint64_t)-1;
	r.rip = STEPPED_TEXT;
	r.rax = SYS_munmap;
	r.rdi = start;
	r.rsi = end - start;
	set(&r);
	FUZZ_CHECK(ptrace(PTRACE_CONT, child, 0, 0) == 0);
	FUZZ_CHECK(wait_for(&status) && WSTOPSIG(status) == SIGTRAP);
	FUZZ_CHECK(ptrace(PTRACE_GETREGS, child, 0, &r) == 0 && r.rax == 0);
}

static void
read_first(void)
{
	struct iovec v = { vectors, sizeof(vectors) };

	FUZZ_CHECK(ptrace(PTRACE_GETREGS, child, 0, &first) == 0);
	FUZZ_CHECK(ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &v) == 0);
	nvectors_bytes = v.iov_len;
}

/* Fills memory, the 16 low halves of vectors, and high ones if present. */
static void
fill(void)
{
	uint64_t seed = 1, *words = (uint64_t *)(void *)image;
	size_t i;

	for (i = 0; i < sizeof(image) / sizeof(*words); i++)
		words[i] = word(&seed);
	for (i = 160; i < 160 + 256; i++)
		vectors[i] = (uint8_t)next(&seed);
	vectors[512] |= 3;
}

static void
forget(void)
{
	uint64_t at = STEPPED_PAGE;
	unsigned i;

	for (i = 0; i < PAGES; i++) {
		unmap(at, pages[i].at);
		at = pages[i].at + STEPPED_PAGE;
	}
	unmap(at, LAST);
}

/* Pins the child, so that results that depend on the CPU do not change. */
static void
stay(void)
{
	cpu_set_t here;
	int cpu = sched_getcpu();

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	(void)sched_setaffinity(child, sizeof(here), &here);
}

bool
stepped_begin(void)
{
	int file = memfd_create("stepped", MFD_CLOEXEC), status;

	FUZZ_CHECK(file != -1 && ftruncate(file, sizeof(shared[0]) * PAGES) ==
	    0);
	shared = mmap(NULL, sizeof(shared[0]) * PAGES, PROT_READ | PROT_WRITE,
	    MAP_SHARED, file, 0);
	FUZZ_CHECK(shared != MAP_FAILED && (child = fork()) != -1);
	if (child == 0)
		be_child(file);
	close(file);
	if (!wait_for(&status)) {
		FUZZ_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
		return (false);
	}
	FUZZ_CHECK(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL) ==
	    0);
	stay();
	read_first();
	forget();
	fill();
	return (true);
}

uint8_t *
stepped_text(uint64_t address)
{
	unsigned i;

	for (i = 0; i < PAGES; i++)
		if (address - pages[i].at < STEPPED_PAGE)
			break;
	FUZZ_CHECK(i < PAGES && pages[i].page < TEXTS);
	return (shared[pages[i].page] + (address - pages[i].at));
}

/* Returns a count by the seed's highest bits: 0, 1, or `some`. */
static uint64_t
counter(uint64_t seed, uint64_t some)
{
	return (seed >> 62 < 2 ? seed >> 62 : some);
}

static void
start(uint64_t at, uint64_t seed)
{
	struct user_regs_struct r = first;
	unsigned long long *general[] = {
		&r.rax, &r.rcx, &r.rdx, &r.rbx, &r.rbp, &r.rsi, &r.rdi, &r.r8,
		&r.r9, &r.r10, &r.r11, &r.r12, &r.r13, &r.r14, &r.r15
	};
	uint64_t top;
	unsigned i;

	r.orig_rax = (uint64_t)-1;
	r.rip = at;
	r.rsp = STACK;
	r.eflags = FLAGS | (seed & FLAGS_ANY);
	top = seed;
	for (i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		*general[i] = word(&seed);
	r.rcx = counter(top, r.rcx);
	memcpy(shared[TEXTS], image, sizeof(image));
	set(&r);
}

static void
finish(struct stepped *s)
{
	struct iovec v = { s->vectors, sizeof(s->vectors) };
	siginfo_t info;

	FUZZ_CHECK(ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &v) == 0);
	FUZZ_CHECK(ptrace(PTRACE_GETSIGINFO, child, 0, &info) == 0);
	s->nvectors_bytes = v.iov_len;
	s->signal = info.si_signo;
	s->code = info.si_code;
	s->fault = info.si_signo == SIGTRAP ? 0 : (uint64_t)info.si_addr;
	memcpy(s->memory, shared[TEXTS], sizeof(s->memory));
}

void
stepped_run(uint64_t at, size_t size, uint64_t seed, struct stepped *s)
{
	unsigned steps = 0;
	int status;

	start(at, seed);
	do {
		FUZZ_CHECK(steps++ < STEPS_MAX);
		FUZZ_CHECK(ptrace(PTRACE_SINGLESTEP, child, 0, 0) == 0);
		FUZZ_CHECK(wait_for(&status));
		FUZZ_CHECK(ptrace(PTRACE_GETREGS, child, 0, &s->registers) ==
		    0);
	} while (WSTOPSIG(status) == SIGTRAP &&
	    s->registers.rip - at - 1 < size - 1);
	finish(s);
}
