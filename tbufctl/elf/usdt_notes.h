/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * USDT probes of a command: whether it needs the usdt provider, and which sites
 * could not be armed.
 */
#ifndef TBUFCTL_ELF_USDT_NOTES_H
#define TBUFCTL_ELF_USDT_NOTES_H

struct words;

/*
 * Adds the names of the USDT providers in the notes of a program and of the
 * libraries that it needs.
 */
void	notes_providers(const char *program, struct words *);

/*
 * With -l, notes_sites_begin() returns a setting for the environment that makes
 * the usdt provider report each site, or NULL; notes_sites_end() prints those
 * that are not armed.
 */
const char *notes_sites_begin(void);
void	notes_sites_end(void);

/*
 * For a command that is traced, these two do so with the sites of traced probes
 * that are not armed.
 */
const char *notes_missed_begin(void);
void	notes_missed_end(void);

#endif
