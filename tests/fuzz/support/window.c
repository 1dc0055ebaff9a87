/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target with a private window.  See window.h.
 */
#include <sys/mman.h>

#include <unistd.h>

#include "target/file/file.h"
#include "target/provider.h"
#include "target/self/thread.h"
#include "window.h"

#define WINDOW	(UINT64_C(32) << 20)
#define GUARD	(UINT64_C(1) << 20)

struct image window_image;
struct tbuf_site window_sites[IMAGE_PROBES];

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
		FUZZ_CHECK(tbuf_probe_register(&window_sites[i], "fuzz",
		    "image", "function", name, image_probes[i].nargs, types,
		    NULL) == 0);
		FUZZ_CHECK(window_sites[i].index == i);
	}
}

/* Makes a file with the target's part, and sessions after it. */
static int
make_file(void (*add)(void))
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	FUZZ_CHECK(fd != -1 && ftruncate(fd, (off_t)WINDOW) == 0);
	window_image.view.size = WINDOW;
	window_image.view.base = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(window_image.view.base != MAP_FAILED);
	window_image.view.tables = tbuf_self.tables;
	memcpy(window_image.view.base, tbuf_file.base,
	    window_image.view.tables.areas);
	image_sessions(&window_image);
	if (add != NULL)
		add();
	munmap(window_image.view.base, WINDOW);
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

void
window_make(void (*add)(void))
{
	unsigned char *window = tbuf_file.base;
	int fd;

	FUZZ_CHECK(tbuf_target_view().base != NULL);
	/* No consumer must find this target. */
	tbuf_file_unlink();
	register_sites();
	fd = make_file(add);
	FUZZ_CHECK(mmap(window, WINDOW, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_FIXED, fd, 0) == window);
	close(fd);
	guard(window - GUARD);
	guard(window + WINDOW);
	tbuf_self.window = WINDOW;
	window_image.view.base = window;
}

void
window_restore(void)
{
	FUZZ_CHECK(madvise(window_image.view.base, WINDOW, MADV_DONTNEED) == 0);
	FUZZ_CHECK(tbuf_local->base ==
	    (uint64_t)(uintptr_t)window_image.view.base);
	tbuf_thread_forget();
	tbuf_thread.shared = 0;
	tbuf_thread.lock = 0;
}
