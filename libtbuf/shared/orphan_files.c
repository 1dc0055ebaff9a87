/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Orphans: files that dead targets left in the runtime directory.
 */
#include "base/optimize_size.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/option.h"
#include "shared/board.h"
#include "shared/control_file.h"

/*
 * One in SHARE of the programs that start reaps orphans, in one part of the
 * directory.  It removes up to REAPED_MAX, more than SHARE, so that the number
 * of files stays near that of live targets without any program counting them.
 */
#define SHARE		16
#define ENTRIES_PART	128	/* names in a part, or a few more */
#define REAPED_MAX	64

/* Bytes that tmpfs counts for a name in a directory's size. */
#define NAME_BYTES	20

/* Defaults of TBUF_KEEP. */
#define FILES		8
#define BYTES		(UINT64_C(1) << 30)

/* The form is NUMBER[,SIZE]. */
bool
tbuf_keep_limits(uint64_t *files, uint64_t *bytes)
{
	const char *text = secure_getenv("TBUF_KEEP");
	uint64_t n, size = BYTES;
	char *end;

	*files = FILES;
	*bytes = BYTES;
	if (text == NULL || *text == '\0')
		return (true);
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno != 0 ||
	    (*end == ',' && tbuf_option_bytes(end + 1, &size) != 0) ||
	    (*end != ',' && *end != '\0'))
		return (false);
	*files = n;
	*bytes = size;
	return (true);
}

/*
 * Returns true if the file waits for a command that exists or that cannot be
 * examined.
 */
static bool
awaited(const struct tbuf_control *control)
{
	uint64_t start;

	if (control->stage != TBUF_STAGE_WAITING || control->start == 0)
		return (false);
	errno = ESRCH;
	start = tbuf_start_time((pid_t)control->pid);
	return (start == control->start ||
	    (start == 0 && errno != ENOENT && errno != ESRCH));
}

bool
tbuf_control_orphan(int dirfd, int fd, const struct tbuf_control *control)
{
	/* A consumer that holds a slot of the file has locked its byte. */
	return (!tbuf_control_alive(fd) && !awaited(control) &&
	    tbuf_file_lock_call(fd, F_OFD_GETLK, F_WRLCK, 1,
	    TBUF_NSESSIONS) == F_UNLCK &&
	    !tbuf_board_claims(dirfd, fd, control));
}

/* Reads a field of a slot, of `size` bytes; returns 0 on failure. */
static uint64_t
slot_word(int fd, unsigned slot, size_t offset, size_t size)
{
	uint64_t word = 0;

	if (pread(fd, &word, size, (off_t)(TBUF_SLOTS +
	    slot * (uint64_t)TBUF_SLOT_SIZE + offset)) != (ssize_t)size)
		return (0);
	return (word);
}

#define SLOT_WORD(fd, slot, field)					\
	slot_word((fd), (slot), offsetof(struct tbuf_slot, field),	\
	    sizeof(((struct tbuf_slot *)0)->field))

static bool
lane_unread(const struct tbuf_lane *lane, bool ring)
{
	return (lane->head > (ring ? lane->pair[lane->sequence & 1].tail :
	    lane->tail));
}

/*
 * Returns true if a recorder has statistics of units, which are worth retaining
 * even if no record was kept.
 */
static bool
kinds_unread(int fd, uint64_t units)
{
	uint64_t state;
	unsigned i;

	for (i = 0; i < TBUF_UNIT_KINDS; i++)
		if (pread(fd, &state, sizeof(state), (off_t)(units +
		    offsetof(struct tbuf_units, kinds) +
		    i * sizeof(struct tbuf_unit_kind))) ==
		    (ssize_t)sizeof(state) && state != 0)
			return (true);
	return (false);
}

/* Returns true if the slot has units that have not ended, or statistics. */
static bool
units_unread(int fd, unsigned slot)
{
	uint64_t generation = SLOT_WORD(fd, slot, generation);
	uint64_t at = SLOT_WORD(fd, slot, units.at), size, word;
	struct tbuf_terms terms = {
		.flags = SLOT_WORD(fd, slot, terms.flags),
		.owner_pid = (uint32_t)SLOT_WORD(fd, slot, terms.owner_pid)
	};
	uint32_t n = at == 0 ? 0 : tbuf_terms_units(&terms, &size), i;

	if (n != 0 && tbuf_terms_recorder(&terms) && kinds_unread(fd, at))
		return (true);
	for (i = 0; i < n; i++)
		if (pread(fd, &word, sizeof(word), (off_t)(at +
		    sizeof(struct tbuf_units) + i *
		    sizeof(struct tbuf_unit_entry))) == (ssize_t)sizeof(word) &&
		    (tbuf_unit_word_is(word, generation, TBUF_UNIT_BOUND) ||
		    tbuf_unit_word_is(word, generation, TBUF_UNIT_ENDING)))
			return (true);
	return (false);
}

static bool
session_unread(int fd, unsigned slot)
{
	uint64_t lanes = SLOT_WORD(fd, slot, lanes), i;
	uint64_t nlanes = SLOT_WORD(fd, slot, nlanes);
	bool ring = tbuf_policy(SLOT_WORD(fd, slot, terms.policy))->overwrites;
	struct tbuf_lane lane;

	for (i = 0; i < nlanes && i < 2 * TBUF_NCPUS; i++) {
		if (pread(fd, &lane, sizeof(lane), (off_t)(lanes +
		    i * sizeof(lane))) != (ssize_t)sizeof(lane))
			return (false);
		if (lane_unread(&lane, ring))
			return (true);
	}
	return (units_unread(fd, slot));
}

