/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Open files of a process, for fds[] of D, and other facts about processes.
 * They are read from /proc, by calls that change nothing.  An unknown fact of a
 * file is "<unknown>", and a file that is not open is "<none>".
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>
#include <sys/vfs.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/safe_read.h"
#include "machine/internal.h"

#define PATH_ROOM	1024	/* a longer path is cut */

/* A text that grows; the rest is cut. */
struct line {
	uint32_t size;
	char bytes[64];
};

static void
line_put(struct line *line, const char *text)
{
	while (*text != '\0' && line->size + 1 < sizeof(line->bytes))
		line->bytes[line->size++] = *text++;
	line->bytes[line->size] = '\0';
}

static void
line_number(struct line *line, uint32_t value)
{
	char digits[12];
	unsigned n = sizeof(digits);

	digits[--n] = '\0';
	do
		digits[--n] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	line_put(line, digits + n);
}

/* Begins with the process's folder in /proc; pid 0 is this process. */
static void
line_begin(struct line *line, uint32_t pid)
{
	line->size = 0;
	line_put(line, "/proc/");
	if (pid == 0)
		line_put(line, "self");
	else
		line_number(line, pid);
}

static int
text(struct tbuf_machine *m, const char *bytes, uint64_t *result)
{
	uint32_t n = 0;

	while (bytes[n] != '\0')
		n++;
	return (tbuf_text_make(m, (const uint8_t *)bytes, n, result));
}

/* ------------------------------------------------------------ file systems */

/*
 * The kernel's names of file systems; if several have the same number, the name
 * of the most frequent one.
 */
static const struct {
	uint32_t magic;
	char name[12];
} systems[] = {
	{ 0x0000187, "autofs" }, { 0x0001cd1, "devpts" },
	{ 0x0004d44, "vfat" }, { 0x0006969, "nfs" },
	{ 0x0009660, "iso9660" }, { 0x0009fa0, "proc" },
	{ 0x000ef53, "ext4" }, { 0x1021994, "tmpfs" },
	{ 0x1021997, "9p" }, { 0x9041934, "anon_inodefs" },
	{ 0x15013346, "udf" }, { 0x19800202, "mqueue" },
	{ 0x27e0eb, "cgroup" }, { 0x2011bab0, "exfat" },
	{ 0x2fc12fc1, "zfs" }, { 0x42494e4d, "binfmt_misc" },
	{ 0x50495045, "pipefs" }, { 0x50494446, "pidfs" },
	{ 0x534f434b, "sockfs" }, { 0x58465342, "xfs" },
	{ 0x62656572, "sysfs" }, { 0x63677270, "cgroup2" },
	{ 0x64626720, "debugfs" }, { 0x65735546, "fuse" },
	{ 0x6e736673, "nsfs" }, { 0x73636673, "securityfs" },
	{ 0x73717368, "squashfs" }, { 0x74726163, "tracefs" },
	{ 0x794c7630, "overlay" }, { 0x858458f6, "ramfs" },
	{ 0x9123683e, "btrfs" }, { 0x958458f6, "hugetlbfs" },
	{ 0xca451a4e, "bcachefs" }, { 0xcafe4a11, "bpf" },
	{ 0xf2f52010, "f2fs" }, { 0xfe534d42, "cifs" },
	{ 0xff534d42, "cifs" },
};

