/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a site says of itself: the arguments of TBUF_PROBE as they were
 * written, taken apart into provider, name and argument names.
 */
#ifndef TBUF_TARGET_PROBE_SITE_TEXT_H
#define TBUF_TARGET_PROBE_SITE_TEXT_H

#include "layout/layout.h"

#define TBUF_SITETEXT_FIELD	256	/* bytes, the NUL counted */
#define TBUF_SITETEXT_ARGUMENT	64

struct tbuf_sitetext {
	char provider[TBUF_SITETEXT_FIELD];
	char name[TBUF_SITETEXT_FIELD];
	char arguments[TBUF_NARGS][TBUF_SITETEXT_ARGUMENT];
};

/*
 * Take apart the text of a site with `nargs` arguments.  In the name, `__`
 * becomes `-`.  An argument that is a plain path of members is called by its
 * last one (TBUF_BYTES(p, n) and TBUF_TEXT(p, n) as p is), TBUF_NAMED(a, x) is
 * called a, cut at 63 bytes; anything else, and what has the name of another
 * argument, is called argN.  So are all of them if the text has not nargs
 * arguments, which is so when macros with commas are among them.  All strings
 * are NUL-terminated.
 *
 * Returns 0, or -EINVAL if there are more than TBUF_NARGS arguments, or if
 * provider or name is missing, is longer than 255 bytes or is no identifier
 * (it may have `-` and `.`, too).  No malloc, little stack.
 */
int	tbuf_sitetext_parse(const char *text, unsigned nargs,
	    struct tbuf_sitetext *);

/*
 * A site's function, as the compiler spells it, as the field of a probe: its
 * name with the namespaces, classes and functions around it, ns::Class::method,
 * cut at 255 bytes.  Blanks and commas, as in `operator new`, become `_`; a
 * colon has another beside it.
 */
void	tbuf_sitetext_function(const char *function,
	    char field[TBUF_SITETEXT_FIELD]);

#endif
