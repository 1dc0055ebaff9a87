/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recorder is built by the code that builds the sessions that wait on the
 * board (build_sessions.c), into a file that has its name already: its lock
 * keeps consumers out meanwhile.
 */
#include "base/optimize_size.h"

#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "shared/control_file.h"
#include "shared/ecb_chain.h"
#include "target/file/file.h"
#include "target/recorder/recorder.h"
#include "target/self/self.h"

static struct tbuf_recorder recorder;
static int slot TBUF_FORKED = -1;	/* of the last recorder; -1: none */
static char text[sizeof(recorder.entry.patterns)]; /* its options */

/* Two moments closer than this, in ns, say little about the clock's rate. */
#define SPAN_MIN	UINT64_C(1000000)

/*
 * Returns the ticks that `ns' take, by two moments of the process, whose
 * differences are cut to 31 bits.
 */
static uint64_t
ticks_of(uint64_t ns, const struct tbuf_moment *birth)
{
	struct tbuf_moment now;
	uint64_t ticks, mono;

	if (tbuf_self.clock != TBUF_CLOCK_COUNTER)
		return (ns);
	do {
		tbuf_moment_take(tbuf_self.clock, &now);
	} while (now.mono - birth->mono < SPAN_MIN);
	ticks = now.ticks - birth->ticks;
	mono = now.mono - birth->mono;
	for (; ((ticks | mono) >> 31) != 0; ticks >>= 1)
		mono >>= 1;
	return ((uint64_t)((unsigned __int128)ns * ((ticks << 32) / mono) >>
	    32));
}

/* Sets fields that readers of the session use; `go` is the process's birth. */
static void
session_sign(const struct tbuf_view *view, unsigned number, uint64_t removed)
{
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (view->base + tbuf_view_slot(view, number)->area);
	struct tbuf_units *units;
	unsigned i;

	session->go = tbuf_view_control(view)->birth;
	tbuf_moment_take(tbuf_self.clock, &session->now);
	session->boot = tbuf_boot();
	session->removed = removed;
	units = (struct tbuf_units *)(void *)(view->base +
	    tbuf_view_slot(view, number)->units.at);
	for (i = 0; recorder.nunits != 0 && i < TBUF_UNIT_RULES; i++)
		tbuf_store(&units->rules[i],
		    recorder.rules[i] ^ tbuf_unit_default(i));
	if (recorder.nunits != 0 && recorder.unitslow != 0)
		tbuf_store(&units->slow, ticks_of(recorder.unitslow,
		    &session->go) + 1);
}

/* Builds with the file's lock.  *lacking: as tbuf_wanted_own() sets it. */
static int
place(int fd, uint64_t removed, uint64_t *lacking)
{
	struct tbuf_view view = tbuf_file_view();
	int number = tbuf_wanted_slot(fd, tbuf_view_control(&view));
	const char *problem;

	if (number == -1)
		return (tbuf_recorder_fail(-EUSERS, "",
		    "too many sessions"));
	problem = tbuf_wanted_own(fd, (unsigned)number, &recorder.entry,
	    lacking);
	if (problem != NULL)
		return (tbuf_recorder_fail(-ENOSPC, "", problem));
	session_sign(&view, (unsigned)number, removed);
	tbuf_file_dump(fd);
	slot = number;
	return (0);
}

/*
 * Builds, and where room is lacking removes older recordings as long as that
 * frees some: else a file system that they have filled would never have a
 * recorder again.
 */
static int
place_somehow(int dirfd, int fd, const char *program, uint64_t removed)
{
	uint64_t lacking = UINT64_MAX, before;
	int error;

	do {
		before = lacking;
		lacking = 0;
		error = place(fd, removed, &lacking);
	} while (error == -ENOSPC && lacking != 0 && lacking < before &&
	    tbuf_recorder_make_way(dirfd, program, lacking, &removed));
	return (error);
}

