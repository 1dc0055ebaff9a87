#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Functions of objects that dlopen(3) loads are armed before the objects'
# constructors run, also while threads run, and removed when they are unloaded.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >module.c <<'EOF'
#include <stdlib.h>
#include <sys/sdt.h>
#define APART	__attribute__((noinline, noclone))
int module_work(int), module_alone(int);
static APART int
begin(void)
{
	int n = getenv("NONE") == NULL ? 3 : 4;

	DTRACE_PROBE(module, begin);
	return (getenv("NONE") == NULL ? n + 3 : n);
}
static APART int end(void) { return (getenv("NONE") == NULL ? 5 : 6); }
static void __attribute__((constructor)) start(void) { (void)begin(); }
static void __attribute__((destructor)) stop(void) { (void)end(); }
APART int module_alone(int n) { return (n * 7 + 1); }
int
module_work(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += module_alone(i);
	return (sum);
}
EOF
compile() {
	$CC -std=gnu89 -O2 -w -I"$top/libtbuf/include/tbuf" \
	    -I"$top/libtbuf/include" "$@" || exit 1
}
compile -shared -fPIC -o one.so module.c
compile -shared -fPIC -o packed.so module.c -Wl,-z,pack-relative-relocs 2>err
cp one.so two.so
$CC -std=gnu11 -D_GNU_SOURCE -O2 -w -o opener \
    "$top/tests/providers/pid/opener.c" -ldl -lpthread || exit 1
printf '%s\n' 'int absent(void); int use(void) { return (absent()); }' >bad.c
compile -shared -fPIC -o undefined.so bad.c
printf '%s\n' 'int above(int n) { return (n + 3); }' >above.c
compile -shared -fPIC -o above.so above.c -Wl,--no-as-needed ./one.so \
    -Wl,-rpath,.
# A library with as many functions as there are stubs that are freed one by one.
awk 'BEGIN { for (i = 0; i < 1500; i++)
	printf("int f%d(int n) { return (n * %d + 1); }\n", i, i + 2)
	print "int module_work(int n) { return (f7(n)); }" }' >large.c
compile -O1 -shared -fPIC -o large.so large.c

count() {
	what=$1
	shift
	"$TBUFCTL" -q "$@" -n 'pid$target:'"$what"'::entry,
	    pid$target:'"$what"'::return { @[probefunc, probename] = count(); }' \
	    -c "./opener $arguments" 2>err | tr -s ' ' | sed 's/^ //; /^$/d' |
	    LC_ALL=C sort
	cat err
}
# counted LOADED WORKED [LINE]: prints the expected counts, and a line.
counted() {
	for name in entry return; do
		printf "%s $name %d\n" begin "$1" end "$1" start "$1" \
		    stop "$1" module_alone $(($2 * 100)) module_work "$2"
	done >counted
	{ cat counted; printf '%s' "${3:+$3
}"; } | LC_ALL=C sort
}
arguments='./one.so 1'
expect 'loaded once' "$(count one.so)" "$(counted 1 1)"
expect 'by a part of its name' "$(count one)" "$(counted 1 1)"
expect 'in a ring' "$(count one -x bufpolicy=ring)" "$(counted 1 1)"
expect 'followed' "$(count one --follow)" "$(counted 1 1)"
expect 'with the provider usdt' "$(count one -x usdt)" "$(counted 1 1)"
arguments='./one.so 20'
expect 'and again' "$(count one.so)" "$(counted 20 20 'no more')"
arguments='./packed.so 3'
expect 'short relocations' "$(count packed)" "$(counted 3 3 'no more')"
arguments=elsewhere
expect 'elsewhere' "$(count one)" "$(counted 2 2 elsewhere)"
arguments=loaded
expect 'loaded already' "$(count one)" "$(counted 1 1)"
arguments=threads
expect 'by two threads' "$(count '[ot][nw]?')" "$(counted 40 40)"
arguments=vain
expect 'in vain' "$(count '[ou]*.so')" "$(counted 1 1 undefined)"
arguments='./above.so 1'
expect 'a library that another one needs' "$(count one)" "$(counted 1 1)"
arguments='./large.so 9'
expect 'many functions' "$(count large | grep more)" 'no more'

# An auditor is in a name space, too, and the linker calls it at any time.
printf '%s\n' 'unsigned audit(unsigned n) { return (n); }' \
    'unsigned la_version(unsigned n) { return (audit(n)); }' >auditor.c
