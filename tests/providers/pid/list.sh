#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The functions of files, as tbufctl -l --object lists them: those that nm and
# objdump know, all or by descriptions, with the reasons of those not armed.

set -u
# The map is of x86-64 instructions.
[ "$(uname -m)" = x86_64 ] || exit 77
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >many.c <<'END'
#include <stdlib.h>
#include <string.h>

/* Startup code has no bounds: any of its bytes may be a short branch. */
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n");

#define COLD	__attribute__((cold, noinline))

int zero(int n);
int go(int n);
int _go(int n) __attribute__((alias("go")));
static COLD void fail(const char *why) { if (why[0] == 'x') abort(); }
int go(int n) { if (n > 100) fail("too big"); return (n * 3); }
int zero(int n) { return (n == 0); }
int table(int n);
int table(int n)
{
	switch (n) {
	case 0: return (go(n));
	case 1: return (zero(n) + 4);
	case 2: return (abs(go(3)));
	case 3: return ((int)strlen("three"));
	case 4: return (go(n) - zero(n));
	case 5: return (77);
	default: return (-1);
	}
}
void forever(void);
void forever(void) { volatile int n = 3; for (;;) n++; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 9)
		forever();
	return (table(argc) + _go(argc));
}
END
list() {
	file=$1
	shift
	"$TBUFCTL" -l --object="$file" "$@" 2>err
}
# Each function that nm knows is listed, or is reported with a reason; without
# symbols, those that unwinders know have other names.
for flags in -O0 -O2 '-O2 -fcf-protection=full' '-O2 -fno-pie -no-pie' -Os; do
	# shellcheck disable=SC2086
	$CC $flags -w -o many many.c || exit 1
	known=$(nm many | sed -n 's/.* [tT] //p' |
	    grep -v -e '^_go$' -e '\.cold$' -e '^_init$' -e '^_fini$' \
	    -e '^__do_global' -e '_tm_clones$' -e '^frame_dummy$' | sort)
	list many -n 'pid:::entry' >out
	expect "all functions: $flags" "$({ sed -n 's/ entry$//p' out
	    sed -n 's/.*pid:many:\(.*\):entry: not armed: .*/\1/p' err; } |
	    sed 's/.* //' | grep -v -e '^_init$' -e '^_fini$' -e '^+' \
	    -e '^__do_global' -e '_tm_clones$' -e '^frame_dummy$' | sort)" \
	    "$known"
	[ "$flags" = -O2 ] || continue
	strip -o stripped many
	expect "as many without symbols: $flags" "$({ list stripped \
	    -n 'pid:::entry'; cat err; } | grep -c ' entry$\|:entry: ')" \
	    "$(readelf -wF many 2>/dev/null | grep -c ' FDE ' |
	    awk -v parts="$(nm many | grep -c '\.cold$')" \
	    '{ print $1 - parts - 2 }')"
done
$CC -O2 -w -o many many.c || exit 1

expect 'by function' "$(list many -f pid:many:zero | sed 1d | tr -s ' ')" \
    ' 1 pid many zero entry
 2 pid many zero return'
expect 'an alias is its function' "$(list many -n 'pid:a.out:_go:entry' |
    sed -n 's/.* \(.* entry\)/\1/p')" 'go entry'
expect 'by name' "$(list many -n 'pid:many:[gt]*:return' |
    sed -n 's/.* \(.* return\)/\1/p')" 'go return
table return'
expect 'a function that does not return' "$(list many -f pid::forever |
    sed 's/.* //'; cat err)" 'NAME
entry'
expect 'nothing' "$(list many -n pid::absent:entry | wc -l)" 1
"$TBUFCTL" -l --object=many -n 'pid:a.out:zreo:entry,pid:mny:table:' \
    -n pid:many:zero:entry -n 'pid::tabel:return' >out 2>err
