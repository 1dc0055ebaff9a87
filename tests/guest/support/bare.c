/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A host without probes that loads an object with probes.  It may make itself
 * non-dumpable before, or fork while another thread loads the object.
 *
 *	bare -t case page module[,undumpable|,forking]
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "page.h"

/* 0: wait for the library; 1: it has begun; 2: it may go on */
static uint32_t loading = 2;

/* The library calls tss_create(3) as it begins. */
int
tss_create(tss_t *key, tss_dtor_t end)
{
	if (__atomic_load_n(&loading, __ATOMIC_ACQUIRE) == 0)
		__atomic_store_n(&loading, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&loading, __ATOMIC_ACQUIRE) == 1)
		sched_yield();
	return (pthread_key_create(key, end) == 0 ? thrd_success :
	    thrd_error);
}

static void *
load(void *path)
{
	return (dlopen(path, RTLD_NOW | RTLD_LOCAL));
}

/*
 * Forks while a thread loads the object; that thread does not exist in the
 * child.
 */
static int
fork_while_loading(char *path)
{
	int (*begun)(void), status;
	pthread_t thread;
	void *object;
	pid_t pid;

	loading = 0;
	if (pthread_create(&thread, NULL, load, path) != 0)
		return (1);
	while (__atomic_load_n(&loading, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	if ((pid = fork()) == 0) {
		object = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
		begun = object == NULL ? NULL :
		    (int (*)(void))dlsym(object, "module_begun");
		_exit(begun == NULL ? 2 : begun());
	}
	if (waitpid(pid, &status, 0) != pid)
		return (1);
	__atomic_store_n(&loading, 2, __ATOMIC_RELEASE);
	pthread_join(thread, &object);
	return (status != 0 || object == NULL);
}

int
main(int argc, char **argv)
{
	struct guest_page *page;
	void (*fire)(uint64_t), *object;
	char *comma;

	if (argc != 5)
		return (2);
	page = guest_page_get(argv[3]);
	if ((comma = strchr(argv[4], ',')) != NULL) {
		*comma = '\0';
		if (strcmp(comma + 1, "forking") == 0 &&
		    fork_while_loading(argv[4]) != 0)
			return (3);
	}
	if (comma != NULL && strcmp(comma + 1, "undumpable") == 0) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	}
	object = dlopen(argv[4], RTLD_NOW | RTLD_LOCAL);
	if (object == NULL)
		return (1);
	fire = (void (*)(uint64_t))dlsym(object, "module_fire");
	guest_next(page);
	fire(1000);
	guest_next(page);
	return (dlclose(object) == 0 ? 0 : 1);
}
