/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * KEEP, and the steps of BIND and FINISH of rseq_unit.h, for x86-64.  In KEEP
 * r9 is head, r8 the cached EPID's entry, then the record's place, ecx the
 * EPID, then the number of remaining words.
 */
#define TBUF_V_HEAD		0
#define TBUF_V_TABLE		8
#define TBUF_V_SIZE		16
#define TBUF_V_HALF		24
#define TBUF_V_HEADS		32
#define TBUF_V_SELECTED		48
#define TBUF_V_EPIDS		56
#define TBUF_V_MEMO		248
#define TBUF_N_MASK		8
#define TBUF_N_VALUE		12
#define TBUF_N_WORD		16

TBUF_ASSERT_OFFSET(tbuf_unit_way, head, TBUF_V_HEAD);
TBUF_ASSERT_OFFSET(tbuf_unit_way, table, TBUF_V_TABLE);
TBUF_ASSERT_OFFSET(tbuf_unit_way, size, TBUF_V_SIZE);
TBUF_ASSERT_OFFSET(tbuf_unit_way, half, TBUF_V_HALF);
TBUF_ASSERT_OFFSET(tbuf_unit_way, heads, TBUF_V_HEADS);
TBUF_ASSERT_OFFSET(tbuf_unit_way, selected, TBUF_V_SELECTED);
TBUF_ASSERT_OFFSET(tbuf_unit_way, epids, TBUF_V_EPIDS);
TBUF_ASSERT_OFFSET(tbuf_unit_way, memo, TBUF_V_MEMO);
TBUF_ASSERT_OFFSET(tbuf_unit_epid, epid, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_epid, mask, TBUF_N_MASK);
TBUF_ASSERT_OFFSET(tbuf_unit_epid, value, TBUF_N_VALUE);
TBUF_ASSERT_OFFSET(tbuf_unit_epid, word, TBUF_N_WORD);
_Static_assert(sizeof(struct tbuf_unit_epid) == 3 * 8 && TBUF_UNIT_EPIDS == 8 &&
    sizeof(struct tbuf_lock_record) == 24, "TBUF_UNIT_KNOWN, TBUF_UNIT_ROOM");

#define TBUF_CLOBBERS_KEEP	TBUF_CLOBBERS_FEW, "r8", "r9"

/* A field of the memo in %[w]. */
#define TBUF_UNIT_M(field)						\
	TBUF_O(V_MEMO) " + " TBUF_O(field) "(%[w])"

/* CHECK */
#define TBUF_UNIT_CHECK							\
	TBUF_HERE_BY(TBUF_UNIT_M, "%l[changed]")			\
	TBUF_SESSION_BY(TBUF_UNIT_M, "%l[changed]")			\
	TBUF_DELAY(1)

/* r8 becomes the cached entry of the site's EPID; CHANGED if there is none. */
#define TBUF_UNIT_KNOWN							\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%eax\n\t"		\
	"movq " TBUF_O(V_HEADS) "(%[w]), %%rcx\n\t"			\
	"movl (%%rcx, %%rax, 4), %%ecx\n\t"				\
	"testl %%ecx, %%ecx\n\t"					\
	"jz %l[changed]\n\t"						\
	"movl %%ecx, %%eax\n\t"						\
	"andl $7, %%eax\n\t"						\
	"leaq (%%rax, %%rax, 2), %%rax\n\t"				\
	"leaq " TBUF_O(V_EPIDS) "(%[w], %%rax, 8), %%r8\n\t"		\
	"cmpq %%rcx, (%%r8)\n\t"					\
	"jne %l[changed]\n\t"						\
	"movq " TBUF_O(N_WORD) "(%%r8), %%rdx\n\t"			\
	"movl " TBUF_O(N_VALUE) "(%%r8), %%eax\n\t"			\
	"cmpl %%eax, (%%rdx)\n\t"					\
	"jne %l[changed]\n\t"						\
	"movl " TBUF_O(N_MASK) "(%%r8), %%eax\n\t"			\
	"orl %%eax, " TBUF_O(V_SELECTED) "(%[w])\n\t"

/* r8 becomes the record's place, by the head in r9, in the lap's half. */
#define TBUF_UNIT_ROOM							\
	"movl %%r9d, %%edx\n\t"						\
	"andl $0xffffff, %%edx\n\t"					\
	"shll $3, %%edx\n\t"						\
	"leaq 24(%%rdx, %[size]), %%r8\n\t"				\
	"cmpq %%r8, " TBUF_O(V_SIZE) "(%[w])\n\t"			\
	"jb %l[changed]\n\t"						\
	"btq $48, %%r9\n\t"						\
	"sbbq %%r8, %%r8\n\t"						\
	"andq " TBUF_O(V_HALF) "(%[w]), %%r8\n\t"			\
	"addq " TBUF_O(V_TABLE) "(%[w]), %%r8\n\t"			\
	"addq %%rdx, %%r8\n\t"

