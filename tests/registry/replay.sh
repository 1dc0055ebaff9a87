#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbuf-replay makes the calls of a recording's malloc family again: of a program
# whose calls are known, and of the C compiler, with this malloc and, where they
# are installed, libjemalloc2 and libmimalloc2.0.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
[ -z "$SANITIZER" ] || {
	echo "a sanitizer has a malloc of its own"
	exit 77
}
. "$top_srcdir/tests/lib/tbufctl.sh"
replay=$top_builddir/replay/.libs/tbuf-replay
[ -e "$replay" ] || replay=$top_builddir/replay/tbuf-replay
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
probes=
for f in malloc calloc realloc reallocarray free posix_memalign aligned_alloc \
    memalign valloc pvalloc; do
	probes="$probes;libc::$f:"
done

# record FILE COMMAND ...: records the command's calls; all find room.
record()
{
	to=$1
	shift
	rm -f dir/tbuf.*
	options="bufpolicy=${policy-fill},bufsize=${size-64m}"
	TBUF_OPTIONS="$options,probes=${probes#;}" \
	    LD_PRELOAD="$top_builddir/.libs/libtbuf-libc.so" "$@"
	mv dir/tbuf.* "$to"
}

# replayed FILE NAME ...: replays it, and prints these numbers.
replayed()
{
	"$replay" "$1" >replayed || echo "status $?"
	shift
	for name; do
		sed -n "s/^$name  *\([0-9]*\).*/\1/p" replayed
	done | tr '\n' ' '
}

losses='refused:unknown frees:failed calls:drops:overwritten:damage'
every()
{
	(IFS=:; replayed "$1" $2)
}

# Other functions of the program may allocate as well: pthread_create() does.
record known "$top_builddir/tests/registry/replay_target"
same 'no losses' '0 0 0 0 0 0 ' "$(every known "$losses")"
same 'calls' '300 1 1 1 ' "$(every known \
    realloc:posix_memalign:memalign:aligned_alloc)"
calls=$(every known malloc:free:threads)
for n in $calls; do
	echo "$n"
done >numbers
same 'all of them' '1 1 1' "$(awk 'NR == 1 { m = $1 >= 301 }
    NR == 2 { f = $1 >= 304 } NR == 3 { t = $1 == 4 }
    END { print m, f, t }' numbers)"
# 300 blocks of 2000 bytes live at once; one of 7777 is left.
same 'peak live' 1 "$(every known 'peak live' |
    awk '{ print ($1 >= 600000 && $1 < 700000) }')"
same 'live' 1 "$(every known 'live at the end' |
    awk '{ print ($1 >= 7777 && $1 < 20000) }')"

# The beginning is overwritten: some frees have no block.
policy=ring size=4k record cut "$top_builddir/tests/registry/replay_target"
same 'a ring: status' 0 "$("$replay" cut >replayed; echo $?)"
same 'a ring: overwritten' 1 "$(sed -n 's/^overwritten  *//p' replayed |
    awk '{ print ($1 > 0) }')"
same 'a ring: unknown frees' 1 "$(sed -n 's/^unknown frees  *//p' replayed |
    awk '{ print ($1 > 0) }')"
# A full buffer drops the end.
policy=fill size=4k record cut "$top_builddir/tests/registry/replay_target"
same 'drops' 1 "$(every cut drops | awk '{ print ($1 > 0) }')"

# A recording of tbufctl's says the same, in chunks as well.
target=$top_builddir/tests/registry/replay_target
exact='realloc:posix_memalign:memalign:aligned_alloc:refused:failed calls'
exact="$exact:drops:overwritten:damage"
expected='300 1 1 1 0 0 0 0 0 '
families=$(echo "${probes#;}" | tr ';' ',')
# record_directory DIR OPTION ...: by a run of tbufctl.
record_directory()
{
	directory=$1
	shift
	"$TBUFCTL" -q -b 4m --record="$directory" -n "$families" "$@" \
	    2>errors || cat errors
}
same 'a control file' "$expected" "$(every known "$exact")"
record_directory calls -c "$target"
same 'a recording' "$expected" "$(every calls "$exact")"
same 'its trace' "$expected" "$(every calls/* "$exact")"
record_directory chunks -x recordsize=4m -c "$target"
same 'a recording of chunks' "$expected" "$(every chunks "$exact")"
record_directory two -x follow -c "sh -c '$target; $target; exit 0'"
pids=$(ls two | sed 's/\..*//')
same 'processes: status' 1 "$("$replay" two >replayed 2>errors; echo $?)"
same 'processes: message' 'tbuf-replay: calls of several processes: -p names'\
' one of them (example: -p N, which is P)' \
    "$(sed 's/-p [0-9]*, which is [a-z_]*/-p N, which is P/' errors)"
for pid in $pids; do
	"$replay" -p "$pid" two 2>errors |
	    sed -n 's/^\(realloc\|aligned_alloc\)  *//p' | tr '\n' ' '
	echo
done | grep -c '^300 1 $' >number
same 'processes: each' 2 "$(cat number)"
same 'processes: none' 1 "$("$replay" -p 1 two 2>errors; echo $?)"
mkdir empty
same 'no recording' "tbuf-replay: failed to read empty: it is not a"\
' recording (tbufctl --record=DIR)' "$("$replay" empty 2>&1)"
same 'no pid' "tbuf-replay: -p: '0' is not a pid (example: 4711) 2" \
    "$("$replay" -p 0 two 2>&1) $("$replay" -p 0 two 2>errors; echo $?)"

echo 'no recording' >other
same 'not a recording: message' \
    'tbuf-replay: failed to read other: not a control file' \
    "$("$replay" other 2>&1)"
same 'not a recording' 1 "$("$replay" other 2>/dev/null; echo $?)"
same 'no argument' 2 "$("$replay" 2>/dev/null; echo $?)"
same 'two arguments' 2 "$("$replay" a b 2>/dev/null; echo $?)"

# The compiler.
cc1=$(gcc -print-prog-name=cc1 2>/dev/null)
if [ -x "$cc1" ]; then
	awk 'BEGIN { for (i = 0; i < 100; i++)
	    printf("int f%d(int x) { return x * %d + f%d(x); }\n", i, i,
	    i < 1 ? 0 : i - 1) }' | sed '1s/^/int f0(int);/' >large.c
	record gcc "$cc1" -quiet -O2 large.c -o large.s
	same 'gcc: no losses' '0 0 0 0 0 0 ' "$(every gcc "$losses")"
	here=$(every gcc 'calls:live blocks:peak live:live at the end')
	same 'gcc: calls' 1 "$(echo "$here" | awk '{ print ($1 > 3000) }')"
	for library in libjemalloc.so.2 libmimalloc.so.2.0; do
		path=$(ldconfig -p 2>/dev/null | sed -n "s/.*$library .*=> //p" |
		    head -n 1)
		[ -n "$path" ] || {
			echo "skipped: $library is not installed"
			continue
		}
		same "gcc: $library" "$here" "$(LD_PRELOAD=$path every gcc \
		    'calls:live blocks:peak live:live at the end')"
	done
else
	echo "skipped: no cc1"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
