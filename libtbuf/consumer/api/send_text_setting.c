/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sends a setting of its text trace to a target: writes struct tbuf_text_order
 * in the control file.  The target applies it at its next message.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "shared/text_setting.h"

/* Returns true if the target has a text component. */
static bool
has_text(const struct tbuf_view *view)
{
	uint32_t i, n = tbuf_probes_count(view);
	struct tbuf_names_copy copy;

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
join(const struct tbuf_text_order *o, const char *setting, char *joined)
{
	size_t n = 0;

	if (tbuf_load(&o->pending) != 0 && tbuf_load(&o->sequence) % 2 == 0) {
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
give(struct tbuf_text_order *o, const char *setting)
{
	char joined[2 * sizeof(o->setting)];
	uint32_t sequence = tbuf_load(&o->sequence);

	if (!join(o, setting, joined))
		return (false);
	tbuf_store(&o->sequence, sequence | 1);
	tbuf_fence();
	strcpy(o->setting, joined);
	tbuf_store_release(&o->sequence, (sequence | 1) + 1);
	tbuf_store_release(&o->pending, 1);
	return (true);
}

static int
give_locked(int fd, const struct tbuf_view *view, const char *setting)
{
	int error;
	bool sent;

	if (!has_text(view))
		return (-ENOENT);
	if ((error = tbuf_file_lock_wait(fd)) != 0)
		return (error);
	sent = give((struct tbuf_text_order *)(void *)(view->base +
	    TBUF_TEXT_ORDER), setting);
	tbuf_file_unlock(fd, 0);
	return (sent ? 0 : -E2BIG);
}

int
tbuf_consumer_text(struct tbuf_consumer *c, pid_t pid, const char *setting)
{
	struct tbuf_text_setting s;
	struct tbuf_found found;
	struct tbuf_view view;
	const char *wrong;
	int error, gone;

	if ((wrong = tbuf_text_setting_parse(setting, &s)) != NULL)
		return (tbuf_consumer_fail(c, -EINVAL, "%s", wrong));
	if ((s.present & TBUF_TEXT_KBYTES) != 0)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "traceMemoryBufferKbytes is fixed at the program's start"));
	if ((error = tbuf_find_pid(pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error, "failed to set text of "
		    "pid %d: %s", (int)pid, found.problem));
	if ((error = tbuf_view_map(found.fd, 0, &view)) == 0) {
		tbuf_set_begin(c, view.base, view.size);
		error = give_locked(found.fd, &view, setting);
		gone = tbuf_set_end(c);
		error = gone != 0 ? gone : error;
		tbuf_view_unmap(&view);
	}
	close(found.fd);
	close(found.pidfd);
	return (error == 0 ? 0 : tbuf_consumer_fail(c, error, "failed to set "
	    "text of pid %d: %s", (int)pid, tbuf_set_problem(error,
	    "it has no text components", "earlier settings are still pending, "
	    "and both together are too long")));
}
