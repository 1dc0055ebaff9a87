#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The questions that DTrace's tests of its pid provider ask, of programs of our
# own: arguments, returned values, aliases, children, globs of providers, names
# of modules, and the errors of descriptions.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >asked.c <<'END'
#include <sys/wait.h>

#include <stdio.h>
#include <unistd.h>

#define CALLED	__attribute__((noinline, noclone))
#define HIDDEN(n)	__asm__ volatile ("" : "+r"(n))

/* Startup code has no bounds: any of its bytes may be a short branch. */
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n");

CALLED long
ten(long a, long b, long c, long d, long e, long f, long g, long h, long i,
    long j)
{
	HIDDEN(a);
	return (a + b + c + d + e + f + g + h + i + j);
}

/* A leaf, one that calls, and one that ends by a jump. */
CALLED int leaf(void) { int n = 100; HIDDEN(n); return (n); }
CALLED int
caller(int n)
{
	n = n * 5 + 3;
	HIDDEN(n);
	n = n * 9 + 1000;
	HIDDEN(n);
	n += leaf();
	HIDDEN(n);
	return (n);
}
CALLED int jumps(int n) { HIDDEN(n); return (caller(n + 1)); }
CALLED int
many_returns(int n)
{
	HIDDEN(n);
	if (n == 1)
		return (leaf() + 7);
	if (n == 2)
		return (leaf() + 70);
	n = leaf() + 700;
	HIDDEN(n);
	return (n);
}

/* Aliases: those with fewer underscores are better. */
CALLED int better(int n) { HIDDEN(n); return (n * 3); }
int _better(int) __attribute__((alias("better")));
CALLED int __weaker(int n) { HIDDEN(n); return (n * 5); }
int _weaker(int) __attribute__((weak, alias("__weaker")));

CALLED double
half(double a, float b, long double c)
{
	return (a / 2 + (double)b + (double)c);
}

CALLED int
child(int n)
{
	n = n * 5 + 3;
	HIDDEN(n);
	n = n * 9 + 1000;
	HIDDEN(n);
	n += leaf();
	HIDDEN(n);
	return (n);
}

