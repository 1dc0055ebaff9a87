/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts of a USDT probe at places of all kinds, and pointers to no text.
 */
#include <sys/mman.h>
#include <sys/sdt.h>

#include <pthread.h>
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

int
main(void)
{
	char *page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char array[] = "stack", *heap = strdup("heap");
	pthread_t thread;

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
	tell(9, page + 2 * PAGE - 3);		/* no NUL before the end */
	pthread_create(&thread, NULL, tell_own, NULL);
	pthread_join(thread, NULL);
	page[2 * PAGE - 1] = '\0';
	tell(11, page + 2 * PAGE - 4);
	tell(12, page + PAGE - 1000);		/* from page to page */
	tell(13, page);				/* longer than any limit */
	return (0);
}
