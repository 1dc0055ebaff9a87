/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * memcpy, memmove and memset that use general registers only (nolibc.h).  Each
 * access is volatile, so that the compiler does not turn a loop into a call of
 * the function that it is in.
 */
#include <stddef.h>
#include <stdint.h>

typedef volatile uint64_t word __attribute__((may_alias, aligned(1)));

void *tbuf_plain_copy(void *, const void *, size_t);
void *tbuf_plain_move(void *, const void *, size_t);
void *tbuf_plain_set(void *, int, size_t);

void *
tbuf_plain_copy(void *to, const void *from, size_t n)
{
	volatile unsigned char *t = to;
	const volatile unsigned char *f = from;

	for (; n >= sizeof(word); n -= sizeof(word)) {
		*(word *)t = *(const word *)f;
		t += sizeof(word);
		f += sizeof(word);
	}
	for (; n > 0; n--)
		*t++ = *f++;
	return (to);
}

void *
tbuf_plain_move(void *to, const void *from, size_t n)
{
	volatile unsigned char *t = to;
	const volatile unsigned char *f = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return (tbuf_plain_copy(to, from, n));
	while (n >= sizeof(word)) {
		n -= sizeof(word);
		*(word *)(t + n) = *(const word *)(f + n);
	}
	while (n-- > 0)
		t[n] = f[n];
	return (to);
}

void *
tbuf_plain_set(void *to, int byte, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	volatile unsigned char *t = to;

	for (; n >= sizeof(word); n -= sizeof(word)) {
		*(word *)t = (unsigned char)byte * ones;
		t += sizeof(word);
	}
	for (; n > 0; n--)
		*t++ = (unsigned char)byte;
	return (to);
}
