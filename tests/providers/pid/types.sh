#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Arguments of functions have the names and types of the program's debug
# information, wherever that is; without it they are the words of a call.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >serve.c <<'END_OF_C'
#include <stdbool.h>
#include <unistd.h>

struct request { const char *key; unsigned bytes; const char *path; };
struct pair { long a, b; };
struct large { long a[5]; };
struct mixed { double d; long n; };
enum color { RED, GREEN = 5 };

#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#define API	__attribute__((noinline, noipa))

API int request_serve(struct request *r, int flags)
{ KEEP; return ((int)r->bytes + flags); }
API int narrow(signed char c, unsigned char u, short s, bool b, enum color e,
    int n)
{ KEEP; return (c + u + s + b + (int)e + n); }
API double mixed(double x, int first, float y, long second)
{ KEEP; return (x * first + y * second); }
API long by_value(struct pair p, struct large l, struct mixed m, long last)
{ KEEP; return (p.a + p.b + l.a[4] + (long)m.d + m.n + last); }
API struct large big(int n)
{ struct large l = { { n } }; KEEP; return (l); }
API long stacked(int a, int b, int c, int d, int e, int f, short seven,
    char eight, long double ten, int late)
{ KEEP; return (a + b + c + d + e + f + seven + eight + (long)ten + late); }
API short get_short(int n) { KEEP; return ((short)n); }
API struct request *get_request(struct request *r) { KEEP; return (r); }
long other_name(struct pair *p, int n) __attribute__((alias("one_name")));
API long one_name(struct pair *p, int n) { KEEP; return (p->b + n); }
API void nothing(void) { KEEP; }
API int various(const char *format, ...) { KEEP; return (format[0]); }
/* Compilers make a copy of such a function for its callers. */
static __attribute__((noinline)) int copied(struct pair *p, int unused, int n)
{ KEEP; return ((int)p->a + n); }

int main(int argc, char **argv)
{
	struct request small = { "small", 10, "/s" };
	struct request large = { "large", 5000, "/l" };
	struct pair p = { 1, 2 };
	struct large l = { { 1, 2, 3, 4, 5 } };
	struct mixed m = { 1.0, 7 };
	long sum = 0;
	int i;

	(void)argv;
	if (argc > 1)
		(void)!write(STDOUT_FILENO, "\n", 1);
	for (i = 0; argc > 1; i--) {
		(void)request_serve(&large, i);
		(void)usleep(1000);
	}
	for (i = 0; i < 3; i++) {
		sum += request_serve(&small, -1);
		sum += request_serve(&large, 2);
		sum += copied(&p, i, 100 + i);
	}
	sum += narrow(-2, 250, -3, true, GREEN, -5);
	sum += (long)mixed(1.5, -8, 2.5f, 9);
	sum += by_value(p, l, m, 42);
	sum += big(77).a[0];
	sum += stacked(1, 2, 3, 4, 5, -6, -7, 'x', 1.0L, -9);
	sum += get_short(-4);
	sum += get_request(&large)->bytes;
	nothing();
	sum += other_name(&p, -1);
	sum += various("%d", 5, 6);
	return (sum == 0);
}
END_OF_C

# trace PROGRAM D...: what is printed, without blanks at the ends.  It is in the
# order of time, as the program may move to another processor.
trace() {
	program=$1
	shift
	"$TBUFCTL" -q -x temporal -n "$@" -c "./$program" 2>&1 |
	    sed 's/^ *//; s/ *$//; /^$/d'
}
# The last line of the compiler's error, and other lines that say more.
refused() {
	trace "$@" | sed 's/^tbufctl: //; s/pid[0-9][0-9]*:/pidN:/g
	    s/invalid probe specifier.*: in action list: //'
}
big='large 3'
for build in 'gcc -O0 -g' 'gcc -O2 -g' 'gcc -O2 -g -gdwarf-4' \
    'gcc -O2 -g -fno-pie -no-pie' 'clang -O0 -g' 'clang -O2 -g'; do
	command -v "${build%% *}" >/dev/null || continue
	$build -w -o serve serve.c || exit 1
	expect "a member of an argument: $build" "$(trace serve \
	    'pid$target::request_serve:entry /r->bytes > 4096/
	    { @[stringof(r->key)] = count(); }' | tr -s ' ')" "$big"
	expect "arguments by number: $build" "$(trace serve \
	    'pid$target:a.out:request_serve:entry /args[1] < 0 && arg1 < 0/
	    { printf("%s %d\n", stringof(args[0]->path), flags); }' |
	    LC_ALL=C sort -u)" '/s -1'
	expect "narrow types: $build" "$(trace serve \
	    'pid$target::narrow:entry')" 'c=-2 u=250 s=-3 b=true e=5 n=-5'
	expect "floating point, and structures: $build" "$(trace serve \
	    'pid$target::mixed:entry,pid$target::by_value:entry')" \
	    'first=-8 second=9 x=1.5 y=2.5
arg0=1 arg1=2 arg2=7 last=42 arg4=1'
	expect "a structure is returned: $build" "$(trace serve \
	    'pid$target::big:entry { trace(n); }')" 77
	expect "on the stack: $build" "$(trace serve \
	    'pid$target::stacked:entry')" \
	    'a=1 b=2 c=3 d=4 e=5 f=-6 seven=-7 eight=120'
	expect "returned values: $build" "$(trace serve \
	    'pid$target::get_short:return { printf("%d %d\n", arg1, args[1]); }
	    pid$target::get_request:return
	    { printf("%d\n", args[1]->bytes); }')" '-4 -4
5000'
	expect "an alias: $build" "$(trace serve \
	    'pid$target::other_name:entry { printf("%d %d\n", p->b, n); }')" \
	    '2 -1'
	expect "no arguments: $build" "$(trace serve \
	    'pid$target::nothing:entry { trace(probefunc); }')" nothing
	expect "variable arguments: $build" "$(trace serve \
	    'pid$target::various:entry
	    { printf("%s %d\n", stringof(format), arg2); }')" '%d 6'
	# No parameter of a copy has a wrong value.
	expect "a copy: $build" "$(trace serve 'pid$target:a.out:copied*:entry' |
	    tr ' ' '\n' | grep '^n=' | sed 's/n=10[012]$/right/' |
	    LC_ALL=C sort -u | grep -v right)" ''
