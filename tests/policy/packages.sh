#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# debian/ follows the sources: the packages of quickstart, the version, the
# nodes and the unversioned names of the library, and the manual pages.

set -u
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
debian=$top_srcdir/debian
passed=0 failed=0
[ -d "$debian" ] || { echo 'an archive has no debian/'; exit 77; }
cd "$SCRATCH" || exit 1

# same WHAT: expects that the files `expected` and `got` are equal, not empty.
same()
{
	if [ -s expected ] && diff -u expected got; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

# debhelper and build-essential have some of them; pkgconf is pkg-config, and
# mandoc is for the tests.
sed -n 's/^packages="\(\$packages \)*\(.*\)"/\2/p' "$top_srcdir/quickstart" |
    tr ' ' '\n' | grep -v -x -e autoconf -e automake -e libtool -e gcc \
    -e g++ -e make -e mandoc | sed 's/^pkg-config$/pkgconf/' | sort >expected
sed -n '/^Build-Depends:/,/^Standards/p' "$debian/control" |
    sed -n 's/^\(Build-Depends:\)* *\([a-z][-a-z0-9]*\).*/\2/p' |
    grep -v '^debhelper-compat' | sort >got
same 'Build-Depends and quickstart'

sed -n 's/^AC_INIT(\[tbuf\], \[\(.*\)\])/\1/p' "$top_srcdir/configure.ac" \
    >expected
sed -n '1s/^tbuf (\([^-)]*\).*/\1/p' "$debian/changelog" >got
same 'the version'

sed -n 's/^\(TBUF_[A-Z0-9._]*\) {/\1/p' "$top_srcdir/libtbuf/libtbuf.map" |
    sort >expected
sed -n 's/^ (symver)\([^ ]*\) .*/\1/p' "$debian/libtbuf1.symbols" | sort >got
same 'the nodes of the library'

# tests/policy/abi.sh has the same names.
sed -n "s/^printf .%s.n. \(.*\) | sort >expected/\1/p" \
    "$top_srcdir/tests/policy/abi.sh" | tr ' ' '\n' | sort >expected
sed -n 's/^ \(.*\)@Base .*/\1/p' "$debian/libtbuf1.symbols" | sort >got
same 'names without a version'

(cd "$top_srcdir/man" && ls ./*.7) | sed 's|^\./||' | sort >expected
cat "$debian"/*.install | sed -n 's|.*man7/||p' | sort >got
same 'the pages of section 7'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
