/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds actions of clauses that targets cannot do.  They are reported before
 * tracing begins.
 */
#include <string.h>

#include "consumer/attach/target_clauses.h"
#include "consumer/script/script.h"

/* Largest structure in an array: key and value together have a key's room. */
#define STRUCTURE_MAX	1024

static const char *
lacks_variable(const struct tbuf_d_script *source, uint64_t word)
{
	const struct tbuf_d_variable *v = source->variables;
	const struct tbuf_d_variable *end = v + source->nvariables;

	for (; v < end; v++)
		if (v->scope >= TBUF_SCOPE_ARRAY &&
		    v->scope == tbuf_word_c(word) &&
		    v->id == tbuf_word_immediate(word) &&
		    v->shape->kind != TBUF_KIND_TEXT &&
		    v->shape->size > STRUCTURE_MAX)
			return ("structures of more than 1k in associative "
			    "arrays");
	return (NULL);
}

static const char *
lacks_program(const struct tbuf_d_script *source,
    const struct tbuf_d_program *program)
{
	const char *lack = NULL;
	uint32_t i;

	if (program->length > TBUF_TARGET_WORDS)
		return ("programs of more than 4096 instructions");
	for (i = 0; i < program->length && lack == NULL; i++)
		if (tbuf_word_operation(program->code[i]) == TBUF_OP_LDR ||
		    tbuf_word_operation(program->code[i]) == TBUF_OP_STB)
			lack = lacks_variable(source, program->code[i]);
	return (lack);
}

static const char *
lacks_record(const struct tbuf_d_record *record)
{
	uint32_t i;

	if (record->npieces > TBUF_PIECES_MAX)
		return ("records of more than 256 values");
	for (i = 0; i < record->npieces; i++)
		if (record->pieces[i].kind == TBUF_PIECE_BYTES &&
		    (record->pieces[i].bytes == 0 ||
		    record->pieces[i].bytes >= TBUF_RECORD_MAX))
			return ("values of 0 bytes, or of 32k and more");
	return (record->bytes > TBUF_RECORD_LARGE ?
	    "records of more than 12k" : NULL);
}

/* Under ring, values would be overwritten with their records, unreported. */
static const char *
lacks_ring(const struct tbuf_d_clause *clause)
{
	uint32_t i;

	for (i = 0; i < clause->nrecords; i++)
		if (tbuf_script_folds(&clause->records[i]))
			return ("unwound stacks as keys (-x ustackunwind) "
			    "under bufpolicy=ring");
	return (NULL);
}

static const char *
lacks_clause(const struct tbuf_d_script *source,
    const struct tbuf_d_clause *clause)
{
	const char *lack = NULL;
	uint32_t i;

	for (i = 0; i < clause->nprograms && lack == NULL; i++)
		lack = lacks_program(source, &clause->programs[i]);
	for (i = 0; i < clause->nrecords && lack == NULL; i++)
		lack = lacks_record(&clause->records[i]);
	if (lack == NULL && (clause->flags & TBUF_CLAUSE_FRAMES) != 0)
		lack = "ucaller and ustackdepth with -x ustackunwind";
	if (lack == NULL && clause->nnames > TBUF_NAMES_MAX)
		lack = "clauses that name more than 16 arguments";
	if (lack == NULL && (clause->nprograms > UINT16_MAX ||
	    clause->nrecords >= TBUF_EPID_COMMIT))
		lack = "clauses with too many programs or records";
	return (lack);
}

static bool
names_any(const struct tbuf_d_program *program)
{
	uint32_t i;

	for (i = 0; i < program->length; i++)
		if (tbuf_word_operation(program->code[i]) == TBUF_OP_LDB &&
		    tbuf_word_immediate(program->code[i]) ==
		    TBUF_BUILTIN_IMAGE)
			return (true);
	return (false);
}

/* Returns true if a format has %A, which prints a number as an address. */
static bool
format_names(const char *format)
{
	while (format != NULL && (format = strchr(format, '%')) != NULL) {
		format++;
		format += strspn(format, "#+- '@?*.0123456789");
		if (*format == 'A')
			return (true);
		format += *format != '\0';
	}
	return (false);
}

static bool
prints_any(const struct tbuf_d_record *record)
{
	uint32_t i;

	for (i = 0; i < record->nactions; i++)
		if (format_names(record->actions[i].format))
			return (true);
	return (false);
}

bool
tbuf_clauses_names(const struct tbuf_d_script *source)
{
	const struct tbuf_d_clause *clause = source->clauses;
	uint32_t i, j;

	for (i = 0; i < source->nclauses; i++, clause++) {
		for (j = 0; j < clause->nprograms; j++)
			if (names_any(&clause->programs[j]))
				return (true);
		for (j = 0; j < clause->nrecords; j++)
			if (prints_any(&clause->records[j]))
				return (true);
	}
	return (false);
}

bool
tbuf_clauses_snapshot(const struct tbuf_d_script *source)
{
	const struct tbuf_d_clause *clause = source->clauses;
	const struct tbuf_d_program *program;
	uint32_t i, j, k;

	for (i = 0; i < source->nclauses; i++, clause++)
		for (j = 0; j < clause->nprograms; j++) {
			program = &clause->programs[j];
			for (k = 0; k < program->length; k++)
				if (tbuf_word_operation(program->code[k]) ==
				    TBUF_OP_SNAPSHOT)
					return (true);
		}
	return (false);
}

const char *
tbuf_clauses_lack(const struct tbuf_d_script *source, bool alone, bool ring,
    const char **description)
{
	const struct tbuf_d_clause *clause = source->clauses;
	const struct tbuf_d_clause *end = clause + source->nclauses;
	const char *lack;
	uint32_t i;

	for (; clause < end; clause++)
		for (i = 0; i < clause->ndescriptions; i++) {
			*description = clause->descriptions[i];
			if (!tbuf_clauses_theirs(*description) ||
			    (alone && tbuf_consumer_own(*description) == 1))
				continue;
			lack = lacks_clause(source, clause);
			if (lack == NULL && ring)
				lack = lacks_ring(clause);
			if (lack != NULL)
				return (lack);
		}
	return (NULL);
}
