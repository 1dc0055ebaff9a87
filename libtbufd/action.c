/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of statements: the arguments of actions, and their order.
 */
#include <string.h>

#include "builtins.h"
#include "check.h"
#include "tree/errors.h"

/* True for ustack(), uaddr() and so on, which can be printed or be keys. */
static bool
is_value(const struct identifier *one)
{
	switch (one->id) {
	case BUILTIN_stack:
	case BUILTIN_ustack:
	case BUILTIN_jstack:
	case BUILTIN_sym:
	case BUILTIN_func:
	case BUILTIN_mod:
	case BUILTIN_usym:
	case BUILTIN_ufunc:
	case BUILTIN_umod:
	case BUILTIN_uaddr:
		return (true);
	default:
		return (false);
	}
}

static void
check_call_kind(struct d_compiler *c, const struct d_node *node)
{
	const struct identifier *one = node->identifier;

	if (one->kind == IDENTIFIER_FUNCTION)
		return;
	d_fail_at(c, node, D_CG_EXPR, "%s %s( ) may not be called from a D "
	    "expression (D program context required)",
	    d_identifier_kind_name(one->kind), one->name);
}

static void
check_list(struct d_compiler *c, const struct d_node *list)
{
	for (; list != NULL; list = list->next)
		d_check_calls(c, list);
}

void
d_check_calls(struct d_compiler *c, const struct d_node *node)
{
	if (node == NULL)
		return;
	if (node->kind == NODE_CALL)
		check_call_kind(c, node);
	d_check_calls(c, node->condition);
	d_check_calls(c, node->left);
	d_check_calls(c, node->right);
	check_list(c, node->arguments);
}

/* Checks a list of values, which may include ustack() and so on. */
static void
check_values(struct d_compiler *c, const struct d_node *list)
{
	for (; list != NULL; list = list->next)
		if (list->kind == NODE_CALL && is_value(list->identifier))
			check_list(c, list->arguments);
		else
			d_check_calls(c, list);
}

/* --- aggregations -------------------------------------------------------- */

static void
check_aggregation_argument(struct d_compiler *c, const struct d_node *call,
    const struct d_node *argument, unsigned number, enum d_tag wrong,
    enum d_tag undefined)
{
	const struct identifier *one = argument->identifier;

	if (argument->kind != NODE_AGGREGATION)
		d_fail_at(c, call, wrong, "%s( ) argument #%u is "
		    "incompatible with prototype:\n\tprototype: aggregation\n"
		    "\t argument: %s", call->identifier->name, number,
		    d_node_type_name(c, argument));
	if (one->generation == c->generation &&
	    (one->flags & IDENTIFIER_WRITTEN) == 0)
		d_fail_at(c, call, undefined, "undefined aggregation: @%s",
		    one->name);
}

static void
same_keys(struct d_compiler *c, const struct identifier *a,
    const struct identifier *b)
{
	const struct signature *s = a->signature, *t = b->signature;
	struct d_node left = { .kind = NODE_TYPE };
	struct d_node right = { .kind = NODE_TYPE };
	unsigned i;

	if (s->count != t->count)
		d_fail(c, D_PRINTA_AGGKEY, "printa( ): @%s and @%s do not "
		    "have matching key signatures: @%s has %u key%s, @%s has "
		    "%u key%s", a->name, b->name, a->name, s->count,
		    s->count == 1 ? "" : "s", b->name, t->count,
		    t->count == 1 ? "" : "s");
	for (i = 0; i < s->count; i++) {
		left.type = s->types[i];
		right.type = t->types[i];
		if (!d_argument_compatible(c, &left, &right))
			d_fail(c, D_PRINTA_AGGPROTO, "printa( ): @%s[ ] key "
			    "#%u is incompatible with @%s:\n%9s key #%u: %s\n"
			    "%9s key #%u: %s", b->name, i + 1, a->name,
			    a->name, i + 1, d_type_name(c, s->types[i]),
			    b->name, i + 1, d_type_name(c, t->types[i]));
	}
}

