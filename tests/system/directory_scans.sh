#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A consumer reads its runtime directory when a file was added, but not when a
# process that it follows has ended, or its file has become a spare.  It punches
# no holes into files that it removes, looks up its own namespace of pids once,
# and reads no mappings of a process that is older than its command.

set -u
: "${top_builddir:=.}"
TBUFCTL=${TBUFCTL:-$top_builddir/tbufctl/tbufctl}

[ -z "${SANITIZER-}" ] || exit 77
command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null ||
    { echo "no strace"; exit 77; }

. "${top_srcdir:?}/tests/lib/scratch.sh"
TBUF_DIR=$SCRATCH_SHM/scans
mkdir -m 700 "$TBUF_DIR"
TBUF_PROVIDERS=$(cd "$top_builddir/.libs" && pwd)
export TBUF_DIR TBUF_PROVIDERS

# scans N: prints how many directories are read while a command executes N
# programs.
scans()
{
	strace -o "$SCRATCH/calls" \
	    -e trace=getdents64,fallocate,newfstatat,unlinkat,renameat2,openat \
	    "$TBUFCTL" -q -Z -n libc::none: --follow -o /dev/null -c "sh -c '
		i=0
		while [ \$i -lt $1 ]; do /bin/true; i=\$((i + 1)); done'" \
	    >"$SCRATCH/out" 2>&1 || { cat "$SCRATCH/out" >&2; exit 1; }
	# Each scan ends with a call that returns 0.
	grep -c 'getdents64(.* = 0$' "$SCRATCH/calls"
}

few=$(scans 1) || exit 1
many=$(scans 41) || exit 1
echo "$few directories read, $many with 40 programs more"
[ "$few" -gt 0 ] && [ $((many - few)) -le 50 ] || exit 1

removed=$(grep -cE '(unlink|rename)at2?\(.*"tbuf\..* = 0$' "$SCRATCH/calls")
holes=$(grep -c PUNCH_HOLE "$SCRATCH/calls")
looks=$(grep -c 'self/ns/pid"' "$SCRATCH/calls")
echo "$removed files removed, $holes holes, $looks looks at the namespace"
maps=$(grep -c '"/proc/1/maps"' "$SCRATCH/calls")
[ "$removed" -gt 10 ] && [ "$holes" -le 5 ] && [ "$looks" -le 5 ] &&
    [ "$maps" -eq 0 ]
