#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Builds the fuzz targets with libFuzzer and the sanitizers, and runs each for
# a while, beginning with its corpus.  `make fuzz` calls this.
#
#	run.sh SOURCE BUILD [TARGET ...]
#
#	FUZZ_SECONDS	seconds for each target (30)
#	FUZZ_SEED	seed, to repeat a run; 0: a new one each time (0)
#	FUZZ_CC		a clang (clang)
#	FUZZ_JOBS	compilers, and then targets, at a time (as many as CPUs)
#
# Inputs that fail are in BUILD/TARGET.found; `TARGET -f FILE` runs one again
# with the replay program of the same name, under a debugger.

# Expressions in single quotes are for the shells that run the compilers.
# shellcheck disable=SC2016

set -eu
source=$1 build=$2
shift 2
zydis=/usr/include/Zydis/Zydis.h
patch=$([ ! -e $zydis ] || echo object patch)
targets=${*:-file core live fire clause adopt aggregate match parse maps sitetext command
    dlang dwarf element machine stack table batch unwrap usdt functions lane
    left listing notes print recording textorder unpack $patch}
seconds=${FUZZ_SECONDS-30}
jobs=${FUZZ_JOBS-$(nproc)}
CC=${FUZZ_CC-clang}
mkdir -p "$build/o" "$build/bin"

flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -DTBUF_PRIVATE_LIBRARY
    -DZYDIS_LIBRARY=\"libZydis.so\" -DTBUF_VERSION=\"fuzz\" -DPKGLIBDIR=\"/nowhere\" -DPKGDATADIR=\"/nowhere\"
    -I$source/libtbuf -I$source/libtbuf/include
    -ftls-model=initial-exec $(pkg-config --cflags libbsd-overlay)"
# A loop over an empty array may begin and end at NULL.
checks="-fsanitize=address,undefined -fno-sanitize=pointer-overflow
    -fno-sanitize-recover=undefined"
export compile="$CC $flags $checks -fsanitize=fuzzer-no-link"
export build source

# The D compiler is not part of the library; two of its files are generated.
mkdir -p "$build/dlang"
bison -d -Wno-yacc -o "$build/dlang/grammar.c" "$source/libtbufd/grammar.y"
flex -o "$build/dlang/lexer.c" "$source/libtbufd/lexer.l"
export dlang="-iquote $source/tbufctl -iquote $source/libtbufd
    -iquote $source/providers -I$build/dlang -I$source/tests"