done

# Calls that are not as the parameters' types say.
cat >calls.c <<'END_OF_C'
typedef double one_number __attribute__((vector_size(8)));
struct pair { long a, b; };
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#define API	__attribute__((noinline)) NOIPA
API double old(x, n) float x; int n; { KEEP; return (x * n); }
API long two(struct pair p, long n) { KEEP; return (p.b + n); }
API double vector(one_number v, double d) { KEEP; return (v[0] + d); }
struct extended { long double only; };
API struct extended extended(int n)
{ struct extended e = { n }; KEEP; return (e); }
struct three { long n; char c; };
API long atomic(int a, int b, int c, int d, _Atomic int e, struct three t,
    int f)
{ KEEP; __asm__ volatile("" : : "r" ((long)t.c), "r" (f)); return (f); }
API __attribute__((ms_abi)) long other(long a, double b, int c)
{ KEEP; __asm__ volatile("" : : "r" (a), "x" (b), "r" (c)); return (a); }
static __attribute__((noinline)) long fixed(long a, long b)
{ long both = a + b; __asm__ volatile("nop; nop; nop; nop; nop" : "+r" (both),
    "+r" (b)); return (both + b); }
static __attribute__((noinline)) int unused(struct pair *p, int n)
{ __asm__ volatile("nop; nop; nop; nop; nop" : : "r" (p->a), "r" (n));
  return (n + 1); }
int main(int argc, char **argv)
{
	double (*volatile caller)() = old;
	struct pair p = { argc, 2 };
	long i, sum = 0;

	(void)unused(&p, argc);
	(void)other(22, 2.5, 23);
	(void)extended(24);
	(void)atomic(1, 2, 3, 4, 5, (struct three){ 6, 7 }, 8);
	for (i = 0; i < 2; i++)
		sum += fixed(i, 0x7654321L);
	return (caller(2.5f, 3) + two(p, 42) + vector((one_number){ 1.5 },
	    4.5) + sum == 0);
}
END_OF_C
for build in 'gcc -O0' 'gcc -O2' 'gcc -O0 -gdwarf-2' 'clang -O0' \
    'clang -O2'; do
	command -v "${build%% *}" >/dev/null || continue
	noipa=
	[ "${build%% *}" = gcc ] && noipa='__attribute__((noipa))'
	$build -g -w "-DNOIPA=$noipa" -o calls calls.c ||
		exit 1
	expect "no prototype: $build" "$(trace calls \
	    'pid$target:a.out:old:entry')" 'n=3 x=2.5'
	expect "members of DWARF 2: $build" "$(trace calls \
	    'pid$target:a.out:two:entry { printf("%d %d", p.b, n); }')" '2 42'
	expect "a vector of one number: $build" "$(trace calls \
	    'pid$target:a.out:vector:entry' | tr ' ' '\n' | grep '^d=' |
	    grep -v '^d=4.5$')" ''
	expect "a constant: $build" "$(trace calls \
	    'pid$target:a.out:fixed*:entry' | tr ' ' '\n' | grep '^b=' |
	    grep -v '^b=124076833$')" ''
	expect "a result of 80 bits: $build" "$(trace calls \
	    'pid$target:a.out:extended:entry { trace(n); }')" 24
	expect "after an atomic one: $build" "$(trace calls \
	    'pid$target:a.out:atomic:entry' | tr ' ' '\n' | grep '^f=' |
	    grep -v '^f=8$')" ''
	expect "another ABI: $build" "$(trace calls \
	    'pid$target:a.out:other:entry' | tr ' ' '\n' |
	    grep -v '^arg\|^a=22$\|^b=2.5$\|^c=23$')" ''
	[ "$build" = 'gcc -O2' ] || continue
	# The copy returns no value.
	expect 'a result that is not used' "$("$TBUFCTL" -lv -c ./calls \
	    -n 'pid$target:a.out:unused*isra*:return' | grep -c 'arg1 int64_t')" 1
done
gcc -O2 -g -w -o serve serve.c || exit 1
expect 'names and types in lists' "$("$TBUFCTL" -lv \
    -f 'pid$target:a.out:narrow' -c ./serve | grep '	')" "$(printf '\t%s\n' \
    'c int8_t' 'u uint8_t' 's int16_t' 'b bool' 'e uint32_t' 'n int32_t' \
    'arg0 uint64_t' 'arg1 int32_t')"
expect 'in lists of a file' "$("$TBUFCTL" -lv --object=serve \
    -f 'pid:a.out:narrow' | grep '	')" "$(printf '\t%s\n' \
    'c int8_t' 'u uint8_t' 's int16_t' 'b bool' 'e uint32_t' 'n int32_t' \
    'arg0 uint64_t' 'arg1 int32_t')"
expect 'in lists of a file in JSON' "$("$TBUFCTL" -l --format=json \
    --object=serve -n 'pid:a.out:request_serve:entry' |
    grep -c '"flags"')" 1
expect 'in JSON' "$("$TBUFCTL" -q --format=json \
    -n 'pid$target::narrow:entry' -c ./serve | sed -n 's/.*"args"://p')" \
    '{"c":-2,"u":250,"s":-3,"b":true,"e":5,"n":-5}}'

# Mistakes are found before the run.
serve='pid$target::request_serve:entry'
expect 'no such member' "$(refused serve "$serve { trace(r->byte); }")" \
    "byte is not a member of struct request
did you mean 'bytes'?"
expect 'no such parameter' "$(refused serve "$serve { trace(flag); }")" \
    "failed to resolve flag: Unknown variable name
did you mean 'flags'?
arguments of pidN::request_serve:entry: r (arg0), flags (arg1)"
expect 'no such argument' "$(refused serve "$serve { trace(args[2]); }" |
    sed 's/.*: index/index/')" \
    'index 2 is out of range for pidN::request_serve:entry args[ ]
arguments of pidN::request_serve:entry: r (arg0), flags (arg1)'
lack() {
	refused serve "pid\$target::$1:entry { trace($2); }" |
	    sed -n "s/^parameter $2 of $1 is no argument: //p"
}
expect 'a structure on the stack' "$(lack by_value l)" \
    'it is a structure that is passed by value'
