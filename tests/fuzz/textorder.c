/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A setting of the text trace in shared memory.  The target takes arbitrary
 * bytes that any process with the file may have written there, and a consumer
 * adds a setting of its own to them.  The first byte is options, the second one
 * the bytes of a name of a component; the name and the order come after it.
 */
#include <sys/file.h>
#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include "consumer/run/run.h"
#include "support/image.h"
#include "layout/text_trace.h"
#include "shared/text_setting.h"
#include "target/file/file.h"

/* The code under test is included here, so that its file is the image. */
static struct tbuf_view fuzz_view(void);
#define tbuf_target_view	fuzz_view
#include "text/remote_setting.c"

#define OPTION_ODD	1	/* a writer of the order has died */
#define OPTION_NONE	2	/* no order is pending */
#define OPTION_SEND	4	/* a consumer sends one, too */
#define OPTION_FULL	8	/* the rest of the order has no NUL */

static struct image image;
static int directory;
static char name[TBUF_NAME_MAX];

static struct tbuf_view
fuzz_view(void)
{
	return (image.view);
}

static void
leave(void)
{
	unlinkat(directory, name, 0);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd;

	(void)argc;
	(void)argv;
	fuzz_directory();
	directory = tbuf_directory_open_set(getenv("TBUF_DIR"), false);
	FUZZ_CHECK(directory >= 0);
	tbuf_control_name(name, getpid(), 1);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600);
	FUZZ_CHECK(fd != -1);
	atexit(leave);
	FUZZ_CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
	FUZZ_CHECK(ftruncate(fd, IMAGE_SIZE) == 0);
	image.view.size = IMAGE_SIZE;
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, getpid(), tbuf_start_time(0));
	/* The probes are those of a text component. */
	memcpy(image.view.base + image.view.tables.strings +
	    tbuf_view_probe(&image.view, 0)->provider, TBUF_TEXT_PROVIDER,
	    sizeof(TBUF_TEXT_PROVIDER));
	return (0);
}

/* Checks that a setting which was accepted is within its bounds. */
static void
check(const char *setting, const char *component)
{
	struct tbuf_text_setting s;
	unsigned level;

	if (tbuf_text_setting_parse(setting, &s) != NULL)
		return;
	FUZZ_CHECK(strnlen(s.path, sizeof(s.path)) < sizeof(s.path));
	FUZZ_CHECK(strnlen(s.components, sizeof(s.components)) <
	    sizeof(s.components));
	FUZZ_CHECK((s.present & TBUF_TEXT_PATH) == 0 || s.path[0] == '/' ||
	    s.path[0] == '\0');
	FUZZ_CHECK((s.present & TBUF_TEXT_KBYTES) == 0 ||
	    (s.kbytes >= TBUF_TRACE_KB_MIN && s.kbytes <= TBUF_TRACE_KB_MAX));
	level = tbuf_text_setting_level(s.components, s.level, component);
	FUZZ_CHECK(strcmp(tbuf_text_level_name(level), "unknown") != 0);
}

static void
take(const char *component)
{
	char *setting = malloc(TBUF_TEXT_SETTING_MAX);
	uint64_t ticket;

	FUZZ_CHECK(setting != NULL);
	if (tbuf_text_order_read(setting, &ticket))
		check(setting, component);
	/* It is taken once. */
	FUZZ_CHECK(!tbuf_text_order_read(setting, &ticket));
	free(setting);
}

static void
send_setting(void)
{
	static const char setting[] = "traceLevel=info";
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_text_order *o = order();
	int result;

	FUZZ_CHECK(c != NULL);
	result = tbuf_consumer_text(c, getpid(), setting);
	FUZZ_CHECK(result == 0 || *tbuf_consumer_error(c) != '\0');
	/* It is in the order, whatever was there. */
	FUZZ_CHECK(result != 0 || (tbuf_load(&o->pending) == 1 &&
	    strnlen(o->setting, sizeof(o->setting)) < sizeof(o->setting) &&
	    strstr(o->setting, setting) != NULL));
	tbuf_consumer_close(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	size_t length = (size_t)input_take(&in, 1) % 64;
	struct tbuf_text_order *o = order();
	char component[64] = "";

	length = length < in.size ? length : in.size;
	memcpy(component, in.at, length);
	in.at += length;
	in.size -= length;
	memset(o->setting, (options & OPTION_FULL) != 0 ? 'x' : '\0',
	    sizeof(o->setting));
	memcpy(o->setting, in.at, in.size < sizeof(o->setting) ? in.size :
	    sizeof(o->setting));
	o->sequence = (options & OPTION_ODD) != 0;
	o->pending = (options & OPTION_NONE) == 0;
	if ((options & OPTION_SEND) != 0)
		send_setting();
	take(component);
	return (0);
}
