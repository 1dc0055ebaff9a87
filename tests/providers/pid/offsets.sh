#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Instructions in functions, by their offsets: each is counted whenever it runs,
# beside the entry, the return and other instructions.

set -u
: "${top_srcdir:?}" "${TBUFCTL:?}" "${TBUF_PROVIDERS:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-pid.so" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW CFLAGS LD_PRELOAD
unset TBUF_PID TBUF_PID_LIST TBUF_PID_MISSED TBUF_PID_TARGET TBUF_PID_TYPES
cd "$SCRATCH" || exit 1

cat >off.c <<'END_OF_C'
#include <stdio.h>

int off(int n), leaving(int n) __asm__("leaving");
/* Startup code has no bounds: any of its bytes may be a short branch. */
__asm__(".text\n.type landed, @function\nlanded:\n .cfi_startproc\n"
    " lea 2(%rdi), %eax\n ret\n .cfi_endproc\n"
    ".size landed, . - landed\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n.globl off\n.type off, @function\noff:\n .cfi_startproc\n"
    " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
    " mov %rsp, %rbp\n"		/* 1 */
    " lea 3(%rdi), %edi\n"	/* 4 */
    " mov %edi, %eax\n"		/* 7 */
    " add $100000, %eax\n"	/* 9 */
    " cmp $100009, %eax\n"	/* e */
    " jl 1f\n"			/* 13 */
    " sub $100000, %eax\n"	/* 15 */
    "1: pop %rbp\n .cfi_def_cfa_offset 8\n ret\n"	/* 1a, 1b */
    " .cfi_endproc\n .size off, . - off\n .fill 8, 1, 0x90\n"
    ".type leaving, @function\nleaving:\n .cfi_startproc\n"
    " lea 7(%rdi), %eax\n cmp $10, %eax\n"	/* 0, 3 */
    " jl landed\n"			/* 6 */
    " lea 9(%rdi), %eax\n add $1, %eax\n ret\n"	/* c */
    " .cfi_endproc\n .size leaving, . - leaving\n .fill 8, 1, 0x90\n"
    ".type tiny, @function\ntiny:\n .cfi_startproc\n nop\n ret\n"
    " .cfi_endproc\n .size tiny, . - tiny\n .fill 16, 1, 0\n");
int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += off(i) + leaving(i);
	fprintf(stderr, "%d\n", sum);
	return (0);
}
END_OF_C
gcc -O1 -w -fno-omit-frame-pointer -o off off.c || exit 1
sum=$(./off 2>&1)

trace() {
	"$TBUFCTL" -q "$@" -c ./off 2>err | tr -s ' ' |
	    sed 's/^ *//; s/ *$//; /^$/d'
}
# counts OFFSET...: how often each is reached, in the function off or another.
counts() {
	list=
	for at; do
		list="$list${list:+, }pid\$target:a.out:${function-off}:$at"
	done
	trace -n "$list { @[probename] = count(); }" | LC_ALL=C sort | paste -sd' '
}
for at in 0 1 4 7 9 e 13 1a 1b; do
	expect "at $at" "$(counts "$at")" "$at 10"
	expect "its result: $at" "$(cat err)" "$sum"
done
expect 'after a branch' "$(counts 15)" '15 4'
expect 'beside entry and return' "$(counts 0 1 4 1b entry return)" \
    '0 10 1 10 1b 10 4 10 entry 10 return 10'
expect 'its result beside these' "$(cat err)" "$sum"
function=leaving
expect 'a jump out of the function' "$(counts 6 entry return)" \
    '6 10 entry 10 return 10'
expect 'its result there' "$(cat err)" "$sum"
expect 'after that jump' "$(counts c)" 'c 7'
unset function
expect 'registers' "$(trace -n 'pid$target:a.out:off:7
    { @ = sum(arg0); }')" "$((45 + 30))"
expect 'a stack' "$(trace -n 'pid$target:a.out:off:7 { ustack(2); exit(0); }' |
    sed 's/main+.*/main/')" 'off`off+0x7
off`main'
expect 'the name is as written' "$(counts 0x7)" '0x7 10'
expect 'in lists' "$("$TBUFCTL" -l -n 'pid$target:a.out:off:7' -c ./off |
    sed '1d; s/.* //')" 7
expect 'recorded' "$(trace --record=recording -n 'pid$target:a.out:off:7'
    "$TBUFCTL" -q --read=recording -n 'pid*::off:7 { @ = count(); }' |
    tr -d ' \n')" 10

why() {
	trace -n "pid\$target:a.out:${2-off}:$1 { trace(1); }" >/dev/null
	sed -n 's/.*not armed: //p; s/^tbufctl: \(.* is an invalid\)/\1/p' err
}
expect 'outside' "$(why 100)" 'the offset is outside of the function'
expect 'no instruction' "$(why 8)" 'no instruction begins at the offset'
expect 'no room' "$(why 1 tiny)" 'it is too short'
for name in beginning '1*' - 0x; do
	expect "no offset: $name" "$(why "$name")" "'$name' is an invalid \
probe name: functions have entry, return and offsets (example: 1c)"
done

report
