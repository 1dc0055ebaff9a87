#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbufctl over targets that rewrite their own control files, in each of its
# modes: it ends, and no sanitizer has a report.  RUNS is the number of runs
# (20), SEED the first of their seeds; `SEED=N RUNS=1` repeats one, but for the
# times.  With a sanitized build, as another user's target under root:
#
#	make check TESTS=tests/stress/rewrite.sh RUNS=1000

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
rewriter=$top_builddir/tests/stress/rewriter
runs=${RUNS:-20} seed=${SEED:-$(date +%s)}
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
cd "$SCRATCH" || exit 1
mkfifo ready
report=99
ASAN_OPTIONS="${ASAN_OPTIONS-}:exitcode=$report"
UBSAN_OPTIONS="${UBSAN_OPTIONS-}:exitcode=$report"
export ASAN_OPTIONS UBSAN_OPTIONS
# shellcheck disable=SC3045 # dash and bash have it
ulimit -c unlimited
echo "seed $seed"

# start OPTIONS: starts a target with its recorder, if there are options.
start()
{
	rm -rf dir core*
	mkdir -m 700 dir
	TBUF_OPTIONS=$1 ASAN_OPTIONS="$ASAN_OPTIONS:disable_coredump=0" \
	    "$rewriter" "$seed" >ready 2>target &
	pid=$!
	read -r word <ready
}

stop()
{
	kill -KILL $pid
	wait $pid
} 2>/dev/null

# look ARGUMENT ...: runs tbufctl for a while.
look()
{
	used="$used tbufctl $*;"
	timeout -s INT -k 20 "${LOOK:-0.5}" "$TBUFCTL" "$@" >out 2>err </dev/null
	status=$?
	looks=$((looks + 1))
	# 124: timeout has sent SIGINT; 137: and SIGKILL.
	case $status in
	0 | 1 | 2 | 124 | 130)
		;;
	*)
		bad="$bad status $status of tbufctl $*: $(grep -v \
		    '^tbufctl:' err | head -n 60)"
		;;
	esac
	grep -qE 'Sanitizer|runtime error:' err &&
		bad="$bad $(tail -n 100 err)"
	ended=$((ended + (status == 0)))
	grep -qE '^tbufctl: total: [1-9]' err && records=$((records + 1))
}

# number N: draws a number below N for this run.
number()
{
	drawn=$(((drawn * 1103515245 + 12345) & 2147483647))
	got=$((drawn / 1024 % $1))
}

# trace ARGUMENT ...: with options of buffers that are drawn.
trace()
{
	number 5
	case $got in
	0)
		set -- -x bufpolicy=ring "$@"
		;;
	1)
		set -- -x bufpolicy=fill "$@"
		;;
	2)
		set -- -x temporal "$@"
		;;
	3)
		set -- -x switchrate=200hz "$@"
		;;
	4)
		set -- -x bufscope=thread "$@"
		;;
	esac
	number 4
	case $got in
	0)
		set -- -b 4k "$@"
		;;
	1)
		set -- --format=json "$@"
		;;
	2)
		set -- -x nunits=16 "$@"
		;;
	esac
	look "$@"
}

# program TEXT: traces the target with a program of D.
program()
{
	trace -p $pid -n "$1"
}

one()
{
	number 26
	case $got in
	0 | 1)
		trace -p $pid -n rw:::
		;;
	2)
		trace -n rw:::
		;;
	3)
		trace -p $pid -n 'rw:::{ record(); }'
		;;
	4)
		program 'rw:::words { trace(arg0); trace(copyinstr(arg1)); }'
		;;
	5)
		program 'rw:::words { printf("%s %*d\n", copyinstr(arg1),
		    (int)arg0, (int)arg0); }'
		;;
	6)
		program 'rw:::number { @a[arg0 % 100] = quantize(arg0);
		    @b[arg1] = avg(arg0); } tick-50hz { printa(@a); trunc(@a); }'
		;;
	7)
		program 'rw:::words { @[copyinstr(arg1), tid] = lquantize(arg0,
		    0, 1000, 10); }'
		;;
	8)
		program 'rw::: { @[ustack()] = count(); ustack(); usym(arg0); }'
		;;
	9)
		program 'rw:::number { self->n = arg0; a[arg1] = timestamp;
		    b[arg0] = arg1; } rw:::words /self->n/ { trace(self->n);
		    trace(a[self->n % 7]); self->n = 0; }'
		;;
	10)
		program 'rw:::number { self->s = speculation();
		    speculate(self->s); trace(arg0); } rw:::bytes /self->s/ {
		    commit(self->s); self->s = 0; }'
		;;
	11)
		program 'rw:::bytes { print(arg1); tracemem(arg1, 64);
		    @ = max(arg0); }'
		;;
	12)
		program 'profile-499 { @[ustack()] = count(); } rw:::number {
		    @[ustack()] = count(); }'
		;;
	13)
		look -l -v -p $pid
		look -l -v
		;;
	14)
		look --stat -p $pid
		look --stat=10ms
		;;
	15)
		look --units
		look --units=$pid
		look --units=stat
		;;
	16)
		look --set='traceFacility=Memory' -p $pid
		look --unwrap=$pid
		;;
	17)
		look --snapshot -n rw:::
		look --snapshot=$pid --format=json
		;;
	18)
		look --read=$pid -x temporal
		look --read=$pid -n 'rw:::number { @[arg1] = sum(arg0); }'
		;;
	19)
		trace -F -q -p $pid -n rw:::
		;;
	20)
		trace --format=log --with=date,delta,elapsed,name,cpu,execname \
		    -p $pid -n rw:::
		;;
	21)
		trace -p $pid --format=chrome -x pair=number,bytes -n rw:::
		trace -p $pid --format=perfetto -x pair=number,bytes -n rw:::
		;;
	22)
		trace -p $pid -x nunits=64 -x unitselect='failure:*' -n rw:::
		;;
	*)
		dead
		;;
	esac
}

# dead: looks at the file of a target that has been killed, and at copies.
dead()
{
	for file in dir/tbuf.*; do
		cp --sparse=always "$file" copy
		break
	done
	[ $((seed % 2)) -eq 0 ] || echo 0x3b >/proc/$pid/coredump_filter
	kill -ABRT $pid
	wait $pid
	look --read copy -x temporal
	look --read copy --format=json
	look --left
	look --read=$pid
	look --read copy -n 'rw:::words { @[copyinstr(arg1)] = count(); }'
	look --units=copy
	look --unwrap=copy
	for file in core*; do
		[ ! -e "$file" ] || look --core "$file" --format=json
	done
	look --left=remove
} 2>/dev/null

failed=0 looks=0 ended=0 records=0 n=0
while [ $n -lt "$runs" ]; do
	drawn=$seed bad='' used=''
	number 3
	case $got in
	0)
		options=''
		;;
	1)
		options='bufpolicy=ring,bufsize=64k,probes=rw:::'
		;;
	2)
		options='bufsize=256k,nunits=32,probes=rw:::'
		;;
	esac
	start "$options"
	one
	stop
	if [ -n "$bad" ]; then
		failed=$((failed + 1))
		printf 'FAIL seed %s:%s\n%s\n' "$seed" "$used" "$bad"
	fi
	seed=$((seed + 1)) n=$((n + 1))
done
echo "tbufctl ran $looks times: $ended ended with 0, $records had records"
echo "$((runs - failed)) passed, $failed failed"
[ $failed -eq 0 ]