/*
 * KEEP, in the registers that a function need not save: the memo is therefore a
 * part of *w, and the address of head is loaded twice.
 */
static inline enum tbuf_outcome
tbuf_rseq_keep(struct tbuf_unit_way *w, const struct tbuf_site *site,
    const uint64_t *values, uint64_t size)
{
	TBUF_SECTION(
	    TBUF_SECTION_BEGIN
	    TBUF_UNIT_CHECK
	    TBUF_UNIT_KNOWN
	    TBUF_SECTION_COUNTER
	    "movq " TBUF_O(V_HEAD) "(%[w]), %%rdx\n\t"
	    "movq (%%rdx), %%r9\n\t"
	    TBUF_UNIT_ROOM
	    "movq %%rax, (%%r8)\n\t"
	    "leaq 24(%[size]), %%rax\n\t"
	    "shll $16, %%eax\n\t"
	    "orl %%ecx, %%eax\n\t"
	    "movl %%eax, 8(%%r8)\n\t"
	    "movl " TBUF_UNIT_M(M_TID) ", %%eax\n\t"
	    "movl %%eax, 12(%%r8)\n\t"
	    "movl " TBUF_UNIT_M(M_CPU) ", %%eax\n\t"
	    "movq %%rax, 16(%%r8)\n\t"
	    "movq %[size], %%rcx\n\t"
	    "shrq $3, %%rcx\n\t"
	    "leaq 0x1000003(%%r9, %%rcx), %%r9\n\t"
	    "jrcxz 8f\n\t"
	    "7: movq -8(%[values], %%rcx, 8), %%rax\n\t"
	    "movq %%rax, 16(%%r8, %%rcx, 8)\n\t"
	    "subq $1, %%rcx\n\t"
	    "jnz 7b\n\t"
	    "8:\n\t"
	    TBUF_DELAY(5)
	    "movq " TBUF_O(V_HEAD) "(%[w]), %%rdx\n\t"
	    "movq %%r9, (%%rdx)\n\t" /* commit */
	    "2:\n\t",
	    changed, TBUF_CLOBBERS_KEEP,
	    [local] "m"(tbuf_local), [w] "r"(w), [site] "r"(site),
	    [values] "r"(values), [size] "r"(size));
	TBUF_SECTION_RETURN;
}

#define TBUF_SECTION_BIND						\
	TBUF_NEED_EQUAL("%[old]", "(%[entry])")				\
	"movq $0, " TBUF_O(Y_HEAD) "(%[entry])\n\t"			\
	"movq %[began], " TBUF_O(Y_BEGAN) "(%[entry])\n\t"		\
	"movq %[id], " TBUF_O(Y_ID) "(%[entry])\n\t"			\
	TBUF_DELAY(4)							\
	"movq %[kind], %%rax\n\t"					\
	"movq %[thread], %%rdx\n\t"					\
	"movq %%rax, " TBUF_O(Y_KIND) "(%[entry])\n\t"			\
	"movq %%rdx, " TBUF_O(Y_THREAD) "(%[entry])\n\t"		\
	"movq $1, " TBUF_O(Y_INSIDE) "(%[entry])\n\t"			\
	TBUF_DELAY(5)							\
	"movq %[new], (%[entry])\n\t" /* commit */			\
	"2:\n\t"

#define TBUF_SECTION_FINISH						\
	TBUF_NEED_EQUAL("%[guess]", TBUF_O(Y_RULE) "(%[units])")	\
	"movq " TBUF_O(Y_SLOW) "(%[units]), %%rax\n\t"			\
	"subq $1, %%rax\n\t"						\
	"cmpq %[ticks], %%rax\n\t"					\
	"jb %l[changed]\n\t"						\
	TBUF_NEED_EQUAL("%[old]", "(%[entry])")				\
	"movq " TBUF_O(Y_HEAD) "(%[entry]), %%rdx\n\t"			\
	"shrq $24, %%rdx\n\t"						\
	"cmpq $0xffffff, %%rdx\n\t"					\
	"ja %l[changed]\n\t"						\
	"movq %[ticks_at], %%rax\n\t"					\
	"movq %[ticks_sum], %%rcx\n\t"					\
	"movq %%rcx, (%%rax)\n\t"					\
	"addq %[discarded], %%rdx\n\t"					\
	"movq %[kept], %%rax\n\t"					\
	"movq %%rax, (%[to])\n\t"					\
	TBUF_DELAY(4)							\
	"movq %%rdx, 8(%[to])\n\t"					\
	"movq %%rdx, (%[sum])\n\t"					\
	"movq %[new], %%rcx\n\t"					\
	TBUF_DELAY(5)							\
	"movq %%rcx, (%[entry])\n\t" /* commit */			\
	"2:\n\t"