none() {
	echo "tbufctl: invalid probe specifier $1: probe description" \
	    "$2 does not match any probes"
}
expect 'slips' "$(sed 1d out | tr -s ' '; cat err)" " 1 pid many zero entry
$(none pid:a.out:zreo:entry,pid:mny:table: pid:a.out:zreo:entry)
tbufctl: did you mean 'pid:a.out:zero:entry,pid:many:table:'?
$(none pid::tabel:return pid::tabel:return)
tbufctl: did you mean 'pid::table:return'?"
expect 'a slip of a function alone' "$("$TBUFCTL" -l --object=many \
    -f pid:many:zreo 2>&1 | sed 1d)" "$(none pid:many:zreo pid:many:zreo:)
tbufctl: did you mean 'pid:many:zero'?"
# A description that matches nothing is an error, as with -l.
expect 'another provider' "$(list many -P kv -n pid::zero:entry -n pid::absent:
    echo $?; cat err)" "$(list many -n pid::zero:entry)
1
$(none kv kv:::)
$(none pid::absent: pid::absent:)"
expect 'nothing with -Z' "$(list many -Z -P kv; echo $?; cat err)" \
    "$(list many -P kv)
0"
expect 'an offset' "$(list many -n 'pid::zero:0'; echo $?; cat err)" \
    "$(list many -Z -n 'pid::zero:0')
0"
expect 'an id' "$(list many -i 1025; echo $?; cat err)" \
    '2
tbufctl: --object does not go with -i'
# Paths that are no programs are told by their kinds.
mkfifo fifo
: >empty
mkdir folder
no() {
	list "$1"
	echo $?
	cat err
}
for kind in 'folder: it is a directory (name a program or a library)' \
    'fifo: it is a FIFO (name a program or a library)' \
    '/dev/null: it is a device (name a program or a library)' \
    'empty: it is empty' 'many.c: it is not an ELF file' \
    'absent: No such file or directory'; do
	expect "${kind#*: }" "$(no "${kind%%:*}")" \
	    "1
tbufctl: failed to read $kind"
done
expect 'a library by a part of its name' \
    "$(list /lib/x86_64-linux-gnu/libc.so.6 -n pid:libc:fopen:entry \
    -n pid:libc.so:fclose:entry -n pid:lib:fread:entry |
    sed -n 's/.* \(.*\) entry/\1/p' | sort)" \
    "$(printf '%s\n' fclose fopen)"
expect 'a program in D' "$(list many -n 'pid$target:::entry'; sed 1q err)" \
    'tbufctl: --object does not go with a D program'

# Files that are not whole programs, or lie about what they have.
head -c 3000 many >part
list part -P pid >out
expect 'a file that is cut' "$(cat err)" \
    'tbufctl: failed to read part: its sections are damaged'
for at in 32 48 56 60 64 80 96 104 200 500 600 700 800 900 1000; do
	cp many odd
	printf '\377\377\377\377\377' | dd of=odd bs=1 seek=$at conv=notrunc \
	    2>/dev/null
	list odd -P pid >out
	expect "damage at $at" "$(grep -c 'killed\|signal\|ended' err)" 0
done

# The tables of unwinders are elsewhere than the program header says.
header=$(readelf -lW many | awk '$1 == "GNU_EH_FRAME" { print n }
    $1 ~ /^[A-Z_]+$/ && $2 ~ /^0x/ { n++ }')
cp many odd
printf '\377\377\377\377\377' | dd of=odd bs=1 seek=$((64 + 56 * header +
    16)) conv=notrunc 2>/dev/null
expect 'tables that are not there' "$(list odd -f pid::zero | sed 1d; cat err)" \
    'tbufctl: failed to read odd: its tables of unwinders are not understood'

# What the C library exports is listed under one of its names.
if command -v objdump >/dev/null; then
	list /lib/x86_64-linux-gnu/libc.so.6 -n 'pid:::entry' >out
	{ sed -n 's/.* \(.*\) entry$/\1/p' out
	sed -n 's/.*:\(.*\):entry: not armed.*/\1/p' err; } | sort -u >listed
	objdump -T /lib/x86_64-linux-gnu/libc.so.6 | sed -n \
	    's/^\([0-9a-f]*\) .*[Fi] \.text.* \([^ ]*\)$/\1/p' | sort -u >all
	expect 'functions of the C library' "$(awk -v all="$(wc -l <all)" \
	    -v listed="$(wc -l <listed)" 'BEGIN { print (listed >= all) }')" 1
fi

report
