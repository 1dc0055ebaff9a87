/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes that providers will register in a command, from the providers' own
 * tables and from the USDT notes of the command's files.
 */
#ifndef TBUFCTL_DEBUGINFO_PROVIDER_PROBES_H
#define TBUFCTL_DEBUGINFO_PROVIDER_PROBES_H

struct sites;
struct words;

void	sites_add_libc(struct sites *);
void	sites_add_syscall(struct sites *);

/* Adds those of notes, with the arguments that provider files describe. */
void	sites_add_notes(struct sites *, const char *program,
	    const struct words *files);

#endif
