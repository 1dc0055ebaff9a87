/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes that a command will have, as its files have them: the sites that
 * TBUF_PROBE leaves in the section tbuf_sites.  The process knows better, once
 * it runs; until then this is likely.
 */
#ifndef TBUFCTL_DEBUGINFO_PROBE_SITES_H
#define TBUFCTL_DEBUGINFO_PROBE_SITES_H

#include <stddef.h>

#include <tbuf_consumer.h>

struct dwarf_module;

struct sites {
	struct tbuf_probe_info *all;	/* with no ids */
	size_t count, room;
};

/* Add those of a module.  A file that makes no sense has none. */
void	sites_read(struct sites *, const struct dwarf_module *);
void	sites_free(struct sites *);

#endif
