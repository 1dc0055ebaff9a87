/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer library that replays a script, so that all output of tbufctl can
 * be tested without a target.  TBUF_FAKE is the script's path; each line has
 * words, and words with blanks are in double quotes with \" \\ \n \xHH:
 *
 *	target PID COMM		a process that has the probes after it
 *	probe ID PROVIDER MODULE FUNCTION NAME [TYPE:ARGUMENT ...]
 *	lane CONSUMER NAME POLICY SIZE CPU FILL RECORDS OVERWRITTEN FULL LARGE
 *	     NOLANE [locked]	of the last target
 *	matched N ...		number of probes that each enabling matches
 *	lowered SIZE		bufsize after go
 *	skipped ERRNO		error that prevented tracing of some targets
 *	command PID		result of spawn
 *	table PID N		a target's probes that found no room
 *	waiting PID N		a target's probes that wait for a semaphore
 *	missed N REASON		processes that could not be traced
 *	unsampled LINE		why profile-N samples less than requested
 *	fail CALL ERRNO TEXT	CALL is new, spawn, grab, read, run, list, go
 *				or status
 *	left PID		a process that has ended; its session can
 *				still be read
 *	option NAME N		result of tbuf_consumer_get()
 *	aggregation NAME FUNCTION [long|string ...]
 *				FUNCTION by its number, then the keys
 *	tuple ID VALUE [KEY ...]
 *				of the aggregation ID, from 0; VALUE is a
 *				number, or LOW:HIGH:COUNT,... all buckets
 *	show			print all calls, on standard error
 *
 * The rounds follow, one for each tbuf_consumer_work():
 *
 *	record PID TID CPU ID TIME WALL [VALUE ...]
 *				VALUE: a number, true, false, NULL, or a
 *				string, with ... after it if it is truncated
 *	enabling N		enabling of the records that follow
 *	unit [KIND ID BEGAN [END OUTCOME]]
 *				work unit of the records that follow, or none
 *	repeat N		the next record comes N times
 *	drops PID CPU full|large|nolane N [AFTER BEFORE]
 *	overwritten PID CPU N [AFTER BEFORE]
 *	gap PID CPU AFTER BEFORE
 *	damage PID CPU N [AFTER BEFORE]
 *				times of records around them; 0: none
 *	aggregated PID CPU N	values that found no room
 *	lost PID N		probes that found no room
 *	unmet PID N		probes that could not be enabled
 *	unfit PID N		probes that a clause does not fit
 *	timers PID N		firings over records that were left out
 *	snapshot		events that follow belong to a snapshot, and
 *				to no total
 *	switch			events that follow are read by a switch
 *	exit PID [status N | signal N]
 *	raise SIGNAL		the process gets a signal
 *	round			tracing goes on
 *	end [ERRNO TEXT]	it has ended; after tbuf_consumer_stop() this
 *				round comes next
 */
#ifndef TESTS_GOLDEN_CMD_FAKE_H
#define TESTS_GOLDEN_CMD_FAKE_H

#include <sys/queue.h>

#include <tbuf_consumer.h>

#define FAKE_WORDS	32

/* A line: its first word, and the words after it. */
struct fake_line {
	STAILQ_ENTRY(fake_line) next;
	unsigned number;
	unsigned count;
	struct fake_word {
		char *text;
		size_t size;
		bool cut;
	} words[FAKE_WORDS];
};

STAILQ_HEAD(fake_lines, fake_line);

/*
 * Reads the script once and returns its lines; exits with a message if the
 * script is wrong.
 */
struct fake_lines *fake_script(void);

bool	fake_is(const struct fake_line *, const char *what);
const char *fake_text(const struct fake_line *, unsigned word);
int64_t	fake_number(const struct fake_line *, unsigned word);

/* Returns -ESRCH for "ESRCH". */
int	fake_errno(const struct fake_line *, unsigned word);

/* Returns the type, and sets the argument name, of "TYPE:ARGUMENT". */
uint8_t	fake_type(const struct fake_line *, unsigned word, const char **name);

void	fake_value(const struct fake_line *, unsigned word, uint8_t type,
	    struct tbuf_value *);

void	fake_wrong(const struct fake_line *, const char *why)
	    __attribute__((noreturn));

#endif
