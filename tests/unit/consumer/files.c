/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files in use by others, or orphans: reading them, which changes
 * nothing, and keeping them until they have been read.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/run/run.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "machine/code.h"
#include "shared/memory_limit.h"

static const uint8_t number_argument[] = { TBUF_UINT64 };

/* ------------------------------------------------------------ the library */

static void (*after_read)(void);

/* Calls after_read when the library has read a lane of this size. */
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, size, at);
	void (*then)(void) = after_read;

	if (then != NULL && size == 240) {
		after_read = NULL;
		then();
	}
	return (n);
}
INTERPOSED(pread);

/* The lock of a dying process on its file, released during the first pause. */
static int held = -1;

int
nanosleep(const struct timespec *time, struct timespec *left)
{
	if (held == -1)
		return ((int)syscall(SYS_nanosleep, time, left));
	close(held);
	held = -1;
	return (0);
}
INTERPOSED(nanosleep);

static unsigned looks;		/* at /proc */

DIR *
opendir(const char *name)
{
	looks += strcmp(name, "/proc") == 0;
	return (fdopendir(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

/* ------------------------------------------------------------ reading */

static struct fake fake;
static struct tbuf_consumer *own;
static uint32_t probes[2];
static uint16_t epids[2];

static void
fire(unsigned count)
{
	uint64_t number;

	while (count-- > 0) {
		number = fake.time;
		ck_assert(fake_record(&fake, 0, epids[0], &number, 8));
	}
}

static void
begin(void)
{
	fake_begin(&fake);
	fake.control->flags |= TBUF_F_SELECTION;
	probes[0] = fake_probe(&fake, "one", 1, number_argument);
	probes[1] = fake_probe(&fake, "two", 1, number_argument);
}

static void
map_session(void)
{
	fake_map(&fake);
	epids[0] = fake_epid(&fake, probes[0]);
	epids[1] = fake_epid(&fake, probes[1]);
}

/* Begins with a session of this process. */
static void
begin_own(const char *options)
{
	begin();
	own = fake_consumer(options);
	fake_grab(&fake, own);
	ck_assert_int_eq(tbuf_consumer_go(own), 0);
	map_session();
}

/* Begins with a session of a consumer that was killed. */
static void
begin_abandoned(const char *options)
{
	pid_t pid;
	int status;

	begin();
	own = NULL;
	if ((pid = fork()) == 0) {
		own = fake_consumer(options);
		fake_grab(&fake, own);
		_exit(tbuf_consumer_go(own) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	map_session();
}

static void
end(void)
{
	tbuf_consumer_close(own);
	fake_end(&fake);
}

static const char *
path_of(const struct fake *f)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->directory, f->name);
	return (path);
}

static bool
is_there(void)
{
	return (faccessat(fake.dirfd, fake.name, F_OK, 0) == 0);
}

/* Reads all events from a reader's beginning to its end. */
static void
read_all(struct tbuf_consumer *reader, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	ck_assert_int_eq(tbuf_consumer_go(reader), 0);
	ck_assert_int_eq(tbuf_consumer_work(reader), 0);
	fake_tally(reader, t);
	ck_assert_uint_eq(t->exits, 0);
	ck_assert_uint_eq(t->damage, 0);
	tbuf_consumer_close(reader);
}

static void
read_file(struct tally *t)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();

	ck_assert_msg(tbuf_consumer_open_file(reader, path_of(&fake)) == 0,
	    "%s", tbuf_consumer_error(reader));
	read_all(reader, t);
}

static const char *const policies[] = {
	"bufsize=64k", "bufsize=64k bufpolicy=fill",
	"bufsize=64k bufpolicy=ring"
};

START_TEST(dead_file_is_read)
{
	struct tally t;

	begin_own(policies[_i]);
	fire(100);
	fake_kill(&fake);
	/* The file has holes larger than the machine's memory. */
	ck_assert_int_eq(ftruncate(fake.fd, (off_t)1 << 37), 0);
	read_file(&t);
	ck_assert_uint_eq(t.records, 100);
	/* The file's own consumer finds it unchanged. */
	fake_drain(own, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 100);
	end();
}
END_TEST

START_TEST(live_file_is_read_and_not_changed)
{
	unsigned char *before;
	struct tally t;

	begin_own(policies[_i]);
	fire(100);
	before = malloc(fake.size);
	ck_assert_ptr_nonnull(before);
	memcpy(before, fake.file, fake.size);
	read_file(&t);
	ck_assert_uint_eq(t.records, 100);
	read_file(&t);
	ck_assert_uint_eq(t.records, 100);
	ck_assert(memcmp(before, fake.file, fake.size) == 0);
	free(before);
	fire(1);
	fake_drain(own, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 101);
	end();
}
END_TEST

#define TABLE	UINT64_C(192)	/* bytes of a unit table's entry */

/*
 * The file ends within a unit table's counters: neither a partial counter nor
 * one next to it is used.
 */
START_TEST(partial_count_of_a_cut_file_is_not_believed)
{
	static const uint64_t cuts[] = { 9, 16, TABLE - 1, TABLE };
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tbuf_unit_entry *entry;
	struct tally t;
	uint64_t at;

	begin_abandoned("bufsize=64k nunits=2 unitsize=1k");
	at = fake_slot(&fake)->units.at + sizeof(struct tbuf_units);
	entry = (void *)(fake.file + at);
	entry->full = 0x101;
	fake_kill(&fake);
	ck_assert_int_eq(ftruncate(fake.fd, (off_t)(at + cuts[_i])), 0);
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path_of(&fake)), 1);
	read_all(reader, &t);
	ck_assert_uint_eq(t.unit_drops, cuts[_i] == TABLE ? 0x101 : 0);
	end();
}
END_TEST

