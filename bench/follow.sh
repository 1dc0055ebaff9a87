#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Cost of following short processes with all system calls traced, in CPU time of
# the processes and of tbufctl: an exec of a shell script, a fork, and a build.
# The fastest of some turns counts, less that of a run without execs or forks.

set -eu
: "${top_builddir:?}" "${top_srcdir:?}"

times=100 turns=${TURNS:-11}
spent=$top_builddir/bench/spent
forks=$top_builddir/bench/forks
tbufctl=$top_builddir/tbufctl/.libs/tbufctl
TBUF_PROVIDERS=$(cd "$top_builddir/.libs" && pwd)
if ! [ -x "$tbufctl" ] || ! [ -x "$spent" ] || ! [ -x "$forks" ] ||
    ! [ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ]; then
	echo "follow: no $tbufctl, no syscall provider, no $spent, or no $forks"
	exit 0
fi
scratch=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$scratch"' EXIT
LD_LIBRARY_PATH=$TBUF_PROVIDERS
TBUF_DIR=$scratch/run
export LD_LIBRARY_PATH TBUF_DIR TBUF_PROVIDERS

cat >"$scratch/exec" <<'EOF'
while [ $1 -gt 0 ]; do
	/bin/true
	set $(($1 - 1))
done
EOF
# bench/forks reads the number as eight bytes.
cat >"$scratch/fork" <<EOF
printf "\\\\\$(printf %o \$1)\\\\0\\\\0\\\\0\\\\0\\\\0\\\\0\\\\0" | $forks >/dev/null
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
		turn $how exec $times
		turn $how fork $times
	done
done
for _ in 1 2 3; do
	for how in plain records counts; do
		turn $how build 1
	done
done

# us HOW WHAT TIMES: us each.
us()
{
	sort -n "$scratch/$1.$2.none" | head -n 1 >"$scratch/none"
	sort -n "$scratch/$1.$2" | head -n 1 | awk -v times="$3" \
	    -v none="$(cat "$scratch/none")" '{ print ($1 - none) / times }'
}

# row NAME HOW WHAT TIMES BASE FIGURE: compares with another way.
row()
{
	echo "$(us "$2" "$3" "$4") $(us "$5" "$3" "$4")" | awk -v name="$1" \
	    -v base="$5, ms" -v figure="$6" '{
		printf "%-38s %9.2f  %-30s %9.2f  %+6.2f  %s  x%.2f\n", name,
		    $1 / 1000, base, $2 / 1000, ($1 - $2) / 1000, figure,
		    $1 / $2
	}'
}

row 'exec, followed, system calls, ms' records exec $times plain '<= +1.00'
row 'exec, followed, aggregated, ms' counts exec $times records '<= +0.50'
row 'fork, followed, system calls, ms' records fork $times plain '<= +0.40'
row 'fork, followed, aggregated, ms' counts fork $times plain '<= +0.40'
row 'a build, followed, system calls, ms' records build 1 plain '<= x1.30'
row 'a build, followed, aggregated, ms' counts build 1 plain '<= x1.30'
