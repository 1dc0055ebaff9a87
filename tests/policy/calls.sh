#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Functions call downwards, as doc/layers.txt allows, and files call each other
# in a circle only if it lists the circle.  The calls are read from objects by
# nm(1), which shows calls of inline functions in headers as well.

set -u
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/scratch.sh"

[ -z "$SANITIZER" ] || { echo 'a sanitizer has calls of its own'; exit 77; }
case $(${CC:-cc} --version 2>/dev/null) in
*clang*) echo 'the circles are listed as gcc compiles them'; exit 77 ;;
esac
command -v nm >/dev/null || { echo 'no nm(1)'; exit 77; }

# Prints "SOURCE SYMBOL TYPE" for all objects with an existing source: a build
# folder may have old objects.  Objects that providers and tests have of the
# library's sources are skipped.
symbols() {
	(cd "$top_builddir" && {
		find libtbuf \( -name 'libtarget_la-*' -o -name 'libplain_la-*' \
		    -o -name 'libtext_la-*' \
		    -o -name 'libconsumer_la-*' \) -name '*.o'
		find libtbufd tbufctl providers replay -name '*.o'
	} | sort) |
	    while read -r object; do
		source=$(echo "$object" |
		    sed 's|\.libs/||; s|/[^/]*-\([^/]*\)$|/\1|; s|\.o$||')
		[ -e "$top_srcdir/$source.c" ] || continue
		nm "$top_builddir/$object" | awk -v source="$source" '
		    NF > 1 { print source, $NF, $(NF - 1) }'
	done | sort -u
}

# Prints arrows for layers.awk.  The library calls no provider: the provider
# libc defines functions of the C library.  A definition in the caller's folder
# is preferred to others.  A public function that is called from outside of the
# library belongs to its header.
arrows() {
	awk '
	function folder(file) {
		sub(/\/[^\/]*$/, "", file)
		return file
	}
	function is_in(file, component) {
		return index(file, component "/") == 1
	}
	function is_libc(file) {
		return file ~ /^providers\/libc/
	}
	FILENAME == map {
		sub(/;/, "")
		public[$1] = 1
		next
	}
	!again {
		if ($3 ~ /^[TWi]$/) {
			if (!($2 in at))
				at[$2] = $1
			near[folder($1), $2] = $1
		}
		next
	}
	$3 == "U" && ($2 in at) {
		to = at[$2]
		if ((folder($1), $2) in near)
			to = near[folder($1), $2]
		if (($2 in public) && !is_in($1, "libtbuf"))
			to = "libtbuf/include/tbuf"
		if (to == $1 || is_in(to, "providers") &&
		    (!is_in($1, "providers") || is_libc(to) && !is_libc($1)))
			next
		print $1, to, $2
	}' map="$map" "$map" "$1" again=1 "$1"
}

map=$top_srcdir/libtbuf/libtbuf.map
symbols >"$SCRATCH/symbols"
arrows "$SCRATCH/symbols" >"$SCRATCH/arrows"
# Without any calls no circle would be found.
grep -q 'target/fire/fire .*target/lane/lock_lane ' "$SCRATCH/arrows" || {
	echo "FAIL the objects have no call from fire to lock"
	exit 1
}
awk -v kind=calls -f "$top_srcdir/tests/policy/layers.awk" "$top_srcdir/doc/layers.txt" \
    "$SCRATCH/arrows"
