#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# USDT probes of programs that have notes and do not use libtbuf: they are armed
# when the program starts, and traced.

. "${top_srcdir:?}/tests/providers/usdt/common.sh"

# compile PROGRAM FLAG ...: compiles without libtbuf; in C89 the header makes
# notes only.
compile() {
	program=$1
	shift
	# shellcheck disable=SC2086
	$CC -std=gnu89 -Wall -Wextra -Werror -I"$top/libtbuf/include/tbuf" \
	    -I"$top/libtbuf/include" "$@" -o "$program" || exit 1
}

# Prints names and arguments, a record on a line; $around is a command to run
# tbufctl.
around=
trace() {
	$around "$TBUFCTL" -q -x temporal --format=json "$@" 2>err | sed -n '
	    s/"arg0":"0x[0-9a-f]*"/"arg0":"0x"/
	    s/.*"record".*"name":"\([^"]*\)".*"args":{\(.*\)}}$/\1 \2/p'
}

cat >sdt.d <<'END'
provider sdt {
	probe one(int n);
	probe words__two(const char *word, char *array);
	probe widths(signed char narrow, unsigned short flags, long second,
	    int color);
	probe other(void *pair, double real, const char *text);
};
END
records='none 
one "n":2
words-two "word":"word","array":"array"
widths "narrow":-2,"flags":65535,"second":-2,"color":4
other "pair":"0x","real":1.5,"text":"text"
many "arg0":1,"arg1":2,"arg2":3,"arg3":4,"arg4":5,"arg5":6,"arg6":7,"arg7":8,"arg8":9,"arg9":10
eleven "arg0":1,"arg1":2,"arg2":3,"arg3":4,"arg4":5,"arg5":6,"arg6":7,"arg7":8,"arg8":9,"arg9":10
branch 
next "arg0":2'
for flags in -O0 '-O2 -fcf-protection=full' '-O2 -fno-pie -no-pie' \
    '-O3 -fomit-frame-pointer'; do
	# shellcheck disable=SC2086
	compile probes $flags "$top/tests/providers/usdt/programs/probes.c"
	expect "traced: $flags" "$(trace -n 'sdt:::' -x usdt=sdt.d \
	    -c './probes two' | tail -n 9 |
	    sed 's/"pair":"0x[0-9a-f]*"/"pair":"0x"/')" "$records"
	expect "all armed: $flags" "$("$TBUFCTL" -l -c ./probes 2>&1 |
	    grep -c -e 'sdt  *probes' -e 'not armed')" 10
done
for description in nothing:::one sdt:::one; do
	"$TBUFCTL" -q -Z -x usdt=sdt.d -n "$description" -n 'libc::open*:entry,
	    libc::*read*:entry,libc::close:entry { @[probefunc] = count(); }' \
	    -c ./probes 2>/dev/null | sed -n 's/^ .* //p'
done >got
expect 'what it reads as it begins is not told as the program'"'"'s' \
    "$(cat got)" ''
expect 'without a provider file a string is a number' \
    "$(trace -n 'sdt:::words-two' -c ./probes |
    sed 's/:[0-9][0-9]*/:N/g')" 'words-two "arg0":N,"arg1":N'
expect 'asked for by the name of all' \
    "$(trace -Z -n 'usdt:::' -n ':::branch' -c './probes two')" 'branch '
"$TBUFCTL" -q -n ':::branch' -c './probes two' >/dev/null 2>&1
expect 'an empty provider preloads nothing' $? 1

# A running program is attached to; it has a semaphore, threads and children.
cat >shop.d <<'END'
provider shop {
	probe sale(int id, const char *buyer);
	probe asked();
};
END
cat >shop.c <<'END'
#include <sys/wait.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shop.h>

/* Room for a jump. */
#define APART	__asm__ __volatile__ (					\
	".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")
#define SALES	20000

static void *
sell(void *arg)
{
	double total = 0.5;
	int i;

	for (i = 0; i < SALES; i++) {
		SHOP_SALE(i, "ann");
		APART;
		total += i;
	}
	if (total != 0.5 + (SALES - 1) / 2.0 * SALES)
		abort();
	return (arg);
}

