# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Text messages: the output of a session, of --set and of --unwrap.  Times, pids
# and threads vary.
texts=$(dirname "$TBUF_TARGET")/texts

lines()
{
	sed -E 's/^[-0-9]{10}T[:0-9]{8}\.[0-9]{6}Z [0-9]+:[0-9]+ /TIME PID:TID /'
}

unwrap()
{
	echo "\$ tbufctl --unwrap $*" | normal | sed 's/ [0-9]*$/ PID/'
	{ "$TBUFCTL" --unwrap "$@" 2>&1; echo "= $?"; } | lines |
	    sed 's/pid [0-9]*/pid PID/'
}

ln -s "$texts" texts
texts=./texts
ctl -x text=words:info,other -c "$texts severe=bad info=so debug=no other=well"
ctl -q -n 'text::words: { printf("%s: %s\n", copyinstr(arg1), copyinstr(arg2)); }' \
    -c "$texts severe=bad"
ctl --format=json -x text=words -c "$texts flow=in" | sed 's/"module":"[^"]*"/M/'
ctl -l -P text -c "$texts" | sed 's/^ *[0-9]*//; s/so\.[0-9]*/so/'

# The program is killed: its trace in memory remains, in a file that can be
# read.
TBUF_TEXT='traceFacility=Memory;traceMemoryBufferKbytes=16;traceLevel=flow' \
    sh -c '"$0" "$@"; :' "$texts" lines=1000 severe='the end' kill=9 2>killed
ls "$TBUF_DIR" | sed -n 's/^\(text\)\.[0-9]*\.[0-9a-f]*$/\1/p'
pid=$(ls "$TBUF_DIR" | sed -n 's/^text\.\([0-9]*\)\..*/\1/p')
unwrap "$pid" | sed -n '1p; $p; /end/p'
"$TBUFCTL" -q --unwrap "$pid" >unwrapped
"$TBUFCTL" -q --unwrap "$TBUF_DIR/text.$pid."* | cmp - unwrapped
# A part of the file, as on a full disk: the missing bytes are reported in one
# line.
head -c 8000 "$TBUF_DIR/text.$pid."* >short
unwrap short | sed '3,$d'
{ "$TBUFCTL" -q --unwrap short >/dev/null; } 2>&1
"$TBUFCTL" -q --unwrap short 2>/dev/null | grep -cvxF -f unwrapped
strings "$TBUF_DIR/text.$pid."* | sed -n '1p; /EOTRACE/p'
# In an editor the last lines are before the mark.
sed -n '/^.*the end$/{n;p;q}' "$TBUF_DIR/text.$pid."* | tr -d '\0'
# The lines are in order, and none is missing.
sed 's/.*: //' unwrapped | grep -v end | awk '
    NR > 1 && $2 != last + 1 { print "gap" } { last = $2 } END { print last }'

# Messages are changed from outside; lines not yet printed come first.
mkfifo in out
exec 3<>in 4<>out
"$texts" say=ready wait info=lost until=warning warning=told debug=no \
    fork=child kill=9 <&3 >&4 &
target=$!
hear 4 ready
ctl --set=traceFacility=File -p $target
ctl --set="traceFilePath=$PWD/trace;traceLevel=info" -p $target
ctl --set=traceMemoryBufferKbytes=64 -p $target
tell 3
wait $target 2>/dev/null
lines <trace

# A core, if the kernel writes one here, has the trace.
unwrap "$HERE/common_real" | sed "s|$HERE|HERE|"
rm -f "$TBUF_DIR"/text.*
(
	# shellcheck disable=SC3045
	ulimit -c unlimited
	echo 0x3b >/proc/self/coredump_filter
	TBUF_TEXT="traceFacility=memory;traceFilePath=$PWD/flushed" \
	    "$texts" warning=one assert 2>&1 | sed 's/.*texts.c:[0-9]*/texts.c/'
) 2>/dev/null
lines <flushed | sed 's/severe: .*texts.c:[0-9]*/severe: texts.c/'
core=$(ls core* 2>/dev/null | head -1)
if [ -n "$core" ]; then
	unwrap "$core" | grep -c -e 'TIME PID:TID words warning: one' \
	    -e 'assertion failed: value == NULL$'
else
	echo 2
fi
