#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Stubs keep off what a program's heap and its first stack may grow into: 2 GiB
# of the one, and the other up to 8 MiB and to a limit that is raised; of a
# program at a fixed address, of one at any, and with the probes in a library.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:?}"
# The program would need the sanitizer's library too.
[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-usdt.so" ] || exit 77
# Its programs have instructions in them.
[ "$(uname -m)" = x86_64 ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW CFLAGS LD_PRELOAD
unset TBUF_USDT TBUF_USDT_FILES TBUF_USDT_LIST
source=$(cd "$top_srcdir" && pwd)/tests/providers/usdt/programs/grow.c
cd "$SCRATCH" || exit 1

sites=400

# compile PROGRAM FLAG ...
compile() {
	program=$1
	shift
	$CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 "$source" "$@" \
	    -o "$program" || exit 1
}

compile fixed -DSITES=$sites -fno-pie -no-pie
compile anywhere -DSITES=$sites -fpie -pie
compile libmany.so -DSITES=$sites -DLIBRARY -fPIC -shared
compile linked -DSITES=0 -fpie -pie ./libmany.so

# grow WHAT COMMAND ...
grow() {
	what=$1
	shift
	# Where memory is short, it does not grow as it is.
	"$@" 2>plain || {
		echo "skipped: $what, which ends with $? as it is: $(cat plain)"
		return
	}
	rm -f list
	LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so TBUF_USDT_LIST=$PWD/list \
	    "$@"
	expect "$what" $? 0
	armed=$(grep -c ': armed$' list)
	expect "$what: sites are armed" "$((armed > sites / 4))" 1
}

grow fixed ./fixed
grow anywhere ./anywhere
grow linked ./linked
# Libraries are near the stack, when nothing is at random: the one room for stubs
# is below them.
grow 'near the stack' setarch -R ./linked

report
