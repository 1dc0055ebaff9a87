/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target writes anything anywhere.  The consumer neither crashes nor hangs,
 * and reports the bytes that it skips.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "machine/code.h"
#include "machine/program.h"

#define OBJECTS	8u

static const uint8_t string_argument[] = { TBUF_STRING };
static unsigned seed;

struct run {
	struct fake f;
	struct tbuf_consumer *c;
	uint16_t epid;
};

/* Called after each read of a chunk, as a target may run there. */
static void (*after_chunk)(void);
static uint64_t bytes_read;

/* The library calls this pread(), not libc's. */
ssize_t	pread(int, void *, size_t, off_t);
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, size, at);

	bytes_read += n > 0 ? (uint64_t)n : 0;
	if (after_chunk != NULL && n >= TBUF_CHUNK_OWN)
		after_chunk();
	return (n);
}
INTERPOSED(pread);

/*
 * The library calls this fopen(), which counts how often another process's list
 * of mappings was opened.
 */
static unsigned lists_opened;
FILE	*fopen(const char *, const char *);
FILE *
fopen(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);
	size_t length = strlen(path);

	if (next == NULL)
		next = (FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT,
		    "fopen");
	lists_opened += length > 5 && strstr(path, "/self/") == NULL &&
	    strcmp(path + length - 5, "/maps") == 0;
	return (next(path, mode));
}

static void
begin(struct run *r, const char *options)
{
	uint32_t probe;

	memset(r, 0, sizeof(*r));
	fake_begin(&r->f);
	r->f.control->flags |= TBUF_F_SELECTION;
	probe = fake_probe(&r->f, "probe", 1, string_argument);
	r->c = fake_session(&r->f, options);
	r->epid = fake_epid(&r->f, probe);
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
}

static void
fire(struct run *r, unsigned count)
{
	while (count-- > 0)
		ck_assert(fake_record(&r->f, 0, r->epid, "\x05\x00hello", 7));
}

/* Returns the header of the n-th record; all have 24 bytes. */
static struct tbuf_header *
header_at(struct run *r, unsigned n)
{
	return ((struct tbuf_header *)(void *)(r->f.file +
	    tbuf_place_offset(fake_lane(&r->f, 0)->place) + 24 * n));
}

START_TEST(impossible_size_skips_its_record)
{
	static const uint16_t sizes[] = { 0, 8, 23, 25, 80, 0xfff8, 0xffff };
	struct tally t;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 5);
	header_at(&r, 2)->size = sizes[_i];
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 4);
	ck_assert_uint_eq(t.damage, 24);
	/* The consumer continues with the records after it. */
	fire(&r, 3);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 3);
	ck_assert_uint_eq(t.damage, 0);
	end(&r);
}
END_TEST

static struct tbuf_header *changed;
static uint16_t changed_size;

/* Makes a record another size, all of it text. */
static void
change_size(void)
{
	uint16_t text = (uint16_t)(changed_size - sizeof(*changed) - 2);

	changed->size = changed_size;
	memcpy(changed + 1, &text, sizeof(text));
}

/*
 * The header of a record across the end of a chunk is read twice.  Its second
 * size is not that of a record, or leads after the lane's last record.
 */
START_TEST(size_that_changes_between_two_reads)
{
	static const struct {
		const char *options;
		unsigned chunk;
	} ways[] = {
		{ "bufsize=512k", TBUF_CHUNK },
		{ "bufsize=512k temporal", TBUF_CHUNK_OWN }
	};
	static const uint16_t sizes[] = { 0, 8, 32, 824, 0xfff8 };
	unsigned across = ways[_i / 5].chunk / 24;
	struct tally t;
	struct run r;

	begin(&r, ways[_i / 5].options);
	fire(&r, across + 1);
	changed = header_at(&r, across);
	changed_size = sizes[_i % 5];
	after_chunk = change_size;
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	after_chunk = NULL;
	ck_assert_uint_eq(changed->size, changed_size);
	ck_assert_uint_eq(t.records, across);
	ck_assert_uint_eq(t.damage, 24);
	end(&r);
}
END_TEST

