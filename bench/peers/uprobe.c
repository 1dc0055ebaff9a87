/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A uprobe of the kernel on a nop of this program.  It samples the time and the
 * thread into a ring like that of perf(1).
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/perf_event.h>

#include <err.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "uprobe.h"

#define TYPE	"/sys/bus/event_source/devices/uprobe/type"
#define PAGES	128	/* a power of two, without the header */

struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
};

/* In assembler, so that no instruction comes before the nop. */
__asm__ (
    "	.pushsection .text\n"
    "	.balign 16\n"
    "	.globl uprobe_place\n"
    "	.type uprobe_place, %function\n"
    "uprobe_place:\n"
    "	nop\n"
    "	ret\n"
    "	.size uprobe_place, . - uprobe_place\n"
    "	.popsection");

/* Finds the file offset of the nop; the program is the first object. */
static int
find_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	const ElfW(Phdr) *p = info->dlpi_phdr, *end = p + info->dlpi_phnum;
	uint64_t at = (uintptr_t)uprobe_place - info->dlpi_addr, *offset = data;

	(void)size;
	for (; p < end; p++)
		if (p->p_type == PT_LOAD && at - p->p_vaddr < p->p_filesz)
			*offset = at - p->p_vaddr + p->p_offset;
	return (1);
}

static bool
read_type(uint32_t *type)
{
	FILE *f = fopen(TYPE, "re");
	bool is_read;

	if (f == NULL)
		return (false);
	is_read = fscanf(f, "%u", type) == 1;
	fclose(f);
	if (!is_read)
		errno = ENODEV;
	return (is_read);
}

bool
uprobe_open(struct uprobe *u, uint64_t times)
{
	static const char program[] = "/proc/self/exe";
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.config1 = (uintptr_t)program
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t offset = 0;
	void *ring;

	dl_iterate_phdr(find_offset, &offset);
	attr.config2 = offset;
	if (!read_type(&attr.type))
		return (false);
	u->times = times;
	u->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (u->fd == -1)
		return (false);
	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE,
	    MAP_SHARED, u->fd, 0);
	if (ring == MAP_FAILED)
		err(1, "mmap of a perf event");
	u->ring = ring;
	return (true);
}

void
uprobe_read(void *cookie)
{
	struct uprobe *u = cookie;
	uint64_t head = __atomic_load_n(&u->ring->data_head, __ATOMIC_ACQUIRE);

	if (head - u->ring->data_tail != u->times * sizeof(struct sample))
		errx(1, "the uprobe has not sampled each hit");
	__atomic_store_n(&u->ring->data_tail, head, __ATOMIC_RELEASE);
}

void
uprobe_close(struct uprobe *u)
{
	munmap(u->ring, (PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE));
	close(u->fd);
}
