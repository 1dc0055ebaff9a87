/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Other users' control files that could block their readers: by leases, and by
 * claims of more data than exists.  Spare files, which a lease shows to have no
 * other user.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "shared/board.h"
#include "shared/spare_file.h"

static const uint8_t number_argument[] = { TBUF_UINT64 };

/* ------------------------------------------------------------ the library */

static uint64_t bytes_read;

/* If not 0: files have this many bytes from there on, all in records. */
static uint64_t endless_at, endless_size;

#define ENDLESS_RECORD	32768u

/* Counts the bytes that the library reads from files. */
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	struct tbuf_header header = { .size = ENDLESS_RECORD };
	size_t i;
	ssize_t n;

	if (endless_size != 0 && (uint64_t)at >= endless_at &&
	    size >= ENDLESS_RECORD) {
		for (i = 0; i + sizeof(header) <= size; i += ENDLESS_RECORD)
			memcpy((char *)to + i, &header, sizeof(header));
		n = (ssize_t)size;
	} else
		n = syscall(SYS_pread64, fd, to, size, at);
	if (n > 0)
		bytes_read += (uint64_t)n;
	return (n);
}
INTERPOSED(pread);

int
fstat(int fd, struct stat *st)
{
	int error = (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);

	if (error == 0 && endless_size != 0 && S_ISREG(st->st_mode)) {
		st->st_size += (off_t)endless_size;
		st->st_blocks += (blkcnt_t)(endless_size / 512);
	}
	return (error);
}
INTERPOSED(fstat);

/* ------------------------------------------------------------ leases */

/* Maps a file by one descriptor, then takes a lease on it. */
static void
lease(int dirfd, const char *name, int ready)
{
	int fd = openat(dirfd, name, O_RDWR);
	bool good;

	/* SIGIO, by which the kernel asks for the file, is ignored. */
	signal(SIGIO, SIG_IGN);
	good = fd != -1 && mmap(NULL, TBUF_PAGE, PROT_READ, MAP_SHARED, fd,
	    0) != MAP_FAILED && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	(void)!write(ready, good ? "y" : "n", 1);
	for (;;)
		pause();
}

/* Makes a control file as its target, and takes a lease on it. */
static void
leaseholder(const struct fake *f, int ready)
{
	struct tbuf_control_file file;

	/* With the inherited mapping it would be a forked child. */
	munmap(f->control, f->tables.areas);
	if (tbuf_control_make(f->dirfd, getpid(), &file) == 0) {
		file.control->stage = TBUF_STAGE_LIVE;
		munmap(file.control, file.control->tables.areas);
		close(file.fd);
	}
	lease(f->dirfd, file.name, ready);
}

static void
board_leaseholder(const struct fake *f, int ready)
{
	lease(f->dirfd, TBUF_BOARD_NAME, ready);
}

/* Makes a file with the board's name, with any contents. */
static void
board_file_leaseholder(const struct fake *f, int ready)
{
	int fd = openat(f->dirfd, TBUF_BOARD_NAME, O_RDWR | O_CREAT, 0600);

	(void)!ftruncate(fd, TBUF_PAGE);
	close(fd);
	lease(f->dirfd, TBUF_BOARD_NAME, ready);
}

static pid_t
start(const struct fake *f, void (*run)(const struct fake *, int ready))
{
	int ready[2];
	char answer;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0)
		run(f, ready[1]);
	ck_assert_int_eq(read(ready[0], &answer, 1), 1);
	ck_assert_msg(answer == 'y', "no lease");
	close(ready[0]);
	close(ready[1]);
	return (pid);
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static void
unlink_all(int dirfd, pid_t of)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "exec rm -f tbuf.%d.*", (int)of);
	ck_assert_int_eq(fchdir(dirfd), 0);
	ck_assert_int_eq(system(pattern), 0);
	ck_assert_int_eq(chdir("/"), 0);
}

