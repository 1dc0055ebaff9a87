/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the packets of a pipe (pipe.h).  Nothing in it is trusted: a packet has
 * the right check sum, and if others are lost or damaged, the next one is found
 * by its magic number.
 */
#ifndef TBUFCTL_RECORD_PIPE_READ_H
#define TBUFCTL_RECORD_PIPE_READ_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipe.h"

struct pipe_reader {
	/* Reads as read(2) does, and returns -errno for -1. */
	ssize_t (*read)(void *arg, void *bytes, size_t size);
	void *arg;
	char *buffer;
	size_t room, at, end;	/* [at, end) is not looked at yet */
	bool over;		/* the pipe has no more bytes */
	bool any;		/* a packet was found: uuid is the pipe's */
	bool ended;		/* the pipe's last packet was found */
	uint8_t uuid[CTF_UUID];
	uint64_t next;		/* number of the next packet */
	uint64_t before;	/* records in all packets before it */
	uint64_t earlier;	/* records in pipes before this one */
	uint64_t lost, repeated;	/* packets */
};

/* A packet, which is valid until the next call. */
struct pipe_packet {
	struct ctf_head head;
	struct ctf_unit unit;	/* of CTF_UNIT */
	struct ctf_tail tail;
	struct pipe_mark mark;
	const char *data;
	size_t size;
};

/*
 * Finds the next packet of a trace, and counts those between.  Returns 1, 0 at
 * the end, or -errno.
 */
int	pipe_read(struct pipe_reader *, struct pipe_packet *);

/* Returns how many records the packets up to now had, lost or not. */
uint64_t pipe_read_records(const struct pipe_reader *);

void	pipe_read_free(struct pipe_reader *);

#endif
