/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A child of vfork(2) fires under rseq, as its parent does.
 *
 * The two share a thread area and the rseq area in it, and the parent sleeps
 * until the child has called exec or exit.  So the parent gives its
 * registration up for that time and the child takes it:
 *
 *	parent	unregister; vfork
 *	child	register; fire ...; exec or exit, which ends the registration
 *	parent	register again
 *
 * Never are two tasks registered with one area: the kernel writes a thread's
 * CPU only when it believes that to have changed, and would leave the child's
 * in the parent's area.  While nobody is registered the area says so, and
 * fires go to lock lanes; also if the child is refused.
 *
 * System calls that the host did not ask for are made only while a session is
 * active, and never in a process that had a filter of system calls when it
 * became a target.  Elsewhere the thread is marked instead.  Nor is the host to
 * see them, where its calls are traced.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include "arch/syscall.h"
#include "arch/rseq_area.h"
#include "target/provider.h"
#include "target/process/process.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* What tbuf_vfork_begin() says: twice the depth of vfork, and one of these. */
#define MARKED	0u
#define LENT	1u

#if defined(__x86_64__) || defined(__aarch64__)
#define RSEQ_UNREGISTER	1
#define RSEQ_SIZE_MIN	32u	/* what the C library registers at least */

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

/* The last one may have been killed in a section. */
static void
take(void)
{
	tbuf_rseq_clear();
	rseq(0);
}
#else
#define give_up()	false
#define take()		((void)0)
#endif

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
 * A child that was killed while its own child ran may have left that behind,
 * in the same area: the thread is marked for good.
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
