/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sends a setting of its text trace to a target: writes struct tbuf_text_order
 * in the control file.  The target applies it at its next message, a path only
 * with a ticket (shared/text_ticket.h).
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "shared/text_setting.h"
#include "shared/text_ticket.h"

/* A setting on its way to a target. */
struct sent {
	struct tbuf_found found;
	struct tbuf_text_setting parsed;
	const char *setting;
	bool has_path;		/* it sets a path, which needs a ticket */
	uint64_t ticket;
};

/* Returns true if the target has a text component. */
static bool
has_text(const struct tbuf_view *view)
{
	uint32_t i, n = tbuf_probes_count(view);
	struct tbuf_names_copy copy = { .offsets = { 0 } };

	for (i = 0; i < n; i++)
		if (tbuf_view_names(view, i, &copy) &&
		    strcmp(copy.names.provider, TBUF_TEXT_PROVIDER) == 0)
			return (true);
	return (false);
}

/*
 * Joins the setting to an earlier one that the target has not applied yet.
 * Returns false if both together are too long.
 */
static bool
join(const struct tbuf_text_order *o, bool pending, const char *setting,
    char *joined)
{
	size_t n = 0;

	if (pending && tbuf_load(&o->sequence) % 2 == 0) {
		memcpy(joined, o->setting, sizeof(o->setting));
		n = strnlen(joined, sizeof(o->setting));
	}
	/* Without a NUL it is damaged. */
	if (n == sizeof(o->setting))
		n = 0;
	if (n > 0)
		joined[n++] = ';';
	if (n + strlen(setting) >= sizeof(o->setting))
		return (false);
	strcpy(joined + n, setting);
	return (true);
}

/*
 * Writes the setting.  The caller has locked the file.  The sequence is odd if
 * another writer died while writing.
 */
static bool
give(struct tbuf_text_order *o, bool pending, const struct sent *sent)
{
	char joined[2 * sizeof(o->setting)];
	uint32_t sequence = tbuf_load(&o->sequence);

	if (!join(o, pending, sent->setting, joined))
		return (false);
	tbuf_store(&o->sequence, sequence | 1);
	tbuf_fence();
	strcpy(o->setting, joined);
	if (sent->has_path)
		tbuf_store(&o->ticket, sent->ticket);
	tbuf_store_release(&o->sequence, (sequence | 1) + 1);
	tbuf_store_release(&o->pending, 1);
	return (true);
}

/* ------------------------------------------------------------ tickets */

/*
 * Writes the path into the ticket and hands it to the control file's owner.
 * Returns 0 or -errno.
 */
static int
ticket_fill(int fd, uid_t owner, const char *path)
{
	size_t size = strlen(path);
	ssize_t n = write(fd, path, size);

	if (n != (ssize_t)size)
		return (n == -1 ? -errno : -ENOSPC);
	return (fchmod(fd, S_IRUSR | S_IWUSR) != 0 ||
	    (owner != geteuid() && fchown(fd, owner, (gid_t)-1) != 0) ?
	    -errno : 0);
}

/* Makes the ticket of the setting's path.  Returns 0 or -errno. */
static int
ticket_make(int dirfd, const char *name, const struct tbuf_found *found,
    const char *path)
{
	struct stat st;
	int fd, error;

	if (fstat(found->fd, &st) != 0 ||
	    (fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)) == -1)
		return (-errno);
	if ((error = ticket_fill(fd, st.st_uid, path)) != 0)
		unlinkat(dirfd, name, 0);
	close(fd);
	return (error);
}

/*
 * Sends a setting with a path.  If the earlier setting is still pending, its
 * ticket is removed, as the new path replaces the earlier one.
 */
