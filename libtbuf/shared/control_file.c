/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files: the runtime directory, making files, checking headers.
 */
#include "base/optimize_size.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "arch/syscall.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"

/* Appends a text; the target side must not need stdio. */
static char *
append(char *p, const char *end, const char *text)
{
	while (*text != '\0' && p < end - 1)
		*p++ = *text++;
	*p = '\0';
	return (p);
}

static char *
append_number(char *p, const char *end, uint64_t value, unsigned base,
    unsigned digits)
{
	char text[24];
	unsigned i = sizeof(text) - 1;

	text[i] = '\0';
	do {
		text[--i] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0 || sizeof(text) - 1 - i < digits);
	return (append(p, end, text + i));
}

static unsigned
digit_of(char c)
{
	return (c >= '0' && c <= '9' ? (unsigned)(c - '0') :
	    c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16);
}

uint64_t
tbuf_digits_read(const char **text, unsigned base)
{
	uint64_t value = 0;
	unsigned digit;

	while ((digit = digit_of(**text)) < base) {
		value = value * base + digit;
		(*text)++;
	}
	return (value);
}

/* Most bytes of $TBUF_DIR, which leave room for a file's name. */
#define SETTING_MAX	(TBUF_PATH_MAX - TBUF_NAME_MAX - 33)

/* $TBUF_DIR as tbuf_directory_keep() found it; one byte more is too long. */
static char kept[SETTING_MAX + 2];

int
tbuf_directory_path(const char *set, uid_t uid, char path[TBUF_PATH_MAX])
{
	const char *end = path + TBUF_PATH_MAX;

	if (set != NULL && *set != '\0') {
		/* A relative path would depend on the working directory. */
		if (*set != '/')
			return (-EDOM);
		if (strlen(set) > SETTING_MAX)
			return (-ENAMETOOLONG);
		append(path, end, set);
	} else
		append_number(append(path, end, "/dev/shm/tbuf-"), end,
		    uid, 10, 1);
	return (0);
}

int
tbuf_directory_open_set(const char *set, bool make)
{
	char path[TBUF_PATH_MAX];
	uid_t uid = geteuid();
	struct stat st;
	int fd, error;

	if ((error = tbuf_directory_path(set, uid, path)) != 0)
		return (error);
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1 && errno == ENOENT && make) {
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return (-errno);
		fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) != 0)
		error = -errno;
	else if (!S_ISDIR(st.st_mode))
		error = -ENOTDIR;
	else if (st.st_uid != uid || (st.st_mode & 022) != 0)
		error = -EPERM;
	if (error != 0) {
		close(fd);
		return (error);
	}
	return (fd);
}

/* A page without a setting is not written, so that it costs nothing. */
void
tbuf_directory_keep(void)
{
	const char *set = secure_getenv("TBUF_DIR");

	if (set != NULL)
		append(kept, kept + sizeof(kept), set);
}

int
tbuf_directory_open_kept(bool make)
{
	return (tbuf_directory_open_set(kept, make));
}

const char *
tbuf_directory_problem(int error)
{
	switch (-error) {
	case ENOTDIR:
		return ("runtime directory is a link, or not a directory");
	case EPERM:
		return ("runtime directory has the wrong owner or mode");
	case ENAMETOOLONG:
		return ("TBUF_DIR is too long");
	case EDOM:
		return ("TBUF_DIR is not an absolute path");
	case ENOENT:
		return ("runtime directory cannot be made");
	case ENOSPC:
		return ("no space in the runtime directory");
	default:
		return ("runtime directory cannot be used");
	}
}

void
tbuf_control_name(char name[TBUF_NAME_MAX], pid_t pid, uint64_t random)
{
	const char *end = name + TBUF_NAME_MAX;
	char *p;

	p = append(name, end, "tbuf.");
	p = append_number(p, end, (uint64_t)pid, 10, 1);
	p = append(p, end, ".");
	append_number(p, end, random, 16, 16);
}

bool
tbuf_control_name_parse(const char *name, pid_t *pid, uint64_t *random)
{
	char again[TBUF_NAME_MAX];
	const char *p = name + 5;
	uint64_t value;

	if (strncmp(name, "tbuf.", 5) != 0)
		return (false);
	value = tbuf_digits_read(&p, 10);
	if (*p++ != '.' || value == 0 || value > INT32_MAX)
		return (false);
	*pid = (pid_t)value;
	*random = tbuf_digits_read(&p, 16);
	/* Other spellings of the numbers, such as 007, are not names. */
	tbuf_control_name(again, *pid, *random);
	return (strcmp(name, again) == 0);
}

uint64_t
tbuf_random(void)
{
	struct timespec now;
	uint64_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) == sizeof(value))
		return (value);
	clock_gettime(CLOCK_REALTIME, &now);
	return ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^
	    (uint64_t)getpid() << 20);
}

