#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A USDT probe's string at an invalid address is recorded as NULL, with each
# kind of record, and the program continues; with a filter of system calls, too.

. "${top_srcdir:?}/tests/providers/usdt/common.sh"

# shellcheck disable=SC2086
$CC -std=gnu89 -O2 -I"$top/libtbuf/include/tbuf" -I"$top/libtbuf/include" -o texts \
    "$top/tests/providers/usdt/programs/texts.c" -lpthread || exit 1
# shellcheck disable=SC2086
$CC -std=gnu89 -O2 -I"$top/libtbuf/include/tbuf" -I"$top/libtbuf/include" -o sized \
    "$top/tests/providers/usdt/programs/sized.c" || exit 1
echo 'provider texts { probe told(int n, const char *text);
    probe sized(int n, char text[size], int size); };' >texts.d

# short.awk prints a text's number, and the text or its length.
cat >short.awk <<'END'
{ print $1, (length($2) > 10 ? length($2) : $2) }
END
# clause COMMAND ...: traces by a clause.
clause() {
	"$@" "$TBUFCTL" -q -x temporal -x strsize=10k -x usdt=texts.d -n '
	    texts:::told /args[1] != NULL/ { printf("%d %s\n", arg0, args[1]) }' \
	    -c ./texts 2>err | awk NF | awk -f short.awk
	cat err
}
# plain COMMAND ...: traces default records.
plain() {
	"$@" "$TBUFCTL" -q -x temporal -x strsize=10k -x bufsize=1m \
	    -x usdt=texts.d -n texts:::told -c ./texts 2>err |
	    sed 's/"//g; s/[a-z]*=//g' | awk -f short.awk
	cat err
}
# sized COMMAND ...: traces texts with a length.
sized() {
	"$@" "$TBUFCTL" -q -x temporal -x strsize=10k -x bufsize=1m \
	    -x usdt=texts.d -n texts:::sized -c ./sized 2>err |
	    sed 's/ *size=.*//; s/""/none/; s/"//g; s/[a-z]*=//g' |
	    awk -f short.awk
	cat err
}
sizes='1 literal
2 stack
3 xxxx
4 NULL
5 NULL
6 none
7 none
8 none
9 NULL
10 short
11 511
12 512
13 8191
14 8191
tbufctl: total: 14 records, 0 overwritten, 0 drops'
there='1 literal
2 stack
3 heap'
nothing='4 NULL
5 NULL
6 NULL
7 NULL
8 NULL
9 NULL'
total='tbufctl: total: 13 records, 0 overwritten, 0 drops'
mapped='10 thread
11 xxx
12 5095
13 8191'

./texts
expect 'nobody traces' $? 0
expect 'as it is' "$(plain env)" "$there
$nothing
$mapped
$total"
expect 'without restartable sequences' \
    "$(plain env GLIBC_TUNABLES=glibc.pthread.rseq=0)" "$there
$nothing
$mapped
$total"
expect 'with a length' "$(sized env)" "$sizes"
expect 'by a clause' "$(clause env)" "$there
$mapped"
filter=$top_builddir/tests/lib/under_seccomp
"$filter" true
[ $? -ne 77 ] || exit 77
expect 'as it is, filtered' "$(plain "$filter")" "$there
$nothing
$mapped
$total"
expect 'with a length, filtered' "$(sized "$filter")" "$sizes"
expect 'by a clause, filtered' "$(clause "$filter")" "$there
$mapped"

report
