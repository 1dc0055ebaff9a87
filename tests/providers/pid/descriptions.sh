#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Descriptions of functions: names with all characters that symbols have, macro
# variables, and the messages about mistakes in them.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >named.c <<'END_OF_C'
#define CALLED	__attribute__((noinline, noclone))
#define NAMED(c, name)	CALLED int c(int) __asm__(name); \
	int c(int n) { __asm__ volatile ("" : "+r"(n)); return (n * 3 + 1); }
NAMED(plain, "plain")
NAMED(rust, "_ZN4core3ptr7drop$LT$T$GT$17h0123456789abcdefE")
NAMED(dots, "part.0.constprop.1")
NAMED(umlaut, "gr\303\266\303\237e")
int main(void) { return (plain(1) + rust(2) + dots(3) + umlaut(4) == 0); }
END_OF_C
$CC -O2 -w -o named named.c || exit 1
strip -o stripped named

# counts DESCRIPTION [COMMAND [ARGUMENT...]]: the functions that it traces.
counts() {
	description=$1 command=${2-./named}
	[ $# -lt 2 ] || shift
	shift
	"$TBUFCTL" -q -n "$description { @[probefunc] = count(); }" \
	    -c "$command" "$@" 2>err | sed '/^$/d; s/^ *//; s/  */ /g'
	cat err
}
expect 'a name of Rust' "$(counts 'pid$target:a.out:_ZN4core3ptr7drop$LT$T$GT$17h0123456789abcdefE:entry')" \
    '_ZN4core3ptr7drop$LT$T$GT$17h0123456789abcdefE 1'
expect 'a name with dots' "$(counts 'pid$target:a.out:part.0.constprop.1:entry')" \
    'part.0.constprop.1 1'
expect 'a name with other letters' "$(counts 'pid$target:a.out:größe:entry')" \
    'größe 1'
expect 'the same in the last field' "$("$TBUFCTL" -q \
    -f 'pid$target:a.out:größe { trace(1); }' -c ./named 2>&1)" 11
at=+$(nm named | sed -n 's/^0*\([0-9a-f]*\) T plain$/\1/p')
expect 'a function without a symbol' \
    "$(counts "pid\$target:a.out:$at:entry" ./stripped)" "$at 1"
expect 'without a clause' "$("$TBUFCTL" -q -n "pid\$target:a.out:$at:return" \
    -c ./stripped 2>&1 | grep -o 'arg1=.*')" arg1=4
expect 'all without symbols' "$(counts 'pid$target:a.out:+*:entry' ./stripped |
    grep -c "^$at 1")" 1

# What is armed before main() is known before the program is compiled.
expect 'macro arguments' "$(counts 'pid$target:$2:$1:entry' ./named plain \
    a.out)" 'plain 1'
expect 'a part of a name' "$(counts 'pid$target:a.out:pl$1:entry' ./named \
    ain)" 'plain 1'
expect 'an argument that is missing' "$(counts 'pid$target:a.out:$1:entry' |
    sed 's/.*: //')" 'Undefined macro variable in probe description'
printf 'pid$target::$1:entry { self->at = timestamp; }
pid$target::$1:return /self->at/ { @[probefunc] = count(); }\n' >script.d
expect 'arguments of a script' "$("$TBUFCTL" -q -s script.d -c ./named plain \
    2>&1 | tr -s ' \n' ' ')" ' plain 1 '
expect 'default arguments' "$("$TBUFCTL" -q -x defaultargs -n \
    'pid$target:named:$1:entry { @ = count(); }' -c ./named 2>&1 |
    tr -dc '0-9')" 6
expect 'in a list' "$("$TBUFCTL" -l -n 'pid$target:a.out:$1:entry' -c ./named \
    plain 2>&1 | grep -c ' plain entry$')" 1

# Each mistake has one line beside DTrace's.
told() {
	"$TBUFCTL" -q "$@" >out 2>err
	status=$?
	sed -n 's/^tbufctl: //; s/pid[1-9][0-9]*/pidN/g
	    /probe description\|has exited\|left running\|^total/!p' err out |
	    sed '/^$/d'
	echo "= $status"
}
meant() {
	echo "did you mean 'pid\$target:$1'?"
}
expect 'no such function' "$(told -n 'pid$target:a.out:xyzzy:entry' \
    -c ./named)" \
    'pidN:a.out:xyzzy:entry: absent: the module has no function of this name
= 1'
expect 'a slip' "$(told -n 'pid$target:a.out:plane:entry' -c ./named)" \
    "pidN:a.out:plane:entry: absent: the module has no function of this name