/* A lane becomes one of a lock after its batch was read and checked. */
START_TEST(kind_that_changes_after_a_batch_was_read)
{
	struct tbuf_batch b = { .retained = true };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *bytes = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tbuf_header header = { .size = sizeof(header) };
	struct tbuf_reader *reader;
	struct tbuf_event event;
	struct run r;

	begin(&r, "bufsize=4k");
	reader = &TAILQ_FIRST(&r.c->targets)->readers[0];
	header.epid = r.epid;
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	ck_assert_int_eq(mprotect(bytes + page, page, PROT_NONE), 0);
	b.size = sizeof(header);
	b.bytes = bytes + page - sizeof(header);
	memcpy(b.bytes, &header, sizeof(header));
	ck_assert(tbuf_batch_add(r.c, &b, reader, 0));
	ck_assert_uint_eq(b.count, 1);
	reader->batch = &b;
	reader->locked = true;
	/* A snapshot's batch is not freed. */
	r.c->drain.snapshot = true;
	ck_assert_int_eq(tbuf_batch_next(r.c, reader, &event), 0);
	ck_assert_uint_eq(reader->damage, sizeof(header));
	r.c->drain.snapshot = false;
	free(b.items);
	munmap(bytes, 2 * page);
	end(&r);
}
END_TEST

/* Says that lanes are full, of which the file has a page or two. */
static uint64_t
punch(struct run *r)
{
	struct tbuf_slot *slot = fake_slot(&r->f);
	struct tbuf_lane *lane;
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < slot->nlanes; i++) {
		lane = fake_lane(&r->f, i);
		ck_assert_int_eq(fallocate(r->f.fd, FALLOC_FL_PUNCH_HOLE |
		    FALLOC_FL_KEEP_SIZE,
		    (off_t)tbuf_place_offset(lane->place) + TBUF_PAGE,
		    (off_t)tbuf_place_storage(lane->place) - 2 * TBUF_PAGE), 0);
		lane->head = lane->size;
		lane->last = r->f.time;
		bytes += lane->size;
	}
	return (bytes);
}

/* The files are of a dead target, and of a live one, whose lanes are copied. */
START_TEST(holes_are_not_read)
{
	static const char *const options[] = {
		"bufsize=8m bufpolicy=ring", "bufsize=8m bufpolicy=ring",
		"bufsize=8m bufpolicy=fill", "bufsize=8m bufpolicy=fill"
	};
	struct tally t = { .many = true };
	struct run r;
	uint64_t bytes;
	char path[160];

	begin(&r, options[_i]);
	fire(&r, 5);
	bytes = punch(&r);
	/* The file looks like another consumer's from now on. */
	r.f.control->state[0] = TBUF_ACTIVE;
	TAILQ_FIRST(&r.c->targets)->slot = -1;
	tbuf_consumer_close(r.c);
	if (_i % 2 == 0)
		fake_kill(&r.f);
	snprintf(path, sizeof(path), "%s/%s", r.f.directory, r.f.name);
	r.c = tbuf_consumer_new();
	ck_assert_int_eq(tbuf_consumer_open_file(r.c, path), 0);
	ck_assert_int_eq(tbuf_consumer_go(r.c), 0);
	bytes_read = 0;
	while (tbuf_consumer_work(r.c) > 0)
		continue;
	fake_tally(r.c, &t);
	/* A copy begins after the last hole. */
	ck_assert_uint_eq(t.records, _i % 2 == 0 ? 5 : 0);
	ck_assert_uint_eq(t.damage + 24 * t.records, bytes);
	ck_assert_uint_lt(bytes_read, 1 << 20);
	end(&r);
}
END_TEST

START_TEST(unknown_epid_skips_its_record)
{
	static const uint16_t epids[] = { 0, 2, 0x7fff, 0x8000, 0xffff };
	struct tally t;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 5);
	header_at(&r, 2)->epid = epids[_i];
	header_at(&r, 3)->epid = epids[_i];
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 3);
	ck_assert_uint_eq(t.damage, 48);
	end(&r);
}
END_TEST

