/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that the files of the machine share.  Those that return an int
 * return 0, a fault or TBUF_STOP.
 *
 * Bytes are loaded and stored one by one, as atomic ones: other threads and
 * processes may change them meanwhile, and a loop over them must not become a
 * call of memcpy().
 */
#ifndef TBUF_MACHINE_INTERNAL_H
#define TBUF_MACHINE_INTERNAL_H

#include "arch/atomics.h"
#include "machine/machine.h"
#include "tbuf.h"

/* A text in place: it ends with a NUL, or after `most` bytes. */
struct tbuf_characters {
	const uint8_t *at;
	uint32_t most;		/* strsize or less */
	uint32_t length;	/* only after tbuf_text_open() */
	bool whole;		/* all `most` bytes can be read */
};

static inline int
tbuf_fault(struct tbuf_machine *m, enum tbuf_fault number, uint64_t address)
{
	m->fault.address = address;
	return ((int)number);
}

static inline int
tbuf_illegal(struct tbuf_machine *m)
{
	return (tbuf_fault(m, TBUF_FAULT_ILLEGAL, 0));
}

/* Uses up the fuel for some bytes of work; a fault if there is too little. */
static inline int
tbuf_work(struct tbuf_machine *m, uint64_t bytes)
{
	if (bytes > m->fuel) {
		m->fuel = 0;
		return (tbuf_fault(m, TBUF_FAULT_SCRATCH, 0));
	}
	m->fuel -= bytes;
	return (0);
}

static inline void
tbuf_bytes_copy(uint8_t *to, const uint8_t *from, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		tbuf_store(to + i, tbuf_load(from + i));
}

static inline void
tbuf_bytes_zero(uint8_t *to, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		tbuf_store(to + i, 0);
}

static inline uint32_t
tbuf_minimum(uint64_t a, uint32_t b)
{
	return (a < b ? (uint32_t)a : b);
}

/* Returns the number of an argument, also for a name of the clause. */
static inline unsigned
tbuf_select(const struct tbuf_machine *m, uint32_t selector)
{
	if ((selector & TBUF_SELECT_NAME) != 0)
		return ((unsigned)(m->binding >> 4 * (selector & 15)) & 15);
	return (selector & 15);
}

/*
 * Loads an argument of type float, as the bits of a double of the same value: D
 * has no other type for both.
 */
int	tbuf_float_load(struct tbuf_machine *, uint64_t word);

/*
 * Returns an argument as a number; that of bytes with a length is their
 * address, although a site has that of their struct tbuf_bytes.
 */
static inline uint64_t
tbuf_argument(const struct tbuf_machine *m, uint32_t selector)
{
	unsigned n = tbuf_select(m, selector);
	uint64_t value = n < m->nargs ? m->values[n] : 0;

	if (value == 0 || (m->types[n] != TBUF_STRING_SIZED &&
	    m->types[n] != TBUF_BINARY))
		return (value);
	return ((uintptr_t)((const struct tbuf_bytes *)(uintptr_t)
	    value)->data);
}

/* Returns the result of comparing an argument with the word's immediate. */
static inline bool
tbuf_argument_holds(uint64_t word, uint64_t x)
{
	uint64_t y = (uint64_t)(int64_t)(int32_t)tbuf_word_immediate(word);

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_JAEQI:
		return (x == y);
	case TBUF_OP_JANEI:
		return (x != y);
	case TBUF_OP_JALTI:
		return ((int64_t)x < (int64_t)y);
	case TBUF_OP_JALEI:
		return ((int64_t)x <= (int64_t)y);
	case TBUF_OP_JAGTI:
		return ((int64_t)x > (int64_t)y);
	case TBUF_OP_JAGEI:
		return ((int64_t)x >= (int64_t)y);
	case TBUF_OP_JALTUI:
		return (x < y);
	case TBUF_OP_JALEUI:
		return (x <= y);
	case TBUF_OP_JAGTUI:
		return (x > y);
	}
	return (x >= y);
}

/* memory.c: objects, addresses, room */
int	tbuf_memory_span(struct tbuf_machine *, uint64_t address,
	    uint64_t size, struct tbuf_span *);
int	tbuf_memory_access(struct tbuf_machine *, uint64_t word);
int	tbuf_memory_text(struct tbuf_machine *, uint64_t address,
	    struct tbuf_characters *);
