/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The USDT probes that a command will have: whether it needs their provider,
 * and what became of their sites.
 */
#ifndef TBUFCTL_ELF_USDT_NOTES_H
#define TBUFCTL_ELF_USDT_NOTES_H

struct words;

/*
 * Add the names of the providers that a program, or a library that it needs,
 * has notes of.
 */
void	notes_providers(const char *program, struct words *);

/*
 * -l: a setting of the environment, by which the provider tells of each site,
 * or NULL; and afterwards, to say which are not armed.
 */
const char *notes_told_begin(void);
void	notes_told_end(void);

/*
 * The same of a command that is traced: sites of probes that somebody traces,
 * and that are not armed.
 */
const char *notes_missed_begin(void);
void	notes_missed_end(void);

#endif
