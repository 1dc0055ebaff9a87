/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf/sys/sdt.h: USDT probes that are also probes of tbuf.
 *
 * Replaces systemtap's <sys/sdt.h>, with the same macros.  Each emits a
 * one-byte nop with a note, for perf, bpftrace, gdb and stap, and a site of
 * tbuf for tbufctl.  Include it as <tbuf/sys/sdt.h>, or as <sys/sdt.h> with
 * -I$(pkg-config --variable=sdtdir libtbuf), and link with libtbuf.  Arguments
 * are evaluated once, whether the probe is enabled or not.
 *
 *	DTRACE_PROBE2(kv, request__start, r->id, path);
 *
 * The site needs C99 or C++11, a 64-bit x86 or Arm processor, and at most 10
 * arguments; otherwise only the note is emitted.  For assembly, systemtap's
 * own header is included, if it is installed.  Arguments of types that
 * TBUF_PROBE(3) does not support are bytes in the site's records.
 */
#ifndef TBUF_SYS_SDT_H
#define TBUF_SYS_SDT_H

#ifdef __ASSEMBLER__
#include_next <sys/sdt.h>
#else

/* Makes systemtap's header empty if it is included after this one. */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H	1
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__) && \
    (defined(__cplusplus) ? __cplusplus >= 201103L : \
    defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#include "../../tbuf.h"
#define TBUF_SDT_SITES	1
#endif

/* Private from here to the probes. */

#define TBUF_SDT_STRING(x)	TBUF_SDT_STRING_OF(x)
#define TBUF_SDT_STRING_OF(x)	#x
#define TBUF_SDT_TEXT(provider, name)					\
	TBUF_SDT_STRING(provider) ", " TBUF_SDT_STRING(name)

#ifdef __LP64__
#define TBUF_SDT_ADDRESS	"\t.8byte "
#else
#define TBUF_SDT_ADDRESS	"\t.4byte "
#endif

/* Headers made by dtrace -h define these if probes have semaphores. */
#if defined(_SDT_HAS_SEMAPHORES) || defined(STAP_HAS_SEMAPHORES)
#define TBUF_SDT_SEMAPHORE(provider, name)				\
	TBUF_SDT_STRING(provider) "_" TBUF_SDT_STRING(name) "_semaphore"
#else
#define TBUF_SDT_SEMAPHORE(provider, name)	"0"
#endif

/*
 * Constraint of the operands, which a program may define.  The default allows a
 * constant, a register or memory.
 */
#ifndef STAP_SDT_ARG_CONSTRAINT
#define STAP_SDT_ARG_CONSTRAINT	nor
#endif

/*
 * The note: its owner, three addresses (of the nop, of the symbol
 * _.stapsdt.base as linked, of the semaphore), and three strings.  The symbol's
 * address at run time shows by how much the object has been moved since it was
 * linked, as by prelink(8).
 */
#define TBUF_SDT_NOTE(provider, name, form, operands)			\
	__asm__ __volatile__ (						\
	    "990:\tnop\n"						\
	    "\t.pushsection .note.stapsdt,\"?\",\"note\"\n"		\
	    "\t.balign 4\n"						\
	    "\t.4byte 992f-991f, 994f-993f, 3\n"			\
	    "991:\t.asciz \"stapsdt\"\n"				\
	    "992:\t.balign 4\n"						\
	    "993:" TBUF_SDT_ADDRESS "990b\n"				\
	    TBUF_SDT_ADDRESS "_.stapsdt.base\n"				\
	    TBUF_SDT_ADDRESS TBUF_SDT_SEMAPHORE(provider, name) "\n"	\
	    "\t.asciz \"" TBUF_SDT_STRING(provider) "\"\n"		\
	    "\t.asciz \"" TBUF_SDT_STRING(name) "\"\n"			\
	    "\t.asciz \"" form "\"\n"					\
	    "994:\t.balign 4\n"						\
	    "\t.popsection\n"						\
	    "\t.ifndef _.stapsdt.base\n"				\
	    "\t.pushsection .stapsdt.base,\"aG\",\"progbits\","		\
	    ".stapsdt.base,comdat\n"					\
	    "\t.weak _.stapsdt.base\n"					\
	    "\t.hidden _.stapsdt.base\n"				\
	    "_.stapsdt.base:\t.space 1\n"				\
	    "\t.size _.stapsdt.base, 1\n"				\
	    "\t.popsection\n"						\
	    "\t.endif\n"						\
	    : : operands);

#define TBUF_SDT_FORM(n)	"%c[size" #n "]@%[operand" #n "]"
#define TBUF_SDT_OPERAND(n)						\
	[size##n] "n" (TBUF_SDT_SIGNED(tbuf_sdt_##n) ?			\
	    -(int)sizeof(tbuf_sdt_##n) : (int)sizeof(tbuf_sdt_##n)),	\
	[operand##n] TBUF_SDT_STRING(STAP_SDT_ARG_CONSTRAINT) (tbuf_sdt_##n)

/* The operands of a note: their text, and their constraints. */
#define TBUF_SDT_FORM_0		""
#define TBUF_SDT_FORM_1		TBUF_SDT_FORM(0)
#define TBUF_SDT_FORM_2		TBUF_SDT_FORM_1 " " TBUF_SDT_FORM(1)
#define TBUF_SDT_FORM_3		TBUF_SDT_FORM_2 " " TBUF_SDT_FORM(2)
#define TBUF_SDT_FORM_4		TBUF_SDT_FORM_3 " " TBUF_SDT_FORM(3)
#define TBUF_SDT_FORM_5		TBUF_SDT_FORM_4 " " TBUF_SDT_FORM(4)
#define TBUF_SDT_FORM_6		TBUF_SDT_FORM_5 " " TBUF_SDT_FORM(5)
#define TBUF_SDT_FORM_7		TBUF_SDT_FORM_6 " " TBUF_SDT_FORM(6)
#define TBUF_SDT_FORM_8		TBUF_SDT_FORM_7 " " TBUF_SDT_FORM(7)
#define TBUF_SDT_FORM_9		TBUF_SDT_FORM_8 " " TBUF_SDT_FORM(8)
#define TBUF_SDT_FORM_10		TBUF_SDT_FORM_9 " " TBUF_SDT_FORM(9)
#define TBUF_SDT_FORM_11		TBUF_SDT_FORM_10 " " TBUF_SDT_FORM(10)
#define TBUF_SDT_FORM_12		TBUF_SDT_FORM_11 " " TBUF_SDT_FORM(11)

#define TBUF_SDT_OPERANDS_1	TBUF_SDT_OPERAND(0)
#define TBUF_SDT_OPERANDS_2	TBUF_SDT_OPERANDS_1, TBUF_SDT_OPERAND(1)
#define TBUF_SDT_OPERANDS_3	TBUF_SDT_OPERANDS_2, TBUF_SDT_OPERAND(2)
#define TBUF_SDT_OPERANDS_4	TBUF_SDT_OPERANDS_3, TBUF_SDT_OPERAND(3)
#define TBUF_SDT_OPERANDS_5	TBUF_SDT_OPERANDS_4, TBUF_SDT_OPERAND(4)
#define TBUF_SDT_OPERANDS_6	TBUF_SDT_OPERANDS_5, TBUF_SDT_OPERAND(5)
#define TBUF_SDT_OPERANDS_7	TBUF_SDT_OPERANDS_6, TBUF_SDT_OPERAND(6)
#define TBUF_SDT_OPERANDS_8	TBUF_SDT_OPERANDS_7, TBUF_SDT_OPERAND(7)
#define TBUF_SDT_OPERANDS_9	TBUF_SDT_OPERANDS_8, TBUF_SDT_OPERAND(8)
#define TBUF_SDT_OPERANDS_10	TBUF_SDT_OPERANDS_9, TBUF_SDT_OPERAND(9)
#define TBUF_SDT_OPERANDS_11	TBUF_SDT_OPERANDS_10, TBUF_SDT_OPERAND(10)
#define TBUF_SDT_OPERANDS_12	TBUF_SDT_OPERANDS_11, TBUF_SDT_OPERAND(11)

/*
 * A variable for each argument, so that it is evaluated once; arrays and
 * functions become pointers.
 */
#ifndef __cplusplus
#define TBUF_SDT_LET(n, x)	__auto_type tbuf_sdt_##n = (x);
#define TBUF_SDT_INTEGER(x)	/* with enum and bool */		\
	(__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)
#define TBUF_SDT_SIGNED(x)						\
	(TBUF_SDT_INTEGER(x) && (__typeof__(				\
	    __builtin_choose_expr(TBUF_SDT_INTEGER(x), (x), 0)))-1 < 1)
#define TBUF_SDT_VALUE(n)						\
	__builtin_choose_expr(TBUF_PRIVATE_TYPE(n, tbuf_sdt_##n) ==	\
	    TBUF_NONE, tbuf_sdt_bytes(&tbuf_sdt_##n,			\
	    sizeof(tbuf_sdt_##n)), tbuf_sdt_##n)
#ifdef TBUF_SDT_SITES
static inline struct tbuf_bytes
tbuf_sdt_bytes(const void *p, size_t n)
{
	return (TBUF_BYTES(p, n));
}
#endif
#else
#define TBUF_SDT_SIGNED(x)	tbuf_sdt_signed<__typeof__(x)>::yes
extern "C++" {
template <class T> struct tbuf_sdt_signed { enum { yes = 0 }; };
template <> struct tbuf_sdt_signed<char> {
	enum { yes = static_cast<char>(-1) < 1 };
};
template <> struct tbuf_sdt_signed<signed char> { enum { yes = 1 }; };
template <> struct tbuf_sdt_signed<short> { enum { yes = 1 }; };
template <> struct tbuf_sdt_signed<int> { enum { yes = 1 }; };
template <> struct tbuf_sdt_signed<long> { enum { yes = 1 }; };
__extension__ template <> struct tbuf_sdt_signed<long long> {
	enum { yes = 1 };
};
}
#if __cplusplus >= 201103L
#define TBUF_SDT_LET(n, x)	auto tbuf_sdt_##n = (x);
#else
extern "C++" {
template <class T> inline T tbuf_sdt_value(const T &x) { return x; }
template <class T, __SIZE_TYPE__ N> inline const T *
tbuf_sdt_value(const T (&x)[N]) { return x; }
}
#define TBUF_SDT_LET(n, x)						\
	__typeof__(tbuf_sdt_value(x)) tbuf_sdt_##n = tbuf_sdt_value(x);
#endif
#ifdef TBUF_SDT_SITES
#define TBUF_SDT_VALUE(n)	(::tbuf_private::sdt_value(tbuf_sdt_##n))
extern "C++" {
namespace tbuf_private {
template <class T>
struct sdt_known : std::integral_constant<bool, is_text<T>::value ||
    (std::is_scalar<T>::value && !std::is_member_pointer<T>::value &&
    sizeof(T) <= 8)> {};

template <class T>
typename std::enable_if<sdt_known<T>::value, const T &>::type
sdt_value(const T &x) { return x; }

template <class T>
typename std::enable_if<!sdt_known<T>::value, tbuf_bytes>::type
sdt_value(const T &x) { return tbuf_bytes{&x, sizeof(x)}; }
}
}
#endif
#endif

#ifdef TBUF_SDT_SITES
#define TBUF_SDT_SITE(count, text, ...)					\
	TBUF_PRIVATE_PROBE(text, , 0, count, __VA_ARGS__);
/* Headers made by dtrace -h test this as well as the semaphore. */
#define TBUF_SDT_ENABLED(provider, name)				\
	TBUF_PRIVATE_ENABLED(TBUF_SDT_TEXT(provider, name), )
#else
#define TBUF_SDT_SITE(count, text, ...)
#define TBUF_SDT_ENABLED(provider, name)	0
#endif
#define TBUF_SDT_BEGIN	do {
#define TBUF_SDT_END	} while (0)

/* The probes. */

#undef STAP_PROBE
#define STAP_PROBE(provider, name)					\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_0,			\
	    )								\
	TBUF_SDT_SITE(0, TBUF_SDT_TEXT(provider, name),			\
	    name)							\
	TBUF_SDT_END
#undef STAP_PROBE1
#define STAP_PROBE1(provider, name, a)					\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a)						\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_1,			\
	    TBUF_SDT_OPERANDS_1)					\
	TBUF_SDT_SITE(1, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a,							\
	    name, TBUF_SDT_VALUE(0))					\
	TBUF_SDT_END
#undef STAP_PROBE2
#define STAP_PROBE2(provider, name, a, b)				\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b)				\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_2,			\
	    TBUF_SDT_OPERANDS_2)					\
	TBUF_SDT_SITE(2, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b,						\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1))			\
	TBUF_SDT_END
#undef STAP_PROBE3
#define STAP_PROBE3(provider, name, a, b, c)				\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_3,			\
	    TBUF_SDT_OPERANDS_3)					\
	TBUF_SDT_SITE(3, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c,					\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2))						\
	TBUF_SDT_END
#undef STAP_PROBE4
#define STAP_PROBE4(provider, name, a, b, c, d)				\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d)						\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_4,			\
	    TBUF_SDT_OPERANDS_4)					\
	TBUF_SDT_SITE(4, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d,				\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3))			\
	TBUF_SDT_END
