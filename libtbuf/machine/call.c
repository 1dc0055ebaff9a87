/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls of subroutines, and the subroutines for memory and devices.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

#define OWN(number, NAME, name, least, most)	[(number)] = least,

/* Each one's least number of arguments: fewer are an illegal operation. */
static const uint8_t least_arguments[256] = { TBUF_SUBROUTINES(OWN) };

static tbuf_subroutine *const functions[] = {
	[TBUF_SUB_TEXT] = tbuf_sub_text,
	[TBUF_SUB_STRLEN] = tbuf_sub_strlen,
	[TBUF_SUB_STRJOIN] = tbuf_sub_strjoin,
	[TBUF_SUB_STRCHR] = tbuf_sub_strchr,
	[TBUF_SUB_STRRCHR] = tbuf_sub_strrchr,
	[TBUF_SUB_STRSTR] = tbuf_sub_strstr,
	[TBUF_SUB_INDEX] = tbuf_sub_index,
	[TBUF_SUB_RINDEX] = tbuf_sub_rindex,
	[TBUF_SUB_SUBSTR] = tbuf_sub_substr,
	[TBUF_SUB_STRTOK] = tbuf_sub_strtok,
	[TBUF_SUB_TOUPPER] = tbuf_sub_toupper,
	[TBUF_SUB_TOLOWER] = tbuf_sub_tolower,
	[TBUF_SUB_STRTOLL] = tbuf_sub_strtoll,
	[TBUF_SUB_LLTOSTR] = tbuf_sub_lltostr,
	[TBUF_SUB_BASENAME] = tbuf_sub_basename,
	[TBUF_SUB_DIRNAME] = tbuf_sub_dirname,
	[TBUF_SUB_CLEANPATH] = tbuf_sub_cleanpath,
	[TBUF_SUB_INET_NTOA] = tbuf_sub_inet_ntoa,
	[TBUF_SUB_INET_NTOA6] = tbuf_sub_inet_ntoa6,
	[TBUF_SUB_INET_NTOP] = tbuf_sub_inet_ntop,
	[TBUF_SUB_LINK_NTOP] = tbuf_sub_link_ntop,
	[TBUF_SUB_HTONS] = tbuf_sub_htons,
	[TBUF_SUB_HTONL] = tbuf_sub_htonl,
	[TBUF_SUB_HTONLL] = tbuf_sub_htonll,
	[TBUF_SUB_GETMAJOR] = tbuf_sub_getmajor,
	[TBUF_SUB_GETMINOR] = tbuf_sub_getminor,
	[TBUF_SUB_ALLOCA] = tbuf_sub_alloca,
	[TBUF_SUB_BCOPY] = tbuf_sub_bcopy,
	[TBUF_SUB_COPYIN] = tbuf_sub_copyin,
	[TBUF_SUB_COPYINTO] = tbuf_sub_copyinto,
	[TBUF_SUB_COPYINSTR] = tbuf_sub_copyinstr,
	[TBUF_SUB_COPYOUT] = tbuf_sub_copyout,
	[TBUF_SUB_COPYOUTSTR] = tbuf_sub_copyoutstr,
	[TBUF_SUB_JSON] = tbuf_sub_json,
};

#define NFUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

/* A bit for each one whose first argument is a text, opened before the call. */
#define BIT(NAME)	(UINT64_C(1) << TBUF_SUB_##NAME)
#define OF_TEXTS							\
	(BIT(TEXT) | BIT(STRLEN) | BIT(STRJOIN) | BIT(STRCHR) |		\
	BIT(STRRCHR) | BIT(STRSTR) | BIT(INDEX) | BIT(RINDEX) |		\
	BIT(SUBSTR) | BIT(TOUPPER) | BIT(TOLOWER) | BIT(STRTOLL) |	\
	BIT(BASENAME) | BIT(DIRNAME) | BIT(CLEANPATH) | BIT(COPYOUTSTR) | \
	BIT(JSON))

static int
call(struct tbuf_machine *m, uint64_t word)
{
	unsigned first = tbuf_word_b(word), i;
	uint32_t number = tbuf_word_immediate(word);
	struct tbuf_call c;
	int answer = 0;

	c.count = tbuf_word_c(word);
	c.result = 0;
	if (c.count > TBUF_CALL_ARGUMENTS || number > 255 ||
	    c.count < least_arguments[number])
		return (tbuf_illegal(m));
	for (i = 0; i < TBUF_CALL_ARGUMENTS; i++)
		c.arguments[i] = i < c.count ?
		    m->registers[(first + i) % TBUF_REGISTERS] : 0;
	m->fault.address = 0;
	if (number < NFUNCTIONS) {
		if ((OF_TEXTS >> number & 1) != 0)
			answer = tbuf_text_open(m, c.arguments[0], &c.text);
		if (answer == 0)
			answer = functions[number](m, &c);
	} else if (number >= TBUF_SUB_OUTSIDE && m->surroundings->call != NULL)
		answer = m->surroundings->call(m, number, c.arguments, c.count,
		    &c.result);
	else
		answer = tbuf_illegal(m);
	if (answer == 0)
		m->registers[tbuf_word_a(word) % TBUF_REGISTERS] = c.result;
	return (answer);
}

