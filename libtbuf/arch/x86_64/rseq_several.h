/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SEVERAL of rseq.h for x86-64: r10 is the memo's address, without the segment
 * register; rbx is scratch; the commit stores r9 at r11.
 */
#define TBUF_SEVERAL_M(field)	TBUF_O(field) "(%%r10)"

/* The next memo, and GO ON: rdx: the thread's rseq area, rax: descriptor. */
#define TBUF_SEVERAL_GO_ON						\
	"5:\n\t"							\
	TBUF_DELAY(7)							\
	"bsfl %[bits], %%r10d\n\t"					\
	"movq %[at], %%rdx\n\t"						\
	"shll %[shift], %%r10d\n\t"					\
	"leaq 3b(%%rip), %%rax\n\t"					\
	"addq %[memos], %%r10\n\t"					\
	"1: cmpq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"			\
	"je 6f\n\t"							\
	"movq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"			\
	TBUF_DELAY(0)							\
	TBUF_HERE_BY(TBUF_SEVERAL_M, "9f")				\
	"movq " TBUF_O(SITE_ENABLED) "(%[site]), %%rax\n\t"		\
	"andl (%%rax), %[bits]\n\t"					\
	"xorl %k[time], %k[time]\n\t"					\
	"6:\n\t"

/* CHECK; ecx becomes the EPID of the probe's only ECB. */
#define TBUF_SEVERAL_SESSION						\
	"testl %[bits], " TBUF_SEVERAL_M(M_BITS) "\n\t"			\
	"jz 9f\n\t"							\
	TBUF_SESSION_BY(TBUF_SEVERAL_M, "9f")				\
	TBUF_DELAY(1)							\
	"movq " TBUF_SEVERAL_M(M_LANE) ", %%r11\n\t"			\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%eax\n\t"		\
	TBUF_ECB_BY(TBUF_SEVERAL_M, "9f")

/* STAMP; the time becomes the stamp, so the next stamp is not before it. */
#define TBUF_SEVERAL_STAMP						\
	"testq %[time], %[time]\n\t"					\
	"jnz 7f\n\t"							\
	TBUF_SECTION_COUNTER						\
	"movq %%rax, %[time]\n\t"					\
	"7:\n\t"							\
	"movq " TBUF_O(L_LAST) "(%%r11), %%rax\n\t"			\
	"addq $1, %%rax\n\t"						\
	"cmpq %%rax, %[time]\n\t"					\
	"cmovb %%rax, %[time]\n\t"					\
	"movq %[time], " TBUF_O(L_LAST) "(%%r11)\n\t"

/* ROOM and REFUSE: another word in place of head, so the commit is the same. */
#define TBUF_SEVERAL_LINEAR						\
	"leaq (%%r9, %[size]), %%rax\n\t"				\
	"cmpq %%rax, " TBUF_O(L_LIMIT) "(%%r11)\n\t"			\
	"jb 20f\n\t"							\
	"movq " TBUF_O(L_FULL) "(%%r11), %%rax\n\t"			\
	"testq %%rax, " TBUF_SEVERAL_M(M_FILL_MASK) "\n\t"		\
	"jz 10f\n\t"							\
	"20: cmpq %[size], " TBUF_SEVERAL_M(M_BUFSIZE) "\n\t"		\
	"jb 9f\n\t"							\
	"movq " TBUF_SEVERAL_M(M_SLOT) ", %%rax\n\t"			\
	"movq " TBUF_O(S_DEADLINE) "(%%rax), %%rax\n\t"			\
	"subq $1, %%rax\n\t" /* none: later than any time */		\
	"cmpq %%rax, %[time]\n\t"					\
	"ja 9f\n\t"							\
	"addq $" TBUF_O(L_FULL) ", %%r11\n\t"				\
	"movq (%%r11), %%r9\n\t"					\
	"addq $1, %%r9\n\t"						\
	"jmp 12f\n\t"

/* TBUF_SECTION_RING with one more register: head need not be read again. */
#define TBUF_SEVERAL_RING						\
	TBUF_RING_FULL(TBUF_SEVERAL_M, "%[size]", "9f", "9f")		\
	"11: leaq 8(%%r8), %%rbx\n\t"					\
	"andq " TBUF_SEVERAL_M(M_MASK8) ", %%rbx\n\t"			\
	"addq " TBUF_SEVERAL_M(M_DATA) ", %%rbx\n\t"			\
	TBUF_RING_OLDEST("%[size]", "%%rbx", "%%ebx", "%%bl", "9f")	\
	"movq " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx), %%rbx\n\t"		\
	"addq $1, %%rbx\n\t"						\
	"xorl $16, %%edx\n\t"						\
	"movq %%r8, " TBUF_O(L_PAIR) "(%%r11, %%rdx)\n\t"		\
	"movq %%rbx, " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx)\n\t"		\
	TBUF_DELAY_IN("%%ebx", "%%rbx", 2)				\
	"addq $1, " TBUF_O(L_SEQUENCE) "(%%r11)\n\t"			\
	TBUF_DELAY_IN("%%ebx", "%%rbx", 3)				\
	"cmpq " TBUF_SEVERAL_M(M_BUFSIZE) ", %%rax\n\t"			\
	"ja 11b\n\t"

#define TBUF_SEVERAL_STORE						\
	TBUF_PLACE_BY(TBUF_SEVERAL_M, "leaq -8(%%r8, %[size]), %%rax",	\
	    "9f")							\
	"movq %[time], (%%r8)\n\t"					\
	"orq %[header], %%rcx\n\t"					\
	"movq %%rcx, 8(%%r8)\n\t"					\
	TBUF_DELAY(4)							\
	TBUF_FEW							\
	"addq %[size], %%r9\n\t"

static inline uint32_t
tbuf_rseq_several(const struct tbuf_memo *memos, uint32_t bits, uint64_t size,
    uint64_t header, const struct tbuf_site *site, const uint64_t *values)
{
	uint64_t time = 0;

	__asm__ volatile(
	    TBUF_SECTION_WAY_OUT("9f")
	    TBUF_SEVERAL_GO_ON
	    TBUF_SEVERAL_SESSION
	    TBUF_SEVERAL_STAMP
	    "movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"
	    "cmpw $0, " TBUF_SEVERAL_M(M_RING) "\n\t"
	    "jne 30f\n\t"
	    TBUF_SEVERAL_LINEAR
	    "30:\n\t"
	    TBUF_SEVERAL_RING
	    "10:\n\t"
	    TBUF_SEVERAL_STORE
	    "12:\n\t"
	    TBUF_DELAY(5)
	    "movq %%r9, " TBUF_O(L_HEAD) "(%%r11)\n\t" /* commit */
	    "2: leal -1(%[bits]), %%eax\n\t"
	    "andl %%eax, %[bits]\n\t"
	    "jnz 5b\n\t"
	    "9:\n\t"
	    : [bits] "+&r"(bits), [time] "+&r"(time)
	    : [memos] "m"(memos), [shift] "i"(TBUF_MEMO_SHIFT),
	      [size] "r"(size), [header] "m"(header), [site] "r"(site),
	      [values] "r"(values), [local] "m"(tbuf_local),
	      TBUF_ECB_OPERANDS, TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS_PAIR, "r10");
	tbuf_rseq_clear();
	return (bits);
}
