/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ustack(), ucaller, ustackdepth and uregs[]: the frames above a probe, by
 * their frame pointers.
 *
 *	the stack's end			by whom it is read
 *	+-----------------------+
 *	| frames of the program	|	loads, within what is known to be this
 *	|			|	thread's stack; else a call for each
 *	+-----------------------+ <---	where the site called us
 *	| ours			|	loads
 *	+-----------------------+
 *
 * A frame pointer is whatever the program has in that register, so each one is
 * looked at before it is followed.  Nothing but the stack is read: a frame lies
 * above the one that it was called from, and below the stack's end.  A stack
 * that others unwind is copied from there on, as far as it may be read.
 */
#include "base/optimize_size.h"

#include <sys/uio.h>

#include <string.h>

#include "arch/stack.h"
#include "machine/internal.h"
#include "base/safe_read.h"
#include "layout/raw_stack.h"
#include "target/clause/clause.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Frames of ours, from the clause to the site: there are five or so. */
#define OURS_MAX	32
/* On a stack of which only the pointer is known, a frame is no larger. */
#define FRAME_MAX	65536
/* Pages that are asked for at once, and calls of that for a stack. */
#define PAGES		16
#define ASK_MAX		128
#define PAGE		UINT64_C(4096)

/* The main thread's stack, from the loader; others have it below their area. */
extern void *__libc_stack_end __attribute__((weak));

struct frame {
	uint64_t at;		/* where the frame pointer points */
	uint64_t next;		/* what is saved there: the caller's */
	uint64_t pc;		/* where it will go on */
	uint64_t behind;	/* ... of the caller, without a record; or 0 */
};

/*
 * Some bytes of ours, by a call that fails where a load would trap: how many
 * were there.
 */
static size_t
ask_some(const struct tbuf_run *run, const struct iovec *from, unsigned count,
    void *to, size_t size)
{
	long n = run->calls ?
	    tbuf_peek(tbuf_self.peek, from, count, to, size) : 0;

	return (n >= 0 ? (size_t)n : 0);
}

static bool
ask(const struct tbuf_run *run, const struct iovec *from, unsigned count,
    void *to, size_t size)
{
	return (ask_some(run, from, count, to, size) == size);
}

/* Can every page from `low' to `high' be read? */
static bool
is_whole(const struct tbuf_run *run, uint64_t low, uint64_t high)
{
	struct iovec pages[PAGES];
	char bytes[PAGES];
	unsigned n, calls;

	for (calls = 0; low < high; calls++) {
		for (n = 0; n < PAGES && low < high; n++, low += PAGE)
			pages[n] = (struct iovec){
				(void *)(uintptr_t)low, 1
			};
		if (calls == ASK_MAX || !ask(run, pages, n, bytes, n))
			return (false);
	}
	return (true);
}

/*
 * Where the stack ends that an address may lie in, or 0.  A thread that
 * pthreads has made has its area there; the first one has that elsewhere, but
 * in a child that such a thread has forked.
 */
static uint64_t
end_above(const struct tbuf_run *run, uint64_t address)
{
	uint64_t area = tbuf_stack_thread();
	uint64_t end;

	if (!run->is_main || (uint64_t)(uintptr_t)run->frame < area)
		if (address < area)
			return (area);
	if (!run->is_main || &__libc_stack_end == NULL)
		return (0);
	end = (uint64_t)(uintptr_t)__libc_stack_end;
	return (address < end ? end : 0);
}

/*
 * Does it lie in this thread's stack?  Learnt once, and again where the thread
 * has got deeper: whatever lies between is there as long as the thread.  A
 * handler's stack, or a coroutine's, has a gap between, or ends elsewhere.
 */
static bool
is_stack(const struct tbuf_run *run, uint64_t address)
{
	struct tbuf_thread *self = &tbuf_thread;
	uint64_t low = tbuf_load(&self->stack_low);
	uint64_t end = end_above(run, address);

	if (end == 0)
		return (false);
	if (end != tbuf_load(&self->stack_end))
		low = end;
	else if (address >= low)
		return (true);
	address &= -PAGE;
	if (!is_whole(run, address, low))
		return (false);
	/* inv.guest: a handler between the two finds nothing that is known. */
	tbuf_store(&self->stack_end, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&self->stack_low, address);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&self->stack_end, end);
	return (true);
}

