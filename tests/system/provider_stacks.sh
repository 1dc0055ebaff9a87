#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Stacks at the probes of providers begin in the program's own code, by frame
# pointers and by its unwind tables.  Functions have names even if the program
# has ended before its records are printed.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW LD_PRELOAD
unset TBUF_USDT TBUF_USDT_FILES TBUF_USDT_LIST
top=$(cd "$top_srcdir" && pwd)
cd "$SCRATCH" || exit 1

# compile NAME OPTION ...: compiles the target.
compile() {
	name=$1
	shift
	# shellcheck disable=SC2086
	$CC -std=gnu89 -O2 -g -I"$top/libtbuf/include/tbuf" -I"$top/libtbuf/include" "$@" \
	    -o "$name" "$top/tests/providers/usdt/programs/stack.c" || exit 1
}
compile pointers -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
compile tables -fomit-frame-pointer

# Prints the frames of the output up to main, on one line.
frames_of() {
	sed -E -e '/^$/d' -e 's/^ +//' \
	    -e 's/\+0x[0-9a-f]+$//' -e 's/^lib[a-z-]*\.so[.0-9]*`//' \
	    -e 's/^(pointers|tables)`//' | tr '\n' ' ' |
	    sed 's/ main .*/ main/'
}

# stack PROGRAM DESCRIPTION OPTION ...: prints the stack of one record; $with is
# a command that runs tbufctl.
with=
stack() {
	program=$1 description=$2
	shift 2
	$with "$TBUFCTL" -q "$@" -n "$description { ustack(5); exit(0); }" \
	    -c "./$program" 2>&1 | frames_of
}

frames='leaf middle outer main'
expect 'a function, by frame pointers' \
    "$(stack pointers libc::fsync:entry)" "traced_fsync $frames"
expect 'a function, by tables' \
    "$(stack tables libc::fsync:return -x ustackunwind)" "$frames"
# A version suffix in a symbol table is not part of the name.
cat >versioned.c <<-\END
	#include <unistd.h>

	int write_all_back(int fd)
	{
		int result = fsync(fd);

		return (result + 1);
	}
	__asm__(".symver write_all_back, write_back@@V1");
END
echo 'int write_back(int); int main(void) { return (write_back(-1)); }' >calls.c
echo 'V1 { global: write_back; };' >versioned.map
$CC -O2 -fno-omit-frame-pointer -fPIC -shared -o libversioned.so \
    -Wl,--version-script=versioned.map versioned.c &&
    $CC -o calls calls.c ./libversioned.so || exit 1
expect 'a function with a version' \
    "$("$TBUFCTL" -q -n 'libc::fsync:entry { @[usym(ucaller)] = count(); }' \
    -c ./calls 2>&1 | tr -s ' \n' ' ')" ' libversioned.so`write_back 1 '
# A child begins and ends while the consumer is stopped.
cat >short.sh <<-\END
	kill -STOP $PPID
	./pointers
	kill -CONT $PPID
END
expect 'a child that nobody saw' "$("$TBUFCTL" -q --follow \
    -n 'libc::fsync:entry { ustack(5); }' -c 'sh short.sh' 2>&1 |
    frames_of)" "traced_fsync $frames"
# Control characters in the names of a program and of its functions are not
# printed, because they would move a terminal's cursor.
name=$(printf 'cl\033[2Jear\302\233')
LC_ALL=C sed 's/middle/m\x1b[Aed/g' pointers >"$name"
chmod +x "$name"
expect 'names with control characters' "$("$TBUFCTL" -q \
    -n 'libc::fsync:entry { ustack(3); @[umod(ucaller)] = count(); }' \
    -c "'./$name'" 2>&1 | sed -e 's/+0x[0-9a-f]*//' -e /traced_fsync/d |
    tr -s ' \n\140' ' ')" \
    ' cl?[2Jear?? leaf cl?[2Jear?? m?[Aed cl?[2Jear?? 1 '
# A pipe has replaced the program.  It is not opened, because that would end a
# process that waits for a reader.
sh -c 'until [ -p gone ]; do :; done; exec 9>gone' &
writer=$!
cat >gone.sh <<-END
	kill -STOP \$PPID
	./gone
	rm gone
	mkfifo gone
	stat=
	until [ "\${stat#*) S}" != "\$stat" ]; do
		read -r stat </proc/$writer/stat
	done
	kill -CONT \$PPID
END
cp pointers gone
expect 'a child whose program is a pipe now' "$("$TBUFCTL" -q --follow \
    -n 'libc::fsync:entry { umod(ucaller); }' -c 'sh gone.sh' 2>&1 |
    tr -s ' \n' ' ' | sed "s|$PWD|.|")" \
    'tbufctl: ./gone: names of functions are not available: it is not a regular file gone '
kill $writer
wait $writer 2>/dev/null
expect 'who waits for the pipe' $? 143
# left PROGRAM PROBE FRAMES OPTION ...: checks the file of a target after its
# consumer was killed.
left() {
	program=$1 probe=$2 wanted=$3
	shift 3
	# A consumer that lives until the target's end would read the records.
	cat >left.sh <<-END
		kill -STOP \$PPID
		stat=
		until [ "\${stat#*) T}" != "\$stat" ]; do
			read -r stat </proc/\$PPID/stat
		done
		./$program
		echo \$\$ >parent
		kill -KILL \$PPID
	END
	("$TBUFCTL" -q --follow -x bufpolicy=ring "$@" \
	    -n "libc::fsync:$probe { ustack(5); }" -c 'sh left.sh') >told 2>&1
	files=0
	for file in "$TBUF_DIR"/tbuf.*; do
		case $file in
		"$TBUF_DIR/tbuf.$(cat parent)".*) ;;
		*)	expect "a file that $program has left" "$("$TBUFCTL" \
			    -q --read "$file" 2>&1 | frames_of)" "$wanted"
			files=$((files + 1)) ;;
		esac
	done
	expect "files that $program has left" $files 1
	rm -f "$TBUF_DIR"/tbuf.*
}
left pointers entry "traced_fsync $frames"
left tables return "$frames" -x ustackunwind
with=$top_builddir/tests/lib/under_seccomp
$with true
[ $? -eq 77 ] || {
	expect 'under a filter, by frame pointers' \
	    "$(stack pointers libc::fsync:entry)" "traced_fsync $frames"
	expect 'under a filter, by tables' \
	    "$(stack tables libc::fsync:return -x ustackunwind)" "$frames"
}
with=
# A function called by one without a frame record has that of the caller's
# caller.
[ ! -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ] || {
	for side in entry return; do
		expect "a system call's $side, by frame pointers" \
		    "$(stack pointers syscall::fsync:$side |
		    sed 's/ leaf//')" 'fsync middle outer main'
	done
}
[ ! -e "$TBUF_PROVIDERS/libtbuf-usdt.so" ] || {
	expect 'a USDT probe, by frame pointers' \
	    "$(stack pointers stack:::leaf)" "$frames"
	expect 'a USDT probe, by tables' \
	    "$(stack tables stack:::leaf -x ustackunwind)" "$frames"
	expect 'a USDT site before a call, by frame pointers' \
	    "$(stack pointers stack:::outer)" 'outer main'
	expect 'a USDT site before a call, by tables' \
	    "$(stack tables stack:::outer -x ustackunwind)" 'outer main'
	expect 'the stack after that site' \
	    "$(stack tables 'stack:::outer /arg0 == 2/ { } stack:::leaf' \
	    -x ustackunwind)" "$frames"
}
report