int
main(int argc, char **argv)
{
	pthread_t threads[4];
	int i, status = 0;

	if (SHOP_ASKED_ENABLED()) {
		puts("asked");
		SHOP_ASKED();
		APART;
	}
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		puts("waits");
		fflush(stdout);
		getchar();
	}
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, sell, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	fflush(stdout);
	if (fork() == 0)
		_exit(sell(NULL) != NULL);
	wait(&status);
	return (status);
}
END
"$TBUFCTL" -h -s shop.d && "$TBUFCTL" -G -s shop.d || exit 1
compile shop -O2 -I. shop.c shop.o -lpthread
# with_drops COUNT: adds the drops for want of a lane, which err has by CPU.
with_drops()
{
	sed -n 's/^tbufctl: \([0-9]*\) .*drops\{0,1\} on CPU.*/\1/p' err |
	    awk -v n="$1" '{ n += $1 } END { print n + 0 }'
}
lines=$("$TBUFCTL" -q -x strsize=16 -x bufsize=16m -n 'shop:::sale' -c ./shop \
    2>err | grep -c .)
expect 'threads' "$(with_drops $lines)" 80000
sum=$("$TBUFCTL" -q --follow -n 'BEGIN { }' -n 'shop:::sale { @ = count(); }' \
    -c ./shop 2>err | tail -n 1 | tr -d ' ')
expect 'children, too' "$(with_drops $sum)" 100000
expect 'a semaphore is raised' "$(trace -n 'shop:::asked' -c ./shop)" 'asked '
expect 'and what asks for it' "$("$TBUFCTL" -q -n 'shop:::asked' -c ./shop \
    2>/dev/null)" 'asked'
expect 'or left alone' "$("$TBUFCTL" -q -n 'shop:::sale' -c ./shop \
    2>/dev/null | grep -c asked)" 0
expect 'but for a setting' "$(TBUF_USDT='shop:::a*' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./shop)" 'asked'
expect 'nobody traces' "$(LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./shop
    echo $?)" 0

mkfifo go
LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./shop wait <go >out &
pid=$!
exec 3>go
until grep -q waits out; do :; done
"$TBUFCTL" -q -n 'shop:::sale { @ = count(); }' \
    -n 'BEGIN { system("echo >go"); }' -w -p $pid >got 2>err
expect 'attached to later' "$(with_drops $(tr -d ' \n' <got))" 80000
exec 3>&-
wait $pid

# Semaphores of a running program, which answers each line.
cat >guard.c <<'END'
#include <stdio.h>

#include <shop.h>

/* Room for a jump. */
#define APART	__asm__ __volatile__ (					\
	".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")

int
main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		SHOP_SALE(1, line);
		APART;
		puts(shop_asked_semaphore != 0 ? "up" : "down");
		fflush(stdout);
		if (SHOP_ASKED_ENABLED()) {
			SHOP_ASKED();
			APART;
		}
	}
	return (0);
}
END
# ask: gets one more answer; the caller counts them, because ask runs in a
# subshell.
answers=0
ask() {
	answers=$((answers + 1))
	echo a line >&3
	until [ "$(grep -c . out)" -ge $answers ]; do :; done
	tail -n 1 out
}
compile guard -O2 -I. guard.c shop.o
LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./guard <go >out &
pid=$!
exec 3>go
expect 'nobody has come' "$(ask)" down
answers=1
if (: >>/proc/$pid/mem) 2>err; then
	"$TBUFCTL" -q -w -n 'shop:::asked { exit(7); }' \
	    -n 'BEGIN { system("echo again >go"); }' -p $pid >got 2>err
	expect 'raised by who comes later' "$?$(cat err)" 7
	answers=2
	expect 'and so it was seen' "$(tail -n 1 out)" up
	expect 'lowered by who goes' "$(ask)" down
	answers=3
	# The first consumer is killed, so its bit remains set.
	"$TBUFCTL" -q -w -n 'shop:::asked' \
	    -n 'BEGIN { system("echo >ready"); }' -p $pid >got 2>err &
	first=$!
	until [ -e ready ]; do :; done
	"$TBUFCTL" -q -w -n 'shop:::asked { exit(7); }' \
	    -n 'BEGIN { system("echo again >go"); }' -p $pid >got 2>err
	expect 'two consumers' "$?" 7
	answers=4
	expect 'one of which stays' "$(ask)" up
	answers=5
	kill -9 $first
	wait $first 2>/dev/null
	expect 'nobody has lowered it' "$(ask)" up
	answers=6
	"$TBUFCTL" -q -w -n 'shop:::sale { exit(7); }' \
	    -n 'BEGIN { system("echo again >go"); }' -p $pid >got 2>err
	expect 'another probe' "$?" 7
	answers=7
	expect 'puts right what was left' "$(tail -n 1 out)" down
