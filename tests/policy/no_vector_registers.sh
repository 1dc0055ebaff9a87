#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A fire touches no vector register and calls nobody else's function: code that
# is redirected calls it where nothing has saved those registers.

: "${top_builddir:?}"

if [ -n "$SANITIZER" ]; then
	echo "a sanitizer calls its run-time library"
	exit 77
fi

case $(uname -m) in
x86_64)	registers='%[xyz]mm[0-9]\|%k[0-7]\|%st\b\|%mm[0-7]' ;;
aarch64) registers='\b[bdhqsvz][0-9][0-9]*\b' ;;
*)	exit 77 ;;
esac

# Only objects whose sources are there: a build folder may have others left.
objects=$(cd "$top_builddir" &&
    find libtbuf -name 'libtarget_la-*.o' | while read -r object; do
	source=$(echo "$object" | sed 's|/\.libs/|/|; s|/libtarget_la-|/|; s|o$|c|')
	[ -e "${top_srcdir:?}/$source" ] && echo "$PWD/$object"
done)
failures=0

fail()
{
	echo "$*" >&2
	failures=$((failures + 1))
}

# What the stubs of providers call.
stubs=$(find "$top_builddir/providers" -name 'libsyscall_fire_la-*.o' \
    -o -name 'libusdt_fire_la-*.o')

# All of the target side, for a fire calls some of it.
for object in $objects $stubs; do
	objdump -d --no-show-raw-insn "$object" | grep "	.*\($registers\)" &&
		fail "$object: vector registers"
	# What compilers call where a structure is zeroed or copied.
	nm -u "$object" | grep -wE 'mem(cpy|move|set)' &&
		fail "$object: memory by the C library"
done

# A fire calls the C library only when a thread is new, or where there is no
# counter to be read.
for name in target/fire/fire target/lane/cpu_lane target/lane/lock_lane \
    target/lane/pack_args 'machine/[a-z_]*'; do
	found=$(echo "$objects" | grep "/libtbuf/${name%/*}/\(\.libs/\)\?libtarget_la-${name##*/}\.o\$") || {
		fail "$name: no object"
		continue
	}
	for object in $found; do
		nm -u "$object" | awk '{ print $NF }' | grep -v \
		    '^tbuf_\|^__rseq_\|^_GLOBAL_OFFSET_TABLE_$' &&
			fail "$object: functions of others"
	done
done
[ $failures -eq 0 ]
