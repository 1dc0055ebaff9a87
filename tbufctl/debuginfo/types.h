/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of the programs that are traced, for scripts that name them.  Nothing
 * is opened before one is asked for, and then by another process.
 */
#ifndef TBUFCTL_DEBUGINFO_TYPES_H
#define TBUFCTL_DEBUGINFO_TYPES_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/pipe_message.h"
#include "probe_sites.h"
#include "tbufd.h"

struct types_source;

struct types {
	struct types_source *first, **last;
	pid_t reader;			/* 0: there is none */
	int fd;				/* to it */
	bool failed;
	struct parcel question, answer, names;
	struct d_import_member *members;	/* of the type read last */
};

/* Whose types there are: those that came first are asked first. */
void	types_add_process(struct types *, pid_t);
void	types_add_command(struct types *, const char *name);
void	types_free(struct types *);

/* The probes that commands among them will have. */
void	types_sites(struct types *, struct sites *);

/* Visit the names of typedefs, or else the tags of all kinds. */
void	types_names(struct types *, enum d_import_kind,
	    void (*visit)(void *, const char *name), void *);

/* As struct d_callbacks has them. */
uint64_t types_find(struct types *, const char *module, enum d_import_kind,
	    const char *name);
uint64_t types_argument(struct types *, const char *module,
	    const char *function, const char *name);
bool	types_read(struct types *, uint64_t id, struct d_import *);

#endif