expect 'a structure in registers' "$(lack by_value p)" \
    'it is a structure that is passed by value; its members may be read'
expect 'too far' "$(lack stacked late)" \
    'it is not among the first ten words of the call'

# What was recorded has its names.
expect 'a recording' "$("$TBUFCTL" -q --record=recording -n "$serve" \
    -c ./serve >/dev/null 2>&1; "$TBUFCTL" -q --read=recording \
    -n 'pid*::request_serve:entry /flags == 2/ { @ = count(); }' 2>&1 |
    tr -d ' \n')" 3
expect 'its mistakes' "$("$TBUFCTL" -q --read=recording \
    -n 'pid*::request_serve:entry { trace(flag); }' 2>&1 |
    grep -c "did you mean 'flags'")" 1
expect 'children, followed' "$("$TBUFCTL" -q --follow \
    -n 'pid*:a.out:request_serve:entry /r->bytes > 4096/
    { @[stringof(r->key)] = count(); }' -c './serve' 2>&1 | tr -s ' ' |
    sed 's/^ //; /^$/d')" "$big"

# Of a process that was started with the provider by hand, tbufctl reads the
# parameters while it compiles the program.
mkfifo ready
TBUF_PID='pid*:a.out:request_serve:' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./serve loop >ready &
loop=$!
read -r _ <ready
attach() {
	"$TBUFCTL" -q -n "$1" -p "$loop" 2>&1 | sed 's/^ *//; s/ *$//; /^$/d'
}
expect 'a process: a name' "$(attach 'pid*:::entry
    { trace(flags < 0); exit(0); }')" 1
expect 'a process: a member' "$(attach 'pid*:::entry /r->bytes == 5000/
    { trace(stringof(args[0]->path)); exit(0); }')" /l
expect 'a process: other names' "$(attach 'pid$target:serve:request_*:entry
    /r->bytes == 5000/ { trace(stringof(args[0]->path)); exit(0); }')" /l
expect 'a process: by number' "$(attach 'pid*:::entry
    { trace(args[1] < 0 && args[1] > -1000000); exit(0); }')" 1
expect 'a process: a returned value' "$(attach 'pid*:::return
    { trace(args[1] < 5000); exit(0); }')" 1
expect 'a process: operators' "$(attach 'pid*:::entry /(*r).bytes == 5000 &&
    r[0].bytes == -(-5000) && ~flags == -flags - 1 && !!flags &&
    sizeof(*r) > sizeof(r)/ { trace(stringof(r->path)); exit(0); }')" /l
expect 'a process: names of arrays' "$(attach 'pid*:::entry
    { flags[1] = 7; r[2] = 3; printf("%d %d", flags[1], r[2]); exit(0); }')" \
    '7 3'
expect 'a process: no such member' "$(attach 'pid*:::entry
    { trace(r->byte); }' | tail -n 1)" "tbufctl: did you mean 'bytes'?"
expect 'a process: no such name' "$(attach 'pid*:::entry { trace(fl); }' |
    grep -c 'failed to resolve fl')" 1
kill $loop

# Debug information in a file of its own, and none.
cp serve apart
objcopy --only-keep-debug serve apart.debug &&
    strip -g apart && objcopy --add-gnu-debuglink=apart.debug apart || exit 1
expect 'a debug file' "$(trace apart 'pid$target::narrow:entry')" \
    'c=-2 u=250 s=-3 b=true e=5 n=-5'
strip -g -o plain serve
expect 'no debug information' "$(trace plain \
    'pid$target::request_serve:entry /arg1 == 2/ { @ = count(); }')" 3
expect 'all words' "$(trace plain 'pid$target::request_serve:entry' |
    sed -n '1s/=[^ ]*//gp')" 'arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9'

# Libraries are those that the dynamic linker finds: a newer run path comes after
# the paths of the environment, an older one before.
mkdir first second
echo 'int find(int first) { return (first * 3 + 1); }' >find.c
echo 'int find(int); int main(void) { return (find(2) != 7); }' >finder.c
$CC -g -O1 -w -fPIC -shared -o first/libfind.so find.c || exit 1
sed 's/first/second/g' find.c >other.c
$CC -g -O1 -w -fPIC -shared -o second/libfind.so other.c || exit 1
for tags in disable enable; do
	$CC -w -o finder finder.c -Lfirst -lfind \
	    "-Wl,--$tags-new-dtags,-rpath,\$ORIGIN/first" || exit 1
	expect "a run path, $tags" "$(LD_LIBRARY_PATH=second trace finder \
	    'pid$target:libfind:find:entry' | sed 's/=.*//')" \
	    "$([ $tags = enable ] && echo second || echo first)"
done

# A function of which one return has a byte, and whatever follows stays.
# Functions with parameters of one name, which point to several types.
cat >types.h <<'END_OF_C'
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#define API	__attribute__((noinline, noipa))
struct later;
struct item { int n; struct item *next; struct later *later; };
static API int same(const struct item *p) { KEEP; return (p->n); }
END_OF_C
cat >near.c <<'END_OF_C'
#include "types.h"
struct later { int n; };
struct box { int n, x; };
static API int twice(struct box *p) { KEEP; return (p->x); }
API struct box *first(struct box *p) { KEEP; return (p); }
int far(void);
int main(void)
{
	struct item i = { 1 };
	struct box b = { 2, 3 };

	return (same(&i) + twice(&b) + first(&b)->x + far() == 0);
}
END_OF_C
cat >far.c <<'END_OF_C'
#include "types.h"
struct box { long x; int n; };
static API int twice(struct box *p) { KEEP; return (p->n); }
API struct box *second(struct box *p) { KEEP; return (p); }
int far(void)
{
	struct item i = { 4 };
	struct box b = { 5, 6 };

	return (same(&i) + twice(&b) + second(&b)->n);
}
END_OF_C
gcc -O1 -g -w -o near near.c far.c || exit 1
expect 'one type of two files' "$(trace near 'pid$target:a.out:same:entry
    { printf("%d\n", p->n); }')" '1
