#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Programs whose compiler has left room at the entries of functions, or calls a
# profiler there: each pass is counted, arguments are right, USDT sites fire, and
# the profiler counts as before.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >pads.c <<'END_OF_C'
#include <stdio.h>
#include <sys/sdt.h>

#define FUNCTIONS(x) x(leaf) x(tiny) x(nothing) x(many) x(caller) x(tail) \
	x(site) x(recursive) x(chooser)
#define X(name) in_##name,
enum { FUNCTIONS(X) COUNTS };
#undef X
#define X(name) #name,
static const char *const names[] = { FUNCTIONS(X) };
static volatile int counts[COUNTS];
#define TRIED	__attribute__((noinline, noclone))
#define IN(name)	(counts[in_##name]++)

/* Startup code has no bounds: any of its bytes may be a short branch. */
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n");
TRIED int leaf(int a, int b) { IN(leaf); return (a * 3 + b); }
TRIED int tiny(int a) { IN(tiny); return (a); }
TRIED void nothing(void) { IN(nothing); }
TRIED long many(long a, long b, long c, long d, long e, long f, long g,
    long h, long i, long j)
{
	IN(many);
	return (a + b * 2 + c + d + e + f + g * 3 + h + i + j * 5);
}
TRIED int caller(int n) { IN(caller); nothing(); return (leaf(n, 1) + tiny(n)); }
TRIED int tail(int n) { IN(tail); return (leaf(n + 1, 2)); }
TRIED int site(int n)
{
	int sum;

	IN(site);
	sum = n * 5;
	DTRACE_PROBE1(pads, site, sum);
	return ((sum * 1000003 + n) ^ (sum * 70001));
}
TRIED int recursive(int n)
{
	int one;

	IN(recursive);
	if (n < 2)
		return (n);
	one = recursive(n - 1);
	return (recursive(n - 2) / (one | 1));
}
TRIED int chooser(int n)
{
	IN(chooser);
	switch (n) {
	case 0: return (leaf(1, 2));
	case 1: return (tail(3));
	case 2: return (9);
	case 3: return (tiny(4));
	case 4: return (recursive(4));
	case 5: return (caller(7));
	default: return (1);
	}
}
int main(void)
{
	volatile long sum = 0;
	int i;

	for (i = 0; i < 10; i++)
		sum += caller(i) + tail(i) + site(i) + chooser(i);
	sum += recursive(10) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	for (i = 0; i < COUNTS; i++)
		printf("%s entry %d\n%s return %d\n", names[i], counts[i],
		    names[i], counts[i]);
	fprintf(stderr, "%ld\n", sum);
	return (0);
}
END_OF_C

# Prints how often the profiler has counted each function.
profile() {
	gprof -b -p ./pads gmon.out 2>&1 |
	    awk '$4 ~ /^[0-9]+$/ { print $NF, $4 }' | LC_ALL=C sort
}
all='pid$target:a.out::entry, pid$target:a.out::return
    { @[probefunc, probename] = count(); } pads:::site
    { @["pads", "site"] = count(); }'
tried=0
for cc in gcc clang; do
	for flags in '-O0 -fpatchable-function-entry=1' \
	    '-O2 -fpatchable-function-entry=2' \
	    '-O2 -fpatchable-function-entry=5 -fcf-protection=full' \
	    '-O2 -fpatchable-function-entry=16 -fno-pie -no-pie' \
	    '-O2 -fpatchable-function-entry=7,5' \
	    '-O0 -fpatchable-function-entry=3,1' '-O0 -pg' '-O2 -pg' \
	    '-O2 -pg -mfentry' '-O2 -pg -mfentry -fcf-protection=full' \
	    '-O2 -pg -mrecord-mcount -fno-pie -no-pie' \
	    '-O2 -pg -mfentry -mrecord-mcount -mnop-mcount -fno-pie -no-pie'; do
		what="$cc $flags"
		# shellcheck disable=SC2086 # a list
		command -v $cc >/dev/null && $cc -std=gnu89 -w $flags \
		    -I"$top/libtbuf/include/tbuf" -I"$top/libtbuf/include" \
		    -o pads pads.c 2>/dev/null || continue
		tried=$((tried + 1))
		rm -f gmon.out traced
		./pads >known 2>plain
		profile >profiled
		rm -f gmon.out
		"$TBUFCTL" -q -o traced -n "$all" -c ./pads >counted 2>err
		expect "all are armed: $what" \
		    "$(grep -e 'not armed' err | grep -v -e ':_' -e ':frame_' \
		    -e ':deregister_' -e ':register_' -e ':pad:')" ''
		expect "counts: $what" "$(awk '{ print $1, $2, $3 }' traced |
		    grep -f known -x | LC_ALL=C sort)" \
		    "$(LC_ALL=C sort known)"
		expect "sites: $what" "$(awk '$1 == "pads" { print $3 }' \
		    traced)" 10
		expect "its output: $what" "$(grep '^[0-9]*$' err)" \
		    "$(cat plain)"
		expect "its profile: $what" "$(profile)" "$(cat profiled)"
		case $flags in *-pg*)
			expect "is a profile: $what" "$([ -s gmon.out ] &&
			    echo written)" written
		esac
		expect "arguments and a stack: $what" "$("$TBUFCTL" -q \
		    -n 'pid$target:a.out:many:entry {
		    printf("%d %d %d %d %d %d %d %d %d %d", arg0, arg1, arg2,
		    arg3, arg4, arg5, arg6, arg7, arg8, arg9); ustack(2); }
		    pid$target:a.out:many:return { trace(arg1); }' -c ./pads \
		    2>err | grep -v ' entry \| return ' | sed 's/+0x.*//' |
		    tr -s ' \n\t' ' ')" \
		    '1 2 3 4 5 6 7 8 9 10 pads`many pads`main 111 '
	done
done

# The list of pads has addresses, at which nothing arrives.
cat >apart.c <<'END_OF_C'
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n.fill 400, 1, 0\n.globl apart\n"
    ".type apart, @function\napart: .cfi_startproc\n endbr64\n"
    "1: .fill 5, 1, 0x90\n ret\n .cfi_endproc\n.size apart, . - apart\n"
    ".fill 400, 1, 0\n"
    ".section __patchable_function_entries, \"awo\", @progbits, apart\n"
    ".balign 8\n.quad 1b\n.text\n");
void apart(void);
int main(void) { apart(); return (0); }
END_OF_C
for flags in '' '-fno-pie -no-pie'; do
	# shellcheck disable=SC2086 # a list
	$CC -w $flags -o apart apart.c || exit 1
	expect "a pad that is listed: $flags" "$("$TBUFCTL" -l --object=apart \
	    -n pid::apart:entry 2>&1 | sed '1d; s/.* //')" entry
done
expect 'a compiler has some of the options' "$([ $tried -gt 3 ] && echo yes)" \
    yes

report
