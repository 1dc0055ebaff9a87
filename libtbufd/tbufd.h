/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The D compiler, for who calls it.  doc/dlang.md says how it is made.
 *
 * A compiler is opened once a command and is given one source after the other:
 * libraries, then what -s, -n and their like name.  What one source declares
 * the later ones know.  All its memory, and that of the trees it gives, is
 * freed when it is closed.
 */
#ifndef TBUFD_H
#define TBUFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct d_compiler;
struct d_node;

/* The four fields of a probe description, from the left. */
enum d_field {
	D_FIELD_PROVIDER,
	D_FIELD_MODULE,
	D_FIELD_FUNCTION,
	D_FIELD_NAME,
};

/* A probe description; an empty field is any. */
struct d_description {
	const char *field[4];
	/* What the provider may be, too, see below; NULL if nothing else. */
	const char *bare;
};

/*
 * How long the part of a provider's glob is in front of a class of digits that
 * may stand for a pid, as DTrace has behind such names: python of
 * python[0-9]*.  0 if there is none.
 */
size_t	d_provider_bare(const char *provider, size_t length);

/*
 * How stable names are, what they mean, and on how many machines they do: 0 is
 * the lowest of each.
 */
struct d_stability {
	uint8_t name, data, class;
};

/*
 * "Evolving/Evolving/Common" in any case; what is missing behind is the
 * highest.  False if it is none.
 */
bool	d_stability_parse(const char *text, struct d_stability *stability);
const char *d_stability_level(unsigned level);	/* of name, data */
const char *d_stability_class(unsigned class);

/* D_VERSION(1, 6, 2) is version 1.6.2. */
#define D_VERSION(major, minor, micro)					\
	((unsigned)(major) << 24 | (unsigned)(minor) << 12 | (unsigned)(micro))
#define D_VERSION_LATEST	D_VERSION(2, 0, 6)

/* What an argument of a probe is. */
enum d_class {
	D_CLASS_NONE,		/* there is no such argument */
	D_CLASS_INTEGER,
	D_CLASS_UNSIGNED,	/* of 64 bits; pointers too */
	D_CLASS_FLOAT,
	D_CLASS_TEXT,
	D_CLASS_ANY,		/* no such probe is known: whatever fits */
};

/*
 * A type of a program that is traced.  The caller tells one level of it; what
 * it is made of is known by ids, which are not 0.
 */
enum d_import_kind {
	D_IMPORT_VOID,
	D_IMPORT_INTEGER,
	D_IMPORT_FLOAT,
	D_IMPORT_POINTER,
	D_IMPORT_ARRAY,
	D_IMPORT_FUNCTION,
	D_IMPORT_STRUCT,
	D_IMPORT_UNION,
	D_IMPORT_ENUM,
	D_IMPORT_TYPEDEF,
	D_IMPORT_ENUMERATOR,	/* asked for by name: its enum is the answer */
};

struct d_import_member {
	const char *name;	/* NULL: its members are the outer one's */
	uint64_t type;
	uint64_t offset;	/* bytes */
	unsigned bit, bits;	/* of a bit-field: its first one in there */
	int64_t value;		/* an enumerator's */
};

struct d_import {
	enum d_import_kind kind;
	bool is_signed;
	bool is_character;
	const char *name;	/* a tag, or a typedef's; NULL: none */
	uint64_t size;		/* bytes */
	uint64_t of;		/* what it points to, is made of, stands for */
	uint64_t count;		/* an array's elements */
	const struct d_import_member *members;	/* enumerators too */
	size_t nmembers;
};

/* How the compiler asks about what it does not know itself. */
struct d_callbacks {
	void *context;
	/* Sets an option; NULL, or why it could not. */
	const char *(*set_option)(void *context, const char *name,
	    const char *value);
	/* Is there such a probe? */
	bool (*probe_exists)(void *context, const struct d_description *d);
	/*
	 * An argument of a clause's probes: by its name, or by its number if
	 * the name is NULL.
	 */
	enum d_class (*argument)(void *context,
	    const struct d_description *d, const char *name, uint64_t number);
	/* Of one of D_CLASS_ANY: which is tried first; NONE: nobody knows. */
	enum d_class (*likely)(void *context, const struct d_description *d,
	    const char *name, uint64_t number);
	/* The probe of an id (-i, and numbers in scripts). */
	bool (*probe_by_id)(void *context, uint64_t id,
	    struct d_description *d);
	/*
	 * Types of the programs that are traced; of a module, if that is not
	 * NULL.  The id of the one that has a name, of an argument, or 0; and
	 * what it is, which holds until the next call.
	 */
	uint64_t (*type_find)(void *context, const char *module,
	    enum d_import_kind kind, const char *name);
	uint64_t (*argument_type)(void *context,
	    const struct d_description *d, const char *name, uint64_t number);
	bool (*type_read)(void *context, uint64_t id, struct d_import *type);
	/* Is it the pid of a program that is traced? */
	bool (*is_traced)(void *context, int64_t pid);
};

