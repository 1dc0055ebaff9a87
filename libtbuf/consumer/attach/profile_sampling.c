/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses the threads that are sampled, and fires clauses for samples.
 */
#include <sys/resource.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/util/perf_ring.h"

/* Larger than any thread id (PID_MAX_LIMIT). */
#define TID_MAX		(UINT32_C(4) << 20)
#define PASSES		8		/* over threads that still start */
#define DRAIN_MIN	(TBUF_SECOND / 100)
#define WHYS		4		/* reasons, each reported once */

struct event {
	pid_t pid;
	int fd;
};

/* A profile probe of the script, with a buffer for each CPU. */
struct profile {
	const struct tbuf_script_probe *probe;
	struct tbuf_perf_terms terms;
	struct tbuf_perf_buffer *buffers;
};

/* Threads that are not sampled, by reason. */
struct unsampled {
	int error;
	uint64_t threads, reported;
};

struct tbuf_sampling {
	struct profile *profiles;
	unsigned nprofiles;
	int *cpus;
	unsigned ncpus;
	struct event *events;
	unsigned nevents, events_max;
	unsigned char *covered;		/* one bit per thread: is sampled */
	uint64_t due, interval;
	int error;			/* why there are no samples, or 0 */
	bool error_reported;
	struct unsampled unsampled[WHYS];
	uint64_t untraced, untraced_reported;
	char text[256];			/* the last message */
};

/* ------------------------------------------------------------ threads */

static void
cover(struct tbuf_sampling *s, uint32_t tid, bool is)
{
	if (tid >= TID_MAX)
		return;
	s->covered[tid / 8] &= (unsigned char)~(1u << tid % 8);
	s->covered[tid / 8] |= (unsigned char)((unsigned)is << tid % 8);
}

static bool
is_covered(const struct tbuf_sampling *s, uint32_t tid)
{
	return (tid < TID_MAX && (s->covered[tid / 8] >> tid % 8 & 1) != 0);
}

static void
miss(struct tbuf_sampling *s, int error)
{
	struct unsampled *u = s->unsampled;

	while (u < s->unsampled + WHYS - 1 && u->threads != 0 &&
	    u->error != error)
		u++;
	u->error = error;
	u->threads++;
}

/* Returns true if a descriptor is free: half are for targets and files. */
static bool
has_room(const struct tbuf_sampling *s, int fd)
{
	struct rlimit limit;

	return (tbuf_descriptor_spare(fd) &&
	    (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    s->nevents < limit.rlim_cur / 2));
}

static int
add_event(struct tbuf_sampling *s, pid_t pid, int fd)
{
	struct event *all = s->events;

	if (!has_room(s, fd))
		return (-EMFILE);
	if (s->nevents == s->events_max) {
		all = reallocarray(all, 2 * s->events_max + 16, sizeof(*all));
		if (all == NULL)
			return (-ENOMEM);
		s->events = all;
		s->events_max = 2 * s->events_max + 16;
	}
	all[s->nevents++] = (struct event){ pid, fd };
	return (0);
}

static void
close_events(struct tbuf_sampling *s, unsigned from)
{
	while (s->nevents > from)
		close(s->events[--s->nevents].fd);
}

/* Opens all of a thread's perf events, or none. */
static void
sample_thread(struct tbuf_sampling *s, pid_t pid, pid_t tid)
{
	struct profile *p = s->profiles, *end = p + s->nprofiles;
	unsigned from = s->nevents, i;
	int fd, error = 0;

	for (; p < end && error == 0; p++)
		for (i = 0; i < s->ncpus && error == 0; i++) {
			fd = tbuf_perf_event_open(&p->terms, tid,
			    &p->buffers[i]);
			error = fd < 0 ? fd : add_event(s, pid, fd);
			if (fd >= 0 && error != 0)
				close(fd);
		}
	if (error != 0)
		close_events(s, from);
	/* A thread that has ended is not missed. */
	if (error != 0 && error != -ESRCH)
		miss(s, error);
	cover(s, (uint32_t)tid, true);
}

