/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The section of rseq_unit.h for x86-64, in terms of rseq_x86_64.h.  r9 is
 * head, r11 its place, r8 what is remembered of the EPID, then the record's
 * place; rcx is the EPID, then the header.
 */
#define TBUF_V_HEAD		0
#define TBUF_V_TABLE		8
#define TBUF_V_SIZE		16
#define TBUF_V_HALF		24
#define TBUF_V_HEADS		32
#define TBUF_V_KNOWN		40
#define TBUF_V_SELECTED		48
#define TBUF_V_MET		56
#define TBUF_N_MASK		8
#define TBUF_N_VALUE		12
#define TBUF_N_WORD		16

TBUF_ASSERT_OFFSET(tbuf_unit_way, head, TBUF_V_HEAD);
TBUF_ASSERT_OFFSET(tbuf_unit_way, table, TBUF_V_TABLE);
TBUF_ASSERT_OFFSET(tbuf_unit_way, size, TBUF_V_SIZE);
TBUF_ASSERT_OFFSET(tbuf_unit_way, half, TBUF_V_HALF);
TBUF_ASSERT_OFFSET(tbuf_unit_way, heads, TBUF_V_HEADS);
TBUF_ASSERT_OFFSET(tbuf_unit_way, known, TBUF_V_KNOWN);
TBUF_ASSERT_OFFSET(tbuf_unit_way, selected, TBUF_V_SELECTED);
TBUF_ASSERT_OFFSET(tbuf_unit_way, met, TBUF_V_MET);
TBUF_ASSERT_OFFSET(tbuf_unit_met, epid, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_met, mask, TBUF_N_MASK);
TBUF_ASSERT_OFFSET(tbuf_unit_met, value, TBUF_N_VALUE);
TBUF_ASSERT_OFFSET(tbuf_unit_met, word, TBUF_N_WORD);
_Static_assert(sizeof(struct tbuf_unit_met) == 3 * 8 && TBUF_UNIT_MET == 8 &&
    sizeof(struct tbuf_lock_record) == 24, "TBUF_UNIT_KNOWN, TBUF_UNIT_ROOM");

/* What is remembered of the site's EPID; no EPID is none. */
#define TBUF_UNIT_KNOWN							\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%eax\n\t"		\
	"movq " TBUF_O(V_HEADS) "(%[w]), %%rcx\n\t"			\
	"movl (%%rcx, %%rax, 4), %%ecx\n\t"				\
	"testl %%ecx, %%ecx\n\t"					\
	"jz %l[changed]\n\t"						\
	"movl %%ecx, %%eax\n\t"						\
	"andl $7, %%eax\n\t"						\
	"leaq (%%rax, %%rax, 2), %%rax\n\t"				\
	"leaq " TBUF_O(V_MET) "(%[w], %%rax, 8), %%r8\n\t"		\
	"cmpq %%rcx, (%%r8)\n\t"					\
	"jne %l[changed]\n\t"						\
	"movq " TBUF_O(N_WORD) "(%%r8), %%rdx\n\t"			\
	"movl " TBUF_O(N_VALUE) "(%%r8), %%eax\n\t"			\
	"cmpl %%eax, (%%rdx)\n\t"					\
	"jne %l[changed]\n\t"						\
	"movl " TBUF_O(N_MASK) "(%%r8), %%eax\n\t"			\
	"orl %%eax, " TBUF_O(V_SELECTED) "(%[w])\n\t"

/* r8 becomes the place behind what the head in r9 says, in the lap's half. */
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

/* Header: what stands behind the EPID. */
static inline enum tbuf_outcome
tbuf_rseq_keep(const struct tbuf_memo *m, struct tbuf_unit_way *w,
    const struct tbuf_site *site, const uint64_t *values, uint64_t size,
    uint64_t header)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_UNIT_KNOWN
	    TBUF_SECTION_COUNTER
	    "movq " TBUF_O(V_HEAD) "(%[w]), %%r11\n\t"
	    "movq (%%r11), %%r9\n\t"
	    TBUF_UNIT_ROOM
	    "orq %[header], %%rcx\n\t"
	    "movq %%rax, (%%r8)\n\t"
	    "movq %%rcx, 8(%%r8)\n\t"
	    "movl %%fs:" TBUF_O(M_CPU) "(%[m]), %%eax\n\t"
	    "movq %%rax, 16(%%r8)\n\t"
	    "movq %[size], %%rcx\n\t"
	    "7: subq $8, %%rcx\n\t"
	    "jb 8f\n\t"
	    "movq (%[values], %%rcx), %%rax\n\t"
	    "movq %%rax, 24(%%r8, %%rcx)\n\t"
	    "jmp 7b\n\t"
	    "8: movq %[size], %%rax\n\t"
	    "shrq $3, %%rax\n\t"
	    "leaq 0x1000003(%%r9, %%rax), %%r9\n\t"
	    TBUF_DELAY(4)
	    "movq %%r9, " TBUF_O(V_KNOWN) "(%[w])\n\t"
	    TBUF_DELAY(5)
	    "movq %%r9, (%%r11)\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [w] "r"(w), [site] "r"(site),
	      [values] "r"(values), [size] "r"(size), [header] "r"(header),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}
