/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Recordings in CTF 1.8 (--record): packets as they lie in lanes, a directory
 * for each target with the metadata and a stream for each lane.
 *
 *	DIR/PID.RANDOM/metadata
 *	               cpu0_0, cpu0_1, lock16_0, unit3_0, ...
 *
 * A recording of a limited size is divided into chunks, DIR/000017/PID.RANDOM,
 * of an eighth of it.  The traces of a target in all chunks have one UUID, and
 * its streams one instance number each, so that readers join them.  The oldest
 * chunks are removed.
 */
#ifndef TBUFCTL_RECORD_RECORDING_H
#define TBUFCTL_RECORD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

struct recording;

/*
 * Bytes of records that a packet should have: with its head and tail it fills
 * pages of the file, and it stays in the processor's cache.
 */
#define RECORDING_PACKET	((size_t)(1 << 18) - 144)

/*
 * Opens a directory for a recording of at most this size (0: any), which is
 * made if it does not exist; it has to be empty, this user's, and not a link.
 * Returns NULL after setting *error to a negative errno, or *why to a reason in
 * words.
 */
struct recording *recording_open(const char *path, uint64_t most, int *error,
	    const char **why);

/* Begins a snapshot, which is a chunk of the recording; NULL: *error. */
struct recording *recording_snapshot(struct recording *, int *error);

/* Adds the last packet of a consumer.  Returns 0 or -errno. */
int	recording_add(struct recording *, struct tbuf_consumer *,
	    const struct tbuf_packet *);

/* The head and metadata of a trace that was received. */
struct recording_head {
	const uint8_t *uuid;
	uint64_t version;
	const char *metadata;
	size_t metadata_size;
	uint64_t size;		/* of the head's file */
	uint64_t pieces;	/* struct pipe_piece of it, */
	const char *bytes;	/* each with its bytes */
};

/*
 * Adds a packet of a trace with this head, which is written before it.
 * recording_receive_end() writes the head if the trace had packets, and
 * completes the trace; the packet says which one.  Return 0 or -errno.
 */
int	recording_receive(struct recording *, const struct recording_head *,
	    const struct tbuf_packet *);
int	recording_receive_end(struct recording *,
	    const struct recording_head *, const struct tbuf_packet *);

/* Completes the streams of a process that has ended.  Returns 0 or -errno. */
int	recording_ended(struct recording *, pid_t);

/* Return how many records were written, and how many of these removed. */
uint64_t recording_records(const struct recording *);
uint64_t recording_removed(const struct recording *);

/* Completes all streams and frees the recording.  Returns 0 or -errno. */
int	recording_close(struct recording *);

#endif
