#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# D scripts that use types of the program they trace, for all forms of debug
# information.  tests/golden/types/NAME.d is run on golden/types/typed.c and
# prints NAME.out; scripts in $live are run on a process that runs already.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:=cc}" \
    "${CXX:=c++}"

if [ -n "${SANITIZER-}" ]; then
	echo "the library itself is built with a sanitizer"
	exit 77
fi

. "$top_srcdir/tests/lib/scratch.sh"
here=$top_srcdir/tests/golden/types
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C
cd "$SCRATCH" || exit 1
failed=0
live='known ambiguous'

# build NAME FLAG ...: compiles typed.c
build()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	$CC -O1 -I"$top_srcdir/libtbuf/include" "$@" "$here/typed.c" -o "$name" \
	    "$top_builddir/.libs/libtbuf.so" \
	    -Wl,-rpath,"$top_builddir/.libs"
}

# Replaces addresses, which vary.  The program may have ended when exit() was
# called, or not yet.
settle()
{
	sed -e 's/0x[0-9a-f]\{6,\}/0xADDR/' -e 's/\(-p\|pid\) [0-9]*/\1 PID/' \
	    -e 's/ at DIF offset [0-9]*$//' \
	    -e '/ matched [0-9]* probes\{0,1\}$/d' \
	    -e '/ left running$/d' "$1"
}

# expect SCRIPT WHAT: compares standard output and standard error.
expect()
{
	{ settle out; settle err; } >all
	diff -u "$here/$1.out" all || {
		echo "FAIL $1 with $2"
		failed=$((failed + 1))
	}
}

# run SCRIPT PROGRAM: traces the program as a command.
run()
{
	cp -f "$here/$1.d" t.d
	timeout 60 "$TBUFCTL" -s t.d -c "./$2" >out 2>err </dev/null
	expect "$1" "$2"
}

# attach SCRIPT: traces a running program that waits for a line.
attach()
{
	cp -f "$here/$1.d" t.d
	mkfifo pipe ready
	./typed wait <pipe >ready &
	target=$!
	exec 3<>pipe
	read -r word <ready && [ "$word" = ready ]
	timeout 60 "$TBUFCTL" -s t.d -p $target >out 2>err </dev/null
	exec 3>&-
	kill $target
	wait $target
	rm pipe ready
	expect "$1" "-p"
}

build typed -g || exit 1
for script in "$here"/*.d; do
	script=$(basename "$script" .d)
	[ "$script" = plus ] && continue
	# A process under a filter of system calls does not copy out.
	[ "$script" = copyout ] &&
	    grep -q '^Seccomp:.*2' /proc/self/status && continue
	case " $live " in
	*" $script "*) attach "$script" ;;
	*) run "$script" typed ;;
	esac
done

# Debug information has other forms, and is in other places.
build four -gdwarf-4 && run members four
build five -gdwarf-5 && run members five
build units -gdwarf-4 -fdebug-types-section && run members units
build five_units -gdwarf-5 -fdebug-types-section && run members five_units
build packed -g -gz && run members packed
build away -g -gsplit-dwarf && run members away
if build linked -g && objcopy --only-keep-debug linked linked.debug &&
    objcopy --strip-debug --add-gnu-debuglink=linked.debug linked; then
	run members linked
	mkdir .debug && mv linked.debug .debug && run members linked
fi

# A program can name pipes and devices, which are not opened: each search goes
# on, and finds the debug information elsewhere.

# hostile FILE SCRIPT PROGRAM: runs a script with a pipe, then a device there.
hostile()
{
	for kind in pipe device; do
		rm -f "$1"
		if [ $kind = pipe ]; then
			mkfifo "$1"
		else
			ln -s /dev/zero "$1"
		fi
		run "$2" "$3"
	done
	rm -f "$1"
}

[ -f .debug/linked.debug ] && hostile linked.debug members linked
# Without a build id, all bytes of a linked file are read for its checksum.
if build summed -g -Wl,--build-id=none &&
    objcopy --only-keep-debug summed .debug/summed.debug &&
    objcopy --strip-debug --add-gnu-debuglink=.debug/summed.debug summed &&
    truncate -s 4T summed.debug 2>/dev/null; then
	run members summed
fi
mkdir compiled
(cd compiled && build split -g -gsplit-dwarf) && mv compiled/split . &&
    split=$(cd compiled && echo ./*.dwo) && [ -f "compiled/$split" ] &&
    hostile "$split" members split
# The link to a shared debug file: its name and its build id.
if build shared -g && printf 'alt.debug\00001234567890123456789' >alt.link &&
    objcopy --add-section .gnu_debugaltlink=alt.link shared; then
	hostile alt.debug members shared
fi

# The program is in C++.
$CXX -O1 -g -I"$top_srcdir/libtbuf/include" "$here/plus.cc" -o plus \
    "$top_builddir/.libs/libtbuf.so" -Wl,-rpath,"$top_builddir/.libs" &&
    run plus plus

# ctl COMMAND ...: runs tbufctl through a command, such as env.
ctl()
{
	cp -f "$here/members.d" t.d
	timeout 60 "$@" "$TBUFCTL" -s t.d -c "./$program" >out 2>err </dev/null
}

# Debug information is found by the build id, as distributions store it: in
# /usr/lib/debug of a mount namespace.
program=identified
id=$(readelf -n typed 2>/dev/null | sed -n 's/.*Build ID: //p')
if [ -n "$id" ] && [ -d /usr/lib/debug ] &&
    unshare -rm mount --bind . /usr/lib/debug 2>/dev/null; then
	mkdir -p ".build-id/${id%"${id#??}"}"
	objcopy --only-keep-debug typed \
	    ".build-id/${id%"${id#??}"}/${id#??}.debug"
	objcopy --strip-debug typed identified
	# shellcheck disable=SC2016 # for another shell
	ctl unshare -rm sh -c 'mount --bind . /usr/lib/debug && exec "$@"' -
	expect members "its build id"
	mv ".build-id/${id%"${id#??}"}/${id#??}.debug" identified.debug
	mkfifo ".build-id/${id%"${id#??}"}/${id#??}.debug"
	objcopy --add-gnu-debuglink=identified.debug identified
	# shellcheck disable=SC2016 # for another shell
	ctl unshare -rm sh -c 'mount --bind . /usr/lib/debug && exec "$@"' -
	expect members "a pipe at its build id"
fi

# A fault in libdw loses the types, but does not end tbufctl.
program=typed
cat >broken.c <<-END
	#include <signal.h>
	void *dwfl_module_getdwarf(void) { raise(SIGBUS); return 0; }
END
$CC -shared -fPIC broken.c -o broken.so || exit 1
ctl env LD_PRELOAD="$PWD/broken.so"
expect broken "a reader that ends"

echo "$failed failed"
[ $failed -eq 0 ]
