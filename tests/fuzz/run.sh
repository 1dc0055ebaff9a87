#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Builds the fuzz targets with libFuzzer and the sanitizers, and runs each for
# a while, from its corpus on.  `make fuzz` calls this.
#
#	run.sh SOURCE BUILD [TARGET ...]
#
#	FUZZ_SECONDS	for each target (30)
#	FUZZ_SEED	the same again; 0: another one each time (0)
#	FUZZ_CC		a clang (clang)
#	FUZZ_JOBS	compilers at a time (as many as CPUs)
#
# What is found lies in BUILD/TARGET.found; `TARGET -f FILE` runs it again in
# the replay program of the same name, under a debugger.

# The compilers run in shells of their own.
# shellcheck disable=SC2016

set -eu
source=$1 build=$2
shift 2
zydis=/usr/include/Zydis/Zydis.h
patch=$([ ! -e $zydis ] || echo patch)
targets=${*:-file core live fire clause adopt aggregate match parse maps sitetext command
    dlang dwarf machine stack table batch unwrap usdt $patch}
seconds=${FUZZ_SECONDS-30}
jobs=${FUZZ_JOBS-$(nproc)}
CC=${FUZZ_CC-clang}
mkdir -p "$build/o" "$build/bin"

flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -DTBUF_PRIVATE_LIBRARY
    -DTBUF_VERSION=\"fuzz\" -DPKGLIBDIR=\"/nowhere\" -DPKGDATADIR=\"/nowhere\" -I$source/libtbuf
    -ftls-model=initial-exec $(pkg-config --cflags libbsd-overlay)"
# A loop over what there is none of may begin and end at NULL.
checks="-fsanitize=address,undefined -fno-sanitize=pointer-overflow
    -fno-sanitize-recover=undefined"
export compile="$CC $flags $checks -fsanitize=fuzzer-no-link"
export build source

for file in "$source"/libtbuf/*/*.c "$source"/tests/fuzz/image.c \
    "$source"/tests/fuzz/drain.c "$source"/tests/fuzz/directory.c \
    "$source"/tests/fuzz/world.c "$source"/tests/scratch.c; do
	echo "$file"
done | xargs -P "$jobs" -n 1 sh -c '
	object=$build/o/$(echo "${0#"$source"/}" | tr / - | sed "s/c\$/o/")
	$compile -c "$0" -o "$object"'
rm -f "$build/libfuzz.a"
ar rcs "$build/libfuzz.a" "$build"/o/*.o

# The D compiler is no part of the library: its files, and what is made of two.
mkdir -p "$build/dlang"
bison -d -Wno-yacc -o "$build/dlang/grammar.c" "$source/libtbufd/grammar.y"
flex -o "$build/dlang/lexer.c" "$source/libtbufd/lexer.l"

for target in $targets; do
	more=
	case $target in
	command | dlang | dwarf)
		more=" -iquote $source/libtbufd -I$build/dlang"
		for file in "$source"/libtbufd/*.c "$build"/dlang/*.c; do
			case $file in
			"$source"/libtbufd/lexer.c | \
			    "$source"/libtbufd/grammar.c)
				;;	# of an archive of a release
			*)
				more="$more $file"
				;;
			esac
		done
		;;
	esac
	if [ "$target" = dlang ]; then
		more="$more -I$source/tests $source/tests/d/runner.c"
	fi
	if [ "$target" = dwarf ]; then
		for file in dwarf dwarf_argument dwarf_names dwarf_read \
		    needed sites words; do
			more="$more $source/tbufctl/$file.c"
		done
		more="$more $(pkg-config --cflags --libs libdw)"
	fi
	if [ "$target" = usdt ] || [ "$target" = command ]; then
		for file in description file note operand operand_aarch64 \
		    operand_x86_64 probe section symbol type; do
			more="$more $source/providers/usdt/$file.c"
		done
	fi
	if [ "$target" = patch ]; then
		for file in decode pads prove relocate text; do
			more="$more $source/providers/patch/$file.c"
		done
		more="$more $source/tests/fuzz/stepped.c -lZydis"
	fi
	if [ "$target" = command ]; then
		for file in command field flag near notes_file options preload program \
		    setting text words; do
			more="$more $source/tbufctl/$file.c"
		done
	fi
	echo "$target$more"
# With a blank at its end a line would go on.
done | sed 's/ *$//' | link=-fsanitize=fuzzer xargs -P "$jobs" -L 1 sh -c '
	target=$0
	$compile $link "$source/tests/fuzz/$target.c" "$@" \
	    "$build/libfuzz.a" $(pkg-config --libs libbsd-overlay) -lpthread \
	    -o "$build/bin/$target"'

# One input a line, in hexadecimal, into a file each.
unpack()
{
	mkdir -p "$2"
	awk -v to="$2" '
	function value(digit)
	{
		return index("0123456789abcdef", digit) - 1
	}
	/^[0-9a-f]+$/ {
		text = ""
		for (i = 1; i < length($0); i += 2) {
			byte = 16 * value(substr($0, i, 1))
			byte += value(substr($0, i + 1, 1))
			text = text sprintf("\\0%03o", byte)
		}
		printf "%s %s/%06d\n", text, to, NR
	}' "$1" | while read -r text path; do
		printf '%b' "$text" >"$path"
	done
}

status=0
for target in $targets; do
	corpus=$build/$target.corpus
	unpack "$source/tests/fuzz/corpus/$target" "$corpus"
	mkdir -p "$build/$target.found"
	echo "== $target"
	"$build/bin/$target" -max_total_time="$seconds" -timeout=20 \
	    -seed="${FUZZ_SEED-0}" \
	    -max_len=512 -print_final_stats=1 -detect_leaks=1 \
	    -artifact_prefix="$build/$target.found/" "$corpus" \
	    >"$build/$target.log" 2>&1 || {
		status=1
		tail -n 60 "$build/$target.log"
	}
	sed -n 's/^stat::number_of_executed_units: */   executed: /p' \
	    "$build/$target.log"
done
exit $status