else
	"$TBUFCTL" -q -w -n 'shop:::asked' -n 'shop:::sale { exit(7); }' \
	    -n 'BEGIN { system("echo again >go"); }' -p $pid >got 2>err
	expect 'told where the kernel does not let it' "$?$(cat err)" \
	    "7tbufctl: 1 probe of pid $pid waits for a semaphore"
fi
exec 3>&-
wait $pid

# Probes that cannot be armed are listed with the reason.
cat >odd.c <<'END'
#include <stdio.h>
#include <sys/sdt.h>

/* Room for a jump. */
#define APART	__asm__ __volatile__ (					\
	".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")
#define NOTE(name, operands)						\
	__asm__ __volatile__ (						\
	    "990: nop\n\t.pushsection .note.stapsdt,\"?\",\"note\"\n"	\
	    "\t.balign 4\n\t.4byte 8, 994f-993f, 3\n"			\
	    "\t.asciz \"stapsdt\"\n"					\
	    "993: .8byte 990b, _.stapsdt.base, 0\n\t.asciz \"odd\"\n"	\
	    "\t.asciz \"" name "\"\n\t.asciz \"" operands "\"\n"	\
	    "994: .balign 4\n\t.popsection\n"				\
	    "\t.byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")

/* No dynamic symbol. */
static volatile int hidden = 41;

int
main(void)
{
#ifdef WAIT
	puts("waits");
	fflush(stdout);
	getchar();
#endif
	hidden++;
	STAP_PROBE1(odd, even, 1);
	APART;
	NOTE("vector", "8f@%xmm0");
	NOTE("index", "8@8(%rax,%xmm1)");
	NOTE("other", "4@%st");
	NOTE("symbol", "8@nowhere(%rip)");
	NOTE("pair", "4@$1 16@(%rsp)");
	NOTE("array", "-24@8(%rsp)");
	NOTE("odd__one", "3@(%rsp)");
	NOTE("complex", "16f@(%rsp)");
	NOTE("fine", "8@$7");
	NOTE("static", "-4@hidden(%rip) 4@4+hidden-4(%rip)");
	return (0);
}
END
compile odd -O2 odd.c -Wl,--build-id
"$TBUFCTL" -l -c ./odd >out 2>err
remedy='tbufctl: a program built with <tbuf/sys/sdt.h> has probes at such sites, too: see tbuf_usdt(7)'
expect 'what is not armed' "$(sed 's/ at 0x[0-9a-f]*//' err | sort)" \
    "$remedy
tbufctl: odd:odd:main:array: not armed: an operand is not 1, 2, 4 or 8 bytes long
tbufctl: odd:odd:main:complex: not armed: an operand is not 1, 2, 4 or 8 bytes long
tbufctl: odd:odd:main:index: not armed: an operand is not understood
tbufctl: odd:odd:main:odd-one: not armed: an operand is not 1, 2, 4 or 8 bytes long
tbufctl: odd:odd:main:other: not armed: an operand is not understood
tbufctl: odd:odd:main:pair: not armed: an operand is not 1, 2, 4 or 8 bytes long
tbufctl: odd:odd:main:symbol: not armed: an operand's symbol is not known
tbufctl: odd:odd:main:vector: not armed: an operand is in a vector register"
expect 'what is' "$(sed -n 's/.* odd  *odd *//p' out | sort)" 'main even
main fine
main static'
# The file itself says so, too.
expect 'what is not armed, by the file' "$("$TBUFCTL" -l --object=odd 2>&1 \
    >/dev/null | sed 's/ at 0x[0-9a-f]*//; s/odd::/odd:main:/' | sort)" \
    "$(sed 's/ at 0x[0-9a-f]*//' err | sort)"
