/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Recordings on a pipe (--record=-); doc/pipe.md has the format.  A packet is
 * one of a stream, a head, or the end:
 *
 *	| ctf_head | ctf_unit | content | ctf_tail | pipe_mark | zeros ... |
 *	|<------------------ a multiple of the block's size ------------->|
 */
#ifndef TBUFCTL_RECORD_PIPE_H
#define TBUFCTL_RECORD_PIPE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "stream.h"

/* Classes of packets that are not of streams. */
enum pipe_class {
	PIPE_HEAD = CTF_CLASSES,	/* a trace's head and metadata */
	PIPE_END,			/* of the pipe: it has no content */
	PIPE_CLASSES
};

/* The largest block, and the largest packet: a unit has up to 64 MiB. */
#define PIPE_BLOCK_MOST		(UINT64_C(1) << 24)
#define PIPE_PACKET_MOST	(UINT64_C(1) << 27)

/* A trace's head comes again after as many of its packets. */
#define PIPE_HEAD_EVERY		64

/* The end of each packet: counts of the pipe, and a check sum. */
struct pipe_mark {
	uint8_t uuid[CTF_UUID];	/* of the pipe */
	uint64_t number;	/* of the packet, from 0 */
	uint64_t before;	/* records in all packets before it */
	uint64_t records;	/* its own */
	uint64_t stream;	/* records of its stream before it */
	uint64_t version;	/* of its trace's head: that it needs, or is */
	uint64_t sum;		/* pipe_sum() of the bytes before it */
};

/* The content of a PIPE_HEAD begins with this. */
struct pipe_trace {
	uint64_t target, generation;
	int64_t pid;
	uint64_t snapshot;	/* its number; 0: none */
	uint64_t ended;		/* no packet of the trace follows */
	uint64_t streams;	/* struct pipe_stream, after this */
	uint64_t metadata;	/* bytes after those, padded to 8 */
	uint64_t size;		/* of the file of the head */
	uint64_t pieces;	/* of it, after the metadata: its other bytes
				   are zeros */
};

/* The sums of a stream up to now. */
struct pipe_stream {
	uint64_t instance;
	uint64_t cpu;		/* UINT64_MAX: none */
	uint64_t records;
	struct ctf_tail tail;
};

/* Part of a file, before its bytes, which are padded to 8. */
struct pipe_piece {
	uint64_t at, size;
};

/* Continues a check sum with bytes, all but the last ones a multiple of 8. */
uint64_t pipe_sum(uint64_t sum, const void *bytes, size_t size);
#define PIPE_SUM_START	UINT64_C(0x9e3779b97f4a7c15)

struct pipe;

/*
 * Returns how many bytes of records a packet of a lane may have: it fits into
 * a block, unless it is a single record.
 */
size_t	pipe_room(uint64_t block);

/* Begins to write packets to a descriptor, padded to a size of blocks. */
struct pipe *pipe_open(int fd, uint64_t block);

/* Adds the last packet of a consumer.  Returns 0 or -errno. */
int	pipe_add(struct pipe *, struct tbuf_consumer *,
	    const struct tbuf_packet *);

/*
 * Begin and end a snapshot: packets between are no part of the run's traces.
 * pipe_snapshot_end() stores the number of its records.
 */
void	pipe_snapshot(struct pipe *);
int	pipe_snapshot_end(struct pipe *, uint64_t *records);

/* Completes the traces of a process that has ended.  Returns 0 or -errno. */
int	pipe_ended(struct pipe *, pid_t);

/* Returns 0, or -EPIPE if there is no reader any more. */
int	pipe_check(const struct pipe *);

/* Returns how many records were written, without snapshots. */
uint64_t pipe_records(const struct pipe *);

/* Ends the pipe, unless it has failed, and frees it.  Returns 0 or -errno. */
int	pipe_close(struct pipe *);

#endif