/* What is no frame may lie between variables: ASan and TSan object. */
static __attribute__((no_sanitize("address", "thread"))) void
load(struct frame *f)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)f->at;

	f->next = tbuf_load(words);
	f->pc = tbuf_stack_code(tbuf_load(words + 1));
}

/* A frame's two words: 16 bytes at an address of the program's choice. */
static bool
read_frame(const struct tbuf_run *run, struct frame *f)
{
	const struct iovec from = { (void *)(uintptr_t)f->at, 16 };
	uint64_t words[2];

	if (is_stack(run, f->at)) {
		if (end_above(run, f->at) - f->at < sizeof(words))
			return (false);
		load(f);
		return (true);
	}
	if (!ask(run, &from, 1, words, sizeof(words)))
		return (false);
	f->next = words[0];
	f->pc = tbuf_stack_code(words[1]);
	return (true);
}

/* May a frame be where another one says that its caller's is? */
static bool
is_above(const struct tbuf_run *run, const struct frame *f)
{
	if (f->next % 8 != 0 || f->next == 0)
		return (false);
	/* From a handler's stack to the thread's: wherever that is. */
	if (!is_stack(run, f->at))
		return ((f->next > f->at && f->next - f->at <= FRAME_MAX) ||
		    is_stack(run, f->next));
	return (f->next > f->at && is_stack(run, f->next));
}

static bool
next(const struct tbuf_run *run, struct frame *f)
{
	if (f->behind != 0) {
		f->pc = f->behind;
		f->behind = 0;
		return (true);
	}
	if (!is_above(run, f))
		return (false);
	f->at = f->next;
	return (read_frame(run, f) && tbuf_stack_plausible(f->pc));
}

/* What a provider has told that fires for other code. */
static void
first_told(struct frame *f)
{
	const struct tbuf_from *from = &tbuf_thread.from;

	f->at = tbuf_load(&from->sp) - 2 * sizeof(uint64_t);
	f->next = tbuf_load(&from->fp);
	f->pc = tbuf_stack_code(tbuf_load(&from->pc));
	if (tbuf_load(&from->inner) != 0) {
		f->behind = f->pc;
		f->pc = tbuf_load(&from->inner);
	}
}

/*
 * The frame that we were called from: its function's frame pointer, and the
 * site as pc.  All of ours call each other directly, and a site calls through
 * its pointer.  TBUF_PROBE does so in tbuf_private_fire(), which is no function
 * of the program's; what has called that has mostly jumped there.  A provider
 * that fires for redirected code has told where that is.
 */
static bool
first(struct tbuf_run *run, struct frame *f)
{
	unsigned n;

	run->is_main = tbuf_run_thread() == tbuf_run_pid(run);
	f->behind = 0;
	if (tbuf_load(&tbuf_thread.from.site) == run->site) {
		first_told(f);
		return (true);
	}
	f->at = (uint64_t)(uintptr_t)run->frame;
	for (n = 0; n < OURS_MAX; n++) {
		load(f);
		if (!tbuf_stack_direct(f->pc, run->chain)) {
			if (run->site->hot != NULL &&
			    tbuf_stack_through(f->pc))
				(void)next(run, f);
			return (true);
		}
		f->at = f->next;
	}
	return (false);
}

uint32_t
tbuf_run_stack(struct tbuf_run *run, uint64_t *frames, uint32_t most)
{
	struct frame f;
	uint32_t n = 0;
	bool more;

	for (more = first(run, &f); more && n < most; more = next(run, &f)) {
		if (frames != NULL)
			tbuf_store(&frames[n], f.pc);
		n++;
	}
	return (n);
}

