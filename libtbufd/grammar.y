/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The grammar of D.
 *
 * Where an action changes the lexer's state (d_lex_outer, d_declare_push), the
 * rule ends with a token that decides it, so that no token after it has been
 * read.
 */
%code top {
#include <string.h>

#include "check.h"
#include "declare.h"
#include "tree/errors.h"
#include "tree/tree.h"

/* The parser's stack grows in the arena. */
#define YYMALLOC(size)	d_allocate(c, size)
#define YYFREE(memory)	((void)(memory))
}

%define api.pure full
%define api.prefix {d_yy}
%param {struct d_compiler *c}

%code requires {
#include "tree/tree.h"
}

%code provides {
int	d_yylex(D_YYSTYPE *value, void *scanner);
}

%union {
	struct d_node *node;
	struct type *type;
	struct declarator *declarator;
	struct derivation *derivation;
	const char *text;
	struct literal literal;
	enum operator op;
	enum type_kind kind;
}

%code {
static void	yyerror(struct d_compiler *c, const char *message);
static int	scan(D_YYSTYPE *value, struct d_compiler *c);
static void	specify(struct d_compiler *c, const char *name);
static void	expect_body(struct d_compiler *c, const struct d_node *node);

#undef yylex
#define yylex	scan
}

%token <text>	TOKEN_STRING TOKEN_NAME TOKEN_DESCRIPTION TOKEN_AGGREGATION
%token <text>	TOKEN_TYPE
%token <literal> TOKEN_INTEGER

%token <op>	TOKEN_UPDATE

%token	TOKEN_OR TOKEN_XOR TOKEN_AND TOKEN_EQUAL TOKEN_UNEQUAL
%token	TOKEN_LESS_EQUAL TOKEN_GREATER_EQUAL TOKEN_LEFT TOKEN_RIGHT
%token	TOKEN_INCREMENT TOKEN_DECREMENT TOKEN_ARROW TOKEN_ELLIPSIS
%token	TOKEN_END_PREDICATE

%token	KEYWORD_AUTO KEYWORD_CHAR KEYWORD_DOUBLE KEYWORD_ELSE KEYWORD_ENUM
%token	KEYWORD_EXTERN KEYWORD_FLOAT KEYWORD_IF KEYWORD_INLINE KEYWORD_INT
%token	KEYWORD_LONG KEYWORD_OFFSETOF KEYWORD_PROBE KEYWORD_PROVIDER
%token	KEYWORD_QUALIFIER KEYWORD_REGISTER KEYWORD_RESERVED KEYWORD_SELF
%token	KEYWORD_SHORT KEYWORD_SIGNED KEYWORD_SIZEOF KEYWORD_STATIC
%token	KEYWORD_STRING KEYWORD_STRINGOF KEYWORD_STRUCT KEYWORD_THIS
%token	KEYWORD_TRANSLATOR KEYWORD_TYPEDEF KEYWORD_UNION KEYWORD_UNSIGNED
%token	KEYWORD_VOID KEYWORD_XLATE

/* An else belongs to the nearest if. */
%precedence	WITHOUT_ELSE
%precedence	KEYWORD_ELSE

/* Binary operators, from the lowest precedence to the highest. */
%left	TOKEN_OR
%left	TOKEN_XOR
%left	TOKEN_AND
%left	'|'
%left	'^'
%left	'&'
%left	TOKEN_EQUAL TOKEN_UNEQUAL
%left	'<' '>' TOKEN_LESS_EQUAL TOKEN_GREATER_EQUAL
%left	TOKEN_LEFT TOKEN_RIGHT
%left	'+' '-'
%left	'*' '/' '%'

%type <node>	translation_unit external_declaration inline_definition
%type <node>	translator_definition translator_members translator_member
%type <node>	provider_definition provider_probes provider_probe
%type <node>	probe_definition probe_specifiers probe_specifier_list
%type <node>	probe_specifier statements statement_list statement
%type <node>	statement_or_block argument_list primary postfix unary cast
%type <node>	binary conditional assignment expression parameter_type_list
%type <node>	parameter_list parameter_declaration array_parameters
%type <node>	function_parameters ellipsis
%type <op>	unary_operator
%type <kind>	struct_or_union
%type <type>	type_name
%type <declarator> declarator direct_declarator abstract_declarator
%type <declarator> direct_abstract_declarator
%type <derivation> pointer array function

