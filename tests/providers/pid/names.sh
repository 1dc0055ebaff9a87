#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Descriptions that call one function, or its module, differently: each clause
# runs once for each arrival, with the names that its description uses.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >prog.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdlib.h>
#define CALLED	__attribute__((noinline, noclone))
#define HIDE(n)	__asm__ volatile ("" : "+r"(n))
CALLED int f(int n) { HIDE(n); return (n * 3 + 1); }
int g(int) __attribute__((alias("f")));
CALLED int add(int) __asm__("_ZN4shop4cart3addEi");
CALLED int add(int n) { HIDE(n); return (n * 3 + 1); }
CALLED int add2(long) __asm__("_ZN4shop4cart3addEl");
CALLED int add2(long n) { HIDE(n); return (n * 3 + 1); }
/* Its names are those of three functions in all. */
CALLED static int twin(int n) { HIDE(n); return (n + 5); }
static int other(int) __attribute__((alias("twin"), used));
int elsewhere(int);
CALLED int partly(int n) { HIDE(n); return (n > 2 ? f(n) : n + 7); }
int main(int argc, char **argv)
{
	int (*work)(int), i, s = 0;
	void *object, *p;

	for (i = 0; i < 5; i++) {
		s += f(i) + add(i) + add2(i) + twin(i) + elsewhere(i) +
		    partly(i);
		p = malloc(70000 + i);
		HIDE(p);
		free(p);
	}
	for (i = 1; i < argc; i++) {
		object = dlopen(argv[1], RTLD_NOW);
		work = (int (*)(int))dlsym(object, "work");
		s += work(i) + work(i + 1);
		dlclose(object);
	}
	return (s == 0);
}
END_OF_C
cat >elsewhere.c <<'END_OF_C'
#define CALLED	__attribute__((noinline, noclone))
CALLED static int twin(int n) { __asm__ volatile ("" : "+r"(n)); return (n); }
CALLED static int other(int n) { __asm__ volatile ("" : "+r"(n)); return (n * 3); }
int elsewhere(int n) { return (twin(n) + other(n) + other(n)); }
END_OF_C
cat >work.c <<'END_OF_C'
int work(int n) { __asm__ volatile ("" : "+r"(n)); return (n * 3 + 1); }
int also(int) __attribute__((alias("work")));
END_OF_C
$CC -O2 -g -w -o prog prog.c elsewhere.c -ldl || exit 1
$CC -O2 -w -shared -fPIC -o work.so.1 work.c || exit 1

# rows: prints what aggregations have, a row a line.
rows() { sed '/^$/d; s/^ *//; s/  */ /g' | sort; }

# clauses [OPTION ...] -- DESCRIPTION ...: what the clause of each one counts, by
# its number and its names.
clauses() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	n=0 program=
	for description; do
		n=$((n + 1))
		program="$program $description { @[$n, strjoin(probemod, \
strjoin(\" \", strjoin(probefunc, strjoin(\" \", probename))))] = count(); }"
	done
	# shellcheck disable=SC2086 # none or several
	"$TBUFCTL" -q $options -n "$program" -c "$command" 2>&1 | rows
}
command=./prog

# libc DESCRIPTION ...: descriptions with the predicate that it is malloc(3) of
# the program.
libc() {
	n=0 program=
	for description; do
		n=$((n + 1))
		program="$program $description /arg0 >= 70000 && arg0 < 70005/ \
{ @[$n, probemod, probefunc] = count(); }"
	done
	"$TBUFCTL" -q -n "$program" -c "$command" 2>&1 | rows
}
file=$(ldd ./prog | sed -n 's/.*\(libc\.so[^ ]*\) =>.*/\1/p')
if [ -n "$file" ]; then
	expect 'a library by two names' "$(libc 'pid$target:libc:malloc:entry' \
	    "pid\$target:$file:malloc:entry")" "1 libc malloc 5
2 $file malloc 5"
	expect 'and by globs' "$(libc 'pid$target::malloc:entry' \
	    "pid\$target:$file:malloc:entry" 'pid$target:libc:malloc:entry' \
	    'pid*:libc*:mallo[c]:entry')" "1 $file malloc 5
2 $file malloc 5
3 libc malloc 5
4 $file malloc 5"
fi