expect 'one place in both' "$("$TBUFCTL" -l --object=odd 2>&1 >/dev/null |
    sed -n 's/.*:pair at \(0x[0-9a-f]*\):.*/\1/p')" \
    "$(sed -n 's/.*:pair at \(0x[0-9a-f]*\):.*/\1/p' err)"
pair='tbufctl: odd:odd:main:pair: not armed: an operand is not 1, 2, 4 or 8 bytes long'
for description in 'odd:::pair' 'odd:::pa*' 'odd:::pair { trace(1); }' \
    'odd:::pair, odd:::fine { @ = count(); }'; do
	"$TBUFCTL" -n "$description" -c ./odd >out 2>err
	expect "told first: $description" "$(sed 's/ at 0x[0-9a-f]*//
	    2q' err)" "$pair
$remedy"
done
"$TBUFCTL" -q -n odd:::fine -c ./odd >out 2>err
expect 'not told if another probe is wanted' "$(grep 'not armed' err)" ''

# What a running process lacks is told in the same way.
compile wait -O2 -DWAIT odd.c
pair='tbufctl: odd:wait:main:pair: not armed: an operand is not 1, 2, 4 or 8 bytes long'
symbol="tbufctl: odd:wait:main:symbol: not armed: an operand's symbol is not known"
mkfifo line
# running PRELOAD [PROGRAM]: starts the program, which waits for a line.
running() {
	: >waits
	LD_PRELOAD=$1 ${2-./wait} <line >waits &
	pid=$!
	exec 3>line
	until grep -q waits waits; do :; done
}
# on DESCRIPTION ...: prints the messages about the running program.
on() {
	"$TBUFCTL" -p $pid "$@" 2>&1 >/dev/null | sed 's/ at 0x[0-9a-f]*//
	    s/pid [0-9]*/pid N/'
}
running "$TBUF_PROVIDERS/libtbuf-usdt.so"
expect 'on a process' "$(on -n odd:::pair)" "$pair
$remedy
tbufctl: invalid probe specifier odd:::pair: probe description odd:::pair \
does not match any probes"
expect 'by a clause' "$(on -n 'odd:::pair { exit(0); }' | sed 2q)" "$pair
$remedy"
expect 'in the list' "$(on -l | grep -e pair -e symbol -e fine | sort)" "$pair
$symbol"
expect 'a symbol' "$(on -n odd:::symbol)" "$symbol
$remedy
tbufctl: invalid probe specifier odd:::symbol: probe description \
odd:::symbol does not match any probes"
expect 'in the list of a description' "$(on -l -n odd:::pair | sed 2q)" "$pair
$remedy"
expect 'all by the name of the provider' "$(on -n usdt:::fine |
    grep 'exists only')" ''
expect 'not in the list of an armed one' "$(on -l -n odd:::fine)" ''
exec 3>&-
wait $pid
can="tbufctl: it can be sampled: profile-N, tick-N, BEGIN and END need no \
libtbuf (example: -n 'profile-97 { @[ustack()] = count(); }')"
running ''
expect 'on a process without the provider' "$(on -n odd:::pair)" \
    "tbufctl: failed to grab pid N: it has no libtbuf
$(echo "$pair" | sed 's/:main:/::/')
$remedy
$can"
expect 'that could have been armed' "$(on -n odd:::fine)" \
    "tbufctl: failed to grab pid N: it has no libtbuf
tbufctl: provider usdt exists only in programs it is preloaded into (tbufctl \
-c does that): see tbuf_usdt(7)
$can"
expect 'without a probe of that name' "$(on -n odd:::none)" \
    "tbufctl: failed to grab pid N: it has no libtbuf
$can
tbufctl: for other probes start it by -c COMMAND, or with a provider in \
LD_PRELOAD for -p and recorders (TBUF_OPTIONS): see tbuf_libc(7)"
exec 3>&-
wait $pid
# Without the table of all symbols the provider says so, and not the file.
strip wait
running "$TBUF_PROVIDERS/libtbuf-usdt.so"
expect 'in a stripped file' "$(on -l -n odd:::symbol | sed q)" \
    "tbufctl: odd:wait::symbol: not armed: an operand's symbol is not known"