/* A consumer that waited would get the file after 45 seconds. */
START_TEST(lease_on_a_control_file_is_not_waited_for)
{
	struct tbuf_consumer *c;
	struct fake f;
	char words[128];
	pid_t pid;

	fake_begin(&f);
	pid = start(&f, leaseholder);
	c = tbuf_consumer_new();
	ck_assert_int_eq(tbuf_consumer_grab(c, pid), -EAGAIN);
	snprintf(words, sizeof(words), "failed to grab pid %d: "
	    "another process holds a lease on its control file", (int)pid);
	ck_assert_str_eq(tbuf_consumer_error(c), words);
	ck_assert_int_eq(tbuf_consumer_skipped(c), 0);
	/* A target that was not named is skipped and reported. */
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_skipped(c), -EAGAIN);
	tbuf_consumer_close(c);
	stop(pid);
	unlink_all(f.dirfd, pid);
	fake_end(&f);
}
END_TEST

START_TEST(lease_on_the_board_is_not_waited_for)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=4k");
	struct fake f;
	pid_t pid;
	int fd;

	fake_begin(&f);
	fd = openat(f.dirfd, TBUF_BOARD_NAME, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(ftruncate(fd, sizeof(struct tbuf_board)), 0);
	ck_assert_int_eq(pwrite(fd, TBUF_BOARD_MAGIC, 8, 0), 8);
	close(fd);
	pid = start(&f, board_leaseholder);
	fake_probe(&f, "probe", 1, number_argument);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), -EAGAIN);
	tbuf_consumer_close(c);
	stop(pid);
	fake_end(&f);
}
END_TEST

START_TEST(leased_file_is_refused)
{
	struct fake f;
	char path[256], words[512];
	struct tbuf_consumer *c = tbuf_consumer_new();
	pid_t pid;

	fake_begin(&f);
	pid = start(&f, board_file_leaseholder);
	snprintf(path, sizeof(path), "%s/%s", f.directory, TBUF_BOARD_NAME);
	ck_assert_int_eq(tbuf_consumer_open_file(c, path), -EAGAIN);
	snprintf(words, sizeof(words),
	    "failed to read %s: another process holds a lease on it", path);
	ck_assert_str_eq(tbuf_consumer_error(c), words);
	tbuf_consumer_close(c);
	stop(pid);
	fake_end(&f);
}
END_TEST

/* ------------------------------------------------------------ status */

static int
sum_records(void *arg, const struct tbuf_lane_status *status)
{
	uint64_t *records = arg;

	*records += status->records;
	return (0);
}

START_TEST(status_reads_no_more_than_the_file_has)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=1m bufpolicy=ring");
	struct tbuf_lane one;
	struct tbuf_slot *slot;
	uint64_t records = 0;
	struct fake f;
	struct stat st;
	uint16_t epid;
	unsigned i;

	fake_begin(&f);
	i = fake_probe(&f, "probe", 1, number_argument);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f);
	epid = fake_epid(&f, i);
	for (i = 0; i < 40000; i++)
		ck_assert(fake_record(&f, 0, epid, "abcdefgh", 8));
	ck_assert_int_eq(tbuf_status(NULL, 0, sum_records, &records), 0);
	ck_assert_uint_eq(records, 40000);

	/* 32 sessions claim 2,048 lanes past the end, all equal to this. */
	one = *fake_lane(&f, 0);
	for (i = 0; i < 2 * TBUF_NCPUS; i++)
		ck_assert_int_eq(pwrite(f.fd, &one, sizeof(one),
		    (off_t)(f.size + i * sizeof(one))), sizeof(one));
	fake_slot(&f)->lanes = f.size;
	fake_slot(&f)->nlanes = fake_slot(&f)->first_lock = 2 * TBUF_NCPUS;
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		slot = (struct tbuf_slot *)(void *)(f.file + TBUF_SLOTS +
		    i * (size_t)TBUF_SLOT_SIZE);
		if (i > 0)
			*slot = *fake_slot(&f);
		f.control->state[i] = TBUF_ACTIVE;
	}
	ck_assert_int_eq(fstat(f.fd, &st), 0);
	bytes_read = 0;
	ck_assert_int_eq(tbuf_status(NULL, 0, sum_records, &records), 0);
	/* Slots and headers, which are few, are read, too. */
	ck_assert_uint_le(bytes_read, (uint64_t)st.st_blocks * 512 +
	    f.tables.areas);
	f.control->state[0] = TBUF_RETIRED;
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

