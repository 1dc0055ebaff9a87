# SPDX-License-Identifier: BSD-2-Clause
#
# The questions that DTrace's tests of its pid provider ask, each of a program
# of our own.  The line before an answer begins with the test's name.  One question
# is left out: if tst.manypids and tst.addprobes trace processes that began
# without the provider.  These have no probes here.
. "$HERE/common_real"
unset LD_PRELOAD TBUF_PID CFLAGS

cat >asked.c <<'END'
#include <sys/wait.h>

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/startup_pad.h"

#define CALLED	__attribute__((noinline, noclone))
#define HIDE(n)	__asm__ volatile ("" : "+r"(n))

CALLED long
ten(long a, long b, long c, long d, long e, long f, long g, long h, long i,
    long j)
{
	HIDE(a);
	return (a + b + c + d + e + f + g + h + i + j);
}

CALLED int leaf(void) { int n = 100; HIDE(n); return (n); }

/* It calls, and is long enough for jumps at its entry and its return. */
CALLED int
caller(int n)
{
	n = n * 5 + 3;
	HIDE(n);
	n = n * 9 + 1000;
	HIDE(n);
	n += leaf();
	HIDE(n);
	return (n);
}

CALLED int jumps(int n) { HIDE(n); return (caller(n + 1)); }

CALLED int
many_returns(int n)
{
	HIDE(n);
	if (n == 1)
		return (leaf() + 7);
	if (n == 2)
		return (leaf() + 70);
	n = leaf() + 700;
	HIDE(n);
	return (n);
}

/* Of two names that with fewer underscores is better, of any kind. */
CALLED int better(int n) { HIDE(n); return (n * 3); }
int _better(int) __attribute__((alias("better")));
CALLED static int __weaker(int n) { HIDE(n); return (n * 5); }
int _weaker(int) __attribute__((weak, alias("__weaker")));

CALLED int umlaut(int n) __asm__("gr\303\266\303\237e");
CALLED int umlaut(int n) { HIDE(n); return (n + 9); }

CALLED double
half(double a, float b, long double c)
{
	return (a / 2 + (double)b + (double)c);
}

CALLED int
child(int n)
{
	n = n * 5 + 3;
	HIDE(n);
	n = n * 9 + 1000;
	HIDE(n);
	n += leaf();
	HIDE(n);
	return (n);
}

int
main(int argc, char **argv)
{
	double sum = 0;
	int status, i;
	void *object;

	for (i = 0; i < 1000; i++)
		sum += half(i, 0.5f, 0.25L);
	printf("the program: %ld %d %d", ten(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
	    jumps(1), many_returns(1) + many_returns(2) + many_returns(3));
	printf(" %d %d %d %.2f", _better(1) + better(1), _weaker(1) +
	    __weaker(1), umlaut(1), sum);
	fflush(stdout);
	if (fork() == 0) {
		child(1);
		_exit(0);
	}
	wait(&status);
	if (vfork() == 0) {
		child(3);
		_exit(0);
	}
	wait(&status);
	child(2);
	for (i = 1; i < argc; i++) {
		object = dlopen(argv[i], RTLD_NOW);
		if (object == NULL)
			puts(dlerror());
		else
			printf(" %d", ((int (*)(void))dlsym(object, "go"))());
	}
	putchar('\n');
	return (0);
}
END
cat >go.c <<'END'
int go(void) { int n = 10; __asm__ volatile ("" : "+r"(n)); return (n); }
END
# A program and a library with probes of a provider pyramid, whose module and
# function are those of the place.
cat >pyramid.c <<'END'
#include <tbuf.h>

int go(void);
#ifdef PROGRAM
#include <dlfcn.h>
#include <stdio.h>

int
main(void)
{
	void *object;

	TBUF_PROBE(pyramid, entry);
	(void)go();
	object = dlopen("./stone.so", RTLD_NOW | RTLD_LOCAL);
	printf("the program: %d\n", ((int (*)(void))dlsym(object, "go"))());
	return (0);
}
#endif
__attribute__((noinline)) int
go(void)
{
	int n = 10;

	TBUF_PROBE(pyramid, entry);
	__asm__ volatile ("" : "+r"(n));
	return (n * 3);
}
END
built()
{
	$CC -w -I"$top_srcdir/tests" -I"$top_srcdir/libtbuf/include" "$@" || exit
}
libs=$(cd "$top_builddir/.libs" && pwd)
built -O2 -o asked asked.c
built -O0 -o asked0 asked.c
built -O2 -fPIC -shared -o libgø.so go.c
built -O2 -DPROGRAM -o pyramid pyramid.c -L"$libs" -ltbuf -Wl,-rpath,"$libs"
built -O2 -fPIC -shared -o stone.so pyramid.c -L"$libs" -ltbuf \
    -Wl,-rpath,"$libs"

# question TEST WORDS: the line before an answer.
question()
{
	echo
	echo "== $1: $2"
}

# asks TEST WORDS [OPTION...] SCRIPT COMMAND: the output of a D program after
# that of its command.
asks()
{
	question "$1" "$2"
	shift 2
	ctl -q -o out "$@" >answer
	[ ! -s out ] || sed '/^ *$/d; s/^ *//' out >>answer
	sed 's/pid[1-9][0-9]*/pidN/g; s/  */ /g' answer
	rm -f out
}

# Functions of startup code and of libraries, which may have no probes, depend
# on the system.
asks_all()
{
	asks "$@" | sed '/: not armed: /d; /: armed in part: /d'
}

asks tst.args1 'ten arguments, in order' -n 'pid$target:a.out:ten:entry
    { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4,
    arg5, arg6, arg7, arg8, arg9); }' -c ./asked
