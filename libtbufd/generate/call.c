/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built-in variables and subroutines.
 */
#include <fnmatch.h>
#include <string.h>

#include "builtins.h"
#include "generate.h"
#include "tree/errors.h"

/* --- variables ------------------------------------------------------------ */

/* Whether the clause's probes are returns of system calls. */
enum returns {
	RETURNS_NONE,
	RETURNS_SOME,
	RETURNS_ALL
};

/* Classifies a description; an empty provider or * does not preload syscall. */
static enum returns
returns_of(const struct d_description *d)
{
	const char *provider = d->field[D_FIELD_PROVIDER];
	const char *name = d->field[D_FIELD_NAME];

	if (*provider == '\0' || strcmp(provider, "*") == 0 ||
	    fnmatch(provider, "syscall", 0) != 0 ||
	    (*name != '\0' && fnmatch(name, "return", 0) != 0))
		return (RETURNS_NONE);
	return (strcmp(provider, "syscall") == 0 &&
	    strcmp(name, "return") == 0 ? RETURNS_ALL : RETURNS_SOME);
}

static enum returns
returns(const struct generator *g)
{
	const struct d_node *one = g->clause->descriptions;
	enum returns all = returns_of(one->description);

	while ((one = one->next) != NULL)
		if (returns_of(one->description) != all)
			return (RETURNS_SOME);
	return (all);
}

/*
 * arg1 of a system call's return is its result, as arg0 is; the probe's own
 * arg1 is errno.
 */
bool
d_is_argument(const struct generator *g, const struct d_node *node,
    unsigned *selector)
{
	const struct identifier *one = node->identifier;
	enum returns all;

	if (node->kind != NODE_VARIABLE ||
	    (one->flags & IDENTIFIER_BUILTIN) == 0)
		return (false);
	if (one->id >= BUILTIN_arg0 && one->id <= BUILTIN_arg9) {
		*selector = one->id - BUILTIN_arg0;
		if (one->id != BUILTIN_arg1)
			return (true);
		all = returns(g);
		*selector = all != RETURNS_ALL;
		return (all != RETURNS_SOME);
	}
	*selector = node->arguments == NULL ? 0 :
	    (unsigned)node->arguments->value;
	return (one->id == BUILTIN_args && node->arguments->value < 10);
}

static void
argument(struct generator *g, const struct d_node *node, unsigned selector,
    unsigned to)
{
	d_emit(g, d_is_text(g, node->type) ? TBUF_OP_LDAT : TBUF_OP_LDA, to,
	    0, 0, selector);
}

/* Loads arg1 where only some of the probes are returns of system calls. */
static void
result_or_argument(struct generator *g, enum tbuf_operation load, unsigned to)
{
	struct label other = { NULL }, end = { NULL };

	d_emit(g, TBUF_OP_LDB, to, 0, 0, TBUF_BUILTIN_PROBENAME);
	d_emit_text(g, to + 1, "return");
	d_emit_jump(g, TBUF_OP_TJNE, to, to + 1, 0, &other);
	d_emit(g, TBUF_OP_LDB, to, 0, 0, TBUF_BUILTIN_PROBEPROV);
	d_emit_text(g, to + 1, "syscall");
	d_emit_jump(g, TBUF_OP_TJNE, to, to + 1, 0, &other);
	d_emit(g, load, to, 0, 0, 0);
	d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &end);
	d_label_set(g, &other);
	d_emit(g, load, to, 0, 0, 1);
	d_label_set(g, &end);
}

bool
d_argument_address(struct generator *g, const struct d_node *node,
    unsigned to)
{
	unsigned selector;

	if (d_is_argument(g, node, &selector))
		d_emit(g, TBUF_OP_LDAT, d_register(g, to), 0, 0, selector);
	else if (node->kind == NODE_VARIABLE && (node->identifier->flags &
	    IDENTIFIER_BUILTIN) != 0 && node->identifier->id == BUILTIN_arg1)
		result_or_argument(g, TBUF_OP_LDAT, d_register(g, to));
	else
		return (false);
	return (true);
}

