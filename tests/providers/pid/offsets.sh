#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Instructions in functions, by their offsets: each is counted whenever it runs,
# beside the entry, the return and other instructions.  Branches back to the
# first one count as entries, or do not.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >off.c <<'END_OF_C'
#include <stdio.h>

int off(int n), leaving(int n) __asm__("leaving");
int zone(int n), turns(int n, int later), again(int n, int value);
int into(int n);
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
    ".globl zone\n.type zone, @function\nzone:\n .cfi_startproc\n"
    " mov %edi, -8(%rsp)\n mov -8(%rsp), %eax\n cmp $5, %eax\n"	/* 0, 4, 8 */
    " jl landed\n add -8(%rsp), %eax\n ret\n"		/* b, 11, 15 */
    " .cfi_endproc\n .size zone, . - zone\n .fill 8, 1, 0x90\n"
    ".globl turns\n.type turns, @function\nturns:\n .cfi_startproc\n"
    "1: mov %edi, %eax\n sub $1, %edi\n test %esi, %esi\n jne 2f\n"
    " mov %eax, -8(%rsp)\n2: mov %edi, %esi\n test %edi, %edi\n jg 1b\n"
    " mov -8(%rsp), %eax\n ret\n"
    " .cfi_endproc\n .size turns, . - turns\n .fill 8, 1, 0x90\n"
    ".globl into\n.type into, @function\ninto:\n .cfi_startproc\n"
    " mov %edi, -8(%rsp)\n .cfi_endproc\n .size into, . - into\n"
    ".globl onto\n.type onto, @function\nonto:\n .cfi_startproc\n"
    " mov -8(%rsp), %eax\n lea 3(%rax), %eax\n ret\n"
    " .cfi_endproc\n .size onto, . - onto\n .fill 8, 1, 0x90\n"
    ".globl again\n.type again, @function\nagain:\n .cfi_startproc\n"
    " lea 5f(%rip), %rdx\n mov %edi, %eax\n sub $1, %edi\n"
    " cmp $3, %eax\n ja 4f\n movslq (%rdx,%rax,4), %rax\n"
    " add %rdx, %rax\n jmp *%rax\n"
    "3: mov %esi, -8(%rsp)\n mov %edi, %eax\n cmp $3, %eax\n ja 4f\n"
    " movslq (%rdx,%rax,4), %rax\n add %rdx, %rax\n jmp *%rax\n"
    "4: mov -8(%rsp), %eax\n ret\n"
    " .cfi_endproc\n .size again, . - again\n .fill 8, 1, 0x90\n"
    ".section .rodata\n .balign 4\n5: .long 4b-5b, 4b-5b, again-5b, 3b-5b\n"
    ".text\n"
    ".type tiny, @function\ntiny:\n .cfi_startproc\n nop\n ret\n"
    " .cfi_endproc\n .size tiny, . - tiny\n .fill 16, 1, 0\n");
int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += off(i) + leaving(i) + zone(i) + turns(i, 0) +
		    again(3, i) + into(i);
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
# Values below the stack pointer: for offsets, jumps out, and loops.
function=zone
expect 'below the stack' "$(counts 4 11 entry return)" \
    '11 5 4 10 entry 10 return 10'
expect 'its result below the stack' "$(cat err)" "$sum"
function=turns
expect 'below the stack of a loop' "$(counts entry return)" \
    'entry 46 return 10'
expect 'its result in the loop' "$(cat err)" "$sum"
function=again
expect 'below the stack of a table' "$(counts entry return)" \
    'entry 30 return 10'
expect 'its result by a table' "$(cat err)" "$sum"
function=onto
expect 'below the stack, from the code before' "$(counts entry)" 'entry 10'
expect 'its result from there' "$(cat err)" "$sum"
unset function
expect 'registers' "$(trace -n 'pid$target:a.out:off:7
    { @ = sum(arg0); }')" "$((45 + 30))"
expect 'a stack' "$(trace -n 'pid$target:a.out:off:7 { ustack(2); exit(0); }' |
    sed 's/main+.*/main/')" 'off`off+0x7