4'
points='points to different types in'
for value in 'p->n' 'args[0]->n' '(*p).n'; do
	name=${value%->n}
	[ "$name" != "$value" ] || name=p
	expect "two types: $value" "$(refused near "pid\$target:a.out:twice:entry
	    { trace($value); }" | sed 1d)" \
	    "argument $name $points functions of the name twice: cast it"
	for functions in '[fs]*[td]' 'first:entry,pid$target:a.out:second'; do
		expect "in two functions: $value" "$(refused near \
		    "pid\$target:a.out:$functions:entry { trace($value); }" |
		    sed "1d; s/second and first/first and second/")" \
		    "argument $name $points first and second: describe one of \
them, or cast the argument"
	done
done
expect 'in values returned' "$(refused near 'pid$target:a.out:[fs]*[td]:return
    { trace(args[1]->n); }' | grep -c "args.1. $points")" 1
expect 'a cast' "$(trace near 'pid$target:a.out:twice:entry
    { printf("%d\n", *(int *)p); }')" '2
5'
# A linker that compiles both files changes calls of functions that DWARF calls
# external.
cat >callee.c <<'END_OF_C'
__attribute__((noinline)) long linked(long x, long y, long z)
{ __asm__ volatile("nop; nop; nop; nop; nop" : : "r" (y), "r" (z));
  return (0); }
END_OF_C
cat >caller.c <<'END_OF_C'
long linked(long x, long y, long z);
int main(int argc, char **argv)
{ return (linked(31, argc + 6, argc + 1000) != 0); }
END_OF_C
for build in 'gcc -O2 -flto' 'clang -O2 -flto'; do
	# clang needs a linker that not every machine has.
	$build -g -w -o whole callee.c caller.c 2>/dev/null || continue
	expect "the linker compiles: $build" "$(trace whole \
	    'pid$target:a.out:linked*:entry' | tr ' ' '\n' |
	    grep -v '^x=31$\|^arg' | paste -sd ' ')" 'y=7 z=1001'
done
# Free Pascal has one place of a parameter for all of the function, and passes
# addresses of variables without a type that says so.
if command -v fpc >/dev/null; then
	cat >moving.pas <<'END_OF_PAS'
program moving; uses initc;
function moving(a: longint; b: int64; c: byte; var v: longint): longint;
begin writeln(a, b, c, v); moving := a + c; end;
var v: longint;
begin v := 5; v := moving(3, 40, 200, v); end.
END_OF_PAS
	for level in - 2; do
		fpc -g -gw3 "-O$level" -k-lc -omoving moving.pas \
		    >/dev/null 2>&1 || continue
		expect "Pascal: -O$level" "$(trace moving \
		    'pid$target:a.out:*MOVING*LONGINT*:entry' |
		    tr ' ' '\n' | sed -n '/^[a-z]*=/p' |
		    grep -v '^a=3$\|^b=40$\|^c=200$')" ''
	done
fi
cat >part.c <<'END_OF_C'
int part(int n);
__asm__(".text\n.globl part\n.type part, @function\npart:\n .cfi_startproc\n"
    " test %edi, %edi\n js 1f\n mov $7, %eax\n add $0, %eax\n ret\n"
    "1: mov $9, %eax\n jmp 2f\n mov $0, %eax\n 2: ret\n"
    " .cfi_endproc\n .size part, . - part\n .fill 16, 1, 0\n");
int main(void)
{
	int i, s = 0;

	for (i = -3; i < 4; i++)
		s += part(i);
	return (s == 0);
}
END_OF_C
gcc -O1 -w -o part part.c || exit 1
part='pid$target:a.out:part:return { @[arg1] = count(); }'
expect 'some returns are not traced' "$(refused part "$part" | sed 1q)" \
    'pidN:a.out:part:return: not armed: 1 of 2 returns cannot be armed: it is too short'
expect 'some returns, if wanted' "$(refused part "$part" -x pid=partial |
    tr -s ' ' | LC_ALL=C sort)" '7 4
pidN:a.out:part:return: armed in part: 1 of 2 returns cannot be armed: it is too short'
expect 'a part in lists' "$(for x in partial ''; do
	"$TBUFCTL" ${x:+-x pid=$x} -l --object=part -f pid::part 2>&1 |
	    grep -c 'return$'
done | paste -sd' ')" '1 0'
expect 'another word' "$("$TBUFCTL" -x pid=some -n "$part" -c ./part 2>&1 |
    sed 1q)" "tbufctl: failed to set -x pid: Invalid value for specified option: 'some' is not partial or loops"
expect 'of a command' "$("$TBUFCTL" -x pid=partial -n "$part" 2>&1 |
    sed 1q)" 'tbufctl: -x pid needs -c'

cat >method.cc <<'END_OF_C'
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
struct owner { ~owner() {} long id; };
namespace shop {
struct cart {
	long total;
	__attribute__((noinline)) long add(int price, const long &tax)
	{ KEEP; return (total += price + tax); }
};
__attribute__((noinline)) long take(owner o, int n) { KEEP; return (o.id + n); }
}
int main()
{
	shop::cart c = { 5 };
	owner o = { .id = 3 };
	long tax = 2;

	return (c.add(-3, tax) + shop::take(o, -1) == 0);
}
END_OF_C
g++ -std=c++20 -O1 -g -w -o method method.cc || exit 1
expect 'a method' "$(trace method 'pid$target:a.out:*cart*add*:entry
    { printf("%d %d %d\n", ((struct cart *)arg0)->total, price,
    *(long *)arg2); }' | tail -n 1)" '5 -3 2'
expect 'an object that is no plain data' "$(trace method \
    'pid$target:a.out:*take*:entry { trace(n); }')" -1
# A class that is copied by code is passed, and returned, by an address, which
# only clang's debug information says.
cat >copied.cc <<'END_OF_C'
#include <memory>
#include <string>
#include <tuple>
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
struct own_end { ~own_end() {} long a, b; };
struct own_copy { own_copy() {} own_copy(const own_copy &) {} long a, b; };
struct own_move { own_move() {} own_move(own_move &&) {} long a, b; };
struct alone { alone() = default; alone(const alone &) = delete; long a; };
struct alignas(16) aligned { ~aligned() {} long a, b; };
struct dynamic { virtual int f() { return (1); } };
struct holds { long n; own_end e[1]; };
struct derived : own_copy { };
struct later { later() {} later(const later &); ~later(); long a; };
later::later(const later &) = default;
later::~later() = default;
struct usual { usual() = default; usual(const usual &) = default;
    ~usual() = default; usual &operator=(const usual &) { return (*this); }
    long a, b; };