struct builtin_pair {
	enum builtin id;
	enum tbuf_builtin machine;
};

static const struct builtin_pair variables[] = {
	{ BUILTIN_timestamp, TBUF_BUILTIN_TIMESTAMP },
	{ BUILTIN_vtimestamp, TBUF_BUILTIN_VTIMESTAMP },
	{ BUILTIN_walltimestamp, TBUF_BUILTIN_WALLTIMESTAMP },
	{ BUILTIN_cpu, TBUF_BUILTIN_CPU },
	{ BUILTIN_pid, TBUF_BUILTIN_PID },
	{ BUILTIN_ppid, TBUF_BUILTIN_PPID },
	{ BUILTIN_tid, TBUF_BUILTIN_TID },
	{ BUILTIN_uid, TBUF_BUILTIN_UID },
	{ BUILTIN_gid, TBUF_BUILTIN_GID },
	{ BUILTIN_id, TBUF_BUILTIN_ID },
	{ BUILTIN_epid, TBUF_BUILTIN_EPID },
	{ BUILTIN_errno, TBUF_BUILTIN_ERRNO },
	{ BUILTIN_caller, TBUF_BUILTIN_CALLER },
	{ BUILTIN_ucaller, TBUF_BUILTIN_UCALLER },
	{ BUILTIN_stackdepth, TBUF_BUILTIN_STACKDEPTH },
	{ BUILTIN_ustackdepth, TBUF_BUILTIN_USTACKDEPTH },
	{ BUILTIN_ipl, TBUF_BUILTIN_IPL },
	{ BUILTIN_execname, TBUF_BUILTIN_EXECNAME },
	{ BUILTIN_probeprov, TBUF_BUILTIN_PROBEPROV },
	{ BUILTIN_probemod, TBUF_BUILTIN_PROBEMOD },
	{ BUILTIN_probefunc, TBUF_BUILTIN_PROBEFUNC },
	{ BUILTIN_probename, TBUF_BUILTIN_PROBENAME },
	{ BUILTIN_execargs, TBUF_BUILTIN_EXECARGS },
	{ BUILTIN_process_euid, TBUF_BUILTIN_EUID },
	{ BUILTIN_process_egid, TBUF_BUILTIN_EGID },
	{ BUILTIN_process_pgid, TBUF_BUILTIN_PGID },
	{ BUILTIN_process_sid, TBUF_BUILTIN_SID },
	{ BUILTIN_process_argc, TBUF_BUILTIN_ARGC },
	{ BUILTIN_process_argv, TBUF_BUILTIN_ARGV },
	{ BUILTIN_process_envp, TBUF_BUILTIN_ENVP },
	{ BUILTIN_process_threads, TBUF_BUILTIN_THREADS },
	{ BUILTIN_process_terminal, TBUF_BUILTIN_TERMINAL },
	{ BUILTIN_process_priority, TBUF_BUILTIN_PRIORITY },
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Sets flags: a stack that is unwound later has no value in a clause. */
static void
note_stack(struct generator *g, unsigned id)
{
	if (id != BUILTIN_ucaller && id != BUILTIN_ustackdepth)
		return;
	g->flags |= TBUF_CLAUSE_STACK;
	if (g->c->options->raw)
		g->flags |= TBUF_CLAUSE_FRAMES;
}

static void
register_value(struct generator *g, const struct d_node *node, unsigned to)
{
	d_value(g, node->arguments, to);
	d_emit_call(g, to, TBUF_SUB_UREG, 1);
}

void
d_builtin(struct generator *g, const struct d_node *node, unsigned to)
{
	struct identifier *one = node->identifier;
	unsigned selector;
	size_t i;

	if ((one->flags & IDENTIFIER_ARGUMENT) != 0) {
		argument(g, node, d_name_selector(g, one), to);
		return;
	}
	if (d_is_argument(g, node, &selector)) {
		argument(g, node, selector, to);
		return;
	}
	if (one->id == BUILTIN_arg1) {
		result_or_argument(g, TBUF_OP_LDA, to);
		return;
	}
	if (one->id == BUILTIN_uregs) {
		register_value(g, node, to);
		return;
	}
	for (i = 0; i < COUNT(variables); i++)
		if (variables[i].id == one->id) {
			note_stack(g, one->id);
			if (one->id == BUILTIN_vtimestamp ||
			    one->id == BUILTIN_process_threads ||
			    one->id == BUILTIN_process_priority)
				g->flags |= TBUF_CLAUSE_CALLS;
			d_emit(g, TBUF_OP_LDB, to, 0, 0,
			    variables[i].machine);
			if (one->id == BUILTIN_epid && g->part != 0)
				d_emit(g, TBUF_OP_ADDI, to, to, 0, g->part);
			d_convert(g, g->c->types.type_int64, node->type, to);
			return;
		}
	/* Structures of threads and CPUs have no address. */
	d_emit_number(g, to, 0);
}

/* --- subroutines ---------------------------------------------------------- */

struct subroutine {
	enum builtin id;
	enum tbuf_subroutine machine;
	uint32_t flags;		/* for the clause */
};

static const struct subroutine subroutines[] = {
	{ BUILTIN_alloca, TBUF_SUB_ALLOCA, 0 },
	{ BUILTIN_basename, TBUF_SUB_BASENAME, 0 },
	{ BUILTIN_bcopy, TBUF_SUB_BCOPY, 0 },
	{ BUILTIN_cleanpath, TBUF_SUB_CLEANPATH, 0 },
	{ BUILTIN_copyin, TBUF_SUB_COPYIN, TBUF_CLAUSE_COPYIN },
	{ BUILTIN_copyinstr, TBUF_SUB_COPYINSTR, TBUF_CLAUSE_COPYIN },
	{ BUILTIN_copyinto, TBUF_SUB_COPYINTO, TBUF_CLAUSE_COPYIN },
	{ BUILTIN_copyout, TBUF_SUB_COPYOUT,
	    TBUF_CLAUSE_COPYIN | TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_copyoutstr, TBUF_SUB_COPYOUTSTR,
	    TBUF_CLAUSE_COPYIN | TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_dirname, TBUF_SUB_DIRNAME, 0 },
	{ BUILTIN_file_number, TBUF_SUB_FILE, TBUF_CLAUSE_CALLS },
	{ BUILTIN_file_text, TBUF_SUB_FILE, TBUF_CLAUSE_CALLS },
	{ BUILTIN_getmajor, TBUF_SUB_GETMAJOR, 0 },
	{ BUILTIN_getminor, TBUF_SUB_GETMINOR, 0 },
	{ BUILTIN_htonl, TBUF_SUB_HTONL, 0 },
	{ BUILTIN_htonll, TBUF_SUB_HTONLL, 0 },
	{ BUILTIN_htons, TBUF_SUB_HTONS, 0 },
	{ BUILTIN_index, TBUF_SUB_INDEX, 0 },
	{ BUILTIN_inet_ntoa, TBUF_SUB_INET_NTOA, 0 },
	{ BUILTIN_inet_ntoa6, TBUF_SUB_INET_NTOA6, 0 },
	{ BUILTIN_inet_ntop, TBUF_SUB_INET_NTOP, 0 },
	{ BUILTIN_link_ntop, TBUF_SUB_LINK_NTOP, 0 },
	{ BUILTIN_json, TBUF_SUB_JSON, 0 },
	{ BUILTIN_lltostr, TBUF_SUB_LLTOSTR, 0 },
	{ BUILTIN_ntohl, TBUF_SUB_HTONL, 0 },
	{ BUILTIN_ntohll, TBUF_SUB_HTONLL, 0 },
	{ BUILTIN_ntohs, TBUF_SUB_HTONS, 0 },
	{ BUILTIN_progenyof, TBUF_SUB_PROGENYOF, TBUF_CLAUSE_CALLS },
	{ BUILTIN_rand, TBUF_SUB_RAND, 0 },
	{ BUILTIN_rindex, TBUF_SUB_RINDEX, 0 },
	{ BUILTIN_strchr, TBUF_SUB_STRCHR, 0 },
	{ BUILTIN_strjoin, TBUF_SUB_STRJOIN, 0 },
	{ BUILTIN_strlen, TBUF_SUB_STRLEN, 0 },
	{ BUILTIN_strrchr, TBUF_SUB_STRRCHR, 0 },
	{ BUILTIN_strstr, TBUF_SUB_STRSTR, 0 },
	{ BUILTIN_strtok, TBUF_SUB_STRTOK, 0 },
	{ BUILTIN_strtoll, TBUF_SUB_STRTOLL, 0 },
	{ BUILTIN_substr, TBUF_SUB_SUBSTR, 0 },
	{ BUILTIN_tolower, TBUF_SUB_TOLOWER, 0 },
	{ BUILTIN_toupper, TBUF_SUB_TOUPPER, 0 },
	/* Actions without data in a record. */
	{ BUILTIN_breakpoint, TBUF_SUB_BREAKPOINT, TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_chill, TBUF_SUB_CHILL, TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_panic, TBUF_SUB_PANIC, TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_raise, TBUF_SUB_RAISE, TBUF_CLAUSE_DESTRUCTIVE },
	{ BUILTIN_stop, TBUF_SUB_STOP, TBUF_CLAUSE_DESTRUCTIVE },
};

static const struct subroutine *
find(struct generator *g, const struct identifier *one)
{
	size_t i;

	for (i = 0; i < COUNT(subroutines); i++)
		if (subroutines[i].id == one->id)
			return (&subroutines[i]);
	d_fail(g->c, D_FUNC_KERNEL,
	    "%s( ) looks into a kernel, which is not traced", one->name);
}

/* --- stacks and symbols --------------------------------------------------- */

#define FRAMES	20

uint32_t
d_frames(const struct generator *g, const struct d_node *node)
{
	const struct d_options *options = g->c->options;
	unsigned id = node->identifier->id;
	uint64_t frames = id == BUILTIN_stack ? options->stackframes :
	    id == BUILTIN_jstack ? options->jstackframes :
	    options->ustackframes;

	if (node->arguments != NULL && node->arguments->value != 0)
		frames = node->arguments->value;
	if (frames == 0)
		frames = FRAMES;
	if (options->maxframes != 0 && frames > options->maxframes)
		frames = options->maxframes;
	return (frames > FRAMES_MAX ? FRAMES_MAX : (uint32_t)frames);
}

/* Allocates memory that begins with the image of the addresses in it. */
static void
image(struct generator *g, uint32_t size, unsigned to)
{
	d_emit(g, TBUF_OP_TMP, d_register(g, to), 0, 0, size);
	g->temporaries = true;
	d_emit(g, TBUF_OP_LDB, d_register(g, to + 1), 0, 0,
	    TBUF_BUILTIN_IMAGE);
	d_emit(g, TBUF_OP_ST8, to + 1, to, 0, 0);
}

bool
d_is_raw(const struct generator *g, const struct d_node *node)
{
	return (g->c->options->raw && node->type == g->c->types.type_stack &&
	    node->identifier->id != BUILTIN_stack);
}

void
d_raw_image(struct generator *g, unsigned to)
{
	g->flags |= TBUF_CLAUSE_STACK;
	d_emit(g, TBUF_OP_LDB, d_register(g, to), 0, 0, TBUF_BUILTIN_IMAGE);
}

/* Computes a stack's addresses; those of a kernel's stack are 0. */
void
d_stack(struct generator *g, const struct d_node *node, uint32_t frames,
    unsigned to)
{
	if (node->identifier->id == BUILTIN_stack) {
		d_emit(g, TBUF_OP_TMP, d_register(g, to), 0, 0, 8 * frames);
		g->temporaries = true;
		return;
	}
	g->flags |= TBUF_CLAUSE_STACK;
	image(g, 8 * (frames + 1), to);
	d_emit(g, TBUF_OP_ADDI, to + 1, to, 0, 8);
	d_emit_number(g, to + 2, frames);
	d_emit_call(g, to + 1, TBUF_SUB_USTACK, 2);
}

void
d_symbol(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct type *type = g->c->types.type_uint64;

	if (node->type == g->c->types.type_symaddr) {
		d_value_as(g, node->arguments, type, to);
		return;
	}
	d_value_as(g, node->arguments, type, to + 1);
	/* The address comes last, as image() uses a register, too. */
	d_emit_move(g, to + 2, to + 1);
	image(g, 16, to);
	d_emit(g, TBUF_OP_ST8, to + 2, to, 0, 8);
}

/* True for a symbol, which is represented by its address. */
static bool
is_symbol(const struct generator *g, const struct d_node *node)
{
	return (node->type == g->c->types.type_symaddr ||
	    node->type == g->c->types.type_usymaddr);
}

/* --- calls ---------------------------------------------------------------- */

/* True if the argument is an address: copyin() of a text reads it in place. */
static bool
takes_address(unsigned id, unsigned number)
{
	return (number == 0 && (id == BUILTIN_copyin ||
	    id == BUILTIN_copyinstr || id == BUILTIN_copyinto));
}

static void
parameter(struct generator *g, const struct identifier *one, unsigned number,
    const struct d_node *argument, unsigned to)
{
	const struct type *type = one->signature->types[number];
	bool is_read = takes_address(one->id, number) &&
	    d_argument_address(g, argument, to);

	if (!is_read && type != NULL && d_type_is_char_string(type) &&
	    one->id != BUILTIN_copyoutstr)
		d_value_text(g, argument, to);
	else if (!is_read && type != NULL)
		d_value_as(g, argument, type, to);
	else if (!is_read)
		d_value(g, argument, to);
	if (type != NULL && d_type_resolve(type)->kind == TYPE_POINTER &&
	    !d_type_is_char_string(type))
		d_may_copyin(g, argument);
}

/* Fails unless the destination of a copy is memory of alloca(). */
static void
check_destination(struct generator *g, const struct identifier *one,
    const struct d_node *destination, int number)
{
	if ((destination->flags & NODE_ALLOCA) == 0)
		d_fail_at(g->c, destination, D_PROTO_ARG, "%s( ) argument #%d "
		    "is incompatible with prototype:\n\tprototype: alloca "
		    "pointer\n\t argument: non-alloca pointer", one->name,
		    number);
}

/* Checks arguments as late as DTrace does, when it generates code. */
static void
check_arguments(struct generator *g, const struct identifier *one,
    const struct d_node *arguments)
{
	if (one->id == BUILTIN_bcopy)
		check_destination(g, one, arguments->next, 2);
	else if (one->id == BUILTIN_copyinto)
		check_destination(g, one, arguments->next->next, 3);
	else if (one->id == BUILTIN_inet_ntoa6 && arguments->next != NULL &&
	    arguments->next->kind != NODE_INTEGER)
		d_fail_at(g->c, arguments->next, D_PROTO_ARG, "%s( ) argument "
		    "#2 must be an integer constant", one->name);
}

void
d_call(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct identifier *one = node->identifier;
	const struct d_node *argument = node->arguments;
	const struct subroutine *subroutine;
	bool create = g->create;
	unsigned count = 0, at;

	if (one->id == BUILTIN_speculation) {
		d_emit(g, TBUF_OP_SPECN, to, 0, 0, 0);
		return;
	}
	if (node->type == g->c->types.type_stack) {
		d_stack(g, node, d_frames(g, node), to);
		return;
	}
	if (is_symbol(g, node)) {
		d_symbol(g, node, to);
		return;
	}
	check_arguments(g, one, argument);
	subroutine = find(g, one);
	g->flags |= subroutine->flags;
	if ((subroutine->flags & TBUF_CLAUSE_DESTRUCTIVE) != 0)
		d_mark_destructive(g, one);
	g->create = false;
	for (; argument != NULL; argument = argument->next, count++) {
		at = d_wait(g, argument, to, count);
		parameter(g, one, count, argument, at);
		d_resume(g, to, count, at);
	}
	g->create = create;
	d_emit_call(g, to, subroutine->machine, count);
	if (d_type_is_integer(node->type))
		d_convert(g, g->c->types.type_int64, node->type, to);
}