#undef STAP_PROBE5
#define STAP_PROBE5(provider, name, a, b, c, d, e)			\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e)				\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_5,			\
	    TBUF_SDT_OPERANDS_5)					\
	TBUF_SDT_SITE(5, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e,			\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4))	\
	TBUF_SDT_END
#undef STAP_PROBE6
#define STAP_PROBE6(provider, name, a, b, c, d, e, f)			\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_6,			\
	    TBUF_SDT_OPERANDS_6)					\
	TBUF_SDT_SITE(6, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e ", " #f,		\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4),	\
	    TBUF_SDT_VALUE(5))						\
	TBUF_SDT_END
#undef STAP_PROBE7
#define STAP_PROBE7(provider, name, a, b, c, d, e, f, g)		\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g)						\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_7,			\
	    TBUF_SDT_OPERANDS_7)					\
	TBUF_SDT_SITE(7, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e ", " #f		\
	    ", " #g,							\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4),	\
	    TBUF_SDT_VALUE(5), TBUF_SDT_VALUE(6))			\
	TBUF_SDT_END
#undef STAP_PROBE8
#define STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h)		\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g) TBUF_SDT_LET(7, h)				\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_8,			\
	    TBUF_SDT_OPERANDS_8)					\
	TBUF_SDT_SITE(8, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e ", " #f		\
	    ", " #g ", " #h,						\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4),	\
	    TBUF_SDT_VALUE(5), TBUF_SDT_VALUE(6), TBUF_SDT_VALUE(7))	\
	TBUF_SDT_END