static int
system_name(struct tbuf_machine *m, const struct line *at, uint64_t *result)
{
	struct statfs fs = { .f_type = 0 };
	unsigned i;

	if (tbuf_peek_call(SYS_statfs, (long)at->bytes, &fs, 0, NULL, 0) != 0)
		return (text(m, "<none>", result));
	for (i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (systems[i].magic == (uint32_t)fs.f_type)
			return (text(m, systems[i].name, result));
	return (text(m, "<unknown>", result));
}

/* ------------------------------------------------------------ paths */

static bool
ends_in(const char *path, uint32_t size, const char *end, uint32_t length)
{
	uint32_t n;

	if (size < length)
		return (false);
	for (n = 0; n < length; n++)
		if (path[size - length + n] != end[n])
			return (false);
	return (true);
}

/*
 * Gets the last part of a path.  The kernel shows a file that is in no folder
 * as a word and a colon, then a name; a pipe and a socket have no name.
 */
static void
cut_name(const char *path, uint32_t size, uint32_t *from, uint32_t *to)
{
	static const char deleted[] = " (deleted)", anonymous[] = "anon_inode:";

	*from = *to = size;
	if (size == 0)
		return;
	if (path[0] == '/') {
		if (ends_in(path, size, deleted, sizeof(deleted) - 1))
			*to -= (uint32_t)sizeof(deleted) - 1;
		for (*from = *to; *from > 0 && path[*from - 1] != '/';)
			--*from;
		if (*to == 1)
			*from = 0;
	} else if (size >= sizeof(anonymous) - 1 && ends_in(path,
	    sizeof(anonymous) - 1, anonymous, sizeof(anonymous) - 1))
		*from = (uint32_t)sizeof(anonymous) - 1;
}

/* Makes a text of a path.  Not inlined: only paths need so large a frame. */
static __attribute__((noinline)) int
path_text(struct tbuf_machine *m, const struct line *at, uint64_t what,
    uint64_t *result)
{
	bool name = what == TBUF_FILE_NAME;
	char path[PATH_ROOM];
	uint32_t from = 0, to;
	struct tbuf_call c;
	int answer;
	long n = tbuf_peek_call(SYS_readlinkat, AT_FDCWD, at->bytes,
	    (long)path, (const void *)sizeof(path), 0);

	if (n < 0)
		return (text(m, "<none>", result));
	to = (uint32_t)n;
	if (name && to == sizeof(path))
		return (text(m, "<unknown>", result));
	if (name)
		cut_name(path, to, &from, &to);
	answer = tbuf_text_make(m, (const uint8_t *)path + from, to - from,
	    result);
	if (answer != 0 || what != TBUF_FILE_DIRECTORY)
		return (answer);
	c.result = 0;
	answer = tbuf_text_open(m, *result, &c.text);
	if (answer == 0)
		answer = tbuf_sub_dirname(m, &c);
	*result = c.result;
	return (answer);
}

/* ------------------------------------------------------------ numbers */

/* Returns a field of fdinfo, or 0. */
static uint64_t
field(const char *info, const char *name, unsigned base)
{
	const char *p = info;
	uint64_t value = 0;
	unsigned n;

	while (*p != '\0') {
		for (n = 0; name[n] != '\0' && p[n] == name[n]; n++)
			continue;
		if (name[n] == '\0')
			break;
		while (*p != '\0' && *p++ != '\n')
			continue;
	}
	if (*p == '\0')
		return (0);
	for (p += n; *p >= '0' && (unsigned)(*p - '0') < base; p++)
		value = value * base + (unsigned)(*p - '0');
	return (value);
}

/* Reads the beginning of a file as a text; "" if it cannot be read. */
static void
read_text(const struct line *at, char *to, size_t size)
{
	long fd, n;

	*to = '\0';
	fd = tbuf_peek_call(SYS_openat, AT_FDCWD, at->bytes,
	    O_RDONLY | O_CLOEXEC, NULL, 0);
	if (fd < 0)
		return;
	n = tbuf_peek_call(SYS_pread64, fd, to, (long)size - 1, NULL, 0);
	(void)tbuf_peek_call(SYS_close, fd, NULL, 0, NULL, 0);
	to[n > 0 ? n : 0] = '\0';
}

/*
 * Returns a file's offset or flags; for this process by a call that opens
 * nothing.
 */
static uint64_t
fd_number(uint32_t pid, uint32_t fd, const struct line *at, bool flags)
{
	char info[128];
	long n;

	if (pid != 0) {
		read_text(at, info, sizeof(info));
		return (flags ? field(info, "flags:\t", 8) :
		    field(info, "pos:\t", 10));
	}
	n = flags ? tbuf_peek_call(SYS_fcntl, fd,
	    (const void *)(uintptr_t)F_GETFL, 0, NULL, 0) :
	    tbuf_peek_call(SYS_lseek, fd, NULL, SEEK_CUR, NULL, 0);
	return (n < 0 ? 0 : (uint64_t)n);
}

/* ------------------------------------------------------------ processes */

/* Returns a field of stat, from 1, after the name, which may have any bytes. */
static int64_t
stat_field(const struct line *at, unsigned number)
{
	char stat[512];
	const char *p = stat, *q;
	bool negative;
	int64_t value = 0;

	read_text(at, stat, sizeof(stat));
	for (q = stat; *q != '\0'; q++)
		if (*q == ')')
			p = q;
	for (; *p != '\0' && number > 0; p++)
		number -= *p == ' ';
	negative = *p == '-';
	for (p += negative; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (*p - '0');
	return (negative ? -value : value);
}

int64_t
tbuf_file_stat(uint32_t pid, unsigned number)
{
	struct line at;

	line_begin(&at, pid);
	line_put(&at, "/stat");
	return (stat_field(&at, number));
}

int64_t
tbuf_file_thread_stat(unsigned number)
{
	struct line at;

	at.size = 0;
	line_put(&at, "/proc/thread-self/stat");
	return (stat_field(&at, number));
}

#define GENERATIONS_MAX	4096

bool
tbuf_file_is_progeny(uint32_t pid, uint64_t of)
{
	unsigned n;

	for (n = 0; pid != 0 && n < GENERATIONS_MAX; n++) {
		if (pid == of)
			return (true);
		pid = (uint32_t)tbuf_file_stat(pid, TBUF_FIELD_PARENT);
	}
	return (false);
}

/* ------------------------------------------------------------ file() */

int
tbuf_file_unknown(struct tbuf_machine *m, uint64_t what, uint64_t *result)
{
	*result = 0;
	return (what < TBUF_FILE_OFFSET ? text(m, "<unknown>", result) : 0);
}

int
tbuf_file_tell(struct tbuf_machine *m, uint32_t pid,
    const uint64_t arguments[TBUF_CALL_ARGUMENTS], uint64_t *result)
{
	uint32_t fd = (uint32_t)arguments[0];
	uint64_t what = arguments[1];
	struct line at;

	line_begin(&at, pid);
	if (what == TBUF_FILE_FOLDER || what == TBUF_FILE_ROOT) {
		line_put(&at, what == TBUF_FILE_ROOT ? "/root" : "/cwd");
		return (path_text(m, &at, what, result));
	}
	line_put(&at, what < TBUF_FILE_OFFSET ? "/fd/" : "/fdinfo/");
	line_number(&at, fd);
	switch (what) {
	case TBUF_FILE_NAME:
	case TBUF_FILE_DIRECTORY:
	case TBUF_FILE_PATH:
		return (path_text(m, &at, what, result));
	case TBUF_FILE_SYSTEM:
		return (system_name(m, &at, result));
	case TBUF_FILE_OFFSET:
	case TBUF_FILE_FLAGS:
		*result = fd_number(pid, fd, &at, what == TBUF_FILE_FLAGS);
		return (0);
	}
	return (tbuf_illegal(m));
}
