/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The recordings that a program leaves are bounded by its next recorder: else a
 * program that is restarted after each crash would fill the memory or the disk.
 * Those that ended by exit(3) are removed first, then the oldest.
 */
#include "base/optimize_size.h"

#include <sys/stat.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shared/control_file.h"
#include "target/recorder/recorder.h"

#define REMOVED_MAX	64	/* at one start */
#define BLOCK		512	/* bytes of st_blocks */

struct keep {
	const char *program;
	uint64_t files, bytes;		/* of all recordings */
	char name[TBUF_NAME_MAX];	/* to be removed; "": none */
	bool exited;
	uint64_t start_time;
	uint64_t removed;		/* by that recorder */
};

/* Returns true if the file is to be removed before the one found so far. */
static bool
before(const struct keep *k, bool exited, uint64_t start_time)
{
	if (*k->name == '\0' || exited != k->exited)
		return (*k->name == '\0' || exited);
	return (start_time < k->start_time);
}

static void
count(struct keep *k, const char *name, const struct tbuf_control *control,
    const struct tbuf_session *session, uint64_t bytes)
{
	bool exited = control->stage == TBUF_STAGE_EXITED;
	/* All copies that a process has saved have its birth. */
	uint64_t start_time = (control->flags & TBUF_F_SAVED) != 0 ?
	    session->now.real : control->birth.real;

	k->files++;
	k->bytes += bytes;
	if (!before(k, exited, start_time))
		return;
	strcpy(k->name, name);
	k->exited = exited;
	k->start_time = start_time;
	k->removed = session->removed;
}

static void
look(int dirfd, const char *name, void *argument)
{
	struct keep *k = argument;
	struct tbuf_session session;
	struct tbuf_control control;
	struct stat st;
	int fd = tbuf_control_open_orphan(dirfd, name, &control);

	if (fd < 0)
		return;
	if (strncmp(control.comm, k->program, sizeof(control.comm)) == 0 &&
	    fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    tbuf_control_recorder(fd, &control, &session) &&
	    tbuf_control_orphan(dirfd, fd, &control))
		count(k, name, &control, &session,
		    (uint64_t)st.st_blocks * BLOCK);
	close(fd);
}

/* Removes one recording, if there are more files or bytes than these. */
static bool
thin(int dirfd, const char *program, uint64_t files, uint64_t bytes,
    uint64_t *removed)
{
	struct keep k = { .program = program };

	tbuf_control_each(dirfd, look, &k);
	if ((k.files <= files && k.bytes <= bytes) || *k.name == '\0' ||
	    unlinkat(dirfd, k.name, 0) != 0)
		return (false);
	*removed += 1 + k.removed;
	return (true);
}

int
tbuf_recorder_trim(int dirfd, const char *program, bool more,
    uint64_t *removed)
{
	/* A forked child has its parent's: the environment may be cleared. */
	static uint64_t files, bytes;
	static bool known;
	unsigned i;

	if (!known && !tbuf_keep_limits(&files, &bytes))
		return (tbuf_recorder_fail(-EINVAL, "TBUF_KEEP",
		    "not FILES or FILES,SIZE (example: 8,1g)"));
	known = true;
	*removed = 0;
	for (i = 0; i < REMOVED_MAX; i++)
		if (!thin(dirfd, program, files - (more && files != 0), bytes,
		    removed))
			break;
	return (0);
}

bool
tbuf_recorder_make_way(int dirfd, const char *program, uint64_t bytes,
    uint64_t *removed)
{
	return (dirfd >= 0 &&
	    thin(dirfd, program, UINT64_MAX, bytes - 1, removed));
}
