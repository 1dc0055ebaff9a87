/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libtbuf-usdt.so: the USDT probes of the objects that are loaded when a
 * program starts, and by dlopen(3), as probes of tbuf.
 *
 *	objects.c  which objects come and go
 *	find.c	   an object's notes, and the operands' addresses
 *	arm.c	   probes are registered, and their sites redirected to stubs
 *	redirect_* how, by processor
 *	fire.c	   what a stub calls
 *	text.c	   its arguments that are strings
 *	memory.c   where they can be read in place
 *	start.c	   all of it, before main() and the constructors of what
 *		   dlopen(3) loads
 */
#ifndef TBUF_PROVIDERS_USDT_USDT_H
#define TBUF_PROVIDERS_USDT_USDT_H

#include <tbuf.h>

#include "layout/layout.h"
#include "base/safe_read.h"

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
	unsigned candidates;		/* sites that may be armed, */
	unsigned armed;			/* ... and that are */
};

struct usdt_site {
	struct patch_probe patch;
	struct usdt_group *group;
	struct patch_text text;
	uint16_t *semaphore;		/* or NULL */
	const char *jump;		/* x86-64: why no jump may stand there */
	bool is_leaf;			/* aarch64: who has called is in a
					 * register alone */
	const char *problem;		/* why it is not armed, or NULL */
	unsigned nargs;
	unsigned texts;			/* bit N: argument N is a string */
	unsigned ntexts;
	struct usdt_operand operands[TBUF_ARGS_MAX];
};

/* What is there for as long as the program runs; written before main(). */
struct usdt_memory {
	uintptr_t stack_low, stack_end;	/* the main thread's */
	enum tbuf_peek peek;		/* how other memory is read */
	unsigned filters;		/* of system calls, from the beginning */
};

/* Of one object. */
struct usdt_sites {
	char *module;			/* its base name */
	struct usdt_site **all;		/* each stays where it is */
	size_t count;
	struct usdt_group *groups;
};

/*
 * Look at what comes and goes, and arm what is new.  `loading`: dlopen(3) is
 * doing so, and no code of what is new has run.
 */
void	usdt_objects_update(bool loading);

/* While objects are unloaded no consumer may write to their semaphores. */
void	usdt_objects_suspend(void);

/*
 * Sites of an object: false if it has none.  A file that is not what was
 * loaded has nothing.
 */
bool	usdt_find(struct usdt_sites *, const struct dl_phdr_info *,
	    bool loading);
void	usdt_free(struct usdt_sites *);

/* Types and names of arguments, from provider files. */
void	usdt_describe_groups(struct usdt_sites *);

/* Does $TBUF_USDT say that its semaphore is always to be raised? */
bool	usdt_wanted(const struct usdt_group *);

/* Register the probes and arm their sites; and the other way round. */
void	usdt_arm(struct usdt_sites *, bool loading);
void	usdt_disarm(struct usdt_sites *);

/*
 * Look at all sites, in descending order, before one is redirected; and
 * redirect one: NULL, or why not.
 */
void	usdt_redirect_look(struct usdt_sites *);
const char *usdt_redirect(const struct patch *, struct usdt_site *);

/* Raise semaphores, as far as somebody traces their probes; and hide them. */
void	usdt_semaphores_raise(struct usdt_sites *);
void	usdt_semaphores_hide(struct usdt_sites *);

/* A line for who asks, by a setting, why something is not there. */
#define USDT_LIST	"TBUF_USDT_LIST"	/* all sites */
#define USDT_MISSED	"TBUF_USDT_MISSED"	/* traced and not armed */

void	usdt_tell(const char *setting, const char *line, ...)
	    __attribute__((format(printf, 2, 3)));

extern struct usdt_memory usdt_memory;
void	usdt_memory_look(void);

/* Is this thread under other filters of system calls than at the beginning? */
bool	usdt_memory_refiltered(void);

/*
 * Copy a text of at most so many bytes to `texts`, with the stack at `sp`, and
 * have *value be the copy, or 0 where nothing can be read.  False if it has
 * been cut.
 */
struct usdt_texts {
	char *next;			/* room that is left */
};

bool	usdt_text_copy(const struct usdt_site *, uintptr_t sp, uintptr_t from,
	    size_t most, struct usdt_texts *texts, size_t room,
	    uint64_t *value);

/* A site has been reached, and somebody traces its probe. */
void	usdt_hit(struct patch_probe *, const struct patch_registers *);

#pragma GCC visibility pop

#endif