START_TEST(string_longer_than_its_record_is_damage)
{
	struct tally t;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 3);
	((uint8_t *)header_at(&r, 1))[16] = 7;
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 2);
	ck_assert_uint_eq(t.damage, 24);
	end(&r);
}
END_TEST

/* A semaphore, and the note of a probe that has it. */
extern uint16_t hostile_semaphore;
uint16_t hostile_semaphore;
__asm__(".pushsection .note.stapsdt,\"\",\"note\"\n"
    "	.balign 4\n"
    "	.4byte 8, 992f - 991f, 3\n"
    "	.asciz \"stapsdt\"\n"
    "991:	.8byte 0, 0, hostile_semaphore\n"
    "	.asciz \"hostile\"\n"
    "	.asciz \"probe\"\n"
    "	.asciz \"\"\n"
    "992:	.balign 4\n"
    "	.popsection");

/* The target is a fork, so these words have the same addresses there. */
START_TEST(semaphores_that_are_none_wait)
{
	static struct tbuf_semaphore semaphore;
	static uint16_t unnoted;
	static const uint16_t constant;
	const uint64_t own = (uintptr_t)&semaphore;
	uint64_t addresses[] = {
		own, 1, UINT64_MAX, INT64_MAX, own, own, own, own, own, own,
		own
	};
	struct tbuf_semaphore *shared;
	struct tbuf_probe_entry *entry;
	uint64_t count = 0;
	struct fake f;
	struct tbuf_consumer *c = fake_consumer("");
	pid_t pid;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS |
	    (_i == 8 ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	/*
	 * In code, in memory of no object, described in shared memory, and in
	 * data without a note, or beside a semaphore.
	 */
	semaphore.word = _i == 6 ? (uintptr_t)&constant : _i == 7 ?
	    (uintptr_t)shared : _i == 9 ? (uintptr_t)&unnoted :
	    (uintptr_t)&hostile_semaphore + (_i == 10);
	semaphore.check = TBUF_SEMAPHORE_CHECK ^ own ^ (_i == 4);
	if (_i == 8) {
		addresses[8] = (uintptr_t)shared;
		shared->word = (uintptr_t)&hostile_semaphore;
		shared->check = TBUF_SEMAPHORE_CHECK ^ addresses[8];
	}
	fake_begin(&f);
	f.control->flags |= TBUF_F_SELECTION;
	entry = (struct tbuf_probe_entry *)(void *)
	    ((char *)f.control + f.tables.probes) +
	    fake_probe(&f, "probe", 1, string_argument);
	entry->semaphore = addresses[_i];
	fake_grab(&f, c);
	/* The process is root's, and its file is now another user's. */
	if (_i == 5 && geteuid() == 0)
		ck_assert_int_eq(fchown(f.fd, 65534, 65534), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	(void)tbuf_consumer_waiting(c, &pid, &count);
	ck_assert_uint_eq(count, _i != 0 && (_i != 5 || geteuid() == 0));
	ck_assert(!tbuf_consumer_waiting(c, &pid, &count));
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* Maps a new file as data that describes a semaphore in itself. */
static struct tbuf_semaphore *
map_object(void)
{
	int fd = memfd_create("object", MFD_CLOEXEC);
	struct tbuf_semaphore *s;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(s, MAP_FAILED);
	s->word = (uintptr_t)(s + 1);
	s->check = TBUF_SEMAPHORE_CHECK ^ (uintptr_t)s;
	close(fd);
	return (s);
}

/* Returns how often mappings are listed for semaphores in so many objects. */
static unsigned
lists_for(unsigned objects)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct tbuf_semaphore *semaphores[OBJECTS];
	struct tbuf_probe_entry *entry;
	struct fake f;
	unsigned i;

	for (i = 0; i < objects; i++)
		semaphores[i] = map_object();
	fake_begin(&f);
	f.control->flags |= TBUF_F_SELECTION;
	for (i = 0; i < objects; i++) {
		entry = (struct tbuf_probe_entry *)(void *)
		    ((char *)f.control + f.tables.probes) +
		    fake_probe(&f, "probe", 1, string_argument);
		entry->semaphore = (uintptr_t)semaphores[i];
	}
	fake_grab(&f, c);
	lists_opened = 0;
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	tbuf_consumer_close(c);
	fake_end(&f);
	return (lists_opened);
}

/* Otherwise mappings and objects of a target cost their product. */
START_TEST(mappings_are_listed_once_for_all_semaphores)
{
	unsigned once = lists_for(1);

	ck_assert_uint_gt(once, 0);
	ck_assert_uint_eq(lists_for(OBJECTS), once);
}
END_TEST

START_TEST(impossible_head_begins_the_lane_anew)
{
	static const uint64_t heads[] = {
		3, 4096 + 8, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63
	};
	static const char *const options[] = {
		"bufsize=4k", "bufsize=4k bufpolicy=fill",
		"bufsize=4k bufpolicy=ring"
	};
	struct tally t;
	struct run r;
	int policy;

	for (policy = 0; policy < 3; policy++) {
		begin(&r, options[policy]);
		fire(&r, 2);
		fake_lane(&r.f, 0)->head = heads[_i];
		fake_drain(r.c, TBUF_DRAIN_SWITCH | TBUF_DRAIN_LAST, &t);
		ck_assert_uint_eq(t.records, 0);
		ck_assert_uint_eq(t.damage, 4096);
		end(&r);
	}
}
END_TEST

START_TEST(head_that_goes_back_is_damage)
{
	struct tally t;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 4);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	fake_lane(&r.f, 0)->head = 0;
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.damage, 4096);
	fire(&r, 4);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 4);
	end(&r);
}
END_TEST

