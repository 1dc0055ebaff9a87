/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files that other processes truncate while they are mapped: when SIGBUS
 * reports an access after the end of a file, zeroes replace its mapping.
 */
#include <sys/mman.h>

#include <errno.h>
#include <string.h>

#include "consumer/run/run.h"
#include "consumer/target/target.h"

void
tbuf_set_begin(struct tbuf_consumer *c, void *base, uint64_t size)
{
	c->set.truncated = false;
	c->set.size = size;
	c->set.base = base;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

int
tbuf_set_end(struct tbuf_consumer *c)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->set.base = NULL;
	return (c->set.truncated ? -ESTALE : 0);
}

const char *
tbuf_set_problem(int error, const char *lacks, const char *full)
{
	return (error == -ENOENT ? lacks : error == -E2BIG ? full :
	    error == -ESTALE ? "its control file was truncated" :
	    strerror(-error));
}

/* Replaces a mapping by zeroes if it contains this address. */
static bool
mend(void *base, uint64_t size, const void *address)
{
	return ((uintptr_t)address - (uintptr_t)base < size &&
	    mmap(base, size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
	    MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED);
}

static bool
mend_target(struct tbuf_target *t, const void *address)
{
	if (!mend(t->view.base, t->view.size, address) &&
	    !mend(t->blocks.base, t->blocks.part.size, address) &&
	    !mend(t->elements.base, t->elements.part.size, address) &&
	    !mend(t->units.base, t->units.base == NULL ? 0 :
	    tbuf_units_tables(t->units.count), address))
		return (false);
	t->truncated = true;
	return (true);
}

/*
 * Runs in a signal handler, where mappings are as they were when the access
 * began.
 */
bool
tbuf_consumer_mend(struct tbuf_consumer *c, const void *address)
{
	int saved = errno;
	struct tbuf_target *t;
	bool mended = false;

	TAILQ_FOREACH(t, &c->targets, link)
		mended |= mend_target(t, address);
	if (c->set.base != NULL && mend(c->set.base, c->set.size, address))
		mended = c->set.truncated = true;
	errno = saved;
	return (mended);
}
