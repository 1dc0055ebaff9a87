/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For libtbuf and its providers only.
 */
#ifndef TBUF_TARGET_PROVIDER_H
#define TBUF_TARGET_PROVIDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Count this thread's mark up (1) or down (-1): while it is not zero, fires
 * of this thread go to lock lanes.  Async-signal-safe.
 */
__attribute__((visibility("default")))
void	tbuf_thread_mark(int step);

/*
 * Count up (1) or down (-1) how often this thread's calls, of the system and of
 * the C library, have been said to be none of the program's, or just tell (0).
 * Async-signal-safe.
 */
__attribute__((visibility("default")))
uint32_t tbuf_thread_hide(int step);

/*
 * Around the system call of vfork(2): before it; in the child; and in the
 * parent, when the child is done or there is none.  They hand on what the
 * first one returns.  errno is left alone.
 */
__attribute__((visibility("default")))
uint32_t tbuf_vfork_begin(void);
__attribute__((visibility("default")))
void	tbuf_vfork_child(uint32_t token);
__attribute__((visibility("default")))
void	tbuf_vfork_end(uint32_t token);

/*
 * Is a thread making this process a target, or registering probes?  If it is
 * the calling one, which has come here out of a function that the library
 * uses, it cannot register any.  Async-signal-safe.
 */
__attribute__((visibility("default")))
bool	tbuf_life_busy(void);

/*
 * Around many calls of tbuf_probe_register(): signals are blocked and the
 * table is locked once for all of them.  In between the calling thread waits
 * for nobody.
 */
__attribute__((visibility("default")))
void	tbuf_batch_begin(sigset_t *mask);
__attribute__((visibility("default")))
void	tbuf_batch_end(const sigset_t *mask);

/*
 * In between: register a probe of which all is known.  `site' is zeroed but for
 * its arguments' number and types; argnames are as many strings, one behind the
 * other.  Function and name are fit to be fields.  What provider and module
 * point to stays what it is till the batch ends: it is looked at when another
 * pointer comes.  `like' is a site of this batch that has the same types, or
 * NULL.  Returns what tbuf_probe_register() does.
 */
struct tbuf_site;
struct tbuf_batch_probe {
	const char *provider, *module, *function, *name;
	const char *argnames;
	size_t argnames_size;	/* NULs included */
	const struct tbuf_site *like;
};
__attribute__((visibility("default")))
int	tbuf_batch_register(struct tbuf_site *site,
	    const struct tbuf_batch_probe *);

/*
 * Fire a site for code that is redirected, or has called what stands in front
 * of another function: stacks begin at `pc', where it goes on, with `sp' and
 * `fp' in the registers for these.  `inner' is an address in the function that
 * stands there, or 0.  A site that is fired so is fired in no other way.
 * Async-signal-safe; leaves errno as it was.
 */
__attribute__((visibility("default")))
void	tbuf_site_fire_from(struct tbuf_site *, const uint64_t *values,
	    uint64_t inner, uint64_t pc, uint64_t sp, uint64_t fp);

/*
 * The word that a program tests before it prepares the arguments of a probe
 * that was registered; `semaphore' stays, and its probe with it.  NULL: it is
 * not to be written to any more.
 */
struct tbuf_semaphore;
__attribute__((visibility("default")))
void	tbuf_site_semaphore(const struct tbuf_site *, struct tbuf_semaphore *,
	    uint16_t *word);

/*
 * This process is a consumer: if it has no probes it need not be found as a
 * target, nor be told of by those who have found it already (drain.c).
 */
__attribute__((visibility("hidden")))
void	tbuf_life_withdraw(void);

#endif