/*
 * Samples the threads of a process.  A thread that starts meanwhile inherits
 * the perf events of its creator, or is found by the next pass.
 */
static void
sample_process(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_sampling *s = c->sampling;
	const struct dirent *entry;
	unsigned pass, found = 1;
	char path[32];
	pid_t tid;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (pass = 0; pass < PASSES && found != 0; pass++) {
		found = 0;
		/* The buffers report threads with inherited perf events. */
		tbuf_sampling_drain(c);
		if ((dir = opendir(path)) == NULL)
			return;
		while ((entry = readdir(dir)) != NULL) {
			tid = atoi(entry->d_name);
			if (tid <= 0 || is_covered(s, (uint32_t)tid))
				continue;
			sample_thread(s, pid, tid);
			found++;
		}
		closedir(dir);
	}
}

static void
forget_process(struct tbuf_sampling *s, pid_t pid)
{
	unsigned i, n = 0;

	for (i = 0; i < s->nevents; i++)
		if (s->events[i].pid != pid)
			s->events[n++] = s->events[i];
		else
			close(s->events[i].fd);
	s->nevents = n;
}

void
tbuf_sampling_look(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	if (c->sampling == NULL || c->sampling->error != 0)
		return;
	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->file_only || t->pidfd == -1)
			continue;
		if (!t->sampled && t->state == TBUF_ALIVE) {
			t->sampled = true;
			sample_process(c, t->pid);
		} else if (t->sampled && t->state == TBUF_DEAD) {
			t->sampled = false;
			forget_process(c->sampling, t->pid);
		}
	}
}

/* ------------------------------------------------------------ samples */

/* Returns the exec image that a process had at this time. */
static const struct tbuf_target *
image_of(const struct tbuf_consumer *c, uint32_t pid, uint64_t time)
{
	const struct tbuf_target *t, *found = NULL;

	TAILQ_FOREACH(t, &c->targets, link) {
		if ((uint32_t)t->pid != pid || t->file_only)
			continue;
		if (found == NULL || found->start_time > time ||
		    (t->start_time <= time &&
		    t->start_time >= found->start_time))
			found = t;
	}
	return (found);
}

/* Copies the program's frames, without the kernel's context markers. */
static unsigned
frames_of(const struct tbuf_perf_sample *sample, uint64_t *frames)
{
	unsigned n = 0;
	uint64_t i;

	for (i = 0; i < sample->nframes && n < TBUF_SCRIPT_FRAMES; i++)
		if (sample->frames[i] < (uint64_t)PERF_CONTEXT_MAX)
			frames[n++] = sample->frames[i];
	return (n);
}

/* Unwinds a sampled stack.  Returns the number of frames. */
static unsigned
unwind(const struct tbuf_consumer *c, const struct tbuf_perf_sample *sample,
    uint64_t image, uint64_t *frames)
{
	struct tbuf_perf_stack raw;
	struct tbuf_stack stack = {
		.image = image, .registers = raw.registers,
		.nregisters = TBUF_PERF_REGISTERS
	};

	if (!tbuf_perf_stack_read(sample, &raw))
		return (1);
	stack.bytes = raw.bytes;
	stack.size = raw.size;
	return (1 + c->unwind(c->unwind_arg, &stack, frames + 1,
	    TBUF_SCRIPT_FRAMES - 1));
}

static void
fire(struct tbuf_consumer *c, const struct profile *p,
    const struct tbuf_perf_sample *sample, int cpu)
{
	uint64_t frames[TBUF_SCRIPT_FRAMES];
	struct tbuf_script_sample event = {
		.time = sample->time, .pid = (pid_t)sample->pid,
		.tid = (pid_t)sample->tid, .cpu = cpu, .frames = frames
	};
	const struct tbuf_target *t = image_of(c, sample->pid, sample->time);

	if (t == NULL) {
		c->sampling->untraced++;
		return;
	}
	event.image = tbuf_target_image(t);
	(void)tbuf_copy(event.execname, tbuf_images_name(c, t),
	    sizeof(event.execname));
	frames[0] = sample->pc;
	event.nframes = 1;
	if (p->terms.raw)
		event.nframes = unwind(c, sample, event.image, frames);
	else if (p->terms.stacks)
		event.nframes = frames_of(sample, frames);
	tbuf_script_sampled(c->script, p->probe, &event);
}