START_TEST(truncated_storage_is_damage)
{
	struct tally t;
	struct run r;

	begin(&r, "bufsize=64k");
	fire(&r, 100);
	/* The mapped part remains; the storage is read, and is missing. */
	ck_assert_int_eq(ftruncate(r.f.fd, (off_t)tbuf_place_offset(
	    fake_lane(&r.f, 0)->place)), 0);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.damage, 2400);
	end(&r);
}
END_TEST

START_TEST(counters_that_go_back_are_no_drops)
{
	struct tally t;
	struct run r;

	begin(&r, "");
	fake_lane(&r.f, 0)->full = 10;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 10);
	fake_lane(&r.f, 0)->full = 4;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 0);
	fake_lane(&r.f, 0)->full = 5;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 1);
	end(&r);
}
END_TEST

static int
count_visits(void *arg, pid_t pid, const struct tbuf_probe_info *info)
{
	unsigned *n = arg;

	(void)pid;
	(void)info;
	++*n;
	return (0);
}

START_TEST(probes_that_make_no_sense_are_left_out)
{
	struct tbuf_probe_entry *entry;
	struct tbuf_consumer *c = fake_consumer("");
	struct fake f;
	unsigned n = 0;

	fake_begin(&f);
	fake_probe(&f, "good", 1, string_argument);
	entry = (struct tbuf_probe_entry *)(void *)
	    ((char *)f.control + f.tables.probes) +
	    fake_probe(&f, "bad", 1, string_argument);
	switch (_i) {
	case 0:
		entry->nargs = 11;
		break;
	case 1:
		entry->types[0] = 99;
		break;
	case 2:
		entry->name = 0xffffffff;
		break;
	case 3:
		entry->argnames = f.control->strings - 1;
		entry->nargs = 2;
		entry->types[1] = TBUF_INT8;
		break;
	case 4:
		entry->ready = 0;
		break;
	case 5:
		/* The string has no NUL. */
		memset((char *)f.control + f.tables.strings +
		    f.control->strings, 'x', 4096);
		entry->provider = f.control->strings;
		f.control->strings += 4096;
		break;
	case 6:
		f.control->nprobes = UINT32_MAX;
		f.control->strings = UINT32_MAX;
		entry->provider = f.tables.strings_size - 1;
		((char *)f.control)[f.tables.areas - 1] = 'x';
		break;
	}
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_list(c, count_visits, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(tbuf_consumer_matched(c, 0), 1);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

static int
check_name(void *arg, pid_t pid, const struct tbuf_probe_info *info)
{
	(void)pid;
	ck_assert_str_eq(info->name, arg);
	return (1);
}

START_TEST(names_are_printable)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct fake f;

	fake_begin(&f);
	fake_probe(&f, "a\033[2Jb\n\x7f\xc2\x9b:,c", 0, NULL);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_list(c, check_name,
	    (void *)(uintptr_t)"a?[2Jb??????c"), 1);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* Areas that free slots claim; AREAS stands for the first area's offset. */
#define AREAS	(UINT64_C(1) << 60)

START_TEST(areas_of_free_slots_are_checked)
{
	static const uint64_t areas[][2] = {
		{ 0, 1 << 30 }, { 4096, 1 << 30 },
		{ AREAS + 8, 1 << 30 }, { UINT64_MAX - 4095, 1 << 30 },
		{ AREAS, UINT64_MAX }, { UINT64_C(1) << 40, 4096 }
	};
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct tbuf_slot *slot;
	struct fake f;

	fake_begin(&f);
	fake_probe(&f, "probe", 1, string_argument);
	slot = (struct tbuf_slot *)(void *)((char *)f.control + TBUF_SLOTS);
	slot->area = areas[_i][0] - AREAS < 16 ?
	    areas[_i][0] - AREAS + f.tables.areas : areas[_i][0];
	slot->area_size = areas[_i][1];
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_uint_eq(slot->area, f.tables.areas);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(window_is_the_limit)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64m");
	struct fake f;
	int64_t size;

	fake_begin(&f);
	f.control->window = f.tables.areas + (8 << 20);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert(tbuf_consumer_lowered(c));
	ck_assert_int_eq(tbuf_consumer_get(c, "bufsize", &size), 0);
	ck_assert_uint_le(f.control->end, f.control->window);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* Writes random words to random places while the consumer works. */
static void
scribble(struct run *r, unsigned count)
{
	struct tbuf_slot *slot = fake_slot(&r->f);
	size_t area = (size_t)slot->area, at;
	uint64_t word;

	while (count-- > 0) {
		word = (uint64_t)rand() << 32 ^ (uint64_t)rand() << 16 ^
		    (uint64_t)rand();
		word >>= rand() % 64;
		switch (rand() % 4) {
		case 0:
			at = r->f.tables.probes + (size_t)rand() % 256;
			break;
		case 1:
			at = (size_t)slot->lanes + (size_t)rand() % 2048;
			break;
		case 2:
			at = area + (size_t)rand() % (r->f.size - area);
			break;
		default:
			at = r->f.tables.strings + (size_t)rand() % 256;
			break;
		}
		at &= ~(size_t)7;
		if (at + 8 <= r->f.size)
			memcpy(r->f.file + at, &word, 8);
	}
}

START_TEST(garbage_everywhere_is_survived)
{
	static const char *const options[] = {
		"bufsize=2k", "bufsize=2k bufpolicy=ring",
		"bufsize=2k bufpolicy=fill", "bufsize=3000 temporal"
	};
	struct tbuf_event event;
	struct run r;
	unsigned i, j, most;

	srand(seed + (unsigned)_i);
	begin(&r, options[_i % 4]);
	for (i = 0; i < 200; i++) {
		for (j = 0; j < 20; j++)
			fake_record(&r.f, 0, r.epid, "\x05\x00hello", 7);
		scribble(&r, (unsigned)rand() % 20);
		ck_assert_int_eq(tbuf_drain_begin(r.c,
		    TBUF_DRAIN_SWITCH | TBUF_DRAIN_STATUS |
		    (rand() % 8 == 0 ? TBUF_DRAIN_LAST : 0)), 0);
		for (most = 0; tbuf_consumer_next(r.c, &event) == 1; most++)
			ck_assert_msg(most < 10000, "no end; seed %u", seed);
		/* The fixture itself must be able to write to the lane. */
		memset(fake_lane(&r.f, 0), 0, 64);
		fake_lane(&r.f, 0)->place = r.f.size / 2 & ~UINT64_C(4095);
		fake_lane(&r.f, 0)->place |= 12;
		fake_lane(&r.f, 0)->size = 2048;
		fake_lane(&r.f, 0)->limit = 4096;
	}
	end(&r);
}
END_TEST

/* Makes the status of exit() in the session's slot; it needs a clause's. */
START_TEST(exit_needs_a_clause_that_calls_it)
{
	static const char *const description[] = { ":::probe" };
	bool exits = _i != 0;
	const uint64_t code[] = {
		tbuf_word(TBUF_OP_LDI, 1, 0, 0, 3),
		exits ? tbuf_word(TBUF_OP_EXIT, 1, 0, 0, 0) :
		    tbuf_word(TBUF_OP_LDI, 1, 0, 0, 3)
	};
	const struct tbuf_d_program program = { .code = code, .length = 2 };
	const struct tbuf_d_clause clause = {
		.descriptions = description, .ndescriptions = 1,
		.programs = &program, .nprograms = 1
	};
	const struct tbuf_d_script script = {
		.clauses = &clause, .nclauses = 1
	};
	struct tbuf_consumer *c = fake_consumer("bufsize=4k");
	int status = 0;
	struct fake f;

	fake_begin(&f);
	f.control->flags |= TBUF_F_SELECTION | TBUF_F_TURNS |
	    TBUF_F_MACHINE(TBUF_MACHINE_VERSION);
	(void)fake_probe(&f, "probe", 1, string_argument);
	ck_assert_msg(tbuf_consumer_script(c, &script) == 0, "%s",
	    tbuf_consumer_error(c));
	fake_grab(&f, c);
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	fake_map(&f);
	fake_slot(&f)->exit = (UINT64_C(1) << 32) + 108;
	tbuf_consumer_wake(c);
	ck_assert_int_eq(tbuf_consumer_work(c), !exits);
	ck_assert_int_eq(tbuf_consumer_exited(c, &status), exits);
	ck_assert_int_eq(status, exits ? 108 : 0);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

#define TABLES		4

/* Writes an entry of a random state, with random words. */
static void
unit_scribble(struct run *r)
{
	struct tbuf_slot *slot = fake_slot(&r->f);
	struct tbuf_unit_entry *entry = (void *)(r->f.file + slot->units.at +
	    sizeof(struct tbuf_units));
	uint64_t *words = (uint64_t *)&entry[rand() % TABLES];
	unsigned i;

	for (i = 0; i < sizeof(*entry) / sizeof(*words); i++)
		words[i] = ((uint64_t)rand() << 32 ^ (uint64_t)rand()) >>
		    rand() % 64;
	words[0] = tbuf_unit_word(slot->generation, (uint64_t)rand() % 4,
	    (enum tbuf_unit_state)(rand() % 8));
}

/* Writes a unit's commit record, or an envelope with a record, cut short. */
static void
unit_fire(struct run *r)
{
	struct {
		struct tbuf_unit_record unit;
		struct tbuf_lock_record record;
	} data;

	memset(&data, 0, sizeof(data));
	data.unit.table = (uint32_t)rand() % (TABLES + 1);
	data.unit.kind = (uint32_t)rand() % 10;
	data.unit.instance = (uint64_t)rand() % 4;
	data.unit.mask = (uint32_t)rand();
	data.unit.count = (uint32_t)rand();
	data.record.header.epid = (uint16_t)(rand() % 2 ? r->epid :
	    TBUF_EPID_UNIT - rand() % 3 + 1);
	data.record.header.size = (uint16_t)(8 * (rand() % 5));
	fake_record(&r->f, 0, rand() % 2 ? TBUF_EPID_ENVELOPE :
	    TBUF_EPID_UNIT, (const char *)&data,
	    sizeof(data) - 8 * ((size_t)rand() % 8));
}

static int
unit_any(void *arg, const struct tbuf_unit_status *unit)
{
	(void)arg;
	ck_assert_uint_lt(strlen(unit->kind), TBUF_UNIT_NAME);
	return (0);
}

static int
figures_any(void *arg, const struct tbuf_unit_figures *figures)
{
	ck_assert_uint_lt(strlen(figures->kind), TBUF_UNIT_NAME);
	*(bool *)arg = true;
	return (0);
}

START_TEST(garbage_in_units_is_survived)
{
	static const char *const options[] = {
		"bufsize=4k nunits=4 unitsize=1k",
		"bufsize=4k nunits=4 unitsize=1k unitpolicy=ring bufpolicy=ring"
	};
	struct tbuf_event event;
	unsigned i, j, most;
	bool any = false;
	struct run r;

	srand(seed + (unsigned)_i);
	begin(&r, options[_i % 2]);
	memset(r.f.file + fake_slot(&r.f)->units.at + sizeof(uint64_t), 'x',
	    sizeof(struct tbuf_units) - sizeof(uint64_t));
	ck_assert_int_eq(tbuf_unit_figures(figures_any, &any), 0);
	ck_assert_msg(any, "no figures");
	for (i = 0; i < 100; i++) {
		for (j = 0; j < 8; j++) {
			unit_scribble(&r);
			unit_fire(&r);
			fire(&r, 1);
		}
		ck_assert_int_eq(tbuf_unit_list(unit_any, NULL), 0);
		ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH |
		    TBUF_DRAIN_STATUS | (i == 99 ? TBUF_DRAIN_LAST : 0)), 0);
		for (most = 0; tbuf_consumer_next(r.c, &event) == 1; most++)
			ck_assert_msg(most < 10000, "no end; seed %u", seed);
	}
	end(&r);
}
END_TEST

static struct tbuf_consumer *mended;
static volatile sig_atomic_t mends;

static void
mend(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	mends = mends + 1;
	if (!tbuf_consumer_mend(mended, info->si_addr))
		_exit(1);
}

/* Unit tables are mapped, too; a signal handler can mend that. */
START_TEST(truncated_units_are_mended)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	struct run r;

	begin(&r, "bufsize=4k nunits=4 unitsize=1k");
	mended = r.c;
	mends = 0;
	action.sa_sigaction = mend;
	ck_assert_int_eq(sigaction(SIGBUS, &action, NULL), 0);
	ck_assert_int_eq(ftruncate(r.f.fd, (off_t)fake_slot(&r.f)->units.at),
	    0);
	ck_assert_int_eq(tbuf_consumer_set(r.c, "unitselect", "1:2"), 0);
	ck_assert_int_eq(mends, 1);
	/* The tables are not read again. */
	ck_assert_int_eq(tbuf_consumer_set(r.c, "unitselect", "1:3"), 0);
	ck_assert_int_eq(mends, 1);
	end(&r);
}
END_TEST