static void
check_printa(struct d_compiler *c, const struct d_node *call)
{
	const struct d_node *one = call->arguments, *first = NULL;
	const char *format = NULL;
	unsigned number = 1;

	if (one->kind == NODE_STRING) {
		format = one->text;
		one = one->next;
		number = 2;
	}
	if (one == NULL)
		d_fail_at(c, call, D_PRINTA_PROTO, "%s( ) prototype "
		    "mismatch: %u args passed, %u expected",
		    call->identifier->name, number - 1, number);
	for (; one != NULL; one = one->next, number++) {
		check_aggregation_argument(c, call, one, number,
		    D_PRINTA_AGGARG, D_PRINTA_AGGBAD);
		if (first == NULL)
			first = one;
		else
			same_keys(c, first->identifier, one->identifier);
		if (format != NULL)
			d_check_aggregation_format(c, call, format,
			    one->identifier);
	}
}

/* An action that changes an aggregation, its tags and numbers of arguments. */
struct change {
	enum builtin id;
	unsigned least, most;
	enum d_tag count, argument, undefined, number;
};

static const struct change changes[] = {
	{ BUILTIN_clear, 1, 1, D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD,
	    D_CLEAR_PROTO },
	{ BUILTIN_denormalize, 1, 1, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG,
	    D_NORMALIZE_AGGBAD, D_NORMALIZE_SCALAR },
	{ BUILTIN_normalize, 2, 2, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG,
	    D_NORMALIZE_AGGBAD, D_NORMALIZE_SCALAR },
	{ BUILTIN_trunc, 1, 2, D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD,
	    D_TRUNC_SCALAR },
};

static void
check_change_count(struct d_compiler *c, const struct d_node *call,
    const struct change *change)
{
	unsigned count = d_node_count(call->arguments);
	const char *bound = change->least == change->most ? "" :
	    count < change->least ? "at least " : "at most ";

	if (count < change->least || count > change->most)
		d_fail_at(c, call, change->count, "%s( ) prototype mismatch: "
		    "%u arg%s passed, %s%u expected", call->identifier->name,
		    count, count == 1 ? "" : "s", bound,
		    count < change->least ? change->least : change->most);
}

/* Checks clear() and so on, of one aggregation and maybe a number. */
static void
check_change(struct d_compiler *c, const struct d_node *call)
{
	const struct change *change = changes;
	const struct d_node *number;

	while (change->id != call->identifier->id)
		change++;
	check_change_count(c, call, change);
	check_aggregation_argument(c, call, call->arguments, 1,
	    change->argument, change->undefined);
	number = call->arguments->next;
	if (number != NULL && !d_type_is_scalar(number->type))
		d_fail_at(c, call, change->number, "%s( ) argument #2 must be "
		    "of scalar type", call->identifier->name);
	d_check_calls(c, number);
}

/* --- others -------------------------------------------------------------- */

static void
check_printf(struct d_compiler *c, const struct d_node *call)
{
	const struct d_node *format = call->arguments;
	bool reopen = call->identifier->id == BUILTIN_freopen;

	if (format->kind != NODE_STRING)
		d_fail_at(c, call, D_PRINTF_ARG_FMT, "%s( ) argument #1 is "
		    "incompatible with prototype:\n\tprototype: string "
		    "constant\n\t argument: %s", call->identifier->name,
		    d_node_type_name(c, format));
	c->line = call->line;
	if (reopen && strcmp(format->text, ".") == 0)
		d_fail_at(c, call, D_FREOPEN_INVALID,
		    "%s( ) argument #1 cannot be \".\"",
		    call->identifier->name);
	/* freopen("") restores the original standard output. */
	if (!reopen || format->text[0] != '\0')
		d_check_format(c, call, format->text, format->next);
	check_values(c, format->next);
}

static void
check_trace(struct d_compiler *c, const struct d_node *call)
{
	const struct d_node *argument = call->arguments;
	const struct types *types = &c->types;

	if (d_node_is_dynamic(c, argument))
		d_fail_at(c, argument, D_TRACE_DYN, "trace( ) may not be "
		    "applied to a dynamic expression");
	if (d_type_is_void(argument->type) &&
	    argument->type != types->type_stack &&
	    argument->type != types->type_symaddr &&
	    argument->type != types->type_usymaddr)
		d_fail_at(c, argument, D_TRACE_VOID, "trace( ) may not be "
		    "applied to a void expression");
	check_values(c, argument);
}

