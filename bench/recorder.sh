#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Cost of a recorder for a server under load (recorder.c describes the method):
# kvd without one, and recording all of its probes into a ring of 1 MiB a CPU,
# in memory and with TBUF_DIR on a disk.

set -eu
: "${top_builddir:?}"

kvload=$top_builddir/examples/kvload
if ! [ -x "$kvload" ]; then
	echo "recorder: no $kvload"
	exit 0
fi
memory=$(mktemp -d -p /dev/shm)
disk=$(mktemp -d -p "${TBUF_DISK:-/var/tmp}")
trap 'rm -rf "$memory" "$disk"' EXIT
unset TBUF_OPTIONS TBUF_KEEP

# measure WHERE DIRECTORY: runs the bench with TBUF_DIR set.
measure()
{
	echo "recorder: $1"
	TBUF_DIR=$2 "$top_builddir/bench/recorder" "$kvload" "$memory/socket"
}

measure 'in memory' "$memory"
case $(stat -f -c %T "$disk") in
tmpfs | ramfs)
	echo "recorder: $disk is not on a disk: TBUF_DISK says where one is"
	;;
*)
	measure 'on a disk' "$disk"
	;;
esac