struct other { template <class T> other(const T &) {} other() {}
    other(const other &, int) {} other(own_end &) {} long a; };
typedef std::unique_ptr<int> unique;
typedef std::pair<int, std::shared_ptr<int>> shared;
typedef std::tuple<int, int> tuple;
typedef std::pair<int, int> numbers;
#define ALL	X(own_end) X(own_copy) X(own_move) X(alone) X(aligned)	\
    X(dynamic) X(holds) X(derived) X(later) X(usual) X(other)		\
    X(unique) X(shared) X(tuple) X(numbers)
#define X(type)								\
__attribute__((noinline)) static int take_##type(type one, int n)	\
{ KEEP; return (n); }							\
__attribute__((noinline)) static type give_##type(int n)		\
{ KEEP; return type(); }
ALL
#undef X
int main()
{
#define X(type)	take_##type(give_##type(-5), -5);
	ALL
}
END_OF_C
for build in 'g++ -O0' 'g++ -O0 -gdwarf-4' 'clang++ -O0'; do
	command -v "${build%% *}" >/dev/null || continue
	$build -std=c++17 -g -w -o copied copied.cc || exit 1
	expect "classes that are copied by code: $build" "$(trace copied \
	    'pid$target:a.out:take_*:entry, pid$target:a.out:give_*:entry
	    /n != -5/ { trace(probefunc); } END { trace("all"); }')" all
done
# clang leaves unused objects out, which symbols have.
cat >packs.cc <<'END_OF_C'
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
struct own { own() {} ~own() {} long a; int m; int f() { return (m); } };
#define API	__attribute__((noinline))
template <class... T> API int pack(T... all, int last) { KEEP; return (last); }
template int pack<int, long>(int, long, int);
API int members(int own::*data, int (own::*call)(), int n)
{ KEEP; __asm__ volatile("" : : "r" (data)); return (n); }
API own lacking(const char *text, int first, own unused, int n)
{ KEEP; __asm__ volatile("" : : "r" (text), "r" (first), "r" (n));
  return (own()); }
namespace n { template <class T> API own chosen(T n, own unused, long last)
{ KEEP; __asm__ volatile("" : : "r" (n), "r" (last)); return (own()); } }
int main()
{
	int (*volatile call)(int, long, int) = pack<int, long>;

	lacking("t", 5, own(), 6);
	n::chosen<int>(7, own(), 8);
	return (call(1, 2, 3) + members(&own::m, &own::f, 4) == 0);
}
END_OF_C
for build in 'g++ -O0' 'g++ -O1' 'clang++ -O0' 'clang++ -O1'; do
	command -v "${build%% *}" >/dev/null || continue
	$build -g -w -o packs packs.cc || exit 1
	expect "a pack: $build" "$(trace packs \
	    'pid$target:a.out:*pack*:entry { trace(last); }')" 3
	expect "pointers to members: $build" "$(trace packs \
	    'pid$target:a.out:members:entry { printf("%d %d", data, n); }')" \
	    '8 4'
	expect "before an object: $build" "$(trace packs \
	    'pid$target:a.out:lacking:entry { printf("%s %d", stringof(text),
	    first); }')" 't 5'
	for last in 'lacking { trace(n); }' 'n::chosen { trace(last); }'; do
		expect "after an object: $build: $last" "$(refused packs \
		    "pid\$target:a.out:${last%% *}:entry ${last#* }" |
		    sed '/^[68]$/d; /^arguments of/d; /^failed/d
		    /is no argument: the debug information lacks/d')" ''
	done
done
# The name of such a parameter is a pointer, as that of a reference is; so is
# the value returned in memory.
cat >objects.cc <<'END_OF_C'
#include <string>
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
struct item { int n; std::string s; };
struct large { long v[5]; };
__attribute__((noinline)) long take(int i, item one, std::string name,
    int n)
{ KEEP; return (i + one.n + (long)name.size() + n); }
__attribute__((noinline)) long last(int a, int b, int c, int d, int e,
    int f, int g, std::string on_stack, int n)
{ KEEP; return (a + b + c + d + e + f + g + (long)on_stack.size() + n); }
__attribute__((noinline)) static long only(int i, item one,
    std::string name, int n)
{ KEEP; return (i + one.n + (long)name.size() + n); }
__attribute__((noinline)) static std::string text(int n)
{ KEEP; return (std::string((size_t)n, 'x')); }
__attribute__((noinline)) large bytes(int n)
{ KEEP; return { { n, 2, 3, 4, 5 } }; }
int main()
{
	take(1, { 2, "inside" }, "more than fifteen bytes", 3);
	last(1, 2, 3, 4, 5, 6, 7, "stack", 9);
	long (*volatile any)(int, item, std::string, int) = only;

	any(1, { 7, "static" }, "name", 2);
	text(4);
	bytes(8);
}
END_OF_C
for build in 'g++ -O0' 'g++ -O2' 'clang++ -O0' 'clang++ -O2'; do
	command -v "${build%% *}" >/dev/null || continue
	$build -std=c++17 -g -w -o objects objects.cc || exit 1
	expect "objects by address: $build" "$(trace objects '
	    pid$target:a.out:take:entry { printf("%d %d %s %s %d\n", i, one->n,
	        stringof(one->s), stringof(name), n); }
	    pid$target:a.out:last:entry { printf("%s %d %d\n",
	        stringof(on_stack), g, n); }
	    pid$target:a.out:only:entry { printf("%s\n",
	        stringof(one->s)); }
	    pid$target:a.out:text:return { printf("%s\n", stringof(args[1])); }
	    pid$target:a.out:bytes:return { trace(args[1]->v[0]); }')" \
	    '1 2 inside more than fifteen bytes 3
stack 7 9
static
xxxx
8'
done
if command -v clang++ >/dev/null; then
	cat >member.cc <<'END_OF_C'
#include <string>
__attribute__((noinline)) long keep(const std::string &s)
{ return ((long)&s); }
int main() { return (keep(*(std::string *)8) == 0); }
END_OF_C
	clang++ -O0 -g -w -o member member.cc || exit 1
	expect 'a string without members' "$(refused member \
	    'pid$target:a.out:keep:entry { trace(stringof(s)); }' |
	    grep -c ' has no text of it; clang writes all')" 1
