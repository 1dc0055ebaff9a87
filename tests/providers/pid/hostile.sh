#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Programs, libraries and settings that the provider cannot do anything with:
# the program runs as without it, and a line says why.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
LD_LIBRARY_PATH=$PWD
export LD_LIBRARY_PATH
provider=$TBUF_PROVIDERS/libtbuf-pid.so

# The constructor of a library runs before the provider's, and may do anything
# to the files of other libraries.
cat >change.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void __attribute__((constructor)) change(void)
{
	const char *how = getenv("HOW");

	if (how == NULL)
		return;
	(void)unlink("libvictim.so");
	if (*how == 'f')
		(void)mkfifo("libvictim.so", 0600);
	else if (*how == 'd')
		(void)mkdir("libvictim.so", 0700);
	else if (*how == 'o')
		(void)rename("other.so", "libvictim.so");
}
END
cat >victim.c <<'END'
int victim(int n) { return n * FACTOR + 17; }
END
cat >main.c <<'END'
#include <stdio.h>
int victim(int);
int main(void) { printf("%d\n", victim(4)); return 3; }
END
flags='-O2 -w -fPIC -shared'
# shellcheck disable=SC2086
{ $CC $flags -DFACTOR=3 -o victim.so victim.c &&
    $CC $flags -DFACTOR=4 -o other victim.c &&
    $CC $flags -o libchange.so change.c; } || exit 1
cp victim.so libvictim.so
$CC -w -o main main.c -L. -lvictim -Wl,--no-as-needed -lchange || exit 1

# victim LIBRARY [HOW]: traces the library.  Prints the program's output, its
# status, and whether the library is armed.
victim() {
	rm -rf libvictim.so list
	cp "$1" libvictim.so
	cp other other.so
	env ${2:+"HOW=$2"} TBUF_PID='*:libvictim*:victim:entry' \
	    TBUF_PID_LIST="$PWD/list" LD_PRELOAD="$provider" \
	    timeout -s KILL 60 ./main 2>&1
	echo "$? $(sed 's/^pid[0-9]*:libvictim.so://; s/^victim:entry://' list)"
}
ran='29
3'
expect 'as it is' "$(victim victim.so)" "$ran  armed"
for how in fifo directory other removed; do
	why='its file is not the one that was loaded'
	[ $how != removed ] || why='its file cannot be read'
	expect "a library that became: $how" "$(victim victim.so $how)" \
	    "$ran  not armed: $why"
done
for other in usdt syscall; do
	rm -rf libvictim.so
	cp victim.so libvictim.so
	expect "the provider $other, and a FIFO" "$(HOW=fifo \
	    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-$other.so timeout -s KILL 60 ./main
	    echo $?)" "$ran"
done

# Names that are like those of libraries that are left alone.
rm -f libvictim.so
cp victim.so libvictim.so
for name in libtbuffer.so libZydistance.so; do
	cp victim.so $name
	expect "a library $name" "$(rm -f list; TBUF_PID="*:$name:victim:entry" \
	    TBUF_PID_LIST="$PWD/list" LD_PRELOAD="$provider ./$name" \
	    timeout -s KILL 60 ./main; sed 's/^pid[0-9]*://' list | LC_ALL=C sort -u)" "29
$name:victim:entry: armed"
done

# Segments of code that can be written to.
cp victim.so odd.so
readelf -lW odd.so | awk '$1 ~ /^[A-Z_]+$/ && $2 ~ /^0x/ {
	if ($1 == "LOAD" && / R E /)
		print 64 + 56 * n + 4
	n++
}' | while read -r at; do
	printf '\007' | dd of=odd.so bs=1 seek="$at" conv=notrunc 2>/dev/null
done
only='its code is not in segments that are only read and executed'
expect 'writable code' "$(victim odd.so)" "$ran  not armed: $only"
expect 'writable code in a file' "$("$TBUFCTL" -l --object=odd.so -P pid \
    2>&1 >/dev/null)" "tbufctl: failed to read odd.so: $only"

# More code in another segment leads between the bytes of the function's jump.
# It may be in one that can only be executed, or written to.
cat >more.s <<'END'
.section more, "ax", @progbits
	jmp victim+2
.section .note.GNU-stack, "", @progbits
END
# shellcheck disable=SC2086
$CC $flags -Wl,-Bsymbolic,--section-start=more=0x400000 -DFACTOR=3 -o more.so \
    victim.c more.s || exit 1
expect 'more code' "$(victim more.so)" \
    "$ran  not armed: a branch leads between the bytes"
for access in 1 3 7; do
	cp more.so odd.so
	readelf -lW odd.so | awk '$1 ~ /^[A-Z_]+$/ && $2 ~ /^0x/ {
		if ($1 == "LOAD" && $3 == "0x0000000000400000")
			print 64 + 56 * n + 4
		n++
	}' | while read -r at; do
		printf '%b' "\\0$access" | dd of=odd.so bs=1 seek="$at" \
		    conv=notrunc 2>/dev/null
	done
	expect "more code, access $access" "$(victim odd.so)" \
	    "$ran  not armed: $only"
done

cat >relocated.s <<'END'
.text
.globl victim
.type victim, @function
victim:	movabs $victim, %rax
	mov $29, %eax
	ret
.size victim, . - victim
.section .note.GNU-stack, "", @progbits
END
$CC -shared -Wl,-z,notext -o relocated.so relocated.s 2>/dev/null || exit 1
expect 'relocated code' "$(victim relocated.so)" \
    "$ran  not armed: its text is relocated"

