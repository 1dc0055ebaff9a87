/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Declarations for the stress tests: a target that fires with the requested
 * disturbances and counts in a page that its tester maps, and the check of each
 * record that a consumer gets.
 *
 * Each writer has counters of its own: a thread, each of the handlers that
 * interrupt it, and a child of vfork that runs in its place.  A record has the
 * writer's number and the number of the fire, which identify it and determine
 * its bytes.
 */
#ifndef TESTS_STRESS_COMMON_H
#define TESTS_STRESS_COMMON_H

#include <sys/types.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#define STRESS_THREADS	16
#define STRESS_KINDS	5
#define STRESS_WHO	(STRESS_KINDS * STRESS_THREADS)
#define STRESS_LANES	128

enum stress_kind {
	STRESS_THREAD,
	STRESS_SENT,	/* handler of signals that others send */
	STRESS_TIMED,	/* handler of a timer; the two interrupt each other */
	STRESS_VFORK,
	STRESS_FORK		/* not traced: must not be seen */
};

/* Incremented before and after each fire; [inv.account] is between the two. */
struct stress_counter {
	uint64_t before;
	uint64_t after;
	uint64_t reserved[6];
};

/* disturbances, STRESS_* */
#define STRESS_SIGNALS	0x1u	/* a storm of them, with handlers that fire */
#define STRESS_MOVES	0x2u	/* CPU affinity changes */
#define STRESS_FORKS	0x4u	/* fork, vfork and raw clone */
#define STRESS_DELAYS	0x8u	/* inside the sections, if compiled in */
#define STRESS_ALL	0xfu
#define STRESS_LONG	0x100u	/* delays as long as a table is read */

struct stress_page {
	uint64_t seed;
	uint64_t fires;		/* of each thread; 0: until stop */
	uint32_t threads;
	uint32_t flags;		/* STRESS_* */
	uint32_t stop;
	uint32_t pause;		/* threads are to park */
	uint32_t parked;	/* threads that are parked */
	uint32_t running;	/* threads that still fire */
	uint64_t reserved[3];
	struct stress_counter who[STRESS_WHO];
};

/* ------------------------------------------------------------ the target */

/* Runs as a target if the process was started as one; then does not return. */
void	stress_target_main(int argc, char **argv);

/* Returns the argv of a target with the page at `path`; NULL-terminated. */
char	**stress_target_argv(const char *path);

/* ------------------------------------------------------------ the tester */

uint64_t stress_random(uint64_t *state);

/* Makes a page in a new file and sets `path`. */
struct stress_page *stress_page_new(char path[64]);
void	stress_page_free(struct stress_page *, const char *path);

/* Make and remove a runtime directory of the test's own. */
void	stress_directory_make(void);
void	stress_directory_remove(void);

struct stress_sum {
	uint64_t before;
	uint64_t after;
};
struct stress_sum stress_page_sum(const struct stress_page *);

/* Waits until that many more fires have begun, or the process is dead. */
void	stress_fires_wait(const struct stress_page *, pid_t, uint64_t more);

/* A thread that kills `pid` after `fires` more fires. */
struct stress_killer {
	const struct stress_page *page;
	uint64_t fires;
	pid_t pid;
	pthread_t thread;
};
void	stress_killer_start(struct stress_killer *);
void	stress_killer_join(struct stress_killer *);

/*
 * Returns the fires of vfork children that may come after the target's death.
 */
uint64_t stress_late_fires(const struct stress_page *);

/* Park all threads of a target; let them continue. */
void	stress_park(struct stress_page *, pid_t);
void	stress_resume(struct stress_page *);

/* Starts a target without a consumer and waits until it fires. */
pid_t	stress_target_start(struct stress_page *, const char *path,
	    bool rseq);

/* sums of a consumer's events */
struct stress_tally {
	uint64_t records;
	uint64_t overwritten;
	uint64_t drops;
	bool exited;
	int status;
	int signal;
	uint64_t *last;			/* [lane][writer]: last fire seen */
	uint64_t time[STRESS_LANES];
	struct stress_seen {
		uint64_t *bits;
		uint64_t size;		/* in bits */
	} seen[STRESS_WHO];
};
struct stress_tally *stress_tally_new(void);
void	stress_tally_free(struct stress_tally *);

/* Takes and checks all events that are there. */
void	stress_tally_take(struct stress_tally *, struct tbuf_consumer *);
/* Works until the end, and takes all events. */
void	stress_tally_consume(struct stress_tally *, struct tbuf_consumer *);

/* counters of a consumer's events, for tests that check records themselves */
struct stress_events {
	void (*take)(void *argument, const struct tbuf_record *);
	void *argument;
	uint64_t *counts[TBUF_EVENT_SNAPSHOTS + 1];	/* NULL: fail */
	bool exited;
};
/* Takes all events that are there. */
void	stress_events_take(struct stress_events *, struct tbuf_consumer *);
/* Works until the end, and takes all events. */
void	stress_events_consume(struct stress_events *, struct tbuf_consumer *);

/* options of a session */
struct stress_session {
	const char *policy;
	const char *bufsize;
	const char *switchrate;
	unsigned enablings;	/* for every probe; at most STRESS_ENABLINGS */
	bool rseq;
	bool clauses;		/* stress_script instead of default records */
	const char *nbuf;	/* number of thread lanes; NULL: none */
};
extern const struct tbuf_d_script stress_script;
#define STRESS_ENABLINGS	2u
struct stress_session stress_session_draw(uint64_t *random);
struct tbuf_consumer *stress_consumer_new(const struct stress_session *);

/* Starts a command, with rseq or without, and traces it.  Returns its pid. */
pid_t	stress_go(struct tbuf_consumer *, char **argv, bool rseq);

/* Sets a description of the run, which a failure's message has. */
void	stress_context(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));
void	stress_fail(const char *file, int line, const char *format, ...)
	    __attribute__((format(printf, 3, 4), noreturn));

#define STRESS_EXPECT(condition, ...) do {				\
	if (!(condition))						\
		stress_fail(__FILE__, __LINE__, __VA_ARGS__);		\
} while (0)

/* work of a run, and its seed */
struct stress_arguments {
	uint64_t count;
	uint64_t seed;
};
struct stress_arguments stress_arguments(int argc, char **argv,
	    uint64_t count);

/* Computes the number that a writer's fire records. */
static inline uint64_t
stress_check(uint64_t who, uint64_t fire)
{
	return ((fire * UINT64_C(0x9e3779b97f4a7c15)) ^ (who << 56 | who));
}

static inline unsigned
stress_text_size(uint64_t fire)
{
	return ((unsigned)(fire * 7 % 60));
}

static inline char
stress_text_byte(uint64_t fire, unsigned at)
{
	return ((char)('a' + (fire + at) % 26));
}

/* Returns true for one of four fires; the others have numbers only. */
static inline bool
stress_has_text(uint64_t fire)
{
	return (fire % 4 == 0);
}

#endif
