/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that records itself and ends, for tests/system/process_ends.sh:
 *
 *	process_ends_target HOW N FIRST COUNTER [PLUGIN]
 *
 * It fires N records, from number FIRST on, and more on some ways to end.  The
 * number of the last record that was certainly fired is in the file COUNTER,
 * which remains after any end.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

static volatile uint64_t *counter;	/* mapped from the file */
static uint64_t next;

static void
fire(void)
{
	const char *text = "some text of each record";
	uint64_t number = next++;

	TBUF_PROBE(ends, record, number, text);
	*counter = number;
}

static void
fire_all(unsigned long n)
{
	for (; n > 0; n--)
		fire();
}

static void
segfault(void)
{
	/* A sanitizer would report an access of NULL and exit. */
	volatile int *volatile nowhere = (volatile int *)8;

	*nowhere = 0;
}

/* Fires in each frame; the last fire may not return. */
static unsigned __attribute__((noinline))
overflow(unsigned depth)
{
	volatile char frame[512];

	memset((void *)(uintptr_t)frame, (int)depth, sizeof(frame));
	fire();
	if (next == UINT64_MAX)
		return (0);
	return (overflow(depth + 1) + (unsigned)frame[depth % sizeof(frame)]);
}

/* Uses up the address space; most programs abort then. */
static void
memory(void)
{
	struct rlimit limit = { 0 };
	/* Without volatile the compiler could omit the allocations. */
	void *volatile page;

	if (setrlimit(RLIMIT_AS, &limit) != 0)
		err(99, "setrlimit");
	while ((page = malloc(4096)) != NULL)
		fire();
	fire_all(10);
	abort();
}

static void
run_vfork(void)
{
	int status;
	pid_t pid;

	if ((pid = vfork()) == 0) {
		fire();
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		err(99, "vfork");
	fire_all(10);
	_exit(0);
}

/* Loads a plugin with probes that fire, and unloads it. */
static void
load(const char *plugin)
{
	void (*run)(uint64_t);
	void *handle = dlopen(plugin, RTLD_NOW);

	if (handle == NULL)
		errx(99, "%s", dlerror());
	*(void **)(void *)&run = dlsym(handle, "plugin_fire");
	run(next++);
	if (dlclose(handle) != 0)
		errx(99, "%s", dlerror());
	fire_all(10);
	_exit(0);
}

static void
end(const char *how, char **argv)
{
	char first[32];

	(void)snprintf(first, sizeof(first), "%ju", (uintmax_t)next);
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		(void)kill(getpid(), SIGKILL);
	if (strcmp(how, "segfault") == 0)
		segfault();
	if (strcmp(how, "overflow") == 0)
		_exit((int)overflow(0));
	if (strcmp(how, "memory") == 0)
		memory();
	if (strcmp(how, "vfork") == 0)
		run_vfork();
	if (strcmp(how, "dlopen") == 0)
		load(argv[5]);
	if (strcmp(how, "exec") == 0)
		(void)execl("/proc/self/exe", "process_ends_target", "_exit", argv[2],
		    first, argv[4], NULL);
	/* Waits for an order that comes when the disk is full. */
	if (strcmp(how, "wait") == 0) {
		(void)!write(STDOUT_FILENO, "\n", 1);
		(void)!read(STDIN_FILENO, first, 1);
		fire_all(strtoul(argv[2], NULL, 0));
		_exit(0);
	}
	err(99, "%s", how);
}

int
main(int argc, char **argv)
{
	int fd;

	if (argc < 5)
		errx(2, "usage: process_ends_target HOW N FIRST COUNTER [PLUGIN]");
	fd = open(argv[4], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd == -1 || ftruncate(fd, sizeof(*counter)) != 0 || (counter =
	    mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0)) == MAP_FAILED)
		err(99, "%s", argv[4]);
	close(fd);
	next = strtoull(argv[3], NULL, 0);
	fire_all(strtoul(argv[2], NULL, 0));
	end(argv[1], argv);
	return (0);
}