fi
expect 'a pointer, not a structure' "$(refused objects \
    'pid$target:a.out:take:entry { trace(one.n); }' |
    grep -c 'struct or union; -> is for pointers$')" 1
add='pid$target:a.out:shop::cart::add'
expect 'a scoped name' "$(trace method "$add:entry { trace(probefunc);
    trace(price); }")" 'shop::cart::add-3'
expect 'a glob of scoped names' "$(trace method 'pid$target:a.out:shop::*:return
    { @[probefunc] = count(); }' | tr -s ' ' | LC_ALL=C sort)" 'shop::cart::add 1
shop::take 1'
expect 'a mistake with a scoped name' "$(refused method \
    "$add:entry { trace(pric); }" | sed -n 2p)" "did you mean 'price'?"
expect 'a member by a scoped name' "$(trace method \
    "$add:entry { trace(((struct cart *)arg0)->total); }")" 5
expect 'a symbol stays one' "$(trace method \
    'pid$target:a.out:_ZN4shop4takeE5owneri:entry { trace(probefunc); }')" \
    _ZN4shop4takeE5owneri
# Members of structures by value, which are in registers; callers leave out a
# word that the function does not read.
cat >parts.c <<'END_OF_C'
struct two { int x, y; };
struct small { char a; short b; unsigned char c; int d; };
struct tail { long n; signed char c; };
struct nested { struct two inner; union { long n; void *p; } u; };
struct odd { unsigned low : 4, high : 4; int n; float f; };
struct moved { double d; long n; };
struct large { long a; int b, c; short s[2]; };
#define API	__attribute__((noinline, noipa))
#define USE(s)	__asm__ volatile("nop; nop; nop; nop; nop" : : "m" (s))
API long parts(struct two t, struct small s, struct nested n)
{ USE(t); USE(s); USE(n); return (t.x + s.d + n.u.n); }
API long rest(struct tail l, struct odd o, struct moved m, struct large g,
    struct nested n, struct tail last)
{ USE(l); return (l.n + o.n + m.n + g.a + n.u.n + last.n); }
int main(void)
{
	struct two t = { -1, 2 };
	struct small s = { 'a', -3, 200, 4 };
	struct tail l = { 5, -6 };
	struct nested n = { { 7, -8 }, { 9 } };
	struct odd o = { 1, 2, -3, 4.5F };
	struct moved m = { 1.5, 6 };
	struct large g = { 10, -11, 12, { 13, 14 } };

	return (parts(t, s, n) + rest(l, o, m, g, n, l) == 0);
}
END_OF_C
ln parts.c parts.cc
for build in 'gcc -O0' 'gcc -O2' 'g++ -O1' 'clang -O0' 'clang -O2'; do
	command -v "${build%% *}" >/dev/null || continue
	case $build in
	g++*) source=parts.cc ;;
	*) source=parts.c ;;
	esac
	$build -g -w -o parts $source || exit 1
	expect "members: $build" "$(trace parts 'pid$target:a.out:*parts*:entry
	    { printf("%d %d %d %d %d %d %d %d %d\n", t.x, t.y, s.a, s.b, s.c,
	    s.d, n.inner.x, n.inner.y, n.u.n); }')" '-1 2 97 -3 200 4 7 -8 9'
	expect "in a predicate: $build" "$(trace parts 'pid$target:a.out:*rest*:entry
	    /l.n == 5/ { trace(l.c); }')" -6
done
for member in o.n o.low m.d m.n g.a g.s t.x l.z last.n g; do
	expect "no member: $member" "$(trace parts \
	    "pid\$target:a.out:*rest*:entry { trace($member); }" |
	    grep -c '^tbufctl: invalid probe specifier')" 1
done
# The text of an object, also through references and pointers.
cat >texts.cc <<'END_OF_C'
#include <string>
#include <string_view>
struct item { int n; std::string name; std::string_view label; };
__attribute__((noipa)) void look(const std::string &near,
    std::string &&far, const std::string_view &view, std::string *pointer,
    const item &i, const std::wstring &wide)
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); }
int main()
{
	std::string near = "near", far(40, 'f');
	item i = { 1, "item", std::string_view("labelled", 5) };

	look(near, std::move(far), std::string_view("viewed text", 6), &near,
	    i, L"wide");
}
END_OF_C
g++ -std=c++17 -O1 -g -w -o texts texts.cc || exit 1
look='pid$target:a.out:*look*:entry'
expect 'strings of C++' "$(trace texts "$look { printf(\"%s %s %s %s %s %s %s\",
    stringof(near), stringof(far), stringof(view), stringof(pointer),
    stringof(*pointer), stringof(i->name), stringof(i->label)); }")" \
    "near $(printf %040d 0 | tr 0 f) viewed near near item label"
expect 'as a key' "$(trace texts "$look { @[stringof(args[2])] = count(); }" |
    tr -s ' ')" 'viewed 1'
for object in wide '*wide' '&*wide'; do
	expect "wide characters: $object" "$(refused texts \
	    "$look { trace(stringof($object)); }" |
	    grep -c 'its characters have more than one byte$')" 1
done
cat >names.cc <<'END_OF_C'
namespace n {
template <typename T> struct box {
	box(); ~box(); int get(T) const; static int made(const T &);
};
template <typename T> __attribute__((noinline)) box<T>::box()
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); }
template <typename T> __attribute__((noinline)) box<T>::~box()
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); }
template <typename T> __attribute__((noinline)) int box<T>::get(T) const
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); return (1); }
template <typename T> __attribute__((noinline)) int box<T>::made(const T &)
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); return (2); }
}
static __attribute__((noinline)) void alone(n::box<n::box<int> *> &)
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); }
int main()
{
	n::box<n::box<int> *> b;

	alone(b);
	return (b.get(nullptr) + b.made(nullptr) == 0);
}
END_OF_C
g++ -std=c++20 -O1 -w -o names names.cc || exit 1
expect 'templates, constructors' "$(trace names 'pid$target:a.out:n::*:entry,
    pid$target:a.out:alone:entry { @[probefunc] = count(); }' | tr -s ' ' |
    LC_ALL=C sort)" 'alone 1
