/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of the text trace that its files call of each other.
 *
 *	message		a call of tbuf_text(): its record, its line
 *	component	registers components of messages
 *	component_list	the registered components, and the levels wanted
 *	setting		settings by the program and by other processes
 *	remote_setting	those of other processes
 *	path_ticket	proof that these may set the trace file
 *	process_state	state of this process, and the lock of settings
 *	memory_trace	the facility Memory
 *	trace_retention	traces in memory that dead processes left
 *	trace_file	the trace file, for File and for flushes of Memory
 *	syslog		the facility Log
 *	assert		failed assertions
 *
 * Messages are not part of a fire: they are formatted, and may wait for a
 * millisecond.
 */
#ifndef TBUF_TEXT_TEXT_H
#define TBUF_TEXT_TEXT_H

#include <sys/uio.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/atomics.h"
#include "layout/text_trace.h"
#include "shared/text_setting.h"
#include "tbuf_text.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/* The end of a message or a line that was cut. */
#define TBUF_CUT_SIGN		"[cut]"
#define TBUF_CUT_SIGN_SIZE	(sizeof(TBUF_CUT_SIGN) - 1)

/*
 * Replaces the last bytes of a text by the sign that it was cut, and no part of
 * a character of UTF-8 remains.  Returns the size, which is not greater.
 */
static inline size_t
tbuf_text_cut(char *text, size_t size)
{
	size_t n = size - TBUF_CUT_SIGN_SIZE;
	unsigned i;

	for (i = 0; i < 3 && ((unsigned char)text[n] & 0xc0) == 0x80; i++)
		n--;
	memcpy(text + n, TBUF_CUT_SIGN, TBUF_CUT_SIGN_SIZE);
	return (n + TBUF_CUT_SIGN_SIZE);
}

/*
 * State of this process alone: a child finds zeroes here, however it was made.
 * Fields of the trace's header are read from here, as other processes can write
 * to the file.
 */
struct tbuf_text_own {
	struct tbuf_trace *trace;	/* NULL: none yet, or not in use */
	uint64_t size;
	uint64_t oldest;
	uint64_t reserved;
	uint64_t next;
	uint64_t flushed;
	uint64_t lost;
	uint32_t lock;		/* thread that uses the trace, 0: none */
	uint32_t changing;	/* thread that changes settings, 0: none */
	uint32_t pid;		/* 0: not known yet */
	uint32_t closed;	/* the trace takes no more lines */
};
extern struct tbuf_text_own *tbuf_text_own TBUF_HIDDEN;

/* Sets up the text trace once, by the environment.  Returns 0 or -errno. */
int	tbuf_text_begin(void) TBUF_HIDDEN;

/*
 * Maps the page of tbuf_text_own, which is zero in a forked child.  Returns
 * false if there is no memory.
 */
bool	tbuf_text_own_make(void) TBUF_HIDDEN;

uint32_t tbuf_text_pid(void) TBUF_HIDDEN;
uint32_t tbuf_text_tid(void) TBUF_HIDDEN;
void	tbuf_text_lose(void) TBUF_HIDDEN;

/* Reports an error of the text trace to the system's log. */
void	tbuf_text_say(const char *what, int error) TBUF_HIDDEN;

/*
 * Takes the lock of settings and of the list of components.  Returns false if
 * this thread holds it already.
 */
bool	tbuf_text_lock(void) TBUF_HIDDEN;
void	tbuf_text_unlock(void) TBUF_HIDDEN;
uint32_t tbuf_text_facility(void) TBUF_HIDDEN;
/* Returns the level up to which a component's messages are wanted. */
unsigned tbuf_text_level(const char *component) TBUF_HIDDEN;
/* Returns the level up to which the trace gets messages, 0 if it is off. */
unsigned tbuf_text_traced(const char *component) TBUF_HIDDEN;
/* Returns the trace file's path, "" for none; the string never changes. */
const char *tbuf_text_path(void) TBUF_HIDDEN;
/* Obeys the setting that another process asks for, if there is one. */
void	tbuf_text_order_take(void) TBUF_HIDDEN;
/* Makes the trace of a forked child, which has none yet. */
bool	tbuf_text_restart(void) TBUF_HIDDEN;

/* The registered components; read and changed under tbuf_text_lock(). */
extern struct tbuf_component *tbuf_components TBUF_HIDDEN;
/*
 * Points each level of a component at a word that is not 0, if the text trace
 * wants messages up to that level, else at the enable word of its probe.
 */
void	tbuf_component_point(struct tbuf_component *, unsigned traced)
	    TBUF_HIDDEN;
/* Returns true if the text trace wants a component's messages of a level. */
bool	tbuf_component_traced(const struct tbuf_component *, unsigned level)
	    TBUF_HIDDEN;
/* The component of failed assertions, registered with the first component. */
extern struct tbuf_component tbuf_assertions TBUF_HIDDEN;

/*
 * memory_trace.c: makes a chunk of `kbytes'.  Returns 0 or -errno.
 */
int	tbuf_trace_make(uint32_t kbytes) TBUF_HIDDEN;
/*
 * Writes a line with its newline, cut if too long.  It is at least as long as a
 * mark.  Returns false if it is lost.
 */
bool	tbuf_trace_write(char *line, size_t size) TBUF_HIDDEN;
/* Flushes to a file.  Returns 0 or -errno; -EBUSY: a thread holds the lock. */
int	tbuf_trace_flush(const char *path) TBUF_HIDDEN;
/* 1: the trace takes no more lines, before its last flush; 0: it does again. */
void	tbuf_trace_close(uint32_t closed) TBUF_HIDDEN;
int	tbuf_trace_leave(void) TBUF_HIDDEN;

/* trace_retention.c: removes old traces of dead processes in the directory. */
void	tbuf_trace_reap(int dirfd) TBUF_HIDDEN;

/*
 * trace_directory.c: opens the directory of a path, O_PATH, unless another user
 * could change where the path leads; *name becomes the name in it.  Returns a
 * descriptor or -errno.
 */
int	tbuf_textfile_directory(const char *path, const char **name)
	    TBUF_HIDDEN;

/*
 * trace_file.c: opens the file.  Returns a descriptor, or -errno as
 * tbuf_text_flush() does.
 */
int	tbuf_textfile_open(const char *path) TBUF_HIDDEN;
/* Writes lines in two parts, by one call; *left: bytes not written. */
int	tbuf_textfile_write(int fd, struct iovec parts[2], size_t *left)
	    TBUF_HIDDEN;
/* Opens the file, writes one line and closes it. */
int	tbuf_textfile_append(const char *path, char *line, size_t size)
	    TBUF_HIDDEN;

/* syslog.c: sends a message, in pieces if it is long. */
void	tbuf_textlog_write(unsigned level, const char *component,
	    const char *text, size_t size) TBUF_HIDDEN;

#endif
