#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The requirements of a memory manager's telemetry, one after the other, shown
# with the event list of registry_target.c.  Their names are those of the
# Memory Pool System's design, design.mps.telemetry.req.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
# The provider may be any of a glob, so that tbufctl preloads that of USDT.
[ -z "$SANITIZER" ] || exit 77
. "$top_srcdir/tests/lib/tbufctl.sh"
target=$top_builddir/tests/registry/registry_target
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir

# compile SOURCE PROGRAM OPTION ...: needs the headers and the library alone.
compile()
{
	source=$1 program=$2
	shift 2
	# shellcheck disable=SC2086 # CC may have flags
	$CC -I"$top_srcdir/libtbuf/include" -I"$top_srcdir/tests" "$@" \
	    -o "$program" "$source" -L"$top_builddir/.libs" -ltbuf
}

# record PROBES ORDER ...: runs the target with a recorder; its file is $file.
record()
{
	rm -f dir/tbuf.*
	probes=$1
	shift
	TBUF_OPTIONS="bufsize=64k,probes=$probes" "$target" "$@"
	file=$(echo dir/tbuf.*)
}

# read_file OPTION ...: prints its records.
read_file()
{
	"$TBUFCTL" -q -x temporal --read="$file" "$@" 2>errors
}

# simple: a compiler and a header; no tool makes code.
same 'simple' 0 "$(compile "$top_srcdir/tests/registry/registry_target.c" simple
    echo $?)"

# open: a new event of any types is a row of a list, and needs nothing else.
cat >open.c <<'END'
#include <tbuf_registry.h>
#define OPEN_EVENTS(E) E(open, news, 1, TBUF_ALWAYS, any, (float, f))
TBUF_RELATION(OPEN_EVENTS);
int main(void) { TBUF_EVENT(news, 1.5f); return (0); }
END
compile open.c open
same 'open' 'f=1.5' "$("$TBUFCTL" -q -n open-any:::news -c ./open 2>errors)"

# multi: 32 streams at once, each with the kinds that it wants.
mkfifo go
"$target" wait fire=5 <go &
pid=$!
exec 3>go
n=0
while [ $n -lt 32 ]; do
	kind=$([ $((n % 2)) -eq 0 ] && echo request || echo table)
	"$TBUFCTL" -n "reg-$kind:::" -p $pid -o stream.$n 2>stream.$n.errors \
	    3>&- &
	n=$((n + 1))
done
n=0
while [ $n -lt 32 ]; do
	until grep -q ' matched [12] probes*$' stream.$n.errors; do
		:
	done
	n=$((n + 1))
done
echo >&3
exec 3>&-
wait
same 'multi' '16 streams of 10, 16 of 5' "$(
    grep -c ':[a-z]' stream.*[0-9] | awk -F: '{ n[$2]++ }
	END { printf("%d streams of 10, %d of 5", n[10], n[5]) }')"

# share: a tool includes the same list; impl: it is a few lines of C.
compile "$top_srcdir/tests/registry/registry_tool.c" tool
record 'reg-request:::;reg-loop:::' fire=1
same 'share and impl' 'reg request__start
reg request__done
reg idle' "$(./tool "$file")"

# version: a tool sees whether it understands the program; back: files of other
# versions tell their own types, and what a new version breaks is known before.
same 'back: a file' '[uint64_t id] [string op]' "$("$TBUFCTL" -lv \
    -n request-start --read="$file" 2>errors | sed -n '/code/d
	s/^	\([a-z0-9_]*\) \([a-z0-9_]*\)/[\2 \1]/p' | tr '\n' ' ' |
    sed 's/ $//')"
"$TBUFCTL" -l --format=json -n reg-request::: -c "$target" >list 2>errors
same 'version: the same' 0 "$("$TBUFCTL" -l --check=list -n reg-request::: \
    -c "$target" 2>errors; echo $?)"
same 'version: median' 1 "$(sed 's/"op"/"operation"/' list >other
    "$TBUFCTL" -l --check=other -n reg-request::: -c "$target" >differ 2>errors
    echo $?)"
same 'version: minor' 0 "$(head -n 1 list >other
    "$TBUFCTL" -l --check=other -n reg-request::: -c "$target" >differ 2>errors
    echo $?)"

# type: integers, doubles, strings, addresses, bytes.
same 'type' 'yes=true number=-5 real=0.25 pointer=0x10 string="text"'\
' sized="cut" bytes=hex:010203' "$("$TBUFCTL" -q -n types \
    -c "$target types" 2>errors)"

# port: records and tables have fixed widths and offsets (tbuf(5)), and a file
# says its byte order and its version; tests/aarch64/ reads files across.
same 'port: major and order' '01 02 03 04' "$(od -An -tx1 -j8 -N4 "$file" |
    tr ' ' '\n' | sed '/^$/d' | sort | tr '\n' ' ' | sed 's/ $//')"

# control: kinds, by the environment and while the program runs (multi).
record reg-table::: fire=7
same 'control' 7 "$(read_file | grep -c slot=)"

# examine: a dumper is at hand, for text and for programs.
same 'examine' '{"slot":1}' "$(read_file --format=json |
    sed -n 's/.*"args":\({[^}]*}\).*/\1/p' | head -n 1)"

# pm: sudden death loses no record, and a fatal signal prints a traceback;
# tests/system/core.sh reads cores.
record reg-request::: fire=3 kill
same 'pm: sudden death' 6 "$(read_file | grep -c id=)"
# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
record reg-request::: fatal fire=3 abort >traceback
same 'pm: traceback' 6 "$(grep -c 'request-.*id=[123] ' traceback)"

# perf: a site that no session wants is a load and a branch, which
# tests/macros/assembly.sh counts; its arguments are not evaluated, and it
# leaves nothing.
record reg-none::: fire=1000
same 'perf' 0 "$(read_file | grep -c .)"

# small: 16 bytes of header, arguments as wide as their types, texts once.
same 'small' 1 "$("$TBUFCTL" -q -x bufpolicy=fill -b 32 \
    -x bufscope=thread -n interned -c "$target intern=hello" 2>errors |
    grep -c hello)"

# avail: a release has the events that are TBUF_ALWAYS.
compile "$top_srcdir/tests/registry/registry_target.c" release \
    -DTBUF_RELEASE -O2
same 'avail' '2 1' "$("$TBUFCTL" -q -n reg-request:::,reg-table:::,reg-loop::: \
    -c './release fire=1' -o avail 2>errors
    echo "$(grep -c id= avail) $(grep -c '^ *$' avail)")"

# robust: damage costs the records that it hits.
record reg-request::: fire=100
good=$(read_file | grep -c id=)
cp "$file" whole
# No record is before the first one of a CPU that the program moved to.
offset=$(grep -abo 'get' "$file" | awk -F: 'NR >= 20 && $1 - last < 256 {
	print $1
	exit
}
{ last = $1 }')
printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377' |
    dd of="$file" bs=1 seek=$((offset - 40)) conv=notrunc 2>dd.errors
left=$(read_file | grep -c 'id=[0-9]* [a-z]')
same 'robust' "200 1 1 1" "$good $((left >= 195)) $((left < 200)) $(
    grep -c 'damaged bytes skipped' errors)"

# intern: a text stands once in the file, and its records have its number.
record reg-text:::interned intern=onceonly intern=onceonly intern=onceonly
same 'intern' '3 1' \
    "$(read_file | grep -c 'word="onceonly"') $(grep -ao onceonly "$file" |
    wc -l | tr -d ' ')"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
