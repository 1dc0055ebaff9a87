/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions as the pid provider knows them: which words of a call have which
 * parameters.
 */
#ifndef TBUFCTL_DEBUGINFO_DWARF_FUNCTION_H
#define TBUFCTL_DEBUGINFO_DWARF_FUNCTION_H

#include <tbuf.h>

#include "dwarf.h"

/*
 * An argument of an entry: the word of its number of a call, of a type that may
 * be narrower, or a floating-point number in a vector register.  "": no
 * parameter has it, or a part of one.
 */
struct dwarf_word {
	const char *name;
	enum tbuf_type type;
	uint8_t vector;		/* PID_VECTOR and so on; 0: a word */
};

/* A parameter without a word. */
struct dwarf_lack {
	const char *name, *why;
};

struct dwarf_function {
	const char *name;	/* as symbols have it */
	uint64_t address;	/* in the file */
	unsigned nwords, nlacks;
	struct dwarf_word words[TBUF_ARGS_MAX];
	struct dwarf_lack lacks[TBUF_ARGS_MAX];
	enum tbuf_type result;
};

/* Visits the functions of a module that `wants` accepts. */
void	dwarf_functions(struct dwarf_module *,
	    bool (*wants)(void *, uint64_t address, const char *name),
	    void (*visit)(void *, const struct dwarf_function *), void *arg);

/*
 * Returns the name of a symbol of a module, if that is a function, and finds
 * its address in the file; `i` is less than dwarf_symbols().  `is_local` may be
 * NULL; it becomes true for a symbol that other objects do not see.
 */
int	dwarf_symbols(const struct dwarf_module *);
const char *dwarf_symbol_get(const struct dwarf_module *, int i,
	    uint64_t *address, bool *is_local);

/*
 * Return the id of the type of a parameter, and of the value returned; 0 if it
 * has none, DWARF_DIFFERS if functions of the name do not agree in it.  That of
 * an object that is passed, or returned, by address is a pointer.
 */
#define DWARF_DIFFERS	UINT64_MAX

uint64_t dwarf_parameter(struct dwarf_types *, struct dwarf_module *,
	    const char *function, const char *name);
uint64_t dwarf_result(struct dwarf_types *, struct dwarf_module *,
	    const char *function);

/*
 * Likewise of a parameter that is in a word of a call, by its name, or without
 * one by the word; finds the word.  A name such as "view._M_str" is that of a
 * member of a structure that is passed by value; its value begins at bit
 * `shift' of the word.
 */
uint64_t dwarf_place(struct dwarf_types *, struct dwarf_module *,
	    const char *function, const char *name, uint64_t *word,
	    uint64_t *shift);

/* Finds a member of a structure by its path, and its place in bytes. */
bool	dwarf_member(Dwarf_Die *type, const char *path, Dwarf_Die *member,
	    uint64_t *offset);

/*
 * Returns true if C++ passes and returns a class by the address of a copy, as
 * copies of it, or their ends, run code of the program.  gcc does not say so.
 */
bool	dwarf_by_address(Dwarf_Die *type);

/*
 * Counts the parameters of a function by its symbol, and the first ones that
 * are pointers, references or numbers of C.  Returns false if they are not
 * certain.
 */
bool	dwarf_mangled(const char *symbol, unsigned *all, unsigned *plain);

/* --- the ABI ----------------------------------------------------------- */

#define DWARF_NO_WORD	UINT32_MAX

/* The registers that pass integers are a call's first words. */
#ifdef __aarch64__
#define DWARF_REGISTERS	8u
#else
#define DWARF_REGISTERS	6u
#endif

/* The registers and words that a call's parameters have taken so far. */
struct dwarf_call {
	unsigned integers, vectors;	/* registers */
	unsigned stack;			/* words */
};

/* A floating-point number of a parameter in a vector register. */
struct dwarf_float {
	uint8_t vector;		/* PID_VECTOR and so on */
	enum tbuf_type type;
};

/*
 * A parameter's first word, DWARF_NO_WORD if it is in vector registers alone,
 * and the numbers that are in these.  All bytes of a whole one are in registers
 * of words.
 */
#define DWARF_FLOATS	4u

struct dwarf_taken {
	unsigned word, nfloats;
	bool is_whole;
	struct dwarf_float floats[DWARF_FLOATS];
};

/*
 * Return true if the word of a parameter, and that of the value returned, is
 * the address of an object of this type.
 */
bool	dwarf_passes_address(Dwarf_Die *type);
bool	dwarf_returns_address(Dwarf_Die *type);

/*
 * dwarf_call_result() begins with the value that the function returns, and
 * dwarf_call_take() finds the place of the next parameter.  They return false
 * if that is not certain.
 */
bool	dwarf_call_result(struct dwarf_call *, Dwarf_Die *function);
bool	dwarf_call_take(struct dwarf_call *, Dwarf_Die *type,
	    struct dwarf_taken *);

/* Finds the size of a pointer to a member of a class. */
bool	dwarf_member_pointer(Dwarf_Die *type, uint64_t *size);

/* Finds the type of an entry without typedefs and qualifiers. */
bool	dwarf_plain_type(Dwarf_Die *, Dwarf_Die *type);

#endif