bool
tbuf_control_unread(int fd, const struct tbuf_control *control)
{
	unsigned slot;

	for (slot = 0; slot < TBUF_NSESSIONS; slot++)
		if (tbuf_state_readable(control->state[slot]) &&
		    session_unread(fd, slot))
			return (true);
	return (false);
}

static bool
recorder_read(int fd, unsigned slot, struct tbuf_session *session)
{
	struct tbuf_terms terms;
	uint64_t area = SLOT_WORD(fd, slot, area);

	return (pread(fd, &terms, sizeof(terms), (off_t)(TBUF_SLOTS +
	    slot * (uint64_t)TBUF_SLOT_SIZE +
	    offsetof(struct tbuf_slot, terms))) == (ssize_t)sizeof(terms) &&
	    tbuf_terms_recorder(&terms) && area <= INT64_MAX &&
	    pread(fd, session, sizeof(*session), (off_t)area) ==
	    (ssize_t)sizeof(*session));
}

bool
tbuf_control_recorder(int fd, const struct tbuf_control *control,
    struct tbuf_session *session)
{
	unsigned slot;

	for (slot = 0; slot < TBUF_NSESSIONS; slot++)
		if (tbuf_state_readable(control->state[slot]) &&
		    recorder_read(fd, slot, session))
			return (true);
	return (false);
}

bool
tbuf_control_useless(int dirfd, int fd, const struct tbuf_control *control)
{
	return (tbuf_control_orphan(dirfd, fd, control) &&
	    !tbuf_control_unread(fd, control));
}

bool
tbuf_control_reap(int dirfd, const char *name, int fd,
    const struct tbuf_control *control)
{
	return (tbuf_control_useless(dirfd, fd, control) &&
	    unlinkat(dirfd, name, 0) == 0);
}

int
tbuf_control_open_orphan(int dirfd, const char *name,
    struct tbuf_control *control)
{
	struct stat st;
	uint64_t random;
	pid_t pid;
	int fd;

	if (!tbuf_control_name_parse(name, &pid, &random) ||
	    (pid != getpid() && (kill(pid, 0) == 0 || errno != ESRCH)))
		return (-ENOENT);
	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, control, sizeof(*control), 0) == sizeof(*control) &&
	    tbuf_control_check(control, (uint64_t)st.st_size) == 0)
		return (fd);
	close(fd);
	return (-EINVAL);
}

/* Reaps the file of this name if its process has ended. */
static bool
reap_name(int dirfd, const char *name)
{
	struct tbuf_control control;
	int fd = tbuf_control_open_orphan(dirfd, name, &control);
	bool reaped;

	if (fd < 0)
		return (false);
	reaped = tbuf_control_reap(dirfd, name, fd, &control);
	close(fd);
	return (reaped);
}

static long
part_read(int fd, struct tbuf_names_part *part)
{
	return (syscall(SYS_getdents64, fd, part->bytes, sizeof(part->bytes)));
}

/* Returns the entry at an offset in a part. */
static const struct dirent64 *
entry_at(const struct tbuf_names_part *part, long at)
{
	return ((const struct dirent64 *)(const void *)(part->bytes + at));
}

void
tbuf_names_each(int dirfd, struct tbuf_names_part *part, unsigned most,
    void (*visit)(int, const char *, void *), void *argument)
{
	unsigned i;
	long n, at;
	int fd;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return;
	for (i = 0; i < most && (n = part_read(fd, part)) > 0; i++)
		for (at = 0; at < n; at += entry_at(part, at)->d_reclen)
			visit(dirfd, entry_at(part, at)->d_name, argument);
	close(fd);
}

void
tbuf_control_each(int dirfd, void (*visit)(int, const char *, void *),
    void *argument)
{
	/* Static: the stack may be small, and callers do not overlap. */
	static struct tbuf_names_part part;

	tbuf_names_each(dirfd, &part, UINT_MAX, visit, argument);
}

/* Reads a random part of the directory, or the first one if that is empty. */
static long
part_choose(int fd, uint64_t random, struct tbuf_names_part *part)
{
	uint64_t skip;
	struct stat st;
	long n;

	if (fstat(fd, &st) != 0)
		return (0);
	skip = random % ((uint64_t)st.st_size / NAME_BYTES / ENTRIES_PART + 1);
	while ((n = part_read(fd, part)) > 0 && skip > 0)
		skip--;
	if (n > 0 || lseek(fd, 0, SEEK_SET) != 0)
		return (n);
	return (part_read(fd, part));
}

bool
tbuf_control_reap_some(int dirfd, uint64_t random)
{
	struct tbuf_names_part part;
	unsigned reaped = 0;
	long n, at;
	int fd;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return (false);
	n = part_choose(fd, random, &part);
	for (at = 0; at < n && reaped < REAPED_MAX;
	    at += entry_at(&part, at)->d_reclen)
		reaped += reap_name(dirfd, entry_at(&part, at)->d_name);
	close(fd);
	return (reaped > 0);
}

void
tbuf_control_reap_share(int dirfd, uint64_t random)
{
	if (random % SHARE == 0)
		(void)tbuf_control_reap_some(dirfd, random / SHARE);
}