#undef STAP_PROBE9
#define STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i)		\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g) TBUF_SDT_LET(7, h) TBUF_SDT_LET(8, i)	\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_9,			\
	    TBUF_SDT_OPERANDS_9)					\
	TBUF_SDT_SITE(9, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e ", " #f		\
	    ", " #g ", " #h ", " #i,					\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4),	\
	    TBUF_SDT_VALUE(5), TBUF_SDT_VALUE(6), TBUF_SDT_VALUE(7),	\
	    TBUF_SDT_VALUE(8))						\
	TBUF_SDT_END
#undef STAP_PROBE10
#define STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j)	\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g) TBUF_SDT_LET(7, h) TBUF_SDT_LET(8, i)	\
	TBUF_SDT_LET(9, j)						\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_10,			\
	    TBUF_SDT_OPERANDS_10)					\
	TBUF_SDT_SITE(10, TBUF_SDT_TEXT(provider, name)			\
	    ", " #a ", " #b ", " #c ", " #d ", " #e ", " #f		\
	    ", " #g ", " #h ", " #i ", " #j,				\
	    name, TBUF_SDT_VALUE(0), TBUF_SDT_VALUE(1),			\
	    TBUF_SDT_VALUE(2), TBUF_SDT_VALUE(3), TBUF_SDT_VALUE(4),	\
	    TBUF_SDT_VALUE(5), TBUF_SDT_VALUE(6), TBUF_SDT_VALUE(7),	\
	    TBUF_SDT_VALUE(8), TBUF_SDT_VALUE(9))			\
	TBUF_SDT_END