expect 'a program by all of its names' "$(clauses -- \
    'pid$target:a.out:partly:entry' 'pid$target:prog:partly:entry' \
    'pid$target::partly:entry' 'pid*:a.out:part*:entry' \
    'pid[0-9]*:prog:partly:entry' 'pid$target:*o*:partly:entry')" \
    '1 a.out partly entry 5
2 prog partly entry 5
3 a.out partly entry 5
4 a.out partly entry 5
5 prog partly entry 5
6 a.out partly entry 5'
expect 'a glob alone' "$(clauses -- 'pid$target::partl?:entry')" \
    '1 prog partly entry 5'
expect 'a glob before one name' "$(clauses -- 'pid$target::partl?:entry' \
    'pid$target:a.out:partly:entry')" '1 a.out partly entry 5
2 a.out partly entry 5'
expect 'two names of a function' "$(clauses -- 'pid$target:a.out:g:entry' \
    'pid$target:a.out:f:entry' 'pid$target:a.out:[fg]:entry' \
    'pid$target:prog:[fg]:entry' 'pid$target:prog:f:entry')" \
    '1 a.out g entry 7
2 a.out f entry 7
3 a.out g entry 7
4 prog f entry 7
5 prog f entry 7'
expect 'returns' "$(clauses -- 'pid$target:a.out:f:return' \
    'pid$target:a.out:g:' 'pid$target::?:return')" \
    '1 a.out f return 7
2 a.out g entry 7
2 a.out g return 7
3 a.out f return 7'
expect 'an instruction' "$(clauses -- 'pid$target:a.out:f:0' \
    'pid$target:prog:g:0x0' 'pid$target::f:00' 'pid$target:a.out:g:0x0' \
    'pid$target:a.out:f:entry')" '1 a.out f 0 7
2 prog g 0x0 7
3 prog f 00 7
4 a.out g 0x0 7
5 a.out f entry 7'
expect 'names of C++' "$(clauses -- 'pid$target:a.out:shop::cart::add:entry' \
    'pid$target:a.out:_ZN4shop4cart3addEi:entry' \
    'pid$target:a.out:_ZN4shop4cart3addEl:entry' \
    'pid$target::*cart*add*:entry' 'pid$target:a.out:*addEi:entry')" \
    '1 a.out shop::cart::add entry 10
2 a.out _ZN4shop4cart3addEi entry 5
3 a.out _ZN4shop4cart3addEl entry 5
4 a.out shop::cart::add entry 10
5 a.out _ZN4shop4cart3addEi entry 5'
# Of three functions one has both names, each of the others has one.
expect 'names that other functions have, too' "$(clauses -- \
    'pid$target:a.out:twin:entry' 'pid$target:a.out:other:entry' \
    'pid$target:a.out:[to][wt][ih]*:entry' 'pid$target:prog:other:entry' | \
    awk '{ sum[$1] += $NF } END { for (i in sum) print i, sum[i] }' | sort)" \
    '1 10
2 15
3 20
4 15'
expect 'with -x pid=loops' "$(clauses -x pid=loops -- \
    'pid$target:a.out:f:entry' 'pid$target:prog:g:entry' \
    'pid$target::[fg]:entry')" '1 a.out f entry 7
2 prog g entry 7
3 a.out f entry 7'
expect 'with -x pid=partial' "$(clauses -x pid=partial -- \
    'pid$target:a.out:partly:return' 'pid$target::partl*:return' \
    'pid$target:prog:partly:return')" '1 a.out partly return 5
2 a.out partly return 5
3 prog partly return 5'
expect 'in a ring' "$(clauses -x bufpolicy=ring -- 'pid$target:a.out:f:entry' \
    'pid$target:prog:f:entry' 'pid$target::f:entry')" '1 a.out f entry 7
2 prog f entry 7
3 a.out f entry 7'
command='env ./prog'
expect 'in a descendant' "$(clauses --follow -- 'pid*:a.out:partly:entry' \
    'pid*:prog:partly:entry' 'pid*::partly:entry')" '1 a.out partly entry 5
2 prog partly entry 5
3 a.out partly entry 5'
command='./prog ./work.so.1 again again'
expect 'in an object that is loaded later, and again' "$(clauses -- \
    'pid$target:work:work:entry' 'pid$target:work.so:also:entry' \
    'pid$target:work*:[aw]*[ko]:entry')" '1 work work entry 6
2 work.so also entry 6
3 work work entry 6'
command=./prog

