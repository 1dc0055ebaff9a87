/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file as life.c sees it.  No fire comes here.
 */
#ifndef TBUF_PRODUCER_FILE_H
#define TBUF_PRODUCER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/producer.h"

/* What this process can do: its control file's TBUF_F_*. */
static inline uint32_t
tbuf_file_flags(void)
{
	return (TBUF_F_MACHINE(TBUF_MACHINE_VERSION) |
	    (tbuf_self.rseq ? TBUF_F_RSEQ : 0) |
	    (tbuf_self.filtered ? 0 : TBUF_F_COPYIN));
}

/* Where the window is; NULL before there is one. */
unsigned char *tbuf_file_base(void) TBUF_HIDDEN;

/*
 * Make or adopt the control file and map it.  NULL, or why not, in words.
 */
const char *tbuf_file_begin(void) TBUF_HIDDEN;

/* The same again for a forked child, at the same addresses. */
const char *tbuf_file_make(int dirfd, uid_t) TBUF_HIDDEN;

/* First of all in a forked child, at its parent's mapping. */
void	tbuf_file_forked(void) TBUF_HIDDEN;

/* A forked child that is no target. */
void	tbuf_file_blank(void) TBUF_HIDDEN;

/* Take the file's name off the directory. */
void	tbuf_file_unlink(void) TBUF_HIDDEN;

/*
 * Build the sessions that the board wants of this process into the file
 * behind fd, which nobody else knows yet.  Failing is no error: the process
 * is then not traced by them.
 */
void	tbuf_wanted_build(int dirfd, int fd) TBUF_HIDDEN;

/* Tell those who want this process that they cannot have it, and why. */
void	tbuf_wanted_missed(const char *why) TBUF_HIDDEN;

/* In a forked child: does anybody want it?  Remembers whom its parent had. */
bool	tbuf_wanted_child(void) TBUF_HIDDEN;

#endif