%%

program:
		%empty {
			c->root = d_node_make(c, NODE_PROGRAM);
		}
	|	translation_unit {
			c->root = d_node_make(c, NODE_PROGRAM);
			c->root->arguments = $1;
		}
	;

translation_unit:
		external_declaration
	|	translation_unit external_declaration {
			$$ = d_node_link($1, $2);
		}
	;

external_declaration:
		inline_definition
	|	translator_definition
	|	provider_definition
	|	probe_definition
	|	declaration { $$ = NULL; }
	;

/* --- definitions ------------------------------------------------------- */

inline_definition:
		KEYWORD_INLINE declaration_specifiers declarator
		{ d_declare_push(c); } '=' assignment ';' {
			d_declare_pop(c);
			$$ = d_declare_inline(c, $3, $6);
		}
	;

translator_definition:
		KEYWORD_TRANSLATOR type_name '<'
		{ c->in_translator_input = true; } type_name TOKEN_NAME '>'
		{ c->in_translator_input = false; }
		'{' translator_members '}' ';' {
			$$ = d_check_translator(c, $2, $5, $6, $10);
			d_lex_outer(c);
		}
	;

translator_members:
		%empty { $$ = NULL; }
	|	translator_members translator_member {
			$$ = d_node_link($1, $2);
		}
	;

translator_member:
		TOKEN_NAME '=' assignment ';' {
			$$ = d_node_make(c, NODE_MEMBER);
			$$->text = $1;
			$$->left = $3;
		}
	;

provider_definition:
		KEYWORD_PROVIDER TOKEN_NAME '{' provider_probes '}' ';' {
			$$ = d_provider(c, $2, $4);
			d_lex_outer(c);
		}
	;

provider_probes:
		%empty { $$ = NULL; }
	|	provider_probes provider_probe { $$ = d_node_link($1, $2); }
	;

provider_probe:
		KEYWORD_PROBE TOKEN_NAME function ';' {
			$$ = d_provider_probe(c, $2, $3->parameters, NULL);
		}
	|	KEYWORD_PROBE TOKEN_NAME function ':' function ';' {
			$$ = d_provider_probe(c, $2, $3->parameters,
			    $5->parameters);
		}
	;

/* --- clauses ----------------------------------------------------------- */

probe_definition:
		probe_specifiers {
			expect_body(c, $1);
			$$ = d_node_clause(c, $1, NULL, NULL);
			d_lex_outer(c);
		}
	|	probe_specifiers '{' statements '}' {
			$$ = d_node_clause(c, $1, NULL, $3);
			d_lex_outer(c);
		}
	|	probe_specifiers '/' expression TOKEN_END_PREDICATE {
			d_fail_at(c, $3, D_SYNTAX, "expected actions { } "
			    "following probe description and predicate "
			    "({ record(); } records the arguments)");
		}
	|	probe_specifiers '/' expression TOKEN_END_PREDICATE
		'{' statements '}' {
			$$ = d_node_clause(c, $1, $3, $6);
			d_lex_outer(c);
		}
	;

probe_specifiers:
		probe_specifier_list { d_lex_expression(c); }
	;

probe_specifier_list:
		probe_specifier
	|	probe_specifier_list ',' probe_specifier {
			$$ = d_node_link($1, $3);
		}
	;

probe_specifier:
		TOKEN_DESCRIPTION { $$ = d_node_description(c, $1); }
	|	TOKEN_INTEGER { $$ = d_node_description_id(c, $1.value); }
	;

statement_list:
		%empty { $$ = NULL; }
	|	statement_list statement { $$ = d_node_link($1, $2); }
	;

statements:
		statement_list
	|	statement_list expression {
			$$ = d_node_link($1, d_node_statement(c, $2));
		}
	;

statement_or_block:
		statement
	|	'{' statements '}' { $$ = $2; }
	;