int	tbuf_memory_bytes(struct tbuf_machine *, uint64_t address,
	    uint64_t size, const uint8_t **);
int	tbuf_memory_copyin(struct tbuf_machine *, uint64_t address,
	    uint8_t *to, uint64_t size);
int	tbuf_memory_write(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);
int	tbuf_memory_temporary(struct tbuf_machine *, uint64_t size,
	    uint8_t **, uint64_t *address);
int	tbuf_memory_alloca(struct tbuf_machine *, uint64_t size,
	    uint8_t **, uint64_t *address);
uint64_t tbuf_memory_argument(const struct tbuf_machine *, uint32_t selector);

/* text.c: the end of texts, comparison, new texts */
int	tbuf_text_open(struct tbuf_machine *, uint64_t address,
	    struct tbuf_characters *);
int	tbuf_text_compare(struct tbuf_machine *, uint64_t left,
	    uint64_t right, int *order);
int	tbuf_text_make(struct tbuf_machine *, const uint8_t *bytes,
	    uint64_t size, uint64_t *address);
bool	tbuf_text_find(struct tbuf_machine *, const struct tbuf_characters *,
	    const struct tbuf_characters *, uint32_t at);

/* proc_fd.c: open files, for the surroundings; pid 0 is this process */
int	tbuf_file_tell(struct tbuf_machine *, uint32_t pid,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], uint64_t *result);
int	tbuf_file_unknown(struct tbuf_machine *, uint64_t what,
	    uint64_t *result);
/*
 * Fields of /proc/PID/stat, counted after the name.  The functions return one
 * of a process, or of this thread; 0 if it cannot be read.
 */
#define TBUF_FIELD_PARENT	2
#define TBUF_FIELD_GROUP		3
#define TBUF_FIELD_SESSION	4
#define TBUF_FIELD_TERMINAL	5
#define TBUF_FIELD_PRIORITY	16
#define TBUF_FIELD_THREADS	18
#define TBUF_PRIORITIES	100	/* real-time ones, subtracted in stat */
int64_t	tbuf_file_stat(uint32_t pid, unsigned number);
int64_t	tbuf_file_thread_stat(unsigned number);
/* Returns true if the process is `of' or descends from it. */
bool	tbuf_file_is_progeny(uint32_t pid, uint64_t of);

/* piece.c: keys and records */
int	tbuf_piece_step(struct tbuf_machine *, uint64_t word);

/* effect.c: variables and effects */
int	tbuf_variable_step(struct tbuf_machine *, uint64_t word);
int	tbuf_effect_step(struct tbuf_machine *, uint64_t word);

/* A call of a subroutine. */
struct tbuf_call {
	uint64_t arguments[TBUF_CALL_ARGUMENTS];	/* 0 from `count` on */
	uint64_t result;
	unsigned count;
	struct tbuf_characters text;	/* the first argument, if it is one */
};

/* call.c and others: subroutines, by topic */
int	tbuf_call_step(struct tbuf_machine *, uint64_t word);
typedef int tbuf_subroutine(struct tbuf_machine *, struct tbuf_call *);
tbuf_subroutine tbuf_sub_text, tbuf_sub_strlen, tbuf_sub_strjoin,
	    tbuf_sub_strchr, tbuf_sub_strrchr, tbuf_sub_strstr, tbuf_sub_index,
	    tbuf_sub_rindex, tbuf_sub_substr, tbuf_sub_strtok,
	    tbuf_sub_toupper, tbuf_sub_tolower;
tbuf_subroutine tbuf_sub_strtoll, tbuf_sub_lltostr, tbuf_sub_json;
tbuf_subroutine tbuf_sub_basename, tbuf_sub_dirname, tbuf_sub_cleanpath;
tbuf_subroutine tbuf_sub_inet_ntoa, tbuf_sub_inet_ntoa6, tbuf_sub_inet_ntop,
	    tbuf_sub_link_ntop, tbuf_sub_htons, tbuf_sub_htonl, tbuf_sub_htonll;
tbuf_subroutine tbuf_sub_getmajor, tbuf_sub_getminor, tbuf_sub_alloca,
	    tbuf_sub_bcopy, tbuf_sub_copyin, tbuf_sub_copyinto,
	    tbuf_sub_copyinstr, tbuf_sub_copyout, tbuf_sub_copyoutstr;

#endif
