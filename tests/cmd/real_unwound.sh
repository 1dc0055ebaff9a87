# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
. "$HERE/common_stack"

# Code without frame pointers: registers and a piece of the stack are recorded,
# and unwound though the program has ended.  Whose frames are between those of
# the program is the C library's business.
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
ctl -q -x ustackunwind -n 'leaf { @[ustack()] = count(); }' -c true