_Static_assert(sizeof(struct tbuf_unit_entry) == TABLE, "TABLE");

static void
fire_four(void)
{
	fire(4);
}

/* The consumer reads all of it, then the target overwrites it. */
static void
switch_twice(void)
{
	struct tally t;
	int i;

	for (i = 0; i < 3; i++) {
		fake_drain(own, TBUF_DRAIN_SWITCH, &t);
		ck_assert_uint_eq(t.records, 10);
		fire(10);
	}
}

START_TEST(what_is_overtaken_while_it_is_read_is_not_given)
{
	struct tally t;

	begin_own(_i == 0 ? "bufsize=240 bufpolicy=ring" : "bufsize=240");
	fire(10);
	after_read = _i == 0 ? fire_four : switch_twice;
	read_file(&t);
	ck_assert_ptr_null(after_read);
	ck_assert_uint_eq(t.records, _i == 0 ? 6 : 0);
	end();
}
END_TEST

START_TEST(descriptions_choose_what_is_given_of_a_file)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tbuf_event event;
	unsigned records = 0, i;
	uint64_t last = 0;

	begin_abandoned("bufsize=64k bufpolicy=ring");
	for (i = 0; i < 50; i++)
		ck_assert(fake_record(&fake, i % 3 == 0, epids[i % 2],
		    "abcdefgh", 8));
	fake_kill(&fake);
	ck_assert_int_eq(tbuf_consumer_enable(reader, "nothing"), 0);
	ck_assert_int_eq(tbuf_consumer_enable(reader, "t*"), 1);
	if (_i == 1)
		tbuf_consumer_set(reader, "temporal", NULL);
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path_of(&fake)), 0);
	ck_assert_int_eq(tbuf_consumer_go(reader), 0);
	ck_assert_uint_eq(tbuf_consumer_matched(reader, 0), 0);
	ck_assert_uint_eq(tbuf_consumer_matched(reader, 1), 1);
	ck_assert_int_eq(tbuf_consumer_work(reader), 0);
	while (tbuf_consumer_next(reader, &event) == 1) {
		ck_assert_int_eq(event.type, TBUF_EVENT_RECORD);
		ck_assert_str_eq(event.record.probe->name, "two");
		ck_assert_uint_eq(event.record.enabling, 1);
		ck_assert(_i == 0 || event.record.time > last);
		last = event.record.time;
		records++;
	}
	ck_assert_uint_eq(records, 25);
	tbuf_consumer_close(reader);
	end();
}
END_TEST

