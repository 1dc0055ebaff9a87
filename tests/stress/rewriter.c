/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target that rewrites its own control file: random words of any part of it,
 * most of which get their old values back, while another thread fires.  It runs
 * until it is killed.
 *
 *	rewriter SEED
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

#define FIRST_FIRES	1000
#define LOOK_ROUNDS	256		/* between two looks at the file's size */
#define CONTROL_WORDS	(32 * 1024 / 8)	/* where most offsets and sizes are */
#define NEAR_WORDS	64
#define PAUSE_MOST	2000

static uint64_t state;

static uint64_t
draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state);
}

static void
fire(uint64_t n)
{
	static const char *const texts[] = { "", "a", "some words", NULL };
	char bytes[64] = { (char)n };
	uint64_t unit = n % 4 == 0 ? tbuf_unit_begin("request", n) : 0;

	TBUF_PROBE(rw, number, n, n % 7);
	TBUF_PROBE(rw, words, n, texts[n % 4]);
	TBUF_PROBE(rw, bytes, n, TBUF_BYTES(bytes, n % sizeof(bytes)));
	if (unit != 0)
		(void)tbuf_unit_end(unit, (int)(n % 3));
}

static void *
fire_on(void *arg)
{
	uint64_t n;

	for (n = FIRST_FIRES;; n++)
		fire(n);
	return (arg);
}

/* Opens the control file that this process has mapped. */
static int
open_own(void)
{
	char line[4096], name[64], *path;
	FILE *maps = fopen("/proc/self/maps", "re");
	int fd = -1;

	if (maps == NULL)
		err(1, "/proc/self/maps");
	(void)snprintf(name, sizeof(name), "/tbuf.%d.", (int)getpid());
	while (fd == -1 && fgets(line, sizeof(line), maps) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path != NULL && strstr(path, name) != NULL)
			fd = open(path, O_RDWR | O_CLOEXEC);
	}
	(void)fclose(maps);
	if (fd == -1)
		errx(1, "no control file");
	return (fd);
}

/* Maps as much of the file as there is.  Returns its number of words. */
static uint64_t
map(int fd, uint64_t **words, uint64_t count)
{
	struct stat st;
	uint64_t now;
	void *base;

	if (fstat(fd, &st) != 0 || (now = (uint64_t)st.st_size / 8) == count ||
	    now == 0)
		return (count);
	base = mmap(NULL, now * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return (count);
	if (*words != NULL)
		(void)munmap(*words, count * 8);
	*words = base;
	return (now);
}

/* Returns a place that has a value, if there is one by chance. */
static uint64_t
choose(const uint64_t *words, uint64_t count, uint64_t last)
{
	uint64_t at = 0, most = count;
	unsigned tries;

	switch (draw() % 4) {
	case 0:
		return ((last + draw() % NEAR_WORDS) % count);
	case 1:
		most = count < CONTROL_WORDS ? count : CONTROL_WORDS;
		break;
	default:
		break;
	}
	for (tries = 0; tries < 64; tries++)
		if (__atomic_load_n(&words[at = draw() % most],
		    __ATOMIC_RELAXED) != 0)
			break;
	return (at);
}

static uint64_t
value(uint64_t old, const uint64_t *words, uint64_t count)
{
	switch (draw() % 10) {
	case 0:
		return (0);
	case 1:
		return (UINT64_MAX);
	case 2:
		return (draw());
	case 3:
		return (old ^ (UINT64_C(1) << draw() % 64));
	case 4:
		return (draw() % 256);
	case 5:
		return (old + 8 - draw() % 17);
	case 6:
		return (old << 32 | old >> 32);
	case 7:
		return (UINT64_MAX - draw() % 4096);
	case 8:
		return (old ^ (draw() & 0xffff) << draw() % 64);
	default:
		return (words[draw() % count]);
	}
}

/* Deliberately races with everything else that uses the file. */
__attribute__((no_sanitize("thread")))
static void
rewrite(int fd)
{
	uint64_t *words = NULL, count = 0, last = 0, old, round, pause;
	bool cuts = draw() % 16 == 0;
	/* One of so many words stays as it is then; 0: none does. */
	const uint64_t stays = (const uint64_t[]){ 0, 0, 1024, 65536 }[
	    draw() % 4];

	for (round = 0;; round++) {
		if (round % LOOK_ROUNDS == 0)
			count = map(fd, &words, count);
		if (cuts && draw() % 100000 == 0)
			(void)ftruncate(fd, (off_t)(draw() % (count * 8)));
		last = choose(words, count, last);
		old = __atomic_load_n(&words[last], __ATOMIC_RELAXED);
		__atomic_store_n(&words[last], value(old, words, count),
		    __ATOMIC_RELAXED);
		for (pause = draw() % PAUSE_MOST; pause > 0; pause--)
			__asm__ volatile("" ::: "memory");
		if (stays == 0 || draw() % stays != 0)
			__atomic_store_n(&words[last], old, __ATOMIC_RELAXED);
	}
}

int
main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t n;

	if (argc != 2)
		errx(2, "usage: rewriter SEED");
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	for (n = 0; n < 16; n++)
		(void)draw();
	/* A consumer may have to be there first, or comes while it rewrites. */
	for (n = 0; n < FIRST_FIRES; n++)
		fire(n);
	if (printf("ready\n") < 0 || fflush(stdout) != 0)
		err(1, "standard output");
	while (draw() % 2 == 0 && !TBUF_ENABLED(rw, number))
		continue;
	if (draw() % 2 == 0 && pthread_create(&thread, NULL, fire_on,
	    NULL) != 0)
		errx(1, "pthread_create");
	rewrite(open_own());
}
