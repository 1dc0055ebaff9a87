/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libtbuf-pid.so: entries and returns of functions, as probes of tbuf.  Those
 * that TBUF_PID names are armed before main(), in the program and in the
 * libraries that it is linked with, and in libraries that dlopen(3) loads
 * before any of their code runs; no other code is changed.
 *
 *	start.c	    the start, before main(), and objects that come and go
 *	wanted.c    descriptions in TBUF_PID, and the names that they use
 *	name.c	    names of functions of C++
 *	types.c	    types of arguments in TBUF_PID_TYPES (types.h)
 *	objects.c   objects with functions that can be armed
 *	functions.c functions of one
 *	plan.c	    which of them can be armed
 *	arm.c	    probes are registered, and their places redirected to stubs
 *	fire.c	    functions that a stub calls
 */
#ifndef TBUF_PROVIDERS_PID_PID_H
#define TBUF_PROVIDERS_PID_PID_H

#include <tbuf.h>

#include "layout/layout.h"
#include "name.h"
#include "plan.h"

#pragma GCC visibility push(hidden)

#define PID_ARGS	10u	/* arguments of an entry */

/* The entry of a function, its exits, or an instruction of it. */
enum pid_kind { PID_ENTRY, PID_RETURN, PID_SPOT };

/*
 * The sites of a place, or of all exits of a function: one for each name by
 * which descriptions call it.  Mostly there is one name.  The probe of each
 * other site is an alias of the one before it (layout/probe.h), so that an
 * enabling that matches several fires once.
 */
struct pid_sites {
	struct tbuf_site first;
	struct tbuf_site *others;
	size_t nothers;
	uint8_t nwords;		/* arguments up to the last one in a word */
	bool has_vectors;
	uint8_t vectors[PID_ARGS];	/* arguments' registers; 0: words */
};

/* A place; they are never moved. */
struct pid_place {
	struct patch_probe patch;
	struct tbuf_site *site;		/* the first one */
	struct pid_sites *sites;
	uint64_t offset;	/* of an exit, from the function's start */
	unsigned narrow;	/* first values of which one may be narrow */
	enum pid_kind kind;
	bool in_libc;		/* its rseq area may not be registered */
};

/*
 * Called when a place is reached while its probe is enabled; pid_hit_several()
 * always, where a place has several sites, which it tests one after the other.
 * Those with vectors are for functions that pass floating-point numbers.
 */
void	pid_hit_entry(struct patch_probe *, const struct patch_registers *);
void	pid_hit_entry_vectors(struct patch_probe *,
	    const struct patch_registers *);
void	pid_hit_inside(struct patch_probe *, const struct patch_registers *);
void	pid_hit_exit(struct patch_probe *, const struct patch_registers *);
void	pid_hit_exit_vector(struct patch_probe *,
	    const struct patch_registers *);
void	pid_hit_several(struct patch_probe *, const struct patch_registers *);

/* Called in the main thread, before any place is reached. */
void	pid_know_stack(void);

/* ------------------------------------------------------------ descriptions */

/*
 * pid_wanted_begin() reads TBUF_PID, and returns false if it asks for nothing
 * in this process.  pid_wanted_later() returns true if it may ask for functions
 * of objects that are loaded later; else pid_wanted_end() is due.
 */
bool	pid_wanted_begin(void);
bool	pid_wanted_later(void);
void	pid_wanted_end(void);

/* Returns true if TBUF_PID_OPTIONS, a list with commas, has a word. */
bool	pid_option(const char *word);

/*
 * Gets the name by which a description calls an object: its base name, a part
 * of that, or a.out.  Returns false if none matches it.
 */
#define PID_MODULE	256u

bool	pid_wanted_module(const char *module, bool is_program,
	    char name[PID_MODULE]);

/*
 * Notes that an object is refused as a whole, which is reported, or that its
 * functions have names.
 */
void	pid_wanted_found(const char *module, bool is_program, bool is_refused,
	    bool has_symbols);

/* Reports, by tell(), descriptions of this process that match no function. */
typedef void pid_tell(const char *module, const char *function,
	    const char *name, const char *problem);

void	pid_wanted_tell(pid_tell *tell);

/* Returns true if a description matches a function's entry, or its return. */
bool	pid_wanted(const char *module, bool is_program, const char *function,
	    enum pid_kind);

/* A function, as descriptions may call it. */
struct pid_callee {
	const char *module;		/* base name of the object's file */
	bool is_program;
	const struct pid_alias *aliases; /* the best first */
	size_t naliases;
	uint64_t offset;		/* of a PID_SPOT */
};

/* A name of a place. */
struct pid_called {
	char module[PID_MODULE];
	const char *symbol;		/* NULL: it is the scoped name */
	char scoped[PID_SCOPED];
	const char *name;
	size_t description;		/* the first one that has it */
};

