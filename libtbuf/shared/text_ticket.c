/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of tickets, and removing those that no target takes any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shared/text_ticket.h"

#define KIND		"path"	/* in place of the control file's "tbuf" */
#define KIND_SIZE	(sizeof(KIND) - 1)
#define DIGITS		16u

void
tbuf_ticket_name(char name[TBUF_TICKET_NAME_MAX], const char *control,
    uint64_t ticket)
{
	size_t n = strnlen(control, TBUF_NAME_MAX - 1);
	unsigned i;

	memcpy(name, control, n);
	memcpy(name, KIND, KIND_SIZE);
	name[n++] = '.';
	for (i = 0; i < DIGITS; i++)
		name[n + i] = "0123456789abcdef"[ticket >> (60 - 4 * i) & 15];
	name[n + DIGITS] = '\0';
}

/* Stores the name of a ticket's control file; false: it is not a ticket. */
static bool
control_of(const char *name, char control[TBUF_NAME_MAX])
{
	size_t n = strlen(name);
	uint64_t random;
	pid_t pid;

	if (n < DIGITS + 1 + KIND_SIZE || n - DIGITS - 1 >= TBUF_NAME_MAX ||
	    strncmp(name, KIND, KIND_SIZE) != 0)
		return (false);
	n -= DIGITS + 1;
	if (name[n] != '.' ||
	    strspn(name + n + 1, "0123456789abcdef") != DIGITS)
		return (false);
	memcpy(control, name, n);
	memcpy(control, "tbuf", KIND_SIZE);
	control[n] = '\0';
	return (tbuf_control_name_parse(control, &pid, &random));
}

/* The control file says if its target lives, also in another pid namespace. */
void
tbuf_ticket_sweep(int dirfd, const char *name)
{
	char control[TBUF_NAME_MAX];
	bool ended;
	int fd;

	if (!control_of(name, control))
		return;
	fd = openat(dirfd, control, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	ended = fd == -1 ? errno == ENOENT : !tbuf_control_alive(fd);
	if (fd != -1)
		close(fd);
	if (ended)
		unlinkat(dirfd, name, 0);
}