/* The file has 2,048 lanes with the same bytes. */
START_TEST(file_gives_no_more_than_it_has)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tbuf_lane one;
	struct tally t;
	unsigned i;

	begin_abandoned("bufsize=1m bufpolicy=ring");
	fire(100);
	fake_kill(&fake);
	if (_i == 0) {
		/* Two slots have the same session. */
		((struct tbuf_slot *)(void *)(fake.file + TBUF_SLOTS))[1] =
		    *fake_slot(&fake);
		fake.control->state[1] = TBUF_ACTIVE;
		read_file(&t);
		ck_assert_uint_eq(t.records, 100);
	} else {
		one = *fake_lane(&fake, 0);
		for (i = 0; i < 2 * TBUF_NCPUS; i++)
			ck_assert_int_eq(pwrite(fake.fd, &one, sizeof(one),
			    (off_t)(fake.size + i * sizeof(one))),
			    sizeof(one));
		fake_slot(&fake)->lanes = fake.size;
		fake_slot(&fake)->nlanes = 2 * TBUF_NCPUS;
		fake_slot(&fake)->first_lock = 2 * TBUF_NCPUS;
		ck_assert_int_eq(tbuf_consumer_open_file(reader,
		    path_of(&fake)), -EINVAL);
		ck_assert_ptr_nonnull(strstr(tbuf_consumer_error(reader),
		    "it is damaged"));
	}
	tbuf_consumer_close(reader);
	end();
}
END_TEST

START_TEST(file_of_no_known_policy_is_refused)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();

	begin_abandoned("bufsize=4k bufpolicy=ring");
	fire(1);
	fake_kill(&fake);
	fake_slot(&fake)->terms.policy = TBUF_NPOLICIES;
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path_of(&fake)),
	    -EINVAL);
	tbuf_consumer_close(reader);
	end();
}
END_TEST

static void
refused(const char *path, int error, const char *why)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char words[512];

	ck_assert_int_eq(tbuf_consumer_open_file(c, path), error);
	snprintf(words, sizeof(words), "failed to read %s: %s", path, why);
	ck_assert_str_eq(tbuf_consumer_error(c), words);
	tbuf_consumer_close(c);
}

START_TEST(file_that_is_none_is_refused)
{
	char words[64];

	refused("/proc/self/none", -ENOENT, "No such file or directory");
	refused("/etc/passwd", -EINVAL, "not a control file");
	refused("/dev/zero", -EINVAL, "not a control file");
	begin();
	refused(path_of(&fake), -ENODATA, "it has no session");
	fake_kill(&fake);
	refused(path_of(&fake), -ENODATA, "it has no session");
	fake.control->major = 99;
	snprintf(words, sizeof(words), "libtbuf 99.%u, tbufctl %u.%u",
	    TBUF_MINOR, TBUF_MAJOR, TBUF_MINOR);
	refused(path_of(&fake), -EPROTO, words);
	fake.control->byte_order = __builtin_bswap32(TBUF_BYTE_ORDER);
	refused(path_of(&fake), -EPROTO,
	    "the file is of a processor with the other byte order");
	end();
}
END_TEST

/* ------------------------------------------------------------ keeping */

static int
count_targets(void *arg, pid_t pid, const char *comm)
{
	(void)pid;
	(void)comm;
	++*(unsigned *)arg;
	return (0);
}

static int
no_lane(void *arg, const struct tbuf_lane_status *status)
{
	(void)arg;
	(void)status;
	ck_abort();
}

