/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies of instructions have the effects of their originals.  The functions of
 * a file are armed in memory.  Then two traced processes, of which one has the
 * original code, execute each changed line from the same registers, flags and
 * memory, to where the code goes on: they must have the same results.
 *
 *	copies [FILE ...]	all lines of these; without any, some of others
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "patch/decoder.h"
#include "patch/region_stub.h"
#include "pid/image.h"
#include "pid/plan.h"

#define LINES		400u	/* of each file, if not all */
#define STEPS_MAX	4000u
#define TRACED		0x10100u	/* flags of single steps: TF, RF */
#define ARITHMETIC	0x8d5u
#define FLAGS		0x202u
#define BELOW		2048u	/* bytes that a call of a stub may write */
/* The address of the last x87 instruction, and which registers are not 0. */
#define X87_IP		8u
#define IN_USE		512u
#define STACKS_MAX	64u

/* Memory that both processes have, and this one. */
#define DATA		((uintptr_t)0x200092340000)
#define DATA_SIZE	(4u * PATCH_PAGE)
#define STACK		(DATA + (64u << 20))
#define STACK_SIZE	(8u * PATCH_PAGE)
#define STACK_AT	(STACK + 6u * PATCH_PAGE)
#define RANGES_MAX	2048u

struct range {
	uintptr_t start, end;
};

struct process {
	pid_t pid;
	struct user_regs_struct registers;
	uint8_t vectors[16384];
	struct iovec view;
	int signal;
	uintptr_t fault;
	unsigned steps;
};

/* Memory that lines write to, as it is before each. */
struct area {
	uint8_t *at;
	size_t size;
	uint8_t *before, *after;
};

static struct pid_functions functions;
static struct pid_image image;
static struct pid_plan plan;
static uint8_t *original;		/* the text as it is in the file */
static bool *dead;			/* by byte: nothing tests flags there */
static struct range stubs[RANGES_MAX], known[RANGES_MAX];
static unsigned nstubs, nknown;
static struct area areas[8];
static unsigned nareas;
static struct process plain, armed;
/* Stack pointers in a line, in turn, and words that a stub may write there. */
static struct stack {
	uintptr_t sp;
	uint64_t rcx;
	size_t zone;		/* bytes below that are left alone */
} stacks[STACKS_MAX];
static unsigned nstacks;
static struct user_regs_struct first;
static uint8_t first_vectors[16384];
static size_t vectors_bytes;
static struct shared {
	uint32_t enabled;
	uint32_t hits;
} *shared;

/* ------------------------------------------------------------ the object */

static __attribute__((target("general-regs-only"))) void
hit(struct patch_probe *probe, const struct patch_registers *r)
{
	(void)probe;
	(void)r;
	shared->hits++;
}

/* Adds the executable mappings of this process to a list, but not the text. */
static unsigned
find_ranges(struct range *ranges)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t start, end;
	char line[512], mode[5];
	unsigned n = 0;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &start, &end,
		    mode) == 3 && mode[2] == 'x' && n < RANGES_MAX &&
		    (end <= functions.text.start ||
		    start >= functions.text.end))
			ranges[n++] = (struct range){ start, end };
	if (maps != NULL)
		fclose(maps);
	return (n);
}

static bool
within(const struct range *ranges, unsigned n, uintptr_t at)
{
	while (n-- > 0)
		if (at >= ranges[n].start && at < ranges[n].end)
			return (true);
	return (false);
}

static void
add_area(uintptr_t at, size_t size)
{
	struct area *a = &areas[nareas++];

	a->at = (uint8_t *)at;
	a->size = size;
	a->before = malloc(size);
	a->after = malloc(size);
	if (nareas > sizeof(areas) / sizeof(areas[0]) || a->before == NULL ||
	    a->after == NULL)
		errx(1, "too much memory");
	memcpy(a->before, a->at, size);
}

