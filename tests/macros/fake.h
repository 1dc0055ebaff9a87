/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A replacement of the library, to test the macros alone: it collects the
 * sites, enables probes by name and stores the last fire.
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

/* An argument of a fire; texts and bytes are copied. */
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
	unsigned code;
	unsigned nargs;
	struct fake_argument arguments[TBUF_ARGS_MAX];
};

/*
 * Counts registered sites with this name (`__` is `-`) in this function, or
 * any.
 */
unsigned fake_sites(const char *name, const char *function);

/* Enables or disables all of them, and tests; returns their number. */
unsigned fake_enable(const char *name, int on);

/* Returns the fires since the last call, the last of which is fake_last. */
unsigned fake_fires(void);
extern struct fake_fire fake_last;

/* Returns its argument `n` as a signed number. */
long long fake_value(unsigned n);

/* Count and print a failure. */
void	fake_expect(int holds, const char *file, int line, const char *what);
void	fake_expect_integer(long long got, long long expected,
	    const char *file, int line, const char *what);
void	fake_expect_string(const char *got, const char *expected,
	    const char *file, int line, const char *what);

/* Expects this value of the last fire's argument `n`. */
void	fake_expect_argument(unsigned n, const char *name, unsigned type,
	    uint64_t value, const char *file, int line);
void	fake_expect_bytes(unsigned n, const char *name, unsigned type,
	    const char *bytes, size_t size, const char *file, int line);

/* Prints the count and returns the exit status. */
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
