#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A fire touches no vector register, and calls no function of another library:
# redirected code calls a fire without saving those registers.  Only the provider
# pid reads those that have arguments, which it stores and does not change.

: "${top_builddir:?}"

if [ -n "$SANITIZER" ]; then
	echo "a sanitizer calls its run-time library"
	exit 77
fi

case $(uname -m) in
x86_64)
	registers='%[xyz]mm[0-9]\|%k[0-7]\|%st\b\|%mm[0-7]'
	stores='	movq  *%xmm[0-7],[x0-9a-f]*(%[a-z0-9]*)$'
	;;
aarch64)
	registers='\b[bdhqsvz][0-9][0-9]*\b'
	stores='	stp	d[0-7], d[0-7], \[x[0-9]*\(, #[0-9]*\)\?\]$'
	;;
*)	exit 77 ;;
esac

# Only objects with an existing source count: a build folder may have old ones.
objects=$(cd "$top_builddir" &&
    find libtbuf -name 'libtarget_la-*.o' -o -name 'libplain_la-*.o' |
    while read -r object; do
	source=$(echo "$object" | sed 's|/\.libs/|/|; s|/lib[a-z]*_la-|/|; s|o$|c|')
	[ -e "${top_srcdir:?}/$source" ] && echo "$PWD/$object"
done)
failures=0

fail()
{
	echo "$*" >&2
	failures=$((failures + 1))
}

# The stubs of providers call these.
stubs=$(find "$top_builddir/providers" -name 'libsyscall_fire_la-*.o' \
    -o -name 'libusdt_fire_la-*.o' -o -name 'libpid_fire_la-*.o')

# All objects of the target side are checked, as a fire calls many of them.
for object in $objects $stubs; do
	case $object in
	*libpid_fire_la-fire.o) read=$stores ;;
	*)	read='^$' ;;
	esac
	objdump -d --no-show-raw-insn "$object" | grep -v "$read" |
	    grep "	.*\($registers\)" && fail "$object: vector registers"
	# Compilers call these to zero or to copy a structure.
	nm -u "$object" | grep -wE 'mem(cpy|move|set)|__mem[a-z]*_chk' &&
		fail "$object: memory by the C library"
	case $object in
	*/target/fire/* | */target/lane/* | */target/clause/* | */machine/*)
		nm -u "$object" | grep -w memcmp &&
			fail "$object: a comparison by the C library"
		;;
	esac
done

# A fire calls the C library only in a new thread, or if no counter can be read.
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
