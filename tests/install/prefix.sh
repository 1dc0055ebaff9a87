#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A build that is configured again for another prefix rebuilds the files that
# contain the prefix: libtool refuses to install libraries for another
# directory.

set -eu
: "${top_builddir:?}"
. "${top_srcdir:?}/tests/lib/scratch.sh"
plan=$SCRATCH/plan

cd "$top_builddir"
[ -s directories ] || { echo 'FAIL: no list of directories' >&2; exit 1; }
env -u MAKEFLAGS -u MAKELEVEL make -n -W directories all-am >"$plan"
for output in libtbuf.la libtbuf-libc.la libtbuf-list.la \
    tbufctl/run/libtbufctl_a-preload.o; do
	grep -q -e " -o $output " "$plan" || {
		echo "FAIL: $output is left as it was" >&2
		exit 1
	}
done
