/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sections of rseq_unit.h for aarch64, in terms of rseq.h; KEEP is done in
 * steps (generic/rseq_unit.h).  The barriers are placed as in PUBLISH.
 */
static inline enum tbuf_outcome
tbuf_rseq_bind(const struct tbuf_memo *m, const struct tbuf_beginning *n)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    "ldr x3, [%[entry]]\n\t"
	    "cmp x3, %[old]\n\t"
	    "b.ne %l[changed]\n\t"
	    "dmb ishst\n\t"
	    "str xzr, [%[entry], #" TBUF_O(Y_HEAD) "]\n\t"
	    "str %[began], [%[entry], #" TBUF_O(Y_BEGAN) "]\n\t"
	    "str %[id], [%[entry], #" TBUF_O(Y_ID) "]\n\t"
	    "str %[kind], [%[entry], #" TBUF_O(Y_KIND) "]\n\t"
	    TBUF_DELAY(4)
	    "str %[thread], [%[entry], #" TBUF_O(Y_THREAD) "]\n\t"
	    "mov x3, #1\n\t"
	    "str x3, [%[entry], #" TBUF_O(Y_INSIDE) "]\n\t"
	    TBUF_DELAY(5)
	    "stlr %[new], [%[entry]]\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [entry] "r"(n->entry), [old] "r"(n->old),
	      [new] "r"(n->new), [began] "r"(n->began), [id] "r"(n->id),
	      [kind] "r"(n->kind), [thread] "r"(n->thread),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_finish(const struct tbuf_memo *m, const struct tbuf_finish *f)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    "ldr x3, [%[rule]]\n\t"
	    "cmp x3, %[guess]\n\t"
	    "b.ne %l[changed]\n\t"
	    "ldr x3, [%[entry]]\n\t"
	    "cmp x3, %[old]\n\t"
	    "b.ne %l[changed]\n\t"
	    "ldr x3, [%[entry], #" TBUF_O(Y_HEAD) "]\n\t"
	    "lsr x3, x3, #24\n\t"
	    "lsr x4, x3, #24\n\t"
	    "cbnz x4, %l[changed]\n\t"
	    "add x4, x3, %[discarded]\n\t"
	    "dmb ishst\n\t"
	    "str %[kept], [%[to]]\n\t"
	    TBUF_DELAY(4)
	    "str x4, [%[to], #8]\n\t"
	    "str x4, [%[sum]]\n\t"
	    TBUF_DELAY(5)
	    "stlr %[new], [%[entry]]\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [rule] "r"(f->rule), [guess] "r"(f->guess),
	      [entry] "r"(f->entry), [old] "r"(f->old), [new] "r"(f->new),
	      [to] "r"(f->to), [kept] "r"(f->was.committed),
	      [discarded] "r"(f->was.discarded), [sum] "r"(f->sum),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}