static int
build_in(int dirfd, int fd)
{
	struct tbuf_view view = tbuf_file_view();
	const char *program = tbuf_view_control(&view)->comm;
	uint64_t removed = 0;
	int error;

	error = dirfd < 0 ? 0 : tbuf_recorder_trim(dirfd, program,
	    false, &removed);
	if (error != 0)
		return (error);
	if (fd < 0)
		return (tbuf_recorder_fail(fd, "", fd == -ENOENT ?
		    "the control file was removed" : fd == -EMFILE ?
		    "too many open files" :
		    "the control file cannot be opened"));
	if ((error = tbuf_file_lock_wait(fd)) != 0)
		return (tbuf_recorder_fail(error, "",
		    "the control file is locked"));
	return (place_somehow(dirfd, fd, program, removed));
}

static int
build(void)
{
	int dirfd = tbuf_directory_open_kept(false), fd = tbuf_file_open_own();
	int error = build_in(dirfd, fd);

	if (dirfd >= 0)
		close(dirfd);
	if (fd >= 0)
		close(fd);
	return (error);
}

/*
 * Resumes the same session, and matches probes that were registered meanwhile.
 */
static int
resume(uint32_t *state)
{
	struct tbuf_view view = tbuf_file_view();
	uint32_t n;

	tbuf_store_release(state, TBUF_ACTIVE);
	/* Fence B [inv.attach]. */
	tbuf_fence();
	n = tbuf_load_acquire(&tbuf_view_control(&view)->nprobes);
	tbuf_sessions_match(0,
	    n < view.tables.entries ? n : view.tables.entries);
	return (0);
}

int
tbuf_recorder_build(const char *options)
{
	struct tbuf_view view = tbuf_file_view();
	uint32_t *state = slot == -1 ? NULL :
	    &tbuf_view_control(&view)->state[slot];
	int error;

	if (state != NULL && tbuf_load(state) == TBUF_ACTIVE)
		return (tbuf_recorder_fail(-EALREADY, "",
		    "a recorder is running already"));
	if (strlen(options) >= sizeof(text))
		return (tbuf_recorder_fail(-EINVAL, "",
		    "the options are too long"));
	if (state != NULL && strcmp(options, text) == 0 &&
	    tbuf_load(state) == TBUF_GIVENUP)
		return (resume(state));
	*text = '\0';
	if ((error = tbuf_recorder_parse(options, &recorder)) != 0)
		return (error);
	strcpy(text, options);
	return (build());
}

int
tbuf_recorder_slot(void)
{
	return (slot);
}

int
tbuf_recorder_halt(void)
{
	struct tbuf_view view = tbuf_file_view();
	uint32_t *state = slot == -1 ? NULL :
	    &tbuf_view_control(&view)->state[slot];

	if (state == NULL || !tbuf_cas(state, TBUF_ACTIVE, TBUF_GIVINGUP))
		return (tbuf_recorder_fail(-ENOENT, "",
		    "no recorder is running"));
	tbuf_disable_all(&view, (unsigned)slot);
	tbuf_store_release(state, TBUF_GIVENUP);
	return (0);
}

/* Reports the failure as one line, by one write. */
static void
tell(void)
{
	char line[TBUF_RECORDER_WHY + 96];
	int n = snprintf(line, sizeof(line),
	    "%.40s: TBUF_OPTIONS: %s; nothing is recorded\n",
	    program_invocation_short_name, tbuf_recorder_why());

	(void)!write(STDERR_FILENO, line, (size_t)n);
}

void
tbuf_recorder_begin(const char *problem)
{
	const char *options = secure_getenv("TBUF_OPTIONS");
	int error;

	if (options == NULL || *options == '\0')
		return;
	error = problem != NULL ? tbuf_recorder_fail(-ECANCELED, "", problem) :
	    tbuf_recorder_build(options);
	if (error != 0)
		tell();
}

/* Called while the parent's file is still mapped. */
bool
tbuf_recorder_follows(void)
{
	struct tbuf_view view = tbuf_file_view();
	bool follows = slot != -1 && recorder.follow && tbuf_load(
	    &tbuf_view_control(&view)->state[slot]) == TBUF_ACTIVE;

	slot = -1;
	/*
	 * `recorder` is in a page that need not be copied if it does not
	 * change.
	 */
	if (recorder.follow != follows)
		recorder.follow = follows;
	return (follows);
}

void
tbuf_recorder_child(const char *problem)
{
	if (recorder.follow && problem == NULL && slot == -1)
		(void)build();
}