int
tbuf_call_step(struct tbuf_machine *m, uint64_t word)
{
	int order, answer;

	if (tbuf_word_operation(word) == TBUF_OP_CALL)
		return (call(m, word));
	answer = tbuf_text_compare(m,
	    m->registers[tbuf_word_b(word) % TBUF_REGISTERS],
	    m->registers[tbuf_word_c(word) % TBUF_REGISTERS], &order);
	if (answer == 0)
		m->registers[tbuf_word_a(word) % TBUF_REGISTERS] =
		    (uint64_t)(int64_t)order;
	return (answer);
}

/* ------------------------------------------------------------ memory */

int
tbuf_sub_alloca(struct tbuf_machine *m, struct tbuf_call *c)
{
	uint8_t *bytes;
	int answer;

	answer = tbuf_memory_alloca(m, c->arguments[0], &bytes, &c->result);
	if (answer == 0)
		answer = tbuf_work(m, c->arguments[0]);
	if (answer == 0)
		tbuf_bytes_zero(bytes, c->arguments[0]);
	return (answer);
}

/*
 * Gets a destination, which must be D's own memory.  If it has fewer bytes the
 * fault is that of a wrong size, not of a wrong address.
 */
static int
destination(struct tbuf_machine *m, uint64_t address, uint64_t size,
    struct tbuf_span *span)
{
	int answer = tbuf_memory_span(m, address, 0, span);

	if (answer != 0)
		return (answer);
	if (span->size == 0 || (!span->writable &&
	    (tbuf_address_kind(address) < TBUF_OBJECT_GLOBAL ||
	    m->surroundings->write == NULL)))
		return (tbuf_fault(m, TBUF_FAULT_ADDRESS, address));
	if (size > span->size)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, size));
	return (tbuf_work(m, size));
}

/* Copies like memmove(3). */
static void
move(uint8_t *to, const uint8_t *from, uint64_t size)
{
	if ((uintptr_t)to - (uintptr_t)from >= size) {
		tbuf_bytes_copy(to, from, size);
		return;
	}
	while (size-- > 0)
		tbuf_store(to + size, tbuf_load(from + size));
}

/* Copies the program's memory to an object that is not writable in place. */
static int
copy_by_pieces(struct tbuf_machine *m, uint64_t from, uint64_t size,
    uint64_t to)
{
	uint8_t piece[64];
	uint64_t n;
	int answer = 0;

	for (; size > 0 && answer == 0; from += n, to += n, size -= n) {
		n = tbuf_minimum(size, sizeof(piece));
		answer = tbuf_memory_copyin(m, from, piece, n);
		if (answer == 0)
			answer = tbuf_memory_write(m, to, piece, n);
	}
	return (answer);
}

/* Copies any memory to D's own. */
static int
copy(struct tbuf_machine *m, uint64_t from, uint64_t size, uint64_t to)
{
	struct tbuf_span target, source;
	int answer;

	if (size == 0)
		return (0);
	answer = destination(m, to, size, &target);
	if (answer != 0)
		return (answer);
	if (!tbuf_address_is(from))
		return (target.writable ?
		    tbuf_memory_copyin(m, from, target.at, size) :
		    copy_by_pieces(m, from, size, to));
	answer = tbuf_memory_span(m, from, size, &source);
	if (answer != 0)
		return (answer);
	if (source.size == 0)
		return (tbuf_fault(m, TBUF_FAULT_ADDRESS, from));
	if (source.size < size)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, size));
	if (!target.writable)
		return (tbuf_memory_write(m, to, source.at, size));
	move(target.at, source.at, size);
	return (0);
}

/* bcopy(from, to, size) */
int
tbuf_sub_bcopy(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (copy(m, c->arguments[0], c->arguments[2], c->arguments[1]));
}

/* copyinto(from, size, to) */
int
tbuf_sub_copyinto(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (copy(m, c->arguments[0], c->arguments[1], c->arguments[2]));
}

/* copyin(from, size): a copy in scratch */
int
tbuf_sub_copyin(struct tbuf_machine *m, struct tbuf_call *c)
{
	uint8_t *bytes;
	int answer;

	if (c->arguments[1] > m->scratch.room)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, c->arguments[1]));
	answer = tbuf_memory_alloca(m, c->arguments[1], &bytes, &c->result);
	if (answer != 0)
		return (answer);
	answer = copy(m, c->arguments[0], c->arguments[1], c->result);
	/* The old bytes of scratch must not become visible. */
	if (answer != 0)
		m->scratch.used -= (uint32_t)c->arguments[1];
	return (answer);
}

