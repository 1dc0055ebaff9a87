/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of libtbuf for its providers; they are not installed.
 */
#ifndef TBUF_TARGET_PROVIDER_H
#define TBUF_TARGET_PROVIDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/program.h"

#pragma GCC visibility push(default)

/*
 * Adds `step' (1 or -1) to this thread's mark: while the mark is not 0, fires
 * of this thread go to lock lanes.  Async-signal-safe.
 */
void	tbuf_thread_mark(int step);

/*
 * Adds `step' (1, -1, or 0 to read it) to the depth at which this thread's
 * calls, of the system and of the C library, are not the program's.  Returns
 * the new depth.  Async-signal-safe.
 */
uint32_t tbuf_thread_hide(int step);

/*
 * Returns the address of this thread's errno, as a fire must not ask the C
 * library for it.  Async-signal-safe.
 */
int	*tbuf_thread_errno(void);

/*
 * Wrappers of vfork(2) call these: the first before the system call; the second
 * in the child; the third in the parent, when the child has exited or executed,
 * or vfork has failed.  The first returns the others' token.  errno is
 * preserved.
 */
uint32_t tbuf_vfork_begin(void);
void	tbuf_vfork_child(uint32_t token);
void	tbuf_vfork_end(uint32_t token);

/*
 * Enclose a fork that runs no fork handlers: the first before it, the second
 * after it, in the child with `child' set.  fork(3) calls them as its handlers.
 * Async-signal-safe; errno is preserved.
 */
void	tbuf_fork_begin(void);
void	tbuf_fork_end(bool child);

/*
 * Returns true while a thread makes this process a target or registers probes.
 * If that is the calling thread, called from a function that the library uses,
 * it cannot register any.  Async-signal-safe.
 */
bool	tbuf_life_busy(void);

/*
 * Opens the runtime directory by O_PATH, if this process is a target.  Returns
 * a descriptor, or a negative errno.
 */
int	tbuf_directory_target(void);

/*
 * Maps the enable words of all probes once more, to be read at `at', for stubs
 * that are near there.  Returns their size in bytes, or 0 if that is in use or
 * there are enough such mappings; with NULL, returns the size alone.  *from is
 * the address of the words that sites have.  A forked child has its own words
 * there, too.
 */
size_t	tbuf_words_copy(void *at, const void **from);

/*
 * These enclose many calls of tbuf_probe_register(): signals are blocked and
 * the table is locked once for all of them.  The calling thread must not wait
 * for any other in between.  `probes' is their number, or 0.
 */
void	tbuf_series_begin(sigset_t *mask, unsigned probes);
void	tbuf_series_end(const sigset_t *mask);

/*
 * The probes that tbuf_probe_register() registers next, between
 * tbuf_series_begin() and tbuf_series_end(), are aliases of a registered site's
 * probe (layout/probe.h).  NULL: they are none.
 */
struct tbuf_site;
void	tbuf_series_alias(const struct tbuf_site *elder);

/*
 * Registers a probe between tbuf_series_begin() and tbuf_series_end().  `site'
 * is zeroed but for its arguments' number and types; argnames has that many
 * strings, one after the other.  Function and name must be valid fields.  The
 * strings that provider and module point to must not change until
 * tbuf_series_end(): they are checked only when the pointers differ from the
 * last call's.  `like' is a site registered since tbuf_series_begin() with the
 * same types, or NULL.  Returns as tbuf_probe_register() does.
 */
struct tbuf_series_probe {
	const char *provider, *module, *function, *name;
	const char *argnames;
	size_t argnames_size;	/* with the NULs */
	const struct tbuf_site *like;
};
int	tbuf_series_register(struct tbuf_site *site,
	    const struct tbuf_series_probe *);

/* Hashes of a probe: of all its fields, and of its names but the function. */
struct tbuf_series_hash {
	uint32_t all;
	uint32_t names;
};

/*
 * The probes of a provider as rows of the probe table: offsets are those in
 * `texts', 0 for no argument names.  All of it stays as it is until the process
 * ends.  No two rows are equal; their hashes are those that
 * tbuf_series_register() would make (probe_table.c).
 */
struct tbuf_probe_entry;
struct tbuf_series {
	const struct tbuf_probe_entry *rows;
	const struct tbuf_series_hash *hashes;
	uint32_t nrows;
	const char *texts;
	uint32_t texts_size;
};

/*
 * Registers all rows between tbuf_series_begin() and tbuf_series_end(), if no
 * other probe has been registered.  Returns 0: indexes of rows are those of
 * their probes; or a negative errno: each row is to be registered by
 * tbuf_series_register().
 */
int	tbuf_series_copy(const struct tbuf_series *);

/* Makes a site, as tbuf_series_register() takes it, that of a copied row. */
void	tbuf_series_site(struct tbuf_site *, uint32_t index,
	    const struct tbuf_site *like);

/*
 * Fires a site on behalf of redirected code, or of a wrapper that has called
 * the wrapped function: stacks begin at `pc', where the program resumes, with
 * `sp' and `fp' in these registers.  `inner' is an address in the wrapper, or
 * 0.  Both are after an instruction of their function, or the address of one
 * with TBUF_FRAME_EXACT.  Such a site is fired in no other way.
 * Async-signal-safe; preserves errno.
 */
void	tbuf_site_fire_from(struct tbuf_site *, const uint64_t *values,
	    uint64_t inner, uint64_t pc, uint64_t sp, uint64_t fp);

/*
 * Sets the word that a program tests before it prepares the arguments of a
 * registered probe.  `semaphore' is never freed, nor is its probe.  NULL: the
 * word must not be written to any more.
 */
struct tbuf_semaphore;
void	tbuf_site_semaphore(const struct tbuf_site *, struct tbuf_semaphore *,
	    uint16_t *word);

/*
 * This process is a consumer: if it has no probes, its control file is removed,
 * so that it is not found as a target, nor reported by consumers that have
 * found it (drain.c).
 */
__attribute__((visibility("hidden"))) void tbuf_life_withdraw(void);

#pragma GCC visibility pop

#endif
