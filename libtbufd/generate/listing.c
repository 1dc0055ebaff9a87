/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The listing of a script for -S: each program's instructions, and the
 * variables that it uses.
 */
#include <inttypes.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/program.h"
#include "tbufd.h"

/* DTrace's number of a script's first variable. */
#define OWN_FIRST	0x500u

/* The use of a variable by a program, with its first and last instruction. */
struct use {
	bool read, written;
	uint32_t first, last;
};

struct listing {
	FILE *out;
	const struct tbuf_d_script *script;
	const struct tbuf_d_program *program;
	bool any;			/* the table has a heading */
};

/* --- instructions --------------------------------------------------------- */

static void
print_text(const char *text, FILE *out)
{
	fputs("\t! \"", out);
	for (; *text != '\0'; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\t')
			fputs("\\t", out);
		else
			fputc(*text, out);
	fputc('"', out);
}

static void
print_code(const struct listing *l)
{
	const struct tbuf_d_program *p = l->program;
	char line[128];
	uint32_t i;

	fputs("OFF OPCODE           INSTRUCTION\n", l->out);
	for (i = 0; i < p->length; i++) {
		tbuf_machine_print(p->code[i], i, line, sizeof(line));
		fprintf(l->out, "%03" PRIu32 " %016" PRIx64 " %s", i,
		    p->code[i], line);
		if (tbuf_word_operation(p->code[i]) == TBUF_OP_LDC)
			print_text((const char *)p->constants +
			    tbuf_word_immediate(p->code[i]), l->out);
		fputc('\n', l->out);
	}
}

/* --- variables ------------------------------------------------------------ */

static void
note(struct use *use, uint32_t at, bool read, bool written)
{
	if (!use->read && !use->written)
		use->first = at;
	use->last = at;
	use->read = use->read || read;
	use->written = use->written || written;
}

static bool
is_load(unsigned operation)
{
	return (operation == TBUF_OP_LDV || operation == TBUF_OP_LDR);
}

static bool
is_store(unsigned operation)
{
	return (operation == TBUF_OP_STV || operation == TBUF_OP_STT ||
	    operation == TBUF_OP_STB);
}

static struct use
use_of(const struct tbuf_d_program *p, const struct tbuf_d_variable *v)
{
	struct use use = { .read = false };
	unsigned operation;
	uint32_t i;

	for (i = 0; i < p->length; i++) {
		operation = tbuf_word_operation(p->code[i]);
		if ((is_load(operation) || is_store(operation)) &&
		    tbuf_word_c(p->code[i]) == v->scope &&
		    tbuf_word_immediate(p->code[i]) == v->id)
			note(&use, i, is_load(operation),
			    is_store(operation));
	}
	return (use);
}

static void
print_type(const struct tbuf_d_shape *shape, FILE *out)
{
	static const char *const kinds[] = {
		[TBUF_KIND_INTEGER] = "integer", [TBUF_KIND_FLOAT] = "float",
		[TBUF_KIND_CHARACTER] = "integer", [TBUF_KIND_ENUM] = "enum",
		[TBUF_KIND_POINTER] = "pointer", [TBUF_KIND_TEXT] = "unknown",
		[TBUF_KIND_ARRAY] = "array", [TBUF_KIND_STRUCT] = "struct",
		[TBUF_KIND_UNION] = "union", [TBUF_KIND_VOID] = "integer",
	};
	bool reference = shape->kind == TBUF_KIND_TEXT ||
	    shape->kind == TBUF_KIND_ARRAY ||
	    shape->kind == TBUF_KIND_STRUCT || shape->kind == TBUF_KIND_UNION;

	fprintf(out, "%s (%s)%s (size %" PRIu32 ")\n",
	    shape->kind == TBUF_KIND_TEXT ? "string" : "D type",
	    kinds[shape->kind], reference ? " by ref" : "", shape->size);
}

static void
print_row(struct listing *l, const char *name, unsigned id,
    const char *offset, uint32_t scope, const struct use *use,
    const struct tbuf_d_shape *shape)
{
	static const char *const scopes[] = {
		[TBUF_SCOPE_GLOBAL] = "glb", [TBUF_SCOPE_CLAUSE] = "loc",
		[TBUF_SCOPE_THREAD] = "tls", [TBUF_SCOPE_ARRAY] = "glb",
		[TBUF_SCOPE_THREAD_ARRAY] = "tls",
	};
	char range[32];

	if (!l->any)
		fprintf(l->out, "\n%-16s %-4s %-6s %-3s %-3s %-11s %-4s %s\n",
		    "NAME", "ID", "OFFSET", "KND", "SCP", "RANGE", "FLAG",
		    "TYPE");
	l->any = true;
	snprintf(range, sizeof(range), "[%" PRIu32 "-%" PRIu32 "]", use->first,
	    use->last);
	fprintf(l->out, "%-16s %-4x %-6s %-3s %-3s %-11s %-4s ", name, id,
	    offset, scope >= TBUF_SCOPE_ARRAY ? "arr" : "scl", scopes[scope],
	    range, use->read && use->written ? "r/w" : use->read ? "r" : "w");
	print_type(shape, l->out);
}

static uint32_t
alignment(const struct tbuf_d_shape *shape)
{
	switch (shape->kind) {
	case TBUF_KIND_STRUCT:
	case TBUF_KIND_UNION:
		return (8);
	case TBUF_KIND_ARRAY:
		return (alignment(shape->of));
	case TBUF_KIND_TEXT:
		return (1);
	default:
		return (shape->size == 0 ? 1 : shape->size);
	}
}

/* Returns the offset of a variable in DTrace's memory; self-> has none. */
static uint32_t
offset_of(const struct tbuf_d_script *script, const struct tbuf_d_variable *v)
{
	const struct tbuf_d_variable *one = script->variables;
	uint32_t at = 0, align;

	if (v->scope != TBUF_SCOPE_GLOBAL && v->scope != TBUF_SCOPE_CLAUSE)
		return (0);
	for (;; one++) {
		if (one->scope != v->scope)
			continue;
		align = alignment(one->shape);
		at = (at + align - 1) / align * align;
		if (one == v)
			return (at);
		at += one->shape->size;
	}
}

static void
print_variables(struct listing *l)
{
	const struct tbuf_d_variable *v = l->script->variables;
	struct use use;
	char offset[16];
	uint32_t i;

	for (i = 0; i < l->script->nvariables; i++, v++) {
		use = use_of(l->program, v);
		if (!use.read && !use.written)
			continue;
		offset[0] = '\0';
		if (v->scope < TBUF_SCOPE_ARRAY)
			snprintf(offset, sizeof(offset), "%" PRIu32,
			    offset_of(l->script, v));
		print_row(l, v->name, OWN_FIRST + v->id, offset, v->scope,
		    &use, v->shape);
	}
}

/* --- built-in variables --------------------------------------------------- */

/* DTrace's number and size of a built-in variable of the machine. */
struct known {
	unsigned id;
	unsigned size;			/* 0: a text */
};

static const struct known knowns[TBUF_BUILTIN_END] = {
	[TBUF_BUILTIN_TIMESTAMP] = { 0x101, 8 },
	[TBUF_BUILTIN_VTIMESTAMP] = { 0x102, 8 },
	[TBUF_BUILTIN_WALLTIMESTAMP] = { 0x11a, 8 },
	[TBUF_BUILTIN_CPU] = { 0x121, 4 },
	[TBUF_BUILTIN_PID] = { 0x116, 4 },
	[TBUF_BUILTIN_PPID] = { 0x11d, 4 },
	[TBUF_BUILTIN_TID] = { 0x117, 4 },
	[TBUF_BUILTIN_UID] = { 0x11e, 4 },
	[TBUF_BUILTIN_GID] = { 0x11f, 4 },
	[TBUF_BUILTIN_ID] = { 0x105, 4 },
	[TBUF_BUILTIN_EPID] = { 0x104, 4 },
	[TBUF_BUILTIN_ERRNO] = { 0x120, 4 },
	[TBUF_BUILTIN_CALLER] = { 0x111, 8 },
	[TBUF_BUILTIN_UCALLER] = { 0x11c, 8 },
	[TBUF_BUILTIN_STACKDEPTH] = { 0x110, 4 },
	[TBUF_BUILTIN_USTACKDEPTH] = { 0x11b, 4 },
	[TBUF_BUILTIN_IPL] = { 0x103, 4 },
	[TBUF_BUILTIN_EXECNAME] = { 0x118, 0 },
	[TBUF_BUILTIN_PROBEPROV] = { 0x112, 0 },
	[TBUF_BUILTIN_PROBEMOD] = { 0x113, 0 },
	[TBUF_BUILTIN_PROBEFUNC] = { 0x114, 0 },
	[TBUF_BUILTIN_PROBENAME] = { 0x115, 0 },
};

#define ARGUMENT_FIRST	0x106u
#define ARGUMENTS	10

/* Returns the variable or argument that an instruction reads, or -1. */
static int
built_in(uint64_t word)
{
	unsigned operation = tbuf_word_operation(word);
	uint32_t selector = tbuf_word_immediate(word);

	if (operation == TBUF_OP_LDB)
		return ((int)selector);
	if (operation >= TBUF_OP_JAEQI && operation <= TBUF_OP_JAGEUI)
		selector = tbuf_word_a(word);
	else if (operation != TBUF_OP_LDA && operation != TBUF_OP_LDAT)
		return (-1);
	return (selector < ARGUMENTS ? TBUF_BUILTIN_END + (int)selector : -1);
}

static void
print_builtin(struct listing *l, int which, const struct use *use)
{
#define NAME(number, NAME, name, text)	[number] = name,
	static const char *const names[] = { TBUF_BUILTINS(NAME) };
	struct tbuf_d_shape shape = { .kind = TBUF_KIND_INTEGER, .size = 8 };
	char argument[8];

	if (which >= TBUF_BUILTIN_END) {
		which -= TBUF_BUILTIN_END;
		snprintf(argument, sizeof(argument), "arg%d", which);
		print_row(l, argument, ARGUMENT_FIRST + (unsigned)which, "",
		    TBUF_SCOPE_GLOBAL, use, &shape);
		return;
	}
	if (knowns[which].id == 0)
		return;
	shape.size = knowns[which].size;
	if (shape.size == 0) {
		shape.kind = TBUF_KIND_TEXT;
		shape.size = 256;
	}
	print_row(l, names[which], knowns[which].id, "", TBUF_SCOPE_GLOBAL,
	    use, &shape);
}

static void
print_builtins(struct listing *l)
{
	const struct tbuf_d_program *p = l->program;
	struct use use;
	uint32_t i;
	int which;

	for (which = 0; which < TBUF_BUILTIN_END + ARGUMENTS; which++) {
		use = (struct use){ .read = false };
		for (i = 0; i < p->length; i++)
			if (built_in(p->code[i]) == which)
				note(&use, i, true, false);
		if (use.read)
			print_builtin(l, which, &use);
	}
}

/* --- whole scripts -------------------------------------------------------- */

static void
print_clause(const struct tbuf_d_script *script,
    const struct tbuf_d_clause *clause, FILE *out)
{
	struct listing l = { .out = out, .script = script };
	uint32_t i;

	for (i = 0; i < clause->nprograms; i++) {
		l.program = &clause->programs[i];
		l.any = false;
		fprintf(out, "\nDisassembly of clause %s",
		    clause->descriptions[0]);
		if (clause->nprograms > 1)
			fprintf(out, ", program %" PRIu32 " of %" PRIu32,
			    i + 1, clause->nprograms);
		fputs(":\n", out);
		print_code(&l);
		print_builtins(&l);
		print_variables(&l);
	}
}

void
d_disassemble(const struct tbuf_d_script *script, FILE *out)
{
	uint32_t i;

	for (i = 0; i < script->nclauses; i++)
		print_clause(script, &script->clauses[i], out);
}
