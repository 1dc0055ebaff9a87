/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer traces a live target that writes anything into its own file, at
 * any moment between two looks.  The file is this process's, so no target
 * has to be started.  The first byte of the input is options, then come
 * patches and actions.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "consumer/internal.h"
#include "drain.h"
#include "image.h"

enum {
	ACTION_GO = PATCH_ACTION,
	ACTION_ROUND,
	ACTION_SNAPSHOT,
	ACTION_LIST,
	ACTION_STATUS,
	ACTION_END
};

static struct image image;
static unsigned char *good;
static int fd, dirfd;
static char name[TBUF_NAME_MAX];

/* Patience is not what is tested: time stands still for the library. */
int
nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)wanted;
	(void)left;
	return (0);
}

int
sched_yield(void)
{
	return (0);
}

static void
leave(void)
{
	unlinkat(dirfd, name, 0);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint64_t start = tbuf_start_time(getpid());

	(void)argc;
	(void)argv;
	FUZZ_CHECK(setenv("TBUF_MAXSIZE", "1m", 1) == 0);
	fuzz_directory();
	dirfd = tbuf_directory_open(false);
	FUZZ_CHECK(dirfd >= 0);
	tbuf_control_name(name, getpid(), 1);
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd != -1);
	atexit(leave);
	/* The sign of life. */
	FUZZ_CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
	FUZZ_CHECK(ftruncate(fd, IMAGE_SIZE) == 0);
	image.view.size = IMAGE_SIZE;
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, getpid(), start);
	image_sessions(&image);
	image_records(&image);
	good = malloc(image.size);
	FUZZ_CHECK(good != NULL);
	memcpy(good, image.view.base, image.size);
	return (0);
}

static struct tbuf_consumer *
consumer(unsigned options)
{
	static const char *const policies[] = {
		"switch", "fill", "ring", "ring"
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_found found = { .fd = openat(dirfd, name,
	    O_RDWR | O_CLOEXEC) };

	FUZZ_CHECK(c != NULL && found.fd != -1);
	tbuf_consumer_set(c, "bufpolicy", policies[options & 3]);
	tbuf_consumer_set(c, "bufsize", (options & 4) != 0 ? "4k" : "512");
	tbuf_consumer_set(c, "bufresize",
	    (options & 8) != 0 ? "manual" : "auto");
	if ((options & 16) != 0)
		tbuf_consumer_set(c, "temporal", NULL);
	FUZZ_CHECK(tbuf_consumer_enable(c, "fuzz:::") == 0);
	FUZZ_CHECK(tbuf_consumer_enable(c, "p[1-3]") == 1);
	strcpy(found.name, name);
	found.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	FUZZ_CHECK(found.pidfd != -1);
	tbuf_target_add(c, getpid(), &found);
	return (c);
}

static int
visit_lane(void *arg, const struct tbuf_lane_status *status)
{
	(void)arg;
	FUZZ_CHECK(strlen(status->consumer_name) < 16);
	return (0);
}

static int
visit_target(void *arg, pid_t pid, const char *comm)
{
	(void)arg;
	FUZZ_CHECK(pid > 0 && strlen(comm) < 64);
	return (0);
}

static void
act(struct tbuf_consumer *c, unsigned action)
{
	switch (action) {
	case ACTION_GO:
		tbuf_consumer_go(c);
		break;
	case ACTION_ROUND:
		if (tbuf_round_begin(c, TBUF_ROUND_SWITCH |
		    TBUF_ROUND_STATUS) == 0)
			drain(c);
		break;
	case ACTION_SNAPSHOT:
		if (tbuf_consumer_snapshot(c) == 0)
			drain(c);
		break;
	case ACTION_LIST:
		drain_list(c);
		tbuf_consumer_matched(c, 0);
		break;
	case ACTION_STATUS:
		tbuf_targets(visit_target, NULL);
		tbuf_status(NULL, 0, visit_lane, NULL);
		break;
	case ACTION_END:
		tbuf_consumer_quiesce(c);
		if (tbuf_round_begin(c, TBUF_ROUND_LAST) == 0)
			drain(c);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct tbuf_consumer *c;
	struct patch p;

	FUZZ_CHECK(ftruncate(fd, (off_t)image.size) == 0);
	memcpy(image.view.base, good, image.size);
	c = consumer((unsigned)input_take(&in, 1));
	while (in.size > 0) {
		p = image_next(&in);
		if (p.part >= PATCH_ACTION)
			act(c, PATCH_ACTION + p.value % 6);
		else
			image_patch(&image, &p);
	}
	act(c, ACTION_END);
	tbuf_consumer_close(c);
	return (0);
}