exec 3>&-
wait $pid

# A segment may end before there is room for a jump.
cat >last.s <<'END'
	.globl last
last:	ret
990:	nop
	ret
	.pushsection .note.stapsdt,"","note"
	.balign 4
	.4byte 8, 994f-993f, 3
	.asciz "stapsdt"
993:	.8byte 990b, 0, 0
	.asciz "odd"
	.asciz "last"
	.byte 0
994:	.balign 4
	.4byte 8, 996f-995f, 3
	.asciz "stapsdt"
995:	.8byte 0x123456789, 0, 0
	.asciz "odd"
	.asciz "nowhere"
	.byte 0
996:	.balign 4
	.popsection
	.section .note.GNU-stack,"",@progbits
END
$CC -shared -nostdlib -nostartfiles -o liblast.so last.s &&
    echo 'extern void last(void); int main(void) { last(); return (0); }' \
    >ends.c && $CC -o ends ends.c -L. -llast -Wl,-rpath,"$PWD" || exit 1
ends='tbufctl: odd:liblast.so:last:last: not armed: its segment ends before there is room for a jump
tbufctl: odd:liblast.so:last:nowhere: not armed: it is not in an executable segment'
for flags in -l '-n odd:::'; do
	# shellcheck disable=SC2086
	"$TBUFCTL" $flags -c ./ends 2>&1 >/dev/null | grep 'not armed' |
	    sed 's/ at 0x[0-9a-f]*//; s/so:[a-z]*:/so:last:/' | sort >got
	expect "the end of a segment: $flags" "$(cat got)" "$ends"
done
expect 'the end of a segment, by the file' "$("$TBUFCTL" -l \
    --object=liblast.so 2>&1 >/dev/null | grep 'not armed' |
    sed 's/ at 0x[0-9a-f]*//; s/::/:last:/' | sort)" "$ends"

# The remedy follows only if it cures one of the reasons.
expect 'no remedy' "$("$TBUFCTL" -l --object=liblast.so 2>&1 >/dev/null |
    grep -c -e 'segment$' -e 'not armed.*jump$' -e 'sdt.h')" 3
sed 's/\.asciz "last"/.asciz "a,b"/' last.s >comma.s
$CC -shared -nostdlib -nostartfiles -o libcomma.so comma.s &&
    $CC -o comma ends.c -L. -lcomma -Wl,-rpath,"$PWD" || exit 1
for how in '-l -c ./comma' '-l --object=libcomma.so'; do
	# shellcheck disable=SC2086
	"$TBUFCTL" $how 2>&1 >/dev/null | grep -e 'not armed' -e sdt.h |
	    sed 's/ at 0x[0-9a-f]*//; s/so:[a-z]*:/so::/' | sort >got
	expect "no remedy: $how" "$(cat got)" \
	    "tbufctl: libcomma.so: not armed: its names are no fields of a \
description
tbufctl: odd:libcomma.so::nowhere: not armed: it is not in an executable segment"
done

expect 'a static variable' "$(trace -n 'odd:::static' -c ./odd)" \
    'static "arg0":42,"arg1":42'

# A probe that is traced but not armed is reported: a branch leads to the place
# of the jump, and the bytes after the site would make a jump lead into .text.
cat >missed.c <<'END'
#include <unistd.h>

static long word;

