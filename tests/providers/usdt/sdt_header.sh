#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# <tbuf/sys/sdt.h>: probes compile in C and C++ of any standard, make a note for
# other tools, and are traced.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:?}" "${CXX:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
work=$SCRATCH
cd "$work" || exit 1
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW

# compile PROGRAM COMPILER...: compiles with this header instead of systemtap's.
compile() {
	program=$1
	shift
	"$@" -O2 -Wall -Wextra -Werror -I"$top_srcdir/libtbuf/include/tbuf" \
	    "$top_srcdir/tests/providers/usdt/programs/probes.c" -o "$work/$program" \
	    -L"$top_builddir/.libs" -ltbuf -Wl,-rpath,"$top_builddir/.libs" 2>&1
}

# Prints the widths and signs of a program's notes, in the order of names.
widths() {
	LC_ALL=C readelf -n "$work/$1" | sed -n '
	    s/.*Name: //p
	    s/@[^ ]*//g
	    s/.*Arguments: //p' | paste -d' ' - - | LC_ALL=C sort
}

for standard in gnu89 c89 gnu99 c99 gnu11 c17; do
	# shellcheck disable=SC2086
	expect "compile as $standard" "$(compile probes-$standard \
	    $CC -std=$standard)" ''
done
for standard in gnu++98 c++11 gnu++17; do
	# shellcheck disable=SC2086
	expect "compile as $standard" "$(compile probes-$standard \
	    $CXX -x c++ -std=$standard)" ''
done

last='otherwise 16'
for standard in c89 gnu11 gnu++98 gnu++17; do
	[ $standard = gnu++98 ] && last='otherwise -8'
	[ $standard = gnu++17 ] && last='otherwise 16'
	expect "notes of $standard" "$(widths probes-$standard)" "branch 
eleven -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4
many -4 -4 -4 -4 -4 -4 -4 -4 -4 -4
next -4
none 
one -4
other 8 8 8
$last
widths -1 2 -8 4
words__two 8 8"
done

# These are the records of the last of two rounds; a pair's address varies.
traced='none 
one "n":2
words-two "word":"word","array":"array"
widths "narrow":-2,"flags":65535,"second":-2,"color":4
other "pair":"0x","real":1.5,"arg2":"text"
many "arg0":1,"arg1":2,"arg2":3,"arg3":4,"arg4":5,"arg5":6,"arg6":7,"arg7":8,"arg8":9,"arg9":10
branch 
next "arg0":2'
for standard in gnu99 gnu11 c++11 gnu++17; do
	"$TBUFCTL" -q -n 'sdt:::' --format=json \
	    -c "$work/probes-$standard two" | sed -n '
	    s/"0x[0-9a-f]*"/"0x"/
	    s/.*"record".*"name":"\([^"]*\)".*"args":{\(.*\)}}$/\1 \2/p' >got
	expect "traced, of $standard" "$(tail -n 8 got)" "$traced"
	expect "bytes, of $standard" "$(grep otherwise got)" \
	    'otherwise "pair":"hex:0100000000000000feffffffffffffff"'
done
expect 'no site in C of 1989' "$(readelf -SW probes-c89 |
    grep -c tbuf_sites)" 0
expect 'but in that of 2011' "$(readelf -SW probes-gnu11 |
    grep -c tbuf_sites)" 1

report
