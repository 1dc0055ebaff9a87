/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The public functions of one run of a consumer: begin, end and state.
 */
#include <sys/eventfd.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "target/provider.h"

const char *
tbuf_version(void)
{
	return (TBUF_VERSION);
}

struct tbuf_consumer *
tbuf_consumer_new(void)
{
	struct tbuf_consumer *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return (NULL);
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop == -1 || c->wake == -1) {
		if (c->stop != -1)
			close(c->stop);
		free(c);
		return (NULL);
	}
	/* A tool such as tbufctl is not a target, but has the library. */
	tbuf_life_withdraw();
	c->watch = c->elsewhere = c->directory = -1;
	c->spawned.go = c->spawned.failure = -1;
	c->drain.stale = true;
	c->lock_pauses = TBUF_LOCK_PAUSES;
	c->dying_pauses = TBUF_DYING_PAUSES;
	c->next_search = c->next_command = UINT64_MAX;
	TAILQ_INIT(&c->targets);
	tbuf_options_init(&c->options);
	return (c);
}

void
tbuf_consumer_close(struct tbuf_consumer *c)
{
	struct tbuf_target *t, *next;
	int saved = errno;

	if (c == NULL)
		return;
	tbuf_spawn_abandon(c);
	tbuf_board_withdraw(c);
	tbuf_consumer_quiesce(c, NULL);
	TAILQ_FOREACH_SAFE(t, &c->targets, link, next)
		tbuf_target_free(c, t);
	tbuf_sampling_free(c);
	tbuf_replay_free(c);
	tbuf_script_free(c->script);
	tbuf_images_free(c);
	tbuf_drain_free(c);
	tbuf_choice_free(&c->choice);
	tbuf_probes_free(&c->probes);
	close(c->stop);
	close(c->wake);
	if (c->watch != -1)
		close(c->watch);
	if (c->elsewhere != -1)
		close(c->elsewhere);
	if (c->directory != -1)
		close(c->directory);
	free(c->patterns);
	free(c->clauses);
	free(c->programs);
	free(c);
	errno = saved;
}

/* Returns true if future targets must not be missed. */
static bool
more_promised(const struct tbuf_consumer *c)
{
	return (c->all || c->options.follow || c->spawned.pid != 0);
}

static bool
is_alone(const struct tbuf_consumer *c)
{
	return (!more_promised(c) && TAILQ_EMPTY(&c->targets));
}

/* Frees targets that were only looked at: none of their probes is enabled. */
static void
let_go(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	while ((t = TAILQ_FIRST(&c->targets)) != NULL)
		tbuf_target_free(c, t);
	c->all = false;
}

/*
 * Prepares for more targets: those that start from now on find the run on the
 * board, and those that started earlier are found by a scan.
 */
static int
expect_more(struct tbuf_consumer *c)
{
	int error = tbuf_consumer_directory(c, more_promised(c));

	if (error < 0)
		return (tbuf_consumer_fail_directory(c, error,
		    "could not enable tracing"));
	if ((c->watch == -1 && (error = tbuf_consumer_watch(c)) != 0) ||
	    (error = tbuf_board_post(c)) != 0)
		return (tbuf_consumer_refuse(c, error));
	tbuf_consumer_find_new(c);
	return (0);
}

static bool
any_process(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (!t->file_only)
			return (true);
	return (false);
}

/*
 * Posts the run on the board and lets the command go.  A grabbed process may
 * call exec, and its new image looks at the board, too.  One of another user
 * looks at another board, so that a run with grabbed processes only does not
 * need the board.
 */
static int
begin(struct tbuf_consumer *c)
{
	int error = 0;

	if (c->run != 0) {
		tbuf_consumer_watch_elsewhere(c);
		error = expect_more(c);
	}
	if (error != 0 && more_promised(c))
		return (error);
	/* A target may have called exec before its directory was watched. */
	if (error != 0)
		tbuf_consumer_find_execed(c);
	return (tbuf_spawn_go(c));
}

