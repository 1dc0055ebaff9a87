#!/bin/sh
#-
# SPDX-License-Identifier: BSD-2-Clause
#
# Builds the macros' test programs with many compilers, standards and options,
# with every warning an error, and runs them.
#
# usage: top_builddir=BUILD [CC=gcc] [CXX=g++] [VERBOSE=all] matrix.sh
#
# Without CC and CXX, the installed ones of gcc and clang are used.  VERBOSE=all
# tests all combinations listed here, otherwise a selection.

set -u
: "${srcdir:=$(dirname "$0")}"
srcdir=$(cd "$srcdir" && pwd)
libtbuf=$srcdir/../../libtbuf
library=$libtbuf/include

warnings="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion
    -Wsign-conversion -Wcast-qual -Wcast-align -Wundef -Wwrite-strings -Wvla
    -Wdouble-promotion -Wfloat-equal -Wredundant-decls -Wmissing-declarations"
warnings_c="-Wstrict-prototypes -Wmissing-prototypes -Wnested-externs
    -Wbad-function-cast -Wc++-compat -Wold-style-definition"
warnings_cxx="-Wold-style-cast -Wextra-semi -Wsign-promo -Woverloaded-virtual
    -Wnon-virtual-dtor"
warnings_gcc="-Wlogical-op -Wduplicated-cond -Wduplicated-branches"
warnings_gxx="-Wuseless-cast -Wzero-as-null-pointer-constant"

# One row: compiler|language|options.  The options are for compiling and
# linking; some words are defined here: fake-shared (the library is shared),
# lib-only (a unit without probes), plugin (an object that is loaded and
# unloaded).
row()
{
	compiler=${1%%|*}
	language=${1#*|} language=${language%%|*}
	options=${1##*|}
	dir=$work/row.$$
	mkdir "$dir" && cd "$dir" || exit 1
	flags="$warnings"
	[ "$language" = c ] && flags="$flags $warnings_c"
	[ "$language" = c++ ] && flags="$flags $warnings_cxx"
	case $compiler in
	*clang*) ;;
	*++*) flags="$flags $warnings_gcc $warnings_gxx" ;;
	*) flags="$flags $warnings_gcc" ;;
	esac
	program="probes" kind=plain libraries="$work/fake.o $work/libsite.a"
	for option in $options; do
		case $option in
		fake-shared) libraries="-L$work -lfake -Wl,-rpath,$work" ;;
		empty) program=empty ;;
		plugin) kind=plugin ;;
		*) flags="$flags $option" ;;
		esac
	done
	suffix=c other=
	[ "$language" = c++ ] && suffix=cc
	[ $program = probes ] && other=$srcdir/probes_other.$suffix
	if [ $kind = plugin ]; then
		$compiler $flags -fPIC -shared -I"$library" \
		    "$srcdir/plugin.cc" -o plugin.so &&
		${CC_OF_FAKE} -std=gnu11 -rdynamic -I"$library" \
		    "$srcdir/plugin_host.c" $libraries -ldl -o run &&
		./run ./plugin.so
	else
		$compiler $flags -I"$library" "$srcdir/$program.$suffix" \
		    $other $libraries -o run && ./run
	fi >log 2>&1
	status=$?
	if [ $status -eq 0 ]; then
		echo "ok $1" >>"$work/results"
		[ "${VERBOSE:-}" ] && echo "ok $1"
	else
		echo "FAIL $1" >>"$work/results"
		echo "FAIL $1"
		head -n 40 log
	fi
	cd / && rm -rf "$dir"
}

# Prints all rows of a C and a C++ compiler.
rows()
{
	c="$1|c|" cxx="$2|c++|"
	echo "$c-std=c11 -O0"
	echo "$c-std=c11 -O0 -DTBUF_RELEASE"
	echo "$c-std=c11 -O2 -fPIC -ffunction-sections -Wl,--gc-sections"
	echo "$c-std=gnu17 -O3 -fno-pic -no-pie"
	echo "$c-std=gnu11 -O2 -flto"
	echo "$c-std=c11 -O1 -g -fsanitize=address,undefined"
	echo "$c-std=c11 -O2 -static -fvisibility=hidden"
	echo "$c-std=c11 -O2 empty"
	echo "$c-std=c11 -O2 empty -fsanitize=undefined -fno-sanitize-recover=all"
	echo "$cxx-std=c++17 -O0"
	echo "$cxx-std=c++17 -O2 -DTBUF_RELEASE"
	echo "$cxx-std=c++17 -O2 fake-shared"
	echo "$cxx-std=c++17 -O1 -g -fsanitize=address,undefined"
	echo "$cxx-std=c++17 -O2 -fvisibility=hidden plugin"
	[ "${VERBOSE:-}" = all ] || return
	for mode in "" -fPIC "-fPIE -pie" "-fno-pic -no-pie" -flto -static \
	    -fsanitize=address -fsanitize=undefined -fsanitize=thread \
	    "-ffunction-sections -Wl,--gc-sections" fake-shared \
	    -fstack-protector-strong "-fvisibility=hidden -g" -masm=intel; do
		case "$1 $mode" in
		# clang cannot assemble its own output with this option.
		*clang*-masm=intel) continue ;;
		esac
		for level in -O0 -O1 -O2 -O3 -Os; do
			for std in c11 gnu11 c17; do
				echo "$c-std=$std $level $mode"
			done
			for std in c++11 c++17 gnu++17 c++20; do
				echo "$cxx-std=$std $level $mode"
			done
		done
	done
	for linker in lld gold; do
		command -v ld.$linker >/dev/null || continue
		for level in -O0 -O2; do
			echo "$c-std=c11 $level -fuse-ld=$linker" \
			    "-ffunction-sections -Wl,--gc-sections"
			echo "$cxx-std=c++17 $level -fuse-ld=$linker" \
			    "-ffunction-sections -Wl,--gc-sections"
		done
	done
	for level in -O0 -O2 "-O2 -flto"; do
		echo "$cxx-std=c++17 $level plugin"
		echo "$c-std=c17 $level empty"
	done
}

all_rows()
{
	if [ "${CC:-}" ] && [ "${CXX:-}" ]; then
		rows "$CC" "$CXX"
		return
	fi
	command -v gcc >/dev/null && command -v g++ >/dev/null &&
	    rows gcc g++
	command -v clang >/dev/null && command -v clang++ >/dev/null &&
	    rows clang clang++
}

if [ "${1:-}" = --row ]; then
	row "$2"
	exit 0
fi

. "$srcdir/../lib/scratch.sh"
work=$SCRATCH
CC_OF_FAKE=${CC:-cc}
export work srcdir CC_OF_FAKE
[ "${VERBOSE:-}" ] && export VERBOSE
(cd "$work" &&
    $CC_OF_FAKE -std=gnu11 -O1 -g -fPIC -I"$libtbuf" -I"$library" \
	-c "$srcdir/fake.c" &&
    $CC_OF_FAKE -std=gnu11 -O1 -g -fPIC -I"$libtbuf" -I"$library" \
	-c "$libtbuf"/target/probe/site*.c &&
    ar rcs libsite.a site*.o &&
    $CC_OF_FAKE -shared fake.o site*.o -o libfake.so) || exit 1
: >"$work/results"
all_rows >"$work/rows"
tr '\n' '\0' <"$work/rows" |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh "$0" --row

rows=$(wc -l <"$work/rows")
passed=$(grep -c '^ok ' "$work/results")
echo "$passed passed, $((rows - passed)) failed"
[ "$rows" -gt 0 ] && [ "$passed" -eq "$rows" ]
