#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# packages.sh: the Debian packages are built of the tracked files; lintian is
# silent about them; each installed file is in one of them; and they are installed
# in a root of their own, where a program is traced and one is built, and removed
# again.

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v dh >/dev/null; then
	echo 'packages: not built, as debhelper is not installed'
	exit 77
fi
files='git -c safe.directory=*'
if [ ! -d "$top/debian" ] || ! $files -C "$top" ls-files >/dev/null 2>&1; then
	echo 'packages: not built, as an archive has no debian/'
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# Tools that are run here leave files.
mkdir "$dir/src" "$dir/tmp"
export TMPDIR="$dir/tmp"
(cd "$top" && $files ls-files -z | xargs -0 tar -c --ignore-failed-read) |
    tar -x -C "$dir/src"
cd "$dir/src"
# It takes half the time without debug information and with -O1; by -O0, gcc 12
# fails.
DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" \
    DEB_CFLAGS_STRIP='-g -O2' DEB_CFLAGS_APPEND=-O1 \
    DEB_CXXFLAGS_STRIP='-g -O2' DEB_CXXFLAGS_APPEND=-O1 \
    dpkg-buildpackage -us -uc -b >"$dir/log" 2>&1 ||
    { tail -n 50 "$dir/log"; fail 'they are not built'; }
cd "$dir"
for package in libtbuf1 libtbuf-dev tbufctl; do
	[ -s "$(echo "${package}"_*.deb)" ] || fail "there is no $package"
done

# Manual pages are compressed, and debhelper adds what is in usr/share/doc.
(cd src/debian/tmp && find . ! -type d) | sed 's|^\./||' |
    grep -v '^usr/lib/[^/]*/\(tbuf/.*\.l\{0,1\}a\|[^/]*\.la\)$' |
    sort >installed
for package in *.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -t
done | grep -v '/$' | sed 's|^\./||; s|^\(usr/share/man/.*\)\.gz$|\1|' |
    grep -v -e '^usr/share/doc/' -e '^usr/share/lintian/' | sort >packaged
cmp -s installed packaged ||
    fail "files of no package, or of two: $(diff installed packaged)"

if command -v lintian >/dev/null; then
	lintian -I --pedantic --allow-root tbuf_*.changes >said 2>&1 || :
	[ ! -s said ] || fail "lintian: $(cat said)"
	echo 'lintian: ok'
fi

# in_root ARGUMENT ...: runs dpkg for the packages of the root alone.
as_root=
[ "$(id -u)" -eq 0 ] || as_root=fakeroot
if [ -n "$as_root" ] && ! command -v fakeroot >/dev/null; then
	echo 'packages: ok, but not installed, as fakeroot is not'
	exit 0
fi
in_root() {
	PATH=$PATH:/usr/sbin:/sbin $as_root dpkg --root="$dir/root" --force-not-root --force-depends \
	    --force-script-chrootless --log=/dev/null "$@" >said 2>&1 ||
	    fail "dpkg $*: $(cat said)"
}

mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info
: >root/var/lib/dpkg/status
in_root --install ./*.deb
# An installation over the same version is what an upgrade does.
in_root --install ./*.deb
library=$(dirname "$(echo "$dir"/root/usr/lib/*/libtbuf.so.1)")
(
	PATH=$dir/root/usr/bin:$PATH
	LD_LIBRARY_PATH=$library
	TBUF_PROVIDERS=$library/tbuf
	PKG_CONFIG_LIBDIR=$library/pkgconfig
	PKG_CONFIG_SYSROOT_DIR=$dir/root
	export PATH LD_LIBRARY_PATH TBUF_PROVIDERS
	export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
	sh "$top/debian/tests/first-trace" >said 2>&1 ||
	    fail "the first trace: $(cat said)"
	# shellcheck disable=SC2046 # several flags
	${CC:-cc} -o shop "$top/examples/shop/shop.c" \
	    $(pkg-config --cflags --libs libtbuf)
	tbufctl -q -n 'shop:::order-done' -c ./shop >said 2>&1
	[ "$(grep -c '^id=[123] ' said)" -eq 3 ] ||
	    fail "shop: $(cat said)"
)
in_root --purge libtbuf1 libtbuf-dev tbufctl
left=$(find root -path root/var/lib/dpkg -prune -o ! -type d -print)
[ -z "$left" ] || fail "left after they were removed: $left"
echo 'packages: ok'
