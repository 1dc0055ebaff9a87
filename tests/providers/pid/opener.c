/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads the modules that dlopen.sh compiles, in several ways.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORK	100

static void *
load(const char *name, int flags)
{
	void *module = dlopen(name, RTLD_NOW | flags);

	if (module == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return (module);
}

static __attribute__((noinline)) void *
work(const char *name)
{
	void *module = load(name, 0);
	int (*function)(int);

	*(void **)&function = dlsym(module, "module_work");
	(void)function(WORK);
	return (module);
}

/* Returns the number of mappings that stubs are in. */
static unsigned
mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned n = 0;

	while (fgets(line, sizeof(line), f) != NULL)
		n += strstr(line, "tbuf-stubs") != NULL ||
		    strstr(line, "libtbuf-pid") != NULL;
	fclose(f);
	return (n);
}

static void
load_often(const char *name, int times)
{
	unsigned first = 0;
	int i;

	for (i = 0; i < times; i++) {
		dlclose(work(name));
		if (i == 1)
			first = mappings();
	}
	if (times > 1)
		printf("%s\n", mappings() == first ? "no more" : "more");
}

/* Loads a module again, where it was not before. */
static void
load_elsewhere(void)
{
	struct link_map *map = work("./one.so");
	uintptr_t at = map->l_addr;
	long page = sysconf(_SC_PAGESIZE);

	dlclose(map);
	if (mmap((void *)at, (size_t)page, PROT_NONE, MAP_PRIVATE |
	    MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)at)
		exit(1);
	map = work("./one.so");
	printf("%s\n", map->l_addr == at ? "the same" : "elsewhere");
}

static void
load_loaded(void)
{
	if (dlopen("./one.so", RTLD_NOW | RTLD_NOLOAD) != NULL)
		exit(1);
	(void)load("./one.so", 0);
	(void)load("./one.so", RTLD_NOLOAD);
	(void)work("./one.so");
}

static pthread_barrier_t barrier;

static void *
load_at_once(void *name)
{
	int i;

	for (i = 0; i < 20; i++) {
		pthread_barrier_wait(&barrier);
		dlclose(work(name));
	}
	return (NULL);
}

static void
load_by_threads(void)
{
	pthread_t one, two;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&one, NULL, load_at_once, "./one.so");
	pthread_create(&two, NULL, load_at_once, "./two.so");
	pthread_join(one, NULL);
	pthread_join(two, NULL);
}

static void
load_in_child(void)
{
	pid_t child;
	int status;

	(void)work("./one.so");
	if ((child = fork()) == 0) {
		(void)work("./two.so");
		(void)work("./one.so");
		exit(0);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(1);
	(void)work("./two.so");
}

static void
load_in_vain(void)
{
	if (dlopen("./undefined.so", RTLD_NOW) == NULL)
		printf("%s\n", "undefined");
	(void)work("./one.so");
}

/* Loads a module into two name spaces, with C libraries of their own. */
static void
load_apart(void)
{
	void *modules[2];
	int (*function)(int);
	int i;

	(void)work("./one.so");
	for (i = 0; i < 2; i++) {
		modules[i] = dlmopen(LM_ID_NEWLM, "./one.so", RTLD_NOW);
		if (modules[i] == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		*(void **)&function = dlsym(modules[i], "module_work");
		(void)function(WORK);
	}
	dlclose(modules[0]);
	(void)work("./two.so");
	dlclose(modules[1]);
}

static void
load_when_asked(void)
{
	char line[16];

	if (fgets(line, sizeof(line), stdin) != NULL) {
		(void)work("./one.so");
		(void)fgets(line, sizeof(line), stdin);
	}
}

int
main(int argc, char **argv)
{
	const char *how = argv[1];

	if (argc > 2)
		load_often(how, atoi(argv[2]));
	else if (strcmp(how, "elsewhere") == 0)
		load_elsewhere();
	else if (strcmp(how, "loaded") == 0)
		load_loaded();
	else if (strcmp(how, "threads") == 0)
		load_by_threads();
	else if (strcmp(how, "child") == 0)
		load_in_child();
	else if (strcmp(how, "vain") == 0)
		load_in_vain();
	else if (strcmp(how, "apart") == 0)
		load_apart();
	else if (strcmp(how, "asked") == 0)
		load_when_asked();
	return (0);
}
