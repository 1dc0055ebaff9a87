#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# install.sh PREFIX: the installation is complete, and programs build with it by
# pkg-config, CMake and meson: C, C++, shared and static.  CI runs it.

set -eu
prefix=${1:?usage: install.sh PREFIX}
: "${CC:=cc}" "${CXX:=c++}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
LD_LIBRARY_PATH=$prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

for file in bin/tbufctl bin/tbuf-replay include/tbuf.h include/tbuf_consumer.h \
    include/tbuf_registry.h include/tbuf_text.h include/tbuf/sys/sdt.h \
    lib/libtbuf.so.1 lib/libtbuf.a lib/tbuf/libtbuf-libc.so \
    lib/tbuf/libtbuf-list.so lib/pkgconfig/libtbuf.pc \
    share/man/man1/tbufctl.1 share/man/man3/libtbuf.3 \
    lib/cmake/tbuf/tbuf-config.cmake \
    share/bash-completion/completions/tbufctl \
    share/zsh/site-functions/_tbufctl \
    share/tbuf/bindings/tbuf.py share/tbuf/bindings/tbuf.rs \
    share/man/man3/tbuf_unit_end.3 share/man/man7/tbuf_usdt.7 \
    share/man/man7/tbuf_pid.7; do
	[ -s "$prefix/$file" ] || fail "$file is not there"
done
for provider in postgresql python ruby php libvirt hotspot; do
	[ -s "$prefix/share/tbuf/$provider.d" ] ||
	    fail "the provider file of $provider is not there"
done

script=$prefix/share/gdb/auto-load/$(readlink -f "$prefix/lib/libtbuf.so.1")
[ -s "$script-gdb.py" ] || fail "$script-gdb.py is not there"
# gdb loads it with the library, from where a package has it.
if command -v gdb >/dev/null; then
	gdb -nx -batch -iex 'set auto-load safe-path /' -iex \
	    "add-auto-load-scripts-directory $prefix/share/gdb/auto-load" \
	    -ex 'help tbuf' "$prefix/lib/libtbuf.so.1" >"$dir/out" 2>&1
	grep -q '^tbuf bt -- ' "$dir/out" || fail "gdb: $(cat "$dir/out")"
	echo 'gdb: ok'
else
	echo 'gdb: not installed'
fi

# Each file is in one Debian package, or in debian/not-installed; packages.sh
# builds the packages, for which it needs debhelper.
debian=$(cd "$(dirname "$0")/../.." && pwd)/debian
[ -d "$debian" ] || fail "an archive has no $debian: run it in a clone"
(cd "$prefix" && find . ! -type d | sed 's|^\./lib/|usr/lib/ARCH/|
    s|^\./|usr/|' | sort) >"$dir/installed"
for list in "$debian"/*.install "$debian/not-installed"; do
	while read -r pattern; do
		found=$(while read -r file; do
			# shellcheck disable=SC2254 # it is a pattern
			case $file in
			$pattern | $pattern/*) echo "$file" ;;
			esac
		done <"$dir/installed")
		[ -n "$found" ] || [ "${list##*/}" = not-installed ] ||
		    fail "${list##*/}: no file is installed as $pattern"
		[ -z "$found" ] || echo "$found" >>"$dir/listed"
	done <"$list"
done
sort "$dir/listed" >"$dir/packaged"
cmp -s "$dir/installed" "$dir/packaged" ||
    fail "files of no package, or of two: $(diff "$dir/installed" \
    "$dir/packaged")"
echo 'packages: ok'

# libtbuf needs no other library than the C library.
needed=$(readelf -d "$prefix/lib/libtbuf.so.1" |
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -v -e '^libc\.so' -e '^ld-linux' || :)
[ "$needed" = '' ] || fail "libtbuf needs $needed"
readelf -d "$prefix/lib/libtbuf.so.1" | grep -q 'FLAGS_1.*NODELETE' ||
    fail 'libtbuf is not linked with -z nodelete'

# Objects loaded by dlopen have little static thread-local storage.  One pointer
# of it is the consumer's, to the processes that a scan of a directory has seen.
tls=$(readelf -lW "$prefix/lib/libtbuf.so.1" |
    awk '$1 == "TLS" { print $6 }')
[ $((tls)) -le 312 ] || fail "libtbuf has $tls bytes of thread-local storage"