/* Refuses a script with actions that targets cannot do, and reports which. */
static int
refuse_lack(struct tbuf_consumer *c, const struct tbuf_d_script *source)
{
	/* bufpolicy may change until the run begins. */
	const char *why, *lack = tbuf_clauses_lack(source, c->alone,
	    c->script != NULL && c->options.bufpolicy == TBUF_RING, &why);

	return (lack == NULL ? 0 : tbuf_consumer_fail(c, -ENOTSUP,
	    "%s: %s at probes of programs are not in this version", why,
	    lack));
}

int
tbuf_consumer_script(struct tbuf_consumer *c,
    const struct tbuf_d_script *source)
{
	const char *why;
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	if (c->script != NULL)
		return (tbuf_consumer_fail(c, -EBUSY,
		    "a script has already been set"));
	if (c->files && tbuf_clauses_snapshot(source))
		return (tbuf_consumer_fail(c, -ENOTSUP, "snapshot() cannot be "
		    "used with --read, --core or --snapshot"));
	c->alone = is_alone(c);
	if ((error = refuse_lack(c, source)) != 0)
		return (error);
	tbuf_moment_take(tbuf_clock_choose(false), &c->script_time);
	c->names |= tbuf_clauses_names(source);
	if ((c->script = tbuf_script_new(source, c->files, &why)) != NULL)
		return (tbuf_clauses_enable(c, source));
	if (errno == EINVAL)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "invalid script: %s", why));
	if (errno == ENOTSUP && c->files)
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "%s: profile probes cannot be used with "
		    "--read, --core or --snapshot", why));
	if (errno == E2BIG)
		return (tbuf_consumer_fail(c, -E2BIG, "%s: more than %d "
		    "timers in a script", why, TBUF_SCRIPT_PROBES - 3));
	return (tbuf_consumer_fail(c, -errno, "%s", strerror(errno)));
}

bool
tbuf_consumer_exited(const struct tbuf_consumer *c, int *status)
{
	if (c->script == NULL || !c->script->exited)
		return (false);
	*status = c->script->status;
	return (true);
}

/* Begins the script: BEGIN fires before anything else is traced. */
static int
begin_script(struct tbuf_consumer *c)
{
	int error;

	if (c->script == NULL)
		return (0);
	error = c->options.bufsize < TBUF_RECORD_LEAST ? -EINVAL :
	    tbuf_script_begin(c->script, &c->options);
	if (error == -EINVAL)
		return (tbuf_consumer_fail(c, error, "could not enable "
		    "tracing: Enabling exceeds size of buffer"));
	if (error == -ENOSPC)
		return (tbuf_consumer_fail(c, error, "could not enable "
		    "tracing: END enablings exceed size of principal "
		    "buffer"));
	if (error == -EFBIG)
		error = -ENOSPC;
	return (error == 0 ? 0 : tbuf_consumer_refuse(c, error));
}

int
tbuf_consumer_go(struct tbuf_consumer *c)
{
	uint64_t now;
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	if (c->npatterns == 0 && !c->files && c->script == NULL)
		return (tbuf_consumer_fail(c, -EINVAL, "no probes specified"));
	if (c->npatterns == 0 && c->all && !c->files)
		let_go(c);
	if ((error = tbuf_replay_begin(c)) != 0)
		return (error);
	c->alone = c->script != NULL && is_alone(c);
	if (c->script != NULL && c->replay == NULL &&
	    (error = refuse_lack(c, c->script->source)) != 0)
		return (error);
	if ((error = tbuf_sizes_lower(c)) != 0)
		return (error == -ENOSPC ? tbuf_consumer_refuse(c, error) :
		    error);
	if ((error = begin_script(c)) != 0)
		return (error);
	if (c->script != NULL && c->replay == NULL && !c->alone &&
	    (error = tbuf_clauses_make(c, c->script->source)) != 0)
		return (tbuf_consumer_refuse(c, error));
	if (c->replay == NULL && (error = tbuf_copyin_check(c)) != 0)
		return (error);
	if (more_promised(c) || any_process(c))
		c->run = tbuf_random() | 1;
	/* Before the free space is measured. */
	if (c->run != 0 && tbuf_consumer_directory(c, false) >= 0)
		tbuf_directory_trim(c->directory);
	if ((error = tbuf_attach_all(c)) != 0)
		return (error);
	c->state = TBUF_RUN_ACTIVE;
	tbuf_sampling_begin(c);
	if ((error = begin(c)) != 0) {
		tbuf_board_withdraw(c);
		tbuf_consumer_quiesce(c, NULL);
		c->state = TBUF_RUN_ENDED;
		return (error);
	}
	now = tbuf_now();
	c->next_switch = now + c->options.switchrate;
	c->next_status = now + c->options.statusrate;
	c->next_clean = now + c->options.cleanrate;
	if (c->spawned.pid != 0)
		tbuf_consumer_find_command(c, now);
	return (0);
}

