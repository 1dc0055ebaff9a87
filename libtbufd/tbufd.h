/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The interface of the D compiler; doc/dlang.md describes its design.
 *
 * A compiler is opened once for each command and compiles sources one by one:
 * the libraries, then the texts of -s, -n and similar options.  Declarations of
 * one source are known in later ones.  d_close() frees all its memory,
 * including the trees that it returned.
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
	/* A second name of the provider, or NULL: see d_provider_bare(). */
	const char *bare;
	/* Another description of which the same holds, or NULL. */
	const struct d_description *others;
};

/*
 * Returns the length of the part of a provider's glob before a class of digits
 * that may stand for a pid, as in DTrace's provider names: that of python in
 * python[0-9]*.  0 if the glob has no such class.
 */
size_t	d_provider_bare(const char *provider, size_t length);

/*
 * Stability of a name, of its meaning (data), and the class of platforms it
 * depends on; 0 is the lowest level of each.
 */
struct d_stability {
	uint8_t name, data, class;
};

/*
 * Parses "Evolving/Evolving/Common" in any case; missing parts at the end are
 * the highest level.  Returns false if the text is not a stability.
 */
bool	d_stability_parse(const char *text, struct d_stability *stability);
const char *d_stability_level(unsigned level);	/* of name, data */
const char *d_stability_class(unsigned class);

/* D_VERSION(1, 6, 2) is version 1.6.2. */
#define D_VERSION(major, minor, micro)					\
	((unsigned)(major) << 24 | (unsigned)(minor) << 12 | (unsigned)(micro))
#define D_VERSION_LATEST	D_VERSION(2, 0, 6)

/* The class of a probe's argument. */
enum d_class {
	D_CLASS_NONE,		/* there is no such argument */
	D_CLASS_INTEGER,
	D_CLASS_UNSIGNED,	/* 64 bits; pointers too */
	D_CLASS_FLOAT,
	D_CLASS_TEXT,
	D_CLASS_ANY,		/* no such probe is known: any class may fit */
};

/*
 * A type of a traced program.  The caller describes one level of it; the types
 * it refers to are given by ids, which are not 0.
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
	D_IMPORT_ENUMERATOR,	/* searched by name: the answer is its enum */
};

struct d_import_member {
	const char *name;	/* NULL: its members belong to the outer type */
	uint64_t type;
	uint64_t offset;	/* bytes */
	unsigned bit, bits;	/* of a bit-field: first bit, size */
	int64_t value;		/* of an enumerator */
};

struct d_import {
	enum d_import_kind kind;
	bool is_signed;
	bool is_character;
	const char *name;	/* a tag or a typedef's name, or NULL */
	uint64_t size;		/* bytes */
	uint64_t of;		/* of a pointer, array or typedef */
	uint64_t count;		/* elements of an array */
	const struct d_import_member *members;	/* or enumerators */
	size_t nmembers;
};

/* The compiler's questions to its caller. */
struct d_callbacks {
	void *context;
	/* Sets an option.  Returns NULL, or why it could not be set. */
	const char *(*set_option)(void *context, const char *name,
	    const char *value);
	/* Returns true if a probe matches the description. */
	bool (*probe_exists)(void *context, const struct d_description *d);
	/* Returns true if the description names a probe of the caller. */
	bool (*probe_is_own)(void *context, const struct d_description *d);
	/*
	 * Returns the class of an argument of a clause's probes, by its name,
	 * or by its number if the name is NULL.
	 */
	enum d_class (*argument)(void *context,
	    const struct d_description *d, const char *name, uint64_t number);
	/* Returns the class to try first if it is D_CLASS_ANY; or NONE. */
	enum d_class (*likely)(void *context, const struct d_description *d,
	    const char *name, uint64_t number);
	/* Finds the probe of an id (-i, and numbers in scripts). */
	bool (*probe_by_id)(void *context, uint64_t id,
	    struct d_description *d);
	/* Returns further descriptions that mean the same; or NULL. */
	const struct d_description *(*others)(void *context,
	    const struct d_description *d);
	/*
	 * Types of the traced programs, of one module if that is not NULL: the
	 * id of a named type or of an argument's type, or 0; and a description
	 * of a type, which is valid until the next call.
	 */
	uint64_t (*type_find)(void *context, const char *module,
	    enum d_import_kind kind, const char *name);
	uint64_t (*argument_type)(void *context,
	    const struct d_description *d, const char *name, uint64_t number);
	/* Returns true if the latter two arguments had one type. */
	bool (*type_same)(void *context, uint64_t id, uint64_t other);
	/*
	 * Returns the id of the type of a parameter of the probes' function
	 * that is in an integer argument, and that argument's number, by the
	 * parameter's name, or by the number if the name is NULL; or 0.  A
	 * member of a structure has its path as name, such as "view._M_str",
	 * and begins at bit `shift'.
	 */
	uint64_t (*argument_place)(void *context,
	    const struct d_description *d, const char *name,
	    uint64_t *number, uint64_t *shift);
	bool (*type_read)(void *context, uint64_t id, struct d_import *type);
	/* Returns true if the pid is that of a traced program. */
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
	struct d_stability least;	/* lower stability is an error */
	uint64_t strsize;		/* 0: 256 */
	uint64_t scratchsize;		/* 0: not set */
	uint64_t stackframes;		/* 0: 20, as for the next two */
	uint64_t ustackframes;
	uint64_t jstackframes;
	uint64_t maxframes;		/* cut longer stacks to it; 0: none */
	uint64_t tregs;			/* a key may have one part more; 0: 8 */
	bool ilp32;			/* long and pointers have 32 bits */
	bool raw;			/* the consumer unwinds stacks */
	bool defaultargs;		/* missing arguments are 0 or "" */
	bool argref;			/* arguments may be left unused */
	bool empty;			/* an empty program is not an error */
	bool pspec;			/* names in outer scope are probes */
	bool zdefs;			/* descriptions may match nothing */
};

