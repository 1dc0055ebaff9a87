/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes that are known while a script is compiled: those of tbufctl itself,
 * and those of running targets.
 */
#ifndef TBUFCTL_SCRIPT_PROBE_LOOKUP_H
#define TBUFCTL_SCRIPT_PROBE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "debuginfo/types.h"
#include "elf/process_names.h"
#include "options/enablings.h"
#include "tbufd.h"

/* BEGIN, END and ERROR; their ids are 1 to 3. */
#define KNOWN_FIXED	3

/* A number stands for an argument if its name is NULL. */
struct known_argument {
	const char *name;	/* as long as the compiler is open */
	uint64_t number;
};

struct known {
	struct tbuf_consumer *consumer;
	bool look;		/* targets may be listed: no -c */
	bool all;		/* no target was named */
	bool files;		/* targets are files; pids may be reused */
	bool listed;
	const struct tbuf_probe_info **probes;
	size_t count;
	struct process_names names;	/* of their functions */
	struct other *others;	/* of known_others() */
	struct types types;	/* of the targets that are listed */
	/* A command that does not run yet; NULL: none. */
	const char *command;
	const struct words *described;	/* provider files */
	/* Descriptions of functions (TBUF_PID), and their provider; or NULL. */
	const char *functions;
	char provider[32];
	struct function_types function_types;
	struct sites sites;	/* its probes, from files and providers */
	bool read;		/* sites have been read */
	bool more;		/* it may have others */
	/* The argument of the last question, and functions that have it. */
	struct known_argument pointed;
	const char *pointed_in[2];
	/*
	 * The last argument that points to several types, and two functions: if
	 * the first one is NULL, several of one name.
	 */
	struct known_argument differing;
	const char *differing_in[2];
};

/* Returns the four fields of a description as text, which the caller frees. */
char	*known_text(const struct d_description *);
/* Splits a copy of a description; its first fields may be missing. */
void	known_split(char *copy, struct d_description *);
/* Lists the probes of targets, of all targets if none was named. */
void	known_list(struct known *);
/*
 * Visits tbufctl's own probes that a description matches, unless `visit` is
 * NULL, and returns their number.  A timer has the id 0.
 */
typedef void known_visit(void *, const char *provider, const char *name,
	    unsigned id);
unsigned known_own_list(const struct d_description *, known_visit *, void *);
/* Returns true if a description names a probe of tbufctl, without a glob. */
bool	known_is_own(const struct d_description *);
/* Visits matching timers that lists show without being asked for them. */
unsigned known_usual_list(const struct d_description *, known_visit *, void *);
/* Returns the number of tbufctl's own probes that a description matches. */
unsigned known_own(const struct d_description *);
/*
 * Returns the number of probes that it matches: tbufctl's own, or else those of
 * targets.
 */
unsigned known_count(struct known *, const struct d_description *);
bool	known_matches(const struct d_description *,
	    const struct tbuf_probe_info *);
/*
 * Returns true if a command that does not run yet will have no probe that the
 * description matches.  It must name a provider whose probes are all known
 * before: tbufctl's own, a preloaded one's, or those of sites and notes, unless
 * the command may load other files.
 */
bool	known_lacks(struct known *, const struct d_description *);
/*
 * Reports descriptions without a clause of which known_lacks() is true.
 * Returns true if there are any.
 */
bool	known_refuses(struct known *, const struct program *);
/*
 * Reports descriptions without a clause that match nothing so far, each once,
 * if a near probe is known.  `early`: before the command runs, only if all of
 * its probes are known.  known_absent() is true for such a description.
 */
void	known_hint(struct known *, const struct program *, bool early);
bool	known_absent(struct known *, const struct d_description *, bool early);
/* Has the probes of targets, and those that a command has or will have. */
near_probes known_all;
/*
 * Suggests a description for one without a match, of the probes that targets
 * have and a command will have.  The caller frees it.
 */
near_one known_near;
/*
 * Returns known_count(), or, if that is 0, counts the probes there are by now.
 */
unsigned known_count_again(struct known *, const struct d_description *);
/*
 * Returns descriptions of the probes of functions that a description matches by
 * other names than they have (process_names.h), or NULL; valid until
 * known_others_free().  known_others_text() returns a text of them, with a
 * comma before each, for the caller to free.
 */
const struct d_description *known_others(void *known,
	    const struct d_description *);
char	*known_others_text(void *known, const char *description);
void	known_others_free(struct known *);
/* Visits the names of the arguments of matching probes. */
void	known_names(struct known *, const struct d_description *,
	    void (*visit)(void *, const char *name), void *);
/* Visits matching probes of targets, and of a command that does not run yet. */
void	known_each(struct known *, const struct d_description *,
	    void (*visit)(void *, const struct tbuf_probe_info *), void *);
/*
 * Returns why no argument has a parameter of a function that a description
 * matches, or NULL.
 */
const struct lack *known_lack(struct known *, const struct d_description *,
	    const char *name);
/*
 * Returns the module that a description names, if no file of it is known before
 * it is loaded, or NULL.
 */
const char *known_no_file(const struct known *, const struct d_description *);
/* Returns the table of functions for the pid provider of the command, or "". */
const char *known_function_table(struct known *);
/* Returns the class of a type, of enum tbuf_type. */
enum d_class known_class(uint8_t type);
void	known_free(struct known *);

/* Callbacks of the compiler, which have a struct known as their context. */
enum d_class known_argument(void *known, const struct d_description *,
	    const char *name, uint64_t number);
enum d_class known_likely(void *known, const struct d_description *,
	    const char *name, uint64_t number);
bool	known_by_id(void *known, uint64_t id, struct d_description *);
uint64_t known_type_find(void *known, const char *module, enum d_import_kind,
	    const char *name);
bool	known_type_same(void *known, uint64_t id, uint64_t other);
uint64_t known_argument_type(void *known, const struct d_description *,
	    const char *name, uint64_t number);
uint64_t known_argument_place(void *known, const struct d_description *,
	    const char *name, uint64_t *number, uint64_t *shift);
bool	known_type_read(void *known, uint64_t id, struct d_import *);

#endif
