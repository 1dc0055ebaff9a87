/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: pthread mutexes.
 *
 * Besides entry and return, the functions that lock have the probes
 * `contended', when another thread has the mutex and this one is going to wait,
 * and `acquired', when it has got the mutex.
 */
#include "libc.h"

#include <pthread.h>
#include <time.h>

#define FUNCTIONS	THREAD_FUNCTIONS

LIBC_FUNCTIONS

enum {
	LOCK = FN_pthread_mutex_lock, TRYLOCK = FN_pthread_mutex_trylock,
	TIMEDLOCK = FN_pthread_mutex_timedlock,
	CLOCKLOCK = FN_pthread_mutex_clocklock
};

#define NUMBER(number, function, name, arguments)	number,
enum { THREAD_EVENTS(NUMBER) NEVENTS };

#define EVENT(number, function, name, arguments)			\
	[number] = { name, arguments, FN_##function },
static const struct libc_event events[NEVENTS] = { THREAD_EVENTS(EVENT) };

static struct tbuf_site sites[NEVENTS];

/* Two adjacent enable words for each function and its lock probes. */
static const uint32_t *wanted_events[NFUNCTIONS] = {
	[0 ... NFUNCTIONS - 1] = tbuf_libc_unknown
};

const struct libc_family tbuf_libc_thread = {
	rows, functions, NFUNCTIONS, events, sites, NEVENTS
};

void
tbuf_libc_thread_begin(void)
{
	unsigned i;

	/* `acquired' is followed by the next function's `contended'. */
	for (i = 0; i + 1 < NEVENTS; i++)
		if (i == 0 || events[i].function != events[i - 1].function)
			__atomic_store_n(&wanted_events[events[i].function],
			    tbuf_libc_words(&sites[i], &sites[i + 1]),
			    __ATOMIC_RELEASE);
}

/* Returns true if neither the function nor its lock probes are traced. */
static inline bool
quiet_lock(unsigned function)
{
	return (quiet(&functions[function]) && quiet_words(__atomic_load_n(
	    &wanted_events[function], __ATOMIC_ACQUIRE)));
}

/* Returns true if a lock function with this result has got the mutex. */
static bool
is_held(int result)
{
	return (result == 0 || result == EOWNERDEAD);
}

#define NOT_TRIED	(-1)

/*
 * Tries to lock the mutex, if `contended' is enabled, to find out whether it is
 * free.  Returns the result, or NOT_TRIED.  Unless the thread holds the mutex
 * then, the caller still calls the real function, which decides about every
 * error.
 */
static int
try(const struct tbuf_site *contended, pthread_mutex_t *mutex)
{
	typeof(pthread_mutex_trylock) *real;

	if (__builtin_expect(!tbuf_probe_enabled(contended), 1))
		return (NOT_TRIED);
	real = tbuf_libc_real(&functions[TRYLOCK]);
	return (real(mutex));
}

/* PASS for a function that has lock probes. */
#define PASS_LOCK(name, row, arguments)					\
do {									\
	if (quiet_lock(row))						\
		return (REAL(name, &functions[row]) arguments);		\
	if (is_own(__builtin_return_address(0)))			\
		return (((typeof(name) *)				\
		    tbuf_libc_real(&functions[row])) arguments);	\
	return (traced_##name arguments);				\
} while (0)

/*
 * A function that waits for a mutex.  `may_try' is false for arguments that are
 * an error, even if the mutex is free.
 */
#define LOCK_WRAPPER(name, row, parameters, arguments, values, may_try)	\
TRACED int								\
traced_##name parameters						\
{									\
	struct libc_function *f = &functions[row];			\
	typeof(name) *real = tbuf_libc_real(f);				\
	int result = NOT_TRIED;						\
									\
	FIRE_LIST(f->entry, LIST values);				\
	if (may_try)							\
		result = try(&sites[row##_CONTENDED], mutex);		\
	if (!is_held(result)) {						\
		if (result == EBUSY)					\
			FIRE(sites[row##_CONTENDED], ADDRESS(mutex));	\
		result = real arguments;				\
	}								\
	if (is_held(result))						\
		FIRE(sites[row##_ACQUIRED], ADDRESS(mutex));		\
	FIRE(f->leave, result);						\
	return (result);						\
}									\
									\
int									\
name parameters								\
{									\
	PASS_LOCK(name, row, arguments);				\
}

LOCK_WRAPPER(pthread_mutex_lock, LOCK, (pthread_mutex_t *mutex), (mutex),
    (ADDRESS(mutex)), true)

LOCK_WRAPPER(pthread_mutex_timedlock, TIMEDLOCK,
    (pthread_mutex_t *mutex, const struct timespec *abstime),
    (mutex, abstime), (ADDRESS(mutex), ADDRESS(abstime)), true)

LOCK_WRAPPER(pthread_mutex_clocklock, CLOCKLOCK,
    (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime),
    (mutex, clock, abstime), (ADDRESS(mutex), clock, ADDRESS(abstime)),
    clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME)

TRACED int
traced_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	struct libc_function *f = &functions[TRYLOCK];
	typeof(pthread_mutex_trylock) *real = tbuf_libc_real(f);
	int result;

	FIRE(f->entry, ADDRESS(mutex));
	result = real(mutex);
	if (is_held(result))
		FIRE(sites[TRYLOCK_ACQUIRED], ADDRESS(mutex));
	FIRE(f->leave, result);
	return (result);
}

int
pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	PASS_LOCK(pthread_mutex_trylock, TRYLOCK, (mutex));
}

WRAPPER(int, pthread_mutex_unlock, (pthread_mutex_t *mutex), (mutex),
    (ADDRESS(mutex)), result)
