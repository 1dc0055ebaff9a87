/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands in for the library where the macros alone are tested: it
 * collects the sites, enables probes by name and keeps what the last one
 * fired.
 */
#ifndef TBUF_TESTS_FAKE_H
#define TBUF_TESTS_FAKE_H

#include <stddef.h>
#include <stdint.h>

#include <tbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_BYTES	64

/* An argument of a fire: texts and bytes as they were at that time. */
struct fake_argument {
	const char *name;
	unsigned type;
	uint64_t value;
	size_t size;
	char bytes[FAKE_BYTES];
};

struct fake_fire {
	const char *provider;
	const char *name;
	const char *function;
	unsigned nargs;
	struct fake_argument arguments[TBUF_ARGS_MAX];
};

/* Registered sites of this name (`__` is `-`) in this function, or any. */
unsigned fake_sites(const char *name, const char *function);

/* Enable or disable them all, tests too; returns how many there are. */
unsigned fake_enable(const char *name, int on);

/* Fires since the last call, and the last of them. */
unsigned fake_fires(void);
extern struct fake_fire fake_last;

/* Its argument `n` as a signed number. */
long long fake_value(unsigned n);

/* Count and print a failure. */
void	fake_expect(int holds, const char *file, int line, const char *what);
void	fake_expect_integer(long long got, long long expected,
	    const char *file, int line, const char *what);
void	fake_expect_string(const char *got, const char *expected,
	    const char *file, int line, const char *what);

/* Expect that the last fire's argument `n` was this. */
void	fake_expect_argument(unsigned n, const char *name, unsigned type,
	    uint64_t value, const char *file, int line);
void	fake_expect_bytes(unsigned n, const char *name, unsigned type,
	    const char *bytes, size_t size, const char *file, int line);

/* Print the count; the exit status. */
int	fake_end(void);

#define EXPECT(what)							\
	fake_expect((what) ? 1 : 0, __FILE__, __LINE__, #what)
#define EXPECT_INTEGER(got, expected)					\
	fake_expect_integer(got, expected, __FILE__, __LINE__, #got)
#define EXPECT_STRING(got, expected)					\
	fake_expect_string(got, expected, __FILE__, __LINE__, #got)
#define EXPECT_ARGUMENT(n, name, type, value)				\
	fake_expect_argument(n, name, type, value, __FILE__, __LINE__)
#define EXPECT_BYTES(n, name, type, bytes, size)			\
	fake_expect_bytes(n, name, type, bytes, size, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