#define LANES		4u
#define ENDLESS_SIZE	(UINT64_C(512) << 20)

struct sum {
	uint64_t records, uncounted;
	unsigned lanes;
};

static int
sum_lanes(void *arg, const struct tbuf_lane_status *status)
{
	struct sum *sum = arg;

	sum->records += status->records;
	sum->uncounted += status->uncounted;
	sum->lanes++;
	return (0);
}

/* Makes a lane that is full of records. */
static void
fill(struct tbuf_lane *lane, uint64_t at)
{
	lane->place = tbuf_place(at, ENDLESS_SIZE);
	lane->size = ENDLESS_SIZE;
	lane->head = ENDLESS_SIZE;
	lane->tail = lane->consumed = 0;
	lane->pair[0] = lane->pair[1] = (struct tbuf_pair){ 0 };
}

/* Some processes have buffers of many GiB, and some only say so. */
START_TEST(status_reads_no_more_than_a_gib)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=1m bufpolicy=ring");
	struct sum sum = { 0 };
	uint64_t all;
	struct fake f;
	uint32_t i;

	fake_begin(&f);
	fake_probe(&f, "probe", 1, number_argument);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f);
	ck_assert_uint_ge(fake_slot(&f)->nlanes, LANES);
	for (i = 0; i < LANES; i++)
		fill(fake_lane(&f, i), f.size + i * ENDLESS_SIZE);
	fake_slot(&f)->nlanes = fake_slot(&f)->first_lock = LANES;
	endless_at = f.size;
	endless_size = LANES * ENDLESS_SIZE;
	bytes_read = 0;
	ck_assert_int_eq(tbuf_status(NULL, 0, sum_lanes, &sum), 0);
	endless_size = 0;
	all = LANES * ENDLESS_SIZE;
	ck_assert_uint_eq(sum.lanes, LANES);
	ck_assert_uint_le(bytes_read, (UINT64_C(1) << 30) + f.tables.areas);
	ck_assert_uint_gt(sum.uncounted, all - (UINT64_C(1) << 30));
	ck_assert_uint_eq(sum.records * ENDLESS_RECORD + sum.uncounted, all);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* ------------------------------------------------------------ spares */

#define PAGES		32u
#define OLD_NAME	"tbuf.1.0123456789abcdef"

/* A directory with a board and the file of a process that has ended. */
struct spares {
	struct fake f;
	struct tbuf_board *board;
	int board_fd, fd;
};

