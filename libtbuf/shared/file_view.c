/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of a mapped control file (file_view.h).
 */
#include "base/optimize_size.h"

#include <string.h>

#include "arch/atomics.h"
#include "shared/file_view.h"

struct tbuf_control *
tbuf_view_control(const struct tbuf_view *view)
{
	return ((struct tbuf_control *)(void *)view->base);
}

struct tbuf_slot *
tbuf_view_slot(const struct tbuf_view *view, unsigned slot)
{
	return ((struct tbuf_slot *)(void *)(view->base + TBUF_SLOTS +
	    slot * (size_t)TBUF_SLOT_SIZE));
}

struct tbuf_probe_entry *
tbuf_view_probe(const struct tbuf_view *view, uint32_t probe)
{
	return ((struct tbuf_probe_entry *)(void *)(view->base +
	    view->tables.probes) +
	    probe);
}

uint32_t *
tbuf_view_enable(const struct tbuf_view *view, uint32_t probe)
{
	return ((uint32_t *)(void *)(view->base + view->tables.enable) + probe);
}

uint32_t
tbuf_view_heap(const struct tbuf_view *view)
{
	uint32_t used = tbuf_load(&tbuf_view_control(view)->strings);

	return (used < view->tables.strings_size ? used :
	    view->tables.strings_size);
}

size_t
tbuf_heap_text(const char *heap, uint32_t used, uint32_t offset, char *to,
    size_t size)
{
	size_t room = offset < used ? used - offset : 0, length;
	const char *nul;

	if (size > room)
		size = room;
	length = strnlen(heap + offset, size);
	if (length == size)
		return (0);
	/* The heap may change at any time: the copy decides the length. */
	memcpy(to, heap + offset, length + 1);
	nul = memchr(to, '\0', length + 1);
	return (nul == NULL ? 0 : (size_t)(nul - to) + 1);
}

size_t
tbuf_view_text(const struct tbuf_view *view, uint32_t offset, char *to,
    size_t size)
{
	return (tbuf_heap_text((const char *)view->base + view->tables.strings,
	    tbuf_view_heap(view), offset, to, size));
}

bool
tbuf_view_text_is(const struct tbuf_view *view, uint32_t offset,
    const char *text)
{
	size_t size = strlen(text) + 1, used = tbuf_view_heap(view);

	return (offset < used && size <= used - offset &&
	    memcmp(view->base + view->tables.strings + offset, text,
	    size) == 0);
}

bool
tbuf_view_names(const struct tbuf_view *view, uint32_t probe,
    struct tbuf_names_copy *copy)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, probe);
	const uint32_t offsets[4] = {
		tbuf_load(&entry->provider), tbuf_load(&entry->module),
		tbuf_load(&entry->function), tbuf_load(&entry->name)
	};
	unsigned i;

	for (i = 0; i < 4; i++) {
		if (offsets[i] != 0 && offsets[i] == copy->offsets[i])
			continue;
		copy->offsets[i] = 0;
		if (tbuf_view_text(view, offsets[i], copy->text[i],
		    sizeof(copy->text[i])) == 0)
			return (false);
		copy->offsets[i] = offsets[i];
	}
	copy->names = (struct tbuf_names){
		copy->text[0], copy->text[1], copy->text[2], copy->text[3]
	};
	return (true);
}
