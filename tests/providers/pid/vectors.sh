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

report