statement:
		';' { $$ = NULL; }
	|	expression ';' { $$ = d_node_statement(c, $1); }
	|	KEYWORD_IF '(' expression ')' statement_or_block
		%prec WITHOUT_ELSE {
			$$ = d_node_with(c, NODE_IF, $3, $5, NULL);
		}
	|	KEYWORD_IF '(' expression ')' statement_or_block
		KEYWORD_ELSE statement_or_block {
			$$ = d_node_with(c, NODE_IF, $3, $5, $7);
		}
	;

/* --- expressions ------------------------------------------------------- */

argument_list:
		assignment
	|	argument_list ',' assignment { $$ = d_node_link($1, $3); }
	;

primary:
		TOKEN_NAME { $$ = d_node_name(c, $1); }
	|	TOKEN_AGGREGATION { $$ = d_node_name(c, $1); }
	|	TOKEN_INTEGER { $$ = d_node_integer(c, &$1); }
	|	TOKEN_STRING { $$ = d_node_string(c, $1); }
	|	KEYWORD_SELF { $$ = d_node_name(c, "self"); }
	|	KEYWORD_THIS { $$ = d_node_name(c, "this"); }
	|	'(' expression ')' { $$ = $2; }
	;

postfix:
		primary
	|	postfix '[' argument_list ']' {
			$$ = d_node_binary(c, OP_INDEX, $1, $3);
		}
	|	postfix '(' ')' { $$ = d_node_call(c, $1, NULL); }
	|	postfix '(' argument_list ')' { $$ = d_node_call(c, $1, $3); }
	|	postfix '.' TOKEN_NAME {
			$$ = d_node_binary(c, OP_MEMBER, $1,
			    d_node_name(c, $3));
		}
	|	postfix TOKEN_ARROW TOKEN_NAME {
			$$ = d_node_binary(c, OP_POINTER, $1,
			    d_node_name(c, $3));
		}
	|	postfix TOKEN_INCREMENT {
			$$ = d_node_unary(c, OP_POST_INCREMENT, $1);
		}
	|	postfix TOKEN_DECREMENT {
			$$ = d_node_unary(c, OP_POST_DECREMENT, $1);
		}
	|	KEYWORD_OFFSETOF '(' type_name ',' TOKEN_NAME ')' {
			$$ = d_node_offsetof(c, $3, $5);
		}
	|	KEYWORD_XLATE '<' type_name '>' '(' expression ')' {
			$$ = d_node_binary(c, OP_XLATE, d_node_type(c, $3),
			    $6);
		}
	;

unary:
		postfix
	|	TOKEN_INCREMENT unary {
			$$ = d_node_unary(c, OP_PRE_INCREMENT, $2);
		}
	|	TOKEN_DECREMENT unary {
			$$ = d_node_unary(c, OP_PRE_DECREMENT, $2);
		}
	|	unary_operator cast { $$ = d_node_unary(c, $1, $2); }
	|	KEYWORD_SIZEOF unary { $$ = d_node_unary(c, OP_SIZEOF, $2); }
	|	KEYWORD_SIZEOF '(' type_name ')' {
			$$ = d_node_unary(c, OP_SIZEOF, d_node_type(c, $3));
		}
	|	KEYWORD_STRINGOF unary {
			$$ = d_node_unary(c, OP_STRINGOF, $2);
		}
	;

unary_operator:
		'&' { $$ = OP_ADDRESS; }
	|	'*' { $$ = OP_DEREFERENCE; }
	|	'+' { $$ = OP_PLUS; }
	|	'-' { $$ = OP_MINUS; }
	|	'~' { $$ = OP_COMPLEMENT; }
	|	'!' { $$ = OP_NOT; }
	;

cast:
		unary
	|	'(' type_name ')' cast {
			$$ = d_node_binary(c, OP_CAST, d_node_type(c, $2), $4);
		}
	;

