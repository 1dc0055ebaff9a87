#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Parameters of functions that pass floating-point numbers, vectors and
# structures.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

# The parameters after a value have their words, whatever the value needs: in
# registers, between registers and the stack, and on the stack.
cat >kinds.c <<'END_OF_C'
struct two { double d; long n; };
struct floats { float a, b; };
struct doubles { double a, b; };
struct three { float a, b, c; };
struct extended { long double x; };
struct bits { double d; unsigned b : 3; };
struct __attribute__((packed)) odd { char c; long n; };
struct __attribute__((packed)) odd_double { char c; double d; };
struct far { char c[8]; long double x; };
struct mixed { int i; float f; double d; };
struct inner { struct floats a; float b[2]; };
struct bytes { char c[3]; };
struct empty { };
union either { double d; long n; };
union same { float f[2]; struct floats s; };
typedef float vec2 __attribute__((vector_size(8)));
typedef int vec4 __attribute__((vector_size(16)));
struct vector { vec4 v; };
#ifdef __x86_64__
typedef __float128 quad;
#else
typedef long double quad;
#endif
#ifdef __cplusplus
#define COMPLEX
#define ABI	extern "C" __attribute__((noinline, noipa))
#else
#define COMPLEX	ONE(complex, float _Complex)				\
	ONE(complex_double, double _Complex)				\
	ONE(complex_extended, long double _Complex)
#define ABI	__attribute__((noinline, noipa))
#endif
#define ALL								\
	COMPLEX ONE(float, float) ONE(double, double)			\
	ONE(extended, long double) ONE(two, struct two)			\
	ONE(floats, struct floats) ONE(doubles, struct doubles)		\
	ONE(three, struct three) ONE(structure, struct extended)	\
	ONE(bits, struct bits) ONE(odd, struct odd)			\
	ONE(odd_double, struct odd_double) ONE(far, struct far)		\
	ONE(mixed, struct mixed) ONE(inner, struct inner)		\
	ONE(bytes, struct bytes) ONE(empty, struct empty)		\
	ONE(either, union either) ONE(same, union same)			\
	ONE(vec2, vec2) ONE(vec4, vec4) ONE(vector, struct vector)	\
	ONE(wide, __int128) ONE(quad, quad)
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#define ONE(name, type)							\
	ABI int first_##name(type x, int n) { KEEP; return (n); }	\
	ABI int fifth_##name(long a, long b, long c, long d, long e,	\
	    type x, int n)						\
	{ KEEP; return (n); }						\
	ABI int last_##name(long a, long b, long c, long d, long e,	\
	    long f, double g, double h, double i, double j, double k,	\
	    double l, double m, type x, double o, int n)		\
	{ KEEP; return (n); }						\
	ABI int odd_##name(long a, long b, long c, long d, long e,	\
	    long f, long g, type x, int n)				\
	{ KEEP; return (n); }
ALL
#undef ONE
#define ONE(name, type)							\
	static type name##_x;						\
	sum += first_##name(name##_x, 77);				\
	sum += fifth_##name(1, 2, 3, 4, 5, name##_x, 77);		\
	sum += last_##name(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,	\
	    name##_x, 15, 77);						\
	sum += odd_##name(1, 2, 3, 4, 5, 6, 7, name##_x, 77);
int main(void)
{
	int sum = 0;

	ALL
	return (sum == 0);
}
END_OF_C
ln kinds.c kinds.cc

for build in 'gcc -O0' 'gcc -O2' 'gcc -O2 -gdwarf-4' 'clang -O0' 'clang -O2' \
    'g++ -O2' 'clang++ -O0'; do
	command -v "${build%% *}" >/dev/null || continue
	source=kinds.c least=96
	case $build in
	*++*) source=kinds.cc least=87 ;;
	esac
	$build -g -w -o kinds $source || exit 1
	"$TBUFCTL" -q --format=json -n 'pid$target:a.out:*_*:entry' \
	    -c ./kinds 2>/dev/null >records
	sed -n 's/.*"function":"\([a-z]*_[a-z_0-9]*\)".*"n":\(-*[0-9]*\).*/\1 \2/p' \
	    records >found
	expect "a parameter after others: $build" "$(grep -v ' 77$' found)" ''
	# The others are after the tenth word, or compilers do not agree.
	expect "most have it: $build" "$(($(wc -l <found) >= least))" 1