n::box::box 1
n::box::get 1
n::box::made 1
n::box::~box 1'

# --- objects that are loaded later ---

cat >plugin.c <<'END_OF_C'
struct request { const char *path; int n; };
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#define API	__attribute__((noinline, noclone))
#ifdef OTHER
API int handle(int first, struct request *r) { KEEP; return (r->n + first); }
int run(void)
{
	struct request r = { "/other", 4 };

	return (handle(3, &r));
}
#else
API int handle(struct request *r, int flags) { KEEP; return (r->n + flags); }
int run(void)
{
	struct request r = { "/one", 4 };

	return (handle(&r, 3));
}
#endif
/* Of a module of Python, which is none, as there is an exception then. */
void *PyInit_plugin(void) { return (run() == 7 ? (void *)0 : (void *)run); }
END_OF_C
cat >loader.c <<'END_OF_C'
#include <sys/wait.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int (*run)(void), i;
	void *object;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0) {
			if (fork() != 0)
				return (wait(NULL) == -1);
			continue;
		}
		if (strcmp(argv[i], "exec") == 0) {
			argv[i] = argv[0];
			return (execv(argv[0], argv + i));
		}
		if (strcmp(argv[i], "replace") == 0) {
			if (rename("next.so", "changed.so") != 0)
				return (1);
			continue;
		}
		if ((object = dlopen(argv[i], RTLD_NOW)) == NULL ||
		    (*(void **)&run = dlsym(object, "run"), run()) != 7)
			printf("%s\n", "wrong");
	}
	return (0);
}
END_OF_C
mkdir one other stripped
module='-g -O1 -w -fPIC -shared -Wl,--build-id,-Bsymbolic'
# shellcheck disable=SC2086
$CC -g -O1 -w -o loader loader.c -ldl &&
    $CC -O1 -w -o pathloader loader.c -ldl "-Wl,-rpath,\$ORIGIN/one" &&
    $CC $module -o one/plugin.so plugin.c &&
    $CC $module -DOTHER -o other/plugin.so plugin.c &&
    $CC $module,--build-id=none -o same.so plugin.c &&
    $CC $module,--build-id=none -o next.so plugin.c || exit 1
strip -o stripped/plugin.so one/plugin.so
ln -s one/plugin.so linked.so

# later D COMMAND OPTION...: as trace, without the numbers of processes.
later() {
	program=$1 command=$2
	shift 2
	"$TBUFCTL" -q -n "$program" "$@" -c "$command" 2>&1 |
	    sed 's/^ *//; s/ *$//; s/^tbufctl: //; s/pid[0-9][0-9]*:/pidN:/g
		s/invalid probe specifier.*: in action list: //; /^$/d'
}
handle='pid$target:plugin:handle:entry'
path="$handle { trace(stringof(args[0]->path)); trace(flags); }"
load='./loader one/plugin.so'
# A shell's words are no paths: the file is found only where an option says.
hidden="sh -c 'exec $load'"
for option in -xbufpolicy=ring --follow -xtemporal; do
	expect "a file that is named, $option" "$(later "$path" "$hidden" \
	    $option -x pidobject=one/plugin.so)" /one3
done
expect 'a folder that is named' "$(later "$path" "$hidden" -x pidobject=one)" \
    /one3
expect 'a glob' "$(later 'pid$target:pl*:handle:entry { trace(r->n); }' \
    "$hidden" -x pidobject=one)" 4
expect 'any module' "$(later 'pid$target::handle: { trace(probemod); }' \
    "$hidden" -x pidobject=one)" plugin.soplugin.so
expect 'a word of the command' "$(later "$path" "$load")" /one3
expect 'preloaded' "$(LD_PRELOAD=$PWD/one/plugin.so later "$path" \
    "$hidden")" /one3
expect 'the run path' "$(later "$path" './pathloader plugin.so')" /one3
expect 'another path' "$(LD_LIBRARY_PATH=$PWD/one later "$path" \
    './loader plugin.so')" /one3
expect 'a link' "$(later 'pid$target:linked:handle:entry
    { trace(stringof(r->path)); }' './loader ./linked.so')" /one
expect 'a returned value' "$(later 'pid$target:plugin:handle:return
    { trace(args[1]); }' "$load")" 7
expect 'a type by its name' "$(later "$handle
    { trace(((struct request *)arg0)->n); }" "$load")" 4
expect 'twice, and in a child' "$(later 'pid*:plugin:handle:entry
    { @[stringof(r->path)] = count(); }' './loader one/plugin.so fork
    one/plugin.so' --follow | tr -s ' ')" '/one 2'
expect 'first in a child' "$(later 'pid*:plugin:handle:entry
    { @[stringof(r->path)] = count(); }' './loader fork one/plugin.so' \
    --follow | grep -v 'can load libraries' | tr -s ' ')" '/one 1'
# A child may end, or execute another program, before tbufctl finds it.
for child in "$load" "$load exec" './loader exec one/plugin.so'; do
	expect "found when it has ended: $child" "$(later \
	    'pid*:plugin:handle:entry { @[stringof(r->path)] = count(); }' \
	    "sh $top/tests/lib/ended_child.sh $child" --follow |
	    tr -s ' ')" '/one 1'
done
expect 'after an exec' "$(later 'pid*:plugin:handle:entry
    { @[stringof(r->path)] = count(); }' './loader exec one/plugin.so' \
    --follow | tr -s ' ')" '/one 1'
expect 'in JSON' "$("$TBUFCTL" -q --format=json -n "$handle" -c "$load" |
    sed -n 's/.*"args":{"r":"[0-9a-fx]*",*//p')" '"flags":3}}'
expect 'a recording of it' "$("$TBUFCTL" -q --record=later -n "$handle" \
    -c "$load" >/dev/null 2>&1; "$TBUFCTL" -q --read=later \
    -n 'pid*:plugin:handle:entry { trace(flags); }' 2>&1 | tr -d ' \n')" 3

