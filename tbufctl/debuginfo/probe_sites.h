/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes that a command will probably have, from its files: the sites that
 * TBUF_PROBE puts into the ELF section tbuf_sites.  The exact list exists only
 * once the process runs.
 */
#ifndef TBUFCTL_DEBUGINFO_PROBE_SITES_H
#define TBUFCTL_DEBUGINFO_PROBE_SITES_H

#include <stddef.h>

#include <tbuf_consumer.h>

struct dwarf_module;

/* A module or function that is NULL may be any. */
struct sites {
	struct tbuf_probe_info *all;	/* ids are 0 */
	size_t count, room;
};

/* Adds a probe, which the caller fills in.  It stays until the next one. */
struct tbuf_probe_info *sites_add(struct sites *);

/* Adds the sites of a module; an invalid file has none. */
void	sites_read(struct sites *, const struct dwarf_module *);
void	sites_free(struct sites *);

#endif
