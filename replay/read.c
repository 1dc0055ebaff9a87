/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the list of calls.  An entry waits for its thread's return, which has
 * the block; other records of the recording are counted.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "record/read_recording.h"
#include "replay.h"

const char *const function_names[FUNCTIONS] = {
	[MALLOC] = "malloc", [CALLOC] = "calloc", [REALLOC] = "realloc",
	[REALLOCARRAY] = "reallocarray", [FREE] = "free",
	[POSIX_MEMALIGN] = "posix_memalign",
	[ALIGNED_ALLOC] = "aligned_alloc", [MEMALIGN] = "memalign",
	[VALLOC] = "valloc", [PVALLOC] = "pvalloc"
};

/* Calls of one thread that have not returned, the last on top. */
#define PENDING_MAX	8
struct thread {
	uint32_t tid;
	unsigned pending;
	struct {
		uint64_t old;		/* address, or 0 */
		struct call call;
	} calls[PENDING_MAX];
};

/* A block that lives: its address and its number; address 0: no entry. */
struct block {
	uint64_t address;
	uint64_t size;
	uint32_t number;
};

static struct list list;
static FILE *file;
static pid_t process;			/* whose calls are replayed */
static bool process_is_named;		/* else the first one of the records */
static struct thread threads[THREADS_MAX];
static struct block *blocks;		/* open addressing, half full at most */
static size_t blocks_room, blocks_used;

/* Ends the process with a message in the list. */
static _Noreturn void
give_up(const char *message)
{
	snprintf(list.error, sizeof(list.error), "%s", message);
	if (pwrite(fileno(file), &list, sizeof(list), 0) != sizeof(list))
		err(1, NAME);
	_exit(0);
}

/* ------------------------------------------------------------ blocks */