static int
no_target(void *arg, pid_t pid, const char *comm)
{
	(void)arg;
	(void)comm;
	ck_abort_msg("pid %d", (int)pid);
}

static int
no_lane(void *arg, const struct tbuf_lane_status *status)
{
	(void)arg;
	(void)status;
	ck_abort();
}

static void
make_file(const struct fake *f, const char *name, size_t size)
{
	int fd = openat(f->dirfd, name, O_RDWR | O_CREAT | O_EXCL, 0600);
	char page[4096];
	size_t i;

	ck_assert_int_ge(fd, 0);
	for (i = 0; i < sizeof(page); i++)
		page[i] = (char)rand();
	for (i = 0; i < size; i += sizeof(page))
		ck_assert_int_eq(write(fd, page, sizeof(page)), sizeof(page));
	close(fd);
}

/* A session that its target made may claim anything. */
START_TEST(exit_without_a_script_is_no_exit)
{
	struct tbuf_target *target;
	struct run r;

	begin(&r, "bufsize=4k");
	target = TAILQ_FIRST(&r.c->targets);
	target->clauses = target->area;
	fake_slot(&r.f)->exit = UINT64_C(1) << 32 | 3;
	tbuf_store(&tbuf_view_control(&target->view)->state[target->slot],
	    TBUF_GIVENUP);
	ck_assert_int_eq(tbuf_consumer_work(r.c), -ETIMEDOUT);
	end(&r);
}
END_TEST

