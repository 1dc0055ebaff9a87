/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Perf events: the kernel's samples of threads, and the buffers that it writes
 * them to.
 *
 *	thread 1 ----- event on CPU 0 ---+--> buffer of CPU 0
 *	        `----- event on CPU 1 --------------------------+
 *	thread 2 ----- event on CPU 0 ---+                      |
 *	        `----- event on CPU 1 --------------------------+--> of CPU 1
 *
 * An event is inherited by the threads that its thread starts; such a one has
 * to be of one CPU to have a buffer.
 */
#ifndef TBUF_CONSUMER_UTIL_PERF_RING_H
#define TBUF_CONSUMER_UTIL_PERF_RING_H

#include <sys/types.h>

#include <linux/perf_event.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tbuf_perf_terms {
	uint64_t period;		/* ns of a thread's time on a CPU */
	bool stacks;			/* with what called it, ... */
	bool raw;			/* ... as registers and bytes */
	bool children;			/* processes inherit it, too */
};

struct tbuf_perf_buffer {
	int fd;				/* of an event without counts; or -1 */
	int cpu;
	struct perf_event_mmap_page *page;
	uint64_t size;			/* of its data, a power of two */
	uint64_t tail;			/* the next record */
	uint64_t head;			/* behind those of the last look */
	unsigned char *copy;		/* of one that goes across the end */
};

/* What a sample is behind its header, in this order. */
struct tbuf_perf_sample {
	struct perf_event_header header;
	uint64_t pc;
	uint32_t pid, tid;
	uint64_t time;			/* CLOCK_MONOTONIC */
	uint64_t nframes;		/* with stacks */
	uint64_t frames[];		/* with PERF_CONTEXT_* words */
};

/* Numbers of DWARF, and the program counter behind the others. */
#if defined(__x86_64__)
#define TBUF_PERF_REGISTERS	17u
#else
#define TBUF_PERF_REGISTERS	33u
#endif

/* A raw stack: a copy of registers, and bytes in the record. */
struct tbuf_perf_stack {
	uint64_t registers[TBUF_PERF_REGISTERS];
	const unsigned char *bytes;	/* from the stack pointer on */
	uint64_t size;
};

/* False: the thread has none. */
bool	tbuf_perf_stack_read(const struct tbuf_perf_sample *,
	    struct tbuf_perf_stack *);

/* A thread, or a process, has begun or ended. */
struct tbuf_perf_task {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

/* A process has mapped something to be run. */
struct tbuf_perf_mapped {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];			/* and zeroes */
};

/* A thread has another name: its process has executed something if ... */
struct tbuf_perf_name {
	struct perf_event_header header;	/* ... misc says so */
	uint32_t pid, tid;
	char name[];			/* and zeroes */
};

struct tbuf_perf_lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* What one sample may take, so that buffers are read in time. */
uint64_t tbuf_perf_sample_size(const struct tbuf_perf_terms *);

/*
 * A buffer for a CPU's events.  0 or -errno: -ENOMEM when no memory may be
 * locked for it, others when events are not to be had at all.
 */
int	tbuf_perf_buffer_open(struct tbuf_perf_buffer *, int cpu);
void	tbuf_perf_buffer_close(struct tbuf_perf_buffer *);

/* Sample a thread on a buffer's CPU.  A descriptor or -errno. */
int	tbuf_perf_event_open(const struct tbuf_perf_terms *, pid_t tid,
	    const struct tbuf_perf_buffer *);

/* See what there is: what comes later has to wait for the next look. */
void	tbuf_perf_look(struct tbuf_perf_buffer *);
/* The next record, or NULL; it is the kernel's again after the step. */
const struct perf_event_header *
	tbuf_perf_peek(struct tbuf_perf_buffer *);
void	tbuf_perf_step(struct tbuf_perf_buffer *);

#endif
