/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * USDT probes of a command: whether it needs the usdt provider, and which sites
 * could not be armed.
 */
#ifndef TBUFCTL_ELF_USDT_NOTES_H
#define TBUFCTL_ELF_USDT_NOTES_H

#include <stdbool.h>

struct words;

/*
 * Adds the names of the USDT providers in the notes of a program and of the
 * libraries that it needs.
 */
void	notes_providers(const char *program, struct words *);

/*
 * notes_report_begin() returns a setting for the environment that makes the
 * usdt provider report each site (with -l), or the sites of traced probes that
 * are not armed; or NULL.  notes_report_end() prints those that are not armed.
 */
const char *notes_report_begin(bool lists);
void	notes_report_end(void);

#endif