# The file that is loaded has its build ID; its debug information is elsewhere.
untyped='pidN:plugin: without types: they are those of another file'
expect 'a stripped one' "$(later "$handle" './loader stripped/plugin.so' |
    grep -c '^arg0=')" 1
expect 'its whole file' "$(later "$path" './loader stripped/plugin.so' \
    -x pidobject=one/plugin.so)" /one3
mkdir linked
objcopy --only-keep-debug one/plugin.so linked/plugin.debug &&
    objcopy --add-gnu-debuglink=linked/plugin.debug stripped/plugin.so \
    linked/plugin.so || exit 1
expect 'its debug file' "$(later "$path" './loader linked/plugin.so')" /one3
# Another version.
expect 'another version' "$(later "$handle" './loader other/plugin.so' \
    -x pidobject=one/plugin.so | sed 's/=[^ ]* arg/ arg/; s/ arg2=.*//
    s/ arg1=.*//')" "$untyped (-x pidobject=other/plugin.so)
arg0"
expect 'another version, by names' "$(later "$handle { trace(flags); }" \
    './loader other/plugin.so' -x pidobject=one/plugin.so | grep -v \
    '^arguments of\|^1 probe' | sort)" "failed to resolve flags: Unknown \
variable name
$untyped (-x pidobject=other/plugin.so)"
expect 'both versions' "$(later "$handle" \
    './loader one/plugin.so other/plugin.so' -x pidobject=one/plugin.so -x pidobject=other/plugin.so | sed \
    's/0x[0-9a-f]*/X/' | sort)" 'first=3 r=X
r=X flags=3'
# A file without a build ID is known by its place and its time.
expect 'without a build ID' "$(later 'pid$target:same:handle:entry
    { trace(flags); }' './loader ./same.so')" 3
cp same.so changed.so
expect 'it is replaced' "$(later 'pid$target:changed:handle:entry' \
    './loader replace ./changed.so' | grep -c 'without types\|^arg0')" 2

# Files that serve for nothing.
expect 'no file' "$(later "$path" "$hidden" | sed 's/.*: //')" "operator -> \
must be applied to a pointer
types of module plugin are not known before it is loaded (-x pidobject=FILE \
names its file)"
expect 'no file, by a name' "$(later "$handle { trace(flags); }" "$hidden" |
    grep -c '^types of module plugin are not known')" 1
expect 'no file, and integers' "$(later "$handle { trace(arg1); }" \
    "$hidden")" 3
expect 'a mistake' "$(later "$handle { trace(r->pat); }" "$load")" \
    "pat is not a member of struct request
did you mean 'path'?"
useless() {
	later "$handle { trace(arg1); }" "$hidden" -x pidobject="$1" |
	    sed "s,-x pidobject=$1 has no types: ,,"
}
machine='it is not a program or a library of this machine
3'
mkdir bad fifo
mkfifo fifo/plugin.so
head -c 60 one/plugin.so >bad/plugin.so
expect 'a file that is cut' "$(useless bad/plugin.so)" "$machine"
head -c 6000 one/plugin.so >bad/plugin.so
nothing='it has no debug information of functions that are wanted
3'
expect 'a file without its end' "$(useless bad/plugin.so)" "$nothing"
expect 'a file without types' "$(useless stripped/plugin.so)" "$nothing"
# The sections of debug information are damaged.
readelf -SW one/plugin.so |
    sed -n 's/.* \.debug_[a-z_]* *PROGBITS *[0-9a-f]* //p' |
    while read -r at size _; do
	head -c $((0x$size)) /dev/urandom | dd of=bad/random bs=64k 2>/dev/null
	cp -n one/plugin.so bad/plugin
	dd if=bad/random of=bad/plugin bs=1 seek=$((0x$at)) conv=notrunc \
	    2>/dev/null
done
mv bad/plugin bad/plugin.so
expect 'damaged debug information' "$(useless bad/plugin.so | tail -n 1)" 3
expect 'a FIFO' "$(useless fifo/plugin.so)" 'it is not a file that can be read
3'
expect 'a source' "$(cp plugin.c bad/plugin.so; useless bad/plugin.so)" \
    "$machine"
expect 'another name' "$(useless loader)" 'no description names it
3'
expect 'a folder without it' "$(useless .)" \
    'no description names a library in it
3'
expect 'no such file' "$("$TBUFCTL" -x pidobject=none -n "$handle" \
    -c "$load" 2>&1 | sed 1q)" "tbufctl: failed to set -x pidobject: Invalid \
value for specified option: 'none' is not a file or a folder that can be read \
(example: ./plugin.so)"
expect 'no command' "$("$TBUFCTL" -x pidobject=one -n "$handle" 2>&1 |
    sed 1q)" 'tbufctl: -x pidobject needs -c'

# Where a parameter may be anywhere, words are those of the call as it is.
cat >aligned.c <<'END'
struct aligned { long v; } __attribute__((aligned(16)));
__attribute__((noinline, noclone)) long
f(struct aligned s)
{
	__asm__ volatile ("nop\n nop\n nop\n nop\n nop" : "+r"(s.v));
	return (s.v);
}
int main(void) { struct aligned s = { 77 }; return (f(s) != 77); }
END
$CC -O2 -g -o aligned aligned.c || exit 1
expect 'a call that is not known' "$(trace aligned \
    'pid$target:aligned:f:entry { trace(arg0); }')" 77

# Programs by a link, and of a script.
ln -s loader by-link
printf '#!%s/loader\n' "$PWD" >script
chmod +x script
expect 'a script' "$(trace script 'pid$target:a.out:main:entry
    { trace(argc); }')" 'wrong
2'
expect 'a link to a program' "$(trace by-link \
    'pid$target:loader:main:entry { trace(argc); }')" 1

# An extension of Python, which loads it by a path of its own.
if command -v python3 >/dev/null; then
	expect 'Python' "$(cd one || exit; later "$path" \
	    'python3 -c "import plugin"' -x pidobject=. | grep '^/')" /one3
else
	echo 'no python3: its extensions are not tested'
fi

report
