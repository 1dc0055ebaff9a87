# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Descriptions are right-aligned; each enabling writes records of its own.
fire="$TBUF_TARGET fire=1"
ctl -P tt -c "$fire"
ctl -P tt -n count -f fire -m target -c "$fire"
ctl -m tt:target -f :fire -n 'tt:target:fire:count' -c "$fire"
ctl -n 'c*t' -n 'c?unt' -n '[abc]ount' -n '[!abc]ount' -Z -c "$fire"
ctl -n nosuch,count -c "$fire"
ctl -P t -m targe -f fir -n coun -Z -c "$fire"
# A blank in a description is no comma.
for list in 'tt:::count tt:::other' 'count,a b' 'a\ b:::' "$(printf 'a\001')"; do
	ctl -n "$list" -c "$fire"
done
# A description may be too long for a session.
"$TBUFCTL" -n "$(printf '%09000d' 0)" -c "$fire" 2>&1
echo "= $?"
# Clauses at functions of C++ may have their names unquoted.
TBUF_TARGET=${TBUF_TARGET%/*}/stacker
for d in plus::queue::push:plus stacker::plus::queue::push:plus \
    'plus\:\:queue\:\:push:plus' 'stacker:stacker:plus::queue::push:plus' \
    ::plus::queue::push:plus plus::*::push:plus plus::nobody::push:plus; do
	ctl -q -n "$d { printf(\"%s %d\", probefunc, value); }" \
	    -c "$TBUF_TARGET plus"
done
ctl -q -f 'plus::queue::push { trace(probefunc); }' -c "$TBUF_TARGET plus"
