/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * TBUF_PID_TYPES names a file that tbufctl has written, with the parameters of
 * functions.  For each object there is a line with its device and inode, then
 * one for each function:
 *
 *	object DEVICE INODE
 *	ADDRESS RESULT TYPE NAME TYPE NAME ...
 *
 * ADDRESS is that in the object's file, hexadecimal; types are numbers of enum
 * tbuf_type, a pair for each of the first words of a call; a name is - if no
 * parameter has the word.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "pid.h"

#define SETTING		"TBUF_PID_TYPES"
#define BYTES_MAX	((off_t)64 << 20)

/* A line of the object that is armed. */
struct line {
	uintptr_t address;
	const char *rest;
};

static char *text;
static struct line *lines;
static size_t count, room;

void
pid_types_begin(void)
{
	int fd = provider_report_read(SETTING);
	struct stat st;
	ssize_t n = 0;

	if (fd == -1)
		return;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= BYTES_MAX &&
	    (text = malloc((size_t)st.st_size + 1)) != NULL &&
	    (n = read(fd, text, (size_t)st.st_size)) >= 0)
		text[n] = '\0';
	close(fd);
	if (n < 0)
		pid_types_end();
}

void
pid_types_end(void)
{
	free(text);
	free(lines);
	text = NULL;
	lines = NULL;
	count = room = 0;
}

static int
by_address(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	return (left->address < right->address ? -1 :
	    left->address > right->address);
}

static bool
add(const char *at)
{
	struct line *all;
	char *rest;

	if (count == room) {
		all = reallocarray(lines, 2 * room + 64, sizeof(*all));
		if (all == NULL)
			return (false);
		lines = all;
		room = 2 * room + 64;
	}
	lines[count].address = strtoul(at, &rest, 16);
	lines[count++].rest = rest;
	return (true);
}

void
pid_types_object(int fd)
{
	const char *at, *end = text;
	char head[80];
	struct stat st;

	count = 0;
	if (text == NULL || fstat(fd, &st) != 0)
		return;
	(void)snprintf(head, sizeof(head), "object %ju %ju\n",
	    (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	if ((at = strstr(text, head)) == NULL)
		return;
	for (at += strlen(head); *at != '\0' && *at != 'o'; at = end + 1)
		if ((end = strchr(at, '\n')) == NULL || !add(at))
			break;
	if (count > 0)
		qsort(lines, count, sizeof(*lines), by_address);
}

/* Takes a type from a line.  Returns TBUF_NONE at its end. */
static enum tbuf_type
take_type(const char **at)
{
	unsigned long type;
	char *rest;

	if (**at != ' ')
		return (TBUF_NONE);
	type = strtoul(*at + 1, &rest, 10);
	*at = rest;
	/* A fire has words, and no string. */
	return (type <= TBUF_BOOL || type == TBUF_POINTER ?
	    (enum tbuf_type)type : TBUF_NONE);
}

/* Takes a name of at most PID_NAME - 1 bytes; "" is none. */
static void
take_name(const char **at, char name[PID_NAME])
{
	size_t length;

	*at += **at == ' ';
	length = strcspn(*at, " \n");
	if (length >= PID_NAME || (length == 1 && **at == '-'))
		*name = '\0';
	else {
		memcpy(name, *at, length);
		name[length] = '\0';
	}
	*at += length;
}

bool
pid_types_find(uintptr_t address, struct pid_signature *s)
{
	const struct line key = { .address = address }, *line = count == 0 ?
	    NULL : bsearch(&key, lines, count, sizeof(*lines), by_address);
	enum tbuf_type type;
	const char *at;

	if (line == NULL)
		return (false);
	at = line->rest;
	s->nargs = 0;
	if ((s->result = take_type(&at)) == TBUF_NONE)
		return (false);
	while (s->nargs < PID_ARGS && (type = take_type(&at)) != TBUF_NONE) {
		s->types[s->nargs] = type;
		take_name(&at, s->names[s->nargs++]);
	}
	return (true);
}