START_TEST(garbage_in_the_directory_is_left_alone)
{
	static const char *const names[] = {
		"tbuf.1.0000000000000001", "tbuf.2.0000000000000002",
		"tbuf.3.0000000000000003", "tbuf.4.0000000000000004",
		"something else"
	};
	struct fake f;
	struct stat st;
	char path[256];
	size_t i;

	fake_begin(&f);
	unlinkat(f.dirfd, f.name, 0);
	make_file(&f, names[0], 0);
	make_file(&f, names[1], f.tables.areas);
	ck_assert_int_eq(symlinkat("/etc/passwd", f.dirfd, names[2]), 0);
	ck_assert_int_eq(mkfifoat(f.dirfd, names[3], 0600), 0);
	make_file(&f, names[4], 4096);
	ck_assert_int_eq(tbuf_targets(no_target, NULL), 0);
	ck_assert_int_eq(tbuf_status(NULL, 0, no_lane, NULL), 0);
	for (i = 0; i < 5; i++) {
		ck_assert_int_eq(fstatat(f.dirfd, names[i], &st,
		    AT_SYMLINK_NOFOLLOW), 0);
		snprintf(path, sizeof(path), "%s/%s", f.directory, names[i]);
		unlinkat(f.dirfd, names[i], 0);
	}
	fake_end(&f);
}
END_TEST