done

# Arguments and results in vector registers.
cat >values.c <<'END_OF_C'
#ifdef __cplusplus
#define COMPLEX	floats
extern "C" {
#else
#define COMPLEX	double _Complex
#endif
#define KEEP	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory")
#ifdef __clang__
#define API	__attribute__((noinline, optnone))
#else
#define API	__attribute__((noinline, noipa))
#endif
typedef struct { float a, b; } floats;
typedef struct { double d; long n; } two;
typedef struct { double d[2]; } doubles;
typedef union { double d; float f[2]; } either;
typedef int vec4 __attribute__((vector_size(16)));
typedef double real;

API real scale(int n, const real x, const char *s) { KEEP; return (n * x); }
API float half(float y, int n) { KEEP; return (y / n); }
API void nine(double a, double b, double c, double d, double e, double f,
    double g, double h, double i, long j) { KEEP; }
API float stack(float a, float b, float c, float d, float e, float f, float g,
    float h, float i, float j) { KEEP; return (i + j); }
API int words(long a, long b, long c, long d, long e, long f, long g,
    double x, long h, double y) { KEEP; return ((int)(x + h)); }
API float parts(two t, floats p, doubles q, int n) { KEEP; return (n); }
API void skipped(vec4 v, double x, long double l, either e, float y, int n)
{ KEEP; }
API int message(int level, double when, const char *format, ...)
{ KEEP; return (level); }
API int more(double a, double b, double c, double d, double e, double f,
    double g, double h, long i, long j, long k) { KEEP; return ((int)k); }
API COMPLEX turn(COMPLEX z, int n) { KEEP; return (z); }
API float _infinite(float x) { KEEP; return (x); }
/* No other function has a use for the second parameter, or the first's value. */
static __attribute__((noinline)) double copied(double a, int unused, double b)
{ KEEP; return (a * b); }
#ifdef __cplusplus
}
struct shape {
	double side;
	API double area(float by) const { KEEP; return (side * by); }
};
#endif

int main(int argc, char **argv)
{
	two t = { 1.25, 5 };
	floats p = { 2.5f, -3.5f };
	doubles q = { { 4.5, 1e300 } };
	either e = { 1.0 };
	vec4 v = { 1, 2, 3, 4 };
	COMPLEX z = { 0 };
	double sum = 0;
	int i;

	for (i = 0; i < 3; i++)
		sum += scale(i, i + 0.5, "text") + copied(2.0, i, i + 0.25);
	sum += half(-1.5f, 7);
	nine(1, 2, 3, 4, 5, 6, 7, 8, 9.5, -10);
	sum += stack(1, 2, 3, 4, 5, 6, 7, 8, 9.5f, -10.25f);
	sum += words(1, 2, 3, 4, 5, 6, 7, 8.5, -9, 0.125);
	sum += parts(t, p, q, 9);
	skipped(v, 0.5, 2.0L, e, 0.75f, -3);
	sum += message(4, 6.75, "%d", 11);
	sum += more(1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10, 11);
	turn(z, 12);
	_infinite(1.0f / 0.0f);
#ifdef __cplusplus
	shape s = { 3.0 };
	sum += s.area(0.5f);
#endif
	return (sum == 0);
}
END_OF_C
ln values.c values.cc