static int
old_file(int dirfd)
{
	static const char bytes[TBUF_PAGE] = { "contents" };
	int fd = openat(dirfd, OLD_NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	unsigned i;

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(ftruncate(fd, PAGES * TBUF_PAGE), 0);
	/* Of three pages one is written, one is backed, one is a hole. */
	for (i = 0; i < PAGES; i += 3) {
		ck_assert_int_eq(pwrite(fd, bytes, sizeof(bytes),
		    i * (off_t)TBUF_PAGE), sizeof(bytes));
		ck_assert_int_eq(fallocate(fd, FALLOC_FL_KEEP_SIZE,
		    (i + 1) * (off_t)TBUF_PAGE, TBUF_PAGE), 0);
	}
	return (fd);
}

static void
spares_begin(struct spares *s)
{
	fake_begin(&s->f);
	s->board_fd = openat(s->f.dirfd, TBUF_BOARD_NAME, O_RDWR | O_CREAT,
	    0600);
	ck_assert_int_eq(ftruncate(s->board_fd, sizeof(*s->board)), 0);
	s->board = mmap(NULL, sizeof(*s->board), PROT_READ | PROT_WRITE,
	    MAP_SHARED, s->board_fd, 0);
	ck_assert_ptr_ne(s->board, MAP_FAILED);
	s->fd = old_file(s->f.dirfd);
}

static void
spares_end(struct spares *s)
{
	munmap(s->board, sizeof(*s->board));
	close(s->board_fd);
	fake_end(&s->f);
}

static int
take(const struct spares *s)
{
	char name[TBUF_NAME_MAX + 1];
	uint64_t size;

	return (tbuf_spare_take(s->f.dirfd, s->board_fd, name, &size));
}

static bool
exists(const struct spares *s, const char *name)
{
	return (faccessat(s->f.dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
}

/* Makes a spare of the old file, and lets targets take it. */
static void
hand_on(struct spares *s)
{
	int number = tbuf_spare_make(s->f.dirfd, s->board, OLD_NAME, s->fd);

	ck_assert_int_eq(number, 0);
	ck_assert(!exists(s, OLD_NAME));
	/* It is not taken before it is published. */
	s->board->head.spares[0] = 1;
	ck_assert_int_eq(take(s), -1);
	tbuf_spare_publish(s->board, s->fd, (unsigned)number);
	close(s->fd);
}

START_TEST(spare_contains_zeroes_and_is_taken_once)	/* inv.spare */
{
	char name[TBUF_NAME_MAX + 1], bytes[PAGES * TBUF_PAGE];
	static const char zeroes[sizeof(bytes)];
	struct spares s;
	struct stat st;
	uint64_t size;
	int fd;

	spares_begin(&s);
	ck_assert_int_eq(take(&s), -1);
	hand_on(&s);
	fd = tbuf_spare_take(s.f.dirfd, s.board_fd, name, &size);
	ck_assert_int_ne(fd, -1);
	ck_assert_uint_eq(size, sizeof(bytes));
	ck_assert_str_eq(name, "spare.0");
	ck_assert_int_eq(s.board->head.spares[0], 0);
	ck_assert_int_eq(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	ck_assert_int_eq(memcmp(bytes, zeroes, sizeof(bytes)), 0);
	/* Its pages are those of the old file. */
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_blocks, 2 * (PAGES + 2) / 3 * 8);
	/* Another process does not take it while the lock is held. */
	s.board->head.spares[0] = 1;
	ck_assert_int_eq(take(&s), -1);
	/* Nor does one when the taker, which has begun, was killed. */
	ck_assert_int_eq(pwrite(fd, TBUF_MAGIC, 8, 0), 8);
	close(fd);
	ck_assert_int_eq(take(&s), -1);
	tbuf_spares_remove(s.f.dirfd, s.board);
	ck_assert(!exists(&s, "spare.0"));
	ck_assert_int_eq(s.board->head.spares[0], 0);
	spares_end(&s);
}
END_TEST

/* A reader's mapping keeps the file open without a descriptor. */
START_TEST(file_that_is_open_is_no_spare)	/* inv.spare */
{
	char bytes[8];
	struct spares s;
	void *map;
	int fd;

	spares_begin(&s);
	fd = openat(s.f.dirfd, OLD_NAME, O_RDONLY);
	map = mmap(NULL, TBUF_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(map, MAP_FAILED);
	close(fd);
	ck_assert_int_eq(tbuf_spare_make(s.f.dirfd, s.board, OLD_NAME, s.fd), -1);
	ck_assert(exists(&s, OLD_NAME));
	ck_assert(!exists(&s, "spare.0"));
	ck_assert(!tbuf_control_alive(s.fd));
	ck_assert_int_eq(pread(s.fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	ck_assert_int_eq(memcmp(bytes, "contents", sizeof(bytes)), 0);
	munmap(map, TBUF_PAGE);
	/* A file with another name is not only its process's. */
	ck_assert_int_eq(linkat(s.f.dirfd, OLD_NAME, s.f.dirfd, "link", 0), 0);
	ck_assert_int_eq(tbuf_spare_make(s.f.dirfd, s.board, OLD_NAME, s.fd), -1);
	ck_assert_int_eq(unlinkat(s.f.dirfd, "link", 0), 0);
	/* Nor are more pages kept than a spare may have. */
	ck_assert_int_eq(fallocate(s.fd, 0, 0, TBUF_SPARE_BYTES), 0);
	ck_assert_int_eq(fallocate(s.fd, 0, 0, TBUF_SPARE_BYTES + TBUF_PAGE),
	    0);
	ck_assert_int_eq(tbuf_spare_make(s.f.dirfd, s.board, OLD_NAME, s.fd), -1);
	ck_assert_int_eq(ftruncate(s.fd, PAGES * TBUF_PAGE), 0);
	hand_on(&s);
	tbuf_spares_remove(s.f.dirfd, s.board);
	spares_end(&s);
}
END_TEST

static void
hostile_mode(int dirfd, int fd)
{
	(void)dirfd;
	ck_assert_int_eq(fchmod(fd, 0644), 0);
}

static void
hostile_size(int dirfd, int fd)
{
	(void)dirfd;
	ck_assert_int_eq(ftruncate(fd, TBUF_PAGE + 1), 0);
}

static void
hostile_empty(int dirfd, int fd)
{
	(void)dirfd;
	ck_assert_int_eq(ftruncate(fd, 0), 0);
}

static void
hostile_header(int dirfd, int fd)
{
	(void)dirfd;
	ck_assert_int_eq(pwrite(fd, "x", 1, sizeof(struct tbuf_control) - 1),
	    1);
}

static void
hostile_second_name(int dirfd, int fd)
{
	(void)fd;
	ck_assert_int_eq(linkat(dirfd, "spare.0", dirfd, "link", 0), 0);
}

static void
hostile_link(int dirfd, int fd)
{
	(void)fd;
	ck_assert_int_eq(renameat(dirfd, "spare.0", dirfd, "elsewhere"), 0);
	ck_assert_int_eq(symlinkat("elsewhere", dirfd, "spare.0"), 0);
}

static void
hostile_fifo(int dirfd, int fd)
{
	(void)fd;
	ck_assert_int_eq(unlinkat(dirfd, "spare.0", 0), 0);
	ck_assert_int_eq(mkfifoat(dirfd, "spare.0", 0600), 0);
}

static void
hostile_nothing(int dirfd, int fd)
{
	(void)fd;
	ck_assert_int_eq(unlinkat(dirfd, "spare.0", 0), 0);
}

static void	(*const hostile[])(int dirfd, int fd) = {
	hostile_mode, hostile_size, hostile_empty, hostile_header,
	hostile_second_name, hostile_link, hostile_fifo, hostile_nothing
};

START_TEST(hostile_spare_is_ignored_and_removed)
{
	struct spares s;
	int fd;

	spares_begin(&s);
	hand_on(&s);
	fd = openat(s.f.dirfd, "spare.0", O_RDWR);
	hostile[_i](s.f.dirfd, fd);
	close(fd);
	ck_assert_int_eq(take(&s), -1);
	tbuf_spares_remove(s.f.dirfd, s.board);
	ck_assert(!exists(&s, "spare.0"));
	unlinkat(s.f.dirfd, "elsewhere", 0);
	unlinkat(s.f.dirfd, "link", 0);
	spares_end(&s);
}
END_TEST

/* A target that is about to name a spare still needs the spare's name. */
START_TEST(spare_in_use_is_not_removed)
{
	struct spares s;
	int fd;

	spares_begin(&s);
	hand_on(&s);
	fd = take(&s);
	ck_assert_int_ne(fd, -1);
	tbuf_spares_remove(s.f.dirfd, s.board);
	ck_assert(exists(&s, "spare.0"));
	/* Now it has its name, and could not remove the other one. */
	ck_assert_int_eq(linkat(s.f.dirfd, "spare.0", s.f.dirfd, "name", 0),
	    0);
	tbuf_spares_remove(s.f.dirfd, s.board);
	ck_assert(!exists(&s, "spare.0"));
	close(fd);
	unlinkat(s.f.dirfd, "name", 0);
	spares_end(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("leases");
	TCase *t = tcase_create("leases");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, lease_on_a_control_file_is_not_waited_for);
	tcase_add_test(t, lease_on_the_board_is_not_waited_for);
	tcase_add_test(t, leased_file_is_refused);
	tcase_add_test(t, status_reads_no_more_than_the_file_has);
	tcase_add_test(t, status_reads_no_more_than_a_gib);
	tcase_add_test(t, spare_contains_zeroes_and_is_taken_once);
	tcase_add_test(t, file_that_is_open_is_no_spare);
	tcase_add_loop_test(t, hostile_spare_is_ignored_and_removed, 0,
	    sizeof(hostile) / sizeof(hostile[0]));
	tcase_add_test(t, spare_in_use_is_not_removed);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