#undef STAP_PROBE11
#define STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k)	\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g) TBUF_SDT_LET(7, h) TBUF_SDT_LET(8, i)	\
	TBUF_SDT_LET(9, j) TBUF_SDT_LET(10, k)				\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_11,			\
	    TBUF_SDT_OPERANDS_11)					\
	TBUF_SDT_END

#undef STAP_PROBE12
#define STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l)\
	TBUF_SDT_BEGIN							\
	TBUF_SDT_LET(0, a) TBUF_SDT_LET(1, b) TBUF_SDT_LET(2, c)	\
	TBUF_SDT_LET(3, d) TBUF_SDT_LET(4, e) TBUF_SDT_LET(5, f)	\
	TBUF_SDT_LET(6, g) TBUF_SDT_LET(7, h) TBUF_SDT_LET(8, i)	\
	TBUF_SDT_LET(9, j) TBUF_SDT_LET(10, k) TBUF_SDT_LET(11, l)	\
	TBUF_SDT_NOTE(provider, name, TBUF_SDT_FORM_12,			\
	    TBUF_SDT_OPERANDS_12)					\
	TBUF_SDT_END

/* Macros by the names of DTrace. */
#undef DTRACE_PROBE
#define DTRACE_PROBE(provider, name)	STAP_PROBE(provider, name)
#undef DTRACE_PROBE1
#define DTRACE_PROBE1(provider, name, a)	STAP_PROBE1(provider, name, a)
#undef DTRACE_PROBE2
#define DTRACE_PROBE2(provider, name, a, b)				\
	STAP_PROBE2(provider, name, a, b)