static void
share(uintptr_t start, size_t size)
{
	if (mmap((void *)start, size, PROT_READ | PROT_WRITE, MAP_SHARED |
	    MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		err(1, "mmap");
}

/* Makes writable segments common, and the text executable. */
static void
prepare_image(void)
{
	const uintptr_t page = PATCH_PAGE - 1;
	const ElfW(Phdr) *p = image.parts;
	uintptr_t start, end;
	uint8_t *copy;
	unsigned i;

	for (i = 0; i < image.memory.info.dlpi_phnum; i++, p++) {
		start = (image.memory.info.dlpi_addr + p->p_vaddr) & ~page;
		end = (image.memory.info.dlpi_addr + p->p_vaddr + p->p_memsz +
		    page) & ~page;
		if (p->p_type != PT_LOAD || (p->p_flags & PF_W) == 0)
			continue;
		if ((copy = malloc(end - start)) == NULL)
			err(1, "malloc");
		memcpy(copy, (void *)start, end - start);
		share(start, end - start);
		memcpy((void *)start, copy, end - start);
		free(copy);
		add_area(start, end - start);
	}
	start = functions.text.start & ~page;
	end = (functions.text.end + page) & ~page;
	if (mprotect((void *)start, end - start, PROT_READ | PROT_EXEC) != 0)
		err(1, "mprotect");
	original = calloc(functions.text.end - functions.text.start + 15, 1);
	if (original == NULL)
		err(1, "malloc");
	memcpy(original, (void *)functions.text.start, functions.text.end -
	    functions.text.start);
}

static void
fill_data(void)
{
	uint64_t seed = 1, *words = (uint64_t *)DATA;
	size_t i;

	share(DATA, DATA_SIZE);
	share(STACK, STACK_SIZE);
	for (i = 0; i < (DATA_SIZE + STACK_SIZE) / sizeof(*words); i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695041;
		if (i == DATA_SIZE / sizeof(*words))
			words = (uint64_t *)STACK - i;
		words[i] = seed >> 62 == 0 ? seed : seed >> 62 == 1 ?
		    seed >> 56 & 7 : DATA + (seed >> 40) % DATA_SIZE / 64 * 64;
	}
	add_area(DATA, DATA_SIZE);
	add_area(STACK, STACK_SIZE);
	shared = mmap(NULL, PATCH_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED |
	    MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
}

/* Returns true if there is such a file, and its functions are planned. */
static bool
read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *problem;
	size_t i;

	if (fd == -1)
		return (false);
	if ((problem = pid_image_read(&image, fd)) != NULL ||
	    (problem = pid_functions_find(&functions, &image.memory, fd,
	    NULL, NULL)) != NULL ||
	    (problem = pid_plan_begin(&plan, &functions)) != NULL)
		errx(1, "%s: %s", path, problem);
	for (i = 0; i < functions.map.ncodes; i++)
		if (functions.map.codes[i].owner == i)
			pid_plan_add(&plan, i, true, true);
	if ((problem = pid_plan_make(&plan)) != NULL)
		errx(1, "%s: %s", path, problem);
	close(fd);
	return (true);
}

static void
arm(void)
{
	struct patch_probe *probes = calloc(plan.npoints, sizeof(*probes));
	const char *problem;
	struct patch patch;
	unsigned i, all;
	size_t j;

	dead = calloc(functions.text.end - functions.text.start, 1);
	if (probes == NULL || dead == NULL)
		err(1, "calloc");
	for (j = 0; j < plan.npoints; j++) {
		if (!region_needs_flags(&functions.map, &plan.points[j]))
			dead[plan.points[j].at - functions.text.start] = true;
		probes[j].enabled = &shared->enabled;
		probes[j].hit = hit;
		plan.points[j].probe = &probes[j];
	}
	nknown = find_ranges(known);
	if ((problem = patch_begin(&patch)) != NULL)
		errx(1, "%s", problem);
	patch_regions_arm(&patch, &functions.map, &plan.regions, plan.points,
	    plan.npoints);
	patch_end(&patch);
	all = find_ranges(stubs);
	for (i = 0; i < all; i++)
		if (!within(known, nknown, stubs[i].start))
			stubs[nstubs++] = stubs[i];
}

/* ------------------------------------------------------------ processes */

/* No line may make a system call. */
static void
forbid(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	};
	const struct sock_fprog filter = { .len = 1, .filter = program };

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void
start_process(struct process *p)
{
	int status;

	if ((p->pid = fork()) == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(77);
		forbid();
		__asm__ volatile("int3");
		_exit(1);
	}
	if (p->pid == -1 || waitpid(p->pid, &status, 0) != p->pid)
		err(1, "fork");
	if (WIFEXITED(status))
		exit(77);
	p->view = (struct iovec){ p->vectors, sizeof(p->vectors) };
	if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, p->pid, 0,
	    PTRACE_O_EXITKILL) != 0 || ptrace(PTRACE_GETREGS, p->pid, 0,
	    &first) != 0 || ptrace(PTRACE_GETREGSET, p->pid, NT_X86_XSTATE,
	    &p->view) != 0)
		err(1, "ptrace");
	vectors_bytes = p->view.iov_len;
	memcpy(first_vectors, p->vectors, vectors_bytes);
}