binary:
		cast
	|	binary TOKEN_OR binary {
			$$ = d_node_binary(c, OP_LOGICAL_OR, $1, $3);
		}
	|	binary TOKEN_XOR binary {
			$$ = d_node_binary(c, OP_LOGICAL_XOR, $1, $3);
		}
	|	binary TOKEN_AND binary {
			$$ = d_node_binary(c, OP_LOGICAL_AND, $1, $3);
		}
	|	binary '|' binary { $$ = d_node_binary(c, OP_OR, $1, $3); }
	|	binary '^' binary { $$ = d_node_binary(c, OP_XOR, $1, $3); }
	|	binary '&' binary { $$ = d_node_binary(c, OP_AND, $1, $3); }
	|	binary TOKEN_EQUAL binary {
			$$ = d_node_binary(c, OP_EQUAL, $1, $3);
		}
	|	binary TOKEN_UNEQUAL binary {
			$$ = d_node_binary(c, OP_UNEQUAL, $1, $3);
		}
	|	binary '<' binary { $$ = d_node_binary(c, OP_LESS, $1, $3); }
	|	binary '>' binary {
			$$ = d_node_binary(c, OP_GREATER, $1, $3);
		}
	|	binary TOKEN_LESS_EQUAL binary {
			$$ = d_node_binary(c, OP_LESS_EQUAL, $1, $3);
		}
	|	binary TOKEN_GREATER_EQUAL binary {
			$$ = d_node_binary(c, OP_GREATER_EQUAL, $1, $3);
		}
	|	binary TOKEN_LEFT binary {
			$$ = d_node_binary(c, OP_LEFT, $1, $3);
		}
	|	binary TOKEN_RIGHT binary {
			$$ = d_node_binary(c, OP_RIGHT, $1, $3);
		}
	|	binary '+' binary { $$ = d_node_binary(c, OP_ADD, $1, $3); }
	|	binary '-' binary {
			$$ = d_node_binary(c, OP_SUBTRACT, $1, $3);
		}
	|	binary '*' binary {
			$$ = d_node_binary(c, OP_MULTIPLY, $1, $3);
		}
	|	binary '/' binary { $$ = d_node_binary(c, OP_DIVIDE, $1, $3); }
	|	binary '%' binary { $$ = d_node_binary(c, OP_MODULO, $1, $3); }
	;

conditional:
		binary
	|	binary '?' expression ':' conditional {
			$$ = d_node_conditional(c, $1, $3, $5);
		}
	;

assignment:
		conditional
	|	unary '=' assignment {
			$$ = d_node_binary(c, OP_ASSIGN, $1, $3);
		}
	|	unary TOKEN_UPDATE assignment {
			$$ = d_node_binary(c, $2, $1, $3);
		}
	;

expression:
		assignment
	|	expression ',' assignment {
			$$ = d_node_binary(c, OP_COMMA, $1, $3);
		}
	;

/* --- declarations ------------------------------------------------------ */

declaration:
		declaration_specifiers ';' {
			d_declare(c, NULL);
			d_declare_end(c);
			d_lex_outer(c);
		}
	|	declaration_specifiers init_declarators ';' {
			d_declare_end(c);
			d_lex_outer(c);
		}
	;

init_declarators:
		declarator { d_declare(c, $1); }
	|	init_declarators ',' declarator { d_declare(c, $3); }
	;

declaration_specifiers:
		declaration_specifier
	|	declaration_specifiers declaration_specifier
	;

declaration_specifier:
		storage_class
	|	KEYWORD_SELF { d_declare_storage(c, STORAGE_SELF); }
	|	KEYWORD_THIS { d_declare_storage(c, STORAGE_THIS); }
	|	type_specifier
	|	KEYWORD_QUALIFIER
	;

storage_class:
		KEYWORD_AUTO { d_declare_storage(c, STORAGE_AUTO); }
	|	KEYWORD_REGISTER { d_declare_storage(c, STORAGE_REGISTER); }
	|	KEYWORD_STATIC { d_declare_storage(c, STORAGE_STATIC); }
	|	KEYWORD_EXTERN { d_declare_storage(c, STORAGE_EXTERN); }
	|	KEYWORD_TYPEDEF { d_declare_storage(c, STORAGE_TYPEDEF); }
	;

