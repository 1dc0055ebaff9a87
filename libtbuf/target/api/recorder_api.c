/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_recorder_start() and tbuf_recorder_stop(), which exclude registrations
 * and each other by the lock of the table of probes.
 */
#include "base/optimize_size.h"

#include <errno.h>

#include "target/provider.h"
#include "target/recorder/recorder.h"
#include "target/self/thread.h"
#include "tbuf.h"

/*
 * Takes the lock.  Returns 0, -ECANCELED, or -EBUSY, as the library's own
 * constructor may be at work.
 */
static int
begin(sigset_t *mask)
{
	tbuf_batch_begin(mask);
	return (tbuf_thread.batch_error == 0 ? 0 :
	    tbuf_recorder_fail(tbuf_thread.batch_error, "",
	    "tracing is off or not yet set up"));
}

int
tbuf_recorder_start(const char *options)
{
	int saved = errno, error;
	sigset_t mask;

	if ((error = begin(&mask)) == 0)
		error = tbuf_recorder_build(options);
	tbuf_batch_end(&mask);
	errno = saved;
	return (error);
}

int
tbuf_recorder_stop(void)
{
	int saved = errno, error;
	sigset_t mask;

	if ((error = begin(&mask)) == 0)
		error = tbuf_recorder_halt();
	tbuf_batch_end(&mask);
	errno = saved;
	return (error);
}

const char *
tbuf_recorder_error(void)
{
	return (tbuf_recorder_why());
}
