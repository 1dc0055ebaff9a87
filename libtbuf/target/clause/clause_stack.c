/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ustack(), ucaller, ustackdepth and uregs[]: the frames above a probe, by
 * their frame pointers.
 *
 *	the stack's end			how it is read
 *	+-----------------------+
 *	| frames of the program	|	loads, within the known part of this
 *	|			|	thread's stack; else a call for each
 *	+-----------------------+ <---	where the site called us
 *	| ours			|	loads
 *	+-----------------------+
 *
 * A frame pointer may be any value that the program has in that register, so
 * each one is checked before it is followed.  Nothing but the stack is read: a
 * frame is above the one that it was called from, and below the stack's end.  A
 * stack that the consumer unwinds is copied from there on, as far as it may be
 * read.
 */
#include "base/optimize_size.h"

#include <sys/uio.h>

#include <string.h>

#include "arch/stack.h"
#include "base/safe_read.h"
#include "layout/raw_stack.h"
#include "machine/internal.h"
#include "target/clause/clause.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Frames of ours, from the clause to the site: there are about five. */
#define OURS_MAX	32
/* Largest frame, bytes, on a stack of which only the pointer is known. */
#define FRAME_MAX	65536
/* Pages for each call that asks for them, and such calls for a stack. */
#define PAGES		16
#define ASK_MAX		128
#define PAGE		UINT64_C(4096)
/* Bytes of another stack that one call copies: several frames. */
#define WINDOW		512

/* End of the main thread's stack, from the loader; others end at their area. */
extern void *__libc_stack_end __attribute__((weak));

struct frame {
	uint64_t at;		/* address of the frame's two words */
	uint64_t next;		/* the first: saved frame pointer */
	uint64_t pc;		/* the second: return address */
	uint64_t behind;	/* next pc, if no frame has it; or 0 */
	uint64_t gap;		/* stack_gap, if it was not readable in this
				   walk; or 0 */
	uint64_t from;		/* address of the window */
	uint64_t last;		/* offset of the last frame that it has */
	unsigned char window[WINDOW];
};

/*
 * Copies bytes of this process by a call that fails where a load would trap.
 * Returns how many were copied.
 */
static size_t
ask_some(const struct tbuf_run *run, const struct iovec *from, unsigned count,
    void *to, size_t size)
{
	long n = run->calls ?
	    tbuf_peek(tbuf_self.peek, from, count, to, size) : 0;

	return (n >= 0 ? (size_t)n : 0);
}

/*
 * Returns true if every page from `low' to `high' can be read; else stores the
 * first that cannot.
 */
static bool
is_whole(const struct tbuf_run *run, uint64_t low, uint64_t high,
    uint64_t *gap)
{
	struct iovec pages[PAGES];
	char bytes[PAGES];
	size_t n;

	while (low < high) {
		*gap = low;
		for (n = 0; n < PAGES && low < high; n++, low += PAGE)
			pages[n] = (struct iovec){
				(void *)(uintptr_t)low, 1
			};
		*gap += ask_some(run, pages, (unsigned)n, bytes, n) * PAGE;
		if (*gap != low)
			return (false);
	}
	return (true);
}

/*
 * Returns the end of the stack that an address may be in, or 0.  The stack of a
 * thread that pthreads has made ends at its area; the first thread's area is
 * elsewhere, except in a child that such a thread has forked.
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
 * Returns true if a frame at an address is in this thread's stack.  The known
 * part grows when the thread has got deeper: all that is between exists as long
 * as the thread.  A handler's stack, or a coroutine's, has a gap between, or
 * ends elsewhere.  A walk makes at most ASK_MAX calls until it finds a gap;
 * later walks make one for the same gap.
 */
static bool
is_stack(const struct tbuf_run *run, struct frame *f, uint64_t address)
{
	struct tbuf_thread *self = &tbuf_thread;
	uint64_t low = tbuf_load(&self->stack_low);
	uint64_t gap = tbuf_load(&self->stack_gap);
	uint64_t end = end_above(run, address);

	if (end - address < 2 * sizeof(uint64_t) || end == 0)
		return (false);
	if (end != tbuf_load(&self->stack_end))
		low = end;
	else if (address >= low)
		return (true);
	address &= -PAGE;
	if (low - address > ASK_MAX * PAGES * PAGE)
		return (false);
	/* A walk asks once if the gap is still there. */
	if (gap - address < low - address &&
	    (f->gap == gap || !is_whole(run, gap, gap + 1, &f->gap)))
		return (false);
	if (!is_whole(run, address, low, &f->gap)) {
		tbuf_store(&self->stack_gap, f->gap);
		return (false);
	}
	/* inv.guest: a handler between the two finds that nothing is known. */
	tbuf_store(&self->stack_end, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&self->stack_low, address);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&self->stack_end, end);
	return (true);
}

/* Loads a frame; a false one may be between variables: ASan and TSan object. */
static __attribute__((no_sanitize("address", "thread"))) void
load(struct frame *f)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)f->at;

	f->next = tbuf_load(words);
	f->pc = tbuf_stack_code(tbuf_load(words + 1));
}

/*
 * Reads a frame of another stack from the window, which is moved unless it has
 * the frame: 16 bytes at an address of the program's choice.
 */
static bool
copy(const struct tbuf_run *run, struct frame *f)
{
	const struct iovec from = { (void *)(uintptr_t)f->at, WINDOW };
	uint64_t words[2];
	size_t size;

	if (f->at - f->from > f->last) {
		size = ask_some(run, &from, 1, f->window, WINDOW);
		if (size < sizeof(words))
			return (false);
		f->from = f->at;
		f->last = size - sizeof(words);
	}
	memcpy(words, f->window + (f->at - f->from), sizeof(words));
	f->next = words[0];
	f->pc = tbuf_stack_code(words[1]);
	return (true);
}

