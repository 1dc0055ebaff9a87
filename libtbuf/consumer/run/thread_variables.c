/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Frees the blocks with self-> variables of dead threads, at cleanrate, if
 * enough blocks are in use.  The target runs nothing for that, so it does not
 * matter how a thread ends.
 *
 * A thread is dead when its process has no task with its id, or when a later
 * thread with that id has a block (numbers rise).  A thread that has claimed a
 * block was alive then, so the blocks are read first, then the tasks.
 *
 * A thread has two blocks for a moment if a signal handler claimed one first,
 * until the thread frees its own again, which another thread may claim then.
 * So the owner is checked before a block is freed; a dead thread's owner stays.
 */
#include <stdlib.h>

#include "arch/atomics.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/program_file.h"

/* Blocks in use up to which no thread is looked for. */
#define USED_MIN(count)		((count) / 8)
/* New claims after which threads are looked for; at least once a second. */
#define MORE_MIN(count)		((count) / 64)

/* A block in use. */
struct used {
	uint64_t index, owner, tid;
};

/* ------------------------------------------------------------ blocks */

void
tbuf_variables_adopt(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	const struct tbuf_programs *p = c->programs;

	if (p == NULL || t->blocks.part.size != p->blocks)
		t->blocks.part.size = 0;
	if (p == NULL || t->elements.part.size != p->dynamic)
		t->elements.part.size = 0;
}

void
tbuf_variables_forget(struct tbuf_target *t)
{
	tbuf_part_unmap(&t->blocks.part, &t->blocks.base);
	t->blocks = (struct tbuf_blocks){ .base = NULL };
	tbuf_part_unmap(&t->elements.part, &t->elements.base);
	t->elements = (struct tbuf_elements_part){ .base = NULL };
}

static struct tbuf_block *
block_at(const struct tbuf_target *t, uint32_t size, uint64_t index)
{
	return ((struct tbuf_block *)(void *)(t->blocks.base + index * size));
}

/* Frees a block.  The owner is cleared last: then any thread may claim it. */
static void
block_free(const struct tbuf_target *t, uint32_t size, uint64_t index)
{
	struct tbuf_block *block = block_at(t, size, index);
	uint64_t *words = (uint64_t *)(void *)(block + 1);
	size_t i;

	for (i = 0; i < (size - sizeof(*block)) / sizeof(*words); i++)
		tbuf_store(&words[i], 0);
	tbuf_store_release(&block->tid, 0);
	tbuf_store_release(&block->owner, 0);
}

/* Sorts by thread id, then the latest thread first. */
static int
by_tid(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	if (x->tid != y->tid)
		return (x->tid < y->tid ? -1 : 1);
	return (x->owner > y->owner ? -1 : x->owner < y->owner);
}

static struct used *
blocks_used(const struct tbuf_target *t, uint32_t size, size_t *count)
{
	uint64_t all = t->blocks.part.size / size, i;
	struct used *used = malloc(all * sizeof(*used));
	const struct tbuf_block *block;

	for (i = 0, *count = 0; used != NULL && i < all; i++) {
		block = block_at(t, size, i);
		used[*count].index = i;
		used[*count].owner = tbuf_load_acquire(&block->owner);
		used[*count].tid = tbuf_load(&block->tid);
		*count += used[*count].owner != 0;
	}
	if (used != NULL)
		qsort(used, *count, sizeof(*used), by_tid);
	return (used);
}

static bool
is_still(const struct tbuf_target *t, uint32_t size, const struct used *used)
{
	return (tbuf_load_acquire(&block_at(t, size, used->index)->owner) ==
	    used->owner);
}

/* Frees the blocks of dead threads.  Returns how many remain in use. */
static size_t
blocks_clean(const struct tbuf_target *t, uint32_t size,
    const struct tbuf_tasks *tasks, const struct used *used, size_t count)
{
	size_t left = count, i;
	bool dead = false;

	for (i = 0; i < count; i++) {
		if (used[i].tid == 0)
			continue;
		dead = (i > 0 && used[i].tid == used[i - 1].tid &&
		    used[i].owner != used[i - 1].owner) ||
		    !tbuf_tasks_has(t, tasks, used[i].tid);
		if (!dead || !is_still(t, size, &used[i]))
			continue;
		block_free(t, size, used[i].index);
		left--;
	}
	return (left);
}

static void
target_clean(struct tbuf_target *t, uint32_t size)
{
	struct tbuf_tasks tasks;
	size_t count = 0;
	struct used *used = blocks_used(t, size, &count);

	if (used != NULL && count != 0 && tbuf_tasks_list(t, &tasks)) {
		count = blocks_clean(t, size, &tasks, used, count);
		tbuf_tasks_free(&tasks);
	}
	t->blocks.gone = t->blocks.claims - count;
	free(used);
}

/* ------------------------------------------------------------ the look */

static bool
is_due(struct tbuf_target *t, uint32_t size, uint64_t now)
{
	struct tbuf_blocks *b = &t->blocks;
	uint64_t claims = 0, drops = 0, all = b->part.size / size;
	struct tbuf_lane_counters counters;
	unsigned i;

	for (i = 0; i < t->nreaders; i++) {
		tbuf_reader_counters(&t->readers[i], &counters);
		claims += counters.claims;
		drops += counters.dynamic;
	}
	if (claims - b->gone <= USED_MIN(all) && drops == b->drops)
		return (false);
	if (claims - b->claims <= MORE_MIN(all) && drops == b->drops &&
	    now - b->looked < TBUF_SECOND)
		return (false);
	b->claims = claims;
	b->drops = drops;
	b->looked = now;
	return (true);
}

void
tbuf_variables_clean(struct tbuf_consumer *c, uint64_t now)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->slot != -1 && !t->file_only && tbuf_target_runs(t) &&
		    tbuf_session_holds(t) &&
		    tbuf_part_map(t, &t->blocks.part, &t->blocks.base) &&
		    is_due(t, c->block, now))
			target_clean(t, c->block);
}