static void
end_process(const struct process *p)
{
	(void)kill(p->pid, SIGKILL);
	(void)waitpid(p->pid, NULL, 0);
}

static uint64_t
word(uint64_t *seed)
{
	uint64_t z = *seed = *seed * UINT64_C(6364136223846793005) + 1442695041;

	switch (z >> 62) {
	case 0:
		return (z << 1);
	case 1:
		return (z >> 40 & 3);
	default:
		return (DATA + (z >> 20) % (DATA_SIZE - 512) / 64 * 64);
	}
}

/* Prepares a process for the line at an address. */
static void
prepare(struct process *p, uintptr_t at, uint64_t seed)
{
	struct user_regs_struct r = first;
	unsigned long long *general[] = {
		&r.rax, &r.rcx, &r.rdx, &r.rbx, &r.rsi, &r.rdi, &r.r8, &r.r9,
		&r.r10, &r.r11, &r.r12, &r.r13, &r.r14, &r.r15
	};
	struct iovec view = { first_vectors, vectors_bytes };
	unsigned i;

	for (i = 0; i < nareas; i++)
		memcpy(areas[i].at, areas[i].before, areas[i].size);
	r.orig_rax = (uint64_t)-1;
	r.eflags = FLAGS | (word(&seed) >> 20 & ARITHMETIC);
	for (i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		*general[i] = word(&seed);
	r.rip = at;
	r.rsp = STACK_AT;
	r.rbp = STACK_AT + (word(&seed) >> 8 & 0xff8);
	r.fs_base = DATA + DATA_SIZE - 1024;
	p->signal = SIGTRAP;
	p->fault = 0;
	p->steps = 0;
	p->registers = r;
	if (ptrace(PTRACE_SETREGS, p->pid, 0, &r) != 0 ||
	    ptrace(PTRACE_SETREGSET, p->pid, NT_X86_XSTATE, &view) != 0)
		err(1, "ptrace");
}

/*
 * True if the result of an instruction depends on time or CPU, or if it calls
 * the kernel.
 */
static bool
varies(uintptr_t at, const uint8_t *bytes)
{
	ZydisDecodedInstruction in;

	if ((!patch_map_has(&functions.map, at) &&
	    !within(stubs, nstubs, at)) || !patch_decode_full(bytes, 15, &in))
		return (false);
	switch (in.meta.category) {
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
		return (true);
	default:
		return (in.mnemonic == ZYDIS_MNEMONIC_CPUID ||
		    in.mnemonic == ZYDIS_MNEMONIC_INT ||
		    in.mnemonic == ZYDIS_MNEMONIC_RDPID);
	}
}

/* Executes an instruction, unless its result varies: that is the last step. */
static void
step(struct process *p)
{
	uintptr_t at = p->registers.rip;
	int status;

	if (varies(at, p == &plain && patch_map_has(&functions.map, at) ?
	    &original[at - functions.text.start] : (const uint8_t *)at)) {
		p->steps = STEPS_MAX;
		return;
	}
	p->steps++;
	if (ptrace(PTRACE_SINGLESTEP, p->pid, 0, 0) != 0 ||
	    waitpid(p->pid, &status, 0) != p->pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGS, p->pid, 0, &p->registers) != 0)
		errx(1, "a process ended at %#llx", p->registers.rip);
	p->signal = WSTOPSIG(status);
}

static void
finish(struct process *p)
{
	siginfo_t info;

	p->view.iov_len = sizeof(p->vectors);
	if (ptrace(PTRACE_GETREGSET, p->pid, NT_X86_XSTATE, &p->view) != 0 ||
	    ptrace(PTRACE_GETSIGINFO, p->pid, 0, &info) != 0)
		err(1, "ptrace");
	memset(p->vectors + X87_IP, 0, 8);
	memset(p->vectors + IN_USE, 0, 8);
	p->registers.eflags &= ~TRACED;
	if (p->signal != SIGTRAP)
		p->fault = (uintptr_t)info.si_addr;
	/* The copy of an instruction has another address. */
	if (p->fault == p->registers.rip)
		p->fault = 1;
	if (p->signal != SIGTRAP)
		p->registers.rip = 0;
}