# Without section headers functions have no names.
cp victim.so odd.so
printf '\0\0\0\0\0\0\0\0' | dd of=odd.so bs=1 seek=40 conv=notrunc 2>/dev/null
printf '\0\0\0\0' | dd of=odd.so bs=1 seek=60 conv=notrunc 2>/dev/null
expect 'no sections' "$(victim odd.so)" "$ran "
"$TBUFCTL" -l --object=victim.so -n 'pid::victim:' 2>/dev/null | sed 1d >known
"$TBUFCTL" -l --object=odd.so -n "pid::+$(nm victim.so |
    sed -n 's/^0*\(.*\) T victim$/\1/p'):" 2>/dev/null | sed 1d >unnamed
expect 'no sections, by offset' "$(sed 's/odd/victim/; s/ +[0-9a-f]* / /' \
    unnamed | tr -s ' ')" "$(sed 's/ victim / /' known | tr -s ' ')"
expect 'it is listed' "$(wc -l <known)" 2

# Debug information of a structure that has an array of arrays without an end.
cat >endless.s <<'END'
.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0
	.byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 7, 0x49, 0x13, 0, 0
	.byte 3, 0x13, 1, 3, 8, 0x0b, 0x0b, 0, 0
	.byte 4, 0x0d, 0, 3, 8, 0x49, 0x13, 0, 0
	.byte 5, 1, 0, 0x49, 0x13, 0, 0, 0
.section .debug_info, "", @progbits
unit:	.4byte end - start
start:	.2byte 4
	.4byte .debug_abbrev
	.byte 8, 1
	.8byte victim, 16
	.byte 2
	.asciz "victim"
	.8byte victim, 16
	.4byte structure - unit
	.byte 0
structure: .byte 3
	.asciz "structure"
	.byte 8, 4
	.asciz "member"
	.4byte array - unit
	.byte 0
array:	.byte 5
	.4byte array - unit
	.byte 0
end:
.section .note.GNU-stack, "", @progbits
END
# shellcheck disable=SC2086
$CC $flags -DFACTOR=3 -o endless.so victim.c endless.s || exit 1
expect 'an endless array' "$(timeout -s KILL 60 "$TBUFCTL" -lv \
    --object=endless.so -f pid::victim 2>&1 | grep -c 'arg9 ')" 1

# A function whose name is longer than any other has an offset instead.
{
	long=$(yes long | head -n 5000 | tr -d '\n')
	printf '.globl %s\n.type %s, @function\n%s:\n' "$long" "$long" "$long"
	printf '\t.cfi_startproc\n\tmov $1, %%eax\n\tret\n\t.cfi_endproc\n'
	printf '.size %s, . - %s\n' "$long" "$long"
	echo '.section .note.GNU-stack, "", @progbits'
} >long.s
$CC -shared -o long.so long.s || exit 1
"$TBUFCTL" -l --object=long.so -P pid >out 2>err
expect 'a long name' "$(grep -c longlong out) $(grep -c \
    ' +[0-9a-f]* entry$' out)" '0 1'

cat >huge.c <<'END'
char huge[3ul << 30];
int work(int n) { return huge[n]; }
int main(void) { return work(1) + 3; }
END
$CC -O2 -mcmodel=medium -o huge huge.c || exit 1
expect 'variables of 3 GiB' "$("$TBUFCTL" -l --object=huge -P pid 2>&1 \
    >/dev/null)" \
    'tbufctl: failed to read huge: it needs more than 1 GiB of memory'
TBUF_PID=':::' LD_PRELOAD=$provider ./huge
expect 'a program with these' $? 3

# The heap follows the variables at once, and grows as without the provider.
cat >heap.c <<'END'
#include <stdio.h>
#include <unistd.h>
static int __attribute__((noinline)) work(int n) { return n * 3 + 1; }
int main(int argc, char **argv)
{
	int n = 0;

	(void)argv;
	while (n < 2000 && sbrk(1 << 20) != (void *)-1)
		n++;
	printf("%d %d\n", n, work(argc));
}
END
$CC -O2 -fno-pie -no-pie -w -o heap heap.c || exit 1
for under in env 'setarch -R'; do
	$under true 2>/dev/null || continue
	# shellcheck disable=SC2086
	expect "a heap, $under" "$($under env TBUF_PID=::: \
	    LD_PRELOAD="$provider" ./heap)" "$($under ./heap)"
done

# Settings that are no descriptions, or too much of them.
cp victim.so libvictim.so.new
mv libvictim.so.new libvictim.so
setting() {
	TBUF_PID=$2 LD_PRELOAD=$provider timeout -s KILL 100 ./main >out 2>&1
	expect "a setting: $1" "$? $(cat out)" '3 29'
}
repeat() {
	yes "$1" | head -n "$2" | tr -d '\n'
}
setting bytes "$(tr -d '\0' </dev/urandom | head -c 5000)"
setting colons "$(repeat : 100000)"
setting commas "$(repeat , 100000)"
setting brackets "$(repeat '[' 10000)"
setting stars "::$(repeat '*' 10000):"
setting 'many stars' "::$(repeat '*i*' 30)x:entry,::$(repeat '*?' 100)x:"
setting descriptions "$(repeat '*:libv*:x*y*z:*,' 5000)"
setting 'a long one' "::$(repeat a 100000):entry"

report
