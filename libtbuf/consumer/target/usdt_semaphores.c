/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Semaphores of USDT probes: words in a target's memory that it tests before
 * it prepares a probe's arguments.  Other tracers count up and down in the low
 * byte.  tbuf uses one bit of the high byte, which is set while any consumer
 * traces one of the word's probes.  So a later consumer recognises the bit of
 * a killed one, and a consumer that ends does not disturb others.
 *
 * A probe's enable word is set before the bit is read, and read again after
 * the bit was cleared: if one consumer begins while another ends, one of them
 * sees the other.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/target/target.h"

/* The semaphore of a probe.  Several probes may share one. */
struct guard {
	uint64_t word;		/* address; 0: cannot be used */
	bool wanted;		/* some session traces the probe */
	bool ours;		/* our session does */
	bool raised;
};

struct guards {
	struct guard *all;
	size_t count;
};

/*
 * Returns the address of a semaphore.  The target's words are copied and
 * checked.  `memory` stays that of one exec image while it is open: another
 * image has no such words there.
 */
static uint64_t
word_of(int memory, uint64_t at)
{
	struct tbuf_semaphore s;

	if (memory == -1 || at > INT64_MAX || pread(memory, &s, sizeof(s),
	    (off_t)at) != (ssize_t)sizeof(s) ||
	    s.check != (TBUF_SEMAPHORE_CHECK ^ at) || s.word >= INT64_MAX)
		return (0);
	return (s.word);
}

static int
by_word(const void *a, const void *b)
{
	const struct guard *left = a, *right = b;

	return ((left->word > right->word) - (left->word < right->word));
}

/* Marks all guards of a word as wanted if one of them is. */
static void
join(struct guards *g)
{
	size_t first, end, i;
	bool wanted;

	qsort(g->all, g->count, sizeof(*g->all), by_word);
	for (first = 0; first < g->count; first = end) {
		wanted = false;
		for (end = first; end < g->count &&
		    g->all[end].word == g->all[first].word; end++)
			wanted |= g->all[end].wanted;
		for (i = first; i < end; i++)
			g->all[i].wanted = wanted;
	}
}

/* Returns the address where a probe describes its semaphore, or 0. */
static uint64_t
guard_of(const struct tbuf_target *t, uint32_t i)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(&t->view, i);

	return (tbuf_load_acquire(&entry->ready) == 1 ?
	    tbuf_load(&entry->semaphore) : 0);
}

static bool
has_guards(const struct tbuf_target *t)
{
	uint32_t n = tbuf_probes_count(&t->view), i;

	for (i = 0; i < n; i++)
		if (guard_of(t, i) != 0)
			return (true);
	return (false);
}

static bool
collect(const struct tbuf_target *t, int memory, struct guards *g)
{
	uint32_t n = tbuf_probes_count(&t->view), i, enabled;
	uint64_t at;

	g->count = 0;
	if ((g->all = calloc(n, sizeof(*g->all))) == NULL)
		return (false);
	for (i = 0; i < n; i++) {
		if ((at = guard_of(t, i)) == 0)
			continue;
		enabled = tbuf_load(tbuf_view_enable(&t->view, i));
		g->all[g->count++] = (struct guard){
			.word = word_of(memory, at),
			.wanted = enabled != 0,
			.ours = (enabled & 1u << t->slot) != 0
		};
	}
	join(g);
	return (true);
}

/* Sets or clears the bit.  Returns true if it is set afterwards. */
static bool
settle(int memory, uint64_t word, bool wanted)
{
	off_t high = (off_t)(word + 1);
	uint8_t byte, other;

	if (word == 0 || pread(memory, &byte, 1, high) != 1)
		return (false);
	other = wanted ? byte | TBUF_SEMAPHORE : byte & ~TBUF_SEMAPHORE;
	if (other != byte && pwrite(memory, &other, 1, high) != 1)
		return (false);
	return (wanted);
}

/* Raises all wanted semaphores, or lowers all others. */
static void
settle_all(struct guards *g, int memory, bool wanted)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->all[i].wanted == wanted)
			g->all[i].raised = settle(memory, g->all[i].word,
			    wanted);
}

static void
settle_target(struct tbuf_target *t, int memory)
{
	struct guards g;
	size_t i;

	if (!collect(t, memory, &g))
		return;
	settle_all(&g, memory, false);
	free(g.all);
	tbuf_fence();
	if (!collect(t, memory, &g))
		return;
	settle_all(&g, memory, true);
	for (t->waiting = 0, i = 0; i < g.count; i++)
		t->waiting += g.all[i].ours && !g.all[i].raised;
	free(g.all);
}

/*
 * Opens the memory of the process that has this pid now, if the file's owner
 * could write to it.  Root must not change, on behalf of that user, the memory
 * of another user's program or of a setuid program.
 */
static int
memory_open(const struct tbuf_target *t)
{
	struct stat file, memory;
	char path[32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	if (fstat(t->fd, &file) != 0 ||
	    (fd = open(path, O_RDWR | O_CLOEXEC)) == -1)
		return (-1);
	if (file.st_uid == 0 || (fstat(fd, &memory) == 0 &&
	    memory.st_uid == file.st_uid))
		return (fd);
	close(fd);
	return (-1);
}

void
tbuf_semaphores_settle(struct tbuf_target *t)
{
	int memory, error = errno;

	if (!has_guards(t))
		return;
	memory = memory_open(t);
	settle_target(t, memory);
	if (memory != -1)
		close(memory);
	errno = error;
}