#define PROCESS_PATH	32

/*
 * Stores the path of a file in /proc/PID.  The caller itself is "self", because
 * if /proc belongs to another pid namespace, its pid is another process there.
 */
static void
process_path(char path[PROCESS_PATH], pid_t pid, const char *file)
{
	const char *end = path + PROCESS_PATH;
	char *p = append(path, end, "/proc/");

	p = pid == 0 || pid == getpid() ? append(p, end, "self") :
	    append_number(p, end, (uint64_t)pid, 10, 1);
	append(p, end, file);
}

static ssize_t
process_read(pid_t pid, const char *file, char *text, size_t size)
{
	char path[PROCESS_PATH];
	ssize_t n;
	int fd;

	process_path(path, pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return (-1);
	n = read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return (n);
}

/* Returns the number at p; a terminal's group, for one, may be negative. */
static uint64_t
number_read(const char *p)
{
	bool negative = *p == '-';
	uint64_t value;

	p += negative;
	value = tbuf_digits_read(&p, 10);
	return (negative ? -value : value);
}

/* The name in field 2 may contain blanks and parentheses. */
void
tbuf_stat_fields(pid_t pid, const int *fields, uint64_t *values, unsigned n)
{
	/* The linker could merge a literal into the tail of a distant one. */
	static const char file[] = "/stat";
	char text[1024];
	const char *p = NULL;
	int field = 2;
	unsigned i;

	if (process_read(pid, file, text, sizeof(text)) > 0)
		p = strrchr(text, ')');
	for (i = 0; i < n; i++) {
		for (; field < fields[i] && p != NULL; field++)
			p = strchr(p + 1, ' ');
		values[i] = p == NULL ? 0 : number_read(p + 1);
	}
}

uint64_t
tbuf_stat_field(pid_t pid, int field)
{
	uint64_t value;

	tbuf_stat_fields(pid, &field, &value, 1);
	return (value);
}

uint64_t
tbuf_start_time(pid_t pid)
{
	return (tbuf_stat_field(pid, TBUF_STAT_START));
}

uint64_t
tbuf_start_tick(int64_t ns)
{
	const int64_t second = INT64_C(1000000000), ticks = 100;
	struct timespec now;

	if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return (0);
	return ((uint64_t)(now.tv_sec * second + now.tv_nsec + ns) /
	    (uint64_t)(second / ticks));
}

pid_t
tbuf_parent(pid_t pid)
{
	return ((pid_t)tbuf_stat_field(pid, TBUF_STAT_PARENT));
}

uint64_t
tbuf_pid_namespace(pid_t pid)
{
	char path[PROCESS_PATH];
	struct stat st;

	process_path(path, pid, "/ns/pid");
	return (stat(path, &st) == 0 ? st.st_ino : 0);
}

static uint64_t
tables_size(uint32_t entries)
{
	return (TBUF_TABLES + entries * (uint64_t)(sizeof(uint32_t) +
	    sizeof(struct tbuf_probe_entry) + TBUF_PROBE_STRINGS));
}

uint64_t
tbuf_tables_least(void)
{
	return (tables_size(TBUF_NPROBES_MIN));
}

void
tbuf_tables_make(uint64_t window, uint64_t limit, struct tbuf_tables *tables)
{
	uint64_t size = window < limit ? window : limit;
	uint32_t n = TBUF_NPROBES_MAX;

	while (n > TBUF_NPROBES_MIN && tables_size(n) > size / 3)
		n /= 2;
	tables->entries = n;
	tables->strings_size = n * TBUF_PROBE_STRINGS;
	tables->enable = TBUF_TABLES;
	tables->probes = tables->enable + n * (uint32_t)sizeof(uint32_t);
	tables->strings = tables->probes +
	    n * (uint32_t)sizeof(struct tbuf_probe_entry);
	tables->areas = tables->strings + tables->strings_size;
}

void
tbuf_control_fill(struct tbuf_control *control,
    const struct tbuf_tables *tables, uid_t uid, pid_t pid, uint64_t start,
    uint64_t pid_namespace, uint64_t random)
{
	memcpy(control->magic, TBUF_MAGIC, sizeof(control->magic));
	control->byte_order = TBUF_BYTE_ORDER;
	control->major = TBUF_MAJOR;
	control->minor = TBUF_MINOR;
	control->control_size = sizeof(struct tbuf_control);
	control->slot_size = sizeof(struct tbuf_slot);
	control->probe_size = sizeof(struct tbuf_probe_entry);
	control->lane_size = sizeof(struct tbuf_lane);
	control->tables = *tables;
	control->pid = (uint32_t)pid;
	control->uid = uid;
	control->start = start;
	control->pid_namespace = pid_namespace;
	control->random = random;
	control->end = tables->areas;
	/* Offset 0 of the heap means no string. */
	control->strings = 1;
}

/* Returns true if [at, at + size) is aligned, between slots and areas. */
static bool
table_good(const struct tbuf_tables *tables, uint32_t at, uint64_t size)
{
	return (at >= TBUF_TABLES && at % TBUF_PAGE == 0 &&
	    at <= tables->areas && size <= tables->areas - at);
}

static bool
tables_good(const struct tbuf_tables *tables, uint64_t size)
{
	uint64_t n = tables->entries;

	return (tables->areas <= size && tables->areas % TBUF_PAGE == 0 &&
	    n >= TBUF_NPROBES_MIN && n <= TBUF_NPROBES_MAX &&
	    n % TBUF_NPROBES_MIN == 0 &&
	    tables->strings_size >= TBUF_NPROBES_MIN * TBUF_PROBE_STRINGS &&
	    table_good(tables, tables->enable, n * sizeof(uint32_t)) &&
	    table_good(tables, tables->probes,
	    n * sizeof(struct tbuf_probe_entry)) &&
	    table_good(tables, tables->strings, tables->strings_size));
}

int
tbuf_control_check(const struct tbuf_control *control, uint64_t size)
{
	if (size < sizeof(*control) ||
	    memcmp(control->magic, TBUF_MAGIC, sizeof(control->magic)) != 0)
		return (-EINVAL);
	if (control->byte_order != TBUF_BYTE_ORDER ||
	    control->major != TBUF_MAJOR)
		return (-EPROTO);
	if (control->control_size < sizeof(struct tbuf_control) ||
	    control->slot_size != sizeof(struct tbuf_slot) ||
	    control->probe_size != sizeof(struct tbuf_probe_entry) ||
	    control->lane_size != sizeof(struct tbuf_lane))
		return (-EPROTO);
	if (!tables_good(&control->tables, size) ||
	    control->clock > TBUF_CLOCK_COARSE ||
	    control->stage > TBUF_STAGE_EXITED ||
	    memchr(control->comm, '\0', sizeof(control->comm)) == NULL ||
	    memchr(control->execname, '\0', sizeof(control->execname)) == NULL)
		return (-EINVAL);
	return (0);
}

/*
 * Returns true if the unnamed file `fd` can be linked.  From Linux 6.10 on the
 * kernel lets a process link a descriptor that it has opened: linking it to
 * ".", which exists, then fails with EEXIST.  Otherwise it is linked by /proc,
 * where each look-up allocates an inode.
 */
static bool
is_linkable(int dirfd, int fd)
{
	return ((linkat(fd, "", dirfd, ".", AT_EMPTY_PATH) != 0 &&
	    errno == EEXIST) || access("/proc/self/fd", X_OK) == 0);
}

int
tbuf_control_create(int dirfd, const char *name,
    char hidden[TBUF_NAME_MAX + 1])
{
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	hidden[0] = '\0';
	if (fd != -1) {
		if (is_linkable(dirfd, fd))
			return (fd);
		close(fd);
	}
	append(append(hidden, hidden + TBUF_NAME_MAX + 1, "."),
	    hidden + TBUF_NAME_MAX + 1, name);
	fd = openat(dirfd, hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600);
	return (fd == -1 ? -errno : fd);
}

static int
link_unnamed(int dirfd, int fd, const char *name)
{
	char path[32];
	const char *end = path + sizeof(path);

	if (linkat(fd, "", dirfd, name, AT_EMPTY_PATH) == 0)
		return (0);
	append_number(append(path, end, "/proc/self/fd/"), end, (uint64_t)fd,
	    10, 1);
	return (linkat(AT_FDCWD, path, dirfd, name, AT_SYMLINK_FOLLOW));
}

/*
 * Renames a file.  Consumers look for mappings by name: a mapping of a spare
 * would keep a name that is removed.
 */
static int
rename_hidden(int dirfd, const char *hidden, const char *name)
{
	if (raw_call(SYS_renameat2, dirfd, (long)hidden, dirfd, (long)name,
	    RENAME_NOREPLACE) == 0)
		return (0);
	if (linkat(dirfd, hidden, dirfd, name, 0) != 0)
		return (-1);
	unlinkat(dirfd, hidden, 0);
	return (0);
}

int
tbuf_control_link(int dirfd, int fd, const char *name, const char *hidden)
{
	int error = *hidden != '\0' ? rename_hidden(dirfd, hidden, name) :
	    link_unnamed(dirfd, fd, name);

	return (error != 0 ? -errno : 0);
}

bool
tbuf_control_alive(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return (errno == EWOULDBLOCK);
	flock(fd, LOCK_UN);
	return (false);
}