/*
 * A command without libtbuf does not publish its mappings, but the kernel
 * reports them.  These records are handled before all samples that follow in
 * their buffer.
 */
static void
learn_mapping(struct tbuf_consumer *c, const struct tbuf_perf_mapped *m)
{
	const struct tbuf_target *t = image_of(c, m->pid, UINT64_MAX);
	const struct tbuf_mapping one = {
		.start = m->start, .end = m->start + m->size,
		.offset = m->offset, .inode = m->inode, .path = m->path
	};

	if (t != NULL && m->header.size > sizeof(*m) &&
	    memchr(m->path, '\0', m->header.size - sizeof(*m)) != NULL)
		tbuf_images_mapped(c, t, &one);
}

static void
learn_name(struct tbuf_consumer *c, const struct tbuf_perf_name *n)
{
	const struct tbuf_target *t = image_of(c, n->pid, UINT64_MAX);

	if (t != NULL && n->header.size > sizeof(*n) &&
	    memchr(n->name, '\0', n->header.size - sizeof(*n)) != NULL)
		tbuf_images_named(c, t, n->name);
}

static void
take(struct tbuf_consumer *c, const struct profile *p,
    struct tbuf_perf_buffer *b, const struct perf_event_header *header)
{
	const void *record = header;
	const struct tbuf_perf_task *task = record;
	const struct tbuf_perf_lost *lost = record;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		fire(c, p, record, b->cpu);
		break;
	case PERF_RECORD_MMAP2:
		learn_mapping(c, record);
		break;
	case PERF_RECORD_COMM:
		if ((header->misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
			learn_name(c, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		cover(c->sampling, task->tid,
		    header->type == PERF_RECORD_FORK);
		break;
	case PERF_RECORD_LOST:
		tbuf_script_unsampled(c->script, b->cpu, lost->lost);
	}
}

static uint64_t
time_of(const struct perf_event_header *header)
{
	const void *record = header;
	const struct tbuf_perf_sample *sample = record;
	const struct tbuf_perf_task *task = record;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return (sample->time);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return (task->time);
	default:
		return (0);
	}
}

/* Returns the buffer with the oldest next record. */
static struct tbuf_perf_buffer *
oldest(struct tbuf_sampling *s, struct profile **of)
{
	struct profile *p = s->profiles, *end = p + s->nprofiles;
	struct tbuf_perf_buffer *found = NULL;
	const struct perf_event_header *header;
	uint64_t time = 0;
	unsigned i;

	for (; p < end; p++)
		for (i = 0; i < s->ncpus; i++) {
			header = tbuf_perf_peek(&p->buffers[i]);
			if (header == NULL || (found != NULL &&
			    time_of(header) >= time))
				continue;
			found = &p->buffers[i];
			time = time_of(header);
			*of = p;
		}
	return (found);
}

static void
look_at_buffers(struct tbuf_sampling *s)
{
	unsigned i, j;

	for (i = 0; i < s->nprofiles; i++)
		for (j = 0; j < s->ncpus; j++)
			tbuf_perf_look(&s->profiles[i].buffers[j]);
}

/* Fires for the samples in the buffers now: more may come all the time. */
void
tbuf_sampling_drain(struct tbuf_consumer *c)
{
	struct tbuf_sampling *s = c->sampling;
	struct tbuf_perf_buffer *b;
	struct profile *p;

	if (s == NULL || s->error != 0)
		return;
	look_at_buffers(s);
	while ((b = oldest(s, &p)) != NULL) {
		take(c, p, b, tbuf_perf_peek(b));
		tbuf_perf_step(b);
	}
	s->due = tbuf_now() + s->interval;
}

uint64_t
tbuf_sampling_due(const struct tbuf_consumer *c)
{
	return (c->sampling == NULL || c->sampling->error != 0 ?
	    UINT64_MAX : c->sampling->due);
}

/* ------------------------------------------------------------ begin and end */

/* Returns true if there are targets that were grabbed by pid, or a command. */
static bool
any_named(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (!t->file_only && !c->all)
			return (true);
	return (false);
}

static int
choose_cpus(struct tbuf_sampling *s, int64_t one)
{
	struct tbuf_cpus online;
	unsigned cpu;

	if ((s->cpus = calloc(TBUF_NCPUS, sizeof(*s->cpus))) == NULL)
		return (-ENOMEM);
	tbuf_cpus_online(&online);
	for (cpu = 0; cpu < TBUF_NCPUS; cpu++)
		if (tbuf_cpus_has(&online, cpu) && (one < 0 ||
		    (uint64_t)one == cpu))
			s->cpus[s->ncpus++] = (int)cpu;
	return (s->ncpus != 0 ? 0 : -ENODEV);
}

static int
open_buffers(struct tbuf_sampling *s, struct profile *p)
{
	unsigned i;
	int error = 0;

	p->buffers = calloc(s->ncpus, sizeof(*p->buffers));
	if (p->buffers == NULL)
		return (-ENOMEM);
	for (i = 0; i < s->ncpus; i++)
		p->buffers[i].fd = -1;
	for (i = 0; i < s->ncpus && error == 0; i++)
		error = tbuf_perf_buffer_open(&p->buffers[i], s->cpus[i]);
	return (error);
}

/* Sets how often to read buffers: when half of one may be full. */
static void
set_interval(struct tbuf_sampling *s, const struct profile *p)
{
	uint64_t samples = p->buffers[0].size / 2 /
	    tbuf_perf_sample_size(&p->terms);
	uint64_t interval = MAX(samples * p->terms.period, DRAIN_MIN);

	s->interval = MIN(s->interval, interval);
}

static int
open_profiles(struct tbuf_consumer *c, struct tbuf_sampling *s)
{
	struct tbuf_script_probe *probe = NULL;
	struct profile *p;
	int error = 0;

	s->interval = TBUF_SECOND / 2;
	while (error == 0 && (probe = tbuf_script_profile(c->script,
	    probe)) != NULL) {
		p = reallocarray(s->profiles, s->nprofiles + 1u, sizeof(*p));
		if (p == NULL)
			return (-ENOMEM);
		s->profiles = p;
		p += s->nprofiles++;
		*p = (struct profile){
			.probe = probe, .terms.period = probe->period,
			.terms.stacks = tbuf_script_stacks(c->script, probe),
			.terms.children = c->options.follow != 0
		};
		p->terms.raw = p->terms.stacks && c->unwind != NULL;
		/* Unwinding needs the mappings. */
		c->names |= p->terms.raw;
		if ((error = open_buffers(s, p)) == 0)
			set_interval(s, p);
	}
	return (error);
}

static void
close_profiles(struct tbuf_sampling *s)
{
	unsigned i;

	for (; s->nprofiles > 0; s->nprofiles--) {
		struct profile *p = &s->profiles[s->nprofiles - 1];

		for (i = 0; p->buffers != NULL && i < s->ncpus; i++)
			tbuf_perf_buffer_close(&p->buffers[i]);
		free(p->buffers);
	}
}

void
tbuf_sampling_begin(struct tbuf_consumer *c)
{
	struct tbuf_sampling *s;

	if (c->script == NULL || !any_named(c) ||
	    tbuf_script_profile(c->script, NULL) == NULL ||
	    (s = calloc(1, sizeof(*s))) == NULL)
		return;
	c->sampling = s;
	s->covered = calloc(1, TID_MAX / 8);
	s->error = s->covered == NULL ? -ENOMEM :
	    choose_cpus(s, c->options.cpu);
	if (s->error == 0)
		s->error = open_profiles(c, s);
	if (s->error != 0) {
		close_profiles(s);
		return;
	}
	tbuf_script_sampling(c->script);
	tbuf_sampling_look(c);
	tbuf_sampling_drain(c);
}

void
tbuf_sampling_free(struct tbuf_consumer *c)
{
	struct tbuf_sampling *s = c->sampling;

	if (s == NULL)
		return;
	close_events(s, 0);
	close_profiles(s);
	free(s->profiles);
	free(s->events);
	free(s->covered);
	free(s->cpus);
	free(s);
	c->sampling = NULL;
}

/* ------------------------------------------------------------ messages */

static int
setting(const char *name)
{
	char path[64], text[16] = "";
	int value = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if ((f = fopen(path, "re")) == NULL)
		return (-1);
	if (fgets(text, sizeof(text), f) != NULL)
		value = atoi(text);
	(void)fclose(f);
	return (value);
}

/*
 * The setting says which users may have perf events; a filter may forbid them.
 */
static void
say_refused(char *text, size_t size)
{
	int level = setting("perf_event_paranoid");

	if (level > 2)
		(void)snprintf(text, size, "kernel.perf_event_paranoid is %d, "
		    "samples need 2 or less, or CAP_PERFMON", level);
	else
		(void)snprintf(text, size, "perf_event_open(2) is forbidden, "
		    "perhaps by a filter of system calls "
		    "(kernel.perf_event_paranoid is %d)", level);
}

static void
say(int error, char *text, size_t size)
{
	if (error == -EACCES || error == -EPERM)
		say_refused(text, size);
	else if (error == -ENOMEM)
		(void)snprintf(text, size, "no memory may be locked for "
		    "samples (kernel.perf_event_mlock_kb is %d)",
		    setting("perf_event_mlock_kb"));
	else if (error == -EMFILE)
		(void)snprintf(text, size, "too many open files (each thread "
		    "needs one per CPU)");
	else if (error == -ENOSYS)
		(void)snprintf(text, size, "the kernel has no perf events");
	else
		(void)snprintf(text, size, "%s", strerror(-error));
}

static bool
say_threads(struct tbuf_sampling *s, struct unsampled *u)
{
	uint64_t n = tbuf_gain(&u->reported, u->threads);
	char why[160];

	if (n == 0)
		return (false);
	say(u->error, why, sizeof(why));
	(void)snprintf(s->text, sizeof(s->text), "%ju thread%s not sampled: "
	    "%s", (uintmax_t)n, n == 1 ? " is" : "s are", why);
	return (true);
}

void
tbuf_consumer_unwind(struct tbuf_consumer *c, unsigned (*unwind_stack)(void *,
    const struct tbuf_stack *, uint64_t *, unsigned), void *arg)
{
	c->unwind = unwind_stack;
	c->unwind_arg = arg;
}

const char *
tbuf_consumer_unsampled(struct tbuf_consumer *c)
{
	struct tbuf_sampling *s = c->sampling;
	char why[160];
	uint64_t n;
	unsigned i;

	if (s == NULL)
		return (NULL);
	if (s->error != 0 && !s->error_reported) {
		s->error_reported = true;
		say(s->error, why, sizeof(why));
		(void)snprintf(s->text, sizeof(s->text), "processes are not "
		    "sampled, profile-N fires for each CPU: %s", why);
		return (s->text);
	}
	for (i = 0; i < WHYS; i++)
		if (say_threads(s, &s->unsampled[i]))
			return (s->text);
	if ((n = tbuf_gain(&s->untraced_reported, s->untraced)) == 0)
		return (NULL);
	(void)snprintf(s->text, sizeof(s->text), "%ju sample%s of processes "
	    "that are not traced", (uintmax_t)n, n == 1 ? " was" : "s were");
	return (s->text);
}
