/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Enable words near the code of objects.  The control file is below the
 * libraries, and out of reach of the stubs of a program: a check then loads the
 * word's address first, by a register that it saves.  So libtbuf maps the words
 * once more near an object with many probes.
 */
#include "pid.h"
#include "target/provider.h"

#if defined(__x86_64__)

#define PROBES_MIN	256u	/* fewer are not worth a mapping */
#define COPIES_MAX	4u

static uintptr_t copies[COPIES_MAX];
static unsigned ncopies;

static bool
copy_at(uintptr_t at, size_t size)
{
	const void *from;

	return (tbuf_words_copy((void *)at, &from) == size);
}

/* Returns a copy of the words that an object's stubs reach, or 0. */
static uintptr_t
find_copy(const struct pid_object *o, size_t size)
{
	const struct patch_text *text = o->functions.map.text;
	uintptr_t at;
	unsigned i;

	for (i = 0; i < ncopies; i++)
		if (patch_reaches(text, copies[i], copies[i] + size))
			return (copies[i]);
	/* A filter of system calls may kill for one that dlopen(3) has not. */
	if (o->is_loading || ncopies == COPIES_MAX)
		return (0);
	at = patch_find_near(text, size, copy_at);
	if (at != 0)
		copies[ncopies++] = at;
	return (at);
}

intptr_t
pid_words_distance(const struct pid_object *o)
{
	const void *from;
	size_t size = o->plan.npoints < PROBES_MIN ? 0 :
	    tbuf_words_copy(NULL, &from);
	uintptr_t at = size == 0 ? 0 : find_copy(o, size);

	return (at == 0 ? 0 : (intptr_t)(at - (uintptr_t)from));
}

#else

intptr_t
pid_words_distance(const struct pid_object *o)
{
	(void)o;
	return (0);
}

#endif