$(meant a.out:plain:entry)
= 1"
expect 'a clone' "$(told -n 'pid$target:a.out:part:entry' -c ./named)" \
    "pidN:a.out:part:entry: absent: the module has no function of this name \
(did you mean 'part.0.constprop.1'?)
= 1"
expect 'both probes of none' "$(told -n 'pid$target:a.out:plane:' \
    -c ./named)" \
    "pidN:a.out:plane:: absent: the module has no function of this name
$(meant a.out:plain:)
= 1"
expect 'no such module' "$(told -n 'pid$target:libx:xyzzy:entry' -c ./named)" \
    'pidN:libx:xyzzy:entry: absent: no module of this name is loaded when main() begins
= 1'
expect 'a list without the module' "$(told -l \
    -n 'pid$target:libx:xyzzy:entry' -c ./named |
    sed '/^ *ID/d; /No probe matches/d')" \
    'pidN:libx:xyzzy:entry: absent: no module of this name is loaded when main() begins
= 0'
expect 'a stripped program' "$(told -n 'pid$target:a.out:plain:entry' \
    -c ./stripped)" "pidN:a.out:plain:entry: absent: the module is \
stripped: most of its functions are called by their offsets (-l lists them)
= 1"
expect 'one of two' "$(told -n 'pid$target:a.out:plain:entry,
    pid$target:a.out:plane:return { @ = count(); }' -c ./named | sed '/^ *1$/d')" \
    "pidN:a.out:plane:return: absent: the module has no function of this name
$(meant a.out:plain:return)
= 1"
expect 'a list of probes' "$(told -l -n 'pid$target:a.out:plane:entry' \
    -c ./named | sed '/^ *ID/d; /No probe matches/d')" \
    "pidN:a.out:plane:entry: absent: the module has no function of this name
$(meant a.out:plain:entry)
= 0"
expect 'a program of another one' "$(told --follow \
    -n 'pid$target:named:plain:entry { exit(3); }' -c 'env ./named')" '= 3'
expect 'no such function of both' "$(told --follow \
    -n 'pid$target:named:plane:entry { exit(3); }' -c 'env ./named')" \
    'pidN:named:plane:entry: absent: no module of this name is loaded when main() begins
pidN:named:plane:entry: absent: the module has no function of this name
= 1'
expect 'globs of processes' "$(told -Z -n 'pid*:a.out:plane:entry,
    BEGIN { exit(3); }' -c ./named)" '= 3'
for provider in pid 'pid$targ'; do
	expect "provider $provider" "$(told -n "$provider:a.out:plain:entry" \
	    -c ./named)" "provider '$provider' is not that of a process: \
functions are pid\$target:MODULE:FUNCTION:NAME
= 1"
done
fields='functions are pid$target:MODULE:FUNCTION:NAME
= 1'
expect 'one field' "$(told -n 'pid$target' -c ./named)" \
    "pidN is in the place of the name: $fields"
expect 'two fields' "$(told -n 'pid$target:plain' -c ./named)" \
    "pidN is in the place of the function: $fields"
expect 'three fields' "$(told -n 'pid$target:plain:entry' -c ./named)" \
    "pidN is in the place of the module: $fields"
expect 'no process' "$(told -n 'pid$target:a.out:plain:entry')" \
    'there is no $target: name a process by -c COMMAND, -p PID or --read
= 1'
expect 'another process' "$(told -n 'pid1:a.out:plain:entry { exit(0); }' \
    -c ./named)" \
    'pidN is another process than that of -c, -p or --read, which is pid$target
= 1'
absent='functions have probes only in a command of -c (pid$target), or if TBUF_PID named them when their process began: see tbuf_pid(7)
= 1'
expect 'a process that has none' "$(told -n 'pid1:a.out:plain:entry')" \
    "$absent"
expect 'one without a clause' "$(told -n 'pid1:a.out:plain:entry' -c ./named)" \
    "$absent"
for flags in -static -static-pie; do
	$CC -O2 -w $flags -o static named.c 2>/dev/null || continue
	expect "$flags" "$(told -n 'pid$target:a.out:plain:entry' -c ./static)" \
	    'failed to preload the pid provider into ./static: it is statically linked
= 1'
done
if command -v objcopy >/dev/null; then
	echo table >table
	objcopy --add-section .gopclntab=table named go
	expect 'a program of Go' "$(told -n 'pid$target:a.out:plain:entry' \
	    -c ./go)" \
	    'pidN:a.out: not armed: it is a program of Go, whose stacks move
