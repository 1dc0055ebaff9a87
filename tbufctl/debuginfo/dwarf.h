/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of programs, by their DWARF.
 *
 *	types_server.c	whose they are: processes, a command
 *	dwarf.c		modules: an executable, its libraries
 *	dwarf_mapped.c	... of a process that has ended
 *	dwarf_names.c	what a module has, by name
 *	dwarf_read.c	one level of a type
 *	dwarf_argument.c	of which type an argument of a probe is
 *
 * A file may be damaged, or made to harm: whatever it says is one type at a
 * time, of bounded size, and found in bounded time.
 */
#ifndef TBUFCTL_DEBUGINFO_DWARF_H
#define TBUFCTL_DEBUGINFO_DWARF_H

#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "tbufd.h"

/* Names of functions too, in which arguments are variables. */
#define DWARF_FUNCTION	(D_IMPORT_ENUMERATOR + 1)

struct dwarf_name {
	const char *name;
	unsigned kind;			/* enum d_import_kind */
	uint32_t next;			/* of the same hash: index + 1 */
	Dwarf_Die die;
};

struct dwarf_module {
	struct dwarf_module *next;
	Dwfl_Module *module;
	const char *name;		/* of its file, without the path */
	bool looked;			/* its names are known */
	struct dwarf_name *names;
	size_t count, room;
	uint32_t *hash;
	size_t buckets;			/* a power of two */
};

/* What a type's id stands for. */
struct dwarf_type {
	Dwarf_Die die;
	unsigned dimension;		/* of an array's */
	uint32_t next;
	struct dwarf_module *module;
};

#define DWARF_HASH	1024

struct dwarf_types {
	struct dwarf_type *all;		/* id - 1 */
	size_t count, room;
	uint32_t hash[DWARF_HASH];
	/* What was read last. */
	struct d_import_member *members;
	size_t nmembers, members_room;
};

/* --- modules ----------------------------------------------------------- */

/* A process, or a program that a path names; NULL if it has no modules. */
Dwfl	*dwarf_open_process(pid_t);
Dwfl	*dwarf_open_program(const char *path);
/* What had files mapped, and has ended: each where its code was. */
struct dwarf_mapped {
	uint64_t start, offset, inode;
	const char *path;
};
Dwfl	*dwarf_open_mapped(const struct dwarf_mapped *, size_t count);
/* Nothing more is reported; NULL, and it is freed, if that was in vain. */
Dwfl	*dwarf_reported(Dwfl *, bool good);
/* Split debug files, as libdwfl looks for them. */
int	dwarf_find_debuginfo(Dwfl_Module *, void **data, const char *name,
	    Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
	    char **found);
struct dwarf_module *dwarf_modules(Dwfl *);
void	dwarf_modules_free(struct dwarf_module *);
/* libfoo.so.1 is libfoo, too; what no identifier has is _. */
bool	dwarf_module_is(const struct dwarf_module *, const char *name);

/* --- names ------------------------------------------------------------- */

/* The first one behind `after`, or NULL. */
const struct dwarf_name *dwarf_name_find(struct dwarf_module *, unsigned kind,
	    const char *name, const struct dwarf_name *after);

/* --- types ------------------------------------------------------------- */

/* The id of a type; 0 if there are too many. */
uint64_t dwarf_type_id(struct dwarf_types *, struct dwarf_module *,
	    const Dwarf_Die *, unsigned dimension);
/* That of the type that an entry has: a variable, a pointer; 0: void. */
uint64_t dwarf_type_of(struct dwarf_types *, struct dwarf_module *,
	    Dwarf_Die *);
bool	dwarf_type_read(struct dwarf_types *, uint64_t id, struct d_import *);
void	dwarf_types_free(struct dwarf_types *);

/* A variable or parameter of a function; 0 if it is not known for certain. */
uint64_t dwarf_argument(struct dwarf_types *, struct dwarf_module *,
	    const char *function, const char *name);

#endif
