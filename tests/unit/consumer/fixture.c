/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target made by hand.  See fixture.h.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "fixture.h"
#include "lib/scratch.h"
#include "shared/board.h"
#include "shared/memory_limit.h"

static pid_t
start_process(void)
{
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		for (;;)
			pause();
	}
	return (pid);
}

void
fake_begin(struct fake *f)
{
	struct tbuf_control_file file;
	void *p;

	memset(f, 0, sizeof(*f));
	scratch_directory(f->directory, sizeof(f->directory));
	setenv("TBUF_DIR", f->directory, 1);
	unsetenv("TBUF_MAXSIZE");
	f->dirfd = tbuf_directory_open(true);
	ck_assert_int_ge(f->dirfd, 0);
	f->pid = start_process();
	/* The tables are small, so that all of them can be backed. */
	setenv("TBUF_WINDOW", "4m", 1);
	ck_assert_int_eq(tbuf_control_make(f->dirfd, f->pid, &file), 0);
	unsetenv("TBUF_WINDOW");
	f->tables = file.control->tables;
	munmap(file.control, f->tables.areas);
	strlcpy(f->name, file.name, sizeof(f->name));
	f->fd = file.fd;
	ck_assert_int_eq(tbuf_back(f->fd, 0, f->tables.areas), 0);
	p = mmap(NULL, f->tables.areas, PROT_READ | PROT_WRITE, MAP_SHARED,
	    f->fd, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	f->control = p;
	f->control->flags = TBUF_F_RSEQ;
	f->control->clock = TBUF_CLOCK_MONOTONIC;
	f->control->window = UINT64_C(1) << 34;
	f->control->stage = TBUF_STAGE_LIVE;
	f->time = tbuf_now();
	/* The lock shows that the target is alive. */
	ck_assert_int_eq(flock(f->fd, LOCK_EX | LOCK_NB), 0);
}

void
fake_kill(struct fake *f)
{
	if (f->pid == 0)
		return;
	kill(f->pid, SIGKILL);
	ck_assert_int_eq(waitpid(f->pid, NULL, 0), f->pid);
	f->pid = 0;
	flock(f->fd, LOCK_UN);
}

void
fake_end(struct fake *f)
{
	fake_kill(f);
	if (f->file != NULL)
		munmap(f->file, f->size);
	munmap(f->control, f->tables.areas);
	close(f->fd);
	unlinkat(f->dirfd, f->name, 0);
	unlinkat(f->dirfd, TBUF_BOARD_NAME, 0);
	close(f->dirfd);
	ck_assert_int_eq(rmdir(f->directory), 0);
}

static uint32_t
add_string(struct fake *f, const char *text)
{
	uint32_t at = f->control->strings;
	size_t size = strlen(text) + 1;

	memcpy((char *)f->control + f->tables.strings + at, text, size);
	f->control->strings += (uint32_t)size;
	return (at);
}

uint32_t
fake_probe(struct fake *f, const char *name, unsigned nargs,
    const uint8_t *types)
{
	uint32_t index = f->control->nprobes;
	struct tbuf_probe_entry *entry = (struct tbuf_probe_entry *)(void *)
	    ((char *)f->control + f->tables.probes) + index;
	char text[16];
	unsigned i;

	entry->provider = add_string(f, "fake");
	entry->module = add_string(f, "module");
	entry->function = add_string(f, "function");
	entry->name = add_string(f, name);
	entry->argnames = f->control->strings;
	for (i = 0; i < nargs; i++) {
		snprintf(text, sizeof(text), "a%u", i);
		add_string(f, text);
		entry->types[i] = types[i];
	}
	entry->nargs = (uint8_t)nargs;
	entry->sites = 1;
	entry->ready = 1;
	f->control->nprobes++;
	return (index);
}

struct tbuf_target *
fake_grab(struct fake *f, struct tbuf_consumer *c)
{
	struct tbuf_found found;

	memset(&found, 0, sizeof(found));
	found.pid = f->pid;
	found.fd = openat(f->dirfd, f->name, O_RDWR | O_CLOEXEC);
	found.pidfd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	strlcpy(found.name, f->name, sizeof(found.name));
	ck_assert_int_ge(found.pidfd, 0);
	ck_assert_int_eq(tbuf_target_add(c, &found), 0);
	TAILQ_LAST(&c->targets, tbuf_target_list)->named_by_user = true;
	return (TAILQ_LAST(&c->targets, tbuf_target_list));
}

void
fake_map(struct fake *f)
{
	struct stat st;
	void *p;

	if (f->file != NULL)
		munmap(f->file, f->size);
	ck_assert_int_eq(fstat(f->fd, &st), 0);
	f->size = (size_t)st.st_size;
	p = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	f->file = p;
}

struct tbuf_slot *
fake_slot(struct fake *f)
{
	return ((struct tbuf_slot *)(void *)(f->file + TBUF_SLOTS));
}

struct tbuf_lane *
fake_lane(struct fake *f, uint32_t lane)
{
	return ((struct tbuf_lane *)(void *)(f->file + fake_slot(f)->lanes) +
	    lane);
}

uint16_t
fake_epid(struct fake *f, uint32_t probe)
{
	struct tbuf_slot *slot = fake_slot(f);
	struct tbuf_ecb *ecbs = (struct tbuf_ecb *)(void *)(f->file +
	    slot->ecbs);
	uint16_t i;

	for (i = 1; i < slot->necbs; i++)
		if (ecbs[i].probe == probe)
			return (i);
	return (0);
}

static void
store(struct fake *f, const struct tbuf_lane *lane, uint64_t at,
    const void *data, size_t size)
{
	uint64_t storage = tbuf_place_storage(lane->place), i;

	for (i = 0; i < size; i++)
		f->file[tbuf_place_offset(lane->place) +
		    ((at + i) & (storage - 1))] = ((const uint8_t *)data)[i];
}

/* Overwrites the oldest record, under ring. */
static void
overwrite(struct fake *f, struct tbuf_lane *lane)
{
	const struct tbuf_pair *now = &lane->pair[lane->sequence & 1];
	struct tbuf_pair *next = &lane->pair[(lane->sequence + 1) & 1];
	uint64_t mask = tbuf_place_storage(lane->place) - 1;
	uint16_t size;

	memcpy(&size, f->file + tbuf_place_offset(lane->place) +
	    ((now->tail + offsetof(struct tbuf_header, size)) & mask),
	    sizeof(size));
	next->tail = now->tail + size;
	next->overwritten = now->overwritten + 1;
	lane->sequence++;
}

bool
fake_record(struct fake *f, uint32_t number, uint16_t epid, const void *data,
    size_t size)
{
	struct tbuf_lane *lane = fake_lane(f, number);
	struct tbuf_slot *slot = fake_slot(f);
	struct tbuf_lock_record record;
	size_t head = lane->kind == TBUF_KIND_LOCK ? sizeof(record) :
	    sizeof(record.header);
	size_t all = (head + size + 7) & ~(size_t)7;
	static const uint8_t zeroes[8];

	if (all > lane->size) {
		lane->large++;
		return (false);
	}
	if (slot->terms.policy == TBUF_RING)
		while (lane->head + all -
		    lane->pair[lane->sequence & 1].tail > lane->size)
			overwrite(f, lane);
	else if (lane->head + all > lane->limit ||
	    (lane->full & slot->fill_mask) != 0) {
		lane->full++;
		return (false);
	}
	memset(&record, 0, sizeof(record));
	record.header.time = lane->last = f->time++;
	record.header.epid = epid;
	record.header.size = (uint16_t)all;
	record.header.tid = 7;
	record.cpu = 5;
	store(f, lane, lane->head, &record, head);
	store(f, lane, lane->head + head, data, size);
	store(f, lane, lane->head + head + size, zeroes, all - head - size);
	tbuf_store_release(&lane->head, lane->head + all);
	return (true);
}

struct tbuf_consumer *
fake_consumer(const char *options)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char text[256], *p = text, *option, *value;

	ck_assert_ptr_nonnull(c);
	strlcpy(text, options, sizeof(text));
	while ((option = strsep(&p, " ")) != NULL) {
		if (*option == '\0')
			continue;
		if ((value = strchr(option, '=')) != NULL)
			*value++ = '\0';
		ck_assert_msg(tbuf_consumer_set(c, option, value) == 0,
		    "%s: %s", option, tbuf_consumer_error(c));
	}
	ck_assert_int_eq(tbuf_consumer_enable(c, ":::"), 0);
	return (c);
}

