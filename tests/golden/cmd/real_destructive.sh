# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Destructive actions of clauses need -w.
ctl -n 'count { raise(9); }' -c "$TBUF_TARGET fire=1"
ctl -n 'count { stop(); }' -c "$TBUF_TARGET fire=1"
ctl -n 'count { chill(1); }' -c "$TBUF_TARGET fire=1"
ctl -w -n 'count { raise(number == 2 ? 15 : 0); }
count { trace(number); }' -c "$TBUF_TARGET fire=3"
ctl -w -n 'count { raise(65); } count { trace(number); }' \
    -c "$TBUF_TARGET fire=1"
ctl -w -n 'count { chill(1000); } count { trace(number); }' \
    -c "$TBUF_TARGET fire=2"

# A program that was stopped continues after SIGCONT.
ctl -q -w -x switchrate=100hz -n 'count /number == 2/ { stop(); }
count { printf("%d\n", number); }
tick-50ms { system("kill -CONT %d 2>/dev/null", $target); }' \
    -c "$TBUF_TARGET fire=3"
ctl -w -n 'count { panic(); }' -c "$TBUF_TARGET fire=1"

# Values that only a kernel has are 0.
ctl -q -n 'count { @[caller, stackdepth] = count(); }' -c "$TBUF_TARGET fire=1"