int
main(int argc, char **argv)
{
	int waits = argc == 1 && argv[0][0] == '/';
	char line;

	/* One branch, so that a compiler makes one place of what follows. */
	__asm__ __volatile__ ("" : "+r" (waits));
	__asm__ __volatile__ (
	    "990: nop\n\tmov %%ecx, %%ecx\n\tmov %%ecx, %%ecx\n"
	    "\t.pushsection .note.stapsdt,\"\",\"note\"\n"
	    "\t.balign 4\n\t.4byte 8, 994f-993f, 3\n\t.asciz \"stapsdt\"\n"
	    "993: .8byte 990b, 0, 0\n\t.asciz \"odd\"\n\t.asciz \"missed\"\n"
	    "\t.byte 0\n994: .balign 4\n\t.popsection\n" : : : "memory");
	if (waits)
		return (write(1, "waits", 5) + read(0, &line, 1) < 0);
	__asm__ __volatile__ (
	    "xor %%ecx, %%ecx\n\t"
	    "990: nop\n\tadd %%al, (%%rax)\n"
	    "1:\tadd %%al, (%%rax)\n\tadd $1, %%ecx\n\tcmp $2, %%ecx\n\tjne 1b\n"
	    "\t.pushsection .note.stapsdt,\"\",\"note\"\n"
	    "\t.balign 4\n\t.4byte 8, 994f-993f, 3\n\t.asciz \"stapsdt\"\n"
	    "993: .8byte 990b, 0, 0\n\t.asciz \"odd\"\n\t.asciz \"missed\"\n"
	    "\t.byte 0\n994: .balign 4\n\t.popsection\n"
	    : : "a" (&word) : "ecx", "memory", "cc");
	if (argc > 1)
		execl("/proc/self/exe", argv[0], (char *)0);
	return (0);
}
END
compile missed -O2 missed.c
for command in './missed' './missed again'; do
	"$TBUFCTL" -q -n 'odd:::missed' -c "$command" >out 2>err
	expect "missed: $command" "$(sed 's/ at 0x[0-9a-f]*//
	    /total: /d' err)" \
	    "tbufctl: odd:missed:main:missed: not armed: a branch leads between the bytes
$remedy"
done
# A running process says the same, also where other sites of a name are armed.
running "$TBUF_PROVIDERS/libtbuf-usdt.so" "$PWD/missed"
missed="tbufctl: odd:missed:main:missed: not armed: a branch leads between the bytes"
expect 'missed, on a process' "$(on -n 'odd:::missed { exit(0); }
    BEGIN { exit(0); }' | sed 2q)" "$missed
$remedy"
expect 'missed, in the list' "$(on -l -n odd:::missed)" "$missed
$remedy"
expect 'missed, of one place' "$("$TBUFCTL" -p $pid -l 2>&1 >/dev/null |
    grep -c "$(sed -n 's/.*\( at 0x[0-9a-f]*: not\).*/\1/p' err)")" 1
expect 'missed, without its name' "$(on -l -n odd:::even |
    grep 'not armed')" ''
exec 3>&-
wait $pid
"$TBUFCTL" -q -Z -n 'odd:::even' -c './missed' >out 2>err
expect 'nobody asks for it' "$(grep 'not armed' err)" ''

cat >twin.c <<'END'
static volatile int hidden;

int
twin(void)
{
	return (hidden);
}
END
compile twin -O2 odd.c twin.c
expect 'two variables of a name' "$("$TBUFCTL" -l -c ./twin 2>&1 |
    sed 's/ at 0x[0-9a-f]*//' | grep static)" \
    "tbufctl: odd:twin:main:static: not armed: an operand's symbol is not known"
objcopy --redefine-sym 'main=main[int,char]' odd comma
expect 'a function that is no field' "$(trace -n 'odd:::static' -c ./comma)" \
    'static "arg0":42,"arg1":42'
cp odd bare && strip bare
expect 'and without the table of all symbols' "$("$TBUFCTL" -l -c ./bare 2>&1 |
    sed 's/ at 0x[0-9a-f]*//' | grep static)" \
    "tbufctl: odd:bare::static: not armed: an operand's symbol is not known"

