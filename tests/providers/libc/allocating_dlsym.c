/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dlsym(3) that allocates, as in older C libraries.  Preloaded after a
 * provider, it is called by the provider to find the real malloc, and calls the
 * provider's malloc in turn.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* allocated early, freed when the real functions are known */
static char *kept;
static unsigned exits;		/* how often exit was looked up */

static void
say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

static void
check(bool good, const char *what)
{
	if (good)
		return;
	say("provider_dlsym: ");
	say(what);
	say("\n");
	abort();
}

static void
allocate(void)
{
	static const char zero[100];
	static volatile size_t huge = (size_t)-1;
	static void *volatile gone;
	char *p = calloc(4, 25), *q;

	check(p != NULL && memcmp(p, zero, 100) == 0, "calloc is not zeroed");
	check((size_t)p % 16 == 0, "calloc is not aligned");
	memset(p, 'a', 100);
	q = realloc(p, 3000);
	check(q != NULL && q[0] == 'a' && q[99] == 'a', "realloc lost bytes");
	free(q);
	q = malloc(1);
	check(q != NULL, "no memory");
	free(q);
	/* Without volatile the compiler may omit the call. */
	gone = calloc(huge, 16);
	check(gone == NULL, "calloc overflows");
	if (kept == NULL)
		kept = strcpy(malloc(8), "kept");
}

void *
dlsym(void *handle, const char *name)
{
	static const char *const versions[] = {
		"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"
	};
	static typeof(dlsym) *real;
	size_t i;

	for (i = 0; real == NULL && i < 3; i++)
		real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0 ||
	    strcmp(name, "read") == 0)
		allocate();
	exits += strcmp(name, "exit") == 0;
	return (real(handle, name));
}

/* The early block outlives the search: it can be grown and freed. */
static void __attribute__((destructor))
give_back(void)
{
	check(kept != NULL, "the provider does not use dlsym");
	kept = realloc(kept, 100000);
	check(kept != NULL && strcmp(kept, "kept") == 0, "realloc lost it");
	free(kept);
	/*
	 * A second search would slow each program down: there are 100
	 * functions.
	 */
	check(exits == 1, "the real functions are looked for twice");
}
