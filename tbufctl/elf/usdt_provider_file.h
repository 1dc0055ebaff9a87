/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x usdt=file: what a provider file says of the arguments of USDT probes.
 */
#ifndef TBUFCTL_ELF_USDT_PROVIDER_FILE_H
#define TBUFCTL_ELF_USDT_PROVIDER_FILE_H

struct usdt_probe;
struct words;

/* Add a file: 0, or an exit status after a message. */
int	notes_add_file(struct words *, const char *path);

/*
 * A setting of a command's environment by which its provider reads these
 * files, to be freed; NULL if there are none.
 */
char	*notes_file_setting(const struct words *);

/* The providers that the files that are installed and these tell of. */
void	notes_described(const struct words *, struct words *providers);

/* What the files that are installed and these say of a probe. */
void	notes_describe(struct usdt_probe *, const struct words *);

#endif