/* Runs all functions that scan the directory; it has no live target. */
static void
look_at_all(void)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	unsigned n = 0;

	ck_assert_int_eq(tbuf_targets(count_targets, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(tbuf_status(NULL, 0, no_lane, NULL), 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	tbuf_control_reap_some(fake.dirfd, 0);
	tbuf_consumer_close(c);
}

#define OTHERS	20u

/* Makes files of live processes that only a look at /proc could find. */
static void
make_others(struct tbuf_control_file files[OTHERS], bool named)
{
	struct tbuf_control_file *file;
	unsigned i;

	setenv("TBUF_WINDOW", "4m", 1);
	for (i = 0; i < OTHERS; i++) {
		file = &files[i];
		ck_assert_int_eq(tbuf_control_make(fake.dirfd,
		    fake.pid + 1 + (int)i, file), 0);
		ck_assert_int_eq(tbuf_back(file->fd, 0,
		    file->control->tables.areas), 0);
		file->control->clock = TBUF_CLOCK_MONOTONIC;
		file->control->stage = TBUF_STAGE_LIVE;
		file->control->start = named ? 1 : 0;
		file->control->pid_namespace = 1;
		ck_assert_int_eq(flock(file->fd, LOCK_EX | LOCK_NB), 0);
		munmap(file->control, file->control->tables.areas);
	}
	unsetenv("TBUF_WINDOW");
}

/* A scan may look again a few times, for processes that have started since. */
START_TEST(processes_are_looked_at_for_all_files_at_once)
{
	struct tbuf_control_file others[OTHERS];
	unsigned i, n;

	begin();
	make_others(others, _i == 0);
	n = looks = 0;
	ck_assert_int_eq(tbuf_targets(count_targets, &n), 0);
	ck_assert_uint_ge(looks, 1);
	ck_assert_uint_le(looks, 8);
	ck_assert_uint_eq(n, 1);
	for (i = 0; i < OTHERS; i++) {
		close(others[i].fd);
		unlinkat(fake.dirfd, others[i].name, 0);
	}
	end();
}
END_TEST

START_TEST(looking_leaves_what_nobody_has_read)
{
	struct tbuf_consumer *reader;
	struct tally t;
	pid_t pid;

	begin_abandoned(policies[_i]);
	fire(10);
	pid = fake.pid;
	fake_kill(&fake);
	look_at_all();
	ck_assert(is_there());
	read_file(&t);
	ck_assert_uint_eq(t.records, 10);
	/* The pid finds the file, too. */
	reader = tbuf_consumer_new();
	ck_assert_int_eq(tbuf_consumer_grab(reader, pid), -ESRCH);
	ck_assert_int_eq(tbuf_consumer_open_pid(reader, pid), 0);
	read_all(reader, &t);
	ck_assert_uint_eq(t.records, 10);
	look_at_all();
	ck_assert(is_there());
	end();
}
END_TEST

/* A killed process loses its memory before its descriptors. */
START_TEST(file_of_a_dying_process_is_waited_for)
{
	struct tbuf_consumer *reader;
	struct tally t;
	pid_t pid;

	begin_abandoned(policies[0]);
	fire(10);
	pid = fake.pid;
	fake_kill(&fake);
	held = openat(fake.dirfd, fake.name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ne(held, -1);
	ck_assert_int_eq(flock(held, LOCK_EX | LOCK_NB), 0);
	reader = tbuf_consumer_new();
	ck_assert_int_eq(tbuf_consumer_open_pid(reader, pid), 0);
	read_all(reader, &t);
	ck_assert_uint_eq(t.records, 10);
	end();
}
END_TEST

START_TEST(what_another_version_left_is_not_touched)
{
	struct tbuf_consumer *c = fake_consumer("");
	char text[4] = "";
	int fd;

	begin();
	own = NULL;
	fake.control->major = TBUF_MAJOR - 1;
	fake_kill(&fake);
	fd = openat(fake.dirfd, "board", O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_eq(write(fd, "old", 3), 3);
	look_at_all();
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_int_eq(faccessat(fake.dirfd, TBUF_BOARD_NAME, F_OK, 0), 0);
	tbuf_consumer_close(c);
	ck_assert(is_there());
	ck_assert_int_eq(pread(fd, text, sizeof(text), 0), 3);
	ck_assert_str_eq(text, "old");
	close(fd);
	unlinkat(fake.dirfd, "board", 0);
	end();
}
END_TEST

START_TEST(looking_removes_what_has_nothing_in_it)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	pid_t pid;

	if (_i == 0)
		begin_abandoned(policies[0]);
	else
		begin();
	pid = fake.pid;
	fake_kill(&fake);
	ck_assert_int_eq(tbuf_consumer_open_pid(reader, pid),
	    _i == 0 ? 0 : -ESRCH);
	tbuf_consumer_close(reader);
	look_at_all();
	ck_assert(!is_there());
	own = NULL;
	end();
}
END_TEST

START_TEST(dead_file_with_a_reader_stays_until_it_was_read)
{
	struct tally t;

	begin_own("bufpolicy=ring");
	fire(10);
	fake_kill(&fake);
	look_at_all();
	ck_assert(is_there());
	fake_drain(own, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	tbuf_consumer_close(own);
	ck_assert(!is_there());
	own = NULL;
	end();
}
END_TEST

/* Makes copies of the file with rising pids and birth times. */
static void
copy_files(unsigned count)
{
	char name[TBUF_NAME_MAX];
	unsigned i;
	int fd;

	for (i = 1; i <= count; i++) {
		fake.control->birth.real = i;
		tbuf_control_name(name, (pid_t)i, i * 7919 % 1000);
		fd = openat(fake.dirfd, name, O_RDWR | O_CREAT | O_EXCL, 0600);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(write(fd, fake.file, fake.size),
		    (ssize_t)fake.size);
		close(fd);
	}
}

START_TEST(the_youngest_unread_files_are_kept)
{
	struct tbuf_consumer *c = fake_consumer("");
	char name[TBUF_NAME_MAX];
	unsigned i;

	begin_abandoned("bufsize=1k bufpolicy=ring");
	fire(3);
	fake_kill(&fake);
	copy_files(TBUF_ORPHANS_MAX + 3);
	unlinkat(fake.dirfd, fake.name, 0);
	look_at_all();
	/* The oldest files are removed when tracing begins. */
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	tbuf_consumer_close(c);
	for (i = 1; i <= TBUF_ORPHANS_MAX + 3; i++) {
		tbuf_control_name(name, (pid_t)i, i * 7919 % 1000);
		ck_assert_int_eq(unlinkat(fake.dirfd, name, 0) == 0, i > 3);
	}
	end();
}
END_TEST

/* ------------------------------------------------------------ mappings */

static struct tbuf_session *
session(void)
{
	return ((struct tbuf_session *)(void *)
	    (fake.file + fake_slot(&fake)->area));
}

/* Begins a session that records mappings, and has one probe. */
static void
begin_named(void)
{
	pid_t pid;
	int status;

	begin();
	own = NULL;
	if ((pid = fork()) == 0) {
		own = fake_consumer("bufsize=4k bufpolicy=ring");
		own->names = true;
		fake_grab(&fake, own);
		_exit(tbuf_consumer_go(own) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	map_session();
	fake_kill(&fake);
}

/* A line of mappings, as consumers and programs store it. */
#define LINE	"1000-2000 r-xp 0 00:00 0 [line]\n"
#define IN_LINE	0x1800

static uint64_t
image(void)
{
	return (tbuf_image(fake.control->pid, fake.control->random));
}

/* Looks an address up as a reader of the file. */
static int
find(uint64_t address, const char *name)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tbuf_mapping m;
	int found;

	ck_assert_msg(tbuf_consumer_open_file(reader, path_of(&fake)) >= 0,
	    "%s", tbuf_consumer_error(reader));
	found = tbuf_consumer_mapping(reader, image(), address, &m);
	if (found == 1) {
		ck_assert_ptr_nonnull(strstr(m.path, name));
		ck_assert_uint_eq((uint64_t)m.pid, 0);
	}
	tbuf_consumer_close(reader);
	return (found);
}

/* The dead process was a fork of this one. */
START_TEST(what_a_session_saw_mapped_is_left)
{
	begin_named();
	ck_assert_int_eq(find((uintptr_t)find, "files"), 1);
	session()->mapped = 0;
	ck_assert_int_eq(find((uintptr_t)find, ""), 0);
	end();
}
END_TEST

START_TEST(what_was_left_of_it_is_checked)
{
	struct tbuf_session *s;
	uint64_t area, heads;

	begin_named();
	s = session();
	area = fake_slot(&fake)->area;
	heads = fake_slot(&fake)->heads;
	s->mapped = sizeof(LINE) - 1;
	switch (_i) {
	case 0:
		s->mapped = s->mappings.size + 1;
		break;
	case 1:
		s->mapped = UINT64_MAX;
		break;
	case 2:
		s->mappings.size = TBUF_MAPPINGS_MAX + 1;
		break;
	case 3:
		s->mappings = (struct tbuf_part){ heads - 8, 64 };
		break;
	case 4:
		s->mappings = (struct tbuf_part){ area + sizeof(*s) - 8, 64 };
		break;
	}
	memcpy(fake.file + s->mappings.at, LINE, sizeof(LINE) - 1);
	ck_assert_int_eq(find(IN_LINE, "[line]"), _i == 5);
	s->mappings.at = UINT64_MAX - 7;
	ck_assert_int_eq(find(IN_LINE, ""), 0);
	end();
}
END_TEST

START_TEST(lines_that_make_no_sense_are_left_out)
{
	begin_named();
	memset(fake.file + session()->mappings.at, _i == 0 ? 0 : 'f',
	    session()->mappings.size);
	session()->mapped = session()->mappings.size;
	ck_assert_int_eq(find(IN_LINE, ""), 0);
	ck_assert_int_eq(find((uintptr_t)find, ""), 0);
	end();
}
END_TEST

/* Another user's copy is not used, nor one that was cut off. */
START_TEST(what_another_user_left_of_it_is_not_asked)
{
	if (geteuid() != 0)
		return;
	begin_named();
	ck_assert_int_eq(fchown(fake.fd, 1, (gid_t)-1), 0);
	if (_i == 1)
		fake.control->end += TBUF_PAGE;
	ck_assert_int_eq(find((uintptr_t)find, ""), 0);
	end();
}
END_TEST

/* Stores a line as the program does at its start; it is not stored again. */
static void
leave_line(void)
{
	uint32_t at = fake.control->strings;

	fake.control->strings += sizeof(LINE) - 1;
	memcpy(fake.file + fake.control->tables.strings + at, LINE,
	    sizeof(LINE) - 1);
	fake.control->mappings = TBUF_MAPPINGS(at, sizeof(LINE) - 1);
}

static void
begin_own_named(bool foreign)
{
	begin();
	fake_map(&fake);
	leave_line();
	own = fake_consumer("bufsize=4k bufpolicy=ring");
	own->names = true;
	if (foreign)
		ck_assert_int_eq(fchown(fake.fd, 1, (gid_t)-1), 0);
	fake_grab(&fake, own);
	ck_assert_int_eq(tbuf_consumer_go(own), 0);
	map_session();
}

START_TEST(what_is_mapped_is_left_as_far_as_there_is_room)
{
	struct tbuf_target *t;
	uint64_t before;

	begin_own_named(false);
	t = TAILQ_FIRST(&own->targets);
	before = t->stored;
	ck_assert_uint_ne(before, 0);
	ck_assert_uint_eq(session()->mapped, before);
	ck_assert_uint_eq(session()->mappings.size, TBUF_MAPPINGS_MAX);
	ck_assert_ptr_null(memmem(fake.file + session()->mappings.at, before,
	    "[line]", 6));
	tbuf_images_look(own, true);
	ck_assert_uint_eq(session()->mapped, before);
	t->stored = TBUF_MAPPINGS_MAX - 20;
	t->nstored = 0;
	tbuf_images_leave(own, t);
	ck_assert_uint_eq(session()->mapped, TBUF_MAPPINGS_MAX - 20);
	ck_assert_uint_eq(t->nstored, 0);
	end();
}
END_TEST

START_TEST(what_another_users_program_left_is_not_asked)
{
	struct tbuf_mapping m;

	if (geteuid() != 0)
		return;
	begin_own_named(_i == 1);
	ck_assert_int_eq(tbuf_consumer_mapping(own, image(), IN_LINE, &m),
	    _i == 0);
	end();
}
END_TEST

START_TEST(work_returns_when_it_is_woken)
{
	struct tbuf_event event;
	uint64_t due;

	begin_own("bufpolicy=ring statusrate=10s");
	due = own->next_status;
	tbuf_consumer_wake(own);
	tbuf_consumer_wake(own);
	ck_assert_int_eq(tbuf_consumer_work(own), 1);
	ck_assert_int_eq(tbuf_consumer_next(own, &event), 0);
	/* Nothing else was due. */
	ck_assert_uint_eq(own->next_status, due);
	tbuf_consumer_stop(own);
	ck_assert_int_eq(tbuf_consumer_work(own), 0);
	end();
}
END_TEST

/* The core's headers all name the same bytes, far after them. */
#define CORE_SEGMENTS	100u
#define CORE_SHARED	(UINT64_C(1) << 30)

static uint64_t core_place;
static unsigned core_steps_back;

static ssize_t
core_read(void *unused, void *to, size_t size, uint64_t offset)
{
	static struct {
		Elf64_Ehdr elf;
		Elf64_Phdr segments[CORE_SEGMENTS];
	} head = {
		.elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		    ELFCLASS64, ELFDATA2LSB }, .e_type = ET_CORE,
		    .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = CORE_SEGMENTS,
		    .e_phentsize = sizeof(Elf64_Phdr) }
	};
	unsigned i;

	(void)unused;
	for (i = 0; i < CORE_SEGMENTS; i++)
		head.segments[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
		    .p_offset = CORE_SHARED, .p_filesz = TBUF_PAGE,
		    .p_vaddr = (i + 1) * TBUF_PAGE };
	core_steps_back += offset < core_place;
	core_place = offset + size;
	memset(to, 0, size);
	if (offset < sizeof(head))
		memcpy(to, (const char *)&head + offset,
		    size < sizeof(head) - offset ? size :
		    sizeof(head) - offset);
	return ((ssize_t)size);
}

START_TEST(bytes_that_a_core_names_often_are_read_once)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	ck_assert_int_eq(tbuf_consumer_open_core(c, "core", core_read, NULL),
	    -ENODATA);
	ck_assert_uint_eq(core_place, CORE_SHARED + TBUF_PAGE);
	ck_assert_uint_eq(core_steps_back, 0);
	tbuf_consumer_close(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("files");
	TCase *t = tcase_create("files");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t,
	    processes_are_looked_at_for_all_files_at_once, 0, 2);
	tcase_add_loop_test(t, dead_file_is_read, 0, 3);
	tcase_add_loop_test(t, live_file_is_read_and_not_changed, 0, 3);
	tcase_add_loop_test(t, partial_count_of_a_cut_file_is_not_believed, 0,
	    4);
	tcase_add_loop_test(t,
	    what_is_overtaken_while_it_is_read_is_not_given, 0, 2);
	tcase_add_loop_test(t,
	    descriptions_choose_what_is_given_of_a_file, 0, 2);
	tcase_add_loop_test(t, file_gives_no_more_than_it_has, 0, 2);
	tcase_add_test(t, file_of_no_known_policy_is_refused);
	tcase_add_test(t, file_that_is_none_is_refused);
	tcase_add_loop_test(t, looking_leaves_what_nobody_has_read, 0, 3);
	tcase_add_test(t, file_of_a_dying_process_is_waited_for);
	tcase_add_test(t, what_another_version_left_is_not_touched);
	tcase_add_loop_test(t, looking_removes_what_has_nothing_in_it, 0, 2);
	tcase_add_test(t, dead_file_with_a_reader_stays_until_it_was_read);
	tcase_add_test(t, the_youngest_unread_files_are_kept);
	tcase_add_test(t, what_a_session_saw_mapped_is_left);
	tcase_add_loop_test(t, what_was_left_of_it_is_checked, 0, 6);
	tcase_add_loop_test(t, lines_that_make_no_sense_are_left_out, 0, 2);
	tcase_add_loop_test(t, what_another_user_left_of_it_is_not_asked, 0,
	    2);
	tcase_add_test(t, what_is_mapped_is_left_as_far_as_there_is_room);
	tcase_add_loop_test(t, what_another_users_program_left_is_not_asked,
	    0, 2);
	tcase_add_test(t, work_returns_when_it_is_woken);
	tcase_add_test(t, bytes_that_a_core_names_often_are_read_once);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