type_specifier:
		KEYWORD_VOID { specify(c, "void"); }
	|	KEYWORD_CHAR { specify(c, "char"); }
	|	KEYWORD_INT { specify(c, "int"); }
	|	KEYWORD_SHORT { d_declare_attribute(c, ATTRIBUTE_SHORT); }
	|	KEYWORD_LONG { d_declare_attribute(c, ATTRIBUTE_LONG); }
	|	KEYWORD_SIGNED { d_declare_attribute(c, ATTRIBUTE_SIGNED); }
	|	KEYWORD_UNSIGNED {
			d_declare_attribute(c, ATTRIBUTE_UNSIGNED);
		}
	|	KEYWORD_FLOAT { d_declare_specifier(c, TYPE_FLOAT, "float"); }
	|	KEYWORD_DOUBLE {
			d_declare_specifier(c, TYPE_FLOAT, "double");
		}
	|	KEYWORD_STRING {
			d_declare_specifier(c, TYPE_TYPEDEF, "string");
		}
	|	TOKEN_TYPE { d_declare_specifier(c, TYPE_TYPEDEF, $1); }
	|	struct_specifier
	|	enum_specifier
	;

struct_specifier:
		struct_definition struct_declarations '}' {
			d_declare_pop(c);
		}
	|	struct_or_union TOKEN_TYPE { d_declare_specifier(c, $1, $2); }
	;

struct_definition:
		struct_or_union '{' { d_declare_composite(c, $1, NULL); }
	|	struct_or_union TOKEN_TYPE '{' {
			d_declare_composite(c, $1, $2);
		}
	;

struct_or_union:
		KEYWORD_STRUCT { $$ = TYPE_STRUCT; }
	|	KEYWORD_UNION { $$ = TYPE_UNION; }
	;

struct_declarations:
		struct_declaration
	|	struct_declarations struct_declaration
	;

struct_declaration:
		specifier_qualifiers struct_declarators ';' {
			d_declare_end(c);
		}
	|	specifier_qualifiers ';' {
			d_declare_member(c, NULL, NULL);
			d_declare_end(c);
		}
	;

struct_declarators:
		struct_declarator
	|	struct_declarators ',' struct_declarator
	;

struct_declarator:
		declarator { d_declare_member(c, $1, NULL); }
	|	':' conditional { d_declare_member(c, NULL, $2); }
	|	declarator ':' conditional { d_declare_member(c, $1, $3); }
	;

enum_specifier:
		enum_definition enumerators '}' { d_declare_pop(c); }
	|	enum_definition enumerators ',' '}' { d_declare_pop(c); }
	|	KEYWORD_ENUM TOKEN_TYPE {
			d_declare_specifier(c, TYPE_ENUM, $2);
		}
	;

enum_definition:
		KEYWORD_ENUM '{' { d_declare_composite(c, TYPE_ENUM, NULL); }
	|	KEYWORD_ENUM TOKEN_TYPE '{' {
			d_declare_composite(c, TYPE_ENUM, $2);
		}
	;

enumerators:
		enumerator
	|	enumerators ',' enumerator
	;

enumerator:
		TOKEN_NAME { d_declare_enumerator(c, $1, NULL); }
	|	TOKEN_NAME '=' conditional { d_declare_enumerator(c, $1, $3); }
	;

specifier_qualifiers:
		specifier_qualifier
	|	specifier_qualifiers specifier_qualifier
	;

specifier_qualifier:
		type_specifier
	|	KEYWORD_QUALIFIER
	;

declarator:
		direct_declarator
	|	pointer direct_declarator {
			$$ = d_declarator_derive(c, $2, $1);
		}
	;

direct_declarator:
		TOKEN_NAME { $$ = d_declarator(c, $1); }
	|	'(' declarator ')' { $$ = $2; }
	|	direct_declarator array {
			$$ = d_declarator_derive(c, $1, $2);
		}
	|	direct_declarator function {
			$$ = d_declarator_derive(c, $1, $2);
		}
	;

pointer:
		'*' { $$ = d_derive_pointer(c, NULL); }
	|	'*' qualifiers { $$ = d_derive_pointer(c, NULL); }
	|	'*' pointer { $$ = d_derive_pointer(c, $2); }
	|	'*' qualifiers pointer { $$ = d_derive_pointer(c, $3); }
	;

qualifiers:
		KEYWORD_QUALIFIER
	|	qualifiers KEYWORD_QUALIFIER
	;

parameter_type_list:
		parameter_list
	|	ellipsis
	|	parameter_list ',' ellipsis { $$ = d_node_link($1, $3); }
	;

