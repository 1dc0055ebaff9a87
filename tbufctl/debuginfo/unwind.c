/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Asks a helper process to unwind stacks, one after the other.
 */
#include <signal.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "base/pipe_message.h"
#include "unwind.h"

static struct tbuf_consumer *consumer;
static struct parcel parcel;
static pid_t reader;			/* 0: none yet, -1: failed */
static int to_reader;

/* Ends the helper process.  Returns its status as of wait(2). */
static int
end(void)
{
	(void)close(to_reader);
	return (reader_wait(reader));
}

/* Appends the mapped files of an ended process, for the helper to open. */
static void
put_mapped(uint64_t image)
{
	struct tbuf_mapping m;
	unsigned i;

	for (i = 0; tbuf_consumer_mapped(consumer, image, i, &m) == 1; i++) {
		if (m.path[0] != '/')
			continue;
		parcel_put(&parcel, m.start);
		parcel_put(&parcel, m.offset);
		parcel_put(&parcel, m.inode);
		parcel_put_text(&parcel, m.path);
	}
}

/* Asks for the callers' frames, which `parcel` then has; false on failure. */
static bool
ask(const struct tbuf_stack *stack, pid_t pid)
{
	unsigned i;

	parcel.used = 0;
	parcel_put(&parcel, (uint64_t)pid);
	parcel_put(&parcel, stack->image);
	for (i = 0; i < stack->nregisters; i++)
		parcel_put(&parcel, stack->registers[i]);
	parcel_put_bytes(&parcel, stack->bytes, stack->size);
	if (pid == 0)
		put_mapped(stack->image);
	if (parcel_send(&parcel, to_reader) &&
	    parcel_receive(&parcel, to_reader))
		return (true);
	message(MSG_UNWIND, reader_why(end()));
	reader = -1;
	return (false);
}

/*
 * Unwinds one stack.  A process that is about to end has no mappings any more,
 * but may count as running: it is then unwound as one that has ended.
 */
static unsigned
unwind(void *arg, const struct tbuf_stack *stack, uint64_t *frames,
    unsigned most)
{
	uint64_t pc = stack->registers[stack->nregisters - 1];
	struct tbuf_mapping m;
	unsigned n = 0;
	bool again;

	(void)arg;
	if (reader == 0 && (reader = reader_start(&to_reader)) == 0)
		unwind_answer(to_reader);
	if (reader == -1 || tbuf_consumer_mapping(consumer, stack->image, pc,
	    &m) != 1 || !ask(stack, m.pid))
		return (0);
	again = m.pid != 0;
	while (n < most && parcel_more(&parcel)) {
		frames[n] = parcel_take(&parcel);
		if (frames[n] != UNWIND_UNMAPPED)
			n++;
		else if (!again || !ask(stack, 0))
			return (0);
		else
			again = false;
	}
	return (n);
}

void
unwind_begin(struct tbuf_consumer *c)
{
	consumer = c;
	tbuf_consumer_unwind(c, unwind, NULL);
}

void
unwind_end(void)
{
	if (reader > 0) {
		(void)kill(reader, SIGKILL);
		(void)end();
	}
	reader = 0;
	parcel_free(&parcel);
}
