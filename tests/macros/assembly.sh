#!/bin/sh
#-
# SPDX-License-Identifier: BSD-2-Clause
#
# A disabled probe costs two loads, an address (of the site, for the fire), a
# test and a branch that is not taken: the script inspects the instructions.  On
# Arm an address takes two instructions, but a test none.  It also builds the
# test programs for the other processor, and runs them if an emulator is
# installed.
#
# usage: top_builddir=BUILD [VERBOSE=all] assembly.sh
#
# Compilers that are not installed are skipped.

set -u
: "${srcdir:=$(dirname "$0")}"
libtbuf=$srcdir/../../libtbuf
library=$libtbuf/include
passed=0 failed=0

. "$srcdir/../lib/scratch.sh"
work=$SCRATCH

pass()
{
	passed=$((passed + 1))
	[ "${VERBOSE:-}" ] && echo "ok $*"
	return 0
}

fail()
{
	failed=$((failed + 1))
	echo "FAIL $*"
}

# Prints the instructions of function $1 in $work/out.s from the site's address
# on, up to the first conditional branch, names only, in one line.
path()
{
	awk -v name="$1:" '
	$1 == name { inside = 1; next }
	!inside { next }
	/^[ \t]*\.popsection|^[ \t]*\.text/ { on = 1; next }
	$1 ~ /^\.size/ { exit }
	!on || $1 ~ /^[.#\/]/ || NF == 0 { next }
	{ printf "%s%s", sep, $1; sep = " " }
	$1 ~ /^(j[^m]|cb|b\.)/ { exit }
	' "$work/out.s"
}

# looks COMPILER...: expects at most five instructions, six on Arm.
looks()
{
	command -v "$1" >/dev/null || return 0
	if ! "$@" -std=c11 -O2 -I"$library" -S "$srcdir/assembly.c" \
	    -o "$work/out.s"; then
		fail "$*"
		return
	fi
	for function in disabled asked_if; do
		got=$(path $function)
		case $1:$(echo "$got" | wc -w) in
		*:[3-5] | aarch64*:6) pass "$*: $function: $got" ;;
		*) fail "$*: $function: $got" ;;
		esac
	done
	# gcc places the fire apart from the code around a disabled probe.
	[ "$1" = gcc ] || return 0
	if grep -q '^disabled\.cold:' "$work/out.s"; then
		pass "$*: apart"
	else
		fail "$*: the fire is in the way"
	fi
}

# runs EMULATOR SUFFIX COMPILER...: builds and runs that program.
runs()
{
	emulator=$1 suffix=$2
	shift 2
	command -v "$1" >/dev/null || return 0
	if ! "$@" -Wall -Wextra -Wpedantic -Werror -I"$library" -static \
	    "$srcdir/probes.$suffix" "$srcdir/probes_other.$suffix" \
	    "$work/fake.o" "$work/libsite.a" -o "$work/run"; then
		fail "$*"
	elif ! command -v "$emulator" >/dev/null; then
		pass "$*: built"
	elif "$emulator" "$work/run"; then
		pass "$*: run"
	else
		fail "$*: run"
	fi
}

for option in -fPIC -fno-pic; do
	looks gcc $option
	looks clang $option
	looks aarch64-linux-gnu-gcc $option
done

# The other processor is tested here; matrix.sh tests this one.
arm=aarch64-linux-gnu
if command -v $arm-gcc >/dev/null; then
	$arm-gcc -std=gnu11 -I"$libtbuf" -I"$library" -c "$srcdir/fake.c" \
	    -o "$work/fake.o" &&
	for file in "$libtbuf"/target/probe/site*.c; do
		$arm-gcc -std=gnu11 -I"$libtbuf" -I"$library" -c "$file" \
		    -o "$work/$(basename "$file" .c).o"
	done
	ar rcs "$work/libsite.a" "$work"/site*.o || fail "$arm-gcc"
	for option in "-O0" "-O2 -fPIC" "-O2 -fno-pic -no-pie" "-O2 -flto"; do
		runs qemu-aarch64 c $arm-gcc -std=c11 $option
		runs qemu-aarch64 cc $arm-g++ -std=c++17 $option
	done
fi

echo "$passed passed, $failed failed"
[ $passed -gt 0 ] && [ $failed -eq 0 ]
