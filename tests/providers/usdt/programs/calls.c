/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that passes known numbers of USDT probes and does not use libtbuf:
 * calls KIND [ARGUMENT].
 */
#define _SDT_HAS_SEMAPHORES	1
#include <sys/sdt.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS		4
#define SALES		5000
#define LOADS		400	/* more than have room for stubs */
#define WORK		10

#define SEMAPHORE	__attribute__((section(".probes"), used))

unsigned short shop_sale_semaphore SEMAPHORE;
unsigned short shop_asked_semaphore SEMAPHORE;
unsigned short shop_leaf_semaphore SEMAPHORE;
unsigned short args_ints_semaphore SEMAPHORE;
unsigned short args_places_semaphore SEMAPHORE;
unsigned short args_texts_semaphore SEMAPHORE;
unsigned short args_many_semaphore SEMAPHORE;

struct pair {
	int number;
	short narrow;
	const char *text;
};

static int counter = 41;
static long table[8];

/*
 * People, though not compilers, write notes with a symbol's page in a register.
 */
static long hidden[2] __attribute__((used)) = { 0, -43 };

static void
symbol(void)
{

	__asm__ __volatile__ (
	    "adrp x9, hidden\n"
	    "990:	nop\n\t"
	    ".pushsection .note.stapsdt,\"\",\"note\"\n\t"
	    ".balign 4\n\t"
	    ".4byte 8, 992f-991f, 3\n\t"
	    ".asciz \"stapsdt\"\n"
	    "991:	.8byte 990b, _.stapsdt.base, 0\n\t"
	    ".asciz \"args\"\n\t"
	    ".asciz \"symbol\"\n\t"
	    ".asciz \"-8@[x9, #:lo12:hidden+8]\"\n"
	    "992:	.balign 4\n\t"
	    ".popsection" : : : "x9");
}

/*
 * Fires arguments of all widths, in places that compilers choose, and strings.
 */
static void __attribute__((noinline))
arguments(struct pair *pair, int n, signed char c, unsigned short s, double d,
    const char *text)
{
	/* volatile: a compiler may not know that a note reads them. */
	volatile char array[] = "array";
	volatile long local = -n;

	counter++;
	table[3] = 1 << 20;
	symbol();
	STAP_PROBE4(args, ints, c, s, -n, (unsigned long)n << 32);
	STAP_PROBE5(args, places, counter, table[3], pair->narrow, local,
	    pair->number);
	STAP_PROBE4(args, texts, text, array, pair->text, d);
	STAP_PROBE10(args, many, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

static void *
sell(void *arg)
{
	double total = 0.5;
	int i;

	for (i = 0; i < SALES; i++) {
		STAP_PROBE2(shop, sale, i, "ann");
		total += i;
	}
	if (total != 0.5 + (SALES - 1) / 2.0 * SALES)
		abort();
	return (arg);
}

static void
threads(void)
{
	pthread_t all[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&all[i], NULL, sell, NULL) != 0)
			abort();
	for (i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static int
forks(void)
{
	int status = 0;

	fflush(stdout);
	if (fork() == 0)
		_exit(sell(NULL) != NULL);
	wait(&status);
	return (status);
}

static void
ask(void)
{

	puts(shop_asked_semaphore != 0 ? "asked" : "not asked");
	if (shop_asked_semaphore != 0)
		STAP_PROBE(shop, asked);
}

/* This function saves no return address; its caller is still recorded. */
void	leaf(int n);

void __attribute__((noinline))
leaf(int n)
{

	STAP_PROBE1(shop, leaf, n);
}

void	caller(int n);

void __attribute__((noinline))
caller(int n)
{

	leaf(n);
	__asm__ __volatile__("" ::: "memory");
}

static void *
wait_for_end(void *mutex)
{

	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return (NULL);
}

/* Loads a module while another thread runs. */
static int
load(const char *path)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	void *module;
	int i;
	union {
		void *address;
		void (*call)(int);
	} work;

	pthread_mutex_lock(&mutex);
	if (pthread_create(&thread, NULL, wait_for_end, &mutex) != 0)
		abort();
	for (i = 0; i < LOADS; i++) {
		if ((module = dlopen(path, RTLD_NOW)) == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return (1);
		}
		work.address = dlsym(module, "module_work");
		work.call(WORK);
		dlclose(module);
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	return (0);
}

int
main(int argc, char **argv)
{
	struct pair pair = { 7, -3, "heap" };
	const char *kind = argc > 1 ? argv[1] : "";

	if (strcmp(kind, "arguments") == 0)
		arguments(&pair, 5, -2, 65535, 1.5, NULL);
	else if (strcmp(kind, "threads") == 0)
		threads();
	else if (strcmp(kind, "forks") == 0)
		return (forks());
	else if (strcmp(kind, "ask") == 0)
		ask();
	else if (strcmp(kind, "leaf") == 0)
		caller(1);
	else if (strcmp(kind, "load") == 0)
		return (load(argv[2]));
	else
		return (2);
	return (0);
}
