# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
. "$HERE/common_stack"
stacker=$(dirname "$TBUF_TARGET")/stacker
TBUF_TARGET=$stacker

# Stacks of known depth, whatever a probe's arguments are.
show shapes 'none, words, many, packed, bytes, text, texts {
	printf("%k", ustack(4)); }'
show call=1 'leaf { ustack(); trace(ustackdepth); }'
show thread 'leaf { ustack(); }'
show plus 'plus { ustack(3); usym(ucaller); }'
# Numbers as addresses of $target, which ends before the last are printed.
show call=1 'leaf { printf("%A %A\n", ucaller, 1);
	@[ucaller] = count(); } END { printa("key %A\n", @); }'
# setopt() changes what is printed after it.
"$TBUFCTL" -q -n 'BEGIN { setopt("stackindent", "3"); }
    leaf { ustack(1); }' -c "$TBUF_TARGET call=1" | sed 's/stacker.*/FRAME/'
# Without names it is where in the mapping of a file, the same in each run.
for file in places again; do
	"$TBUFCTL" -q -x noresolve -n '
	    leaf { ustack(2); usym(ucaller); umod(ucaller); @[ufunc(ucaller)] =
	    count(); }' -c "$TBUF_TARGET call=1" >$file
done
cmp places again && plain <places
# Keys, on one line; and what a text key has in it.
options=--format=folded
show 'call=1 call=2' 'leaf {
	@[ustack(3), "a;b"] = count(); @q[ustack(2)] = quantize(arg0); }'
options=--format=json
show 'call=1' 'leaf { ustack(2); usym(ucaller); @[umod(ucaller)] = count(); }' |
    sed -E 's/"(pid|tid|cpu|id|time|wall|epid)":[0-9]+/"\1":N/g'

# What is mapped when a consumer comes, and later, has names when both have
# ended: it is in the file of the session.
left()
{
	"$TBUFCTL" -q -x temporal --read "$TBUF_DIR/tbuf.$target."* \
	    2>/dev/null | plain
}
options=
start 3 4 enabled call=1 load say=loaded wait
"$TBUFCTL" -q -x bufpolicy=ring -x statusrate=20ms -n 'leaf { ustack(4);
    usym(ucaller); } loaded { umod(arg0); } ready' -p "$target" >out 2>&1 &
tracer=$!
tell 3
hear 4 loaded
tries=0
until left | grep -q libm || [ $tries = 300 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
kill -KILL "$tracer" "$target"
wait "$tracer" "$target" 2>/dev/null
left
echo
rm -f in3 out4 "$TBUF_DIR/tbuf.$target."*

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

# What reads that takes each line for one.
ctl -q --format=folded -n 'BEGIN { @["a"] = count(); exit(0); }'
