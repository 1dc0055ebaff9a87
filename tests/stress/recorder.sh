#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# kvd records itself and is killed under load, RUNS times by each of SIGKILL,
# SIGSEGV and SIGABRT (300 times in `make stress`).  A request is recorded
# before its client gets the answer: the file has one complete record for each
# answered request.  The policies ring and fill alternate.  Without rseq a
# thread drops records while all lock lanes are held by threads that do not run;
# the drops are reported.

set -eu
: "${top_builddir:?}" "${RUNS:=3}"
. "${top_srcdir:?}/tests/lib/scratch.sh"
dir=$SCRATCH
tbufctl=$top_builddir/tbufctl/tbufctl

# The test does not need a core.
# shellcheck disable=SC3045
ulimit -c 0
mkdir -m 700 "$dir/tbuf"
TBUF_DIR=$dir/tbuf
export TBUF_DIR
unset TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_KEEP

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# begin OPTIONS: starts kvd and its load.
begin() {
	rm -f "$dir/kvd.sock"
	TBUF_OPTIONS=$1 "$top_builddir/examples/kvd" "$dir/kvd.sock" &
	kvd=$!
	until "$top_builddir/examples/kvload" --requests=1 --connections=1 \
	    "$dir/kvd.sock" >"$dir/first" 2>&1; do
		:
	done
	# The load may be killed before it has begun.
	: >"$dir/load"
	"$top_builddir/examples/kvload" --requests=0 --connections=4 \
	    "$dir/kvd.sock" >"$dir/load" 2>&1 &
	load=$!
}

# Each request must have one record; the last ones may have had no answer.
whole='
/^tbufctl: total: / { total = $3; lost = $5; drops = $7; next }
/^tbufctl: [0-9]+ drops? on CPU / && locks { next }
/^tbufctl: / { print; bad = 1; next }
{
	if (!match($0, /^id=[0-9]+ status="(OK|NONE|VALUE)"$/)) {
		print "torn: " $0; bad = 1
	}
	id = substr($1, 4) + 0
	if (id in seen) { print "twice: " id; bad = 1 }
	seen[id] = 1
	n++
	if (id > last) last = id
}
END {
	if (n != total) { print n " records, " total " told"; bad = 1 }
	if (!locks) { lost += drops; drops = 0 }
	if (lost != 0) { print lost " lost"; bad = 1 }
	if (n + drops < answered) {
		print n " records, " answered " answers"; bad = 1
	}
	for (id = 1; id <= answered; id++)
		missing += !(id in seen)
	# A worker that was killed has taken an id, and recorded nothing.
	if (missing > threads + drops) { print missing " missing"; bad = 1 }
	exit bad
}'

locks=0
case ${GLIBC_TUNABLES-} in
*rseq=0*) locks=1 ;;
esac

# one SIGNAL NUMBER: a single run
one() {
	policy=ring
	[ $(($2 % 2)) -eq 0 ] || policy=fill
	begin "bufpolicy=$policy,bufsize=16m,probes=request-done"
	sleep "0.0$(($2 % 5))$((RANDOM_BASE % 10))"
	RANDOM_BASE=$((RANDOM_BASE * 7 % 101))
	kill -s "$1" $kvd
	wait $kvd 2>/dev/null && fail "kvd survived SIG$1"
	# The load may still be waiting for a server.
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
	answered=$(sed -n 's/^seed [0-9]*: \([0-9]*\) requests.*/\1/p' \
	    "$dir/load")
	# The load may have started too late to be served.
	: "${answered:=0}"
	"$tbufctl" -q --read $kvd >"$dir/records" 2>&1 ||
	    fail "$(cat "$dir/records")"
	awk -v answered=$((answered + 1)) -v threads=4 \
	    -v locks=$locks "$whole" \
	    "$dir/records" >"$dir/why" ||
	    fail "SIG$1, run $2, $policy: $(head -n 5 "$dir/why")"
	records=$((records + $(wc -l <"$dir/records") - 1))
	rm -f "$TBUF_DIR"/tbuf.*
}

seed=${SEED:-$$}
echo "seed $seed"
RANDOM_BASE=$((seed % 97 + 3)) records=0
for signal in KILL SEGV ABRT; do
	i=0
	while [ $i -lt "$RUNS" ]; do
		i=$((i + 1))
		one $signal $i
	done
done
echo "$((3 * RUNS)) kills, $records records, none missing, none torn"