# trace D [OPTION...]: the trace, without blanks at the ends.
trace() {
	"$TBUFCTL" -q -n "$@" -c ./values 2>&1 |
	    sed 's/^ *//; s/ *$//; s/0x[0-9a-f]*/X/g; /^$/d'
}
of() {
	trace "pid\$target:a.out:$1"
}
machine=$(uname -m)
for build in 'gcc -O0' 'gcc -O2' 'clang -O0' 'clang -O2' 'g++ -O2' \
    'clang++ -O0'; do
	command -v "${build%% *}" >/dev/null || continue
	case $build in
	*++*) source=values.cc ;;
	*) source=values.c ;;
	esac
	$build -g -w -o values $source || exit 1
	expect "a double between others: $build" "$(of scale:entry)" \
	    'n=0 s=X x=0.5
n=1 s=X x=1.5
n=2 s=X x=2.5'
	expect "a float: $build" "$(of half:entry)" 'n=7 y=-1.5'
	expect "an infinite one: $build" "$(of _infinite:entry)" x=inf
	expect "returned values: $build" "$(trace 'pid$target:a.out:scale:return
	    { printf("%g\n", args[1]); } pid$target:a.out:half:return
	    { printf("%.5f\n", args[1]); }')" '0
1.5
5
-0.21429'
	expect "a key and a variable: $build" "$(trace '
	    pid$target:a.out:half:entry { x = y; @[y, x] = count(); }' | xargs)" \
	    '-1.5 -1.5 1'
	expect "more than eight arguments: $build" "$(of more:entry)" \
	    'i=9 j=10 k=11 a=1 b=2 c=3 d=4 e=5 f=6 g=7'
	expect "a copy: $build" "$(of 'copied*:entry' | tr ' ' '\n' |
	    sed 's/^a=2$/right/; s/^b=[012]\.25$/right/; s/^unused=[012]$//
	    s/^arg[0-9]=.*//; /^$/d' | LC_ALL=C sort -u | grep -v right)" ''
	[ $source = values.c ] || expect "a method: $build" \
	    "$(of 'shape::area:entry')" 'this=X by=0.5'
	[ "$machine" = x86_64 ] || continue
	expect "structures: $build" "$(of parts:entry)" \
	    'arg0=5 n=9 arg2=1.25 arg3=2.5 arg4=-3.5 arg5=4.5 arg6=1e+300'
	expect "nine doubles: $build" "$(of nine:entry)" \
	    'j=-10 a=1 b=2 c=3 d=4 e=5 i=9.5 f=6 g=7 h=8'
	expect "words on the stack: $build" "$(of words:entry)" \
	    'a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=-9 x=8.5 y=0.125'
	expect "floats on the stack: $build" "$(of stack:entry)" \
	    'a=1 b=2 c=3 d=4 e=5 f=6 i=9.5 j=-10.25 g=7 h=8'
	expect "other formats: $build" "$(of skipped:entry)" 'n=-3 x=0.5 y=0.75'
	expect "variable arguments: $build" "$(of message:entry |
	    sed 's/ arg3=.* t/ t/; s/ arg3=.* when/ when/')" \
	    'level=4 format=X arg2=11 when=6.75'
done

# D has them as it has a probe's.
gcc -O2 -g -w -o values values.c || exit 1
scale='pid$target:a.out:scale:entry'
expect 'by number and by name' "$(trace "$scale
    { printf(\"%g %g %s\n\", args[2], x, stringof(args[1])); }")" '0.5 0.5 text
1.5 1.5 text
2.5 2.5 text'
expect 'a key' "$(trace "$scale { @[x] = count(); }" | tr -s ' ' |
    LC_ALL=C sort)" '0.5 1
1.5 1
2.5 1'
expect 'arguments of all functions' "$(trace 'pid$target:a.out::entry
    { @[probefunc] = count(); }' | grep -c 'scale *3$')" 1
expect 'no arithmetic' "$(trace "$scale /x > 1/ { exit(0); }" |
    sed 's/.*: //')" '"double" > "int"'
expect 'in JSON' "$("$TBUFCTL" -q --format=json \
    -n 'pid$target:a.out:half:' -c ./values | sed -n 's/.*"args"://p' |
    sed 's/"arg0":[0-9]*/"arg0":N/')" '{"n":7,"y":-1.5}}
{"arg0":N,"arg1":-0.21428572}}'
expect 'names and types in lists' "$("$TBUFCTL" -lv --object=values \
    -f 'pid:a.out:half' | grep '	')" "$(printf '\t%s\n' \
    'n int32_t' 'y float' 'arg0 uint64_t' 'arg1 float')"
