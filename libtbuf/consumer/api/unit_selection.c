/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Changes the rules for a process's work units from outside: in all its active
 * sessions with unit tables, including those of recorders.  The session's
 * owner writes the same words; the last write wins.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "base/option.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "shared/session_build.h"

/*
 * Sets all rules.  Each rule is one word, so that a unit that ends meanwhile
 * finds the old or the new one.
 */
static int
head_set(struct tbuf_units *head, const char *text)
{
	uint64_t rules[TBUF_UNIT_RULES];
	unsigned i;
	int error;

	for (i = 0; i < TBUF_UNIT_RULES; i++)
		rules[i] = tbuf_load(&head->rules[i]) ^ tbuf_unit_default(i);
	error = tbuf_option_rules(text, rules);
	for (i = 0; i < TBUF_UNIT_RULES && error == 0; i++)
		tbuf_store(&head->rules[i], rules[i] ^ tbuf_unit_default(i));
	return (error);
}

/* Sets the rules of a session; -ENOENT: it has no unit tables. */
static int
session_set(struct tbuf_consumer *c, int fd, unsigned number,
    const char *text)
{
	struct tbuf_part units;
	struct stat st;
	void *head;
	int error, gone;

	if (!tbuf_file_read(fd, &units, sizeof(units), TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE +
	    offsetof(struct tbuf_slot, units)) || units.at == 0 ||
	    units.at % TBUF_PAGE != 0 || fstat(fd, &st) != 0 ||
	    units.at > (uint64_t)st.st_size ||
	    (uint64_t)st.st_size - units.at < sizeof(struct tbuf_units))
		return (-ENOENT);
	head = mmap(NULL, sizeof(struct tbuf_units), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, (off_t)units.at);
	if (head == MAP_FAILED)
		return (-errno);
	tbuf_set_begin(c, head, sizeof(struct tbuf_units));
	error = head_set(head, text);
	gone = tbuf_set_end(c);
	munmap(head, sizeof(struct tbuf_units));
	return (gone != 0 ? gone : error);
}

static int
sessions_set(struct tbuf_consumer *c, int fd, const char *text)
{
	struct tbuf_control control;
	int error = -ENOENT, result;
	unsigned i;

	if (!tbuf_file_read(fd, &control, sizeof(control), 0))
		return (-EINVAL);
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (control.state[i] != TBUF_ACTIVE)
			continue;
		result = session_set(c, fd, i, text);
		if (result != -ENOENT)
			error = result;
		if (error != 0 && error != -ENOENT)
			break;
	}
	return (error);
}

int
tbuf_consumer_unitselect(struct tbuf_consumer *c, pid_t pid,
    const char *rules)
{
	uint64_t unused[TBUF_UNIT_RULES];
	struct tbuf_found found;
	int error;

	tbuf_unit_rules_init(unused);
	if ((error = tbuf_option_rules(rules, unused)) != 0)
		return (tbuf_consumer_fail(c, -EINVAL, "invalid unitselect "
		    "rules: '%.99s'", rules));
	if ((error = tbuf_find_pid(pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error, "failed to set "
		    "unitselect of pid %d: %s", (int)pid, found.problem));
	if ((error = tbuf_file_lock_wait(found.fd)) == 0) {
		error = sessions_set(c, found.fd, rules);
		tbuf_file_unlock(found.fd, 0);
	}
	close(found.fd);
	close(found.pidfd);
	return (error == 0 ? 0 : tbuf_consumer_fail(c, error, "failed to set "
	    "unitselect of pid %d: %s", (int)pid, tbuf_set_problem(error,
	    "no session of this process has work units",
	    "too many outcomes")));
}