int
tbuf_run_stack_put(struct tbuf_machine *m, uint64_t address, uint64_t most)
{
	struct tbuf_span span;
	uint64_t *frames;
	uint32_t n;
	int answer = tbuf_memory_span(m, address, 0, &span);

	if (answer != 0)
		return (answer);
	if (!span.writable || (uintptr_t)span.at % sizeof(*frames) != 0) {
		m->fault.address = address;
		return (TBUF_FAULT_ADDRESS);
	}
	if (most > span.size / sizeof(*frames))
		most = span.size / sizeof(*frames);
	frames = (uint64_t *)(void *)span.at;
	n = tbuf_run_stack(tbuf_run_of(m), frames, (uint32_t)most);
	for (; n < most; n++)
		tbuf_store(&frames[n], 0);
	return (0);
}

uint64_t
tbuf_run_caller(struct tbuf_run *run)
{
	struct frame f;

	return (first(run, &f) && next(run, &f) ? f.pc : 0);
}

/* Of the registers a call leaves these to be known. */
int
tbuf_run_register(struct tbuf_run *run, uint64_t number, uint64_t *value)
{
	struct frame f;

	if (!first(run, &f))
		return (TBUF_FAULT_ILLEGAL);
	switch (number) {
	case TBUF_STACK_PC:
		*value = f.pc;
		return (0);
	case TBUF_STACK_SP:
		*value = f.at + 16;
		return (0);
	case TBUF_STACK_FP:
		*value = f.next;
		return (0);
	}
	return (TBUF_FAULT_ILLEGAL);
}

/* ------------------------------------------------------------ raw stacks */

/* What lies between variables is read, too. */
static __attribute__((no_sanitize("address", "thread"))) void
copy_words(uint8_t *to, uint64_t from, uint32_t size)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; i < size; i += sizeof(word)) {
		word = tbuf_load((const uint64_t *)(uintptr_t)(from + i));
		memcpy(to + i, &word, sizeof(word));
	}
}

/* A page by itself, so that what stands in front of a gap is there. */
static uint32_t
copy_asked(const struct tbuf_run *run, uint8_t *to, uint64_t from,
    uint32_t most)
{
	struct iovec pages[TBUF_RAW_BYTES / PAGE + 1];
	uint64_t at = from, end = from + most, next;
	unsigned n;

	for (n = 0; n < sizeof(pages) / sizeof(pages[0]) && at < end; n++) {
		next = (at & -PAGE) + PAGE;
		next = next < end ? next : end;
		pages[n] = (struct iovec){
			(void *)(uintptr_t)at, (size_t)(next - at)
		};
		at = next;
	}
	return ((uint32_t)ask_some(run, pages, n, to, (size_t)(at - from)));
}

/* From an address to the stack's end, if that is not too far. */
static uint32_t
copy_stack(const struct tbuf_run *run, uint8_t *to, uint64_t from,
    uint32_t most)
{
	uint64_t room;

	if (most > TBUF_RAW_BYTES)
		most = TBUF_RAW_BYTES;
	if (from % sizeof(uint64_t) != 0 || !is_stack(run, from))
		return (copy_asked(run, to, from, most));
	room = end_above(run, from) - from;
	if (most > room)
		most = (uint32_t)room;
	most &= -(uint32_t)sizeof(uint64_t);
	copy_words(to, from, most);
	return (most);
}

int
tbuf_run_stack_raw(struct tbuf_machine *m, uint64_t image, uint8_t *to,
    uint32_t *size)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_raw raw = {
		.registers = TBUF_RAW_REGISTERS, .image = image
	};
	struct frame f;
	uint32_t room = *size;

	if (room < sizeof(raw) || !first(run, &f))
		return (TBUF_FAULT_ILLEGAL);
	/* Its registers are the caller's. */
	raw.pc = f.behind != 0 ? f.behind : f.pc;
	raw.sp = f.at + 2 * sizeof(uint64_t);
	raw.fp = f.next;
	memcpy(to, &raw, sizeof(raw));
	*size = (uint32_t)sizeof(raw) + copy_stack(run, to + sizeof(raw),
	    raw.sp, room - (uint32_t)sizeof(raw));
	return (0);
}