# Stripped information is found in /usr/lib/debug of a mount namespace, and
# nowhere else.
cat >apart <<'END'
exec unshare -rm sh -c 'mount --bind . /usr/lib/debug && exec "$@"' - "$@"
END
id=$(LC_ALL=C readelf -n odd 2>/dev/null | sed -n 's/.*Build ID: //p')
debug=.build-id/${id%"${id#??}"}/${id#??}.debug
if [ -n "$id" ] && [ -d /usr/lib/debug ] && sh apart true 2>/dev/null; then
	around='sh apart'
	mkdir -p "${debug%/*}"
	objcopy --only-keep-debug odd "$debug"
	expect 'debug information apart' "$(trace -n 'odd:::static' -c ./bare)" \
	    'static "arg0":42,"arg1":42'
	expect 'it has functions, too' \
	    "$(trace -n 'odd::main:static' -c ./bare)" \
	    'static "arg0":42,"arg1":42'
	size=$(wc -c <"$debug")
	head -c $((size - 1)) "$debug" >short && mv short "$debug"
	expect 'one that ends early' "$(trace -n 'odd:::static' -c ./bare)" ''
	compile later -O2 odd.c -Wl,--build-id=0x1234
	objcopy --only-keep-debug later "$debug"
	expect 'one of another build' "$(trace -n 'odd:::static' -c ./bare)" ''
	around=
fi

# A program that has libtbuf's probes beside its notes is not changed.
# shellcheck disable=SC2086
$CC -I"$top/libtbuf/include/tbuf" "$top/tests/providers/usdt/programs/probes.c" -o both \
    -L"$top_builddir/.libs" -ltbuf -Wl,-rpath,"$(cd "$top_builddir/.libs" &&
    pwd)" || exit 1
expect 'one probe, not two' "$(LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so \
    "$TBUFCTL" -q -n 'sdt:::one' -c ./both 2>/dev/null)" 'n=1'

# Bad files are reported before a command runs.
echo 'provider {' >bad.d
expect 'a bad provider file' "$("$TBUFCTL" -x usdt=bad.d -n a:::b -c ./odd 2>&1
    echo $?)" "tbufctl: failed to read provider file $PWD/bad.d: line 1: a provider's name is expected
1"
expect 'a missing one' "$("$TBUFCTL" -x usdt=/no/file -l 2>&1; echo $?)" \
    'tbufctl: failed to read /no/file: No such file or directory
1'
expect '-x usdt without a command' "$("$TBUFCTL" -x usdt -n a:::b 2>&1
    echo $?)" 'tbufctl: -x usdt needs -c
2'
expect 'an empty name of a provider file' "$("$TBUFCTL" -x usdt= -n a:::b \
    -c ./odd 2>&1; echo $?)" 'tbufctl: -x usdt needs a file
2'
expect 'without a command' "$("$TBUFCTL" -x usdt=sdt.d -l 2>&1; echo $?)" \
    'tbufctl: -x usdt needs -c
2'
expect 'types in the list of a file' "$("$TBUFCTL" -x usdt=sdt.d -lv \
    --object=probes | sed -n '/words-two/,/arr/p' | tail -n 2)" \
    '	word string
	array string'
expect 'a slip in the list of a file' "$("$TBUFCTL" -l --object=probes \
    -n sdt:::wrods-two 2>&1 | tail -n 1)" \
    "tbufctl: did you mean 'sdt:::words-two'?"
expect 'where tracing is off' "$(TBUF_DISABLE=1 TBUF_USDT_LIST=off \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./odd; echo $?
    sed -n 's/.*even.*: //p' off)" '0
its probe could not be registered'
expect 'all in a list' "$("$TBUFCTL" -l -x usdt -n nosuch::: -c ./odd \
    2>&1 | grep -c 'not armed')" "$("$TBUFCTL" -l -n nosuch::: -n usdt:::none \
    -c ./odd 2>&1 | grep -c 'not armed')"

# Installed files have no errors.
for file in "$TBUF_USDT_DIR"/*.d; do
	expect "$file" "$("$TBUFCTL" -h -s "$file" -o installed.h 2>&1)" ''
done

# The variable for the report of a run ends with the run: later its file may be
# another user's, or a link to a file of the user.
left() {
	LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so \
	    TBUF_USDT_MISSED=$SCRATCH/its-report env | sed -n 's/^TBUF_USDT_MI.*=//p'
}
expect 'no report' "$(left)" ''
expect 'it is not made' "$(ls its-report 2>/dev/null)" ''
: >its-report
expect 'a report' "$(left)" "$SCRATCH/its-report"
mv its-report other
ln -s other its-report
expect 'a link' "$(left)" ''
rm its-report
if [ "$(id -u)" -eq 0 ]; then
	: >its-report
	chown 12345 its-report
	expect 'a file of another user' "$(left)" ''
fi

report
