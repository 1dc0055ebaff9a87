#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Events that a program declares in one list (tbuf_registry(7)): their codes in
# lists, their kinds as switches, and their arguments; and texts that records
# refer to by a number, which are strings to each reader.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
target=$top_builddir/tests/system/registry_target
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir

# Prints the probes of a list as PROVIDER:NAME CODE ARGUMENTS.
list()
{
	"$TBUFCTL" -l --format=json -n 'reg-*:::' "$@" 2>>errors |
	    sed 's/.*"provider":"\([^"]*\)".*"function":"[^"]*","name":/\1:/
		s/:"\([^"]*\)","code":\([0-9]*\),"args":/:\1 \2 /
		s/{"name":"\([^"]*\)","type":"\([^"]*\)"}/\1=\2/g
		s/}$//' | sort -u
}

events='reg-loop:idle 769 []
reg-request:request-done 258 [id=uint64_t,status=int32_t]
reg-request:request-start 257 [id=uint64_t,op=string]
reg-table:look 513 [slot=uint32_t]
reg-text:interned 1025 [before=int32_t,word=string,after=uint8_t]
reg-text:mixed 1026 [plain=string,word=string]'
same 'the list' "$events" "$(list -c "$target")"
same 'codes in text' '	code 0x101
	id uint64_t
	op string' "$("$TBUFCTL" -lv -n request-start -c "$target" |
    grep '^	')"

# The kinds are switches: of 20 requests only what one of them records.
kinds()
{
	"$TBUFCTL" -x temporal -n "$1" -c "$target fire=20" 2>>errors |
	    sed -n 's/ *$//; s/^.*:\([a-z][a-z-]*\).*/\1/p' | sort |
	    uniq -c | tr -s ' \n' ' '
}
same 'a kind' ' 20 request-done 20 request-start ' "$(kinds reg-request:::)"
same 'another' ' 20 look ' "$(kinds reg-table:::)"
same 'all' ' 1 idle 20 look 20 request-done 20 request-start ' \
    "$(kinds 'reg-*:::')"
same 'arguments' 'request-start id=1 op="get"
request-done id=1 status=0' "$("$TBUFCTL" -x temporal -n reg-request::: \
    -c "$target fire=1" 2>>errors | sed -n 's/.*fire://p')"
same 'in D' 'get 10 set 10 ' "$("$TBUFCTL" -q -n '
    reg-request:::request-start { @[op] = count(); }' \
    -c "$target fire=20" 2>>errors | tr -s ' \n' ' ' | sed 's/^ //')"

# A recorder has what other sessions leave out, and outlives a sudden death.
TBUF_OPTIONS='bufsize=64k,probes=reg-request:::' "$target" fire=3 kill
pid=$("$TBUFCTL" --left --format=json | sed 's/.*"pid":\([0-9]*\).*/\1/')
same 'a recorder' 6 "$("$TBUFCTL" -q --read="$pid" -n reg-request::: 2>>errors |
    grep -c 'id=[123] ')"
same 'the list of a file' "$events" "$(list --read="$pid")"

# Interned texts.
text='before=-1 word="hello" after=7
plain="plain" word="hello"
before=1 word=NULL after=0
before=0 word=NULL after=0
before=1 word="parent" after=0
before=-1 word="child" after=7
plain="plain" word="child"'
orders='intern=hello unknown fork'
same 'interned: text' "$text" "$("$TBUFCTL" -q -x temporal --follow \
    -n reg-text::: -c "$target $orders" 2>>errors)"
same 'interned: thread lanes' "$text" "$("$TBUFCTL" -q -x temporal --follow \
    -x bufscope=thread -n reg-text::: -c "$target $orders" 2>>errors)"
same 'interned: JSON' '"before":-1,"word":"hello","after":7' \
    "$("$TBUFCTL" -q --format=json -n reg-text:::interned \
    -c "$target intern=hello" 2>>errors |
    sed -n 's/.*"args":{\([^}]*\)}.*/\1/p')"
long=$(printf '%0255d' 0)
same 'interned: 32 bytes a record' 8 "$("$TBUFCTL" -q -x bufpolicy=fill -b 256 \
    -x bufscope=thread -n reg-text:::interned -c "$target intern=$long \
    intern=$long intern=$long intern=$long intern=$long intern=$long \
    intern=$long intern=$long" 2>>errors | grep -c "word=\"$long\"")"
same 'interned: in D' 'hello 7 hellox 5
plain <= hello
  hello 1
  x 1' "$("$TBUFCTL" -q -x temporal -n '
    interned /word == "hello"/ {
	printf("%s %d %s %d\n", word, after, strjoin(word, "x"),
	    strlen(word)); }
    mixed /word == "hello" && word != plain/ { self->word = word;
	seen[word] = 1; printf("%s <= %s\n", plain, self->word); }
    reg-text:::interned { @[word] = count(); }' \
    -c "$target intern=hello intern=x" 2>>errors |
    sed '/^$/d; s/^ *\([a-z]*\)  *\([0-9]\)$/  \1 \2/')"
record()
{
	TBUF_OPTIONS='bufsize=64k,probes=reg-text:::' "$target" "$@"
	file=$(echo dir/tbuf.*)
}
rm -f dir/tbuf.*
record intern=hello back kill >back
same 'interned: last records' "$(echo "$text" | head -n 2)" \
    "$(sed '1d; s/.*interned //; s/.*mixed //' back)"
same 'interned: a file' "$(echo "$text" | head -n 2)" \
    "$("$TBUFCTL" -q --read="$file" 2>>errors)"
same 'interned: D over a file' 'hello hello' "$("$TBUFCTL" -q --read="$file" \
    -n 'reg-text::: /word == "hello"/ { printf("%s ", copyinstr(arg1)); }' \
    2>>errors | sed 's/ *$//')"
same 'interned: the viewers' '"hello" "hello"' "$("$TBUFCTL" -q \
    --format=chrome --read="$file" 2>>errors | grep -o '"hello"' | xargs \
    printf '"%s" ' | sed 's/ $//')"
rm -f dir/tbuf.*
same 'interned: no room' '4096 ENOSPC' "$("$target" many)"
same 'interned: tracing is off' \
    'registry_target: tbuf_intern: Operation canceled' \
    "$(TBUF_DISABLE=1 "$target" intern=x 2>&1)"
same 'a label' 'text="a name"' "$("$TBUFCTL" -q -n tbuf:::label \
    -c "$target 'label=a name'" 2>>errors | sed 's/pointer=0x[0-9a-f]* //')"
rm -f dir/tbuf.*

# Events that are not TBUF_ALWAYS leave a release.
for optimize in -O0 -O2; do
	# shellcheck disable=SC2086 # CC may have flags
	$CC $optimize -DTBUF_RELEASE -I"$top_srcdir/libtbuf/include" \
	    "$top_srcdir/tests/system/registry_target.c" -o release \
	    -L"$top_builddir/.libs" -ltbuf || failed=$((failed + 1))
	same "a release, $optimize" "$(echo "$events" | grep -v look)" \
	    "$(list -c ./release)"
done

same 'losses' '' "$(grep -v -e ' 0 overwritten, 0 drops' -e 'has exited$' \
    -e 'left running$' -e ' matched [0-9]* probes*$' errors)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