expect 'in a graph' "$("$TBUFCTL" -q -F -n 'pid$target:a.out:half:' \
    -c ./values | grep -c -- '-> half  *n=7 y=-1.5$')" 1
for option in -xbufpolicy=ring --follow -xtemporal; do
	expect "with $option" "$(trace 'pid$target:a.out:half:entry' $option)" \
	    'n=7 y=-1.5'
done
expect 'a recording' "$("$TBUFCTL" -q --record=recording -n "$scale" \
    -c ./values >/dev/null 2>&1; "$TBUFCTL" -q --read=recording \
    -n 'pid*:::entry /n == 2/ { printf("%g\n", x); }' 2>&1)" 2.5
expect 'a place with two names' "$(trace 'pid$target:a.out:half:
    { printf("%s %s\n", probemod, probename); }
    pid$target:values:half:entry { printf("%g\n", y); }
    pid$target:values:half:return { printf("%.3f\n", args[1]); }')" \
    'a.out entry
-1.5
a.out return
-0.214'
lack() {
	trace "pid\$target::$1:entry { trace($2); }" |
	    sed -n "s/^tbufctl: parameter $2 of $1 is no argument: //p"
}
expect 'another format' "$(lack skipped l)" \
    'D has no type for its floating-point format'
expect 'a complex number' "$(lack turn z)" 'it is a complex number'
expect 'an eleventh one' "$(lack more h)" 'ten others have all numbers'

# A process that was started with the provider by hand records words alone.
cat >loop.c <<'END_OF_C'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline, noipa)) void turn(double x, int n, float y, int m)
{ __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory"); }
int main(int argc, char **argv)
{
	if (argc > 1)
		return (system("cp $TBUF_PID_TYPES types"));
	(void)!write(STDOUT_FILENO, "\n", 1);
	for (;;) {
		turn(2.5, 7, 1.0f, 8);
		(void)usleep(1000);
	}
}
END_OF_C
gcc -O2 -g -w -o loop loop.c || exit 1
mkfifo ready
TBUF_PID='pid*:a.out:turn:entry' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./loop >ready &
loop=$!
read -r _ <ready
attach() {
	"$TBUFCTL" -q -n "$1" -p "$loop" 2>&1 | sed 's/^ *//; s/ *$//; /^$/d'
}
expect 'a process: words' "$(attach 'pid*:::entry
    { printf("%d %d\n", n, m); exit(0); }')" '7 8'
expect 'a process: no double' "$(attach 'pid*:::entry { trace(x); exit(0); }' |
    grep -c 'failed to resolve x')" 1
kill $loop
wait $loop 2>/dev/null

# The file of types may say anything: a wrong place ends the arguments.
"$TBUFCTL" -q -n 'pid$target:a.out:turn:entry' -c './loop copy' >/dev/null 2>&1
types() {
	sed "$1" types >wrong
	TBUF_PID='pid*:a.out:turn:entry' TBUF_PID_TYPES=$PWD/wrong \
	    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./loop >ready &
	loop=$!
	read -r _ <ready
	"$TBUFCTL" -lv -n 'pid*:::entry' -p $loop | grep '	' | tr -s '\t\n' ' '
	kill $loop
	wait $loop 2>/dev/null
}
expect 'the types' "$(types '')" ' n int32_t m int32_t x double y float '
expect 'an upper half' "$(types s/v1/u1/)" \
    ' n int32_t m int32_t x double y float '
for wrong in s/v0/v8/ s/v0/v/ 's/12v0/4v0/' s/v0/u0/ s/v0/x0/ s/v0/v00/; do
	expect "wrong types: $wrong" "$(types $wrong | sed 's/ x double//')" \
	    ' n int32_t m int32_t '
done

report
