# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
. "$HERE/common_stack"
stacker=$(dirname "$TBUF_TARGET")/stacker
TBUF_TARGET=$stacker

# Stacks have the known depth, with any kind of arguments.
show shapes 'none, words, many, packed, bytes, text, texts {
	printf("%k", ustack(4)); }'
show call=1 'leaf { ustack(); trace(ustackdepth); }'
show thread 'leaf { ustack(); }'
show plus 'plus { ustack(3); usym(ucaller); }'
# Numbers are printed as addresses of $target, which ends before the last ones.
show call=1 'leaf { printf("%A %A\n", ucaller, 1);
	@[ucaller] = count(); } END { printa("key %A\n", @); }'
# setopt() changes the output after it.
"$TBUFCTL" -q -n 'BEGIN { setopt("stackindent", "3"); }
    leaf { ustack(1); }' -c "$TBUF_TARGET call=1" | sed 's/stacker.*/FRAME/'
# Without names it prints offsets in the mapped files, equal in each run.
for file in places again; do
	"$TBUFCTL" -q -x noresolve -n '
	    leaf { ustack(2); usym(ucaller); umod(ucaller); @[ufunc(ucaller)] =
	    count(); }' -c "$TBUF_TARGET call=1" >$file
done
cmp places again && plain <places
# Keys are printed on one line, with the contents of a text key.
options=--format=folded
show 'call=1 call=2' 'leaf {
	@[ustack(3), "a;b"] = count(); @q[ustack(2)] = quantize(arg0); }'
options=--format=json
show 'call=1' 'leaf { ustack(2); usym(ucaller); @[umod(ucaller)] = count(); }' |
    sed -E 's/"(pid|tid|cpu|id|time|wall|epid)":[0-9]+/"\1":N/g'

# Objects mapped before and after the consumer attached have names after both
# have ended: the session's file has the mappings.
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

# Damaged and deleted files only lose their names; with access to map_files
# deleted files still have names.
options=
cp "$stacker" damaged
printf '\377\377\377\377\377\377\377\177' |
    dd of=damaged bs=1 seek=40 conv=notrunc 2>/dev/null
TBUF_TARGET=$PWD/damaged
show 'call=1' 'leaf { ustack(2); }' | sed 's/damaged.*/damaged.../'
# Debug information is in a file of its own, beside the program.
cp "$stacker" split
objcopy --only-keep-debug split split.debug
strip split
objcopy --add-gnu-debuglink=split.debug split
TBUF_TARGET=$PWD/split
show 'call=1' 'leaf { ustack(4); }'

# The output has no lines but the values.
ctl -q --format=folded -n 'BEGIN { @["a"] = count(); exit(0); }'