static size_t
home(uint64_t address)
{
	return ((size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
	    (blocks_room - 1));
}

/* Returns the entry of an address, or the empty one where it may be put. */
static struct block *
block_find(uint64_t address)
{
	size_t at = home(address);

	while (blocks[at].address != 0 && blocks[at].address != address)
		at = (at + 1) & (blocks_room - 1);
	return (&blocks[at]);
}

static void
blocks_grow(void)
{
	struct block *old = blocks;
	size_t room = blocks_room, i;

	blocks_room = room == 0 ? 4096 : 2 * room;
	blocks = calloc(blocks_room, sizeof(*blocks));
	if (blocks == NULL)
		give_up(strerror(ENOMEM));
	for (i = 0; i < room; i++)
		if (old[i].address != 0)
			*block_find(old[i].address) = old[i];
	free(old);
}

/* Removes an entry, and moves those after it that it was in the way of. */
static void
block_remove(struct block *b)
{
	size_t gap = (size_t)(b - blocks), at = gap;

	list.live_blocks--;
	list.live_bytes -= b->size;
	blocks_used--;
	for (;;) {
		at = (at + 1) & (blocks_room - 1);
		if (blocks[at].address == 0)
			break;
		if (((at - home(blocks[at].address)) & (blocks_room - 1)) <
		    ((at - gap) & (blocks_room - 1)))
			continue;
		blocks[gap] = blocks[at];
		gap = at;
	}
	blocks[gap].address = 0;
}

static uint32_t
block_add(uint64_t address, uint64_t size)
{
	struct block *b;

	if (2 * (blocks_used + 1) > blocks_room)
		blocks_grow();
	b = block_find(address);
	if (b->address != 0) {
		/* Its free was lost. */
		list.lost++;
		block_remove(b);
		b = block_find(address);
	}
	*b = (struct block){ address, size, list.nblocks++ };
	blocks_used++;
	list.live_blocks++;
	list.live_bytes += size;
	if (list.live_bytes > list.peak_bytes)
		list.peak_bytes = list.live_bytes;
	return (b->number);
}

/* Takes the block at an address off.  Returns its number, or NO_BLOCK. */
static uint32_t
block_take(uint64_t address)
{
	struct block *b = blocks_room == 0 ? NULL : block_find(address);
	uint32_t number;

	if (b == NULL || b->address == 0) {
		list.unknown++;
		return (NO_BLOCK);
	}
	number = b->number;
	block_remove(b);
	return (number);
}

/* ------------------------------------------------------------ calls */

static void
call_add(const struct call *call)
{
	if (list.ncalls == CALLS_MAX)
		give_up("too many calls");
	if (fwrite(call, sizeof(*call), 1, file) != 1)
		give_up(strerror(errno));
	list.ncalls++;
	list.functions[call->function]++;
}

static struct thread *
thread_of(uint32_t tid)
{
	unsigned i;

	for (i = 0; i < list.nthreads; i++)
		if (threads[i].tid == tid)
			return (&threads[i]);
	if (i == THREADS_MAX)
		give_up("too many threads");
	threads[i].tid = tid;
	list.nthreads++;
	return (&threads[i]);
}

/* Returns an argument of a record, or 0. */
static uint64_t
argument(const struct tbuf_record *r, const char *name)
{
	unsigned i;

	for (i = 0; i < r->nargs && i < r->probe->nargs; i++)
		if (strcmp(r->probe->argnames[i], name) == 0)
			return (r->args[i].type == TBUF_STRING ||
			    r->args[i].type == TBUF_STRING_SIZED ||
			    r->args[i].type == TBUF_BINARY ? 0 :
			    r->args[i].u);
	return (0);
}

static uint64_t
product(uint64_t a, uint64_t b)
{
	uint64_t value;

	return (__builtin_mul_overflow(a, b, &value) ? UINT64_MAX : value);
}

static void
enter(struct thread *t, enum function f, const struct tbuf_record *r)
{
	struct call call = { .function = f, .block = NO_BLOCK, .old = NO_BLOCK,
	    .thread = (uint16_t)(t - threads), .size = argument(r, "size"),
	    .alignment = argument(r, "alignment") };
	uint64_t old = argument(r, "ptr");

	if (f == CALLOC || f == REALLOCARRAY)
		call.size = product(call.size, argument(r, "nmemb"));
	if (f == FREE) {
		/* Another thread may have the block before it returns. */
		call.old = old == 0 ? NO_BLOCK : block_take(old);
		if (call.old != NO_BLOCK)
			call_add(&call);
		return;
	}
	if (t->pending == PENDING_MAX) {
		list.unpaired += PENDING_MAX;
		t->pending = 0;
	}
	t->calls[t->pending].old = old;
	t->calls[t->pending++].call = call;
}

/* Completes a call that changes a block; it may free it, or have failed. */
static void
resized(struct call *call, uint64_t old, uint64_t result)
{
	if (result == 0 && call->size != 0) {
		list.failed++;
		return;
	}
	if (old != 0)
		call->old = block_take(old);
	if (result != 0)
		call->block = block_add(result, call->size);
	else
		call->function = FREE;
	if (call->block != NO_BLOCK || call->old != NO_BLOCK)
		call_add(call);
}

static void
leave(struct thread *t, enum function f, const struct tbuf_record *r)
{
	uint64_t result = argument(r, f == POSIX_MEMALIGN ? "ptr" : "result");
	unsigned n = t->pending;
	struct call call;

	if (f == FREE)
		return;
	while (n > 0 && t->calls[n - 1].call.function != f)
		n--;
	if (n == 0) {
		list.unpaired++;
		return;
	}
	list.unpaired += t->pending - n;
	t->pending = n - 1;
	call = t->calls[n - 1].call;
	if (f == POSIX_MEMALIGN && argument(r, "result") != 0)
		result = 0;
	if (f == REALLOC || f == REALLOCARRAY) {
		resized(&call, t->calls[n - 1].old, result);
		return;
	}
	if (result == 0) {
		list.failed++;
		return;
	}
	call.block = block_add(result, call.size);
	call_add(&call);
}

/* ------------------------------------------------------------ records */

/* Returns true for the process that is replayed, which has to be one. */
static bool
is_process(const struct tbuf_record *r)
{
	char message[sizeof(list.error)];

	if (process == 0)
		process = r->pid;
	if (r->pid == process || process_is_named)
		return (r->pid == process);
	snprintf(message, sizeof(message), "calls of several processes: -p "
	    "names one of them (example: -p %ld, which is %.32s)",
	    (long)r->pid, r->execname == NULL ? "?" : r->execname);
	give_up(message);
}

static void
record(const struct tbuf_record *r)
{
	const struct tbuf_probe_info *p = r->probe;
	unsigned f = 0;

	while (f < FUNCTIONS && strcmp(p->function, function_names[f]) != 0)
		f++;
	if (f == FUNCTIONS || strcmp(p->provider, "libc") != 0 ||
	    r->npieces != 0 || !is_process(r))
		return;
	if (strcmp(p->name, "entry") == 0)
		enter(thread_of(r->tid), f, r);
	else if (strcmp(p->name, "return") == 0)
		leave(thread_of(r->tid), f, r);
}

static void
event(const struct tbuf_event *e)
{
	if (process_is_named && e->pid != process)
		return;
	switch (e->type) {
	case TBUF_EVENT_RECORD:
		record(&e->record);
		break;
	case TBUF_EVENT_DROPS:
	case TBUF_EVENT_UNIT_DROPS:
		list.drops += e->count;
		break;
	case TBUF_EVENT_OVERWRITTEN:
	case TBUF_EVENT_UNIT_OVERWRITTEN:
		list.overwritten += e->count;
		break;
	case TBUF_EVENT_DAMAGE:
		list.damage += e->count;
		break;
	default:
		break;
	}
}

static int
open_path(struct tbuf_consumer *c, const char *path)
{
	char message[sizeof(list.error)];
	struct stat st;
	const char *why = NULL;
	int error;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return (tbuf_consumer_open_file(c, path));
	error = recording_read(c, path, &why);
	if (why == NULL)
		return (error);
	snprintf(message, sizeof(message), "failed to read %s: %s", path, why);
	give_up(message);
}

static int
read_all(struct tbuf_consumer *c, const char *path)
{
	struct tbuf_event e;
	int error = tbuf_consumer_set(c, "temporal", NULL), more = 1;

	if (error >= 0)
		error = open_path(c, path);
	if (error >= 0)
		error = tbuf_consumer_go(c);
	while (error >= 0 && more > 0) {
		if ((more = tbuf_consumer_work(c)) < 0)
			error = more;
		while ((error = tbuf_consumer_next(c, &e)) > 0)
			event(&e);
	}
	return (error);
}

void
list_make(const char *path, pid_t wanted, int fd)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	unsigned i;

	process = wanted;
	process_is_named = wanted != 0;
	if ((file = fdopen(fd, "w")) == NULL || c == NULL)
		err(1, NAME);
	if (fwrite(&list, sizeof(list), 1, file) != 1)
		err(1, NAME);
	if (read_all(c, path) < 0)
		give_up(tbuf_consumer_error(c));
	for (i = 0; i < list.nthreads; i++)
		list.unpaired += threads[i].pending;
	if (fflush(file) != 0)
		give_up(strerror(errno));
	if (pwrite(fd, &list, sizeof(list), 0) != sizeof(list))
		err(1, NAME);
	tbuf_consumer_close(c);
	_exit(0);
}
