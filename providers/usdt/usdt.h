/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libtbuf-usdt.so: the USDT probes of the objects that are loaded when a
 * program starts, and by dlopen(3), as probes of tbuf.
 *
 *	objects.c  objects that come and go
 *	find.c	   an object's notes, and the operands' addresses
 *	arm.c	   probes are registered, and their sites redirected to stubs
 *	unarmed.c  the list of sites that are not armed, for tbufctl -p
 *	redirect_* the redirection, by processor
 *	fire.c	   functions that a stub calls
 *	text.c	   arguments that are strings
 *	memory.c   memory in which these can be read in place
 *	start.c	   start before main(), and before the constructors of objects
 *		   that dlopen(3) loads
 */
#ifndef TBUF_PROVIDERS_USDT_USDT_H
#define TBUF_PROVIDERS_USDT_USDT_H

#include <stdio.h>

#include <tbuf.h>

#include "base/safe_read.h"
#include "layout/layout.h"

#if defined(__x86_64__)
#include "patch/x86_64.h"
#else
#include "patch/aarch64.h"
#endif
#include "operand.h"
#include "probe.h"

#pragma GCC visibility push(hidden)

#define USDT_FUNCTION	256	/* bytes of a function's name, with its NUL */

/* Sites of one name in one function of one object. */
struct usdt_group {
	struct usdt_group *next;
	struct usdt_probe probe;
	const char *module;
	char function[USDT_FUNCTION];
	struct tbuf_site site;
	struct tbuf_semaphore semaphore;	/* for consumers */
	unsigned candidates;		/* sites that may be armed */
	unsigned armed;			/* sites that are armed */
};

struct usdt_site {
	struct patch_probe patch;
	struct usdt_group *group;
	struct patch_text text;
	uint16_t *semaphore;		/* or NULL */
	const char *jump;		/* x86-64: why no jump can replace it */
	bool is_leaf;			/* aarch64: return address in x30 */
	const char *problem;		/* why it is not armed, or NULL */
	unsigned nargs;
	unsigned texts;			/* bit N: argument N is a string */
	unsigned ntexts;
	struct usdt_operand operands[TBUF_ARGS_MAX];
};

/* Properties of memory while the program runs; written before main(). */
struct usdt_memory {
	uintptr_t stack_low, stack_end;	/* the main thread's */
	enum tbuf_peek peek;		/* how other memory is read */
};

/* The sites of one object. */
struct usdt_sites {
	char *module;			/* its base name */
	const char *problem;		/* why no site is known, or NULL */
	struct usdt_site **all;		/* each is never moved */
	size_t count;
	struct usdt_group *groups;
};

/*
 * Finds objects that have come or gone, and arms new ones.  `loading`:
 * dlopen(3) is loading them, and none of their code has run.
 */
void	usdt_objects_update(bool loading);

/* Hides all semaphores from consumers, before objects are unloaded. */
void	usdt_objects_suspend(void);

/*
 * Finds the sites of an object.  Returns false if it has none.  If its file is
 * not the one that was loaded, it has none.
 */
bool	usdt_find(struct usdt_sites *, const struct dl_phdr_info *,
	    bool loading);
void	usdt_free(struct usdt_sites *);

/* Sets types and names of arguments, from provider files. */
void	usdt_describe_groups(struct usdt_sites *);

/* Returns true if $TBUF_USDT asks for its semaphore to be raised. */
bool	usdt_wanted(const struct usdt_group *);

/* Register the probes and arm their sites; and undo that. */
void	usdt_arm(struct usdt_sites *, bool loading);
void	usdt_disarm(struct usdt_sites *);

/*
 * look() inspects all sites, in descending order, before one is redirected.
 * usdt_redirect() redirects one, and returns NULL, or the reason why not.
 */
void	usdt_redirect_look(struct usdt_sites *);
const char *usdt_redirect(const struct patch *, struct usdt_site *);

/* Raise semaphores of probes that are enabled; and hide all from consumers. */
void	usdt_semaphores_raise(struct usdt_sites *);
void	usdt_semaphores_hide(struct usdt_sites *);

/* Appends a line about sites to the file that an environment variable names. */
#define USDT_LIST	"TBUF_USDT_LIST"	/* all sites */
#define USDT_MISSED	"TBUF_USDT_MISSED"	/* traced and not armed */

/* Removes USDT_MISSED from the environment if its file is not there. */
void	usdt_report_look(void);
void	usdt_tell(const char *setting, const char *line, ...)
	    __attribute__((format(printf, 2, 3)));

/* Writes a site's line. */
void	usdt_site_print(FILE *, const struct usdt_site *);

/*
 * usdt_unarmed_begin() begins a new list of sites that are not armed,
 * usdt_unarmed_add() adds those of an object, and usdt_unarmed_end() lets the
 * new list replace the old one.
 */
FILE	*usdt_unarmed_begin(void);
void	usdt_unarmed_add(FILE *, const struct usdt_sites *);
void	usdt_unarmed_end(FILE *);

extern struct usdt_memory usdt_memory;
void	usdt_memory_look(void);

/*
 * Copies a text of at most `most` bytes to `texts`, with the stack at `sp`, and
 * sets *value to the copy, or to 0 if the text cannot be read.  Returns false
 * if the copy was cut.
 */
struct usdt_texts {
	char *next;			/* unused room */
};

bool	usdt_text_copy(const struct usdt_site *, uintptr_t sp, uintptr_t from,
	    size_t most, struct usdt_texts *texts, size_t room,
	    uint64_t *value);

/* Called when a site is reached while its probe is enabled. */
void	usdt_hit(struct patch_probe *, const struct patch_registers *);

#pragma GCC visibility pop

#endif
