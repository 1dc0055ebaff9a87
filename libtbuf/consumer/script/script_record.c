/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built-in variables and subroutines in a replay.  A record has its probe's
 * arguments, process, thread, CPU and time; clauses that need more are refused.
 */
#include "consumer/script/script.h"

int
tbuf_script_record_builtin(const struct tbuf_script *s, unsigned which,
    uint64_t *value)
{
	const struct tbuf_script_record *r = s->record;

	*value = 0;
	switch (which) {
	case TBUF_BUILTIN_TIMESTAMP:
		*value = r->time;
		return (0);
	case TBUF_BUILTIN_WALLTIMESTAMP:
		*value = r->wall;
		return (0);
	case TBUF_BUILTIN_CPU:
		*value = (uint64_t)r->cpu;
		return (0);
	case TBUF_BUILTIN_ID:
		*value = r->probe->id;
		return (0);
	case TBUF_BUILTIN_EPID:
		*value = s->now->epid;
		return (0);
	case TBUF_BUILTIN_PID:
		*value = (uint64_t)r->pid;
		return (0);
	case TBUF_BUILTIN_TID:
		*value = r->tid;
		return (0);
	case TBUF_BUILTIN_UID:
		*value = r->uid;
		return (0);
	case TBUF_BUILTIN_IPL:
	case TBUF_BUILTIN_CALLER:
	case TBUF_BUILTIN_STACKDEPTH:
		return (0);
	case TBUF_BUILTIN_EXECNAME ... TBUF_BUILTIN_PROBENAME:
		*value = tbuf_address(TBUF_OBJECT_BUILTIN, which, 0);
		return (0);
	}
	return (TBUF_FAULT_ILLEGAL);
}

/* Returns the name, as in a script, of a variable that records lack. */
static const char *
lacks_builtin(uint32_t which)
{
	static const char names[][16] = {
#define NAME(number, BUILTIN, name, text) [number] = name,
		TBUF_BUILTINS(NAME)
#undef NAME
	};

	switch (which) {
	case TBUF_BUILTIN_TIMESTAMP:
	case TBUF_BUILTIN_WALLTIMESTAMP:
	case TBUF_BUILTIN_CPU:
	case TBUF_BUILTIN_PID:
	case TBUF_BUILTIN_TID:
	case TBUF_BUILTIN_UID:
	case TBUF_BUILTIN_ID:
	case TBUF_BUILTIN_EPID:
	case TBUF_BUILTIN_IPL:
	case TBUF_BUILTIN_CALLER:
	case TBUF_BUILTIN_STACKDEPTH:
	case TBUF_BUILTIN_EXECNAME ... TBUF_BUILTIN_PROBENAME:
		return (NULL);
	case TBUF_BUILTIN_EXECARGS:
	case TBUF_BUILTIN_ARGC ... TBUF_BUILTIN_TERMINAL:
		return ("this member of curpsinfo");
	case TBUF_BUILTIN_IMAGE:
		return ("ustack() or names of addresses");
	}
	return (which < TBUF_BUILTIN_END && names[which][0] != '\0' ?
	    names[which] : NULL);
}

static const char *
lacks_subroutine(uint32_t which)
{
	static const char names[256][16] = {
#define NAME(number, SUBROUTINE, name, least, most) [number] = name "()",
		TBUF_SUBROUTINES(NAME)
#undef NAME
	};

	switch (which) {
	case TBUF_SUB_UREG:
		return ("uregs[]");
	case TBUF_SUB_FILE:
		return ("fds[], cwd or root");
	case TBUF_SUB_COPYIN:
	case TBUF_SUB_COPYINTO:
	case TBUF_SUB_COPYINSTR:
		return (NULL);
	case TBUF_SUB_COPYOUT:
	case TBUF_SUB_COPYOUTSTR:
		return (names[which]);
	}
	return (which > TBUF_SUB_RAND && which < 256 &&
	    names[which][0] != '\0' ? names[which] : NULL);
}

const char *
tbuf_script_record_lack(const struct tbuf_d_program *program)
{
	const char *lack = NULL;
	uint64_t word;
	uint32_t i;

	for (i = 0; i < program->length && lack == NULL; i++) {
		word = program->code[i];
		if (tbuf_word_operation(word) == TBUF_OP_LDB)
			lack = lacks_builtin(tbuf_word_immediate(word));
		else if (tbuf_word_operation(word) == TBUF_OP_CALL)
			lack = lacks_subroutine(tbuf_word_immediate(word));
	}
	return (lack);
}