/* ------------------------------------------------------------ lines */

static uint8_t
original_at(uintptr_t at)
{
	return (original[at - functions.text.start]);
}

/* Returns the destination of a jump or a call that has been written, or 0. */
static uintptr_t
written_at(uintptr_t at)
{
	const uint8_t *p = (const uint8_t *)at;
	int32_t distance;

	if (!patch_map_has(&functions.map, at + 4) ||
	    memcmp(p, &original[at - functions.text.start], PATCH_JUMP) == 0)
		return (0);
	if (*p == 0xeb)
		return (at + 2 + (uintptr_t)(intptr_t)(int8_t)p[1]);
	if ((*p & 0xfe) != 0xe8)
		return (0);
	memcpy(&distance, p + 1, sizeof(distance));
	return (at + 5 + (uintptr_t)(intptr_t)distance);
}

static bool
leads_to_stub(uintptr_t at)
{
	uintptr_t to = written_at(at);

	if (*(const uint8_t *)at == 0xeb && patch_map_has(&functions.map, to))
		to = written_at(to);
	return (within(stubs, nstubs, to));
}

/* Returns the first point that is not before an address. */
static const struct patch_point *
point_from(uintptr_t at)
{
	size_t low = 0, high = plan.npoints, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (plan.points[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return (plan.points + low);
}

/* Returns true if an armed entry is at an address. */
static bool
is_entry(uintptr_t at)
{
	const struct patch_point *point = point_from(at);

	return (point < plan.points + plan.npoints && point->at == at &&
	    point->is_entry && point->problem == NULL);
}

/* True where the armed process has not come back to code of the object. */
static bool
is_away(uintptr_t at)
{
	return (within(stubs, nstubs, at) || within(known, nknown, at) ||
	    (patch_map_has(&functions.map, at) &&
	    (*(const uint8_t *)at != original_at(at) || leads_to_stub(at))));
}

static void
add_stack(size_t zone)
{
	if (nstacks < STACKS_MAX)
		stacks[nstacks++] = (struct stack){
			.sp = plain.registers.rsp, .rcx = plain.registers.rcx,
			.zone = zone
		};
}

/* Adds the stacks of the stubs of a place; any other place has a red zone. */
static void
add_stacks(uintptr_t at)
{
	const struct patch_point *point = point_from(at);

	add_stack(RED_ZONE);
	for (; point < plan.points + plan.npoints && point->at == at; point++)
		if (point->problem == NULL &&
		    region_zone(&functions.map, point) == 0)
			add_stack(0);
}

static void
forget(struct area *a, uintptr_t low, uintptr_t high)
{
	uintptr_t at = (uintptr_t)a->at;

	if (high <= at || low >= at + a->size)
		return;
	low = low < at ? at : low;
	high = high > at + a->size ? at + a->size : high;
	memset(a->at + (low - at), 0, high - low);
	memset(a->after + (low - at), 0, high - low);
}

/*
 * Stubs may write below the program's stack, where all bytes are dead.  A check
 * leaves rcx next to a stack without a red zone; other bytes there may be the
 * program's, by a later instruction.
 */
static void
forget_below(struct area *a, const struct stack *s)
{
	const uint8_t *rcx = (const uint8_t *)&s->rcx;
	uintptr_t at = s->sp - 8 - (uintptr_t)a->at, i;

	if (shared->enabled)
		forget(a, s->sp - s->zone - BELOW, s->sp - s->zone);
	else if (s->zone != 0)
		forget(a, s->sp - s->zone - 8, s->sp - s->zone);
	else
		for (i = 0; i < 8; i++)
			if (at + i < a->size && a->after[at + i] == rcx[i])
				forget(a, s->sp - 8 + i, s->sp - 7 + i);
}

static bool
same_memory(void)
{
	unsigned i, j;

	for (i = 0; i < nareas; i++) {
		for (j = 0; j < nstacks; j++)
			forget_below(&areas[i], &stacks[j]);
		if (memcmp(areas[i].at, areas[i].after, areas[i].size) != 0)
			return (false);
	}
	return (true);
}

static const char *
compare(bool flags_are_dead)
{
	const unsigned long long mask = flags_are_dead ? ~0ull ^ ARITHMETIC :
	    ~0ull;
	struct user_regs_struct one = plain.registers, other =
	    armed.registers;

	one.eflags &= mask;
	other.eflags &= mask;
	if (plain.signal != armed.signal || plain.fault != armed.fault)
		return ("fault");
	if (memcmp(&one, &other, sizeof(one)) != 0)
		return ("registers");
	if (memcmp(plain.vectors, armed.vectors, vectors_bytes) != 0)
		return ("vector registers");
	return (same_memory() ? NULL : "memory");
}

/*
 * Executes a line by both processes.  Returns false if nothing can be said, as
 * it takes too long, or its stack is elsewhere.
 */
static bool
execute(uintptr_t at, uint64_t seed)
{
	const char *problem;
	bool is_dead = false;
	uintptr_t to;
	unsigned i;

	shared->hits = nstacks = 0;
	prepare(&armed, at, seed);
	do
		step(&armed);
	while (armed.signal == SIGTRAP && armed.steps < STEPS_MAX &&
	    is_away(armed.registers.rip));
	to = armed.registers.rip;
	finish(&armed);
	for (i = 0; i < nareas; i++)
		memcpy(areas[i].after, areas[i].at, areas[i].size);
	prepare(&plain, at, seed);
	do {
		add_stacks(plain.registers.rip);
		if (patch_map_has(&functions.map, plain.registers.rip))
			is_dead |= dead[plain.registers.rip -
			    functions.text.start];
		step(&plain);
	} while (plain.signal == SIGTRAP && plain.steps < STEPS_MAX &&
	    plain.registers.rip != to);
	add_stacks(plain.registers.rip);
	finish(&plain);
	if ((plain.steps >= STEPS_MAX && armed.steps >= STEPS_MAX) ||
	    plain.registers.rsp - STACK > STACK_SIZE)
		return (false);
	problem = compare(is_dead);
	if (problem == NULL && !shared->enabled && shared->hits != 0)
		problem = "it was not enabled";
	if (problem == NULL && shared->enabled && is_entry(at) &&
	    shared->hits == 0)
		problem = "it was not counted";
	if (problem != NULL)
		errx(1, "line +%#" PRIxPTR ", seed %" PRIu64
		    ", enabled %u: %s differ", at -
		    image.memory.info.dlpi_addr, seed, shared->enabled,
		    problem);
	return (true);
}

/* ------------------------------------------------------------ all lines */

static void
execute_all(const char *path, bool all)
{
	size_t stride = all || plan.npoints < LINES ? 1 : plan.npoints /
	    LINES, begun = 0, lines = 0, runs = 0;
	const struct patch_region *r = plan.regions.all;
	uint64_t seed;
	uintptr_t at;

	for (; r < plan.regions.all + plan.regions.n; r++) {
		at = r->start;
		if (!r->needed || r->problem != NULL || !leads_to_stub(at) ||
		    begun++ % stride != 0)
			continue;
		lines++;
		for (seed = begun; seed < begun + 2; seed++) {
			shared->enabled = 0;
			runs += execute(at, seed);
			shared->enabled = 1;
			runs += execute(at, seed);
		}
	}
	printf("%s: %zu lines, %zu runs\n", path, lines, runs);
	if (lines == 0 || runs < 2 * lines)
		errx(1, "%s: most lines were not compared", path);
}

/* Each file has a process, as its patches stay. */
static void
look_at(const char *path, bool all)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!read_file(path))
			exit(0);
		prepare_image();
		fill_data();
		start_process(&plain);
		arm();
		start_process(&armed);
		execute_all(path, all);
		end_process(&plain);
		end_process(&armed);
		exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		err(1, "fork");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Processes on one CPU change over faster, and have the same results. */
static void
stay(void)
{
	int cpu = sched_getcpu();
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &here);
	(void)sched_setaffinity(0, sizeof(here), &here);
}

int
main(int argc, char **argv)
{
	int i;

	if (getenv("SANITIZER") != NULL && *getenv("SANITIZER") != '\0')
		return (77);
	stay();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 1; i < argc; i++)
		look_at(argv[i], true);
	if (argc == 1) {
		look_at("/bin/bash", false);
		look_at("/lib/x86_64-linux-gnu/libc.so.6", false);
	}
	return (0);
}
