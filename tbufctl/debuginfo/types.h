/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of traced programs, for scripts that name them.  A helper process opens
 * the programs' files, and only when the first type is looked up.
 */
#ifndef TBUFCTL_DEBUGINFO_TYPES_H
#define TBUFCTL_DEBUGINFO_TYPES_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/pipe_message.h"
#include "function_types.h"
#include "probe_sites.h"
#include "tbufd.h"

struct types_source;

struct types {
	struct types_source *first, **last;
	pid_t reader;			/* the helper process; 0: none */
	int fd;				/* socket to it */
	bool failed;
	struct parcel question, answer, names;
	struct d_import_member *members;	/* of the type read last */
};

/* Add a source of types; sources are searched in the order of addition. */
void	types_add_process(struct types *, pid_t);
/*
 * The command may load objects: `files` (NULL: none) has some of these, or
 * folders with them.
 */
void	types_add_command(struct types *, char *const *command,
	    const struct words *files);
void	types_free(struct types *);

/* Adds the probes that commands among the sources will have. */
void	types_sites(struct types *, struct sites *);

/*
 * Adds the probes of functions that commands among the sources will have, for
 * descriptions as TBUF_PID has them, and reports files of objects that are of
 * no use.
 */
void	types_functions(struct types *, const char *wanted,
	    const char *provider, struct sites *, struct function_types *);

/* Visits the names of typedefs, or, for any other kind, all tags. */
void	types_names(struct types *, enum d_import_kind,
	    void (*visit)(void *, const char *name), void *);

/* Implement type_find, argument_type and type_read of struct d_callbacks. */
uint64_t types_find(struct types *, const char *module, enum d_import_kind,
	    const char *name);
uint64_t types_argument(struct types *, const char *module,
	    const char *function, const char *name);
/* Likewise of a function's own parameter, and of the value it returns. */
uint64_t types_parameter(struct types *, const char *module,
	    const char *function, const char *name);
/*
 * Likewise, and the parameter's word, and the bit at which a structure's member
 * begins there; without a name, of the parameter in a word.
 */
uint64_t types_place(struct types *, const char *module,
	    const char *function, const char *name, uint64_t *word,
	    uint64_t *shift);
uint64_t types_result(struct types *, const char *module,
	    const char *function);
/* An id that two functions of one name do not agree in. */
#define TYPES_DIFFER	UINT64_MAX
/* Returns true if two ids are those of one type. */
bool	types_same(struct types *, uint64_t, uint64_t);
bool	types_read(struct types *, uint64_t id, struct d_import *);

#endif