int
tbuf_consumer_skipped(const struct tbuf_consumer *c)
{
	return (c->skipped);
}

bool
tbuf_consumer_lowered(const struct tbuf_consumer *c)
{
	return (c->lowered);
}

unsigned
tbuf_consumer_matched(struct tbuf_consumer *c, int enabling)
{
	struct tbuf_target *t;
	const char *pattern;
	unsigned matched = 0, i;

	if (enabling < 0 || (unsigned)enabling >= c->npatterns)
		return (0);
	pattern = tbuf_consumer_pattern(c, (unsigned)enabling);
	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_target_probes(c, t);
	for (i = 0; i < c->probes.count; i++)
		matched += tbuf_probe_chosen(c->probes.infos[i], pattern);
	return (matched);
}

uint64_t
tbuf_consumer_birth(const struct tbuf_consumer *c, pid_t pid)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->pid == pid && t->view.base != NULL)
			return (tbuf_load(
			    &tbuf_view_control(&t->view)->birth.mono));
	return (0);
}

static void
notify(int fd)
{
	const uint64_t one = 1;
	int saved = errno;

	(void)!write(fd, &one, sizeof(one));
	errno = saved;
}

void
tbuf_consumer_stop(struct tbuf_consumer *c)
{
	notify(c->stop);
}

void
tbuf_consumer_wake(struct tbuf_consumer *c)
{
	notify(c->wake);
}

void
tbuf_consumer_hurry(struct tbuf_consumer *c)
{
	c->hurried = true;
}

/* Fails unless tracing is active and bufpolicy is (or is not) switch. */
static int
need_policy(struct tbuf_consumer *c, bool switching, const char *words)
{
	if (tbuf_policy(c->options.bufpolicy)->live != switching)
		return (tbuf_consumer_fail(c, -ENOTSUP, "%s", words));
	if (c->state != TBUF_RUN_ACTIVE)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "no tracing is active"));
	return (0);
}

int
tbuf_consumer_switch(struct tbuf_consumer *c)
{
	int error = need_policy(c, true, "a switch needs bufpolicy switch");

	if (error == 0 &&
	    (error = tbuf_drain_begin(c, TBUF_DRAIN_SWITCH)) != 0)
		tbuf_consumer_fail(c, error, "%s", strerror(-error));
	return (error);
}

int
tbuf_consumer_snapshot(struct tbuf_consumer *c)
{
	int error = need_policy(c, false,
	    "a snapshot needs bufpolicy ring or fill");

	if (error == 0 && (error = tbuf_drain_snapshot(c)) != 0)
		tbuf_consumer_fail(c, error, "%s", strerror(-error));
	return (error);
}

bool
tbuf_consumer_snapshot_due(struct tbuf_consumer *c)
{
	bool due = c->script != NULL && c->script->snapshot_due;

	if (due)
		c->script->snapshot_due = false;
	return (due);
}

void
tbuf_consumer_totals(const struct tbuf_consumer *c, struct tbuf_totals *totals)
{
	*totals = c->totals;
}
