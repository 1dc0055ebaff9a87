/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target fires with arbitrary data in its sessions: it must not crash or
 * hang, or store outside its window.  The window is a private mapping of a good
 * file here, with guards on both sides.  The input is patches, and actions that
 * fire.
 */
#include <sys/mman.h>

#include <errno.h>
#include <unistd.h>

#include "image.h"
#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/provider.h"
#include "target/self/thread.h"

#define WINDOW	(UINT64_C(32) << 20)
#define GUARD	(UINT64_C(1) << 20)

enum {
	ACTION_FIRE = PATCH_ACTION,
	ACTION_MARK,		/* switch between CPU and lock lanes */
	ACTION_MEET,		/* as a new probe does */
	ACTION_FIND,
	ACTION_AGE		/* the deadline is near */
};

static struct image image;
static struct tbuf_site sites[IMAGE_PROBES];
static uint64_t base;

static void
register_sites(void)
{
	enum tbuf_type types[TBUF_ARGS_MAX];
	char name[] = "pN";
	unsigned i, n;

	for (i = 0; i < IMAGE_PROBES; i++) {
		name[1] = (char)('0' + i);
		for (n = 0; n < image_probes[i].nargs; n++)
			types[n] = (enum tbuf_type)image_probes[i].types[n];
		FUZZ_CHECK(tbuf_probe_register(&sites[i], "fuzz", "image",
		    "function", name, image_probes[i].nargs, types, NULL) ==
		    0);
		FUZZ_CHECK(sites[i].index == i);
	}
}

/* Makes a file with the target's part, and sessions after it. */
static int
make_file(void)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	FUZZ_CHECK(fd != -1 && ftruncate(fd, (off_t)WINDOW) == 0);
	image.view.size = WINDOW;
	image.view.base = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image.view.tables = tbuf_self.tables;
	memcpy(image.view.base, tbuf_file_base(), image.view.tables.areas);
	image_sessions(&image);
	munmap(image.view.base, WINDOW);
	return (fd);
}

/* Makes the memory next to the window inaccessible. */
static void
guard(unsigned char *at)
{
	mmap(at, GUARD, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	mprotect(at, GUARD, PROT_NONE);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	unsigned char *window = tbuf_file_base();
	int fd;

	(void)argc;
	(void)argv;
	FUZZ_CHECK(tbuf_target_view().base != NULL);
	/* No consumer must find this target. */
	tbuf_file_unlink();
	register_sites();
	fd = make_file();
	FUZZ_CHECK(mmap(window, WINDOW, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_FIXED, fd, 0) == window);
	close(fd);
	guard(window - GUARD);
	guard(window + WINDOW);
	tbuf_self.window = WINDOW;
	image.view.base = window;
	base = (uint64_t)(uintptr_t)window;
	return (0);
}

static void
fire(const struct patch *p)
{
	static const char long_text[50000];
	const struct tbuf_bytes bytes = { long_text, p->value >> 8 & 0x7fff };
	const struct tbuf_bytes text = { "text", p->value & 3 };
	struct tbuf_site *site = &sites[p->value % IMAGE_PROBES];
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < TBUF_ARGS_MAX; i++)
		values[i] = p->value * (uint64_t)(i + 1);
	if (site == &sites[3]) {
		values[0] = (uintptr_t)"string";
		values[2] = p->value % 7 == 0 ? 0 :
		    (uintptr_t)(long_text + sizeof(long_text) - 1);
	} else if (site == &sites[4]) {
		values[0] = (uintptr_t)&bytes;
		values[1] = (uintptr_t)&text;
	}
	errno = 0;
	for (i = 0; i <= p->at % 4; i++)
		tbuf_probe_fire(site, values);
	FUZZ_CHECK(errno == 0);
}

static void
find(uint32_t n)
{
	char name[] = "pN";
	const struct tbuf_names names = { "fuzz", "image",
	    n % 2 == 0 ? NULL : "function", name };
	uint32_t index = 0;

	name[1] = (char)('0' + n % IMAGE_PROBES);
	FUZZ_CHECK(tbuf_table_find(&names, &index) <= TBUF_NPROBES_MAX);
	FUZZ_CHECK(index < TBUF_NPROBES_MAX);
}

static void
act(const struct patch *p)
{
	struct tbuf_slot *slot;

	switch (PATCH_ACTION + (p->part - PATCH_ACTION) % 8) {
	case ACTION_MARK:
		tbuf_thread_mark(tbuf_thread.shared == 0 ? 1 : -1);
		break;
	case ACTION_MEET:
		tbuf_sessions_match(p->value % IMAGE_PROBES,
		    p->value % IMAGE_PROBES + 1);
		break;
	case ACTION_FIND:
		find(p->value);
		break;
	case ACTION_AGE:
		slot = tbuf_view_slot(&image.view, p->value % IMAGE_SESSIONS);
		slot->deadline = tbuf_clock_read(tbuf_self.clock) + p->at;
		break;
	default:
		fire(p);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct patch p;
	uint32_t i;

	/* Restore the good file. */
	FUZZ_CHECK(madvise(image.view.base, WINDOW, MADV_DONTNEED) == 0);
	FUZZ_CHECK(tbuf_local->base == base);
	tbuf_thread_forget();
	for (i = 0; i < tbuf_local->cpus; i++)
		memset(tbuf_memo_of(tbuf_local, i, 0), 0, TBUF_PAGE);
	tbuf_thread.shared = 0;
	tbuf_thread.lock = 0;
	while (in.size > 0) {
		p = image_next(&in);
		if (p.part >= PATCH_ACTION)
			act(&p);
		else
			image_patch(&image, &p);
	}
	return (0);
}