off`main'
expect 'the name is as written' "$(counts 0x7)" '0x7 10'
expect 'in lists' "$("$TBUFCTL" -l -n 'pid$target:a.out:off:7' -c ./off |
    sed '1d; s/.* //')" 7
expect 'in lists of files' "$("$TBUFCTL" -l --object=off \
    -n pid::off:7,pid:off:o*f:0x9 -n 'pid::off:entry' -n pid::absent:1 \
    -n pid:other:off:4 2>err | sed '1d; s/.*  *//' | LC_ALL=C sort |
    paste -sd' ')" '0x9 7 entry'
none='probe specifier N: probe description N does not match any probes'
expect 'a module is suggested' "$(sed 's/pid:[^ ]*:[0-9]/N/g
    s/invalid //' err)" "tbufctl: $none
tbufctl: $none
tbufctl: did you mean 'N'?"
expect 'in lists of files, as JSON' "$("$TBUFCTL" -l --object=off \
    --format=json -n pid::off:7 2>&1 | grep -c '"name":"7"')" 1
expect 'with reasons' "$("$TBUFCTL" -l --object=off -n pid::off:8,pid::off:100 \
    2>&1 | sed '1d; s/^tbufctl: //')" \
    'pid:off:off:8: not armed: no instruction begins at the offset
pid:off:off:100: not armed: the offset is outside of the function'
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

# Loops that begin with the first instruction: within the bytes of its jump, far
# from it, in a part elsewhere, by other branches, of one instruction, and of a
# call, which is made where it is.
cat >loops.c <<'END_OF_C'
#include <stdio.h>

#define FUNCTION(name, text) FILLED(name, text, "0x90")
#define FILLED(name, text, byte) int name(int, int, int, int n);	\
__asm__(".text\n.type " #name ", @function\n" #name ":\n"		\
    " .cfi_startproc\n" text "\n ret\n .cfi_endproc\n"			\
    ".size " #name ", . - " #name "\n .fill 16, 1, " byte "\n")
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n");
FUNCTION(near, " add $1, %eax\n sub $1, %ecx\n jg near");
FUNCTION(far, " sub $1, %ecx\n test %ecx, %ecx\n js 1f\n"
    " .fill 64, 1, 0x90\n test $1, %ecx\n je far\n .fill 200, 1, 0x90\n"
    " jmp far\n1:");
FUNCTION(parted, " sub $1, %ecx\n mov %ecx, %eax\n cmp $3, %ecx\n"
    " jge parted.cold\n .fill 64, 1, 0x90");
__asm__(".section .text.unlikely, \"ax\"\n.type parted.cold, @function\n"
    "parted.cold: .cfi_startproc\n add $1, %eax\n jmp parted\n"
    " .cfi_endproc\n.size parted.cold, . - parted.cold\n.text\n");
FUNCTION(odd, " mov %ecx, %eax\n add $0, %eax\n nop\n loop odd");
FUNCTION(one, " loop one");
FUNCTION(leaf, " lea 1(%rcx), %eax");
FUNCTION(calls, " call leaf\n sub $1, %ecx\n jg calls");
FUNCTION(table, " lea -1(%rcx), %ecx\n xor %eax, %eax\n test %ecx, %ecx\n"
    " setg %al\n lea 9f(%rip), %rdx\n movslq (%rdx,%rax,4), %rax\n"
    " add %rdx, %rax\n jmp *%rax\n8: xor %eax, %eax\n"
    " .pushsection .rodata\n .balign 4\n9: .long 8b - 9b, table - 9b\n"
    " .popsection");
/* Branches into its lines leave no room for a jump, nor do other functions. */
#define APART	__asm__(".fill 400, 1, 0\n")
APART;
FILLED(tight, " sub $1, %ecx\n test %ecx, %ecx\n1: jle 3f\n"
    "2: jmp tight\n3:", "0");
APART;
FUNCTION(into, " jmp 1b\n jmp 2b");
int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 5; i++)
		sum += near(0, 0, 0, 7) + far(0, 0, 0, 7) +
		    parted(0, 0, 0, 7) + odd(0, 0, 0, 7) + one(0, 0, 0, 7) +
		    calls(0, 0, 0, 7) + table(0, 0, 0, 7) + tight(0, 0, 0, 7);
	fprintf(stderr, "done\n");
	return (sum == 0);
}
END_OF_C
gcc -O1 -w -o loops loops.c || exit 1
# loops [OPTION]...: how often each function's probes are reached.
loops() {
	"$TBUFCTL" -q "$@" -c ./loops 2>err | awk 'NF == 2 { print $1, $2 }' |
	    LC_ALL=C sort | paste -sd' '
}
all='{ @[probefunc] = count(); }'
names='near far parted odd one'
list() {
	for name in $names; do
		printf '%s' "${2-}pid\$target:a.out:$name:$1"
		set -- "$1" ', '
	done
}
expect 'turns of loops count' "$(loops -n "$(list entry) $all")" \
    'far 40 near 35 odd 35 one 35 parted 25'
expect 'turns of loops do not' "$(loops -x pid=loops -n "$(list entry) $all")" \
    'far 5 near 5 odd 5 one 5 parted 5'
expect 'as the program does without' "$(cat err)" 'done'
expect 'beside returns' "$(loops -x pid=loops,partial \
    -n "$(list entry), $(list return) $all")" \
    'far 10 near 10 odd 10 one 10 parted 10'
expect 'an instruction and its entry' "$(for name in $names; do
	"$TBUFCTL" -q -x pid=loops -n "pid\$target:a.out:$name:0,
	    pid\$target:a.out:$name:entry { @[probename] = count(); }" \
	    -c ./loops 2>err | awk 'NF == 2 { printf "%s ", $2 }'
done)" '5 35 5 40 5 25 5 35 5 35 '
names='calls table'
expect 'a table, and a call' "$(loops -x pid=loops -n "$(list entry) $all")" \
    'table 35'
reason='a branch back to it cannot pass by its probe'
expect 'the reason' "$(grep -c "a.out:calls:entry: not armed: $reason" err)" 1
expect 'a call that counts' "$(loops -n "$(list entry) $all")" \
    'calls 35 table 35'
expect 'lists of files' "$(for x in loops ''; do
	"$TBUFCTL" ${x:+-x pid=$x} -l --object=loops -n pid::tight:entry 2>&1 |
	    sed -n 's/.*[ :]tight[ :]entry/entry/p'
done)" "entry: not armed: $reason
entry"
expect 'another word' "$("$TBUFCTL" -x pid=loops,loop -n "$(list entry)" \
    -c ./loops 2>&1 | sed 1q)" "tbufctl: failed to set -x pid: Invalid value \
for specified option: 'loop' is not partial or loops"

report
