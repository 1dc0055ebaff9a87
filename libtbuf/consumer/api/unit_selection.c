/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Changes options of a process's work units from outside: in all its active
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

/* A change of an option. */
struct change {
	const char *name, *value;
	uint64_t ns;			/* unitslow, unithung */
};

static bool
is_rules(const struct change *change)
{
	return (strcmp(change->name, "unitselect") == 0);
}

static bool
is_slow(const struct change *change)
{
	return (strcmp(change->name, "unitslow") == 0);
}

/* Returns the word of a session for this many ns, by its calibration points. */
static int
slow_of(int fd, const struct tbuf_control *control, unsigned number,
    uint64_t ns, uint64_t *slow)
{
	struct tbuf_timeline line = {
		.clock = (enum tbuf_clock)control->clock
	};
	struct tbuf_session session;
	uint64_t area;

	if (!tbuf_file_read(fd, &area, sizeof(area), TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE +
	    offsetof(struct tbuf_slot, area)) ||
	    !tbuf_file_read(fd, &session, sizeof(session), area) ||
	    line.clock > TBUF_CLOCK_COARSE)
		return (-EINVAL);
	line.base = session.go;
	tbuf_timeline_update(&line, NULL);
	*slow = tbuf_unit_slow(&line, ns);
	return (0);
}

/* Maps the units of a session; NULL: it has no unit tables. */
static struct tbuf_units *
session_map(int fd, unsigned number)
{
	struct tbuf_part units;
	struct stat st;
	void *head;

	if (!tbuf_file_read(fd, &units, sizeof(units), TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE +
	    offsetof(struct tbuf_slot, units)) || units.at == 0 ||
	    units.at % TBUF_PAGE != 0 || fstat(fd, &st) != 0 ||
	    units.at > (uint64_t)st.st_size ||
	    (uint64_t)st.st_size - units.at < sizeof(struct tbuf_units))
		return (NULL);
	head = mmap(NULL, sizeof(struct tbuf_units), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, (off_t)units.at);
	return (head == MAP_FAILED ? NULL : head);
}

/* Sets an option of a session; -ENOENT: it has no unit tables. */
static int
session_set(struct tbuf_consumer *c, int fd,
    const struct tbuf_control *control, unsigned number,
    const struct change *change)
{
	struct tbuf_units *head = session_map(fd, number);
	uint64_t limit = change->ns;
	int error, gone;

	if (head == NULL)
		return (-ENOENT);
	error = !is_slow(change) ? 0 : slow_of(fd, control, number,
	    change->ns, &limit);
	tbuf_set_begin(c, head, sizeof(*head));
	if (is_rules(change))
		error = head_set(head, change->value);
	else if (error == 0)
		tbuf_store(is_slow(change) ? &head->slow : &head->hung, limit);
	gone = tbuf_set_end(c);
	munmap(head, sizeof(*head));
	return (gone != 0 ? gone : error);
}

static int
sessions_set(struct tbuf_consumer *c, int fd, const struct change *change)
{
	struct tbuf_control control;
	int error = -ENOENT, result;
	unsigned i;

	if (!tbuf_file_read(fd, &control, sizeof(control), 0))
		return (-EINVAL);
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (control.state[i] != TBUF_ACTIVE)
			continue;
		result = session_set(c, fd, &control, i, change);
		if (result != -ENOENT)
			error = result;
		if (error != 0 && error != -ENOENT)
			break;
	}
	return (error);
}

/* Checks an option's name and value, without a session. */
static int
change_check(struct tbuf_consumer *c, struct change *change)
{
	uint64_t unused[TBUF_UNIT_RULES];
	int error = -ENOENT;
	int64_t ns = 0;

	tbuf_unit_rules_init(unused);
	if (is_rules(change)) {
		error = tbuf_option_rules(change->value, unused);
		if (error != 0)
			return (tbuf_consumer_fail(c, -EINVAL, "invalid "
			    "unitselect rules: '%.99s'", change->value));
	} else if (is_slow(change) || strcmp(change->name, "unithung") == 0) {
		error = tbuf_option_value(TBUF_OPTION_TIME, change->value,
		    &ns);
		change->ns = (uint64_t)ns;
	}
	return (error == 0 ? 0 : tbuf_consumer_fail(c, -EINVAL,
	    "invalid value of %.32s: '%.99s'", change->name, change->value));
}

int
tbuf_consumer_unitset(struct tbuf_consumer *c, pid_t pid, const char *name,
    const char *value)
{
	struct change change = { .name = name, .value = value };
	struct tbuf_found found;
	int error;

	if ((error = change_check(c, &change)) != 0)
		return (error);
	if ((error = tbuf_find_pid(pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error, "failed to set "
		    "%s of pid %d: %s", name, (int)pid, found.problem));
	if ((error = tbuf_consumer_lock(c, found.fd)) == 0) {
		error = sessions_set(c, found.fd, &change);
		tbuf_file_unlock(found.fd, 0);
	}
	close(found.fd);
	close(found.pidfd);
	return (error == 0 ? 0 : tbuf_consumer_fail(c, error, "failed to set "
	    "%s of pid %d: %s", name, (int)pid, tbuf_set_problem(error,
	    "no session of this process has work units",
	    "too many outcomes")));
}

int
tbuf_consumer_unitselect(struct tbuf_consumer *c, pid_t pid,
    const char *rules)
{
	return (tbuf_consumer_unitset(c, pid, "unitselect", rules));
}
