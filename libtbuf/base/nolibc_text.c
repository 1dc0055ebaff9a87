/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of strings and numbers (nolibc.h), as the C library has them in the
 * locale C.  Each access is volatile, as in nolibc.c.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef const volatile unsigned char byte;
typedef const volatile uint64_t word __attribute__((may_alias, aligned(1)));

int	*tbuf_own_errno(void);
size_t	tbuf_own_strnlen(const char *, size_t);
size_t	tbuf_own_strlen(const char *);
void	*tbuf_own_memchr(const void *, int, size_t);
int	tbuf_own_memcmp(const void *, const void *, size_t);
char	*tbuf_own_strchr(const char *, int);
char	*tbuf_own_strrchr(const char *, int);
int	tbuf_own_strncmp(const char *, const char *, size_t);
int	tbuf_own_strcmp(const char *, const char *);
char	*tbuf_own_strcpy(char *, const char *);
size_t	tbuf_own_strspn(const char *, const char *);
size_t	tbuf_own_strcspn(const char *, const char *);
char	*tbuf_own_strstr(const char *, const char *);
unsigned long long tbuf_own_strtoull(const char *, char **, int);
long	tbuf_own_strtol(const char *, char **, int);

/* A test defines it, as those of nolibc_call.c. */
__attribute__((weak)) size_t
tbuf_own_strnlen(const char *text, size_t size)
{
	byte *t = (byte *)text;
	size_t n;

	for (n = 0; n < size && t[n] != '\0'; n++)
		;
	return (n);
}

size_t
tbuf_own_strlen(const char *text)
{
	return (tbuf_own_strnlen(text, SIZE_MAX));
}

void *
tbuf_own_memchr(const void *memory, int c, size_t size)
{
	byte *m = memory;

	for (; size > 0; m++, size--)
		if (*m == (unsigned char)c)
			return ((void *)(uintptr_t)m);
	return (NULL);
}

int
tbuf_own_memcmp(const void *one, const void *two, size_t size)
{
	byte *a = one, *b = two;

	for (; size >= sizeof(word) && *(word *)a == *(word *)b;
	    size -= sizeof(word), a += sizeof(word))
		b += sizeof(word);
	for (; size > 0; a++, b++, size--)
		if (*a != *b)
			return (*a - *b);
	return (0);
}

char *
tbuf_own_strchr(const char *text, int c)
{
	byte *t = (byte *)text;

	for (; *t != (unsigned char)c; t++)
		if (*t == '\0')
			return (NULL);
	return ((char *)(uintptr_t)t);
}

char *
tbuf_own_strrchr(const char *text, int c)
{
	byte *t = (byte *)text, *last = NULL;

	for (;; t++) {
		if (*t == (unsigned char)c)
			last = t;
		if (*t == '\0')
			return ((char *)(uintptr_t)last);
	}
}

int
tbuf_own_strncmp(const char *one, const char *two, size_t size)
{
	byte *a = (byte *)one, *b = (byte *)two;

	for (; size > 0; a++, b++, size--)
		if (*a != *b || *a == '\0')
			return (*a - *b);
	return (0);
}

int
tbuf_own_strcmp(const char *one, const char *two)
{
	return (tbuf_own_strncmp(one, two, SIZE_MAX));
}

char *
tbuf_own_strcpy(char *to, const char *from)
{
	volatile char *t = to;

	while ((*t++ = *(const volatile char *)from++) != '\0')
		;
	return (to);
}

/* Returns the length of the first part, with or without bytes of the set. */
static size_t
span(const char *text, const char *set, bool with)
{
	byte *t = (byte *)text;
	size_t n;

	for (n = 0; t[n] != '\0' &&
	    (tbuf_own_strchr(set, t[n]) != NULL) == with; n++)
		;
	return (n);
}

size_t
tbuf_own_strspn(const char *text, const char *set)
{
	return (span(text, set, true));
}

size_t
tbuf_own_strcspn(const char *text, const char *set)
{
	return (span(text, set, false));
}

char *
tbuf_own_strstr(const char *text, const char *part)
{
	size_t n = tbuf_own_strlen(part);

	for (; tbuf_own_strncmp(text, part, n) != 0; text++)
		if (*text == '\0')
			return (NULL);
	return ((char *)(uintptr_t)text);
}

/* Returns the value of a digit, or 36. */
static unsigned
digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return (c - '0');
	c |= 0x20;
	return (c >= 'a' && c <= 'z' ? c - 'a' + 10U : 36);
}

/* Skips a prefix that a digit follows.  Returns the base. */
static unsigned
base_of(const char **text, unsigned base)
{
	const char *t = *text;

	if ((base == 0 || base == 16) && *t == '0' && (t[1] | 0x20) == 'x' &&
	    digit((unsigned char)t[2]) < 16) {
		*text = t + 2;
		return (16);
	}
	if (base == 0)
		return (*t == '0' ? 8 : 10);
	return (base);
}

/*
 * Reads blanks, a sign and digits.  A number beyond `most' is that, with
 * ERANGE.
 */
static uint64_t
number(const char *text, char **end, int base, bool *minus, uint64_t most)
{
	const char *t = text + tbuf_own_strspn(text, " \t\n\v\f\r"), *first;
	unsigned b, d;
	uint64_t n = 0;
	bool over = false;

	*minus = *t == '-';
	if (*t == '-' || *t == '+')
		t++;
	b = base_of(&t, (unsigned)base);
	most += most == INT64_MAX && *minus;
	for (first = t; (d = digit((unsigned char)*t)) < b; t++) {
		over = over || n > (most - d) / b;
		n = n * b + d;
	}
	if (end != NULL)
		*end = (char *)(uintptr_t)(t == first ? text : t);
	if (!over)
		return (n);
	*tbuf_own_errno() = ERANGE;
	*minus = *minus && most != UINT64_MAX;
	return (most);
}

unsigned long long
tbuf_own_strtoull(const char *text, char **end, int base)
{
	bool minus;
	uint64_t n = number(text, end, base, &minus, UINT64_MAX);

	return (minus ? -n : n);
}

long
tbuf_own_strtol(const char *text, char **end, int base)
{
	bool minus;
	uint64_t n = number(text, end, base, &minus, INT64_MAX);

	return ((long)(minus ? -n : n));
}
