/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and writes recordings on an architecture that tbufctl is not built for,
 * by tbufctl's own functions:
 *
 *	read DIR	prints the records of a recording, as tbufctl -q does
 *	record FILE DIR	records those of a control file
 *	send FILE	writes them to standard output, for --read=-
 *	receive DIR	receives a recording from standard input
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/read_recording.h"
#include "record/receive.h"

static void
print(const struct tbuf_record *record)
{
	const struct tbuf_value *v = record->args;
	unsigned i;

	for (i = 0; i < record->nargs; i++, v++) {
		printf("%s%s=", i == 0 ? "" : " ", record->probe->argnames[i]);
		if (v->type == TBUF_STRING)
			printf("\"%.*s\"", (int)v->size, v->data);
		else
			printf("%" PRIu64, v->u);
	}
	printf("\n");
}

/* Prints all records. */
static void
print_all(struct tbuf_consumer *c)
{
	struct tbuf_event e;
	int more;

	if (tbuf_consumer_go(c) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	do {
		more = tbuf_consumer_work(c);
		while (tbuf_consumer_next(c, &e) > 0)
			if (e.type == TBUF_EVENT_RECORD)
				print(&e.record);
	} while (more > 0);
}

/* Passes all packets to a recording, or to a pipe. */
static void
record_all(struct tbuf_consumer *c, struct recording *r, struct pipe *p)
{
	struct tbuf_packet packet;
	struct tbuf_event e;
	int more, error;

	if (tbuf_consumer_go(c) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	do {
		more = tbuf_consumer_work(c);
		while (tbuf_consumer_packet(c, &packet) > 0) {
			error = r != NULL ? recording_add(r, c, &packet) :
			    pipe_add(p, c, &packet);
			if (error != 0)
				errx(1, "a packet: %s", strerror(-error));
		}
		while (tbuf_consumer_next(c, &e) > 0)
			continue;
	} while (more > 0);
	error = r != NULL ? recording_close(r) : pipe_close(p);
	if (error != 0)
		errx(1, "the end: %s", strerror(-error));
}

static ssize_t
read_input(void *arg, void *bytes, size_t size)
{
	ssize_t n = read(STDIN_FILENO, bytes, size);

	(void)arg;
	return (n == -1 ? -errno : n);
}

static void
receive_all(struct recording *r)
{
	struct pipe_reader reader = { .read = read_input };
	struct received sums;
	bool unwritten;
	int error = receive(&reader, r, &sums, &unwritten);

	if (error != 0 || recording_close(r) != 0 || !sums.ended)
		errx(1, "failed to receive: %s", strerror(-error));
	pipe_read_free(&reader);
}

static struct recording *
open_recording(const char *path)
{
	const char *why;
	int error;
	struct recording *r = recording_open(path, 0, &error, &why);

	if (r == NULL)
		errx(1, "%s: %s", path, why != NULL ? why : strerror(-error));
	return (r);
}

int
main(int argc, char **argv)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	const char *order = argc > 2 ? argv[1] : "", *why;

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if (strcmp(order, "read") == 0) {
		if (recording_read(c, argv[2], &why) != 0)
			errx(1, "%s", why != NULL ? why :
			    tbuf_consumer_error(c));
		print_all(c);
	} else if (strcmp(order, "receive") == 0)
		receive_all(open_recording(argv[2]));
	else if (tbuf_consumer_open_file(c, argv[2]) < 0)
		errx(1, "%s", tbuf_consumer_error(c));
	else if (strcmp(order, "send") == 0) {
		(void)tbuf_consumer_set(c, "packetsize", "65328");
		record_all(c, NULL, pipe_open(STDOUT_FILENO, 65536));
	} else
		record_all(c, open_recording(argv[3]), NULL);
	tbuf_consumer_close(c);
	return (0);
}
