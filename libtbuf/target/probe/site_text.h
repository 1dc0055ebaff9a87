/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a site: the arguments of TBUF_PROBE as they are written, parsed
 * into provider, name and argument names.
 */
#ifndef TBUF_TARGET_PROBE_SITE_TEXT_H
#define TBUF_TARGET_PROBE_SITE_TEXT_H

#include "layout/layout.h"

#define TBUF_SITETEXT_FIELD	256	/* with the NUL */
#define TBUF_SITETEXT_ARGUMENT	64

struct tbuf_sitetext {
	char provider[TBUF_SITETEXT_FIELD];
	char name[TBUF_SITETEXT_FIELD];
	char arguments[TBUF_NARGS][TBUF_SITETEXT_ARGUMENT];
};

/*
 * Parses the text of a site with `nargs' arguments.  In the name, `__' becomes
 * `-'.  The name of an argument that is a plain path of members is the last
 * member (TBUF_BYTES(p, n) and TBUF_TEXT(p, n) have the name of p), that of
 * TBUF_NAMED(a, x) is a, cut at 63 bytes; any other argument, and one with
 * another argument's name, is argN.  All of them are argN if the text does not
 * have nargs arguments, as with macros that contain commas.  All strings are
 * NUL-terminated.
 *
 * Returns 0, or -EINVAL if there are more than TBUF_NARGS arguments, or if
 * provider or name is missing, is longer than 255 bytes or is not an identifier
 * (`-' and `.' are allowed, too).  No malloc, little stack.
 */
int	tbuf_sitetext_parse(const char *text, unsigned nargs,
	    struct tbuf_sitetext *);

/*
 * Makes a probe's field of a site's function as the compiler spells it: its
 * name with the namespaces, classes and functions around it, ns::Class::method,
 * cut at 255 bytes.  Blanks and commas, as in `operator new', become `_'; a
 * colon is always one of a pair.
 */
void	tbuf_sitetext_function(const char *function,
	    char field[TBUF_SITETEXT_FIELD]);

#endif