# shared: prints the files that targets are linked with, each once.
shared()
{
	for file in "$source"/libtbufd/*.c "$source"/libtbufd/*/*.c; do
		case $file in
		"$source"/libtbufd/lexer.c | "$source"/libtbufd/grammar.c)
			;;	# generated, in a release's archive
		*)
			echo "$file"
			;;
		esac
	done
	find "$source/libtbuf" -name '*.c'
	printf '%s\n' "$build"/dlang/*.c
	for file in options/split_command debuginfo/dwarf \
	    debuginfo/dwarf_abi debuginfo/dwarf_argument \
	    debuginfo/dwarf_function debuginfo/dwarf_member \
	    debuginfo/dwarf_names debuginfo/dwarf_read \
	    base/description_field base/bool_value base/dtrace_providers \
	    base/suggest base/string_list base/open_regular base/command_path \
	    base/bpftrace_words base/clean_text base/decompress \
	    base/helper_filter base/helper_process \
	    base/messages base/output base/signals base/write_number \
	    elf/needed_libraries elf/object_files \
	    print/print_pointer print/print_type \
	    print/trace_action print/typed_value \
	    elf/usdt_provider_file debuginfo/probe_sites options/command_line \
	    options/enablings options/d_options options/text_option \
	    options/metric_option \
	    record/chunks record/interned record/metadata record/pipe \
	    record/pipe_read record/read_recording record/receive \
	    record/recording record/stream \
	    run/preload run/preload_pid commands/check; do
		echo "$source/tbufctl/$file.c"
	done
	for file in description file note operand operand_aarch64 \
	    operand_x86_64 probe section symbol type; do
		echo "$source/providers/usdt/$file.c"
	done
	echo "$source/providers/pid/name.c"
	for file in ${patch:+arrivals call_line copy decode frame holes jumps \
	    line map marks pads parts prove region relocate table text
	    x86_64/common x86_64/lazy x86_64/passed x86_64/pun
	    x86_64/scan}; do
		echo "$source/providers/patch/$file.c"
	done
	for file in ${patch:+pid/functions pid/plan usdt/debug_file}; do
		echo "$source/providers/$file.c"
	done
	for file in ${patch:+stepped} image drain directory reads window world; do
		echo "$source/tests/fuzz/support/$file.c"
	done
	echo "$source/tests/compiler/runner.c"
	echo "$source/tests/lib/scratch.c"
}

rm -f "$build"/o/*.o
shared | xargs -P "$jobs" -n 1 sh -c '
	object=$build/o/$(echo "${0#"$source"/}" | tr / - | sed "s/c\$/o/")
	case $0 in
	"$source"/libtbuf/*)
		;;
	*)
		compile="$compile $dlang"
		;;
	esac
	$compile -c "$0" -o "$object"'
rm -f "$build/libfuzz.a"
ar rcs "$build/libfuzz.a" "$build"/o/*.o

for target in $targets; do
	case $target in
	dwarf)
		echo "$target $(pkg-config --cflags --libs libdw)"
		;;
	object | patch)
		echo "$target -lZydis"
		;;
	*)
		echo "$target"
		;;
	esac
# xargs -L joins a line that ends in a blank with the next one.
done | sed 's/ *$//' | link=-fsanitize=fuzzer xargs -P "$jobs" -L 1 sh -c '
	target=$0
	$compile $dlang $link "$source/tests/fuzz/$target.c" \
	    "$build/libfuzz.a" "$@" $(pkg-config --libs libbsd-overlay) \
	    -lpthread -o "$build/bin/$target"'

# unpack CORPUS DIRECTORY: writes each input, a line in hexadecimal, to a file.
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

for target in $targets; do
	unpack "$source/tests/fuzz/corpus/$target" "$build/$target.corpus"
	mkdir -p "$build/$target.found"
done

# Each target's output is printed at once, when it has ended.
export seconds seed="${FUZZ_SEED-0}"
rm -f "$build"/*.failed
printf '%s\n' $targets | xargs -P "$jobs" -n 1 sh -c '
	status=0
	echo "not known" >"$build/$0.failed"
	"$build/bin/$0" -max_total_time="$seconds" -timeout=20 -seed="$seed" \
	    -max_len=512 -print_final_stats=1 -detect_leaks=1 \
	    -artifact_prefix="$build/$0.found/" "$build/$0.corpus" \
	    >"$build/$0.log" 2>&1 || status=$?
	said=$(sed -n "s/^stat::number_of_executed_units: */   executed: /p" \
	    "$build/$0.log")
	if [ $status -ne 0 ]; then
		said=$(tail -n 60 "$build/$0.log"; echo "$said")
		echo $status >"$build/$0.failed"
	else
		rm "$build/$0.failed"
	fi
	printf "== %s\n%s\n" "$0" "$said"' || true

# The failures are printed again, as a log may have lost its first lines.
failures=0
for target in $targets; do
	[ -e "$build/$target.failed" ] || continue
	failures=$((failures + 1))
	printf '== FAIL %s (status %s)\n' "$target" \
	    "$(cat "$build/$target.failed")"
	grep -E -A 25 "ERROR: |runtime error: |check failed: |: does not end" \
	    "$build/$target.log" | head -n 40
	tail -n 15 "$build/$target.log"
done
echo "fuzz: $failures of $(printf '%s\n' $targets | wc -l) targets failed"
[ "$failures" -eq 0 ]
