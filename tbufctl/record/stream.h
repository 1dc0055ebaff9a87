/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Streams of a recording: packets in files.  Readers refuse a stream with a
 * torn packet, and a process can be killed in the middle of any large write.
 * So a file is made under a hidden name with its first packet, which ends, by
 * its packet_size, where the file ends.  Each further packet is written into
 * this padding, and a store of 8 bytes in the packet before makes it visible:
 *
 *	| head | records | head | records | padding ..............|
 *	 packet_size --->^packet_size ---------------------------->
 *
 * A stream continues in a further file when its last one is full.  Padding is
 * removed from a complete file: an empty packet takes its place, and is then
 * cut off.
 */
#ifndef TBUFCTL_RECORD_STREAM_H
#define TBUFCTL_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#define CTF_MAGIC	0xc1fc1fc1u
#define CTF_UUID	16

/* Hidden files of a trace: its head (tbuf_consumer_head()), and a mark. */
#define HEAD_FILE	".tbuf"
#define SNAPSHOT_FILE	".snapshot"

/* A disk has whole pages of a file, and its name in a directory. */
#define DISK_PAGE	UINT64_C(4096)
#define DISK_NAME	UINT64_C(256)

/*
 * Bytes of a file for which blocks of the disk are allocated at a time, before
 * packets of at least this size: the kernel writes to these in half of the time
 * that it takes to allocate a block for each page.
 */
#define DISK_RESERVED		(UINT64_C(1) << 20)
#define DISK_RESERVED_LEAST	(UINT64_C(1) << 15)

/* Classes of streams, by the form of their packets and records. */
enum ctf_class {
	CTF_LANE,		/* of a CPU or a thread */
	CTF_LOCK,		/* each record has its CPU; as in these: */
	CTF_UNIT,		/* a packet is a work unit */
	CTF_BATCH,		/* a packet is the batch of a commit() */
	CTF_CLASSES
};

enum ctf_class ctf_class_of(const struct tbuf_packet *);

/* Makes a random UUID. */
void	ctf_uuid(uint8_t uuid[CTF_UUID]);

/* The header and context of all packets. */
struct ctf_head {
	uint32_t magic;
	uint8_t uuid[CTF_UUID];
	uint32_t stream_id;	/* enum ctf_class */
	uint64_t instance;	/* one for each stream */
	uint64_t begin, end;	/* stamps */
	uint64_t content_size;	/* bits */
	uint64_t packet_size;	/* bits */
	uint64_t sequence;
	uint64_t discarded;	/* sum of the stream's drops */
	uint64_t cpu;		/* UINT64_MAX: none */
};

/* The rest of the context, of CTF_UNIT. */
struct ctf_unit {
	char kind[32];
	uint64_t id;
	int32_t outcome;
	uint32_t ended;		/* 0: it has no outcome */
	uint64_t began, end;	/* ns of CLOCK_MONOTONIC */
	uint64_t hung;		/* ns */
	uint64_t discarded;	/* records discarded by its outcome */
};

/*
 * Follows a packet's content, where readers of CTF expect padding: in the
 * context, they would show these with each record.  Counts are sums of the
 * stream.
 */
struct ctf_tail {
	uint32_t lane;		/* or table, or speculation; of its kind */
	uint16_t kind;		/* enum tbuf_packet_kind */
	uint16_t flags;		/* of the packet */
	uint64_t drops[3];	/* by enum tbuf_cause */
	uint64_t overwritten;
	uint64_t damage;
	uint64_t unselected;	/* records discarded by units' outcomes */
};

/* Flags of a packet, as in struct tbuf_packet. */
#define CTF_COUNTED	0x1u
#define CTF_UNPLACED	0x2u

struct ctf_stream {
	struct ctf_stream *next;	/* of the recorded target */
	char name[32];
	struct ctf_head head;	/* of the last packet */
	struct ctf_tail tail;
	int fd;			/* -1: closed, or no file yet */
	unsigned files;
	uint64_t size;		/* of the last file, with its padding; 0: the
				   next packet begins a file */
	uint64_t used;		/* of it, up to the padding */
	uint64_t last;		/* offset of its last packet */
	uint64_t reserved;	/* of it, with blocks of the disk */
	bool reserves;		/* it takes more of the disk than it needs */
	uint64_t disk;		/* bytes on a disk of all its files */
};

/* A packet without its sizes and its sequence. */
struct ctf_packet {
	struct ctf_head head;
	const struct ctf_unit *unit;	/* or NULL */
	const void *data;
	size_t size;
	size_t follows;		/* bytes of the packet after an empty one */
	struct ctf_tail tail;
};

/* Adds a packet's losses to the sums of its stream. */
void	ctf_add_losses(struct ctf_head *, struct ctf_tail *,
	    const struct tbuf_packet *);

uint16_t ctf_flags(const struct tbuf_packet *);
void	ctf_flags_set(struct tbuf_packet *, uint16_t flags);

/* Stores the unit of a packet; one without a unit is all zeros. */
void	ctf_unit_fill(struct ctf_unit *, const struct tbuf_packet *);

/* Reads that again.  Returns false if the packet is without a unit. */
bool	ctf_unit_info(const struct ctf_unit *, struct tbuf_unit_info *);

/*
 * Appends a packet to a stream in a directory.  Returns 0 or -errno: then the
 * stream is as before.
 */
int	ctf_append(struct ctf_stream *, int directory, struct ctf_packet *);

/*
 * Closes the last file, without its padding.  Returns 0 or -errno: then the
 * padding may stay.
 */
int	ctf_finish(struct ctf_stream *, int directory);

/* Continues a finished stream in another directory. */
static inline void
ctf_leave(struct ctf_stream *s)
{
	s->size = s->used = 0;
}

/* Closes a stream's file for now. */
void	ctf_close(struct ctf_stream *);

#endif
