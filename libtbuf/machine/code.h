/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The instructions of the machine that D programs are compiled to: their
 * words, and the tables of operations, built-in variables and subroutines.
 * doc/machine.md explains each, its operands and its faults; machine/machine.h
 * has the function that runs them.
 *
 * An instruction is one 64-bit word:
 *
 *	63            32 31     24 23     16 15      8 7         0
 *	+---------------+---------+---------+---------+-----------+
 *	|   immediate   |    c    |    b    |    a    | operation |
 *	+---------------+---------+---------+---------+-----------+
 *
 * a, b and c mostly name registers; there are 16.  Jumps only go forward.  A
 * jump's distance is counted from the next instruction; it is the immediate,
 * or b and c together if a value is compared with the immediate.
 */
#ifndef TBUF_MACHINE_CODE_H
#define TBUF_MACHINE_CODE_H

#include <stdint.h>

#define TBUF_REGISTERS		16
#define TBUF_TARGET_WORDS	4096	/* the longest program in a target */
#define TBUF_CONSUMER_WORDS	65536	/* the longest one in a consumer */
#define TBUF_CALL_ARGUMENTS	4	/* most arguments of a subroutine */

/*
 * X(number, NAME, "name", "abc", 'immediate').  A number is never used for
 * another operation.  The operands:
 *
 *	-	none: it is 0
 *	r, w, +	a register that is read, that is written, or both
 *	s	scope of a variable (enum tbuf_scope)
 *	f, g	function of an aggregation, and the registers it takes: a is
 *		the value, b and the next one are weight and parameter
 *	n, m	first register of the arguments of a call, and their number
 *	d	distance of a jump (b and c together)
 *	q	an argument of the probe, see TBUF_SELECT_NAME (a alone)
 * The kinds of the immediate:
 *	i	a signed number		j	distance of a jump
 *	k	offset of a constant	q	an argument of the probe
 *	v	a variable's id		b	a built-in variable
 *	u	a subroutine		t	an aggregation's id
 *	p	1, 2, 4 or 8 bytes	z	bytes
 *	e	a record of the clause	x	a fault
 */
