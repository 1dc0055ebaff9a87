/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects that come and go while the program runs.
 *
 * The dynamic linker notifies debuggers of them: it calls a function that does
 * nothing, where they have a breakpoint (r_brk in <link.h>).  A provider
 * replaces it by one of its own.  An audit library would be notified, too, but
 * has to be set before the program starts, and loads a C library of its own.
 */
#include "probe.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define TEXTS_MAX	8u

static unsigned filters;	/* of system calls, at the start */

/*
 * Counts filters of system calls, by calls that every program makes that can
 * load objects; others may not be allowed.
 */
static bool
count_filters(unsigned *count)
{
	FILE *f = fopen("/proc/thread-self/status", "re");
	bool found = false;
	char line[256];

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = sscanf(line, "Seccomp_filters: %u", count) == 1;
	fclose(f);
	return (found);
}

bool
patch_refiltered(void)
{
	unsigned now;

	return (!count_filters(&now) || now != filters);
}

struct linker {
	struct patch_text text;
	bool found;
};

static int
find_linker(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct patch_text texts[TEXTS_MAX];
	struct linker *l = arg;
	unsigned n = patch_texts(info, texts, TEXTS_MAX), i;

	(void)size;
	for (i = 0; i < n && !l->found; i++)
		if (_r_debug.r_brk >= texts[i].start &&
		    _r_debug.r_brk < texts[i].end) {
			l->text = texts[i];
			l->found = true;
		}
	return (l->found);
}

/* Replaces the function, or the one by which another provider has done so. */
static const char *
replace(const struct patch *p, const struct patch_text *text,
    uintptr_t function, void (*other)(void), void (**former)(void))
{
	uintptr_t word = patch_replaced(function);

	if (word == 0)
		return (patch_replace(p, text, function, other));
	memcpy(former, (const void *)word, sizeof(*former));
	if (patch_write(p, word, &other, sizeof(other)) == 0)
		return (NULL);
	*former = NULL;
	return ("the kernel does not permit writing to text");
}

const char *
patch_watch(void (*changed)(void), void (**former)(void))
{
	struct linker linker = { .found = false };
	const char *problem;
	struct patch patch;

	if (!count_filters(&filters))
		filters = UINT_MAX;
	(void)dl_iterate_phdr(find_linker, &linker);
	if (!linker.found)
		return ("the dynamic linker is not known");
	if ((problem = patch_begin(&patch)) != NULL)
		return (problem);
	problem = replace(&patch, &linker.text, _r_debug.r_brk, changed,
	    former);
	patch_end(&patch);
	return (problem);
}