START_TEST(dead_file_of_garbage_is_survived)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tbuf_event event;
	unsigned most = 0;
	char path[256];
	struct run r;

	srand(seed + (unsigned)_i);
	begin(&r, "bufsize=2k bufpolicy=ring");
	fire(&r, 10);
	fake_kill(&r.f);
	scribble(&r, 30);
	snprintf(path, sizeof(path), "%s/%s", r.f.directory, r.f.name);
	if (tbuf_consumer_open_file(reader, path) == 0 &&
	    tbuf_consumer_go(reader) == 0) {
		ck_assert_int_eq(tbuf_consumer_work(reader), 0);
		while (tbuf_consumer_next(reader, &event) == 1)
			ck_assert_msg(most++ < 10000, "no end; seed %u", seed);
	}
	tbuf_consumer_close(reader);
	end(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hostile");
	TCase *t = tcase_create("files");
	const char *set = getenv("SEED");

	seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    (unsigned)time(NULL);
	fprintf(stderr, "SEED=%u\n", seed);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, size_that_changes_between_two_reads, 0, 10);
	tcase_add_loop_test(t, holes_are_not_read, 0, 4);
	tcase_add_test(t, kind_that_changes_after_a_batch_was_read);
	tcase_add_loop_test(t, impossible_size_skips_its_record, 0, 7);
	tcase_add_loop_test(t, unknown_epid_skips_its_record, 0, 5);
	tcase_add_test(t, string_longer_than_its_record_is_damage);
	tcase_add_loop_test(t, semaphores_that_are_none_wait, 0, 11);
	tcase_add_test(t, mappings_are_listed_once_for_all_semaphores);
	tcase_add_loop_test(t, impossible_head_begins_the_lane_anew, 0, 5);
	tcase_add_test(t, head_that_goes_back_is_damage);
	tcase_add_test(t, truncated_storage_is_damage);
	tcase_add_test(t, counters_that_go_back_are_no_drops);
	tcase_add_loop_test(t, probes_that_make_no_sense_are_left_out, 0, 7);
	tcase_add_test(t, names_are_printable);
	tcase_add_loop_test(t, areas_of_free_slots_are_checked, 0, 6);
	tcase_add_test(t, window_is_the_limit);
	tcase_add_loop_test(t, garbage_everywhere_is_survived, 0, 8);
	tcase_add_loop_test(t, garbage_in_units_is_survived, 0, 8);
	tcase_add_test(t, truncated_units_are_mended);
	tcase_add_test(t, exit_without_a_script_is_no_exit);
	tcase_add_loop_test(t, exit_needs_a_clause_that_calls_it, 0, 2);
	tcase_add_test(t, garbage_in_the_directory_is_left_alone);
	tcase_add_loop_test(t, dead_file_of_garbage_is_survived, 0, 40);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