#define TBUF_OPERATIONS(X)						\
	X(0x00, END, "end", "---", '-')					\
	X(0x01, RET, "ret", "r--", '-')					\
	X(0x02, FAULT, "fault", "r--", 'x')				\
	X(0x03, JMP, "jmp", "---", 'j')					\
	X(0x04, JZ, "jz", "r--", 'j')					\
	X(0x05, JNZ, "jnz", "r--", 'j')					\
	X(0x06, BOUND, "bound", "r--", 'i')				\
	X(0x07, FREE, "free", "---", '-')				\
	X(0x08, PART, "part", "---", 'j')				\
	X(0x10, LDI, "ldi", "w--", 'i')					\
	X(0x11, LDIH, "ldih", "+--", 'i')				\
	X(0x12, MOV, "mov", "wr-", '-')					\
	X(0x13, LDC, "ldc", "w--", 'k')					\
	X(0x14, NEG, "neg", "wr-", '-')					\
	X(0x15, NOT, "not", "wr-", '-')					\
	X(0x16, LNOT, "lnot", "wr-", '-')				\
	X(0x18, EXT1S, "ext1s", "wr-", '-')				\
	X(0x19, EXT2S, "ext2s", "wr-", '-')				\
	X(0x1a, EXT4S, "ext4s", "wr-", '-')				\
	X(0x1b, EXT1U, "ext1u", "wr-", '-')				\
	X(0x1c, EXT2U, "ext2u", "wr-", '-')				\
	X(0x1d, EXT4U, "ext4u", "wr-", '-')				\
	TBUF_BINARY_OPERATIONS(X)					\
	TBUF_COMPARISONS(X)						\
	X(0xa0, LDA, "lda", "w--", 'q')					\
	X(0xa1, LDAT, "ldat", "w--", 'q')				\
	X(0xa2, LDB, "ldb", "w--", 'b')					\
	X(0xa4, LD1S, "ld1s", "wr-", 'i')				\
	X(0xa5, LD2S, "ld2s", "wr-", 'i')				\
	X(0xa6, LD4S, "ld4s", "wr-", 'i')				\
	X(0xa7, LD1U, "ld1u", "wr-", 'i')				\
	X(0xa8, LD2U, "ld2u", "wr-", 'i')				\
	X(0xa9, LD4U, "ld4u", "wr-", 'i')				\
	X(0xaa, LD8, "ld8", "wr-", 'i')					\
	X(0xac, ST1, "st1", "rr-", 'i')					\
	X(0xad, ST2, "st2", "rr-", 'i')					\
	X(0xae, ST4, "st4", "rr-", 'i')					\
	X(0xaf, ST8, "st8", "rr-", 'i')					\
	X(0xb0, LDV, "ldv", "w-s", 'v')					\
	X(0xb1, STV, "stv", "r-s", 'v')					\
	X(0xb2, LDR, "ldr", "w-s", 'v')					\
	X(0xb3, STT, "stt", "r-s", 'v')					\
	X(0xb4, STB, "stb", "rrs", 'v')					\
	X(0xb5, TMP, "tmp", "w--", 'z')					\
	X(0xb8, KEYN, "keyn", "---", '-')				\
	X(0xb9, KEY, "key", "r--", 'p')					\
	X(0xba, KEYT, "keyt", "r--", '-')				\
	X(0xbb, KEYB, "keyb", "r--", 'z')				\
	X(0xbc, KEYA, "keya", "---", 'q')				\
	X(0xc0, ROOM, "room", "---", 'e')				\
	X(0xc1, PUT, "put", "r--", 'p')					\
	X(0xc2, PUTT, "putt", "r--", '-')				\
	X(0xc3, PUTB, "putb", "r--", 'z')				\
	X(0xc4, PUTA, "puta", "---", 'q')				\
	X(0xc5, EMIT, "emit", "---", 'e')				\
	X(0xc6, PUTS, "puts", "r--", 'z')				\
	X(0xc7, ASIDE, "aside", "---", '-')				\
	X(0xc8, UPD, "upd", "ggf", 't')					\
	X(0xd0, EXIT, "exit", "r--", '-')				\
	X(0xd1, SPECN, "specn", "w--", '-')				\
	X(0xd2, SPEC, "spec", "r--", '-')				\
	X(0xd3, COMMIT, "commit", "r--", '-')				\
	X(0xd4, DISCARD, "discard", "r--", '-')				\
	X(0xd5, SNAPSHOT, "snapshot", "---", '-')			\
	X(0xd8, TCMP, "tcmp", "wrr", '-')				\
	X(0xd9, TJEQ, "tjeq", "rr-", 'j')				\
	X(0xda, TJNE, "tjne", "rr-", 'j')				\
	X(0xe0, CALL, "call", "wnm", 'u')

/* The second operand is a register; with number + 0x10, the immediate. */
#define TBUF_BINARY_OPERATIONS(X)					\
	TBUF_BINARY(X, 0, ADD, "add")					\
	TBUF_BINARY(X, 1, SUB, "sub")					\
	TBUF_BINARY(X, 2, MUL, "mul")					\
	TBUF_BINARY(X, 3, DIVS, "divs")					\
	TBUF_BINARY(X, 4, DIVU, "divu")					\
	TBUF_BINARY(X, 5, MODS, "mods")					\
	TBUF_BINARY(X, 6, MODU, "modu")					\
	TBUF_BINARY(X, 7, AND, "and")					\
	TBUF_BINARY(X, 8, OR, "or")					\
	TBUF_BINARY(X, 9, XOR, "xor")					\
	TBUF_BINARY(X, 10, SHL, "shl")					\
	TBUF_BINARY(X, 11, SHRS, "shrs")				\
	TBUF_BINARY(X, 12, SHRU, "shru")

