#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# USDT probes of objects that dlopen(3) loads: they are armed before the
# objects' constructors run, also while threads run, and removed when the
# objects are unloaded.

. "${top_srcdir:?}/tests/providers/usdt/common.sh"

cat >module.d <<'END'
provider module {
	probe begin();
	probe asked();
	probe work(int i, const char *text);
	probe alone();
	probe end();
};
END
"$TBUFCTL" -h -s module.d && CFLAGS=-fPIC "$TBUFCTL" -G -s module.d || exit 1
# compile PROGRAM FLAG ...: compiles a program.
compile() {
	program=$1
	shift
	# shellcheck disable=SC2086
	$CC -std=gnu89 -Wall -Wextra -Werror -O2 -I. -I"$top/libtbuf/include/tbuf" \
	    -I"$top/libtbuf/include" "$@" -o "$program" || exit 1
}
compile module.so -shared -fPIC "$top/tests/providers/usdt/programs/module.c" module.o
compile opener "$top/tests/providers/usdt/programs/opener.c" -ldl -lpthread

# count TIMES ARGUMENT: prints how often each probe has fired.
count() {
	"$TBUFCTL" -q -Z -x usdt=module.d -n '
	    BEGIN { } module:::work, module:::begin, module:::asked,
	    module:::alone, module:::end { @[probename] = count(); }' \
	    -c "./opener $*" 2>err | awk 'NF { print $1, $2 }' |
	    LC_ALL=C sort
	cat err
}
# fired TIMES: prints the expected counts.
fired() {
	printf 'alone %d\nasked %d\nbegin %d\nend %d\nwork %d\n' $(($1 * 100)) \
	    "$1" "$1" "$1" $(($1 * 100))
}

expect 'loaded once' "$(count 1)" "$(fired 1)"
# Without a provider file -x usdt preloads the provider, as the hint says.
hint='tbufctl: ./opener can load libraries while it runs: -x usdt traces their USDT probes, too'
expect 'the hint' "$("$TBUFCTL" -q -n module:::work -c './opener 1' 2>&1 |
    grep 'x usdt')" "$hint"
expect 'the hint after a clause' "$("$TBUFCTL" -q -n 'module:::work { n++; }' \
    -c './opener 1' 2>&1 | grep 'x usdt')" "$hint"
expect 'no hint with a provider file' "$("$TBUFCTL" -q -x usdt=module.d \
    -n module:::nosuch -c './opener 1' 2>&1 | grep 'x usdt')" ''
expect 'no hint with -x usdt' "$("$TBUFCTL" -q -x usdt -n nosuch:::work \
    -c './opener 1' 2>&1 | grep 'x usdt')" ''
for description in module:::work module:::wo* work; do
	expect "-x usdt: $description" "$("$TBUFCTL" -q -x usdt \
	    -n "$description" -c './opener 1' 2>/dev/null | grep -c arg)" 100
done
# Probes of a child that had ended when tbufctl found it are counted.
expect 'in a child that has ended' "$("$TBUFCTL" -q --follow -x usdt=module.d \
    -n 'module:::work { @ = count(); }' \
    -c "sh $top/tests/lib/ended_child.sh ./opener 1" 2>&1 | tr -d ' \n')" 100
# 1500 loads would exhaust the space for stubs if it were not reused.
expect 'and again' "$(count 1500)" "$(fired 1500)"
"$TBUFCTL" -q -Z -x usdt=module.d -x temporal -n module:::work \
    -c './opener 1' >out 2>err
expect 'its texts' "$(grep -c 'text="text"' out)" 100
expect 'nobody traces' "$(LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so \
    ./opener 3; echo $?)" 0
TBUF_USDT_LIST=list LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./opener 1
expect 'what is armed' "$(sed 's/ at 0x[0-9a-f]*//' list |
    LC_ALL=C sort)" \
    'module:module.so:begin:asked: armed
module:module.so:begin:begin: armed
module:module.so:end:end: armed
module:module.so:module_alone:alone: armed
module:module.so:module_work:work: armed'
# calls DESCRIPTION: counts the calls that open, close and read files.
calls() {
	"$TBUFCTL" -q -Z -x usdt=module.d -n "$1"' /0/ { @n = count(); }
	    syscall::openat:entry, syscall::close:entry, syscall::read:entry,
	    syscall::pread64:entry { @[probefunc] = count(); }' \
	    -c './opener 20' 2>err | awk NF | LC_ALL=C sort
	cat err
}
if [ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ]; then
	calls syscall::none:entry >plain
	expect 'its calls' "$(grep -c openat plain)" 1
	expect 'they are what they are' "$(calls 'module:::work')" \
	    "$(cat plain)"
fi
# Calls of an object that was loaded before are still dispatched: the thread has
# not blocked SIGSYS.
cat >raw.c <<'END'
#include <sys/syscall.h>
long raw(void);
long
raw(void)
{
	long result = SYS_getppid;

	__asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
	return (result);
}
END
cat >after.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int
main(void)
{
	void *object = dlopen("./raw.so", RTLD_NOW);
	long (*raw)(void) = (long (*)(void))(size_t)dlsym(object, "raw");
	int i;

	(void)raw();
	if (dlopen("./module.so", RTLD_NOW) == NULL)
		return (1);
	for (i = 1; i < 100; i++)
		(void)raw();
	return (0);
}
END
compile raw.so -shared -fPIC raw.c
compile after after.c -ldl
if [ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ] && "$TBUFCTL" -l -v \
    -x syscall=all -n syscall::getppid: -c true 2>&1 | grep -q dispatched; then
	expect 'dispatched calls' "$("$TBUFCTL" -q -Z -x usdt=module.d \
	    -x syscall=all -n 'module:::begin, syscall::getppid:entry
	    { @[probename] = count(); }' -c ./after 2>&1 |
	    awk 'NF { print $1, $2 }')" "$(printf 'begin 1\nentry 100\n')"
fi
# After the program has installed a filter, its code is not changed any more.
./opener 1 filtered
[ $? -ne 77 ] || exit 77
expect 'a filter' "$(LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so \
    ./opener 3 filtered; echo $?)" 0
expect 'traced, too' "$(count 1 filtered)" ''

report