ellipsis:
		TOKEN_ELLIPSIS {
			$$ = d_node_type(c, c->types.type_void);
			$$->flags |= NODE_VARIABLE_ARGUMENTS;
		}
	;

parameter_list:
		parameter_declaration
	|	parameter_list ',' parameter_declaration {
			$$ = d_node_link($1, $3);
		}
	;

parameter_declaration:
		parameter_specifiers { $$ = d_declare_parameter(c, NULL); }
	|	parameter_specifiers declarator {
			$$ = d_declare_parameter(c, $2);
		}
	|	parameter_specifiers abstract_declarator {
			$$ = d_declare_parameter(c, $2);
		}
	;

parameter_specifiers:
		parameter_specifier
	|	parameter_specifiers parameter_specifier
	;

parameter_specifier:
		storage_class
	|	specifier_qualifier
	;

type_name:
		specifier_qualifiers {
			$$ = d_declare_type(c, NULL);
			d_declare_end(c);
		}
	|	specifier_qualifiers abstract_declarator {
			$$ = d_declare_type(c, $2);
			d_declare_end(c);
		}
	;

abstract_declarator:
		pointer {
			$$ = d_declarator_derive(c, d_declarator(c, NULL),
			    $1);
		}
	|	direct_abstract_declarator
	|	pointer direct_abstract_declarator {
			$$ = d_declarator_derive(c, $2, $1);
		}
	;

direct_abstract_declarator:
		'(' abstract_declarator ')' { $$ = $2; }
	|	array {
			$$ = d_declarator_derive(c, d_declarator(c, NULL),
			    $1);
		}
	|	function {
			$$ = d_declarator_derive(c, d_declarator(c, NULL),
			    $1);
		}
	|	direct_abstract_declarator array {
			$$ = d_declarator_derive(c, $1, $2);
		}
	|	direct_abstract_declarator function {
			$$ = d_declarator_derive(c, $1, $2);
		}
	;

array:
		'[' {
			d_declare_push(c);
			c->in_dimension = true;
		} array_parameters ']' {
			d_declare_pop(c);
			c->in_dimension = false;
			$$ = d_derive_array(c, $3);
		}
	;

array_parameters:
		%empty { $$ = NULL; }
	|	conditional
	|	parameter_type_list
	;

function:
		'(' { d_declare_push(c); } function_parameters ')' {
			d_declare_pop(c);
			$$ = d_derive_function(c, $3);
		}
	;

function_parameters:
		%empty { $$ = NULL; }
	|	parameter_type_list
	;

%%

static int
scan(D_YYSTYPE *value, struct d_compiler *c)
{
	int token = d_yylex(value, c->scanner);

	c->before[1] = c->before[0];
	c->before[0] = token;
	c->tokens++;
	return (token);
}

/* A missed type causes an error within this many tokens, stars or a ). */
#define MISSED_TOKENS	4

/* Fails at the last token, shown up to its first newline. */
static void
yyerror(struct d_compiler *c, const char *message)
{
	const char *text = d_lex_text(c);

	/* The parser runs out of stack only by nesting (YYMAXDEPTH). */
	if (strcmp(message, "memory exhausted") == 0)
		message = "nesting is too deep";
	if (c->missed != NULL && c->tokens - c->missed_at <= MISSED_TOKENS)
		d_unknown(c, D_UNKNOWN_TYPE, c->missed);
	else
		d_unknown(c, D_UNKNOWN_WORD, d_copy(c, text, strlen(text)));
	if (*text == '\0')
		d_fail(c, D_SYNTAX, "%s near end of input", message);
	if (*text == '\n')
		d_fail(c, D_SYNTAX, "%s near end of line", message);
	d_fail(c, D_SYNTAX, "%s near \"%.*s\"", message,
	    (int)strcspn(text, "\n"), text);
}

static void
specify(struct d_compiler *c, const char *name)
{
	d_declare_specifier(c, TYPE_INTEGER, name);
}

/*
 * Fails in a script if a description has no body, as an ambiguous predicate may
 * have been read as a comment; a command line may have a description alone.
 */
static void
expect_body(struct d_compiler *c, const struct d_node *node)
{
	if (c->source->is_script)
		d_fail_at(c, node, D_SYNTAX, "expected predicate and/or "
		    "actions following probe description");
}
