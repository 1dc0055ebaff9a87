/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts with a length and without a NUL.
 */
#include <sys/mman.h>
#include <sys/sdt.h>

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define PAGE	4096

static void __attribute__((noinline))
tell(int n, const char *text, int size)
{
	STAP_PROBE3(texts, sized, n, text, size);
	/* Room for a jump. */
	__asm__ __volatile__ (".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
}

int
main(void)
{
	char *page = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = page + 3 * PAGE;
	char array[] = "stack and more";

	if (page == MAP_FAILED)
		return (1);
	memset(page, 'x', 3 * PAGE);
	munmap(end, PAGE);
	tell(1, "literal and more", 7);
	tell(2, array, 5);
	tell(3, end - 4, 4);
	tell(4, end - 4, 5);
	tell(5, end - 4, INT_MAX);
	tell(6, array, 0);
	tell(7, end, 0);
	tell(8, array, -1);
	tell(9, NULL, 3);
	tell(10, "short\0and more", 14);
	tell(11, page, 511);
	tell(12, page, 512);
	tell(13, page, 8191);
	tell(14, page, 8192);
	return (0);
}
