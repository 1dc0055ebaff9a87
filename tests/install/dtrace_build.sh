#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A program with calls of dtrace -h and dtrace -G in its build is built with
# tbufctl instead, and traced.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR CC
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW CFLAGS
top=$(cd "$top_srcdir" && pwd)
libraries=$(cd "$top_builddir/.libs" && pwd)
cd "$SCRATCH" || exit 1

# The file is like PostgreSQL's: a type is a macro, and arguments have no names.
cat >shop-probes.d <<'END'
#define Oid unsigned int
#ifdef NEVER
provider never { probe ever(); };
#endif

/* Probes of a shop.
 */
typedef unsigned long long price_t;
typedef struct { int a; } *thing;

provider shop {
	probe open();
	probe sale__start(Oid, const char *);	// the buyer
	probe sale__done(Oid id, price_t price, int (*free)(int), thing);
	probe sale__translated(Oid id) : (struct sale *sale);
};
#pragma D attributes Evolving/Evolving/Common provider shop provider
END
cat >shop.c <<'END'
#include <stdio.h>

#include "shop-probes.h"

int
main(int argc, char **argv)
{
	(void)argv;
	SHOP_OPEN();
	if (SHOP_SALE_START_ENABLED())
		puts("asked for the start");
	SHOP_SALE_START(7, "ann");
	if (argc > 1)
		shop_sale__done_semaphore++;	/* another tracer */
	if (SHOP_SALE_DONE_ENABLED())
		puts("asked for the end");
	SHOP_SALE_DONE(7, 1ull << 40, NULL, NULL);
	return (0);
}
END

# Builds with commands like a Makefile's.
build() {
	"$TBUFCTL" -C -h -s shop-probes.d -o shop-probes.h &&
	    $CC -O2 -Wall -Wextra -Werror -I"$top/libtbuf/include" -I. -c shop.c &&
	    "$TBUFCTL" -C -G -s shop-probes.d -o shop-probes.o shop.o &&
	    $CC shop.o shop-probes.o -o shop -L"$libraries" -ltbuf \
	    -Wl,-rpath,"$libraries"
}
expect 'the build' "$(build 2>&1)" ''
expect 'nobody traces' "$(./shop)" ''
expect 'another tracer' "$(./shop other)" 'asked for the end'
expect 'traced' "$("$TBUFCTL" -q -n 'sale-start' -c ./shop 2>/dev/null)" \
    'asked for the start
arg0=7 arg1="ann"'
expect 'semaphores of the notes' "$(readelf -n shop | sed -n '
    s/.*Name: //p
    s/.*Semaphore: 0x0*\([0-9a-f]\).*/\1/p' | sed 's/^[1-9a-f]$/has one/' |
    paste -d' ' - -)" 'open has one
sale__start has one
sale__done has one'
printf '\177ELF' >short
expect 'the list of its notes' "$("$TBUFCTL" -lv --object=./shop |
    sed 's/ *$//; s/  */ /g')" ' ID PROVIDER MODULE FUNCTION NAME
 1 shop shop open
 2 shop shop sale-done
	arg0 int32_t
	arg1 uint64_t
	arg2 uint64_t
	arg3 uint64_t
 3 shop shop sale-start
	arg0 int32_t
	arg1 uint64_t'
for file in short ./shop.c /no/file; do
	expect "the list of $file" "$("$TBUFCTL" -l --object=$file 2>&1
	    echo $?)" "tbufctl: failed to read $file: $(
	    [ $file = /no/file ] && echo No such file or directory ||
	    echo it is not an ELF file)
1"
done
echo 'int none;' | $CC -x c -c -o none.o -
expect 'the list of an object without probes' \
    "$("$TBUFCTL" -l --object=none.o 2>&1; echo $?)" \
    'tbufctl: no USDT probes in none.o
0'
expect 'what the macros are called' \
    "$(sed -n 's/^#define \([A-Z_]*([a-z0-9, ]*)\).*/\1/p' shop-probes.h)" \
    'SHOP_OPEN_ENABLED()
SHOP_OPEN()
SHOP_SALE_START_ENABLED()
SHOP_SALE_START(arg0, arg1)
SHOP_SALE_DONE_ENABLED()
SHOP_SALE_DONE(arg0, arg1, arg2, arg3)
SHOP_SALE_TRANSLATED_ENABLED()
SHOP_SALE_TRANSLATED(arg0)'
if command -v "${CXX:-c++}" >/dev/null; then
	echo '#include "shop-probes.h"
	int main() { SHOP_SALE_START(1, "x"); return SHOP_OPEN_ENABLED(); }' \
	    >shop.cc
	expect 'in C++' "$(${CXX:-c++} -Wall -Wextra -I"$top/libtbuf/include" -I. shop.cc \
	    shop-probes.o -o shop_plus -L"$libraries" -ltbuf \
	    -Wl,-rpath,"$libraries" 2>&1 && ./shop_plus)" ''
fi

# Without -o, tbufctl chooses the files' names, in the current folder.
mkdir made && cd made || exit 1
"$TBUFCTL" -C -h -s ../shop-probes.d && "$TBUFCTL" -C -G -s ../shop-probes.d
expect 'files without -o' "$(ls)" 'shop-probes.h
shop-probes.o'

# refused TEXT MESSAGE: expects an error for a provider file, and no output
# file.
refused() {
	printf '%s\n' "$1" >bad.d
	expect "refused: $1" "$("$TBUFCTL" -h -s bad.d 2>&1; echo $?; ls bad.h \
	    2>/dev/null)" \
	    "tbufctl: failed to read provider file bad.d: line $2
1"
}
refused 'provider {' "1: a provider's name is expected"
refused '
provider x { probe a(int; };' "2: a type is expected"
refused 'provider x { probe a(int b c); };' "1: ',' or ')' is expected"
refused 'provider x { probe a(+); };' '1: a type is expected'
refused 'provider x { probe a(1,2,3,4,5,6,7,8,9,10,11,12,13); };' \
    '1: a probe has at most 12 arguments'
refused 'provider x { prove' "1: 'probe' or '}' is expected"
refused 'struct x {' "2: ';' is expected"
refused 'x' "1: 'provider' is expected"

# usage MESSAGE ARGUMENT ...: expects the message and status 2.
usage() {
	message=$1
	shift
	expect "tbufctl $*" "$("$TBUFCTL" "$@" 2>&1; echo $?)" \
	    "tbufctl: $message
2"
}
usage '-h needs -s' -h
usage '-G needs -s' -G
usage '-h does not go with -G' -h -G -s bad.d
usage '-h does not go with a probe description' -h -n a:::
usage '-G does not go with -l' -G -l -s bad.d
usage '--object needs -l' --object=../shop
usage '--object does not go with -c' -l --object=../shop -c true
usage '--object does not go with a D program' -l --object=x \
    -n 'a::: { trace(1); }'
echo 'provider x { probe a(); };' >good.d
expect 'a compiler that is missing' "$(CC=/no/cc "$TBUFCTL" -G -s good.d 2>&1
    echo $?)" 'tbufctl: failed to compile with /no/cc: No such file or directory
1'

report