# The clauses of one arrival run in their order, as long as each name comes once.
expect 'in order' "$("$TBUFCTL" -q -n 'pid$target:prog:partly:entry { trace(1); }
    pid$target:a.out:partly:entry { trace(probemod); }
    pid$target:prog:partly:return { trace(3); }
    pid$target:a.out:partly:return { trace(4); }' -c ./prog 2>&1)" \
    1a.out341a.out341a.out341a.out341a.out34
expect 'types of each' "$("$TBUFCTL" -q -n 'pid$target:a.out:partly:entry,
    pid$target:prog:partly:entry /args[0] > 3/ { trace(n); }
    pid$target::partly:return /(int)arg1 < 9/ { trace(arg1); }' -c ./prog 2>&1)" \
    7844
# It is found before the command begins, and no probe was there to be left out.
expect 'a mistake in the second' "$("$TBUFCTL" -q -n 'pid$target:a.out:f:entry
    { @ = sum(n); } pid$target:prog:f:entry { trace(no_such_name); }' -c ./prog 2>&1 |
    grep -v '^$' | sed 's/.*: //')" 'Unknown variable name
n (arg0)'
expect 'several -n' "$("$TBUFCTL" -q -n 'pid$target:a.out:f:entry' \
    -n 'pid$target:prog:f:entry { @ = count(); }' -n 'pid$target::f:entry' \
    -c ./prog 2>&1 | rows | uniq -c | tr -s ' ')" " 1 7
$(for n in 0 1 2 3 3 4 4; do echo "n=$n"; done | sort | uniq -c |
    awk '{ print " " 2 * $1 " " $2 }')"

# matched ...: prints how many probes descriptions match.
matched() {
	"$TBUFCTL" "$@" -c ./prog 2>&1 >/dev/null |
	    sed -n 's/.*description .* matched \([0-9]*\) .*/\1/p' | xargs
}
expect 'matched' "$(matched -n 'pid$target:a.out:f:entry' \
    -n 'pid$target:prog:g:entry' -n 'pid$target::[fg]:entry' \
    -n 'pid$target:a.out:f:,pid$target:prog:f: { @ = count(); }')" '1 1 1 4'
expect 'listed' "$("$TBUFCTL" -l -n 'pid$target:a.out:f:entry' \
    -n 'pid$target:prog:g:entry' -n 'pid$target::[fg]:entry' -c ./prog 2>&1 |
    awk '/entry/ { print $3, $4, $5 }')" 'a.out f entry
prog g entry'
expect 'listed from the file' "$("$TBUFCTL" -l --object=prog \
    -n 'pid:a.out:f:entry' -n 'pid:prog:g:entry' 2>&1 | grep -c entry$)" 1
expect 'both are told' "$("$TBUFCTL" -q -Z -n 'pid$target:a.out:f:ffff,
    pid$target:prog:f:ffff,pid$target:a.out:f:entry { @ = count(); }' -c ./prog 2>&1 |
    sed -n 's/.*\(:[a-z.]*:f:ffff\): not armed: .*/\1/p')" ':a.out:f:ffff
:prog:f:ffff'
expect 'one that no function has' "$("$TBUFCTL" -q -n \
    'pid$target:a.out:f:entry,pid$target:prog:h:entry { @ = count(); }' \
    -c ./prog 2>&1 | sed -n 's/.*\(:[a-z.]*:.:entry\): absent: .*/\1/p')" \
    :prog:h:entry
# A graph has each name as a function.
expect 'a graph' "$("$TBUFCTL" -F -n 'pid$target:a.out:partly:' \
    -n 'pid$target:prog:partly:' -c ./prog 2>&1 | grep -c '[<>]')" 20

# A recording has a record of each; a description reads those that it matches.
"$TBUFCTL" -q --record=kept -n 'pid$target:a.out:f:entry' \
    -n 'pid$target:prog:f:entry' -c ./prog 2>err || cat err
for module in a.out prog; do
	expect "recorded, $module" "$("$TBUFCTL" -q --read kept -n \
	    "pid*:$module:f:entry { @ = count(); }" 2>&1 | rows)" 7
done

