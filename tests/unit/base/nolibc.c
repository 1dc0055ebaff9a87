/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side's own functions in the place of the C library's.  memset,
 * memcpy and memmove, which compilers call: each length up to some words, each
 * alignment, and each overlap.  The others: the C library's results.
 */
#include <sys/auxv.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/check_main.h"

#define ROOM	96u
#define LENGTHS	34u

void *tbuf_plain_copy(void *, const void *, size_t);
void *tbuf_plain_move(void *, const void *, size_t);
void *tbuf_plain_set(void *, int, size_t);

static unsigned char room[ROOM], before[ROOM], expected[ROOM];

static void
begin(void)
{
	unsigned i;

	for (i = 0; i < ROOM; i++)
		room[i] = before[i] = expected[i] = (unsigned char)(i + 1);
}

/* Copies byte by byte from the earlier contents, and compares. */
static void
expect_copy(unsigned to, unsigned from, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		expected[to + i] = before[from + i];
	ck_assert_mem_eq(room, expected, ROOM);
}

START_TEST(memory_is_set)
{
	unsigned n, at, i;

	for (n = 0; n < LENGTHS; n++)
		for (at = 0; at < 9; at++) {
			begin();
			ck_assert_ptr_eq(tbuf_plain_set(room + at, 0x1ab, n),
			    room + at);
			for (i = 0; i < n; i++)
				expected[at + i] = 0xab;
			ck_assert_mem_eq(room, expected, ROOM);
		}
}
END_TEST

START_TEST(memory_is_copied)
{
	unsigned n, to, from;

	for (n = 0; n < LENGTHS; n++)
		for (to = 0; to < 9; to++)
			for (from = 48; from < 57; from++) {
				begin();
				ck_assert_ptr_eq(tbuf_plain_copy(room + to,
				    room + from, n), room + to);
				expect_copy(to, from, n);
			}
}
END_TEST

START_TEST(memory_is_moved_over_itself)
{
	unsigned n, to, from;

	for (n = 0; n < LENGTHS; n++)
		for (to = 0; to < 40; to++)
			for (from = 0; from < 40; from++) {
				begin();
				ck_assert_ptr_eq(tbuf_plain_move(room + to,
				    room + from, n), room + to);
				expect_copy(to, from, n);
			}
}
END_TEST

/* ------------------------------------------- as those of the C library */

unsigned long long tbuf_own_strtoull(const char *, char **, int);
long	tbuf_own_strtol(const char *, char **, int);
size_t	tbuf_own_strlen(const char *);
size_t	tbuf_own_strnlen(const char *, size_t);
size_t	tbuf_own_strspn(const char *, const char *);
size_t	tbuf_own_strcspn(const char *, const char *);
char	*tbuf_own_strchr(const char *, int);
char	*tbuf_own_strrchr(const char *, int);
char	*tbuf_own_strstr(const char *, const char *);
int	tbuf_own_strcmp(const char *, const char *);
int	tbuf_own_strncmp(const char *, const char *, size_t);
int	tbuf_own_memcmp(const void *, const void *, size_t);
void	*tbuf_own_memchr(const void *, int, size_t);
int	tbuf_own_close(int);
int	tbuf_own_open(const char *, int, ...);
int	*tbuf_own_errno(void);
char	*tbuf_own_getenv(const char *);
unsigned long tbuf_own_getauxval(unsigned long);
int	tbuf_own_clock_gettime(clockid_t, struct timespec *);

static const char *const numbers[] = {
	"", "0", "7", "-7", "+12", " \t\n\v\f\r42x", "- 1", "--1", "0x", "0xg",
	"0x1F", "0X1f ", "-0x10", "010", "08", "077777777777777777777777",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"-9223372036854775809", "18446744073709551615", "18446744073709551616",
	"-18446744073709551615", "-18446744073709551616", "zz", "1z",
	"99999999999999999999999", "0x8000000000000000", "ffffffffffffffff"
};

