#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# kvd records itself and ends by SIGSEGV or SIGABRT under load, [N] times each.
# Its core has each record of its control file, complete, and those of all
# answered requests.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer has signals and cores of its own'
	exit 77
}
: "${TBUFCTL:?}" "${top_builddir:?}"
times=${1:-2}
kvd=$top_builddir/examples/kvd kvload=$top_builddir/examples/kvload
export TBUF_DIR="$SCRATCH/dir"
unset TBUF_WINDOW TBUF_DISABLE
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1

fail()
{
	echo "FAIL $*"
	exit 1
}

case $(cat /proc/sys/kernel/core_pattern) in
'|'* | */*)
	echo 'cores go elsewhere (core_pattern)'
	exit 77
	;;
esac
# shellcheck disable=SC3045
[ "$(ulimit -H -c)" = unlimited ] || {
	echo 'cores are limited'
	exit 77
}

# crash SIGNAL REQUESTS STATUS: crashes kvd while two more clients run.
crash()
{
	rm -rf dead && mkdir dead
	(
		cd dead || exit 1
		echo 0x3b >/proc/self/coredump_filter
		# shellcheck disable=SC3045
		ulimit -c unlimited
		export TBUF_OPTIONS='bufpolicy=ring,bufsize=1m,probes=kv:::'
		exec "$kvd" "$SCRATCH/socket"
	) &
	pid=$!
	"$kvload" --requests=0 --connections=2 --seed=1 socket >/dev/null 2>&1 &
	load=$!
	"$kvload" --requests="$2" --seed="$2" socket >summary ||
	    fail "kvload: $(cat summary)"
	kill -s "$1" $pid
	# The shell prints how the process ended.
	wait $pid 2>/dev/null
	status=$?
	wait $load
	[ $status -eq "$3" ] || fail "$1: status $status"
	core=$(echo dead/core*)
	[ -s "$core" ] || {
		echo 'the kernel has written no core'
		exit 77
	}
}

# same SIGNAL: checks that the core has the same records as the file.
same()
{
	file=$(echo "$TBUF_DIR"/tbuf."$pid".*)
	"$TBUFCTL" --read "$file" --with=tid >expected 2>expected.err ||
	    fail "$1: $(cat expected.err)"
	mv "$file" away
	"$TBUFCTL" --core "$core" --with=tid >got 2>got.err ||
	    fail "$1: $(cat got.err)"
	rm away
	cmp expected got || fail "$1: the core differs from the file"
	diff expected.err got.err || fail "$1: the totals differ"
	grep damaged got.err && fail "$1: torn"
	answered=$(sed -n 's/^seed [0-9]*: \([0-9]*\) requests.*/\1/p' summary)
	set -- "$1" "$(sed -n 's/.*total: [0-9]* records, \([0-9]*\) .*/\1/p' \
	    got.err)"
	[ "$2" -gt 0 ] || [ "$(grep -c request-done got)" -ge "$answered" ] ||
	    fail "$1: $answered answers, $(grep -c request-done got) records"
}

i=0
while [ "$i" -lt "$times" ]; do
	i=$((i + 1))
	crash SEGV $((200 + i * 37 % 500)) 139
	same SEGV
	crash ABRT $((200 + i * 37 % 500)) 134
	same ABRT
done
echo "$((2 * times)) cores"