# The probes of a process that runs have the names that TBUF_PID used;
# descriptions match them by all names of their modules and functions.
cat >held.c <<'END_OF_C'
#include <stdio.h>
#define CALLED	__attribute__((noinline, noclone))
#define HIDE(n)	__asm__ volatile ("" : "+r"(n))
CALLED int f(int n) { HIDE(n); return (n * 3 + 1); }
int g(int) __attribute__((alias("f")));
CALLED int add(int) __asm__("_ZN4shop4cart3addEi");
CALLED int add(int n) { HIDE(n); return (n * 3 + 1); }
int one(int), two(int);
int main(void)
{
	puts("ready");
	fflush(stdout);
	return (getchar() + f(1) + g(2) + add(3) + one(4) + two(5) +
	    fflush(stdout) == 0);
}
END_OF_C
for part in one/1 two/2; do
	echo "int ${part%/*}(int n)
	{ __asm__ volatile (\"\" : \"+r\"(n)); return (n * 5 + 1); }" >part.c
	$CC -O2 -fPIC -shared -o libpart.so.${part#*/} part.c || exit 1
done
$CC -O2 -w -o held.prog held.c ./libpart.so.1 ./libpart.so.2 || exit 1
mkfifo hold ready
# held SETTING: begins such a process, $held, until the descriptor 7 is closed.
held() {
	exec 7<>hold
	TBUF_PID=$1 LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./held.prog \
	    <hold >ready 7>&- &
	held=$!
	read -r line <ready
}
# called DESCRIPTION PROBE...: lists the probes, with a clause and without.
called() {
	description=$1
	shift
	for clause in '' ' { n++; }'; do
		expect "$description$clause" "$("$TBUFCTL" -ql \
		    -n "$description$clause" -p $held 2>&1 7>&- |
		    awk '/^ *[0-9]/ { print $3 ":" $4 ":" $5 }')" "$*"
	done
}
held 'pid*:held.prog:f:,pid*:held.prog:f:0,pid*:libc:*fflush:entry',\
'pid*:a.out:_Z*:return,pid*:libpart:*:entry'
called 'pid$target:a.out:f:entry' held.prog:f:entry
called "pid$held:a.out:g:return" held.prog:f:return
called 'pid*:held:f:entry' held.prog:f:entry
called 'pid*:a.out:[f-g]:entry' held.prog:f:entry
called 'pid$target:libc.so.6:fflush:entry' libc:fflush:entry
called 'pid$target:libc.so:*_fflush:' libc:fflush:entry
called 'pid$target::_IO_fflush:entry' libc:fflush:entry
called 'pid$target:held.prog:_ZN4shop4cart3addEi:return' \
    a.out:_ZN4shop4cart3addEi:return
called 'pid$target:held:shop::cart::add:' a.out:_ZN4shop4cart3addEi:return
called 'pid$target::shop::*::add:' a.out:_ZN4shop4cart3addEi:return
called 'pid$target:a.out:g:0x0' held.prog:f:0
called 'pid$target:held:*:return' "held.prog:f:return
a.out:_ZN4shop4cart3addEi:return"
# Two objects have the module's name, and one of them the function.
called 'pid$target:libpart.so.1:*:entry' libpart:one:entry
called 'pid$target:libpart.so.2::' libpart:two:entry
called 'pid$target:libpart.so:two:' libpart:two:entry
called 'pid$target:libm:f:entry' ''
called 'pid$target:a.out:main:entry' ''
called 'pid$target:libpart.so.2:one:' ''
# A pipe in the place of a file is not opened, as tbufctl would wait for a
# writer.  The kernel lets root read the file that was removed.
cp libpart.so.1 kept.so
rm libpart.so.1
mkfifo libpart.so.1
timeout 60 "$TBUFCTL" -ql -n 'pid$target:libpart.so.1:one:entry' -p $held \
    >out 2>&1 7>&-
status=$?
expect 'a pipe in the place of a file' \
    "$status $(grep -c one out)" "$([ $status = 0 ]; echo "$? 1")"
rm libpart.so.1
mv kept.so libpart.so.1
# attach FILE DESCRIPTION OPTION ...: begins a run, and waits until it traces.
attach() {
	file=$1 description=$2
	shift 2
	mkfifo "$file.said"
	"$TBUFCTL" "$@" -n "$description" -p $held >"$file" \
	    2>"$file.said" 7>&- &
	exec 6<"$file.said"
	until [ "${line#*"$description"}" != "$line" ]; do
		read -r line <&6 || break
	done
}
# Runs at once, with different names.
attach by_alias "pid$held:a.out:g:entry"
exec 5<&6
attach by_part "pid$held:held:f:entry" -n 'pid$target:libc.so.6:_IO_fflush:entry
    { @[probemod, probefunc] = count(); }'
exec 7>&- 5<&- 6<&-
wait
expect 'by an alias' "$(grep -c f:entry by_alias)" 2
expect 'by a part of the name' "$(grep -c f:entry by_part)" 2
expect 'the names of the probe' \
    "$(awk '/^ *libc/ { print $1, $2, $3 }' by_part)" 'libc fflush 1'
# A place with several names: a description that has one of them uses that one.
held 'pid*:a.out:f:entry,pid*:held.prog:f:entry'
called 'pid*:held.prog:f:entry' held.prog:f:entry
called 'pid*:a.out:g:entry' "a.out:f:entry
held.prog:f:entry"
attach several "pid$held:held:g:entry"
exec 7>&- 6<&-
wait
expect 'it fires once' "$(grep -c f:entry several)" 2

# A symbol that is longer than a field is cut, and its hash tells it from others.
begin=$(printf '%0300d' 0 | sed 's/0/x/g')
scoped=_ZN4shop4cartI$(printf '%0100d' 0 | sed 's/0/Li1E/g')E3addEv
# Templates with numbers, addresses, lambdas and packs; names of the library.
cat >symbols <<'END'
_ZN4shop5ArrayILm33EE3getEv shop::Array::get
_ZN4shop5ArrayIiLNS_4kindE12EE3setEv shop::Array::set
_ZN4shop4WasiIXadL_ZNS_3GetEvEEE3SetEv shop::Wasi::Set
_ZN4shop3runIZNS_4mainEvEUliE0_EEvT_ shop::run
_ZN4shop4packIJiDpA10_cDnEEC2Ev shop::pack::pack
_ZNSs6appendEPKcm std::basic_string::append
_ZNSt6vectorIDv16_fSaIS0_EE4sizeEv std::vector::size
END
cat >long.c <<END_OF_C
#define CALLED	__attribute__((noinline, noclone))
#define HIDE(n)	__asm__ volatile ("" : "+r"(n))
CALLED int one(int) __asm__("${begin}_one");
CALLED int one(int n) { HIDE(n); return (n + 1); }
CALLED int two(int) __asm__("${begin}_two");
CALLED int two(int n) { HIDE(n); return (n * 2); }
CALLED int in_shop(int) __asm__("$scoped");
CALLED int in_shop(int n) { HIDE(n); return (n * 3); }
$(while read -r symbol name; do
	echo "CALLED int f${symbol%E*}(int) __asm__(\"$symbol\");"
	echo "CALLED int f${symbol%E*}(int n) { HIDE(n); return (n * 7); }"
done <symbols)
int main(void)
{
	return (one(1) + two(1) + two(2) + in_shop(1) +
$(while read -r symbol name; do echo " f${symbol%E*}(0) +"; done <symbols) 0 != 11);
}
END_OF_C
$CC -O2 -g -w -o long long.c || exit 1
"$TBUFCTL" -q -n 'pid$target:long:xxx*:entry { @[probefunc] = count(); }' \
    -c ./long 2>&1 | rows >shown
expect 'long names' "$(awk '{ print length($1), substr($1, 245, 3), $2 }' shown |
    sort)" '255 ... 1
255 ... 2'
name=$(awk '$2 == 2 { print $1 }' shown)
expect 'a long name as it was printed' "$("$TBUFCTL" -q -n \
    "pid\$target:long:$name:entry { printf(\"%d \", args[0]); }" -c ./long 2>&1 |
    xargs)" '1 2'
expect 'long names of the file' "$("$TBUFCTL" -l --object=long -n \
    'pid:long:xxx*:entry' 2>&1 | awk '/entry/ { print $4 }' | sort)" \
    "$(cut -d ' ' -f 1 shown | sort)"
expect 'a long symbol with a scoped name' "$("$TBUFCTL" -q -n \
    'pid$target:long:shop::cart::add:entry { @[probefunc] = count(); }' -c ./long \
    2>&1 | rows)" 'shop::cart::add 1'
while read -r symbol name; do
	expect "$symbol" "$("$TBUFCTL" -q -n \
	    "pid\$target:long:$name:entry { @[probefunc] = count(); }" \
	    -c ./long 2>&1 | rows)" "$name 1"
done <symbols

report
