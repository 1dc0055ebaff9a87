/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The list of sites that are not armed (unarmed.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "arch/atomics.h"
#include "unarmed.h"
#include "usdt.h"

/* An initial value keeps the variable out of .bss, which has no file. */
static struct usdt_unarmed unarmed = { .check = 1 };

/* The new list's memory, which its stream allocates. */
static char *text;
static size_t size;

FILE *
usdt_unarmed_begin(void)
{
	return (open_memstream(&text, &size));
}

void
usdt_unarmed_add(FILE *f, const struct usdt_sites *sites)
{
	size_t i;

	if (f == NULL)
		return;
	if (sites->problem != NULL)
		fprintf(f, "%s: not armed: %s\n", sites->module,
		    sites->problem);
	for (i = sites->count; i-- > 0;)
		if (sites->all[i]->problem != NULL)
			usdt_site_print(f, sites->all[i]);
}

/* A reader that has read the old description reads it again afterwards. */
void
usdt_unarmed_end(FILE *f)
{
	void *old = (void *)(uintptr_t)unarmed.text;

	if (f == NULL || fclose(f) != 0)
		return;
	tbuf_store(&unarmed.size, 0);
	tbuf_store_release(&unarmed.text, (uint64_t)(uintptr_t)text);
	tbuf_store_release(&unarmed.size, (uint64_t)size);
	tbuf_store_release(&unarmed.check, USDT_UNARMED_CHECK ^
	    (uint64_t)(uintptr_t)&unarmed);
	free(old);
}