struct d_source {
	const char *text;
	size_t length;
	bool is_script;			/* a description needs a body */
	bool has_lines;			/* errors have a line */
	bool is_library;		/* declarations for later sources */
	const char *name;		/* path of a library, for its errors */
	enum d_field field;		/* field of a description's last part */
	int argc;			/* $0 and the arguments */
	const char *const *argv;
};

#define D_ERROR_TEXT	2048

/* The kind of name that was expected where a name is unknown. */
enum d_unknown {
	D_UNKNOWN_NONE,
	D_UNKNOWN_VARIABLE,
	D_UNKNOWN_FUNCTION,
	D_UNKNOWN_TYPE,		/* a typedef */
	D_UNKNOWN_EITHER,	/* a typedef or a variable */
	D_UNKNOWN_TAG,
	D_UNKNOWN_MEMBER,	/* in the structure that is remembered */
	D_UNKNOWN_PROBE,	/* no probe matches the description */
	D_UNKNOWN_OPTION,	/* it could not be set, perhaps by its value */
	D_UNKNOWN_WORD,		/* the word does not fit there */
	D_UNKNOWN_FORM,		/* the name is a form that would be right */
};

/* Why a source does not compile. */
struct d_error {
	const char *tag;		/* as D_SYNTAX; "" if it has none */
	const char *region;		/* "action list", "predicate", NULL */
	int line;			/* if the source has lines; or 0 */
	char file[256];			/* of a library or #line, or empty */
	char text[D_ERROR_TEXT];
	unsigned program;		/* number of d_generate()'s program */
	enum d_unknown unknown;
	char name[128];
	/* The clause's, valid as long as the compiler; or NULL. */
	const struct d_description *description;
};

/* Opens a compiler.  Returns NULL if there is no memory. */
struct d_compiler *d_open(const struct d_options *options);
void	d_close(struct d_compiler *compiler);

/*
 * Compiles a source.  Returns the program's tree, with its clauses checked, or
 * NULL after an error.  The tree is valid as long as the compiler.
 */
struct d_node *d_compile(struct d_compiler *compiler,
	    const struct d_source *source, struct d_error *error);

/* Parses a source without looking up identifiers or checking types. */
struct d_node *d_parse(struct d_compiler *compiler,
	    const struct d_source *source, struct d_error *error);

/*
 * Generates one script from all of a command's trees, in their order.  Returns
 * NULL after an error.  The script is valid as long as the compiler.
 */
struct tbuf_d_script;
const struct tbuf_d_script *d_generate(struct d_compiler *compiler,
	    struct d_node *const *programs, unsigned nprograms,
	    struct d_error *error);

/*
 * Says why a clause of the last script does not fit a probe: the clause is
 * compiled again for the classes of its `names`, with D_CLASS_NONE for an
 * argument that the probe lacks.  Returns false if it compiles.
 */
bool	d_explain(struct d_compiler *compiler, uint32_t clause,
	    const enum d_class *classes, struct d_error *error);

/*
 * Returns the n-th description of a program's clauses, from 0, or NULL.  DTrace
 * counts its clause *parts times at each probe, more than once if it has an if.
 */
const struct d_description *d_program_description(const struct d_node *program,
	    unsigned n, unsigned *parts);

/* Finds the lowest stability of all descriptions and of all statements. */
void	d_program_stability(const struct d_node *program,
	    struct d_stability *descriptions, struct d_stability *statements);

/* True if a clause has an if; DTrace adds a clause at ERROR to the first. */
bool	d_program_has_if(const struct d_node *program);

/*
 * Returns the n-th note, from 0, on a key's stack that has fewer frames than
 * the program asks for; NULL if there is no other.
 */
const char *d_lowered(const struct d_compiler *compiler, unsigned n);

/* Returns the first destructive action of the scripts, or NULL. */
const char *d_destructive(const struct d_compiler *compiler);

/*
 * Visits the names of variables, functions or types that every program knows;
 * for D_UNKNOWN_MEMBER the members of the last error's structure.
 */
void	d_names(struct d_compiler *compiler, enum d_unknown what,
	    void (*visit)(void *, const char *name), void *arg);

/* Prints the script's programs and the variables that each uses, for -S. */
void	d_disassemble(const struct tbuf_d_script *script, FILE *out);

/* Prints a tree for tests, one line a node. */
void	d_dump(const struct d_node *node, FILE *out);

/* Prints an error: its place, its tag if `tags`, its text. */
void	d_error_print(const struct d_error *error, bool tags, FILE *out);

#endif
