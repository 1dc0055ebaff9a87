/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x usdt=file: arguments of USDT probes, as provider files describe them.
 */
#ifndef TBUFCTL_ELF_USDT_PROVIDER_FILE_H
#define TBUFCTL_ELF_USDT_PROVIDER_FILE_H

struct usdt_probe;
struct words;

/* Adds a file.  Returns 0, or an exit status after a message. */
int	notes_add_file(struct words *, const char *path);

/*
 * Returns a setting for a command's environment that makes its provider read
 * these files, which the caller frees; NULL if there are none.
 */
char	*notes_file_setting(const struct words *);

/*
 * Reports that the installed files are missing, as in a build tree: arguments
 * have no names then.
 */
void	notes_check_installed(void);

/* Adds the providers that the installed files and these describe. */
void	notes_described(const struct words *, struct words *providers);

/* Adds to a probe the arguments that the installed files and these describe. */
void	notes_describe(struct usdt_probe *, const struct words *);

#endif
