/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files belong to whom is traced, who may have made them to harm their reader.
 * So other processes read them, and say through a pipe what they have found:
 * what happens to one costs what it would have said, and a line.
 */
#ifndef TBUFCTL_BASE_HELPER_PROCESS_H
#define TBUFCTL_BASE_HELPER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds that a reader may take for an answer. */
#define READER_SECONDS	20

/*
 * In such a process, first of all: it ends by itself, whatever it meets, and
 * has so many seconds of CPU time; 0: as many as it wants.
 */
void	reader_confine(unsigned seconds);

/*
 * One that stays has no other descriptors than this, which it may have under
 * another number, and standard ones.
 */
int	reader_alone(int fd);

/* All of it, or false. */
bool	reader_write(int fd, const void *bytes, size_t size);
bool	reader_read(int fd, void *bytes, size_t size);

/* Why it has said less, by its status as of wait(2); valid until the next. */
const char *reader_why(int status);

#endif
