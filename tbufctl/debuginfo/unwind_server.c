/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper process that unwinds stacks.  It caches the modules of each image;
 * libdw unwinds the bytes of a stack by their tables.
 */
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>
#include "machine/program.h"

#include "base/helper_process.h"
#include "base/messages.h"
#include "base/pipe_message.h"
#include "dwarf.h"
#include "unwind.h"

#define FRAMES_MOST	128u
#define IMAGES_MOST	64u		/* cached; then all are dropped */
#define MAPPED_MOST	256u		/* files of an ended process */
#define PASSES_MOST	1024u		/* stacks between two reopenings */

#if defined(__x86_64__)
#define REGISTERS	17u
#define STACK_POINTER	7u
#else
#define REGISTERS	33u
#define STACK_POINTER	31u
#endif

struct image {
	struct image *next;
	uint64_t id;
	pid_t pid;			/* 0: the process has ended */
	Dwfl *dwfl;			/* NULL: could not be opened */
	unsigned wait, passed;		/* stacks to skip, skipped */
};

/* The stack that is being unwound. */
struct stack {
	pid_t tid;			/* any number but 0 */
	Dwarf_Word registers[REGISTERS];
	const unsigned char *bytes;
	size_t size;
	struct dwarf_mapped mapped[MAPPED_MOST];
	unsigned nmapped;
	struct parcel *to;
	unsigned frames;
};

static struct stack now;
static struct image *images;
static unsigned nimages;

/* --- callbacks of libdw -------------------------------------------------- */

/* Visits one thread only, the sampled one. */
static pid_t
next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl;
	(void)arg;
	if (*thread != NULL)
		return (0);
	*thread = &now;
	return (now.tid);
}

static bool
get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	(void)arg;
	*thread = &now;
	return (true);
}

static bool
read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *to, void *arg)
{
	uint64_t at = address - now.registers[STACK_POINTER];

	(void)dwfl;
	(void)arg;
	if (now.size < sizeof(*to) || at > now.size - sizeof(*to))
		return (false);
	memcpy(to, now.bytes + at, sizeof(*to));
	return (true);
}

static bool
set_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
#if defined(__x86_64__)
	return (dwfl_thread_state_registers(thread, 0, REGISTERS,
	    now.registers));
#else
	dwfl_thread_state_register_pc(thread, now.registers[REGISTERS - 1]);
	return (dwfl_thread_state_registers(thread, 0, REGISTERS - 1,
	    now.registers));
#endif
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread, .get_thread = get_thread,
	.memory_read = read_memory, .set_initial_registers = set_registers
};

/* --- images --------------------------------------------------------------- */

static void
forget(void)
{
	struct image *one;

	while ((one = images) != NULL) {
		images = one->next;
		dwfl_end(one->dwfl);
		free(one);
	}
	nimages = 0;
}

static void
open_image(struct image *one)
{
	one->dwfl = one->pid != 0 ? dwarf_open_process(one->pid) :
	    dwarf_open_mapped(now.mapped, now.nmapped);
	if (one->dwfl == NULL || dwfl_attach_state(one->dwfl, NULL, now.tid,
	    &callbacks, &now))
		return;
	dwfl_end(one->dwfl);
	one->dwfl = NULL;
}

static bool
is_known(const struct image *one)
{
	return (one->dwfl != NULL && dwfl_addrmodule(one->dwfl,
	    now.registers[REGISTERS - 1]) != NULL);
}

/* Modules that were read from a running process serve after its end, too. */
static bool
is_image(const struct image *one, uint64_t id, pid_t pid)
{
	return (one->id == id && (one->pid == pid ||
	    (pid == 0 && is_known(one))));
}

static struct image *
image_get(uint64_t id, pid_t pid)
{
	struct image *one = images;

	while (one != NULL && !is_image(one, id, pid))
		one = one->next;
	if (one != NULL)
		return (one);
	if (nimages == IMAGES_MOST)
		forget();
	one = memory_get(NULL, 1, sizeof(*one));
	*one = (struct image){ .next = images, .id = id, .pid = pid };
	images = one;
	nimages++;
	open_image(one);
	return (one);
}

/*
 * Reopens an image if the sampled code is in no module, as one may have been
 * loaded since.  Code that is generated at run time never is in a module, and
 * reopening costs as much as hundreds of stacks: after each failure, twice as
 * many stacks are skipped before the next try.
 */
static void
look_again(struct image *one)
{
	if (is_known(one) || one->passed++ < one->wait)
		return;
	dwfl_end(one->dwfl);
	open_image(one);
	one->passed = 0;
	one->wait = is_known(one) ? 0 :
	    one->wait < PASSES_MOST ? 2 * one->wait + 1 : one->wait;
}

/* --- frames --------------------------------------------------------------- */

/* Adds a frame.  The first one is omitted: tbufctl has it already. */
static int
add_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;
	bool exact;

	(void)arg;
	if (now.frames >= FRAMES_MOST || !dwfl_frame_pc(frame, &pc, &exact))
		return (DWARF_CB_ABORT);
	if (now.frames++ > 0)
		parcel_put(now.to, pc | (exact ? TBUF_FRAME_EXACT : 0));
	return (DWARF_CB_OK);
}

static void
take_mapped(struct parcel *question)
{
	struct dwarf_mapped *m;

	while (now.nmapped < MAPPED_MOST && parcel_more(question)) {
		m = &now.mapped[now.nmapped++];
		m->start = parcel_take(question);
		m->offset = parcel_take(question);
		m->inode = parcel_take(question);
		m->path = parcel_take_text(question);
	}
}

static void
unwind(struct parcel *question, struct parcel *to)
{
	pid_t pid = (pid_t)parcel_take(question);
	uint64_t id = parcel_take(question);
	struct image *one;
	unsigned i;

	now = (struct stack){ .tid = pid != 0 ? pid : 1, .to = to };
	for (i = 0; i < REGISTERS; i++)
		now.registers[i] = parcel_take(question);
	now.bytes = parcel_take_bytes(question, &now.size);
	take_mapped(question);
	one = image_get(id, pid);
	look_again(one);
	if (one->dwfl == NULL && pid != 0)
		parcel_put(to, UNWIND_UNMAPPED);
	if (one->dwfl != NULL)
		(void)dwfl_getthread_frames(one->dwfl, now.tid, add_frame,
		    NULL);
}

void
unwind_answer(int fd)
{
	/* It reads the files of all processes that are sampled. */
	reader_lower();
	parcels_answer(fd, 0, unwind);
}
