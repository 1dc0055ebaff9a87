/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A replacement of libtbuf's registration of probes, preloaded before a
 * provider.  It writes each fire into a file as text, so that a test can
 * compare it word by word.
 *
 *	FAKE_LOG	the file; it is made here
 *	FAKE_ENABLE	globs of FUNCTION:NAME, blanks between (default: none)
 *	FAKE_LIST	if set, registrations are written, too
 *
 * The file is mapped and shared by all processes of a test.  It is an array of
 * lines of fixed size, each written by the thread that drew its number; line 0
 * is the counter.  The reader has to remove NULs.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

#include "target/provider.h"

#define LINE	256
#define NLINES	65536
#define NPROBES	512

struct probe {
	char function[48];
	char name[16];
	char names[TBUF_ARGS_MAX][16];
};

static struct probe probes[NPROBES];
static unsigned nprobes;
static char *lines;
/* Enable words, adjacent as in a control file. */
static uint32_t words[NPROBES + 1];

/* Makes direct system calls, because the wrappers are under test. */
static void
map_log(void)
{
	const char *path = getenv("FAKE_LOG");
	long fd;
	void *p;

	if (path == NULL)
		return;
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC,
	    0600);
	if (fd == -1)
		return;
	if (ftruncate((int)fd, (off_t)LINE * NLINES) == 0) {
		p = mmap(NULL, (size_t)LINE * NLINES, PROT_READ | PROT_WRITE,
		    MAP_SHARED, (int)fd, 0);
		if (p != MAP_FAILED)
			lines = p;
	}
	syscall(SYS_close, fd);
}

/* Returns a new line, or NULL if the log is full; the fire is still counted. */
static char *
line_new(void)
{
	uint64_t n;

	if (lines == NULL)
		return (NULL);
	n = __atomic_add_fetch((uint64_t *)(void *)lines, 1, __ATOMIC_RELAXED);
	return (n < NLINES ? lines + n * LINE : NULL);
}

static char *
put_text(char *p, const char *end, const char *text)
{
	while (*text != '\0' && p < end)
		*p++ = *text++;
	return (p);
}

static char *
put_number(char *p, const char *end, uint64_t value, unsigned base)
{
	char digits[24], *d = digits + sizeof(digits);

	*--d = '\0';
	do {
		*--d = "0123456789abcdef"[value % base];
	} while ((value /= base) != 0);
	return (put_text(p, end, d));
}

static char *
put_value(char *p, const char *end, uint8_t type, uint64_t value)
{
	switch (type) {
	case TBUF_POINTER:
		return (put_number(put_text(p, end, "0x"), end, value, 16));
	case TBUF_STRING:
		if (value == 0)
			return (put_text(p, end, "NULL"));
		p = put_text(p, end, "\"");
		p = put_text(p, end, (const char *)(uintptr_t)value);
		return (put_text(p, end, "\""));
	case TBUF_INT32:
	case TBUF_INT64:
		if ((int64_t)value < 0)
			return (put_number(put_text(p, end, "-"), end,
			    -value, 10));
	}
	return (put_number(p, end, value, 10));
}

static void
fire(struct tbuf_site *site, const uint64_t *values)
{
	const struct probe *probe = &probes[site->index];
	char *p = line_new(), *end;
	unsigned i;

	if (p == NULL)
		return;
	end = p + LINE - 1;
	p = put_text(p, end, probe->function);
	p = put_text(p, end, ":");
	p = put_text(p, end, probe->name);
	for (i = 0; i < site->nargs; i++) {
		p = put_text(p, end, " ");
		p = put_text(p, end, probe->names[i]);
		p = put_text(p, end, "=");
		p = put_value(p, end, site->types[i], values[i]);
	}
	put_text(p, end + 1, "\n");
}

static bool
is_enabled(const struct probe *probe)
{
	const char *globs = getenv("FAKE_ENABLE"), *end;
	char glob[128], text[128];

	if (globs == NULL)
		return (false);
	*put_text(put_text(put_text(text, text + 64, probe->function),
	    text + 65, ":"), text + 100, probe->name) = '\0';
	for (; *globs != '\0'; globs = end + (*end == ' ')) {
		end = strchrnul(globs, ' ');
		if ((size_t)(end - globs) >= sizeof(glob))
			continue;
		memcpy(glob, globs, (size_t)(end - globs));
		glob[end - globs] = '\0';
		if (fnmatch(glob, text, 0) == 0)
			return (true);
	}
	return (false);
}

static void
list(const struct tbuf_site *site, const char *provider, const char *module)
{
	static const char *const types[] = {
		[TBUF_INT32] = "i32", [TBUF_INT64] = "i64",
		[TBUF_UINT32] = "u32", [TBUF_UINT64] = "u64",
		[TBUF_POINTER] = "ptr", [TBUF_STRING] = "str"
	};
	const struct probe *probe = &probes[site->index];
	char *p = line_new(), *end;
	unsigned i;

	if (p == NULL)
		return;
	end = p + LINE - 1;
	p = put_text(p, end, provider);
	p = put_text(put_text(p, end, ":"), end, module);
	p = put_text(put_text(p, end, ":"), end, probe->function);
	p = put_text(put_text(p, end, ":"), end, probe->name);
	for (i = 0; i < site->nargs; i++) {
		p = put_text(put_text(p, end, " "), end, probe->names[i]);
		p = put_text(put_text(p, end, ":"), end,
		    types[site->types[i]]);
	}
	put_text(p, end + 1, "\n");
}

int
tbuf_probe_register(struct tbuf_site *site, const char *provider,
    const char *module, const char *function, const char *name,
    unsigned nargs, const enum tbuf_type *types, const char *const *names)
{
	struct probe *probe = &probes[nprobes];
	unsigned i;

	if (nprobes == 0)
		map_log();
	if (nprobes == NPROBES || nargs > TBUF_ARGS_MAX)
		abort();
	memset(site, 0, sizeof(*site));
	site->index = nprobes++;
	site->nargs = (uint8_t)nargs;
	put_text(probe->function, probe->function + 47, function);
	put_text(probe->name, probe->name + 15, name);
	for (i = 0; i < nargs; i++) {
		if (types[i] == TBUF_NONE)
			abort();
		site->types[i] = (uint8_t)types[i];
		put_text(probe->names[i], probe->names[i] + 15, names[i]);
	}
	site->fire = fire;
	words[site->index] = is_enabled(probe);
	site->enabled = &words[site->index];
	if (getenv("FAKE_LIST") != NULL)
		list(site, provider, module);
	return (0);
}

/*
 * Registers a probe like the libc provider, without a check of earlier types.
 */
int
tbuf_series_register(struct tbuf_site *site,
    const struct tbuf_series_probe *probe)
{
	const char *names[TBUF_ARGS_MAX], *p = probe->argnames;
	enum tbuf_type types[TBUF_ARGS_MAX];
	unsigned nargs = site->nargs, i;

	for (i = 0; i < nargs && i < TBUF_ARGS_MAX; i++) {
		types[i] = (enum tbuf_type)site->types[i];
		names[i] = p;
		p += strlen(p) + 1;
	}
	if (p != probe->argnames + probe->argnames_size)
		abort();
	return (tbuf_probe_register(site, probe->provider, probe->module,
	    probe->function, probe->name, nargs, types, names));
}
