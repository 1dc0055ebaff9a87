/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens perf events and reads the buffers that the kernel writes samples to.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/util/perf_ring.h"

/* Pages of a buffer: two runs fit into a user's default mlock limit. */
#define PAGES_MOST	64u
#define PAGES_LEAST	4u

#define FRAMES_MAX	128u		/* with PERF_CONTEXT_* words */
#define STACK_BYTES	8192u		/* bytes of a raw stack */

/* The registers that unwinding needs, in the kernel's order. */
#if defined(__x86_64__)
#define REGISTERS	UINT64_C(0xff01ff)
static const unsigned char dwarf_numbers[TBUF_PERF_REGISTERS] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15
};
#else
#define REGISTERS	UINT64_C(0x1ffffffff)
static const unsigned char dwarf_numbers[TBUF_PERF_REGISTERS] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32
};
#endif
#define RECORD_MAX	65536u		/* a header's size has 16 bits */

static int
event_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->exclude_kernel = attr->exclude_hv = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
	return (fd == -1 ? -errno : fd);
}

uint64_t
tbuf_perf_sample_size(const struct tbuf_perf_terms *terms)
{
	if (terms->raw)
		return (sizeof(struct tbuf_perf_sample) + STACK_BYTES +
		    (TBUF_PERF_REGISTERS + 2) * sizeof(uint64_t));
	return (sizeof(struct tbuf_perf_sample) +
	    (terms->stacks ? FRAMES_MAX * sizeof(uint64_t) : 0));
}

/* ------------------------------------------------------------ buffers */

/*
 * Maps the largest buffer that the mlock limit allows; buffers of other runs
 * count against the same limit.
 */
static int
map(struct tbuf_perf_buffer *b)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned pages;
	void *base;

	for (pages = PAGES_MOST; pages >= PAGES_LEAST; pages /= 2) {
		base = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE,
		    MAP_SHARED, b->fd, 0);
		if (base == MAP_FAILED)
			continue;
		b->page = base;
		b->size = pages * page;
		return (0);
	}
	return (-ENOMEM);
}

int
tbuf_perf_buffer_open(struct tbuf_perf_buffer *b, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY
	};
	int error;

	memset(b, 0, sizeof(*b));
	b->cpu = cpu;
	b->fd = event_open(&attr, 0, cpu);
	if (b->fd < 0) {
		error = b->fd;
		b->fd = -1;
		return (error);
	}
	b->copy = malloc(RECORD_MAX);
	error = b->copy == NULL ? -ENOMEM : map(b);
	if (error != 0)
		tbuf_perf_buffer_close(b);
	return (error);
}

void
tbuf_perf_buffer_close(struct tbuf_perf_buffer *b)
{
	if (b->page != NULL)
		munmap(b->page, b->size + (size_t)sysconf(_SC_PAGESIZE));
	if (b->fd != -1)
		close(b->fd);
	free(b->copy);
	memset(b, 0, sizeof(*b));
	b->fd = -1;
}

/* ------------------------------------------------------------ perf events */

int
tbuf_perf_event_open(const struct tbuf_perf_terms *terms, pid_t tid,
    const struct tbuf_perf_buffer *b)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = terms->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		    PERF_SAMPLE_TIME |
		    (terms->raw ? PERF_SAMPLE_REGS_USER |
		    PERF_SAMPLE_STACK_USER :
		    terms->stacks ? PERF_SAMPLE_CALLCHAIN : 0),
		.sample_regs_user = terms->raw ? REGISTERS : 0,
		.sample_stack_user = terms->raw ? STACK_BYTES : 0,
		.inherit = 1, .task = 1, .exclude_callchain_kernel = 1,
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1
	};
	int fd, error;

	attr.inherit_thread = !terms->children;
	fd = event_open(&attr, tid, b->cpu);
	/* Before Linux 5.13, child processes inherit it like threads. */
	if (fd == -EINVAL && attr.inherit_thread) {
		attr.inherit_thread = 0;
		fd = event_open(&attr, tid, b->cpu);
	}
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, b->fd) == 0)
		return (fd);
	error = -errno;
	close(fd);
	return (error);
}

/* ------------------------------------------------------------ records */

/* Returns bytes of the buffer; a copy if they wrap around its end. */
static const void *
bytes_at(const struct tbuf_perf_buffer *b, uint64_t at, size_t size)
{
	const unsigned char *data = (const unsigned char *)b->page +
	    (size_t)sysconf(_SC_PAGESIZE);
	uint64_t offset = at & (b->size - 1);
	size_t first = b->size - offset;

	if (size <= first)
		return (data + offset);
	memcpy(b->copy, data + offset, first);
	memcpy(b->copy + first, data, size - first);
	return (b->copy);
}

void
tbuf_perf_look(struct tbuf_perf_buffer *b)
{
	/* Pairs with the kernel's barrier before it stores the head. */
	b->head = tbuf_load_acquire(&b->page->data_head);
}

/* Releases bytes up to `tail`, all of which have been read. */
static void
go_on(struct tbuf_perf_buffer *b, uint64_t tail)
{
	b->tail = tail;
	tbuf_store_release(&b->page->data_tail, tail);
}

/*
 * After a record of an impossible size the next one cannot be found: all
 * records up to the head are skipped.
 */
const struct perf_event_header *
tbuf_perf_peek(struct tbuf_perf_buffer *b)
{
	const struct perf_event_header *header;

	if (b->head == b->tail)
		return (NULL);
	/* Records are aligned to 8 bytes, so a header is in one piece. */
	header = bytes_at(b, b->tail, sizeof(*header));
	if (header->size >= sizeof(*header) && header->size % 8 == 0 &&
	    header->size <= b->head - b->tail)
		return (bytes_at(b, b->tail, header->size));
	go_on(b, b->head);
	return (NULL);
}

void
tbuf_perf_step(struct tbuf_perf_buffer *b)
{
	const struct perf_event_header *header =
	    bytes_at(b, b->tail, sizeof(*header));

	go_on(b, b->tail + header->size);
}

/*
 * After the time there are: the ABI; the registers, unless the ABI is 0; the
 * size of the stack area; its bytes and the count of valid ones, unless that
 * size is 0.
 */
bool
tbuf_perf_stack_read(const struct tbuf_perf_sample *sample,
    struct tbuf_perf_stack *stack)
{
	const uint64_t *at = &sample->nframes;
	unsigned i;

	if (*at++ == 0)
		return (false);
	for (i = 0; i < TBUF_PERF_REGISTERS; i++)
		stack->registers[dwarf_numbers[i]] = *at++;
	stack->bytes = (const unsigned char *)(at + 1);
	stack->size = *at != 0 && *at <= STACK_BYTES ?
	    at[1 + *at / sizeof(*at)] : 0;
	return (stack->size <= STACK_BYTES);
}
