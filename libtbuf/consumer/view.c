/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mapping of a control file.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <unistd.h>

#include "consumer/files.h"
#include "consumer/run.h"
#include "consumer/targets.h"

int
tbuf_view_map(int fd, uint64_t size, struct tbuf_view *view)
{
	struct tbuf_control control;
	struct stat st;
	void *p;
	int error;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (pread(fd, &control, sizeof(control), 0) != sizeof(control))
		return (-EINVAL);
	error = tbuf_control_check(&control, (uint64_t)st.st_size);
	if (error != 0)
		return (error);
	if (size > (uint64_t)st.st_size)
		return (-EINVAL);
	if (size < control.tables.areas)
		size = control.tables.areas;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return (-errno);
	view->base = p;
	view->size = size;
	view->tables = control.tables;
	return (0);
}

void
tbuf_view_unmap(struct tbuf_view *view)
{
	if (view->base != NULL)
		munmap(view->base, view->size);
	view->base = NULL;
	view->size = 0;
}

bool
tbuf_part_map(const struct tbuf_target *t, const struct tbuf_part *part,
    unsigned char **base)
{
	struct stat st;
	void *p;

	if (*base != NULL)
		return (true);
	if (part->size == 0 || fstat(t->fd, &st) != 0 ||
	    (uint64_t)st.st_size < part->at + part->size)
		return (false);
	p = mmap(NULL, part->size, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd,
	    (off_t)part->at);
	if (p == MAP_FAILED)
		return (false);
	*base = p;
	return (true);
}

void
tbuf_part_unmap(const struct tbuf_part *part, unsigned char **base)
{
	if (*base != NULL)
		munmap(*base, part->size);
	*base = NULL;
}

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

/* Zeroes in the place of a mapping that has this address. */
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

/* In a handler: what is mapped is as it was when the access to it began. */
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