static int
give_path(struct tbuf_text_order *o, bool pending, const struct sent *sent,
    int dirfd)
{
	char name[TBUF_TICKET_NAME_MAX], earlier[TBUF_TICKET_NAME_MAX];
	int error;

	tbuf_ticket_name(name, sent->found.name, sent->ticket);
	tbuf_ticket_name(earlier, sent->found.name, tbuf_load(&o->ticket));
	error = ticket_make(dirfd, name, &sent->found, sent->parsed.path);
	if (error != 0)
		return (error);
	if (!give(o, pending, sent)) {
		unlinkat(dirfd, name, 0);
		return (-E2BIG);
	}
	if (pending && strcmp(name, earlier) != 0)
		unlinkat(dirfd, earlier, 0);
	return (0);
}

/* ------------------------------------------------------------ sending */

static int
give_locked(struct tbuf_consumer *c, const struct sent *sent,
    const struct tbuf_view *view, int dirfd)
{
	struct tbuf_text_order *o = (struct tbuf_text_order *)(void *)
	    (view->base + TBUF_TEXT_ORDER);
	bool pending;
	int error;

	if (!has_text(view))
		return (-ENOENT);
	if ((error = tbuf_consumer_lock(c, sent->found.fd)) != 0)
		return (error);
	pending = tbuf_load(&o->pending) != 0;
	error = sent->has_path ? give_path(o, pending, sent, dirfd) :
	    give(o, pending, sent) ? 0 : -E2BIG;
	tbuf_file_unlock(sent->found.fd, 0);
	return (error);
}

/* Maps the target's file and sends the setting.  Returns 0 or -errno. */
static int
send_mapped(struct tbuf_consumer *c, const struct sent *sent, int dirfd)
{
	struct tbuf_view view;
	int error, gone;

	if ((error = tbuf_view_map(sent->found.fd, 0, &view)) != 0)
		return (error);
	tbuf_set_begin(c, view.base, view.size);
	error = give_locked(c, sent, &view, dirfd);
	gone = tbuf_set_end(c);
	tbuf_view_unmap(&view);
	return (gone != 0 ? gone : error);
}

static int
fail(struct tbuf_consumer *c, int error, const struct sent *sent,
    const char *problem)
{
	return (tbuf_consumer_fail(c, error, "failed to set text of pid %d: "
	    "%s", (int)sent->found.pid, problem));
}

/* A target that has changed its user or its root finds no ticket. */
static int
send_found(struct tbuf_consumer *c, const struct sent *sent)
{
	int dirfd = -EBADF, error;

	if (sent->has_path)
		dirfd = tbuf_find_directory(&sent->found);
	if (dirfd == -EPERM || dirfd == -ENOENT)
		return (fail(c, -EPERM, sent, "it has changed its user or "
		    "root directory since its start: set its traceFilePath by "
		    "TBUF_TEXT"));
	if (sent->has_path && dirfd < 0)
		return (fail(c, dirfd, sent, strerror(-dirfd)));
	error = send_mapped(c, sent, dirfd);
	if (dirfd >= 0)
		close(dirfd);
	return (error == 0 ? 0 : fail(c, error, sent, tbuf_set_problem(error,
	    "it has no text components", "earlier settings are still pending, "
	    "and both together are too long")));
}

int
tbuf_consumer_text(struct tbuf_consumer *c, pid_t pid, const char *setting)
{
	struct sent sent = { .setting = setting };
	const char *wrong;
	int error;

	if ((wrong = tbuf_text_setting_parse(setting, &sent.parsed)) != NULL)
		return (tbuf_consumer_fail(c, -EINVAL, "%s", wrong));
	if ((sent.parsed.present & TBUF_TEXT_KBYTES) != 0)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "traceMemoryBufferKbytes is fixed at the program's start"));
	sent.has_path = (sent.parsed.present & TBUF_TEXT_PATH) != 0;
	sent.ticket = tbuf_random();
	if ((error = tbuf_find_pid(pid, &sent.found)) != 0)
		return (tbuf_consumer_fail(c, error, "failed to set text of "
		    "pid %d: %s", (int)pid, sent.found.problem));
	error = send_found(c, &sent);
	close(sent.found.fd);
	close(sent.found.pidfd);
	return (error);
}