struct tbuf_consumer *
fake_session(struct fake *f, const char *options)
{
	struct tbuf_consumer *c = fake_consumer(options);

	fake_grab(f, c);
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	fake_map(f);
	return (c);
}

static void
tally_record(const struct tbuf_record *record, struct tally *tally)
{
	ck_assert(tally->many || record->time > tally->last_time);
	tally->last_time = record->time;
	tally->last = record->nargs == 0 ? 0 : record->args[0].i;
	if (tally->records++ == 0)
		tally->first = tally->last;
}

void
fake_tally(struct tbuf_consumer *c, struct tally *tally)
{
	struct tbuf_event event;
	int cpu = -1;

	while (tbuf_consumer_next(c, &event) == 1) {
		/* Times rise strictly within a lane. */
		if (event.cpu != cpu)
			tally->last_time = 0;
		cpu = event.cpu;
		switch (event.type) {
		case TBUF_EVENT_RECORD:
			tally_record(&event.record, tally);
			break;
		case TBUF_EVENT_DROPS:
			tally->drops[event.cause] += event.count;
			break;
		case TBUF_EVENT_UNIT_DROPS:
			tally->unit_drops += event.count;
			break;
		case TBUF_EVENT_OVERWRITTEN:
			tally->overwritten += event.count;
			break;
		case TBUF_EVENT_DAMAGE:
			tally->damage += event.count;
			break;
		case TBUF_EVENT_EXIT:
			tally->exits++;
			break;
		case TBUF_EVENT_LOST:
			tally->lost += event.count;
			break;
		case TBUF_EVENT_UNMET:
			tally->unmet += event.count;
			break;
		default:
			ck_abort_msg("event %d", (int)event.type);
		}
	}
}

void
fake_drain(struct tbuf_consumer *c, unsigned what, struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	ck_assert_int_eq(tbuf_drain_begin(c, what), 0);
	fake_tally(c, tally);
}