int
main(void)
{
	double sum = 0;
	int status, i;

	printf("%ld\n", ten(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	printf("%d %d\n", jumps(1), many_returns(1) + many_returns(2) +
	    many_returns(3));
	printf("%d %d\n", _better(1) + better(1), _weaker(1) + __weaker(1));
	for (i = 0; i < 1000; i++)
		sum += half(i, 0.5f, 0.25L);
	printf("%.2f\n", sum);
	fflush(stdout);
	if (fork() == 0) {
		child(1);
		_exit(0);
	}
	wait(&status);
	if (vfork() == 0)
		_exit(0);
	wait(&status);
	child(2);
	return (0);
}
END
$CC -O2 -w -o asked asked.c || exit 1
./asked >plain
printf '%s\n' 45 '1217 1077' '6 10' 250500.00 >known
expect 'the program itself' "$(cat plain)" "$(cat known)"

# asks SCRIPT: the output of a D program, and the status.  The output of the
# program is the same, whatever is traced.
asks() {
	"$TBUFCTL" -q -o out -n "$1" -c ./asked >output 2>err
	echo "= $?" >>out
	cmp -s output plain || echo 'another output'
	sed '/^ *$/d; s/^ *//; s/  */ /g' out
	sed -n 's/pid[1-9][0-9]*/pidN/g; s/^tbufctl: //
	    /does not match\|invalid probe name/p' err
	rm -f out
}
expect 'arguments' "$(asks 'pid$target:a.out:ten:entry
    /arg0 == 0 && arg1 == 1 && arg2 == 2 && arg3 == 3 && arg4 == 4 &&
    arg5 == 5 && arg6 == 6 && arg7 == 7 && arg8 == 8 && arg9 == 9/
    { exit(7); }')" '= 7'
expect 'the value of a leaf' "$(asks 'pid$target:a.out:leaf:return
    /arg1 != 100/ { exit(1); }')" '= 0'
expect 'of a caller' "$(asks 'pid$target:a.out:caller:return
    { printf("%d\n", arg1); }')" '1217
= 0'
expect 'one return for each call' "$(asks 'pid$target:a.out:many_returns:entry
    { printf("%d ", arg0); } pid$target:a.out:many_returns:return
    { printf("%d\n", arg1); }')" '1 107
2 170
3 800
= 0'
expect 'offsets of returns differ' "$(asks 'pid$target::many_returns:return
    { @[arg0] = count(); } END { printa("%@d\n", @); }' | LC_ALL=C sort -u)" '1
= 0'
expect 'a function returns before the one that it jumps to' \
    "$(asks 'pid$target::jumps:, pid$target::caller:
    { printf("%s %s\n", probefunc, probename); }')" 'jumps entry
jumps return
caller entry
caller return
= 0'
expect 'main' "$(asks 'BEGIN { status = 1; } pid$target::main:entry
    { status = 0; } END { exit(status); }')" '= 0'
expect 'the kernel has no stack of it' "$(asks 'pid$target:a.out::
    { @[stack()] = sum(0); }' | tr -d ' \n')" '0=0'
expect 'floating point is left alone' "$(asks 'pid$target:a.out:half:,
    pid$target:libc:printf: { @ = count(); }' | tail -n 1)" '= 0'
expect 'every function of the program' "$(asks 'pid$target:a.out::entry,
    pid$target:a.out::return { self->calls++; }')" '= 0'
expect 'the better name' "$(asks 'pid$target:a.out:better:entry
    { @[probefunc] = count(); } pid$target:a.out:*better:return
    { @[probefunc] = count(); }')" 'better 4
= 0'
expect 'a weak name' "$(asks 'pid$target:a.out:_weaker:entry
    { @[probefunc] = count(); }')" '_weaker 2
= 0'
expect 'the weakest name' "$(asks 'pid$target:a.out:*weaker:entry
    { @[probefunc] = count(); }')" '_weaker 2
= 0'
expect 'a child is not the target' "$(asks 'pid$target:a.out:child:entry
    { printf("%d\n", arg0); }')" '2
= 0'
"$TBUFCTL" -q --follow -o out -n 'pid*:a.out:child:entry
    { @[arg0, pid == $target] = count(); }' -c ./asked >output 2>err
expect 'unless it is followed' "$(sed '/^ *$/d; s/  */ /g' out)" ' 1 0 1
 2 1 1'
rm -f out

# Names of modules, and globs of providers.
for module in asked a.out 'a*' ''; do
	expect "module $module" "$(asks "pid\$target:$module:leaf:entry
	    { @ = count(); }")" '5
= 0'
done
for module in libc libc.so libc.so.6 'libc*'; do
	expect "module $module" "$(asks "pid\$target:$module:fflush:return
	    { @[probemod] = count(); }")" \
	    "$(echo "$module" | sed 's/\*/.so.6/') 1
= 0"
done
expect 'modules of two descriptions' "$(asks 'pid$target:a.out:leaf:entry,
    pid$target:asked:caller:return { @[probemod, probefunc] = count(); }')" \
    'asked caller 1
a.out leaf 5
= 0'
for provider in 'p*d$target' 'pi?$target' '[p]id$target' 'p*$target' 'pid*'; do
	expect "provider $provider" "$(asks "$provider:a.out:caller:entry
	    { printf(\"%s:%s:%s\\n\", probemod, probefunc, probename); }")" \
	    'a.out:caller:entry
= 0'
done
expect 'other providers of a glob' "$(asks 'x*d$target::caller:entry
    { exit(0); }' | tail -n 1 | sed 's/.*: probe/probe/')" \
    'probe description x*d::caller:entry does not match any probes'

# What is not there.
wrong() {
	expect "$1" "$(asks "$1 { exit(0); }" | sed -n '/^= 0/p; s/.*: probe/probe/p
	    /invalid probe name/p')" "$(echo "$2" |
	    sed 's/^[ 	]*//')"
}
none() {
	wrong "$1" "probe description $(echo "$1" | sed 's/\$target/N/') does \
not match any probes"
}
none 'pid$target:libbad:leaf:entry'
none 'pid$target:a.out:bad:entry'
none 'pid$target:libc:leaf:entry'
none 'pid$target::bad*:return'
for name in beginning entrie -; do
	wrong "pid\$target:a.out:leaf:$name" "probe description \
pidN:a.out:leaf:$name does not match any probes
	    '$name' is an invalid probe name: functions have entry, return and \
offsets (example: 1c)"
done
none 'pid$target:a.out:leaf:800'
none 'pid$target:libc:-:800'
wrong 'pid$target::-:10*' "probe description pidN::-:10* does not match any \
probes
    '10*' is an invalid probe name: functions have entry, return and offsets \
(example: 1c)"
expect 'no such process' "$("$TBUFCTL" -q -n 'pid$target:::entry' -p 4194304 \
    2>&1 | grep -c 'pid 4194304')" 1
expect 'no process of this name' "$("$TBUFCTL" -q -n 'pid4194304:::entry' \
    -c ./asked 2>&1 | grep -c 'does not match any probes')" 1

# Probes of a process that began with them, one after the other.
cat >waits.c <<'END'
#include <unistd.h>
int main(void) { for (;;) usleep(1000); }
END
$CC -O2 -w -o waits waits.c || exit 1
TBUF_PID='pid$target:libc:usleep:' LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so \
    ./waits &
waits=$!
until "$TBUFCTL" -l -n 'pid*:libc::' -p $waits 2>/dev/null | grep -q usleep; do
	kill -0 $waits || break
done
for name in entry return entry; do
	expect "$name of a process that runs" "$("$TBUFCTL" -q \
	    -n "pid$waits:libc:usleep:$name { exit(5); }" >/dev/null 2>&1; echo $?)" 5
done
kill $waits
wait $waits 2>/dev/null

report
