/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The tree of a program.  The parser makes its nodes and folds constants; the
 * checks assign each expression its type and identifier.
 */
#ifndef LIBTBUFD_TREE_TREE_H
#define LIBTBUFD_TREE_TREE_H

#include "compiler.h"

enum node_kind {
	NODE_INTEGER,		/* value */
	NODE_STRING,		/* text */
	NODE_NAME,		/* text: not looked up yet; may begin with @ */
	NODE_VARIABLE,		/* identifier, arguments: its keys */
	NODE_AGGREGATION,	/* identifier, arguments: keys, left: call */
	NODE_CALL,		/* identifier, arguments */
	NODE_TYPE,		/* type, text: a parameter's name */
	NODE_UNARY,		/* op left */
	NODE_BINARY,		/* left op right */
	NODE_CONDITIONAL,	/* condition ? left : right */
	NODE_EXPRESSION,	/* a statement: left */
	NODE_ACTION,		/* a statement: left, an action's call */
	NODE_IF,		/* a statement: condition, left, right: lists */
	NODE_DESCRIPTION,	/* description, text: such as =0x3, or NULL */
	NODE_CLAUSE,		/* descriptions, condition, arguments: body */
	NODE_INLINE,		/* identifier, left */
	NODE_MEMBER,		/* text = left; */
	NODE_TRANSLATOR,	/* translator, arguments: members */
	NODE_PROVIDER,		/* text, arguments: probes */
	NODE_PROBE,		/* text, left: parameters, right: output */
	NODE_PROGRAM,		/* arguments */
};

enum operator {
	OP_COMMA,
	OP_ASSIGN, OP_MULTIPLY_ASSIGN, OP_DIVIDE_ASSIGN, OP_MODULO_ASSIGN,
	OP_ADD_ASSIGN, OP_SUBTRACT_ASSIGN, OP_LEFT_ASSIGN, OP_RIGHT_ASSIGN,
	OP_AND_ASSIGN, OP_XOR_ASSIGN, OP_OR_ASSIGN,
	OP_CONDITION,
	OP_LOGICAL_OR, OP_LOGICAL_XOR, OP_LOGICAL_AND,
	OP_OR, OP_XOR, OP_AND,
	OP_EQUAL, OP_UNEQUAL,
	OP_LESS, OP_GREATER, OP_LESS_EQUAL, OP_GREATER_EQUAL,
	OP_LEFT, OP_RIGHT,
	OP_ADD, OP_SUBTRACT,
	OP_MULTIPLY, OP_DIVIDE, OP_MODULO,
	OP_CAST, OP_XLATE, OP_INDEX, OP_MEMBER, OP_POINTER,
	/* Unary operators. */
	OP_PRE_INCREMENT, OP_PRE_DECREMENT,
	OP_POST_INCREMENT, OP_POST_DECREMENT,
	OP_ADDRESS, OP_DEREFERENCE, OP_PLUS, OP_MINUS, OP_COMPLEMENT, OP_NOT,
	OP_SIZEOF, OP_STRINGOF,
};

#define NODE_LVALUE	0x01
#define NODE_WRITABLE	0x02
#define NODE_CHECKED	0x04
#define NODE_ALLOCA	0x08	/* may be an address of alloca() */
#define NODE_UNASSIGNED	0x10	/* alloca() in one branch of a ?: */
#define NODE_VARIABLE_ARGUMENTS	0x20	/* the ... of a prototype */

struct d_node {
	struct d_node *next;		/* in a list */
	struct d_node *last;		/* of the list that begins here */
	enum node_kind kind;
	enum operator op;
	unsigned flags;
	struct d_stability stability;	/* stability.h */
	int line;
	unsigned depth;			/* height of the tree below it */
	struct type *type;
	struct identifier *identifier;
	struct d_node *condition;
	struct d_node *left, *right;
	struct d_node *arguments;
	struct d_node *descriptions;
	struct d_description *description;
	struct translator *translator;
	const char *text;
	uint64_t value;
};

/* translator T < S name > { members }; */
struct translator {
	struct d_name entry;		/* among all of them */
	struct translator *next;	/* to the same type */
	struct type *from, *to;
	struct identifier *parameter;
	struct identifier *whole;	/* identifier of the result */
	struct identifier *pointer;	/* identifier of a pointer to it */
	struct d_node *members;
	struct table parameters;
};

/* An integer as written in the source. */
struct literal {
	uint64_t value;
	bool decimal;
	bool is_unsigned;
	unsigned longs;
	char prefix;		/* + or -, in a macro argument */
};

struct d_node *d_node_make(struct d_compiler *c, enum node_kind kind);
/* Sets the node's depth above the list's; too deep a tree is an error. */
void	d_node_above(struct d_compiler *c, struct d_node *node,
	    const struct d_node *list);
/* Makes a node above others, any of which may be a list or NULL. */
struct d_node *d_node_with(struct d_compiler *c, enum node_kind kind,
	    struct d_node *condition, struct d_node *left,
	    struct d_node *right);
struct d_node *d_node_link(struct d_node *list, struct d_node *more);
struct d_node *d_node_integer(struct d_compiler *c,
	    const struct literal *literal);
struct d_node *d_node_constant(struct d_compiler *c, struct type *type,
	    uint64_t value);
struct d_node *d_node_string(struct d_compiler *c, const char *text);
struct d_node *d_node_name(struct d_compiler *c, const char *name);
struct d_node *d_node_type(struct d_compiler *c, struct type *type);
struct d_node *d_node_call(struct d_compiler *c, struct d_node *function,
	    struct d_node *arguments);
struct d_node *d_node_offsetof(struct d_compiler *c, struct type *type,
	    const char *member);
struct d_node *d_node_unary(struct d_compiler *c, enum operator op,
	    struct d_node *operand);
struct d_node *d_node_binary(struct d_compiler *c, enum operator op,
	    struct d_node *left, struct d_node *right);
struct d_node *d_node_conditional(struct d_compiler *c,
	    struct d_node *condition, struct d_node *left,
	    struct d_node *right);
struct d_node *d_node_statement(struct d_compiler *c,
	    struct d_node *expression);
struct d_node *d_node_clause(struct d_compiler *c,
	    struct d_node *descriptions, struct d_node *predicate,
	    struct d_node *body);
struct d_node *d_node_description(struct d_compiler *c, const char *text);
struct d_node *d_node_description_id(struct d_compiler *c, uint64_t id);

/* Cuts a value to the type's width and extends it by its sign. */
uint64_t d_wrap(const struct type *type, uint64_t value);
/* Returns the operator of an assignment such as +=; another one as it is. */
enum operator d_operator_plain(enum operator op);
/* Returns the operator as messages show it: "+=". */
const char *d_operator_text(enum operator op);
/* Returns the name of a node's type for messages. */
const char *d_node_type_name(struct d_compiler *c, const struct d_node *node);
/* True for a constant greater than 0. */
bool	d_node_is_positive(const struct d_node *node);
bool	d_node_is_string(struct d_compiler *c, const struct d_node *node);
/* True if only its identifier has a type: translated values, aggregations. */
bool	d_node_is_dynamic(struct d_compiler *c, const struct d_node *node);
/* True for a pointer or an array, but not for a string. */
bool	d_node_is_pointer(struct d_compiler *c, const struct d_node *node);
unsigned d_node_count(const struct d_node *list);
/* True if a statement of the list itself is an if. */
bool	d_has_if(const struct d_node *list);

#endif