= 1'
fi
cp named privileged
chmod u+s privileged
expect 'a setuid program' "$(told -n 'pid$target:a.out:plain:entry' \
    -c ./privileged)" \
    'failed to preload the pid provider into ./privileged: it is setuid
= 1'

# Names that may be meant are those of the command's file and of its libraries.
cat >cart.c <<'END_OF_C'
#include <stdio.h>
__attribute__((noinline, noclone)) int
add(int n) __asm__("_ZN4shop4cart3addEi");
int add(int n) { __asm__ volatile ("" : "+r"(n)); return (n * 3 + 1); }
int main(void) { return (add(1) + fflush(stdout) == 0); }
END_OF_C
$CC -O2 -w -o cart cart.c || exit 1
for description in 'pid$target::shop::cart::add:entry' \
    'pid$target::shop::c*:entry' 'pid*::shop::cart::add:entry'; do
	expect "$description" "$(counts "$description" ./cart)" \
	    'shop::cart::add 1'
done
# means DESCRIPTION [ARGUMENT...]: the suggestion, of tbufctl's list, too.
means() {
	wrong=$1 command=${2-./cart}
	for mode in -q -ql; do
		"$TBUFCTL" $mode -n "$wrong" -c "$command" 2>&1 |
		    sed -n "s/^tbufctl: did you mean '\(.*\)'?$/\1/p"
	done | uniq
}
means_this() {
	expect "$1" "$(means "pid\$target:$1")" "pid\$target:$2"
}
means_this libcc.so.6:fflush:entry libc.so.6:fflush:entry
means_this libcc:fflush:entry libc:fflush:entry
means_this libcc.so:flush:return libc.so:fflush:return
means_this libcc::entry libc::entry
means_this libcc:ff*sh:entry libc:ff*sh:entry
means_this cat:mian: cart:main:
means_this a.uot:main: a.out:main:
means_this :mian:entry :main:entry
means_this a.out:fflush:entry libc.so.6:fflush:entry
means_this libc:main:entry a.out:main:entry
means_this a.out:shop::cart::ad:entry a.out:shop::cart::add:entry
means_this :shop::cart::ad:entry :shop::cart::add:entry
means_this a.out:_ZN4shop4cart3adEi:entry a.out:_ZN4shop4cart3addEi:entry
means_this cart:mian:0 cart:main:0
expect 'a glob has none' "$(means 'pid$target:a.out:mian*:entry')" ''
expect 'nor has another word' "$(means 'pid$target:a.out:xyzzy:entry')" ''
expect 'nor a function that exists' "$(means 'pid$target:a.out:main:8000')" ''
expect 'all processes' "$(means 'pid*:a.out:mian:entry { n++; }')" \
    'pid*:a.out:main:entry'
echo 'pid$target:a.out:mian:entry { n++; }' >slip.d
for mode in -q -ql; do
	expect "a script, $mode" "$("$TBUFCTL" $mode -s slip.d -c ./cart 2>&1 |
	    sed -n 's/^tbufctl: did/did/p')" "$(meant a.out:main:entry)"
done
expect 'a flag' "$("$TBUFCTL" -q -f 'pid$target:a.out:mian' -c ./cart 2>&1 |
    sed -n 's/^tbufctl: did/did/p')" "$(meant a.out:main:)"

# A table of symbols of the same letters is compared up to a bound: the name
# that is meant comes last.
many() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < 20; i++) {
			right = right "abcdefghij"
			odd = odd "jihgfedcba"
		}
		print "int main(void) { return (0); }"
		for (i = 0; i < n; i++)
			names = names sprintf(" %s%c%c%c", substr(odd, 4),
			    65 + i % 16, 65 + int(i / 16) % 16,
			    65 + int(i / 256))
		n = split(names " " right "x", all, " ")
		for (i = 1; i <= n; i++)
			printf("__asm__(\".type %s, @function\\n.set %s, " \
			    "main\\n\");\n", all[i], all[i])
	}' >many.c
	$CC -O2 -w -o many many.c || exit 1
}
right=$(awk 'BEGIN { while (i++ < 20) printf("abcdefghij") }')
many 9
expect 'among other names' "$(means "pid\$target:many:$right:entry" ./many)" \
    "pid\$target:many:${right}x:entry"
many 1500
expect 'a bound' "$(means "pid\$target:many:$right:entry" ./many | wc -l)" 1
many 3000
expect 'after it' "$(means "pid\$target:many:$right:entry" ./many)" ''

report