cat >"$dir/sample.c" <<'END'
#include <stdio.h>
#include <tbuf.h>
#include <tbuf_consumer.h>

int
main(int argc, char **argv)
{
	TBUF_PROBE(sample, started, argc, argv);
	puts(tbuf_version());
	return (0);
}
END
cp "$dir/sample.c" "$dir/sample.cc"
cat >"$dir/unit.c" <<'END'
#include <stdio.h>
#include <sys/sdt.h>
#include <tbuf.h>
#include <tbuf_consumer.h>
#include <tbuf_text.h>

int
main(void)
{
	uint64_t unit = tbuf_unit_begin("request", 7);

	DTRACE_PROBE1(sample, request__start, 7);
	tbuf_unit_end(unit, 1);
	puts(tbuf_version());
	return (0);
}
END
version=$(pkg-config --modversion libtbuf)

# build NAME COMPILER SOURCE [PKG-CONFIG FLAG]: builds and runs a program.
build() {
	# shellcheck disable=SC2046,SC2086 # lists
	$2 -Wall -Wextra -Werror -o "$dir/$1" "$dir/$3" \
	    $(pkg-config ${4-} --cflags --libs libtbuf) ${4:+-static}
	[ "$("$dir/$1")" = "$version" ] || fail "$1 does not say $version"
	echo "$1: ok"
}

build c "$CC" sample.c
build c++ "$CXX" sample.cc
build c-static "$CC" sample.c --static
build c++-static "$CXX" sample.cc --static
build unit "$CC -I$(pkg-config --variable=sdtdir libtbuf)" unit.c

# tools NAME COMMAND ...: builds examples/shop with other tools, and traces it.
tools() {
	name=$1
	shift
	command -v "$name" >/dev/null || {
		echo "$name: not installed"
		return 0
	}
	cp -R "$examples/shop" "$dir/$name"
	(cd "$dir/$name" && "$@") >"$dir/out" 2>&1 ||
	    fail "$name: $(cat "$dir/out")"
	"$prefix/bin/tbufctl" -q -n 'shop:::order-done' \
	    -c "$dir/$name/build/shop" >"$dir/out"
	[ "$(grep -c '^id=[123] name="tea" cents=' "$dir/out")" -eq 3 ] ||
	    fail "$name: $(cat "$dir/out")"
	echo "$name: ok"
}
examples=$(dirname "$0")/../../examples
CMAKE_PREFIX_PATH=$prefix
export CMAKE_PREFIX_PATH CC
tools cmake sh -c 'cmake -S . -B build && cmake --build build'
tools meson sh -c 'meson setup build && meson compile -C build'

# Bindings of other languages.
bindings=$(dirname "$0")/../../bindings
if command -v python3 >/dev/null; then
	PYTHONPATH=$(pkg-config --variable=bindingsdir libtbuf) \
	    "$prefix/bin/tbufctl" -q -n 'shop:::order-done' \
	    -c "python3 $bindings/python/shop.py" >"$dir/out"
	[ "$(grep -c '^id=[123] item="tea" cents=' "$dir/out")" -eq 3 ] ||
	    fail "python: $(cat "$dir/out")"
	echo 'python: ok'
fi

# The programs are targets for the installed tbufctl, too.
"$prefix/bin/tbufctl" -q -n 'sample:::started' -c "$dir/c" >"$dir/out"
grep -q '^argc=1 argv=0x' "$dir/out" || fail "tbufctl: $(cat "$dir/out")"
"$prefix/bin/tbufctl" -q -n 'sample:::started' -c "$dir/c-static" >"$dir/out"
grep -q '^argc=1 argv=0x' "$dir/out" || fail "tbufctl: $(cat "$dir/out")"
"$prefix/bin/tbufctl" -q -x nunits=1 -n 'sample:::request-start' \
    -c "$dir/unit" >"$dir/out"
grep -q '^unit=request:7 outcome=1 ' "$dir/out" ||
    fail "unit: $(cat "$dir/out")"
"$prefix/bin/tbufctl" -q -n 'libc::malloc:entry' -c 'sort /dev/null' \
    >"$dir/out"
grep -q '^size=' "$dir/out" || fail "provider: $(cat "$dir/out")"
echo 'tbufctl: ok'
