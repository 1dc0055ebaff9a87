#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Arithmetic flags that functions of assembly pass to each other, in each way by
# which an instruction reads them: checks at entries and at returns keep these.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
[ "$(uname -m)" = x86_64 ] || exit 77

cat >start.c <<'END_OF_C'
#include <stdio.h>
int user(int);
#define CODE(name, code) __asm__(".text\n.type " #name ", @function\n" #name \
    ": .cfi_startproc\n" code "\n ret\n.cfi_endproc\n.size " #name ", . - " \
    #name)
CODE(compare, "nop; nop; nop; nop; nop; cmp $5, %edi; lea 1(%rdi), %edi; nop");
CODE(keep, "nop; nop; nop; nop; nop; lea 1(%rdi), %edi; nop; nop");
#ifdef TAIL
CODE(tail, "nop; mov $3, %edx; nop; setc %al; movzbl %al, %eax; nop");
#endif
CODE(user, "mov $7, %edx; push %rbx; mov %edi, %ebx; call compare; pop %rbx\n"
    READ "; nop");
__asm__(".globl user");
int main(void)
{
	int i;

	for (i = 0; i < 9; i++)
		printf("%d", user(i) & 1);
	printf("\n");
	return (0);
}
END_OF_C

# In each of these, the carry of compare() is the lowest bit of the result.
set='setc %al; movzbl %al, %eax'
while read -r code; do
	cc_read=$(printf %s "$code" | sed "s/SET/$set/")
	case $code in *tail) tail=TAIL ;; *) tail=NO_TAIL ;; esac
	$CC -w -D$tail -DREAD="\"$cc_read\"" -o flags start.c || exit 1
	expect "it runs: $code" "$(./flags)" 111110000
	for probes in '' compare user; do
		rm -f list
		expect "off: $code: $probes" "$(
		    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so \
		    TBUF_PID="pid*:a.out:$probes:" TBUF_PID_LIST=$PWD/list \
		    ./flags)" 111110000
		expect "armed: $code: $probes" "$(grep -c ': armed$' list |
		    sed 's/^[1-9].*/some/')" some
	done
	expect "on: $code" "$("$TBUFCTL" -q -o /dev/null -n 'pid$target:a.out::
	    { @ = count(); }' -c ./flags 2>/dev/null)" 111110000
done <<'END_OF_LIST'
SET
jc 1f; xor %eax, %eax; ret; 1: mov $1, %eax
mov $0, %eax; adc $0, %eax
mov $0, %eax; mov $1, %ecx; cmovc %ecx, %eax
mov $0, %eax; rcl $1, %eax
sbb %eax, %eax; neg %eax
pushf; pop %rax
lahf; movzbl %ah, %eax
movq $0, -16(%rsp); mov $0, %eax; lea -16(%rsp), %rcx; addr32 adc $0, %eax
jmp 2f; nop; 2: mov $5, %edx; jc 1f; xor %eax, %eax; ret; 1: mov $1, %eax
jmp tail
call keep; SET
inc %edx; SET
dec %edx; lea 1(%rdx), %edx; jc 1f; xor %eax, %eax; ret; 1: mov $1, %eax
mov $0, %ecx; shl %cl, %edx; SET
shl $0, %edx; SET
mov $0, %ecx; jrcxz 3f; nop; 3: SET
not %edx; SET
END_OF_LIST

report