#define PID_NAMES_MAX	(TBUF_ELDERS_MAX + 1)

struct pid_names {
	struct pid_called all[PID_NAMES_MAX];
	size_t n;
};

/*
 * Gets the names of a place: each description that matches it matches a name.
 * Those that have no glob have their own names.  Others take such a one if they
 * match it, else the function's best name and the first of the module that they
 * match.  Names are in the order of their descriptions; of several that a glob
 * matches, its clause has the first.
 */
void	pid_wanted_names(const struct pid_callee *, enum pid_kind,
	    struct pid_names *);

static inline const char *
pid_called_function(const struct pid_called *called)
{
	return (called->symbol == NULL ? called->scoped : called->symbol);
}

/* Returns true if a description matches a function, and may match a probe. */
bool	pid_wanted_some(const char *module, bool is_program,
	    const char *function);

/* Visits the offsets of instructions that descriptions want of a function. */
void	pid_wanted_offsets(const char *module, bool is_program,
	    const char *function, void (*visit)(void *, uint64_t offset,
	    const char *name), void *arg);

/* ------------------------------------------------------------ types */

#define PID_NAME	64u	/* bytes of an argument's name */

/* The arguments of a function's entry, and the value that it returns. */
struct pid_signature {
	unsigned nargs;
	enum tbuf_type types[PID_ARGS], result;
	uint8_t vectors[PID_ARGS];	/* as in struct pid_sites */
	char names[PID_ARGS][PID_NAME];	/* "": argN */
};

/*
 * pid_types_begin() reads the file that TBUF_PID_TYPES names (types.h), and
 * pid_types_end() frees it.  pid_types_object() takes the functions of an
 * object whose file is open, and returns false if only another object has the
 * name of that file.  pid_types_find() finds a function by its address in the
 * file.
 */
struct pid_object;

void	pid_types_begin(void);
void	pid_types_end(void);
bool	pid_types_object(const struct pid_object *, int fd);
bool	pid_types_find(uintptr_t address, struct pid_signature *);

/* ------------------------------------------------------------ objects */

/* The entry and the exits of a function. */
struct pid_pair {
	struct pid_sites entry, exits;
};

/* The probes of an object, which stay while it is loaded. */
struct pid_probes {
	struct pid_pair *pairs;		/* by wish of the plan */
	size_t npairs;
	struct pid_sites *spots;	/* by spot of the plan */
	size_t nspots;
	struct pid_place *places;	/* by point of the plan */
	size_t nplaces;
	struct patch_regions regions;	/* of an object that may be unloaded */
};

/* An object, while its functions are armed. */
struct pid_object {
	struct pid_memory memory;
	char *path;
	const char *file;		/* its base name */
	char module[PID_MODULE];	/* the name that descriptions use */
	bool is_program;
	bool is_libc;			/* or the dynamic linker */
	bool is_loading;		/* none of its code has run yet */
	struct pid_functions functions;
	struct pid_plan plan;
};

/*
 * Arms the wanted functions of objects that are new, and frees the probes of
 * those that are not there any more.
 */
void	pid_objects_update(bool is_loading);

/* Returns false while the dynamic linker changes its lists of objects. */
bool	pid_objects_complete(void);

/*
 * Returns the distance from the enable words that sites have to those that the
 * stubs of an object read.
 */
intptr_t pid_words_distance(const struct pid_object *);

/*
 * Arms the functions of the plan.  The zeroed probes become theirs; nothing of
 * them is ever moved.
 */
void	pid_arm(struct pid_object *, struct pid_probes *);

/* Frees the probes of an object that has been unloaded. */
void	pid_disarm(struct pid_probes *);

/*
 * Report that an object, or a probe, is not armed, or the latter that it is
 * (problem is NULL): in PID_LIST all wanted ones, in PID_MISSED those of them
 * that are not armed.  pid_report_look() removes PID_MISSED from the
 * environment if its file is not there.
 */
#define PID_LIST	"TBUF_PID_LIST"
#define PID_MISSED	"TBUF_PID_MISSED"

void	pid_report_look(void);
void	pid_report_begin(void);
void	pid_report_end(void);
void	pid_report_object(const char *module, const char *problem);
void	pid_report_probe(const char *module, const char *function,
	    const char *name, const char *problem);

/*
 * Reports that an object from a path has no types, as tbufctl has read them
 * from another file.
 */
void	pid_report_untyped(const char *module, const char *path);

/* Reports a description that matches no function so far. */
pid_tell pid_report_absent;

/* Reports that some places of a probe are armed, and others are not. */
void	pid_report_part(const char *module, const char *function,
	    const char *name, const char *problem);

#pragma GCC visibility pop

#endif
