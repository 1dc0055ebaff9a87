/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects that come and go.  Each is inspected once, when it is new; its sites
 * are removed when it has been unloaded.
 */
#include <errno.h>
#include <stdlib.h>

#include "usdt.h"

struct object {
	struct object *next;
	struct dl_phdr_info info;	/* identifies it */
	struct usdt_sites sites;
	bool is_new;
	bool is_there;
};

static struct object *objects;

static int
look_at(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct object *o;

	(void)size;
	(void)unused;
	for (o = objects; o != NULL; o = o->next)
		if (o->info.dlpi_addr == info->dlpi_addr &&
		    o->info.dlpi_phdr == info->dlpi_phdr)
			break;
	if (o == NULL && (o = calloc(1, sizeof(*o))) != NULL) {
		o->info = *info;
		o->is_new = true;
		o->next = objects;
		objects = o;
	}
	if (o != NULL)
		o->is_there = true;
	return (0);
}

static void
drop(struct object *o)
{
	usdt_disarm(&o->sites);
	usdt_free(&o->sites);
	free(o);
}

/* Drops unloaded objects: others may have their addresses. */
static void
drop_gone(void)
{
	struct object **link = &objects, *o;

	while ((o = *link) != NULL)
		if (o->is_there) {
			o->is_there = false;
			link = &o->next;
		} else {
			*link = o->next;
			drop(o);
		}
}

/*
 * This makes other system calls than the linker does.  A filter that has been
 * set since the start may kill for them.
 */
static void
arm(struct object *o, bool loading)
{
	o->is_new = false;
	if (loading && patch_refiltered())
		return;
	if (!usdt_find(&o->sites, &o->info, loading))
		return;
	usdt_describe_groups(&o->sites);
	usdt_arm(&o->sites, loading);
}

static void
list_unarmed(void)
{
	FILE *list = usdt_unarmed_begin();
	struct object *o;

	for (o = objects; o != NULL; o = o->next)
		usdt_unarmed_add(list, &o->sites);
	usdt_unarmed_end(list);
}

void
usdt_objects_update(bool loading)
{
	struct object *o;

	(void)dl_iterate_phdr(look_at, NULL);
	drop_gone();
	for (o = objects; o != NULL; o = o->next)
		if (o->is_new)
			arm(o, loading);
		else
			usdt_semaphores_raise(&o->sites);
	list_unarmed();
}

void
usdt_objects_suspend(void)
{
	struct object *o;

	for (o = objects; o != NULL; o = o->next)
		usdt_semaphores_hide(&o->sites);
}
