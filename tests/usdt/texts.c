/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts of a USDT probe, and what is none, at places of all kinds.  With
 * words behind it: become that command, under a filter that kills who reads
 * memory by process_vm_readv(2).
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE	4096

static void __attribute__((noinline))
tell(int n, const char *text)
{
	STAP_PROBE2(texts, told, n, text);
	/* Room for a jump. */
	__asm__ __volatile__ (".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
}

static void *
tell_own(void *unused)
{
	char text[] = "thread";

	tell(10, text);
	return (unused);
}

static void
become(char **command)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		execvp(*command, command);
	_exit(77);
}

int
main(int argc, char **argv)
{
	char *page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char array[] = "stack", *heap = strdup("heap");
	pthread_t thread;

	if (argc > 1)
		become(argv + 1);
	if (page == MAP_FAILED || heap == NULL)
		return (1);
	memset(page, 'x', 2 * PAGE);
	munmap(page + 2 * PAGE, PAGE);
	tell(1, "literal");
	tell(2, array);
	tell(3, heap);
	tell(4, NULL);
	tell(5, (const char *)8);
	tell(6, (const char *)0x8123456789abcdef);
	tell(7, (const char *)-PAGE);
	tell(8, page + 2 * PAGE);
	tell(9, page + 2 * PAGE - 3);		/* without an end */
	pthread_create(&thread, NULL, tell_own, NULL);
	pthread_join(thread, NULL);
	page[2 * PAGE - 1] = '\0';
	tell(11, page + 2 * PAGE - 4);
	tell(12, page + PAGE - 1000);		/* from page to page */
	tell(13, page);				/* longer than anything */
	return (0);
}
