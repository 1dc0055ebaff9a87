/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lends the rseq area to a child of vfork(2), which then fires under rseq, as
 * its parent does.
 *
 * Both tasks share a thread area and the rseq area in it, and the parent sleeps
 * until the child has called exec or exit.  So the parent unregisters the rseq
 * area for that time and the child registers it:
 *
 *	parent	unregister; vfork
 *	child	register; fire ...; exec or exit, which ends the registration
 *	parent	register again
 *
 * Two tasks are never registered with one rseq area: the kernel writes a task's
 * CPU only when it has seen that change, and the child's CPU would remain in
 * the parent's rseq area.  While no task is registered the rseq area says so,
 * and fires go to lock lanes; they do, too, if the child's registration fails.
 *
 * These additional system calls are made only while a session is active, and
 * never in a process that had a seccomp filter when it became a target.
 * Otherwise the thread is marked instead.  A provider that traces the program's
 * system calls must not see these.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include "arch/rseq_area.h"
#include "arch/syscall.h"
#include "target/process/process.h"
#include "target/provider.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* tbuf_vfork_begin() returns twice the depth of vfork, plus one of these. */
#define MARKED	0u
#define LENT	1u

#define RSEQ_UNREGISTER	1
#define RSEQ_SIZE_MIN	32u	/* least size that the C library registers */

static long
rseq(int flags)
{
	unsigned size = __rseq_size < RSEQ_SIZE_MIN ? RSEQ_SIZE_MIN :
	    __rseq_size;

	return (raw_call(SYS_rseq, (long)tbuf_rseq_area(), size, flags,
	    TBUF_RSEQ_SIGNATURE, 0));
}

static bool
give_up(void)
{
	return (tbuf_self.rseq && !tbuf_self.filtered &&
	    tbuf_thread.shared == 0 && tbuf_rseq_ready() &&
	    tbuf_life_traced() && rseq(RSEQ_UNREGISTER) == 0);
}

/*
 * Registers the rseq area.  The previous task may have been killed in a
 * section.
 */
static void
take(void)
{
	tbuf_rseq_clear();
	rseq(0);
}

uint32_t
tbuf_vfork_begin(void)
{
	uint32_t depth = ++tbuf_thread.children;

	if (give_up())
		return (2 * depth | LENT);
	tbuf_thread_mark(1);
	return (2 * depth | MARKED);
}

void
tbuf_vfork_child(uint32_t token)
{
	if ((token & LENT) != 0)
		take();
}

/*
 * Takes the rseq area back, or unmarks the thread.  If the child was killed
 * while its own child ran, that one may share the rseq area: the thread stays
 * marked.
 */
void
tbuf_vfork_end(uint32_t token)
{
	bool left = tbuf_thread.children != token / 2;

	tbuf_thread.children = token / 2 - 1;
	if (left)
		tbuf_thread_mark((token & LENT) != 0 ? 1 : 0);
	else if ((token & LENT) != 0)
		take();
	else
		tbuf_thread_mark(-1);
}
