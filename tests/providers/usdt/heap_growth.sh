#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Stubs are not placed where a program's heap and first stack may grow: 2 GiB of
# heap, and 8 MiB of stack or a limit that is raised.  Programs are at a fixed
# address, at any address, or have the probes in a library.

. "${top_srcdir:?}/tests/providers/usdt/common.sh"
source=$top/tests/providers/usdt/programs/grow.c

sites=400

# compile PROGRAM FLAG ...: compiles a program.
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

# grow WHAT COMMAND ...: runs it without and with the provider.
grow() {
	what=$1
	shift
	# With little memory the program does not grow even without the
	# provider.
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
# Without randomization libraries are near the stack: stubs have space below
# them only.
grow 'near the stack' setarch -R ./linked

report