/* A macro variable beside the arguments: $pid, $uid and so on. */
struct d_macro {
	const char *name;
	int64_t value;
};

struct d_options {
	struct d_callbacks callbacks;
	const struct d_macro *macros;	/* ends with a name of NULL */
	unsigned version;		/* 0: the latest */
	struct d_stability least;	/* what is below it is an error */
	uint64_t strsize;		/* 0: 256 */
	uint64_t scratchsize;		/* 0: not set */
	uint64_t stackframes;		/* 0: 20; so are the next two */
	uint64_t ustackframes;
	uint64_t jstackframes;
	uint64_t maxframes;		/* more are cut to it; 0: none are */
	uint64_t tregs;			/* a key has one part more; 0: 8 */
	bool ilp32;			/* long and pointers have 32 bits */
	bool raw;			/* stacks are to be unwound */
	bool defaultargs;		/* missing arguments are 0 or "" */
	bool argref;			/* arguments may be left unused */
	bool empty;			/* an empty program is none, no error */
	bool pspec;			/* names in outer scope are probes */
	bool zdefs;			/* descriptions may match nothing */
};

struct d_source {
	const char *text;
	size_t length;
	bool is_script;			/* its errors have a line */
	bool is_library;		/* declarations for later sources */
	const char *name;		/* a library's path, for its errors */
	enum d_field field;		/* what a description's last field is */
	int argc;			/* $0 and the arguments */
	const char *const *argv;
};

#define D_ERROR_TEXT	2048

/* What a name that nobody knows should have been. */
enum d_unknown {
	D_UNKNOWN_NONE,
	D_UNKNOWN_VARIABLE,
	D_UNKNOWN_FUNCTION,
	D_UNKNOWN_TYPE,		/* a typedef's name */
	D_UNKNOWN_EITHER,	/* that, or a variable's */
	D_UNKNOWN_TAG,
	D_UNKNOWN_MEMBER,	/* of a structure that the compiler remembers */
	D_UNKNOWN_PROBE,	/* the description is what nobody knows */
};

/* Why a source does not compile. */
struct d_error {
	const char *tag;		/* D_SYNTAX; "": it has none */
	const char *region;		/* "action list", "predicate", NULL */
	int line;			/* of a script; otherwise 0 */
	char file[256];			/* of a library or #line, or empty */
	char text[D_ERROR_TEXT];
	enum d_unknown unknown;
	char name[128];
	/* Of the clause, which lives as long as the compiler; or NULL. */
	const struct d_description *description;
};

/* NULL if there is no memory. */
struct d_compiler *d_open(const struct d_options *options);
void	d_close(struct d_compiler *compiler);

/*
 * Compile a source: the program's tree, whose clauses have been checked; NULL
 * if it is in error.  It lives as long as the compiler.
 */
struct d_node *d_compile(struct d_compiler *compiler,
	    const struct d_source *source, struct d_error *error);

/* Only read it: no identifier is looked up, no type is checked. */
struct d_node *d_parse(struct d_compiler *compiler,
	    const struct d_source *source, struct d_error *error);

/*
 * The script of all of a command's trees, in their order; NULL if it is in
 * error.  It lives as long as the compiler.
 */
struct tbuf_d_script;
const struct tbuf_d_script *d_generate(struct d_compiler *compiler,
	    struct d_node *const *programs, unsigned nprograms,
	    struct d_error *error);

/*
 * The n-th description of a program's clauses, from 0; NULL behind the last.
 * To DTrace a clause with an if is so many clauses at each of its probes.
 */
const struct d_description *d_program_description(const struct d_node *program,
	    unsigned n, unsigned *parts);

/* The lowest of its descriptions, and of what their clauses do. */
void	d_program_stability(const struct d_node *program,
	    struct d_stability *descriptions, struct d_stability *statements);

/* Has a clause of it an if?  DTrace adds a clause at ERROR to the first one. */
bool	d_program_has_if(const struct d_node *program);

/*
 * Visit the names of variables, of functions or of types that every program
 * knows; or of the members there were where the last error was one.
 */
void	d_names(struct d_compiler *compiler, enum d_unknown what,
	    void (*visit)(void *, const char *name), void *arg);

/* Its programs, and the variables that each uses, as -S shows them. */
void	d_disassemble(const struct tbuf_d_script *script, FILE *out);

/* What tests compare: one line a node. */
void	d_dump(const struct d_node *node, FILE *out);

/* The error as it is shown: its place, its tag if asked for, its text. */
void	d_error_print(const struct d_error *error, bool tags, FILE *out);

#endif
