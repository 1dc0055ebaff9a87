#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Cost of following short processes with all system calls traced: an exec of a
# shell script, a fork, and a build; elapsed, and in CPU time of the processes
# and of tbufctl, which run side by side.  The fastest of some turns counts, less
# that of a run without execs or forks.

set -eu
: "${top_builddir:?}" "${top_srcdir:?}"

execs=100 forks=1000 turns=${TURNS:-11}
spent=$top_builddir/bench/spent
FORKS=$top_builddir/bench/forks
tbufctl=$top_builddir/tbufctl/.libs/tbufctl
TBUF_PROVIDERS=$(cd "$top_builddir/.libs" && pwd)
if ! [ -x "$tbufctl" ] || ! [ -x "$spent" ] || ! [ -x "$FORKS" ] ||
    ! [ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ]; then
	echo "follow: no $tbufctl, no syscall provider, no $spent, or no $FORKS"
	exit 0
fi
scratch=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$scratch"' EXIT
LD_LIBRARY_PATH=$TBUF_PROVIDERS
TBUF_DIR=$scratch/run
export FORKS LD_LIBRARY_PATH TBUF_DIR TBUF_PROVIDERS

cat >"$scratch/exec" <<'EOF'
while [ $1 -gt 0 ]; do
	/bin/true
	set $(($1 - 1))
done
EOF
# bench/forks reads the number as eight bytes.
cat >"$scratch/fork" <<'EOF'
low=$(printf %o $(($1 % 256))) high=$(printf %o $(($1 / 256)))
printf "\\$low\\$high\\0\\0\\0\\0\\0\\0" | "$FORKS" >/dev/null
EOF
cat >"$scratch/build" <<EOF
cd $top_srcdir
for file in libtbuf/base/*.c libtbuf/machine/[a-i]*.c; do
	[ \$1 = 0 ] || ${BENCH_CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -Ilibtbuf \
	    -Ilibtbuf/include -c -o $scratch/object \$file
done
EOF

plain()
{
	"$spent" sh "$scratch/$1" "$2"
}

follow()
{
	"$spent" "$tbufctl" -q -n "$3" --follow -o /dev/null \
	    -c "sh $scratch/$1 $2" 2>/dev/null
}

records()
{
	follow "$1" "$2" 'syscall:::'
}

counts()
{
	follow "$1" "$2" 'syscall:::entry { @[probefunc] = count(); }'
}

# turn HOW WHAT TIMES: adds to the times of it.
turn()
{
	$1 "$2" 0 >>"$scratch/$1.$2.none"
	$1 "$2" "$3" >>"$scratch/$1.$2"
}

for _ in $(seq "$turns"); do
	for how in plain records counts; do
		turn $how exec $execs
		turn $how fork $forks
	done
done
for _ in 1 2 3; do
	for how in plain records counts; do
		turn $how build 1
	done
done

# us COLUMN HOW WHAT TIMES: us each; column 1 is elapsed, 2 CPU time.
us()
{
	cut -d ' ' -f "$1" "$scratch/$2.$3.none" | sort -n | head -n 1 \
	    >"$scratch/none"
	cut -d ' ' -f "$1" "$scratch/$2.$3" | sort -n | head -n 1 |
	    awk -v times="$4" -v none="$(cat "$scratch/none")" \
	    '{ print ($1 - none) / times }'
}

# row NAME HOW WHAT TIMES BASE FIGURE: compares with another way.
row()
{
	for column in 1 2; do
		us $column "$2" "$3" "$4"
		us $column "$5" "$3" "$4"
	done | tr '\n' ' ' | awk -v name="$1" -v base="$5" -v figure="$6" '{
		printf "%-34s %8.2f  %-8s %8.2f  %+7.2f  x%.2f  %-8s" \
		    "  CPU %+7.2f  x%.2f\n", name, $1 / 1000, base, $2 / 1000,
		    ($1 - $2) / 1000, $1 / $2, figure, ($3 - $4) / 1000,
		    $3 / $4
	}'
}

row 'exec, followed, calls, ms' records exec $execs plain '<= +1.00'
row 'exec, followed, aggregated, ms' counts exec $execs records '<= +0.50'
row 'fork, followed, calls, ms' records fork $forks plain '<= +0.40'
row 'fork, followed, aggregated, ms' counts fork $forks plain '<= +0.40'
row 'a build, followed, calls, ms' records build 1 plain '<= x1.30'
row 'a build, followed, aggregated, ms' counts build 1 plain '<= x1.30'