compile -shared -fPIC -o auditor.so auditor.c
expect 'an auditor' "$(LD_AUDIT=./auditor.so TBUF_PID_LIST=list \
    TBUF_PID='pid*:auditor::,pid*:one:start:' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./opener apart
    sed 's/pid[0-9]*/pidN/' list | LC_ALL=C sort | uniq -c | tr -s ' ')" \
    ' 1 pidN:auditor: not armed: it is an auditor of the dynamic linker
 3 pidN:one:start:entry: armed
 3 pidN:one:start:return: armed'
rm -f list
arguments=apart
expect 'in other name spaces' "$(count one)" "$(counted 3 3)"
expect 'after these' "$(count two)" "$(counted 1 1)"

# Children have the probes of their parent, and those that they load.
child() {
	"$TBUFCTL" -q "$@" -n 'pid*::module_work:entry
	    { @[probemod, pid == $target ? "parent" : "child"] = count(); }' \
	    -c './opener child' 2>&1 | tr -s ' ' | sed 's/^ //; /^$/d' |
	    LC_ALL=C sort
}
expect 'in a child, followed' "$(child --follow)" 'one.so child 1
one.so parent 1
two.so child 1
two.so parent 1'
expect 'in a child' "$(child)" 'one.so parent 1
two.so parent 1'

# USDT sites of such objects fire as well.
for order in usdt:pid pid:usdt; do
	preload=$TBUF_PROVIDERS/libtbuf-${order%:*}.so:$TBUF_PROVIDERS/libtbuf-${order#*:}.so
	expect "what is armed: $order" "$(TBUF_PID='pid*:one:begin:' \
	    TBUF_PID_LIST=pids TBUF_USDT_LIST=sites LD_PRELOAD=$preload \
	    ./opener ./one.so 1; sed 's/pid[0-9]*/pidN/; s/ at 0x[0-9a-f]*//' \
	    pids sites | grep :one | LC_ALL=C sort)" \
	    'module:one.so:begin:begin: armed
pidN:one:begin:entry: armed
pidN:one:begin:return: armed'
	rm -f pids sites
done
expect 'sites and functions' "$("$TBUFCTL" -q -Z -x usdt \
    -n 'module:::begin, pid$target:one:begin: { @[probename] = count(); }' \
    -c './opener ./one.so 3' 2>&1 | tr -s ' ' | grep ' [0-9]' |
    LC_ALL=C sort)" ' begin 3
 entry 3
 return 3'

expect 'without clauses' "$("$TBUFCTL" -q -F -n 'pid$target:one::' \
    -c './opener ./one.so 1' 2>&1 | grep -c '[-<][->] \(start\|module_work\) ')" 4
expect 'in JSON' "$("$TBUFCTL" -q --format=json -n 'pid$target:one:start:' \
    -c './opener ./one.so 1' | grep -c '"function":"start"')" 2

# A process that was started with the provider, before it loads anything.  Its
# objects are known while it has them: it waits until its stack is printed.
mkfifo go
exec 3<>go
TBUF_PID='pid*:one:module_work:entry' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./opener asked <go &
expect 'a process that runs' "$("$TBUFCTL" -q -Z -w \
    -n 'BEGIN { system("echo >go"); }
    pid*:one:module_work:entry { ustack(); system("echo >go"); }' -p $! 2>&1 |
    sed -n 's/^ *\([a-z.]*`[a-z_]*\).*/\1/p' | head -n 2)" 'one.so`module_work
opener`work'
exec 3>&-

# A module that never comes is told at the end, and is no error before.
"$TBUFCTL" -q -n 'pid$target:absent.so::entry { trace(1); }' \
    -c './opener ./one.so 3' >out 2>err
expect 'it never comes' "$? $(grep -c '^no more$' out) $(sed -n \
    's/.*pid[0-9]*\(:absent.*\)/\1/p' err)" \
    '1 1 :absent.so::entry does not match any probes
:absent.so::entry: absent: no module of this name is loaded when main() begins'
# After the program has put a filter on its calls, its code is not changed.
$CC -std=gnu11 -O2 -w -o filtered \
    "$top/tests/providers/usdt/programs/opener.c" -ldl -lpthread || exit 1
cp one.so module.so
./filtered 1 filtered
[ $? -eq 77 ] || expect 'a filter' "$(TBUF_PID='pid*:module::' \
    TBUF_PID_LIST=list LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so \
    ./filtered 3 filtered; echo $?; cat list)" 0
rm -f list

# Where only the program is traced, loading is as it was.
expect 'the program alone' "$(TBUF_PID='pid*:a.out:main:' TBUF_PID_LIST=list \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./opener ./one.so 1
    sed 's/pid[0-9]*/pidN/' list)" 'pidN:a.out:main:entry: armed
pidN:a.out:main:return: armed'

report