asks tst.ret2 'the value of a leaf' -n 'pid$target:a.out:leaf:return
    { @[arg1] = count(); }' -c ./asked
asks tst.ret1 'of a function that calls' -n 'pid$target:a.out:caller:return
    { printf("%d\n", arg1); }' -c ./asked
asks tst.multi-return 'one return for each call, wherever it is' \
    -n 'pid$target:a.out:many_returns:entry { printf("%d ", arg0); }
    pid$target:a.out:many_returns:return { printf("%d\n", arg1); }' -c ./asked
asks tst.multi-return 'at three offsets' \
    -n 'pid$target::many_returns:return { @[arg0] = count(); }
    END { printa("%@d\n", @); }' -c ./asked
asks tst.ret1 'a function returns before one that it jumps to' \
    -n 'pid$target::jumps:, pid$target::caller:
    { printf("%s %s\n", probefunc, probename); }' -c ./asked
asks tst.probefunc 'the function of a fire' -n 'pid$target:a.out:leaf:entry
    /probefunc == "leaf"/ { @ = count(); }' -c ./asked
asks tst.main 'main itself' -n 'BEGIN { status = 1; } pid$target::main:entry
    { status = 0; } END { exit(status); }' -c ./asked
asks_all tst.coverage 'each function of a program' \
    -n 'pid$target:a.out:: { n++; }' -c ./asked
asks_all tst.gcc 'that was not optimized' \
    -n 'pid$target:a.out:: { n++; }' -c ./asked0
asks tst.float 'floating point is left alone' -n 'pid$target:a.out:half:,
    pid$target:libc:printf: { @[probefunc, probename] = count(); }' -c ./asked
asks tst.emptystack 'the kernel has no stack of it' -n 'pid$target:a.out:leaf:,
    pid$target:libc:fflush: { @[stack()] = count(); }' -c ./asked
asks tst.entry_off0 'an entry is the first instruction' \
    -n 'pid$target:a.out:caller:entry, pid$target:a.out:caller:0
    { @[probename] = count(); }' -c ./asked

# Names.
asks tst.weak1 'the name with fewer underscores' \
    -n 'pid$target:a.out:*better:entry { @[probefunc] = count(); }' -c ./asked
asks tst.weak1 'each name, by which a description calls it' \
    -n 'pid$target:a.out:better:entry, pid$target:a.out:_better:entry
    { @[probefunc] = count(); }' -c ./asked
asks tst.weak2 'of a static function and a weak alias' \
    -n 'pid$target:a.out:*weaker:entry { @[probefunc] = count(); }' -c ./asked
asks tst.utf8probefunc 'a function that is not ASCII' \
    -n 'pid$target:a.out:gr*:entry { trace(probefunc); trace(arg0); }' \
    -c ./asked
asks tst.utf8probemod 'a module' -n 'pid$target:libg*::entry
    { trace(probemod); trace(probefunc); }' -c './asked ./libgø.so'
for module in libc libc.so libc.so.6 'libc*'; do
	asks tst.probemod "a part of a module's name: $module" \
	    -n "pid\$target:$module:fflush:return
	    { @[probemod, probefunc] = count(); }" -c ./asked
done
for module in asked a.out 'a*' ''; do
	asks tst.probemod "the names of the program: $module" \
	    -n "pid\$target:$module:leaf:entry
	    { @[probemod, probefunc] = count(); }" -c ./asked
done

# Children.
asks tst.fork 'a child is another process' -n 'pid$target:a.out:child:entry
    /arg0 == 1/ { trace("wrong pid"); }
    pid$target:a.out:child:entry { @[arg0] = count(); }' -c ./asked
asks tst.fork 'unless it is followed' --follow -n 'pid*:a.out:child:entry
    /arg0 != 3/ { @[arg0, pid == $target] = count(); }' -c ./asked
asks tst.vfork 'a child that shares the memory' -n 'pid$target:a.out:child:entry
    /arg0 == 3/ { @[pid == $target] = count(); }' -c ./asked

