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
# The provider may be any of a glob, so that tbufctl preloads that of USDT.
[ -z "$SANITIZER" ] || exit 77
. "$top_srcdir/tests/lib/tbufctl.sh"
target=$top_builddir/tests/registry/registry_target
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
reg-text:mixed 1026 [plain=string,word=string]
reg-type:types 1281 [yes=bool,number=int16_t,real=double,pointer=pointer,'\
'string=string,sized=string,bytes=bytes]'
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

# --check compares with an earlier list.
check()
{
	"$TBUFCTL" -l --check="$1" -n 'reg-*:::' -c "$target" 2>>errors
	echo "status $?"
}
"$TBUFCTL" -l --format=json -n 'reg-*:::' -c "$target" >old 2>>errors
same 'check: equal' 'status 0' "$(check old)"
sed 's/"function":"[a-z]*"/"function":"moved"/' old >other
same 'check: moved sites' 'status 0' "$(check other)"
grep -v idle old >other
same 'check: a new one' 'minor reg-loop:::idle (code 0x301): it is new
status 0' "$(check other)"
sed 's/"name":"look"/"name":"peek"/; s/"type":"int32_t"/"type":"int64_t"/
	s/"reg-loop"/"reg-gone"/; s/"code":769/"code":999/
	s/"code":1026/"code":1027/; s/,"code":257//' old >other
same 'check: others' 'median reg-gone:::idle (code 0x3e7): it is gone
median reg-request:::request-done (code 0x102): its arguments were'\
' (uint64_t id, int64_t status) and are (uint64_t id, int32_t status)
median reg-table:::peek (code 0x201): it is renamed to reg-table:::look
median reg-text:::interned (code 0x401): its arguments were (int64_t before,'\
' string word, uint8_t after) and are (int32_t before, string word,'\
' uint8_t after)
median reg-text:::mixed (code 0x403): its code is 0x402
minor reg-loop:::idle (code 0x301): it is new
status 1' "$(check other)"
sed 's/"code":[0-9]*,//' old >other
same 'check: codes are new' 'status 0' "$(check other)"
sed 's/"code":[0-9]*,//; s/"name":"idle"/"name":"\\u001bidl\\u00e9"/' old >other
same 'check: escapes' 'median reg-loop:registry_target:fire:?idlé: it is gone
minor reg-loop:::idle (code 0x301): it is new
status 1' "$(check other)"
same 'losses so far' '' "$(grep -v -e ' 0 overwritten, 0 drops' \
    -e 'has exited$' -e ' matched [0-9]* probes*$' errors)"
for line in '{"type":"record"}' '{"type":"probe","provider":"p"}' '[]' \
    '{"type":"probe"' "$(head -n 1 old) x" \
    "$(head -n 1 old |
	sed 's/"name":"[^"]*"/"name":"'"$(printf '%0256d' 0)"\"/)"
do
	{ cat old; echo "$line"; } >other
	n=$(wc -l <other | tr -d ' ')
	same "check: not a list: $line" "status 1 tbufctl: failed to read \
other: line $n is not one of tbufctl -l --format=json" \
	    "$(: >errors; check other | tr '\n' ' '; cat errors)"
done
: >errors
same 'check: not a file' 'status 1' "$(check /dev/zero)"
: >errors
same 'check: without -l' 'tbufctl: --check needs -l' \
    "$("$TBUFCTL" --check=old -n x 2>&1)"

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
# Recordings have the numbers, and their metadata the texts: also those that
# are interned when there are packets already.
recorded()
{
	babeltrace2 recording | sed 's/.*}, {.* word = \([^:]*\) .*/\1)/'
}
if command -v babeltrace2 >/dev/null; then
	"$TBUFCTL" -q --record=recording --read="$file" -n reg-text::: \
	    2>>errors
	same 'interned: a recording of a file' '( "hello")
( "hello")' "$(recorded)"
	cat >program <<-end
		exec $target intern=one 'intern=a"b\c' intern= unknown wait \
		    intern=two
	end
	for options in '' '-x bufscope=thread' '-x nunits=2'; do
		rm -rf recording
		# shellcheck disable=SC2086 # options are words
		until ls recording/*/*_0 >found 2>&1 || [ -e failed ]; do
			:
		done | cat - /dev/null | "$TBUFCTL" --follow --record=recording \
		    -x switchrate=200hz $options -n reg-text::: \
		    -c 'sh program' 2>>errors || touch failed
		same "interned: a recording $options" '( "one")
( "one")
( "a\"b\\c")
( "a\"b\\c")
( "")
( "")
( <unknown>)
( "")
( "two")
( "two")' "$(recorded)"
	done
fi
rm -f dir/tbuf.*
# gdb prints the last records of the program that it runs, if it may run one.
if [ -z "$SANITIZER" ] && command -v gdb >/dev/null; then
	TBUF_OPTIONS='bufsize=64k,probes=reg-text:::' gdb -batch -nx \
	    -iex 'set debuginfod enabled off' \
	    -ex "source $top_srcdir/gdb/libtbuf-gdb.py" \
	    -ex 'run intern=hello unknown abort' -ex 'tbuf bt' "$target" \
	    >debugger 2>&1
	! grep -q '^tbuf: last' debugger || same 'interned: gdb' \
	    "$(echo "$text" | head -n 4)" \
	    "$(sed -n 's/^-.*interned //p; s/^-.*mixed //p' debugger)"
	rm -f dir/tbuf.*
fi
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
	    -I"$top_srcdir/tests" \
	    "$top_srcdir/tests/registry/registry_target.c" -o release \
	    -L"$top_builddir/.libs" -ltbuf || failed=$((failed + 1))
	same "a release, $optimize" "$(echo "$events" | grep -v look)" \
	    "$(list -c ./release)"
done

same 'losses' '' "$(grep -v -e ' 0 overwritten, 0 drops' -e 'has exited$' \
    -e 'left running$' -e ' matched [0-9]* probes*$' errors)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
