/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats of viewers: slices of time on tracks, in a file that a viewer opens.
 * viewer.c makes slices of the records of a run; an encoder writes them.
 */
#ifndef TBUFCTL_VIEW_VIEWER_H
#define TBUFCTL_VIEW_VIEWER_H

#include "base/output.h"
#include "print/format.h"
#include "slices.h"

struct report;

struct encoder {
	/* Writes a file's head; the record's times are of one moment. */
	void (*begin)(struct viewer *, const struct tbuf_record *);
	/*
	 * NULL, or begins `data` for the arguments of a record, or, with NULL,
	 * of another event.
	 */
	void (*start)(struct viewer *, const struct tbuf_record *);
	/* Appends an argument to `data`. */
	void (*argument)(struct viewer *, const char *name,
	    const struct tbuf_value *);
	/* NULL, or takes all records in place of slices. */
	void (*record)(struct viewer *, const struct tbuf_record *);
	void (*event)(void *, const struct slice_event *);
	/* NULL, or takes losses in place of instants. */
	void (*loss)(struct viewer *, const struct loss *, const char *name,
	    const struct loss_count *);
	/* NULL, or takes a key of an aggregation, at the end. */
	void (*tuple)(struct viewer *, const struct tbuf_tuple *);
	void (*drain)(struct viewer *);	/* NULL, or after a drain */
	void (*snapshot)(struct viewer *);	/* NULL, or after a snapshot */
	void (*end)(struct viewer *);	/* of the output */
	/*
	 * NULL, or writes a file of its own at the end.  Returns 0, or an exit
	 * status after a message.
	 */
	int (*write)(struct viewer *, const struct tbuf_totals *,
	    const char *file);
	void (*free)(struct viewer *);
};

struct viewer {
	struct output *out;
	const struct tbuf_consumer *consumer;
	const struct encoder *encoder;
	struct slices slices;
	struct output data;	/* arguments of the present record */
	bool live;		/* processes may still run */
	bool begun;		/* the file has its head */
	unsigned opened;	/* out->opened when it was written */
	struct tbuf_record last;	/* only its process, thread and times */
	const char *execname;	/* program of the last record */
	struct interned *interned;	/* perfetto */
	struct otlp *otlp;	/* otlp */
	struct report *report;	/* --report */
	uint64_t events;	/* written so far */
};

extern const struct encoder encoder_chrome, encoder_perfetto, encoder_otlp,
    encoder_otlp_logs, encoder_report;

/*
 * Makes a format write for a viewer.  viewer_end() frees the state, and does
 * nothing for another format.
 */
void	viewer_begin(struct format *);
void	viewer_end(struct format *);

/* Writes the slices that the encoder keeps, before a drain's output. */
void	viewer_drained(struct format *);

/* Records of a process were lost: its slices at that time may lack some. */
void	viewer_lost(struct format *, const struct tbuf_event *);

/*
 * Writes the file of --report, if there is one.  Returns 0, or an exit status
 * after a message.
 */
int	viewer_write(struct format *, const struct tbuf_totals *);

/* Returns why the output cannot be for a viewer, or NULL. */
const char *viewer_problem(const struct format *);

/* Stores the name of a thread while it lives, else `fallback`. */
void	viewer_thread_name(const struct viewer *, pid_t, uint32_t tid,
	    const char *fallback, char name[16]);

#endif
