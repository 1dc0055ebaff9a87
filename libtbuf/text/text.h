/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text: what its parts ask of each other.
 *
 *	message	a call of tbuf_text(): its record, its line
 *	component who has messages, and which of them are wanted
 *	setting	how the text trace is set, from within and from outside
 *	component_list the registered components, and their pointers
 *	process_state what is this process's alone, and the lock of settings
 *	trace	the facility Memory
 *	reap	what dead processes have left of that
 *	file	the trace file: File, and where a flush goes
 *	log	the facility Log
 *	assert	an expression that does not hold
 *
 * This is no part of a fire: it formats, and it may wait for a millisecond.
 */
#ifndef TBUF_TEXT_TEXT_H
#define TBUF_TEXT_TEXT_H

#include <sys/uio.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/atomics.h"
#include "shared/text_setting.h"
#include "layout/text_trace.h"
#include "tbuf_text.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/*
 * What is this process's alone: a child finds zeroes here, however it was
 * made.  What a trace's header says is read from here, for others can write to
 * the file.
 */
struct tbuf_text_own {
	struct tbuf_trace *trace;	/* NULL: none yet, or left */
	uint64_t size;
	uint64_t oldest;
	uint64_t reserved;
	uint64_t next;
	uint64_t flushed;
	uint64_t lost;
	uint32_t lock;		/* the thread that is in the trace, 0: none */
	uint32_t changing;	/* the thread that changes settings */
	uint32_t pid;		/* 0: not known yet */
	uint32_t closed;	/* the trace takes no more lines */
};
extern struct tbuf_text_own *tbuf_text_own TBUF_HIDDEN;

/* Make it ready, once, by what the environment says; 0 or -errno. */
int	tbuf_text_begin(void) TBUF_HIDDEN;

/*
 * Maps that page, which is zero in a forked child.  Returns false if there is
 * no memory.
 */
bool	tbuf_text_own_make(void) TBUF_HIDDEN;

uint32_t tbuf_text_pid(void) TBUF_HIDDEN;
uint32_t tbuf_text_tid(void) TBUF_HIDDEN;
void	tbuf_text_lose(void) TBUF_HIDDEN;

/* Tell the system's log that the text trace is off, and why. */
void	tbuf_text_say(const char *what, int error) TBUF_HIDDEN;

/*
 * One thread at a time changes how text is set, and the list of
 * components; false: this thread is at it already.
 */
bool	tbuf_text_lock(void) TBUF_HIDDEN;
void	tbuf_text_unlock(void) TBUF_HIDDEN;
uint32_t tbuf_text_facility(void) TBUF_HIDDEN;
/* Up to which level a component is wanted. */
unsigned tbuf_text_level(const char *component) TBUF_HIDDEN;
/* Returns the level up to which the text trace wants it, 0 if it is off. */
unsigned tbuf_text_traced(const char *component) TBUF_HIDDEN;
/* "" for none.  It stays as it is. */
const char *tbuf_text_path(void) TBUF_HIDDEN;
/* Do what others ask for, if they do. */
void	tbuf_text_order_take(void) TBUF_HIDDEN;
/* The trace of a forked child, which has none yet. */
bool	tbuf_text_again(void) TBUF_HIDDEN;

/* The function of tbuf_text_flush_set(). */
int	tbuf_text_flush_call(void) TBUF_HIDDEN;

/* The registered components; read and changed under tbuf_text_lock(). */
extern struct tbuf_component *tbuf_components TBUF_HIDDEN;
/*
 * Points each level of a component at a word that is not 0, if the text trace
 * wants messages up to that level, else at the enable word of its probe.
 */
void	tbuf_component_point(struct tbuf_component *, unsigned traced)
	    TBUF_HIDDEN;
/* Does the text trace want messages of this level of it? */
bool	tbuf_component_traced(const struct tbuf_component *, unsigned level)
	    TBUF_HIDDEN;
/* That of failed assertions; it comes with the first one. */
extern struct tbuf_component tbuf_assertions TBUF_HIDDEN;

/*
 * memory_trace.c.  A chunk of so many kilobytes: 0 or -errno.
 */
int	tbuf_trace_make(uint32_t kbytes) TBUF_HIDDEN;
/* A line, with its newline; cut if it is too long.  False: it is lost. */
bool	tbuf_trace_write(char *line, size_t size) TBUF_HIDDEN;
/* -EBUSY: a thread does not come out of it. */
int	tbuf_trace_flush(const char *path) TBUF_HIDDEN;
/* Before the last flush, for that is to have all lines; 0: it is not left. */
void	tbuf_trace_close(uint32_t closed) TBUF_HIDDEN;
int	tbuf_trace_leave(void) TBUF_HIDDEN;

/* trace_retention.c: the directory's traces of dead processes, but for the youngest. */
void	tbuf_trace_reap(int dirfd) TBUF_HIDDEN;

/*
 * trace_file.c.  A descriptor or -errno, as tbuf_text_flush() has them.
 */
int	tbuf_textfile_open(const char *path) TBUF_HIDDEN;
/* Lines in two parts, by one call; *left: bytes that found no room. */
int	tbuf_textfile_write(int fd, struct iovec parts[2], size_t *left)
	    TBUF_HIDDEN;
/* All of that, for one line. */
int	tbuf_textfile_append(const char *path, char *line, size_t size)
	    TBUF_HIDDEN;

/* syslog.c: in pieces, where it is long. */
void	tbuf_textlog_write(unsigned level, const char *component,
	    const char *text, size_t size) TBUF_HIDDEN;

#endif
