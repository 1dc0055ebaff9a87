/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Error messages of a run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "consumer/run/run.h"
#include "shared/control_file.h"

/* ENOENT in a directory that is open: it has been removed. */
#define NO_FILES	"cannot create a file in the runtime directory"

const char *
tbuf_consumer_error(const struct tbuf_consumer *c)
{
	return (c->error);
}

int
tbuf_consumer_fail(struct tbuf_consumer *c, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(c->error, sizeof(c->error), format, ap);
	va_end(ap);
	return (error);
}

/* Reports an option that is more than there can be, with bufresize=manual. */
static int
refuse_size(struct tbuf_consumer *c)
{
	/* A number of speculations is written in full. */
	const char *units = strcmp(c->bounded, "nspec") == 0 ? "" : "kmg";
	uint64_t bound = c->bound;
	char unit[2] = "";
	unsigned i;

	for (i = 0; units[i] != '\0' && bound % 1024 == 0; i++) {
		bound /= 1024;
		unit[0] = units[i];
	}
	return (tbuf_consumer_fail(c, -ENOSPC, "could not enable tracing: "
	    "Not enough space: %s is at most %" PRIu64 "%s", c->bounded, bound,
	    unit));
}

/* Returns the remedy for an error of the runtime directory, or its cause. */
static const char *
remedy(int error)
{
	switch (-error) {
	case EPERM:
	case ENOTDIR:
	case ENOENT:
		return ("set TBUF_DIR to another");
	case ENAMETOOLONG:
	case EDOM:
	case ENOSPC:
		return (NULL);
	default:
		return (strerror(-error));
	}
}

int
tbuf_consumer_fail_directory(struct tbuf_consumer *c, int error,
    const char *failure)
{
	const char *more = remedy(error);

	return (tbuf_consumer_fail(c, error, "%s: %s%s%s", failure,
	    tbuf_directory_problem(error), more == NULL ? "" : ": ",
	    more == NULL ? "" : more));
}

int
tbuf_consumer_refuse(struct tbuf_consumer *c, int error)
{
	const char *why = strerror(-error);

	if (error == -ENOSPC && c->bounded != NULL && tbuf_sizes_refused(c))
		return (refuse_size(c));
	if (error == -ENOSPC)
		why = "Not enough space";
	else if (error == -E2BIG)
		why = "the descriptions or clauses are too long";
	else if (error == -EUSERS)
		why = "too many consumers";
	else if (error == -EAGAIN)
		why = "another process holds a lease on a file";
	else if (error == -ENOENT)
		why = NO_FILES;
	else if (error == -EROFS)
		why = NO_FILES ": Read-only file system";
	return (tbuf_consumer_fail(c, error, "could not enable tracing: %s",
	    why));
}

void
tbuf_consumer_skip(struct tbuf_consumer *c, int error)
{
	/* A target that has ended could not have been traced anyway. */
	if (c->skipped == 0 && error != -ESRCH)
		c->skipped = error;
}
