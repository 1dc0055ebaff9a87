/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Helper processes, which read files of traced programs.  The owner of a
 * program may have made its file to harm the reader; so a separate process
 * reads it and sends the results through a socket.  If that process dies, its
 * results are missing, and a message says so.
 */
#ifndef TBUFCTL_BASE_HELPER_PROCESS_H
#define TBUFCTL_BASE_HELPER_PROCESS_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>

/* Time limit of a helper process for one answer, s. */
#define READER_SECONDS	20

/*
 * Starts a helper process that answers questions through a socket, *fd in both
 * processes.  Returns as fork(2) does.
 */
pid_t	reader_start(int *fd);

/* Waits for a process, through signals.  Returns its status as of wait(2). */
int	reader_wait(pid_t);

/*
 * Confines the calling helper process, before it reads a file: SIGBUS, SIGSEGV,
 * SIGPIPE, SIGALRM and tbufctl's end kill it; its memory and CPU time (s; 0: no
 * limit) are bounded; and its system calls are filtered (helper_filter.c).
 */
void	reader_confine(unsigned seconds);
void	reader_filter(void);

/*
 * Take root's uid from a helper process, before it is confined; each exits if
 * that fails.  reader_become() makes it one of the user of a process, whose
 * files it reads, and reader_become_owner() one of the owner of an open file.
 * reader_lower() serves for files and processes of root and of several users:
 * it leaves the right to read them, but no user's files to write to.
 */
void	reader_become(pid_t);
void	reader_become_owner(int fd);
void	reader_lower(void);

/*
 * Closes all descriptors but the standard ones and `fd`, for a helper process
 * that answers several questions.  Returns the new number of `fd`.
 */
int	reader_alone(int fd);

/* Write or read all bytes; false if that fails. */
bool	reader_write(int fd, const void *bytes, size_t size);
bool	reader_read(int fd, void *bytes, size_t size);

/*
 * Returns why a helper process ended early, from its status of wait(2); valid
 * until the next call.
 */
const char *reader_why(int status);

#endif
