#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# system.sh DIRECTORY: runs tests on an aarch64 Linux, emulated in software,
# because an emulator of programs has no restartable sequences.  `make
# check-aarch64` runs it; `make check` does not, because it downloads Debian's
# kernel and some libraries for arm64.  These are unpacked below DIRECTORY,
# which is reused: nothing is installed.

set -eu
dir=${1:?usage: system.sh DIRECTORY}
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$dir"
cd "$dir"
dir=$PWD
jobs=$(nproc)

for tool in qemu-system-aarch64:qemu-system-arm cpio:cpio \
    aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
    aarch64-linux-gnu-g++:g++-aarch64-linux-gnu; do
	command -v "${tool%:*}" >/dev/null || {
		echo "please install ${tool#*:}" >&2
		exit 1
	}
done

# Runs apt with a state of its own, for another architecture.
apt() {
	program=$1
	shift
	"$program" -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
	    -o APT::Sandbox::User= -o Dir::Cache="$dir/apt/cache" \
	    -o Dir::State="$dir/apt/state" \
	    -o Dir::State::status="$dir/apt/status" "$@"
}

if [ ! -e debian.done ]; then
	rm -rf apt debian
	mkdir -p apt/cache/archives/partial apt/state/lists/partial \
	    apt/packages debian
	: >apt/status
	apt apt-get update
	kernel=$(apt apt-cache depends linux-image-cloud-arm64 |
	    sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p')
	(cd apt/packages && apt apt-get download "$kernel" busybox-static \
	    check libbsd-dev libmd-dev libsubunit-dev libdw-dev \
	    libelf-dev zlib1g-dev liblzma-dev libbz2-dev)
	for package in apt/packages/*.deb; do
		dpkg-deb -x "$package" debian
	done
	touch debian.done
fi

# build NAME ARGUMENT ...: configures and builds; libraries for arm64 are
# archives.
build() {
	usr=$dir/debian/usr
	lib=$usr/lib/aarch64-linux-gnu
	mkdir -p "$dir/$1"
	cd "$dir/$1"
	shift
	[ -e config.status ] || "$top/configure" --quiet "$@" \
	    --host=aarch64-linux-gnu --disable-static \
	    CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ \
	    LIBBSD_CFLAGS="-isystem $usr/include/bsd -DLIBBSD_OVERLAY \
		-idirafter $usr/include" \
	    LIBBSD_LIBS="$lib/libbsd.a $lib/libmd.a" \
	    LIBDW_CFLAGS="-idirafter $usr/include" \
	    LIBDW_LIBS="$lib/libdw.a $lib/libelf.a $lib/libz.a \
		$lib/liblzma.a $lib/libbz2.a" \
	    ZLIB_CFLAGS="-idirafter $usr/include" ZLIB_LIBS="$lib/libz.a" \
	    CHECK_CFLAGS="-idirafter $usr/include" \
	    CHECK_LIBS="$lib/libcheck_pic.a $lib/libsubunit.a -lrt -lm"
	make -j "$jobs" check TESTS=
	cd "$dir"
}
build plain
SCRATCH=$(mktemp -d) SANITIZER='' top_srcdir=$top top_builddir=$dir/plain \
    OBJDUMP=aarch64-linux-gnu-objdump NM=aarch64-linux-gnu-nm \
    sh "$top/tests/policy/foreign_calls.sh"
build inject --enable-inject

# The builds have the same path there as here, so that programs find their
# libraries.
root=$dir/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/etc" "$root/lib" "$root/proc" \
    "$root/sys" "$root/tmp"
cp debian/bin/busybox "$root/bin"
ln -s busybox "$root/bin/sh"
for library in ld-linux-aarch64.so.1 libc.so.6 libgcc_s.so.1 libm.so.6 \
    libresolv.so.2 libstdc++.so.6; do
	cp -L "/usr/aarch64-linux-gnu/lib/$library" "$root/lib"
done
for build in plain inject; do
	find "$dir/$build" -type f -perm -100 ! -name '*.sh' \
	    \( -path '*/tests/*' -o -path '*/examples/*' \
	    -o -path '*/tbufctl/*' -o -name '*.so*' \) -print
	find "$dir/$build" -type l -name '*.so*' -print
done | cpio --quiet -pdm "$root"
cp "$top/tests/aarch64/registry.sh" "$top/tests/aarch64/user_emulator.sh" \
    "$top/tests/aarch64/kvd.sh" \
    "$top/tests/aarch64/provider.sh" "$top/tests/aarch64/syscall.sh" \
    "$top/tests/aarch64/usdt.sh" "$top/tests/aarch64/pid.sh" "$root"
cp "$top/tests/aarch64/init.sh" "$root/init"
chmod 755 "$root/init"
printf 'plain=%s\ninject=%s\n' "$dir/plain" "$dir/inject" >"$root/builds"
(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >root.gz

qemu-system-aarch64 --version
timeout 3600 qemu-system-aarch64 -M virt -cpu cortex-a72 -smp 2 -m 3G \
    -nodefaults -display none -serial stdio -no-reboot \
    -kernel debian/boot/vmlinuz-* -initrd root.gz \
    -append 'console=ttyAMA0 quiet panic=-1' </dev/null | tee console
grep -q '^[1-9][0-9]* passed, 0 failed' console
