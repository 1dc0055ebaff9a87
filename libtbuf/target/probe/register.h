/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of a registration: a site becomes a probe with the table's lock.
 */
#ifndef TBUF_TARGET_PROBE_REGISTER_H
#define TBUF_TARGET_PROBE_REGISTER_H

#include <signal.h>

#include "target/file/probe_table.h"
#include "target/target.h"

#define TBUF_FIELD_MAX	255	/* bytes of a name's field, without the NUL */

/*
 * tbuf_register_lock() takes the table's lock with signals blocked, if there is
 * a table to write to.  Returns 0, -EBUSY or -ECANCELED.
 * tbuf_register_unlock() matches all new probes with the sessions at once, and
 * releases the lock.
 */
int	tbuf_register_lock(sigset_t *) TBUF_HIDDEN;
void	tbuf_register_unlock(const sigset_t *) TBUF_HIDDEN;

/*
 * Begin and end the registration of one probe: take and release the lock unless
 * a registration series holds it.  tbuf_register_begin() returns as
 * tbuf_register_lock().
 */
int	tbuf_register_begin(sigset_t *) TBUF_HIDDEN;
void	tbuf_register_end(const sigset_t *) TBUF_HIDDEN;

/*
 * Adds the site's probe to the table; the lock is held.  `like' is a registered
 * site with the same types, or NULL.  Returns 0 or -errno.
 */
int	tbuf_register_site(struct tbuf_site *, const struct tbuf_candidate *,
	    const struct tbuf_site *like) TBUF_HIDDEN;

/* Makes the site one of a probe in the table; `like' as above. */
void	tbuf_site_join(struct tbuf_site *, uint32_t index,
	    const struct tbuf_site *like) TBUF_HIDDEN;

#endif