#define TBUF_BINARY(X, n, NAME, name)					\
	X(0x20 + n, NAME, name, "wrr", '-')				\
	X(0x30 + n, NAME##I, name "i", "wr-", 'i')

/*
 * A comparison sets a register to 0 or 1, or jumps.  It compares registers, a
 * register and the immediate, or an argument of the probe and the immediate.
 */
#define TBUF_COMPARISONS(X)						\
	TBUF_COMPARISON(X, 0, EQ, "eq")					\
	TBUF_COMPARISON(X, 1, NE, "ne")					\
	TBUF_COMPARISON(X, 2, LT, "lt")					\
	TBUF_COMPARISON(X, 3, LE, "le")					\
	TBUF_COMPARISON(X, 4, GT, "gt")					\
	TBUF_COMPARISON(X, 5, GE, "ge")					\
	TBUF_COMPARISON(X, 6, LTU, "ltu")				\
	TBUF_COMPARISON(X, 7, LEU, "leu")				\
	TBUF_COMPARISON(X, 8, GTU, "gtu")				\
	TBUF_COMPARISON(X, 9, GEU, "geu")

#define TBUF_COMPARISON(X, n, NAME, name)				\
	X(0x50 + n, S##NAME, "s" name, "wrr", '-')			\
	X(0x60 + n, S##NAME##I, "s" name "i", "wr-", 'i')		\
	X(0x70 + n, J##NAME, "j" name, "rr-", 'j')			\
	X(0x80 + n, J##NAME##I, "j" name "i", "rdd", 'i')		\
	X(0x90 + n, JA##NAME##I, "ja" name "i", "qdd", 'i')

#define TBUF_OPERATION_NUMBER(number, NAME, name, abc, immediate)	\
	TBUF_OP_##NAME = (number),
enum tbuf_operation {
	TBUF_OPERATIONS(TBUF_OPERATION_NUMBER)
};

/*
 * Selects an argument of the probe: by its number, 0 to 9; or, with this added,
 * by the number of a name of the clause, 0 to 15, for which the program's
 * binding has the argument's number (struct tbuf_clause).
 */
#define TBUF_SELECT_NAME	16
#define TBUF_SELECT_MAX		32

/* Where a variable is. */
enum tbuf_scope {
	TBUF_SCOPE_GLOBAL = 0,
	TBUF_SCOPE_CLAUSE = 1,		/* this-> */
	TBUF_SCOPE_THREAD = 2,		/* self-> */
	TBUF_SCOPE_ARRAY = 3,		/* x[key], with the machine's key */
	TBUF_SCOPE_THREAD_ARRAY = 4,	/* self->x[key] */
	TBUF_SCOPES = 5
};

enum tbuf_aggregator {
	TBUF_AGG_COUNT = 0,
	TBUF_AGG_SUM = 1,
	TBUF_AGG_MIN = 2,
	TBUF_AGG_MAX = 3,
	TBUF_AGG_AVG = 4,
	TBUF_AGG_STDDEV = 5,
	TBUF_AGG_QUANTIZE = 6,
	TBUF_AGG_LQUANTIZE = 7,
	TBUF_AGG_LLQUANTIZE = 8,
	TBUF_AGGREGATORS = 9
};

/* Faults, with the numbers of DTrace (DTRACEFLT_BADADDR and so on). */
enum tbuf_fault {
	TBUF_FAULT_NONE = 0,
	TBUF_FAULT_ADDRESS = 1,		/* invalid address */
	TBUF_FAULT_ALIGNMENT = 2,	/* invalid alignment */
	TBUF_FAULT_ILLEGAL = 3,		/* illegal operation */
	TBUF_FAULT_DIVIDE = 4,		/* divide-by-zero */
	TBUF_FAULT_SCRATCH = 5,		/* out of scratch space */
	TBUF_FAULT_KERNEL = 6,		/* invalid kernel access */
	TBUF_FAULT_USER = 7,		/* invalid user access */
	TBUF_FAULT_TUPLE = 8,		/* tuple stack overflow */
	TBUF_FAULT_STACK = 9,		/* bad stack */
	TBUF_FAULT_SIZE = 10,		/* invalid size */
	TBUF_FAULT_INDEX = 11,		/* index out of bounds */
	TBUF_FAULTS = 12
};

/* X(number, NAME, "name", 1 for a text).  More may be added at the end. */
#define TBUF_BUILTINS(X)						\
	X(0, TIMESTAMP, "timestamp", 0)					\
	X(1, VTIMESTAMP, "vtimestamp", 0)				\
	X(2, WALLTIMESTAMP, "walltimestamp", 0)				\
	X(3, CPU, "cpu", 0)						\
	X(4, PID, "pid", 0)						\
	X(5, PPID, "ppid", 0)						\
	X(6, TID, "tid", 0)						\
	X(7, UID, "uid", 0)						\
	X(8, GID, "gid", 0)						\
	X(9, ID, "id", 0)						\
	X(10, EPID, "epid", 0)						\
	X(11, ERRNO, "errno", 0)					\
	X(12, CALLER, "caller", 0)					\
	X(13, UCALLER, "ucaller", 0)					\
	X(14, STACKDEPTH, "stackdepth", 0)				\
	X(15, USTACKDEPTH, "ustackdepth", 0)				\
	X(16, IPL, "ipl", 0)						\
	X(17, EXECNAME, "execname", 1)					\
	X(18, PROBEPROV, "probeprov", 1)				\
	X(19, PROBEMOD, "probemod", 1)					\
	X(20, PROBEFUNC, "probefunc", 1)				\
	X(21, PROBENAME, "probename", 1)				\
	X(22, EXECARGS, "execargs", 1)					\
	X(23, EUID, "euid", 0)						\
	X(24, EGID, "egid", 0)						\
	X(25, PGID, "pgid", 0)						\
	X(26, SID, "sid", 0)						\
	X(27, ARGC, "argc", 0)						\
	X(28, ARGV, "argv", 0)						\
	X(29, ENVP, "envp", 0)						\
	X(30, THREADS, "threads", 0)					\
	X(31, TERMINAL, "terminal", 0)					\
	X(32, IMAGE, "image", 0)					\
	X(33, PRIORITY, "priority", 0)

#define TBUF_BUILTIN_NUMBER(number, NAME, name, text)			\
	TBUF_BUILTIN_##NAME = (number),
enum tbuf_builtin {
	TBUF_BUILTINS(TBUF_BUILTIN_NUMBER)
	TBUF_BUILTIN_END
};

/*
 * Returns the number of the image that addresses belong to: the pid, and the
 * random part of its file's name, which is a new one after exec.
 */
static inline uint64_t
tbuf_image(uint32_t pid, uint64_t random)
{
	return (random << 32 | pid);
}

/*
 * X(number, NAME, "name", least, most arguments).  Those from TBUF_SUB_OUTSIDE
 * on are functions of the machine's surroundings.
 */
#define TBUF_SUBROUTINES(X)						\
	X(0, TEXT, "text", 1, 1)					\
	X(1, STRLEN, "strlen", 1, 1)					\
	X(2, STRJOIN, "strjoin", 2, 2)					\
	X(3, STRCHR, "strchr", 2, 2)					\
	X(4, STRRCHR, "strrchr", 2, 2)					\
	X(5, STRSTR, "strstr", 2, 2)					\
	X(6, INDEX, "index", 2, 3)					\
	X(7, RINDEX, "rindex", 2, 3)					\
	X(8, SUBSTR, "substr", 2, 3)					\
	X(9, STRTOK, "strtok", 2, 2)					\
	X(10, TOUPPER, "toupper", 1, 1)					\
	X(11, TOLOWER, "tolower", 1, 1)					\
	X(12, STRTOLL, "strtoll", 1, 2)					\
	X(13, LLTOSTR, "lltostr", 1, 2)					\
	X(14, BASENAME, "basename", 1, 1)				\
	X(15, DIRNAME, "dirname", 1, 1)					\
	X(16, CLEANPATH, "cleanpath", 1, 1)				\
	X(17, INET_NTOA, "inet_ntoa", 1, 1)				\
	X(18, INET_NTOA6, "inet_ntoa6", 1, 2)				\
	X(19, INET_NTOP, "inet_ntop", 2, 2)				\
	X(20, LINK_NTOP, "link_ntop", 2, 2)				\
	X(21, HTONS, "htons", 1, 1)					\
	X(22, HTONL, "htonl", 1, 1)					\
	X(23, HTONLL, "htonll", 1, 1)					\
	X(24, GETMAJOR, "getmajor", 1, 1)				\
	X(25, GETMINOR, "getminor", 1, 1)				\
	X(26, ALLOCA, "alloca", 1, 1)					\
	X(27, BCOPY, "bcopy", 3, 3)					\
	X(28, COPYIN, "copyin", 2, 2)					\
	X(29, COPYINTO, "copyinto", 3, 3)				\
	X(30, COPYINSTR, "copyinstr", 1, 2)				\
	X(31, COPYOUT, "copyout", 3, 3)					\
	X(32, COPYOUTSTR, "copyoutstr", 3, 3)				\
	X(33, JSON, "json", 2, 2)					\
	X(128, RAND, "rand", 0, 0)					\
	X(129, PROGENYOF, "progenyof", 1, 1)				\
	X(130, UREG, "ureg", 1, 1)					\
	X(131, RAISE, "raise", 1, 1)					\
	X(132, STOP, "stop", 0, 0)					\
	X(133, CHILL, "chill", 1, 1)					\
	X(134, PANIC, "panic", 0, 0)					\
	X(135, BREAKPOINT, "breakpoint", 0, 0)				\
	X(136, USTACK, "ustack", 2, 2)					\
	X(137, FILE, "file", 2, 2)

#define TBUF_SUBROUTINE_NUMBER(number, NAME, name, least, most)		\
	TBUF_SUB_##NAME = (number),
enum tbuf_subroutine {
	TBUF_SUBROUTINES(TBUF_SUBROUTINE_NUMBER)
	TBUF_SUB_OUTSIDE = 128
};

/* The facts that "file" returns of a descriptor or process; texts first. */
enum tbuf_file_what {
	TBUF_FILE_NAME = 0,
	TBUF_FILE_DIRECTORY = 1,
	TBUF_FILE_PATH = 2,
	TBUF_FILE_SYSTEM = 3,
	TBUF_FILE_FOLDER = 4,		/* the working directory */
	TBUF_FILE_ROOT = 5,
	TBUF_FILE_OFFSET = 6,
	TBUF_FILE_FLAGS = 7
};

/* Return the fields of a word, and a word made of fields. */
static inline unsigned
tbuf_word_operation(uint64_t word)
{
	return ((unsigned)word & 0xff);
}

static inline unsigned
tbuf_word_a(uint64_t word)
{
	return ((unsigned)(word >> 8) & 0xff);
}

static inline unsigned
tbuf_word_b(uint64_t word)
{
	return ((unsigned)(word >> 16) & 0xff);
}

static inline unsigned
tbuf_word_c(uint64_t word)
{
	return ((unsigned)(word >> 24) & 0xff);
}

static inline uint32_t
tbuf_word_immediate(uint64_t word)
{
	return ((uint32_t)(word >> 32));
}

/* Returns the distance of a jump that compares with the immediate. */
static inline uint32_t
tbuf_word_distance(uint64_t word)
{
	return ((uint32_t)(word >> 16) & 0xffff);
}

static inline uint64_t
tbuf_word(unsigned operation, unsigned a, unsigned b, unsigned c,
    uint32_t immediate)
{
	return ((uint64_t)operation | (uint64_t)(a & 0xff) << 8 |
	    (uint64_t)(b & 0xff) << 16 | (uint64_t)(c & 0xff) << 24 |
	    (uint64_t)immediate << 32);
}

/*
 * D's own memory has addresses that a program's memory cannot have: bit 55 is
 * set as in the kernel's addresses, the bits above it are not.
 *
 *	63     55 54    50 49         32 31               0
 *	+--------+--------+-------------+------------------+
 *	|  mark  |  kind  |    index    |      offset      |
 *	+--------+--------+-------------+------------------+
 *
 * Arithmetic is that of integers.  An address before an object's start borrows
 * from the index, and is outside of the object with that index as well.
 */
enum tbuf_object {
	TBUF_OBJECT_SCRATCH = 0,	/* alloca(), copyin() */
	TBUF_OBJECT_TEMPORARY = 1,	/* results, until `free` */
	TBUF_OBJECT_CONSTANT = 2,	/* the program's constants */
	TBUF_OBJECT_ARGUMENT = 3,	/* index: the argument's number */
	TBUF_OBJECT_GLOBAL = 4,		/* index: a variable's id */
	TBUF_OBJECT_CLAUSE = 5,		/* index: a variable's id */
	TBUF_OBJECT_BUILTIN = 6,	/* index: enum tbuf_builtin */
	TBUF_OBJECT_OUTSIDE = 7,	/* from here on defined by the
					   surroundings */
	TBUF_OBJECT_INTERNED = 31	/* the string heap */
};

#define TBUF_ADDRESS_MARK	UINT64_C(0x1ab)
#define TBUF_ADDRESS_SHIFT	55

static inline uint64_t
tbuf_address(unsigned kind, uint32_t index, uint32_t offset)
{
	return (TBUF_ADDRESS_MARK << TBUF_ADDRESS_SHIFT |
	    (uint64_t)(kind & 0x1f) << 50 |
	    (uint64_t)(index & 0x3ffff) << 32 | offset);
}

static inline int
tbuf_address_is(uint64_t address)
{
	return (address >> TBUF_ADDRESS_SHIFT == TBUF_ADDRESS_MARK);
}

static inline unsigned
tbuf_address_kind(uint64_t address)
{
	return ((unsigned)(address >> 50) & 0x1f);
}

static inline uint32_t
tbuf_address_index(uint64_t address)
{
	return ((uint32_t)(address >> 32) & 0x3ffff);
}

#endif