# Globs of providers.
for provider in 'p*d$target' 'pi?$target' '[p]id$target' 'p*$target' 'pid*'; do
	asks tst.provregex1 "a glob of providers: $provider" \
	    -n "$provider:a.out:caller:entry
	    { printf(\"%s:%s:%s\\n\", probemod, probefunc, probename); }" \
	    -c ./asked
done
asks tst.provregex2 'an object that is loaded later' \
    -n 'p*d$target::go:entry { @[probemod, probefunc, probename] = count(); }' \
    -c './asked ./libgø.so'
asks tst.provregex3 'probes of other providers, too' \
    -n 'p*d$target::main:entry { printf("%d %s:%s:%s\n",
    probeprov == "pyramid", probemod, probefunc, probename); }' -c ./pyramid
asks tst.provregex4 'and those of an object that is loaded later' \
    -n 'p*d$target::go:entry
    { @[probeprov == "pyramid", probemod, probefunc, probename] = count(); }' \
    -c ./pyramid

# Descriptions of probes that do not exist.
none()
{
	asks "$1" "$2" -n "$3 { exit(2); }" -c ./asked
}
none err.D_PDESC_ZERO.badlib 'a module that is not loaded' \
    'pid$target:libbad.so.1::entry'
none err.D_PDESC_ZERO.badproc1 'a provider that only begins like one' \
    'pidgin:::entry'
none err.D_PROC_BADPID.badproc2 'the process 0' 'pid0:::entry'
none err.D_PROC_BADPID.badproc2 'a process that does not exist' \
    'pid4194304:::entry'
none err.D_PROC_FUNC.badfunc 'a function that the program does not have' \
    'pid$target:a.out:bad:entry'
none err.D_PROC_FUNC.badfunc 'one that another module has' \
    'pid$target:libc:leaf:entry'
none err.D_PROC_FUNC.badfunc 'a glob' 'pid$target::bad*:return'
none err.D_PROC_LIB.libdash 'no function, of a module' 'pid$target:libc:-:800'
none err.D_PROC_NAME.alldash 'no function, and all names' 'pid$target::-:'
none err.D_PROC_NAME.badname 'a name of no probe' \
    'pid$target:a.out:leaf:beginning'
none err.D_PROC_NAME.globdash 'a glob of offsets' 'pid$target::-:10*'
none err.D_PROC_OFF.toobig 'an offset after the end of a function' \
    'pid$target:a.out:leaf:800'
asks_all err.D_PROC_CREATEFAIL.many 'all functions of all modules' \
    -n 'pid$target::: { n++; } END { exit(3); }' -c ./asked
asks tst.killonerror 'the command does not run on after an error' \
    -n 'pid$target:::jarod' -c 'touch ran'
[ ! -e ran ] || echo 'it has run'

# Processes that began with the provider.  One prints a line when it can be
# traced, and calls its function once after the end of its input.
cat >once.c <<'END'
#include <unistd.h>

__attribute__((noinline)) int
once(int n)
{
	n += usleep(1);
	__asm__ volatile ("" : "+r"(n));
	return (n * 5 + 1);
}

int
main(void)
{
	char line[8];

	return (write(1, "ready\n", 6) != 6 || read(0, line, 1) != 0 ||
	    once(0) == 0);
}
END
built -O2 -o once once.c
provider=$TBUF_PROVIDERS/libtbuf-pid.so
mkfifo hold ready

# begin N: begins N processes; their ids are in $many.
begin()
{
	exec 8<>hold
	many=
	for i in $(seq "$1"); do
		TBUF_PID='pid$target:once:once:' LD_PRELOAD=$provider \
		    ./once <hold >ready 8>&- &
		many="$many $!"
		read -r line <ready
	done
}

# traced SCRIPT: traces them until they end.
traced()
{
	: >out
	"$TBUFCTL" -q -o out -n "BEGIN { printf(\"begun\\n\"); } $1" \
	    $(printf ' -p %d' $many) 8>&- &
	run=$!
	filled out 1
	exec 8>&-
	wait $run
	echo "= $?"
	wait
	sed '/^ *$/d; s/^ *//; s/  */ /g' out
}
for name in entry return; do
	question tst.addprobes "one probe, and then another: $name"
	begin 1
	ctl -q -n "pid$!:once:once:$name { n++; } BEGIN { exit(3); }" -p $! |
	    sed 's/pid[1-9][0-9]*/pidN/g'
	traced "pid$!:once:once:entry, pid$!:once:once:return
	    { @[probename] = count(); }"
done
question tst.manypids 'functions of many processes'
begin 10
traced "$(printf 'pid%d::once:entry { @ = count(); } ' $many)"

question tst.newprobes 'processes that begin later, with other probes'
: >out
"$TBUFCTL" -q -Z -o out -n 'BEGIN { printf("begun\n"); }
    pid*:asked:main: { printf("%s:%s\n", probefunc, probename); }
    pid*:asked:main:return { exit(0); }' &
run=$!
filled out 1
TBUF_PID='pid$target:asked:main:entry' LD_PRELOAD=$provider ./asked
TBUF_PID='pid$target:asked:main:return' LD_PRELOAD=$provider ./asked
wait $run
echo "= $?"
cat out