#undef DTRACE_PROBE3
#define DTRACE_PROBE3(provider, name, a, b, c)				\
	STAP_PROBE3(provider, name, a, b, c)
#undef DTRACE_PROBE4
#define DTRACE_PROBE4(provider, name, a, b, c, d)			\
	STAP_PROBE4(provider, name, a, b, c, d)
#undef DTRACE_PROBE5
#define DTRACE_PROBE5(provider, name, a, b, c, d, e)			\
	STAP_PROBE5(provider, name, a, b, c, d, e)
#undef DTRACE_PROBE6
#define DTRACE_PROBE6(provider, name, a, b, c, d, e, f)			\
	STAP_PROBE6(provider, name, a, b, c, d, e, f)
#undef DTRACE_PROBE7
#define DTRACE_PROBE7(provider, name, a, b, c, d, e, f, g)		\
	STAP_PROBE7(provider, name, a, b, c, d, e, f, g)
#undef DTRACE_PROBE8
#define DTRACE_PROBE8(provider, name, a, b, c, d, e, f, g, h)		\
	STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h)
#undef DTRACE_PROBE9
#define DTRACE_PROBE9(provider, name, a, b, c, d, e, f, g, h, i)	\
	STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i)
#undef DTRACE_PROBE10
#define DTRACE_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j)	\
	STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j)
#undef DTRACE_PROBE11
#define DTRACE_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k)	\
	STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k)
#undef DTRACE_PROBE12
#define DTRACE_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l)\
	STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l)

/* Probes with a variable number of arguments. */
#undef STAP_PROBEV
#define STAP_PROBEV(provider, ...)					\
	TBUF_SDT_PICK(__VA_ARGS__, STAP_PROBE12, STAP_PROBE11,		\
	    STAP_PROBE10, STAP_PROBE9, STAP_PROBE8, STAP_PROBE7,	\
	    STAP_PROBE6, STAP_PROBE5, STAP_PROBE4, STAP_PROBE3,		\
	    STAP_PROBE2, STAP_PROBE1, STAP_PROBE, 0)(provider, __VA_ARGS__)
#define TBUF_SDT_PICK(name, a, b, c, d, e, f, g, h, i, j, k, l, probe,	\
	    ...)	probe
#undef DTRACE_PROBEV
#define DTRACE_PROBEV(provider, ...)	STAP_PROBEV(provider, __VA_ARGS__)

#endif /* __ASSEMBLER__ */
#endif