/* Checks print() of a value, or of the value that a pointer points to. */
static void
check_print(struct d_compiler *c, const struct d_node *call)
{
	const struct d_node *argument = call->arguments;
	const struct type *type = d_type_resolve(argument->type);

	if (argument->kind == NODE_AGGREGATION)
		d_unknown(c, D_UNKNOWN_FORM, d_format(c, "printa(@%s)",
		    strcmp(argument->identifier->name, "_") == 0 ? "" :
		    argument->identifier->name));
	if (d_node_is_dynamic(c, argument) || d_type_is_void(type))
		d_fail_at(c, argument, D_PROTO_ARG, "print( ) argument #1 is "
		    "incompatible with prototype:\n\tprototype: void *\n"
		    "\t argument: %s", d_node_type_name(c, argument));
	if (type->kind == TYPE_POINTER &&
	    d_type_complete(c, type->of)->kind == TYPE_FORWARD)
		d_fail_at(c, argument, D_PRINT_SIZE, "print( ) argument #1 "
		    "reference has type '%s' with size 0; cannot print( ) it.",
		    d_type_name(c, type->of));
	d_check_calls(c, argument);
}

/* Returns true for an argument that is a string, by name or as args[n]. */
static bool
is_string_argument(struct d_compiler *c, const struct d_node *node)
{
	return (node->kind == NODE_VARIABLE && d_node_is_string(c, node) &&
	    ((node->identifier->flags & IDENTIFIER_ARGUMENT) != 0 ||
	    ((node->identifier->flags & IDENTIFIER_BUILTIN) != 0 &&
	    node->identifier->id == BUILTIN_args)));
}

/* A string argument stands for its address: its bytes may not be a text. */
static void
check_tracemem(struct d_compiler *c, const struct d_node *call)
{
	struct d_node *address = call->arguments;
	const struct d_node *size = address->next;

	if (is_string_argument(c, address))
		address->type = c->types.type_int64;
	if (!d_type_is_integer(address->type) &&
	    !d_node_is_pointer(c, address))
		d_fail_at(c, address, D_TRACEMEM_ADDR, "tracemem( ) argument "
		    "#1 is incompatible with prototype:\n\tprototype: "
		    "pointer or integer\n\t argument: %s",
		    d_node_type_name(c, address));
	if (!d_node_is_positive(size))
		d_fail_at(c, size, D_TRACEMEM_SIZE, "tracemem( ) argument #2 "
		    "must be a non-zero positive integral constant "
		    "expression");
	d_check_calls(c, address);
	if (size->next != NULL)
		d_check_calls(c, size->next);
}

/* Refuses record() at a probe that has no arguments to record. */
static void
check_record(struct d_compiler *c, const struct d_node *call)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const struct d_description *d = c->description;

	if (d != NULL && calls->probe_is_own != NULL &&
	    calls->probe_is_own(calls->context, d))
		d_fail_at(c, call, D_CG_EXPR, "record( ) may not be used at "
		    "%s:%s:%s:%s, which has no arguments; trace( ) records "
		    "values there", d->field[0], d->field[1], d->field[2],
		    d->field[3]);
}

static void
check_stack(struct d_compiler *c, const struct d_node *call)
{
	const struct d_node *frames = call->arguments;
	const struct d_node *strings = frames == NULL ? NULL : frames->next;
	bool kernel = call->identifier->id == BUILTIN_stack;

	if (frames != NULL && !d_node_is_positive(frames))
		d_fail_at(c, frames, kernel ? D_STACK_SIZE : D_USTACK_FRAMES,
		    "%s( ) argument #1 must be a non-zero positive integer "
		    "constant", kernel ? "stack" : "ustack");
	if (strings != NULL && (strings->kind != NODE_INTEGER ||
	    (d_type_is_signed(strings->type) &&
	    (int64_t)strings->value < 0)))
		d_fail_at(c, strings, D_USTACK_STRSIZE, "ustack( ) argument "
		    "#2 must be a positive integer constant");
}

