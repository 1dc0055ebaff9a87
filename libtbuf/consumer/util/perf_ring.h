/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Perf events: samples of threads, and the buffers that the kernel writes them
 * to.
 *
 *	thread 1 ----- event on CPU 0 ---+--> buffer of CPU 0
 *	        `----- event on CPU 1 --------------------------+
 *	thread 2 ----- event on CPU 0 ---+                      |
 *	        `----- event on CPU 1 --------------------------+--> of CPU 1
 *
 * A thread inherits the perf events of the thread that started it.  An
 * inherited one can have a buffer only if it is bound to one CPU.
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
	bool stacks;			/* samples have the call chain */
	bool raw;			/* registers, stack bytes instead */
	bool children;			/* child processes inherit it */
};

struct tbuf_perf_buffer {
	int fd;				/* of a dummy perf event; -1: none */
	int cpu;
	struct perf_event_mmap_page *page;
	uint64_t size;			/* bytes of data, a power of two */
	uint64_t tail;			/* position of the next record */
	uint64_t head;			/* end of records at the last look */
	unsigned char *copy;		/* of a record that wraps around */
};

/* A sample: the fields that a perf event's sample_type asks for, in order. */
struct tbuf_perf_sample {
	struct perf_event_header header;
	uint64_t pc;
	uint32_t pid, tid;
	uint64_t time;			/* CLOCK_MONOTONIC */
	uint64_t nframes;		/* only with stacks */
	uint64_t frames[];		/* with PERF_CONTEXT_* words */
};

/* Registers have their DWARF numbers; the program counter is the last. */
#if defined(__x86_64__)
#define TBUF_PERF_REGISTERS	17u
#else
#define TBUF_PERF_REGISTERS	33u
#endif

/* A raw stack: a copy of the registers, and a pointer into the record. */
struct tbuf_perf_stack {
	uint64_t registers[TBUF_PERF_REGISTERS];
	const unsigned char *bytes;	/* from the stack pointer on */
	uint64_t size;
};

/* Reads a sample's raw stack.  Returns false if there is none. */
bool	tbuf_perf_stack_read(const struct tbuf_perf_sample *,
	    struct tbuf_perf_stack *);

/* A thread or a process began or ended. */
struct tbuf_perf_task {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

/* A process mapped executable memory. */
struct tbuf_perf_mapped {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];			/* padded with zeroes */
};

/*
 * A thread changed its name; header.misc has PERF_RECORD_MISC_COMM_EXEC if its
 * process called exec.
 */
struct tbuf_perf_name {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];			/* padded with zeroes */
};

struct tbuf_perf_lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* Returns the most bytes of a sample, so that buffers are read in time. */
uint64_t tbuf_perf_sample_size(const struct tbuf_perf_terms *);

/*
 * Opens a buffer for a CPU's perf events.  Returns 0, -ENOMEM if no memory may
 * be locked for it, another -errno if perf events are unavailable.
 */
int	tbuf_perf_buffer_open(struct tbuf_perf_buffer *, int cpu);
void	tbuf_perf_buffer_close(struct tbuf_perf_buffer *);

/* Samples a thread on a buffer's CPU.  Returns a descriptor or -errno. */
int	tbuf_perf_event_open(const struct tbuf_perf_terms *, pid_t tid,
	    const struct tbuf_perf_buffer *);

/* Loads the head: records after it wait for the next look. */
void	tbuf_perf_look(struct tbuf_perf_buffer *);
/* Returns the next record, or NULL; it is valid until tbuf_perf_step(). */
const struct perf_event_header *
	tbuf_perf_peek(struct tbuf_perf_buffer *);
void	tbuf_perf_step(struct tbuf_perf_buffer *);

#endif
