/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tickets: files of the runtime directory that confirm the path of a trace file
 * in a setting of another process.  The setting itself is in the control file,
 * which a child that has given up its privileges may still be able to write to;
 * only the target's user and root can make a file in the directory.
 *
 * A ticket is named path.PID.RANDOM.TICKET after its target's control file, and
 * contains the path.  The consumer makes it before it sends the setting, which
 * has the number TICKET, and the target removes it.  Both sides use this; no
 * malloc.
 */
#ifndef TBUF_SHARED_TEXT_TICKET_H
#define TBUF_SHARED_TEXT_TICKET_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/control_file.h"

#define TBUF_TICKET_NAME_MAX	72

/* Stores a ticket's name; `control' is the name of its control file. */
void	tbuf_ticket_name(char name[TBUF_TICKET_NAME_MAX], const char *control,
	    uint64_t ticket) __attribute__((visibility("hidden")));

/* Removes a file if it is a ticket whose target has ended. */
void	tbuf_ticket_sweep(int dirfd, const char *name)
	    __attribute__((visibility("hidden")));

#endif
