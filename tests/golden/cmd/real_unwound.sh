# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
. "$HERE/common_stack"

# In code without frame pointers, registers and a part of the stack are
# recorded, and unwound even after the program has ended.  Frames of the C
# library vary.
TBUF_TARGET=$(dirname "$TBUF_TARGET")/frameless
own()
{
	grep -v LIBC
}
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

# Stacks as keys: each is a record, which tbufctl aggregates.
options=-xustackunwind
functions='call=1 call=2 call=5 call=-1'
show 'call=1 call=2 call=3 thread' 'leaf { @[ustack()] = count(); }' | own
show 'call=1 call=2 call=3' 'leaf /arg0 > 1/ {
    @[probefunc, ustack(5), arg0] = quantize(arg0); }'
show "$functions" 'leaf { @c[ustack(1)] = count(); @s[ustack(1)] = sum(arg0);
    @a[ustack(1)] = avg(arg0); @n[ustack(1)] = min(arg0);
    @x[ustack(1)] = max(arg0); @d[ustack(1)] = stddev(arg0);
    @q[ustack(1)] = quantize(arg0, 2); @l["l", arg0, ustack(1)] =
    lquantize(arg0, 0, 4, 2, 3); @m[ustack(1), "m"] =
    llquantize(arg0, 10, 0, 1, 10, arg0); }' | sed 's/@//g'
# A stack is recorded within another record, and before a fault.
show 'call=1 call=2' 'string s; leaf { printf("%d ", arg0);
    @[s, ustack(2), "x"] = sum(arg0); printf("%s", "text"); ustack(1);
    @[s, ustack(2), "y"] = sum(arg0); printf(" %d\n", arg0); }'
show deep=400 'deep { ustack(1); @[ustack(1)] = count(); }'
options='-xustackunwind -xnoerror'
show 'call=1 call=0' 'leaf { @[ustack(1)] = count(); trace(1 / arg0);
    @[ustack(2)] = count(); }'
show 'call=1 call=2 call=3' 'leaf { if (arg0 > 1) {
    @[ustack(1), "more"] = count(); trace(arg0); } else
    @[ustack(1), "less"] = count(); }'
# Actions are applied to such aggregations.
options='-xustackunwind -xaggsortkey -xaggsortkeypos=1'
show 'call=1 call=2 deep=3 call=3' 'leaf { @[ustack(1), arg0] = sum(arg0); }
    deep { printa("%k %d: %@d\n", @); clear(@); }
    END { normalize(@, 3); printa("%k %d: %@d\n", @); trunc(@, 1); }'
options='-xustackunwind --format=folded'
show 'call=1 call=2 thread' 'leaf { @[ustack(3)] = count(); }'
options='-xustackunwind --format=json'
show 'call=1 call=2' 'leaf { @[ustack(2), arg0] = sum(arg0); }' |
    grep aggregation
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
show 'call=1 call=2' 'leaf { @[ustack(2)] = count(); }' | grep aggregation
unset GLIBC_TUNABLES
# Values and drops add up to the updates.
orders=$(seq 500 | sed 's/.*/call=&/')
options='-xustackunwind -xbufsize=16k -xswitchrate=1000s'
show "$orders" 'leaf { @[ustack(1)] = count(); @n = count(); }' |
    awk '/ drops? on CPU/ { drops += $2 } /^ [0-9]+$/ { value[++n] = $1 }
	END { if (drops == 0) print "no drops"
	    print value[1] + drops, value[2] }'
options='-xustackunwind -xaggsize=1k'
show "$orders" 'leaf { @[ustack(1), arg0] = count(); @n = count(); }' |
    awk '/aggregation drops? on CPU/ { drops += $2 }
	/^ [0-9]+$/ { n = $1 } /^ [0-9]+ [0-9]+$/ { values += $2 }
	END { if (drops == 0) print "no drops"
	    print values + drops, n }'
ctl -q -x ustackunwind -n 'BEGIN { ustack(); @["none", ustack()] = count(); exit(0); }'
ctl -q -x ustackunwind -x scratchsize=16k -n 'BEGIN {
    tracemem(alloca(9000), 9000); @["much", ustack()] = count(); exit(0); }' |
    tail -3
ctl -q -x ustackunwind -n 'leaf { @[ustack(), ustack()] = count(); }' -c true
# A clause cannot use a stack that is unwound later; samples are unwound at
# once.
ctl -q -x ustackunwind -n 'leaf /ustackdepth > 2/ { trace(1); }' -c true
ctl -q -x ustackunwind -n 'leaf { usym(ucaller); }' -c true
ctl -q -x ustackunwind -n 'BEGIN { trace(ustackdepth); trace(ucaller); exit(0); }'
ctl -q -x ustackunwind -x bufpolicy=ring -n 'leaf { @[ustack()] = count(); }' \
    -c true