/* Bytes that are read at a time, never beyond a multiple of this. */
#define CHUNK	256

/*
 * Copies a text from the program's memory: up to its NUL, or `most'.  Memory
 * may end within a chunk, as that of a record does: then bytes are read singly.
 */
static int
bring(struct tbuf_machine *m, uint64_t from, uint32_t most, uint8_t *to,
    uint32_t *length)
{
	uint32_t n, chunk, step = CHUNK;
	int answer;

	for (n = 0; n < most; n += chunk) {
		chunk = tbuf_minimum(most - n, step -
		    (uint32_t)(from + n) % step);
		answer = tbuf_work(m, chunk);
		if (answer == 0)
			answer = tbuf_memory_copyin(m, from + n, to + n,
			    chunk);
		if (answer == TBUF_FAULT_ADDRESS && chunk > 1) {
			step = 1;
			chunk = 0;
			continue;
		}
		if (answer != 0)
			return (answer);
		for (*length = n; *length < n + chunk; (*length)++)
			if (tbuf_load(to + *length) == 0)
				return (0);
	}
	*length = n;
	return (0);
}

/*
 * Gets the number of characters to copy from a text in memory: `most` or
 * strsize, less one for the NUL.  It is a fault if there is no room for a NUL.
 */
static int
characters(struct tbuf_machine *m, uint64_t from, uint64_t most,
    uint32_t *count)
{
	m->fault.address = from;
	most = tbuf_minimum(most, m->strsize);
	if (most == 0)
		return (TBUF_FAULT_ADDRESS);
	*count = (uint32_t)most - 1;
	return (0);
}

/* copyinstr(from[, most]) */
int
tbuf_sub_copyinstr(struct tbuf_machine *m, struct tbuf_call *c)
{
	uint32_t most, length = 0;
	uint8_t *to;
	int answer;

	answer = characters(m, c->arguments[0], c->count > 1 ?
	    c->arguments[1] : m->strsize, &most);
	if (answer != 0)
		return (answer);
	if (tbuf_address_is(c->arguments[0])) {
		answer = tbuf_text_open(m, c->arguments[0], &c->text);
		return (answer != 0 ? answer : tbuf_text_make(m, c->text.at,
		    tbuf_minimum(c->text.length, most), &c->result));
	}
	answer = tbuf_memory_temporary(m, most + UINT64_C(1), &to, &c->result);
	if (answer == 0)
		answer = bring(m, c->arguments[0], most, to, &length);
	if (answer != 0)
		return (answer);
	tbuf_store(to + length, 0);
	/* The room after the NUL may be used again. */
	m->temporary.used -= most - length;
	return (0);
}

static int
out(struct tbuf_machine *m, uint64_t to, const uint8_t *bytes, uint64_t size)
{
	int answer = tbuf_work(m, size);

	if (answer != 0)
		return (answer);
	m->fault.address = to;
	if (m->surroundings->copyout == NULL)
		return (TBUF_FAULT_ADDRESS);
	return (m->surroundings->copyout(m, to, bytes, size));
}

/* copyout(from, to, size) */
int
tbuf_sub_copyout(struct tbuf_machine *m, struct tbuf_call *c)
{
	const uint8_t *bytes;
	int answer;

	answer = tbuf_memory_bytes(m, c->arguments[0], c->arguments[2], &bytes);
	return (answer != 0 ? answer :
	    out(m, c->arguments[1], bytes, c->arguments[2]));
}

/* copyoutstr(text, to, most) */
int
tbuf_sub_copyoutstr(struct tbuf_machine *m, struct tbuf_call *c)
{
	uint64_t copy_address;
	uint32_t length;
	uint8_t *bytes;
	int answer = characters(m, c->arguments[0], c->arguments[2], &length);

	if (answer != 0)
		return (answer);
	length = tbuf_minimum(length, c->text.length);
	answer = tbuf_memory_temporary(m, length + UINT64_C(1), &bytes,
	    &copy_address);
	if (answer != 0)
		return (answer);
	tbuf_bytes_copy(bytes, c->text.at, length);
	tbuf_store(bytes + length, 0);
	return (out(m, c->arguments[1], bytes, length + UINT64_C(1)));
}

/* ------------------------------------------------------------ devices */

#define MINOR_BITS	20	/* as in the kernel */

int
tbuf_sub_getmajor(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = (uint32_t)c->arguments[0] >> MINOR_BITS;
	return (0);
}

int
tbuf_sub_getminor(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = (uint32_t)c->arguments[0] & ((1u << MINOR_BITS) - 1);
	return (0);
}
