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
 * Starts or stops with the lock.  Returns 0 or -errno: -EBUSY, as the library's
 * own constructor may be at work, or -ECANCELED.
 */
static int
change(bool start, const char *options)
{
	int saved = errno, error;
	sigset_t mask;

	tbuf_series_begin(&mask, 0);
	if ((error = tbuf_thread.series_error) != 0)
		(void)tbuf_recorder_fail(error, "",
		    "tracing is off or not yet set up");
	else
		error = start ? tbuf_recorder_build(options) :
		    tbuf_recorder_halt();
	tbuf_series_end(&mask);
	errno = saved;
	return (error);
}

int
tbuf_recorder_start(const char *options)
{
	/* Options without probes, which are refused, as NULL is. */
	return (change(true, options == NULL ? "" : options));
}

int
tbuf_recorder_stop(void)
{
	return (change(false, NULL));
}

const char *
tbuf_recorder_error(void)
{
	return (tbuf_recorder_why());
}
