#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tables.sh: the first process that decodes an object leaves a table of its
# places, later ones load no decoder, and each traces the same calls.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"

# decodes: runs a program, which must be traced, and prints the number of
# mappings of the decoder in it.
decodes() {
	rm -f "$dir/out"
	"$TBUFCTL" -q -n 'syscall::openat:entry' -o "$dir/out" \
	    -c 'grep -c libZydis /proc/self/maps' 2>"$dir/said"
	grep -q 'path=\|dirfd=' "$dir/out" || fail "nothing: $(cat "$dir/said")"
}

# calls: the number of records of each probe of a program.
calls() {
	rm -f "$dir/out"
	"$TBUFCTL" -q -n 'syscall:::entry' -o "$dir/out" -x bufsize=1m \
	    --with=name -c "$PROGRAMS/calls $1" 2>"$dir/said" ||
	    fail "$1: $(cat "$dir/said")"
	sed -n 's/.*syscall::\([a-z0-9_]*\):entry.*/\1/p' "$dir/out" | sort |
	    uniq -c
}

# without: the same as `calls', in a process that has no table.
without() {
	rm -f "$TBUF_DIR"/sites.*
	calls "$1"
}

# copy_first: makes all tables copies of one.
copy_first() {
	first=
	for table in "$TBUF_DIR"/sites.*; do
		if [ -z "$first" ]; then
			first=$table
		else
			cp "$first" "$table"
		fi
	done
}

[ "$(decodes)" != 0 ] || fail 'there was no table, and no decoder'
[ -n "$(find "$TBUF_DIR" -name 'sites.*')" ] || fail 'no table was written'
[ "$(decodes)" = 0 ] || fail 'the decoder was loaded beside the tables'
[ "$(find "$TBUF_DIR" -name 'sites.*' ! -perm 600)" = '' ] ||
    fail 'others may read or write tables'

# The same calls are traced.
for kind in errors session; do
	expected=$(without $kind)
	found=$(calls $kind)
	[ "$found" = "$expected" ] ||
	    fail "$kind: $found with a table, $expected without one"
done

# Each table is damaged, in one byte or in its length; it is replaced.
decodes >"$dir/number"
[ "$(decodes)" = 0 ] || fail 'the decoder was loaded'
for table in "$TBUF_DIR"/sites.*; do
	printf 'X' | dd of="$table" bs=1 seek=60 conv=notrunc 2>/dev/null
done
[ "$(decodes)" != 0 ] || fail 'a damaged table was used'
[ "$(decodes)" = 0 ] || fail 'a damaged table was not replaced'
for table in "$TBUF_DIR"/sites.*; do
	dd if="$table" of="$dir/part" bs=100 count=1 2>/dev/null
	cat "$dir/part" >"$table"
done
[ "$(decodes)" != 0 ] || fail 'a part of a table was used'
[ "$(decodes)" = 0 ] || fail 'a part of a table was not replaced'

# A table of one object is none of another one.
expected=$(without errors)
copy_first
[ "$(calls errors)" = "$expected" ] || fail 'a foreign table was used'

# Others may not write to a table, nor own it.
calls errors >"$dir/calls"
decodes >"$dir/number"
[ "$(decodes)" = 0 ] || fail 'the decoder was loaded'
chmod 666 "$TBUF_DIR"/sites.*
[ "$(decodes)" != 0 ] || fail "a table was used that others may write to"
if [ "$(id -u)" = 0 ]; then
	decodes >"$dir/number"
	chown 1 "$TBUF_DIR"/sites.*
	[ "$(decodes)" != 0 ] || fail "another user's table was used"
fi

# A file of the same build with other bytes: the call's number is another one.
cc=${CC:-cc}
cat >"$dir/same.c" <<'E2'
#include <stdio.h>
#include <unistd.h>
long number(void);
__asm__(".text\n.globl number\n.type number, @function\nnumber:\n"
    ".cfi_startproc\n\tmov $" NUMBER ",%eax\n\tsyscall\n\tret\n"
    ".cfi_endproc\n.size number, . - number\n.fill 40000, 1, 0xcc\n");
int
main(void)
{
	printf("%d\n", number() == GET());
	return (0);
}
E2
if $cc -DNUMBER='"39"' -DGET=getpid -Wl,--build-id=0x1234567890abcdef \
    -o "$dir/same" "$dir/same.c" 2>/dev/null; then
	for turn in 1 2; do
		rm -f "$dir/out"
		"$TBUFCTL" -q -n 'syscall::getpid:entry' -o "$dir/out" \
		    -x bufsize=1m --with=name -c "$dir/same" >"$dir/number" \
		    2>"$dir/said" || fail "same $turn: $(cat "$dir/said")"
		[ "$(cat "$dir/number")" = 1 ] || fail "same $turn: number"
		[ "$(grep -c getpid "$dir/out")" -ge 2 ] ||
		    fail "same $turn: $(cat "$dir/out")"
	done
	# In place: it is the same file.
	$cc -DNUMBER='"110"' -DGET=getppid \
	    -Wl,--build-id=0x1234567890abcdef -o "$dir/other" "$dir/same.c"
	cat "$dir/other" >"$dir/same"
	rm -f "$dir/out"
	"$TBUFCTL" -q -n 'syscall::getppid:entry' -o "$dir/out" \
	    -x bufsize=1m --with=name -c "$dir/same" >"$dir/number" \
	    2>"$dir/said" || fail "other: $(cat "$dir/said")"
	[ "$(cat "$dir/number")" = 1 ] || fail "other: number"
	[ "$(grep -c getppid "$dir/out")" -ge 2 ] ||
	    fail "other: $(cat "$dir/out")"
fi
[ $failures -eq 0 ]