/*
 * Finds the caller's frame.  Within a stack it is above this one; a handler's
 * stack may lead to the thread's, at any address.
 */
static bool
next(const struct tbuf_run *run, struct frame *f)
{
	bool here, there;

	if (f->behind != 0) {
		f->pc = f->behind;
		f->behind = 0;
		return (true);
	}
	if (f->next % 8 != 0)
		return (false);
	here = is_stack(run, f, f->at);
	there = is_stack(run, f, f->next);
	if (there ? here && f->next <= f->at :
	    here || f->next - f->at - 1 >= FRAME_MAX)
		return (false);
	f->at = f->next;
	if (there)
		load(f);
	else if (!copy(run, f))
		return (false);
	return (tbuf_stack_plausible(f->pc));
}

/* Makes the first frame from the registers that a provider has stored. */
static void
first_redirected(struct frame *f)
{
	const struct tbuf_from *from = &tbuf_thread.from;

	f->at = tbuf_load(&from->sp) - 2 * sizeof(uint64_t);
	f->next = tbuf_load(&from->fp);
	f->pc = tbuf_load(&from->pc);
	if ((f->pc & TBUF_FRAME_EXACT) == 0)
		f->pc = tbuf_stack_code(f->pc);
	if (tbuf_load(&from->inner) != 0) {
		f->behind = f->pc;
		f->pc = tbuf_load(&from->inner);
	}
}

/* Other functions of ours are no farther from tbuf_clause_chain(), in bytes. */
#define OURS_NEAR	(UINT64_C(1) << 20)

/*
 * Bounds of the functions that call others of ours by a pointer (plan.h).  The
 * linker puts them after the program's own code, so they may be far away.
 */
extern const char calls_begin[] __asm__("__start_tbuf_calls_pointer")
    TBUF_HIDDEN;
extern const char calls_end[] __asm__("__stop_tbuf_calls_pointer") TBUF_HIDDEN;

static bool
calls_pointers(uint64_t address)
{
	return (address - (uint64_t)(uintptr_t)calls_begin <
	    (uint64_t)(calls_end - calls_begin));
}

/*
 * Returns true if a function of ours has made the call before pc.  A static
 * program's own functions are near, too; these call tbuf_private_fire().
 */
static bool
is_ours(const struct tbuf_run *run, uint64_t pc)
{
	uint64_t called = tbuf_stack_called(pc);

	return (calls_pointers(pc) || calls_pointers(called) ||
	    (called - run->chain + OURS_NEAR < 2 * OURS_NEAR &&
	    !tbuf_stack_fires(called)));
}

/*
 * Finds the frame that we were called from: its function's frame pointer, and
 * the site as pc.  All of ours call each other directly, except for those in
 * TBUF_CALLS_POINTER, and a site calls through its pointer.  TBUF_PROBE does so
 * in tbuf_private_fire(), which is no function of the program's, and mostly has
 * no frame, as it jumps to site->fire.  A provider that fires for redirected
 * code has stored that code's pc and registers.
 */
static bool
first(struct tbuf_run *run, struct frame *f)
{
	unsigned n;

	run->is_main = tbuf_run_thread() == tbuf_run_pid(run);
	f->behind = f->gap = 0;
	f->from = f->last = 0;
	if (tbuf_load(&tbuf_thread.from.site) == run->site) {
		first_redirected(f);
		return (true);
	}
	f->at = (uint64_t)(uintptr_t)run->frame;
	for (n = 0; n < OURS_MAX; n++) {
		load(f);
		if (!is_ours(run, f->pc)) {
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

/* Reads one of the registers that are known after a call. */
int
tbuf_run_register(struct tbuf_run *run, uint64_t number, uint64_t *value)
{
	struct frame f;

	if (!first(run, &f))
		return (TBUF_FAULT_ILLEGAL);
	switch (number) {
	case TBUF_STACK_PC:
		*value = f.pc & ~TBUF_FRAME_EXACT;
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

/*
 * Copies words of the stack; ASan and TSan object to those between variables.
 */
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

/* Copies page by page, so that the bytes before a gap are copied. */
static uint32_t
copy_pages(const struct tbuf_run *run, uint8_t *to, uint64_t from,
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

/* Copies from an address to the stack's end, if that is not too far. */
static uint32_t
copy_stack(const struct tbuf_run *run, struct frame *f, uint8_t *to,
    uint64_t from, uint32_t most)
{
	uint64_t room;

	if (most > TBUF_RAW_BYTES)
		most = TBUF_RAW_BYTES;
	if (from % sizeof(uint64_t) != 0 || !is_stack(run, f, from))
		return (copy_pages(run, to, from, most));
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
	struct tbuf_raw raw = { .image = image };
	struct frame f;
	uint32_t room = *size;

	if (room < sizeof(raw) || !first(run, &f))
		return (TBUF_FAULT_ILLEGAL);
	raw.inner = f.pc;
	raw.pc = f.behind != 0 ? f.behind : f.pc;
	raw.sp = f.at + 2 * sizeof(uint64_t);
	raw.fp = f.next;
	memcpy(to, &raw, sizeof(raw));
	*size = (uint32_t)sizeof(raw) + copy_stack(run, &f,
	    to + sizeof(raw), raw.sp, room - (uint32_t)sizeof(raw));
	return (0);
}