START_TEST(numbers_are_read)
{
	static const int bases[] = { 0, 8, 10, 16, 36 };
	char *end, *own_end;
	unsigned i, b;
	int error;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (b = 0; b < sizeof(bases) / sizeof(*bases); b++) {
			errno = 0;
			unsigned long long u = strtoull(numbers[i], &end,
			    bases[b]);
			error = errno;
			errno = 0;
			ck_assert_uint_eq(tbuf_own_strtoull(numbers[i],
			    &own_end, bases[b]), u);
			ck_assert_ptr_eq(own_end, end);
			ck_assert_int_eq(errno, error);
			errno = 0;
			long n = strtol(numbers[i], &end, bases[b]);
			error = errno;
			errno = 0;
			ck_assert_int_eq(tbuf_own_strtol(numbers[i],
			    &own_end, bases[b]), n);
			ck_assert_ptr_eq(own_end, end);
			ck_assert_int_eq(errno, error);
		}
}
END_TEST

static int
sign(int n)
{
	return ((n > 0) - (n < 0));
}

static void
compare(const char *a, const char *b)
{
	size_t na = strlen(a) + 1, nb = strlen(b) + 1, n, least;

	least = na < nb ? na : nb;
	ck_assert_uint_eq(tbuf_own_strspn(a, b), strspn(a, b));
	ck_assert_uint_eq(tbuf_own_strcspn(a, b), strcspn(a, b));
	ck_assert_ptr_eq(tbuf_own_strstr(a, b), strstr(a, b));
	ck_assert_int_eq(sign(tbuf_own_strcmp(a, b)), sign(strcmp(a, b)));
	for (n = 0; n < na + 2; n++)
		ck_assert_int_eq(sign(tbuf_own_strncmp(a, b, n)),
		    sign(strncmp(a, b, n)));
	for (n = 0; n <= least; n++)
		ck_assert_int_eq(sign(tbuf_own_memcmp(a, b, n)),
		    sign(memcmp(a, b, n)));
}

START_TEST(texts_are_searched_and_compared)
{
	static const char *const texts[] = {
		"", "a", "ab", "abab", "a longer text", "a longer texts",
		"a longer tex\xff", "\xff\xfe", "text", ":;,", "a:b,c"
	};
	const unsigned n = sizeof(texts) / sizeof(*texts);
	unsigned i, k, c;

	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++)
			compare(texts[i], texts[k]);
		k = (unsigned)strlen(texts[i]);
		ck_assert_uint_eq(tbuf_own_strlen(texts[i]), k);
		ck_assert_uint_eq(tbuf_own_strnlen(texts[i], 3),
		    k < 3 ? k : 3);
		for (c = 0; c < 256; c++) {
			ck_assert_ptr_eq(tbuf_own_strchr(texts[i], (int)c),
			    strchr(texts[i], (int)c));
			ck_assert_ptr_eq(tbuf_own_strrchr(texts[i], (int)c),
			    strrchr(texts[i], (int)c));
			ck_assert_ptr_eq(tbuf_own_memchr(texts[i], (int)c, k),
			    memchr(texts[i], (int)c, k));
		}
	}
}
END_TEST

START_TEST(calls_set_errno)
{
	struct timespec time;
	int fd;

	ck_assert_ptr_eq(tbuf_own_errno(), &errno);
	errno = 0;
	ck_assert_int_eq(tbuf_own_close(-1), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_int_eq(tbuf_own_open("/no/such/file", O_RDONLY), -1);
	ck_assert_int_eq(errno, ENOENT);
	fd = tbuf_own_open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(tbuf_own_close(fd), 0);
	ck_assert_int_eq(tbuf_own_clock_gettime(CLOCK_MONOTONIC, &time), 0);
	ck_assert_int_eq(tbuf_own_clock_gettime(12345, &time), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(tbuf_own_getauxval(AT_SECURE), getauxval(AT_SECURE));
	ck_assert_uint_eq(tbuf_own_getauxval(AT_RANDOM), getauxval(AT_RANDOM));
	ck_assert_int_eq(setenv("TBUF_A", "1", 1), 0);
	ck_assert_int_eq(unsetenv("TBUF_"), 0);
	ck_assert_str_eq(tbuf_own_getenv("TBUF_A"), "1");
	ck_assert_ptr_null(tbuf_own_getenv("TBUF_"));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("plain");
	TCase *t = tcase_create("plain");

	tcase_add_test(t, memory_is_set);
	tcase_add_test(t, memory_is_copied);
	tcase_add_test(t, memory_is_moved_over_itself);
	tcase_add_test(t, numbers_are_read);
	tcase_add_test(t, texts_are_searched_and_compared);
	tcase_add_test(t, calls_set_errno);
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
