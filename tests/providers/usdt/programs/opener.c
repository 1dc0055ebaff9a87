/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads a module, calls it and unloads it, many times, while another thread
 * runs.  With a second argument it first installs a filter that kills for the
 * system calls that change code.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMES	100

static void
restrict_self(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(77);
}

static void *
wait_for_end(void *mutex)
{

	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return (NULL);
}

int
main(int argc, char **argv)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int i, times = atoi(argv[1]);
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, wait_for_end, &mutex);
	if (argc > 2)
		restrict_self();
	for (i = 0; i < times; i++) {
		void *module = dlopen("./module.so", RTLD_NOW);
		void (*work)(int);

		if (module == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return (1);
		}
		*(void **)&work = dlsym(module, "module_work");
		work(TIMES);
		dlclose(module);
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	return (0);
}