void
d_check_action(struct d_compiler *c, struct d_node *call)
{
	static const struct {
		enum builtin id;
		void (*check)(struct d_compiler *, const struct d_node *);
	} checks[] = {
		{ BUILTIN_clear, check_change },
		{ BUILTIN_denormalize, check_change },
		{ BUILTIN_freopen, check_printf },
		{ BUILTIN_jstack, check_stack },
		{ BUILTIN_normalize, check_change },
		{ BUILTIN_print, check_print },
		{ BUILTIN_printa, check_printa },
		{ BUILTIN_printf, check_printf },
		{ BUILTIN_record, check_record },
		{ BUILTIN_stack, check_stack },
		{ BUILTIN_system, check_printf },
		{ BUILTIN_trace, check_trace },
		{ BUILTIN_tracemem, check_tracemem },
		{ BUILTIN_trunc, check_change },
		{ BUILTIN_ustack, check_stack },
	};
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].id == call->identifier->id) {
			checks[i].check(c, call);
			return;
		}
	check_list(c, call->arguments);
}

/* --- order of actions ---------------------------------------------------- */

/* True for destructive actions that store nothing in a record. */
static bool
records_nothing(const struct identifier *one)
{
	switch (one->id) {
	case BUILTIN_stop:
	case BUILTIN_breakpoint:
	case BUILTIN_panic:
	case BUILTIN_chill:
	case BUILTIN_raise:
	case BUILTIN_copyout:
	case BUILTIN_copyoutstr:
		return (true);
	default:
		return (false);
	}
}

/* True for stop() and raise(), which record data according to DTrace. */
static bool
counts_as_data(const struct identifier *one)
{
	return (one->id == BUILTIN_stop || one->id == BUILTIN_raise);
}

static bool
is_destructive(const struct identifier *one)
{
	return (records_nothing(one) || one->id == BUILTIN_system ||
	    one->id == BUILTIN_freopen);
}

static void
follow_commit(struct d_compiler *c, struct clause_state *state,
    const struct d_node *call)
{
	if (state->records)
		d_fail_at(c, call, D_COMM_DREC, "commit( ) may not follow "
		    "data-recording action(s)");
	state->commits = true;
}

static void
follow_speculate(struct d_compiler *c, struct clause_state *state,
    const struct d_node *call)
{
	if (state->speculates)
		d_fail_at(c, call, D_SPEC_SPEC,
		    "speculate( ) may not follow speculate( )");
	if (state->commits)
		d_fail_at(c, call, D_SPEC_COMM,
		    "speculate( ) may not follow commit( )");
	if (state->records)
		d_fail_at(c, call, D_SPEC_DREC, "speculate( ) may not follow "
		    "data-recording action(s)");
	state->speculates = true;
}

static void
follow_action(struct d_compiler *c, struct clause_state *state,
    const struct d_node *call)
{
	const struct identifier *one = call->identifier;

	switch (one->id) {
	case BUILTIN_commit:
		follow_commit(c, state, call);
		return;
	case BUILTIN_speculate:
		follow_speculate(c, state, call);
		return;
	case BUILTIN_discard:
	case BUILTIN_snapshot:
		return;
	}
	if (state->speculates && is_destructive(one))
		d_fail_at(c, call, D_ACT_SPEC, "destructive actions may not "
		    "follow speculate( )");
	if (state->speculates && one->id == BUILTIN_exit)
		d_fail_at(c, call, D_EXIT_SPEC,
		    "exit( ) may not follow speculate( )");
	if (records_nothing(one) && !counts_as_data(one))
		return;
	if (state->commits)
		d_fail_at(c, call, D_DREC_COMM, "data-recording actions may "
		    "not follow commit( )");
	state->records = true;
}

static void
follow_aggregation(struct d_compiler *c, struct clause_state *state,
    const struct d_node *node)
{
	if (state->commits)
		d_fail_at(c, node, D_AGG_COMM,
		    "aggregating actions may not follow commit( )");
	if (state->speculates)
		d_fail_at(c, node, D_AGG_SPEC,
		    "aggregating actions may not follow speculate( )");
	state->records = true;
}

void
d_check_statement(struct d_compiler *c, struct clause_state *state,
    struct d_node *statement)
{
	struct d_node *node = statement->left;

	if (statement->kind == NODE_ACTION) {
		follow_action(c, state, node);
		d_check_action(c, node);
	} else if (node->kind == NODE_CALL &&
	    records_nothing(node->identifier)) {
		follow_action(c, state, node);
		d_check_calls(c, node);
	} else if (node->kind == NODE_AGGREGATION) {
		follow_aggregation(c, state, node);
		d_check_aggregating(c, node);
		check_values(c, node->arguments);
		check_list(c, node->left->arguments);
	} else
		d_check_calls(c, node);
}
