# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
stacker=$(dirname "$TBUF_TARGET")/stacker
TBUF_TARGET=$stacker

# Offsets are a compiler's business, and what it has moved out of line is of
# the same function; the C library's functions have names or not.
plain()
{
	sed -E -e 's/\.cold|\.part\.[0-9]+|\.isra\.[0-9]+//g' \
	    -e 's/\+0x[0-9a-f]+/+N/g' \
	    -e 's/libc\.so\.6`.*/LIBC/' -e 's/0x[0-9a-f]+/ADDRESS/g' \
	    -e 's/\bint\) /int)/g' -e 's/ +$//' -e '/^$/d' -e 's/ +/ /g'
}

options=

# show ORDER PROGRAM: what is recorded of a program that obeys.
show()
{
	echo "$1"
	# shellcheck disable=SC2086 # a list
	start 3 4 enabled $1 wait
	tell 3
	# shellcheck disable=SC2086 # one or none
	"$TBUFCTL" -q -x temporal $options \
	    -n 'leaf /arg0 == -1/ { exit(1); } '"$2" -p "$target" >out 2>&1 &
	tracer=$!
	tell 3
	wait "$target"
	wait "$tracer"
	plain <out
	rm -f in3 out4
}

# Stacks of known depth, whatever a probe's arguments are.
show shapes 'none, words, many, packed, bytes, text, texts {
	printf("%k", ustack(4)); }'
show call=1 'leaf { ustack(); trace(ustackdepth); }'
show thread 'leaf { ustack(); }'
show plus 'plus { ustack(3); usym(ucaller); }'
# Keys, on one line; and what a text key has in it.
options=--format=folded
show 'call=1 call=2' 'leaf {
	@[ustack(3), "a;b"] = count(); @q[ustack(2)] = quantize(arg0); }'
options=--format=json
show 'call=1' 'leaf { ustack(2); usym(ucaller); @[umod(ucaller)] = count(); }' |
    sed -E 's/"(pid|tid|cpu|id|time|wall|epid)":[0-9]+/"\1":N/g'

# Files that are damaged, or gone, cost their names alone.  Whoever may look at
# map_files has those that are gone.
options=
cp "$stacker" damaged
printf '\377\377\377\377\377\377\377\177' |
    dd of=damaged bs=1 seek=40 conv=notrunc 2>/dev/null
TBUF_TARGET=$PWD/damaged
show 'call=1' 'leaf { ustack(2); }' | sed 's/damaged.*/damaged.../'
# Debug information in a file of its own, beside it.
cp "$stacker" split
objcopy --only-keep-debug split split.debug
strip split
objcopy --add-gnu-debuglink=split.debug split
TBUF_TARGET=$PWD/split
show 'call=1' 'leaf { ustack(4); }'

# Code without frame pointers: registers and a piece of the stack are recorded,
# and unwound though the program has ended.  Whose frames are between those of
# the program is the C library's business.
stacker=$(dirname "$stacker")/frameless
TBUF_TARGET=$stacker
own()
{
	grep -v LIBC
}
echo unwound
options=-xustackunwind
show 'call=1 call=2' 'leaf { ustack(); trace(arg0); }' | own
show 'call=1' 'leaf { printf("%d%k%d\n", arg0, ustack(), arg0); }' | own
show thread 'leaf { ustack(); }' | own
show deep=30 'deep { ustack(100); }' | own | uniq -c | sed 's/^ *//'
show signal 'leaf { ustack(60); }' | own
show coroutine 'leaf { ustack(); }' | own
show plus 'plus { jstack(3); }' | own
show 'call=1' 'leaf { self->s = speculation(); speculate(self->s); ustack(2); }
    leaf { commit(self->s); }'
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
show 'call=1' 'leaf { ustack(4); }'
unset GLIBC_TUNABLES
options='-xustackunwind --format=json'
show 'call=1' 'leaf { ustack(4); }' | sed -n 's/.*\("values.*\)}/\1/p'
# A record that is larger than the buffer is a drop.
options='-xustackunwind -xbufsize=4k -xbufpolicy=fill --format=json'
show deep=400 'deep { ustack(1); }' | grep -o '"records.*'
ctl -q -x ustackunwind -n 'leaf { @[ustack()] = count(); }' -c true

# What reads that takes each line for one.
ctl -q --format=folded -n 'BEGIN { @["a"] = count(); exit(0); }'
