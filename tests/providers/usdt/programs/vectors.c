/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with numbers in all vector registers that passes a USDT probe and
 * checks them afterwards: at first, many times, in another thread, in a child.
 * vectors [wait]: waits for a line before.
 */
#include <sys/wait.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <shop.h>

#define REGISTERS	16
#define BYTES		32
#define TIMES		100

#define EACH(f)		f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)		\
			f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define LOAD(i)		"vmovdqu " #i "*32(%0), %%ymm" #i "\n\t"
#define STORE(i)	"vmovdqu %%ymm" #i ", " #i "*32(%0)\n\t"

struct request {
	const char *path;
	int bytes;
};

static struct request request = { "/index", 7 };
static unsigned char put[REGISTERS][BYTES];
static int changed;

/* Only this function uses vector registers (-mgeneral-regs-only). */
static __attribute__((noinline)) void
come_by(int n, char *buyer, void *got)
{

	__asm__ volatile (EACH(LOAD) : : "r" (put) : "memory");
	SHOP_SALE(n, buyer, &request);
	/* Room for a jump. */
	__asm__ volatile (".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
	__asm__ volatile (EACH(STORE) "vzeroupper" : : "r" (got) : "memory");
}

static void
look(int n, char *buyer, const char *when)
{
	unsigned char got[REGISTERS][BYTES];
	int i;

	come_by(n, buyer, got);
	for (i = 0; i < REGISTERS; i++) {
		if (memcmp(got[i], put[i], BYTES) == 0)
			continue;
		fprintf(stderr, "%s: ymm%d has changed\n", when, i);
		changed = 1;
	}
}

static void *
another(void *arg)
{
	look(-1, "ann", "first of a thread");
	look(-2, "bob", "second of a thread");
	return (arg);
}

static int
child(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		look(-3, "cid", "first of a child");
		look(-4, "dan", "second of a child");
		_exit(changed);
	}
	waitpid(pid, &status, 0);
	return (status != 0);
}

int
main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	for (i = 0; i < REGISTERS * BYTES; i++)
		put[i / BYTES][i % BYTES] = (unsigned char)(i / BYTES * 16 + i + 1);
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		puts("waits");
		fflush(stdout);
		getchar();
	}
	look(0, "eve", "first");
	for (i = 1; i < TIMES; i++)
		look(i, "eve", "later");
	pthread_create(&thread, NULL, another, NULL);
	pthread_join(thread, NULL);
	changed |= child();
	return (changed);
}
