/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of programs, from their DWARF.
 *
 *	types_server.c	sources of types: processes, a command
 *	dwarf.c		modules: an executable, its libraries
 *	dwarf_names.c	names in a module, parameters in symbols
 *	dwarf_read.c	one level of a type, types compared
 *	dwarf_argument.c	the type of an argument of a probe
 *	dwarf_function.c	parameters of functions
 *	dwarf_abi.c	where a call has these
 *
 * A file may be damaged, or made to harm: an answer is one type, of bounded
 * size, found in bounded time.
 */
#ifndef TBUFCTL_DEBUGINFO_DWARF_H
#define TBUFCTL_DEBUGINFO_DWARF_H

#include <sys/types.h>

#include <limits.h>

#include <elfutils/libdwfl.h>

#include "tbufd.h"

/* Kind of a function's name; a probe's arguments may be its variables. */
#define DWARF_FUNCTION	(D_IMPORT_ENUMERATOR + 1)
#define DWARF_SYMBOL	(D_IMPORT_ENUMERATOR + 2)	/* if it differs */

struct dwarf_name {
	const char *name;
	unsigned kind;			/* enum d_import_kind */
	uint32_t next;			/* in the hash chain: index + 1 */
	Dwarf_Die die;
};

/* A function that no other object calls, by its symbol. */
struct dwarf_local {
	uint64_t address;
	bool is_copy;		/* of gcc, for certain callers */
	bool may_not_return;	/* a value */
};

struct dwarf_module {
	struct dwarf_module *next;
	Dwfl_Module *module;
	const char *name;		/* of the file, without the path */
	bool is_program;		/* and no library */
	bool looked;			/* names have been read */
	bool has_locals;		/* the next list has been made */
	struct dwarf_local *locals;	/* sorted */
	size_t nlocals, locals_room;
	struct dwarf_name *names;
	size_t count, room;
	uint32_t *hash;
	size_t buckets;			/* a power of two */
};

/* A type that has an id. */
struct dwarf_type {
	Dwarf_Die die;
	unsigned dimension;		/* of an array, from 0 on */
	uint32_t next;
	struct dwarf_module *module;
};

#define DWARF_HASH	1024

struct dwarf_types {
	struct dwarf_type *all;		/* by id - 1 */
	size_t count, room;
	uint32_t hash[DWARF_HASH];
	/* Members of the type that was read last. */
	struct d_import_member *members;
	size_t nmembers, members_room;
};

/* --- modules ----------------------------------------------------------- */

/* Open a process, or a program by its path; NULL without modules. */
Dwfl	*dwarf_open_process(pid_t);
Dwfl	*dwarf_open_program(const char *path);
/* Opens a file alone. */
Dwfl	*dwarf_open_object(const char *path);
/* A file that a process that has ended had mapped, and where its code was. */
struct dwarf_mapped {
	uint64_t start, offset, inode;
	const char *path;
};
Dwfl	*dwarf_open_mapped(const struct dwarf_mapped *, size_t count);
/* Lists the modules; one has the program's path, which may be NULL. */
struct dwarf_module *dwarf_modules(Dwfl *, const char *program);
void	dwarf_modules_free(struct dwarf_module *);
/*
 * Returns true if the module has this name: libfoo and libfoo.so are
 * libfoo.so.1, too, a.out is the program, and _ in `name` stands for any
 * character that identifiers do not have.
 */
bool	dwarf_module_is(const struct dwarf_module *, const char *name);

/* --- names ------------------------------------------------------------- */

/* Returns the first entry of the name after `after` (NULL: of all), or NULL. */
const struct dwarf_name *dwarf_name_find(struct dwarf_module *, unsigned kind,
	    const char *name, const struct dwarf_name *after);

/* Returns the name that a function's symbol has, or NULL. */
const char *dwarf_symbol(Dwarf_Die *function);

/* --- types ------------------------------------------------------------- */

/*
 * Returns the id of a type; 0 if there are too many.  With DWARF_ADDRESS in the
 * place of a dimension it is that of a pointer to the type.
 */
#define DWARF_ADDRESS	UINT_MAX

uint64_t dwarf_type_id(struct dwarf_types *, struct dwarf_module *,
	    const Dwarf_Die *, unsigned dimension);
/* Returns the id of the type of a variable, a pointer and so on; 0: void. */
uint64_t dwarf_type_of(struct dwarf_types *, struct dwarf_module *,
	    Dwarf_Die *);
bool	dwarf_type_read(struct dwarf_types *, uint64_t id, struct d_import *);
/* Returns true if two ids are those of one type, in several compile units. */
bool	dwarf_same(struct dwarf_types *, uint64_t a, uint64_t b);
void	dwarf_types_free(struct dwarf_types *);
/*
 * Leaves out the typedefs and qualifiers of a type.  Returns false if they are
 * those of no type, which is void, or too many.
 */
bool	dwarf_strip(Dwarf_Die *type);
/* Read an attribute that leads to another entry, and one that is a number. */
bool	dwarf_follow(Dwarf_Die *, unsigned attribute, Dwarf_Die *to);
bool	dwarf_number(Dwarf_Die *, unsigned attribute, uint64_t *value);
/* Finds a member's offset: a number, or an expression that adds one. */
bool	dwarf_location(Dwarf_Die *member, uint64_t *offset);

/* Returns the type of a function's variable or parameter; 0 if not certain. */
uint64_t dwarf_argument(struct dwarf_types *, struct dwarf_module *,
	    const char *function, const char *name);

#endif
